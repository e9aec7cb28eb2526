"""Connections that ask for nothing: half a head, or nothing at all. They are closed, so that others find room. What is no HTTP is told in a line.

aiohttp closes a connection that is kept after a request (`keepalive_timeout`); a new one it lets send its first head for as long.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.typedefs import Handler

from wyoming_pocket_tts.http_server.service import Service, service_of

# How many connections without a request there may be for each place that a request may have.
_IDLE_PER_PLACE = 4
_MOST_PAUSE_S = 1.0


# For aiohttp.
LOGGER = logging.getLogger(__name__)


class _NotHttp(logging.Filter):
    """aiohttp logs what it cannot parse as an error, with a traceback and the bytes that came: anybody's to send, and perhaps a secret."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if not isinstance(error, HttpProcessingError):
            return True
        record.levelno, record.levelname = logging.INFO, "INFO"
        record.msg, record.exc_info = "What %s sent is not HTTP, and was refused", None
        return LOGGER.isEnabledFor(logging.INFO)


LOGGER.addFilter(_NotHttp())


@web.middleware
async def note(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Remembers which connections have a request that is being answered."""
    service, protocol = service_of(request), request.protocol
    service.asked.add(protocol)
    service.working.add(protocol)
    try:
        return await handler(request)
    finally:
        service.working.discard(protocol)


async def watch(server: web.Server, service: Service) -> None:
    """Never ends: closes those that have taken too long, and the oldest of too many."""
    options = service.options
    loop = asyncio.get_running_loop()
    since: dict[Any, float] = {}
    asked: set[Any] = set()
    while True:
        await asyncio.sleep(min(_MOST_PAUSE_S, options.head_s / 4))
        now = loop.time()
        there = list(server.connections)
        asked = {one for one in there if one in asked or one in service.asked}
        service.asked.clear()
        since = {one: since.get(one, now) for one in there if one not in service.working}
        oldest = sorted(since, key=since.__getitem__)
        too_many = len(oldest) - _IDLE_PER_PLACE * options.max_connections
        for place, one in enumerate(oldest):
            if place < too_many or (one not in asked and now - since[one] >= options.head_s):
                one.force_close()
