"""The server as a whole: what is built from the settings, in which order it starts, and how it ends.

    HTTP, which says that the models are not there yet -> load and warm the models -> listen -> announce -> wait for a signal
    goodbye on the network -> stop listening, end what is being said -> stop the engines

Readable from top to bottom: `serve` is the command's whole life, `App` is one run of it. What the parts do is their own business.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, NoReturn

from wyoming_pocket_tts import servers
from wyoming_pocket_tts.app_parts import Announcer, Server, SpeechParts, WebServer
from wyoming_pocket_tts.errors import SetupError
from wyoming_pocket_tts.http_settings import DEFAULT_PORT
from wyoming_pocket_tts.notices import Notices
from wyoming_pocket_tts.settings import Settings
from wyoming_pocket_tts.waiting import within

_LOGGER = logging.getLogger(__name__)

EXIT_STOPPED = 0
EXIT_ABORTED = 130

# Of the time to stop (`limits.stop_s`), what the farewell on the network may take, and what is kept for the engines.
_GOODBYE_S = 1.0
_ENGINES_S = 0.5


def serve(
    settings: Settings,
    notices: Notices | None = None,
    make_announcer: Callable[[Settings, Server], Announcer | None] | None = None,
) -> int:
    """Serves until a signal ends it.

    Args:
        settings: what the owner chose.
        notices: what there is to be said of them already; more comes to it.
        make_announcer: who tells of the server; None: zeroconf, as the settings say.

    Returns:
        The exit code.

    Raises:
        SetupError: the server could not start.
    """
    # Not asyncio.run: at its end it would wait for threads, and one of them may be in the middle of a long download.
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(_run(build(settings, notices, make_announcer)))
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=_ENGINES_S))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
    return EXIT_STOPPED


def build(
    settings: Settings,
    notices: Notices | None = None,
    make_announcer: Callable[[Settings, Server], Announcer | None] | None = None,
) -> App:
    """The server of these settings, with nothing loaded yet; see `serve`."""
    # Here, not above: torch takes a second to import, and whoever tests the order of things needs none of it.
    from wyoming_pocket_tts.local_speech import LocalSpeech

    notices = notices or Notices()
    return App(
        settings,
        LocalSpeech(settings, notices),
        functools.partial(servers.wyoming_server, notices=notices),
        make_announcer or servers.announcer,
        functools.partial(servers.http_server, notices=notices),
    )


async def _run(app: App) -> None:
    """Runs with the signals: the first one stops in order, the second one at once."""
    loop = asyncio.get_running_loop()
    asked = False

    def stop() -> None:
        nonlocal asked
        if asked:
            _LOGGER.warning("Asked again: leaving at once")
            leave_now(EXIT_ABORTED)
        asked = True
        app.stop()

    signals = (signal.SIGINT, signal.SIGTERM)
    for number in signals:
        loop.add_signal_handler(number, stop)
    try:
        await app.run()
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


def leave_now(code: int) -> NoReturn:
    """Ends the process without waiting for anything."""
    logging.shutdown()
    os._exit(code)


def leave_soon(code: int, after_s: float = 1.0) -> None:
    """Sees to it that the process ends when it returns from its last function.

    Python waits for running threads at its end; one that downloads a model would keep it for minutes.
    """
    waiter = threading.Timer(after_s, leave_now, (code,))
    waiter.daemon = True
    waiter.start()


class App:
    """One run of the server: build it from its parts, `run` it once.

    Args:
        settings: what the owner chose.
        speech: the models.
        make_server: makes the server once the models are there.
        make_announcer: makes the announcer for a server that listens; None from it means that there is nothing to announce.
        make_web: makes the HTTP server; None from it means that there is none.
    """

    def __init__(
        self,
        settings: Settings,
        speech: SpeechParts,
        make_server: Callable[[Settings, Any], Server],
        make_announcer: Callable[[Settings, Server], Announcer | None],
        make_web: Callable[[Settings], WebServer | None] = lambda settings: None,
    ) -> None:
        self._settings = settings
        self._speech = speech
        self._make_server = make_server
        self._make_announcer = make_announcer
        self._make_web = make_web
        self._web: WebServer | None = None
        self._server: Server | None = None
        self._announcer: Announcer | None = None
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """Asks for the end; `run` returns when everything has stopped."""
        self._stop.set()

    async def run(self) -> None:
        """Starts, waits for `stop` (or for the client of stdio:// to leave), and stops.

        Raises:
            SetupError: it could not start; what had started has been stopped.
        """
        try:
            if await self._start():
                await self._serve()
        finally:
            await self._end()

    async def _start(self) -> bool:
        """False when it was stopped meanwhile: nobody waits for a download to end before the server does."""
        await self._start_web()
        if not await self._unless_stopped(self._speech.load()):
            return False
        if self._settings.wyoming:
            self._server = self._make_server(self._settings, self._speech.synthesizer)
            await self._server.start(self._settings.uri)
        if self._web is not None:
            speech = self._speech
            self._web.speak_with(speech.synthesizer, speech.desk, speech.model_names)
        _LOGGER.info(
            "Ready",
            extra={
                "uri": self._server.addresses if self._server is not None else [],
                "http": self._web.addresses if self._web is not None else [],
                "models": list(self._speech.model_names),
                "voices": [voice.name for voice in self._speech.synthesizer.voices()],
            },
        )
        if self._server is None:
            return True
        # Last, since who finds us asks at once, and does not ask twice.
        self._announcer = self._make_announcer(self._settings, self._server)
        return await self._unless_stopped(self._announce())

    async def _start_web(self) -> None:
        """First of all, so that whoever waits for the models can ask how things stand."""
        web = self._make_web(self._settings)
        if web is None:
            return
        http = self._settings.http
        self._web = web
        try:
            await web.start(http.host, DEFAULT_PORT if http.port is None else http.port)
        except SetupError as error:
            # Nobody asked for this port: what was asked for goes on without it.
            if http.port is not None or not self._settings.wyoming:
                raise
            self._web = None
            _LOGGER.warning("There is no HTTP server: %s --port chooses another port.", error)

    async def _announce(self) -> None:
        """A network that cannot be told is no reason not to serve those who know the address."""
        if self._announcer is not None:
            try:
                await self._announcer.start()
            except Exception as error:
                _LOGGER.warning("The server is not announced on the network: %s", error)

    async def _serve(self) -> None:
        if self._server is None:
            await self._stop.wait()
        else:
            await self._unless_stopped(self._server.wait_closed())

    async def _end(self) -> None:
        _LOGGER.info("Stopping")
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + self._settings.limits.stop_s
        if self._announcer is not None:
            await _at_most("the announcement", self._announcer.stop(), _GOODBYE_S)
        grace_s = max(0.0, deadline_s - loop.time() - _ENGINES_S)
        servers = {"the server": self._server, "the HTTP server": self._web}
        await asyncio.gather(
            *(
                _at_most(what, server.stop(grace_s), grace_s + _ENGINES_S)
                for what, server in servers.items()
                if server is not None
            )
        )
        await _at_most("the engines", self._speech.close(), _ENGINES_S)
        _LOGGER.info("Stopped")

    async def _unless_stopped(self, work: Coroutine[Any, Any, None]) -> bool:
        """Whether the work ended before `stop` was called; otherwise it is cancelled."""
        working = asyncio.ensure_future(work)
        stopping = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                working.result()
                return True
            return False
        finally:
            for task in (working, stopping):
                task.cancel()
            await asyncio.gather(working, stopping, return_exceptions=True)


async def _at_most(what: str, stopping: Awaitable[None], seconds: float) -> None:
    """One part that does not stop must keep neither the others nor the process."""
    try:
        await within(stopping, seconds)
    except asyncio.TimeoutError:
        _LOGGER.warning("Stopping %s took more than %g s; going on without", what, seconds)
    except Exception:
        _LOGGER.exception("Stopping %s failed", what)
