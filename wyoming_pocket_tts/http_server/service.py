"""What all handlers share: the synthesizer once it is there, the desk for voices, the options, and what is being spoken.

The protocols below are all that the HTTP server knows of the rest of the program.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from typing import Any, Protocol

from aiohttp import web

from wyoming_pocket_tts.errors import Busy, ModelUnavailable
from wyoming_pocket_tts.http_server.options import HttpOptions
from wyoming_pocket_tts.speech import AudioFormat, AudioFrame, SpeechRequest, VoiceInfo


class Named(Protocol):
    """A voice, as far as its name goes."""

    @property
    def name(self) -> str: ...


class SpeechSource(Protocol):
    """Who speaks."""

    @property
    def default_voice(self) -> Named | None: ...

    @property
    def active(self) -> int: ...

    @property
    def figures(self) -> Any: ...

    def voices(self) -> Sequence[VoiceInfo]: ...

    def check(self, request: SpeechRequest) -> AudioFormat: ...

    def generate_audio_stream(self, request: SpeechRequest) -> AsyncGenerator[AudioFrame, None]: ...

    def observe(self, observer: Callable[[Any], None]) -> None: ...


class GuestVoice(Protocol):
    """A recording that can be spoken with."""

    @property
    def name(self) -> str: ...

    @property
    def seconds(self) -> float: ...

    @property
    def languages(self) -> tuple[str, ...]: ...


class Desk(Protocol):
    """Who takes recordings in, and keeps and deletes voices."""

    async def bring(self, recording: bytes, language: str | None = None) -> GuestVoice: ...

    def call(self, address: str, language: str | None = None) -> str: ...

    async def dismiss(self, name: str) -> None: ...

    def added(self, name: str) -> bool: ...

    async def keep(self, guest: str, name: str, description: str | None = None) -> None: ...

    async def delete(self, name: str) -> None: ...


class Service:
    """One HTTP server's state.

    Attributes:
        options: limits and permissions.
        desk: None where voices cannot be added.
        models: names of the models that may be used.
        reason: why nothing can be spoken yet, or no more.
        websockets: the open ones.
        silent: set while no request is being answered with audio.
        strangers: websockets' requests that have not shown the token yet, the oldest first.
        working: connections with a request that is being answered.
        asked: connections that have had a request lately.
        uploads: room for requests with a recording.
        loopback: whether the server can be reached from this machine alone.
        notices: gives what the owner should know of.
    """

    def __init__(self, options: HttpOptions, notices: Callable[[], Sequence[str]] = tuple) -> None:
        self.options = options
        self.notices = notices
        self.desk: Desk | None = None
        self.models: tuple[str, ...] = ()
        self.reason = "The models are still being loaded."
        self.websockets: set[web.WebSocketResponse] = set()
        self.strangers: list[web.Request] = []
        self.working: set[Any] = set()
        self.asked: set[Any] = set()
        self.silent = asyncio.Event()
        self.silent.set()
        self.uploads = asyncio.Semaphore(options.max_uploads)
        self.loopback = False
        self.stopping = False
        self._source: SpeechSource | None = None
        self._numbers = itertools.count(1)
        self._speaking = 0
        self._places = 0

    @property
    def ready(self) -> bool:
        return self._source is not None and not self.stopping

    @property
    def source(self) -> SpeechSource:
        """Who speaks.

        Raises:
            ModelUnavailable: nobody yet.
        """
        if self._source is None or self.stopping:
            raise ModelUnavailable(self.reason)
        return self._source

    def use(self, source: SpeechSource, desk: Desk | None, models: Sequence[str]) -> None:
        """From now on there is speech."""
        self._source, self.desk, self.models = source, desk, tuple(models)

    @contextlib.contextmanager
    def place(self) -> Iterator[None]:
        """While a request of somebody who may come in is being answered.

        Raises:
            Busy: there are as many as may be.
        """
        most = self.options.max_connections
        if self._places >= most:
            raise Busy(f"The server has its {most} connections.")
        self._places += 1
        try:
            yield
        finally:
            self._places -= 1

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """While a request is being answered with audio."""
        self._speaking += 1
        self.silent.clear()
        try:
            yield
        finally:
            self._speaking -= 1
            if not self._speaking:
                self.silent.set()

    def next_id(self) -> str:
        """A name for a request, for the log."""
        return f"h{next(self._numbers)}"


SERVICE = web.AppKey("service", Service)


def service_of(request: web.Request) -> Service:
    return request.app[SERVICE]
