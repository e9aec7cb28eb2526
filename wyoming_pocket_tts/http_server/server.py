"""The HTTP server: listens from the start, speaks once there is a synthesizer, and ends what it says when it stops.

    POST /tts -> tts -> speaking -> synthesizer.generate_audio_stream(SpeechRequest) -> formats -> the client

In the event loop of the program, on the synthesizer of the program; no thread of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import WSCloseCode, web

from wyoming_pocket_tts.http_server import (
    connections,
    guards,
    metrics,
    openai,
    page,
    tts,
    voices,
    websocket,
)
from wyoming_pocket_tts.http_server.options import HttpOptions
from wyoming_pocket_tts.http_server.service import SERVICE, Desk, Service, SpeechSource
from wyoming_pocket_tts.waiting import within
from wyoming_pocket_tts.wyoming_server.listen import tcp_sockets

_LOGGER = logging.getLogger(__name__)


class HttpServer:
    """Answers HTTP clients with a synthesizer's speech.

    Attributes:
        addresses: where it listens, with the ports that were chosen.
        port: the first of them.
    """

    def __init__(
        self,
        options: HttpOptions | None = None,
        notices: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """
        Args:
            options: limits and permissions.
            notices: gives what the owner should know of, for the page.
        """
        self.addresses: list[str] = []
        self.port: int | None = None
        self._service = Service(options or HttpOptions(), notices)
        self._runner: web.AppRunner | None = None
        self._sites: list[web.SockSite] = []
        self._watch: asyncio.Task[None] | None = None

    async def start(self, host: str, port: int) -> None:
        """Listens; until `speak_with` every request for speech is answered with the reason why not.

        Raises:
            SetupError: it cannot listen there; names the reason.
        """
        sockets = await tcp_sockets(host, port)
        self._service.loopback = all(
            ipaddress.ip_address(str(one.getsockname()[0]).partition("%")[0]).is_loopback
            for one in sockets
        )
        options = self._service.options
        self._runner = web.AppRunner(
            build(self._service),
            # A client that goes away cancels its handler: see `speaking`.
            handler_cancellation=True,
            access_log=None,
            logger=connections.LOGGER,
            keepalive_timeout=options.keep_s,
            shutdown_timeout=options.end_s,
        )
        await self._runner.setup()
        assert self._runner.server is not None
        self._watch = asyncio.create_task(connections.watch(self._runner.server, self._service))
        for bound in sockets:
            site = web.SockSite(self._runner, bound)
            await site.start()
            self._sites.append(site)
            name, number = str(bound.getsockname()[0]), int(bound.getsockname()[1])
            self.addresses.append(f"http://{f'[{name}]' if ':' in name else name}:{number}")
            self.port = self.port or number
        _LOGGER.info("Listening on %s", ", ".join(self.addresses))
        if not (self._service.loopback or options.token or options.only_from):
            _LOGGER.warning(
                "Whoever can reach %s may speak there%s: set http.token in the settings, or listen on localhost alone",
                ", ".join(self.addresses),
                ", and add and delete voices" if options.max_upload_bytes else "",
            )

    def speak_with(
        self, source: SpeechSource, desk: Desk | None = None, models: Sequence[str] = ()
    ) -> None:
        """From now on there is speech.

        Args:
            source: who speaks.
            desk: who takes recordings in; None: they are refused.
            models: names of the models that may be used.
        """
        assert self._runner is not None
        self._service.use(source, desk, models)
        source.observe(self._runner.app[metrics.METRICS].count)

    async def stop(self, grace_s: float = 5.0) -> None:
        """Stops listening, lets what is being spoken end within the grace time, then breaks it off."""
        if self._runner is None:
            return
        self._service.reason = "The server is shutting down."
        for site in self._sites:
            await site.stop()
        end_s = self._service.options.end_s
        with contextlib.suppress(asyncio.TimeoutError):
            await within(self._service.silent.wait(), max(0.0, grace_s - 2 * end_s))
        self._service.stopping = True
        closing: list[Any] = [
            socket.close(code=WSCloseCode.GOING_AWAY, message=b"The server is shutting down.")
            for socket in list(self._service.websockets)
        ]
        if closing:
            await asyncio.wait([asyncio.ensure_future(one) for one in closing], timeout=end_s)
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait((self._watch,))
        await self._runner.cleanup()
        self._runner = None


def build(service: Service) -> web.Application:
    """The application with all its paths."""
    app = web.Application(
        middlewares=[connections.note, guards.errors_become_json, guards.only_the_welcome],
        client_max_size=service.options.max_body_bytes,
    )
    app[SERVICE] = service
    app[metrics.METRICS] = metrics.Metrics(service)
    app.on_response_prepare.append(guards.add_headers)
    router = app.router
    router.add_get("/health", metrics.health)
    router.add_get("/metrics", metrics.metrics)
    router.add_post("/tts", tts.tts)
    router.add_get("/ws", websocket.websocket, allow_head=False)
    router.add_post("/v1/audio/speech", openai.speech)
    router.add_get("/v1/audio/voices", openai.voices)
    router.add_get("/v1/models", openai.models)
    router.add_get("/v1/models/{name}", openai.model)
    router.add_get("/api/info", voices.info)
    router.add_post("/api/recordings", voices.bring)
    router.add_post("/api/recordings/{guest}/keep", voices.keep)
    router.add_delete("/api/recordings/{guest}", voices.dismiss)
    router.add_delete("/api/voices/{name}", voices.delete)
    page.add_page(router)
    for resource in list(router.resources()):
        methods = {route.method for route in resource} | {"OPTIONS"}
        resource.add_route("OPTIONS", _options_of(", ".join(sorted(methods))))  # type: ignore[attr-defined]
    return app


def _options_of(methods: str) -> Any:
    async def options(request: web.Request) -> web.Response:
        return web.Response(status=204, headers={"Allow": methods})

    return options
