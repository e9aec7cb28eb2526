"""Limits and names of the Wyoming server: one frozen dataclass, checked when it is made.

It knows nothing of files and flags; the composition root fills it from the settings.
"""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class WyomingOptions:
    """What the server says about itself, and what it takes from a client before it says no.

    Attributes:
        program: name of the program in `info`. Home Assistant names its entity after it, so it must stay the same.
        description: what people see beside the name.
        version: the program's version in `info`.
        attribution_name: who made the model.
        attribution_url: where it comes from.
        max_connections: connections that may speak at the same time. One more takes the place of a connection that has
            been idle for `evict_idle_s`; where there is none it is a reserve connection: `describe` and `ping` are answered
            (so a busy server does not look like a dead one), speech is refused with "busy".
        reserve_connections: how many such reserve connections there may be; beyond them every connection gets "busy" at once.
        reserve_connection_s: how long a reserve connection may stay.
        evict_idle_s: how long a connection without a request must have been silent before another may take its place.
        max_header_bytes: longest JSON line of an event.
        max_data_bytes: most `data_length`.
        max_payload_bytes: most `payload_length`; payloads of clients are read past, never kept.
        max_pending_requests: requests that may wait on one connection behind the one being spoken.
        max_text_characters: longest text of a request, plain or streamed.
        idle_between_text_s: longest time without text in a stream before it is given up (Home Assistant leaves the
            connection of a cancelled answer open for ever).
        stalled_client_s: longest time in which a client that has audio to take takes no byte of it.
        incomplete_event_s: longest time from the first byte of an event to its last.
        error_linger_s: time that a client gets to read an `error` and to close, before we do.
        write_buffer_bytes: bytes that wait in our memory for a slow client before its own speech is paused.
        reply_backlog_bytes: unsent bytes from which on a client's further events are left unread.
        silence_ms: audio that stands for a text with nothing to say; zero-length audio is an error for some clients.
        chunk_ms: longest audio in one audio-chunk.
        unix_mode: permissions of the socket file of a unix:// URI.
    """

    program: str = "pocket-tts"
    description: str = "Pocket TTS"
    version: str | None = None
    attribution_name: str = "Kyutai"
    attribution_url: str = "https://github.com/kyutai-labs/pocket-tts"
    max_connections: int = 64
    reserve_connections: int = 32
    reserve_connection_s: float = 5.0
    evict_idle_s: float = 10.0
    max_header_bytes: int = 65_536
    max_data_bytes: int = 1_048_576
    max_payload_bytes: int = 16_777_216
    max_pending_requests: int = 16
    max_text_characters: int = 20_000
    idle_between_text_s: float = 30.0
    stalled_client_s: float = 30.0
    incomplete_event_s: float = 30.0
    error_linger_s: float = 1.0
    write_buffer_bytes: int = 65_536
    reply_backlog_bytes: int = 262_144
    silence_ms: int = 200
    chunk_ms: int = 100
    unix_mode: int = 0o660

    def __post_init__(self) -> None:
        if not self.program:
            raise ValueError("program must not be empty")
        for option in fields(self):
            value = getattr(self, option.name)
            least_zero = option.name in ("error_linger_s", "reserve_connections", "evict_idle_s")
            if isinstance(value, (int, float)) and not (value > 0 or (least_zero and value == 0)):
                raise ValueError(f"{option.name} must be positive, not {value}")
