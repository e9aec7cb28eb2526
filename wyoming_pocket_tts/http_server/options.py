"""Limits and permissions of the HTTP server: one frozen dataclass.

It knows nothing of files and flags; the composition root fills it from the settings.
"""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True)
class HttpOptions:
    """What the server takes from a client before it says no.

    Attributes:
        version: the program's, for people.
        token: what clients must show; None: nothing.
        allow_origins: further web sites whose pages may use the server.
        allowed_voice_urls: what an address given as a voice must begin with; empty: addresses are refused.
        only_from: addresses of the machines that may connect; empty: all.
        max_upload_bytes: largest recording; 0: none are taken.
        max_body_bytes: largest request without a recording.
        max_text_characters: longest text of a request.
        max_connections: requests and websockets at the same time; one more is answered with "busy". Who has not shown the token
            takes none of these places.
        max_uploads: requests with a recording that are read at the same time; others wait.
        form_s: longest time in which a request's body must have come, without recordings; with one, longest pause in it.
        upload_s: longest time in which the rest of it must have come once a recording has begun.
        head_s: longest time in which a new connection must have sent the head of a request.
        keep_s: how long a connection without a request is kept.
        auth_s: longest time in which a websocket must have shown the token.
        stalled_client_s: longest time in which a client that has audio to take takes none of it.
        idle_between_text_s: longest pause in the text of a websocket's request.
        ping_s: how often a websocket is asked whether it is still there.
        end_s: at the end, time for what was cancelled to tidy up.
    """

    version: str = ""
    token: str | None = None
    allow_origins: tuple[str, ...] = ()
    allowed_voice_urls: tuple[str, ...] = ()
    only_from: tuple[str, ...] = ()
    max_upload_bytes: int = 20 * MIB
    max_body_bytes: int = 1 * MIB
    max_text_characters: int = 20_000
    max_connections: int = 64
    max_uploads: int = 4
    form_s: float = 15.0
    upload_s: float = 120.0
    head_s: float = 10.0
    keep_s: float = 75.0
    auth_s: float = 5.0
    stalled_client_s: float = 30.0
    idle_between_text_s: float = 30.0
    ping_s: float = 20.0
    end_s: float = 0.5
