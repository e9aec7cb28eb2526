"""Wyoming's framing: bytes to events and back. Does no input or output and knows no socket.

An event is one JSON line {type, data?, data_length?, payload_length?, version?}, then `data_length` bytes of JSON, then
`payload_length` bytes. The reader of the `wyoming` package bounds none of the lengths and takes every fault for a quiet end
of the connection; this one has a cap on each and names each fault with a stable code.

Source: the `wyoming` package 1.10, module `event`.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from wyoming.version import __version__ as wyoming_version

from wyoming_pocket_tts.errors import CallerError, PocketTTSError, ServerError

_MAX_ERROR_CHARACTERS = 1_000


class BadEvent(CallerError):
    """An event that breaks the protocol: framing, JSON, or a field of the wrong type."""

    code = "bad-event"


class EventTooLarge(CallerError):
    """A part of an event is over its limit."""

    code = "event-too-large"


class UnexpectedEvent(CallerError):
    """An event that makes no sense where it came."""

    code = "unexpected-event"


class ProgramNotFound(CallerError):
    """select-program named a program that is not in our info."""

    code = "program-not-found"


class ClientTimeout(CallerError):
    """The client began something and did not go on with it."""

    code = "timeout"


class ShuttingDown(ServerError):
    """The server is being stopped."""

    code = "shutting-down"


@dataclass(frozen=True)
class Event:
    """An event as it was read. Payloads are not kept: no event that a client sends us has one."""

    type: str
    data: dict[str, Any] = field(default_factory=dict)


def encode_event(
    event_type: str, data: dict[str, Any] | None = None, payload: bytes = b""
) -> bytes:
    """The bytes of one event, written as the `wyoming` package writes them. Deterministic."""
    header: dict[str, Any] = {"type": event_type, "version": wyoming_version}
    data_bytes = json.dumps(data, ensure_ascii=False).encode() if data else b""
    if data_bytes:
        header["data_length"] = len(data_bytes)
    if payload:
        header["payload_length"] = len(payload)
    return b"".join((json.dumps(header).encode(), b"\n", data_bytes, payload))


def encode_error(error: PocketTTSError) -> bytes:
    """The `error` event for one of our own errors, whose messages are made for people to read."""
    text = clean_text(str(error))[:_MAX_ERROR_CHARACTERS] or error.code
    return encode_event("error", {"text": text, "code": error.code})


def clean_text(text: str) -> str:
    """`text` with lone surrogates replaced: JSON can spell them, but no tokenizer and no UTF-8 can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class EventParser:
    """Takes bytes in pieces of any size and gives events.

    It holds one header or one data block plus what was fed beyond it. Events of types other than `known` are read past: their
    data is not kept and not parsed.

    Args:
        known: the event types that the caller wants.
        max_header_bytes: longest header line.
        max_data_bytes: most `data_length`, for unknown types too.
        max_payload_bytes: most `payload_length`.
    """

    def __init__(
        self,
        known: Collection[str],
        *,
        max_header_bytes: int,
        max_data_bytes: int,
        max_payload_bytes: int,
    ) -> None:
        self._known = known
        self._max_header_bytes = max_header_bytes
        self._max_data_bytes = max_data_bytes
        self._max_payload_bytes = max_payload_bytes
        self._buffer = bytearray()
        self._searched_bytes = 0
        self._header: Event | None = None
        self._data_bytes = 0
        self._payload_bytes = 0
        self._skip_bytes = 0
        self.events_read = 0

    @property
    def mid_event(self) -> bool:
        """Whether an event has begun that has not ended. Of use once `next_event` has given None."""
        return bool(self._buffer) or self._header is not None or self._skip_bytes > 0

    def feed(self, data: bytes) -> None:
        """Adds received bytes; bytes of a part that is read past are dropped here."""
        skipped = min(self._skip_bytes, len(data)) if not self._buffer else 0
        self._skip_bytes -= skipped
        self._buffer += memoryview(data)[skipped:]

    def clear(self) -> None:
        """Forgets what was fed."""
        self._buffer.clear()
        self._header = None
        self._searched_bytes = self._data_bytes = self._skip_bytes = 0

    def next_event(self) -> Event | None:
        """The next event of a known type that is complete but for its payload, or None: feed more.

        Raises:
            BadEvent, EventTooLarge: the stream cannot be read on from here.
        """
        while True:
            skipped = min(self._skip_bytes, len(self._buffer))
            del self._buffer[:skipped]
            self._skip_bytes -= skipped
            if self._skip_bytes:
                return None
            if self._header is None and not (self._buffer and self._read_header()):
                return None
            if self._header is not None:
                return self._read_data()

    def _read_header(self) -> bool:
        """Reads a header line; leaves `_header` None where the event is to be read past. False: not all there."""
        end = self._buffer.find(b"\n", self._searched_bytes)
        if max(end, len(self._buffer) if end < 0 else 0) > self._max_header_bytes:
            raise EventTooLarge(
                f"The header line of an event is over {self._max_header_bytes} bytes."
            )
        if end < 0:
            self._searched_bytes = len(self._buffer)
            return False
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched_bytes = 0
        self.events_read += 1
        header = _parse_object(line, "header line")
        event_type = header.get("type")
        if not isinstance(event_type, str):
            raise BadEvent("The header of an event needs a 'type' that is a string.")
        data_bytes = _length(header, "data_length", self._max_data_bytes)
        payload_bytes = _length(header, "payload_length", self._max_payload_bytes)
        if event_type not in self._known:
            self._skip_bytes = data_bytes + payload_bytes
            return True
        data = header.get("data")
        if data is not None and not isinstance(data, dict):
            raise BadEvent("The 'data' of an event must be a JSON object.")
        self._header = Event(event_type, dict(data or {}))
        self._data_bytes = data_bytes
        self._payload_bytes = payload_bytes
        return True

    def _read_data(self) -> Event | None:
        event = self._header
        if event is None or len(self._buffer) < self._data_bytes:
            return None
        if self._data_bytes:
            event.data.update(_parse_object(bytes(self._buffer[: self._data_bytes]), "data"))
            del self._buffer[: self._data_bytes]
        self._header = None
        self._data_bytes = 0
        self._skip_bytes = self._payload_bytes
        return event


def _parse_object(text: bytes, part: str) -> dict[str, Any]:
    try:
        value = json.loads(text.decode())
    except UnicodeDecodeError:
        raise BadEvent(f"The {part} of an event is not UTF-8.") from None
    except (ValueError, RecursionError):
        raise BadEvent(f"The {part} of an event is not JSON.") from None
    if not isinstance(value, dict):
        raise BadEvent(f"The {part} of an event must be a JSON object.")
    return value


def _length(header: dict[str, Any], key: str, most: int) -> int:
    value = header.get(key)
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise BadEvent(f"The '{key}' of an event must be a whole number of bytes.")
    if value > most:
        raise EventTooLarge(f"The '{key}' of an event is over {most} bytes.")
    return value
