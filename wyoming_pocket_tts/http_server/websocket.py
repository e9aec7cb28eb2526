"""GET /ws: text in and audio out on one websocket, with the meaning of Wyoming's events.

    client: {"type": "synthesize-start", "voice": "anna"}, {"type": "synthesize-chunk", "text": "..."} ..., {"type": "synthesize-stop"}
    server: {"type": "audio-start", "rate": 24000, ...}, binary messages of PCM, {"type": "audio-stop"}, {"type": "synthesize-stopped"}

"synthesize" with a text says it at once; "cancel" ends what is being said; an error is {"type": "error", "code": ..., "message": ...}.
Where the server has a token, the first message is {"type": "auth", "token": ...} unless the header shows it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from wyoming_pocket_tts.errors import (
    Busy,
    InternalError,
    InvalidRequest,
    NothingToSay,
    PocketTTSError,
    TextTooLong,
)
from wyoming_pocket_tts.http_server import fields
from wyoming_pocket_tts.http_server.answers import Refused
from wyoming_pocket_tts.http_server.guards import bearer, token_fits
from wyoming_pocket_tts.http_server.service import Service, service_of
from wyoming_pocket_tts.speech import SpeechRequest
from wyoming_pocket_tts.text_feed import TextFeed
from wyoming_pocket_tts.waiting import within

_LOGGER = logging.getLogger(__name__)

_CLOSE_S = 1.0


async def websocket(request: web.Request) -> web.WebSocketResponse:
    """One connection, for any number of requests, one at a time."""
    service = service_of(request)
    _ = service.source
    options = service.options
    socket = web.WebSocketResponse(
        heartbeat=options.ping_s, max_msg_size=options.max_body_bytes, timeout=_CLOSE_S
    )
    if not socket.can_prepare(request).ok:
        raise InvalidRequest("This path is for websockets: connect with ws:// (see docs/http.md).")
    await socket.prepare(request)
    service.websockets.add(socket)
    talk = _Talk(service, socket)
    stranger = _Stranger(service, request)
    try:
        token = options.token
        # Whoever shows the token in the header has a place already.
        talk.admitted = token is None or token_fits(token, bearer(request))
        if not talk.admitted:
            stranger.enter()
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                await talk.refuse(InvalidRequest("Messages are JSON text."))
                continue
            try:
                await talk.hear(message.data)
                if talk.admitted:
                    stranger.admit()
            except PocketTTSError as error:
                await talk.refuse(error)
                if isinstance(error, Refused) or stranger.waits:
                    await socket.close(code=WSCloseCode.POLICY_VIOLATION)
    finally:
        stranger.leave()
        service.websockets.discard(socket)
        await talk.cancel()
    return socket


class _Stranger:
    """A connection that may not speak yet: for a short time, and in nobody's place."""

    def __init__(self, service: Service, request: web.Request) -> None:
        self.waits = False
        self._service = service
        self._request = request
        self._place = contextlib.ExitStack()
        self._late: asyncio.TimerHandle | None = None

    def enter(self) -> None:
        """It has to show the token; where too many have to, the one that came first is sent away."""
        strangers = self._service.strangers
        if len(strangers) >= self._service.options.max_connections:
            _abort(strangers.pop(0))
        strangers.append(self._request)
        self.waits = True
        loop = asyncio.get_running_loop()
        self._late = loop.call_later(self._service.options.auth_s, _abort, self._request)

    def admit(self) -> None:
        """It has shown the token, if it had to.

        Raises:
            Busy: no place is free.
        """
        if self.waits:
            self._place.enter_context(self._service.place())
            self._forget()

    def leave(self) -> None:
        self._forget()
        self._place.close()

    def _forget(self) -> None:
        self.waits = False
        if self._late is not None:
            self._late.cancel()
        self._service.strangers[:] = [
            one for one in self._service.strangers if one is not self._request
        ]


