"""A form with parts, read part by part: texts at once and quickly, a recording when there is room for one more.

Whoever sends a recording slowly keeps others from sending theirs, and nobody from sending a text. Source: RFC 7578.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeVar

import aiohttp
from aiohttp import web

from wyoming_pocket_tts.errors import InvalidRequest
from wyoming_pocket_tts.http_server.answers import Refused
from wyoming_pocket_tts.http_server.service import service_of
from wyoming_pocket_tts.waiting import within

T = TypeVar("T")

_BLOCK_BYTES = 64 * 1024
# What a part costs beside its text, so that many empty ones are too many as well.
_PART_BYTES = 100
_AS_IT_IS = ("", "binary", "8bit", "7bit")


@dataclass(frozen=True)
class Upload:
    """A file in a form."""

    content: bytes


def too_large(limit: int) -> Refused:
    return Refused(
        "too-large", f"The request is larger than the {limit // 1024} KiB that are taken."
    )


async def in_time(reading: Awaitable[T], seconds: float) -> T:
    """
    Raises:
        Refused: it took too long.
    """
    try:
        return await within(reading, seconds)
    except asyncio.TimeoutError as error:
        raise Refused("timeout", "The request's body did not come in time.") from error


class PartsReader:
    """Reads one form."""

    def __init__(self, request: web.Request, room: contextlib.AsyncExitStack) -> None:
        """
        Args:
            request: whose body is the form.
            room: keeps the room for a recording, until it is closed.
        """
        self._request = request
        self._service = service_of(request)
        self._options = self._service.options
        self._room = room
        self._has_room = False
        self._left_bytes = self._options.max_body_bytes
        self._uploads_left_bytes = self._options.max_upload_bytes
        self._end_s = self._now() + self._options.form_s

    async def read(self) -> dict[str, str | Upload]:
        """The fields, of several with one name the first.

        Raises:
            Refused: too large, or too slow.
            InvalidRequest, ValueError, LookupError, ...: damaged.
        """
        found: dict[str, str | Upload] = {}
        reader = await self._request.multipart()
        while (part := await self._soon(reader.next())) is not None:
            if not isinstance(part, aiohttp.BodyPartReader) or not part.name:
                raise InvalidRequest("Each part of the form needs a name, and holds one field.")
            encoding = part.headers.get("Content-Transfer-Encoding", "").strip().lower()
            if encoding not in _AS_IT_IS or "Content-Encoding" in part.headers:
                raise InvalidRequest(f"{part.name[:50]!r} must be sent without an encoding.")
            self._left_bytes -= _PART_BYTES + len(part.name)
            if part.filename is not None:
                found.setdefault(part.name, await self._upload(part))
            else:
                charset = part.get_charset(default="utf-8")
                found.setdefault(part.name, bytes(await self._text(part)).decode(charset))
        return found

    async def _text(self, part: aiohttp.BodyPartReader) -> bytearray:
        content = bytearray()
        while not part.at_eof():
            block = await self._soon(part.read_chunk(_BLOCK_BYTES))
            self._left_bytes -= len(block)
            if self._left_bytes < 0:
                raise too_large(self._options.max_body_bytes)
            content += block
        return content

    async def _upload(self, part: aiohttp.BodyPartReader) -> Upload:
        if not self._has_room:
            await self._room.enter_async_context(self._service.uploads)
            self._has_room = True
            self._end_s = self._now() + self._options.upload_s
        content = bytearray()
        while not part.at_eof():
            content += (block := await self._soon(part.read_chunk(_BLOCK_BYTES)))
            # Where no recordings are taken, small ones are read all the same: the handler says why not.
            self._uploads_left_bytes -= len(block)
            if self._uploads_left_bytes + max(0, self._left_bytes) < 0:
                raise too_large(self._options.max_body_bytes + self._options.max_upload_bytes)
        return Upload(bytes(content))

    async def _soon(self, reading: Awaitable[T]) -> T:
        """Waits for the next piece: not long, and not beyond the end."""
        return await in_time(
            reading, max(0.0, min(self._options.form_s, self._end_s - self._now()))
        )

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