def _abort(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


class _Talk:
    """What one connection has asked for."""

    def __init__(self, service: Service, socket: web.WebSocketResponse) -> None:
        self.admitted = False
        self._service = service
        self._socket = socket
        self._feed: TextFeed | None = None
        self._task: asyncio.Task[None] | None = None

    async def hear(self, message: str) -> None:
        """
        Raises:
            PocketTTSError: the message cannot be followed.
        """
        try:
            event = json.loads(message)
        except (ValueError, RecursionError) as error:
            raise InvalidRequest("A message must be a JSON object.") from error
        if not isinstance(event, dict):
            raise InvalidRequest("A message must be a JSON object.")
        kind = event.get("type")
        if not self.admitted:
            token = self._service.options.token or ""
            if kind != "auth" or not token_fits(token, fields.text(event, "token") or ""):
                raise Refused("unauthorized", 'First: {"type": "auth", "token": ...}.')
            self.admitted = True
        elif kind == "synthesize":
            text = fields.text(event, "text")
            if text is None:
                raise NothingToSay("'text' must be what is to be spoken.")
            self._start(event, text)
        elif kind == "synthesize-start":
            feed = TextFeed()
            self._start(event, feed)
            self._feed = feed
            self._expect_text()
        elif kind == "synthesize-chunk":
            self._add(event)
        elif kind == "synthesize-stop":
            self._open_feed().end()
            self._feed = None
            self._expect_text(False)
        elif kind == "cancel":
            await self.cancel()
        elif kind != "auth":
            raise InvalidRequest(f"There is no message of type {str(kind)[:50]!r}.")

    async def refuse(self, error: PocketTTSError) -> None:
        await self._tell({"type": "error", "code": error.code, "message": str(error)})

    async def cancel(self) -> None:
        """Ends what is being said; its slot is free when this returns."""
        self._expect_text(False)
        if self._feed is not None:
            self._feed.close()
            self._feed = None
        task, self._task = self._task, None
        if task is not None and not task.done():
            task.cancel()
            await asyncio.wait((task,))

    _late: asyncio.TimerHandle | None = None

    def _expect_text(self, expected: bool = True) -> None:
        """A client that leaves its text open must not hold a request for ever."""
        if self._late is not None:
            self._late.cancel()
            self._late = None
        feed = self._feed
        if expected and feed is not None:
            idle_s = self._service.options.idle_between_text_s
            late = InvalidRequest(f"No text came for {idle_s:g} s.")
            self._late = asyncio.get_running_loop().call_later(idle_s, feed.end, late)

    def _open_feed(self) -> TextFeed:
        if self._feed is None:
            raise InvalidRequest("There is no synthesize-start to which this belongs.")
        return self._feed

    def _add(self, event: dict[str, Any]) -> None:
        feed = self._open_feed()
        piece = event.get("text")
        if not isinstance(piece, str):
            raise InvalidRequest("'text' of synthesize-chunk must be text.")
        most = self._service.options.max_text_characters
        if feed.characters + len(piece) > most:
            feed.end(TextTooLong(f"The text has more than {most} characters, the limit here."))
            return
        feed.push(piece.encode("utf-8", "replace").decode("utf-8"))
        self._expect_text()

    def _start(self, event: dict[str, Any], text: str | TextFeed) -> None:
        if self._task is not None and not self._task.done():
            raise Busy("The last request is still being spoken; wait for its end, or cancel it.")
        speech = SpeechRequest(
            text=text,
            voice=fields.text(event, "voice"),
            language=fields.text(event, "language"),
            speed=fields.number(event, "speed"),
            seed=fields.whole_number(event, "seed"),
            request_id=self._service.next_id(),
        )
        self._task = asyncio.create_task(self._speak(speech, streamed=isinstance(text, TextFeed)))

    async def _speak(self, speech: SpeechRequest, *, streamed: bool) -> None:
        try:
            with self._service.answering():
                await self._send_audio(speech)
            if streamed:
                await self._tell({"type": "synthesize-stopped"})
        except PocketTTSError as error:
            await self.refuse(error)
        except (ConnectionResetError, asyncio.TimeoutError):
            await self._leave()
        except Exception:
            _LOGGER.exception("A request failed")
            await self.refuse(InternalError("The request failed; the log has the details."))
        finally:
            if isinstance(speech.text, TextFeed):
                speech.text.close()

    async def _send_audio(self, speech: SpeechRequest) -> None:
        source = self._service.source
        audio = source.check(speech)
        stalled_s = self._service.options.stalled_client_s
        begun = False
        async with contextlib.aclosing(source.generate_audio_stream(speech)) as frames:
            async for frame in frames:
                if not begun:
                    begun = True
                    kind = {"rate": audio.rate_hz, "width": audio.width_bytes}
                    await self._tell({"type": "audio-start", **kind, "channels": audio.channels})
                await within(self._socket.send_bytes(frame.pcm), stalled_s)
        await self._tell({"type": "audio-stop"})

    async def _tell(self, event: dict[str, Any]) -> None:
        if not self._socket.closed:
            with contextlib.suppress(ConnectionResetError):
                await self._socket.send_json(event)

    async def _leave(self) -> None:
        with contextlib.suppress(Exception):
            await self._socket.close(code=WSCloseCode.GOING_AWAY, drain=False)
