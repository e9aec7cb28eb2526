"""A request's audio as the body of an answer, sent as it is made.

The first frame is awaited before the answer begins: until then an error still has a status of its own. Whoever goes away cancels the handler,
which closes the iterator and so frees the slot. Whoever reads slowly is waited for.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from typing import Protocol, TypeVar

from aiohttp import web

from wyoming_pocket_tts.audio import wav_header
from wyoming_pocket_tts.errors import NothingToSay, PocketTTSError
from wyoming_pocket_tts.http_server.formats import Format
from wyoming_pocket_tts.http_server.service import Service, service_of
from wyoming_pocket_tts.speech import AudioFormat, AudioFrame, SpeechRequest
from wyoming_pocket_tts.waiting import within

T = TypeVar("T")


class Body(Protocol):
    """How audio is put into an answer."""

    content_type: str

    async def begin(self) -> bytes: ...

    async def add(self, pcm: bytes) -> bytes: ...

    async def end(self) -> bytes: ...

    def failed(self, request: web.Request, error: PocketTTSError) -> bytes | None:
        """What tells the client that there will be no more; None: only breaking off does."""


class FileBody:
    """The audio as a file of a format."""

    def __init__(self, chosen: Format, audio: AudioFormat) -> None:
        self.content_type = chosen.content_type
        encoder = chosen.make(audio)
        self.begin, self.add, self.end = encoder.begin, encoder.add, encoder.end

    def failed(self, request: web.Request, error: PocketTTSError) -> bytes | None:
        return None


@contextlib.asynccontextmanager
async def first_audio(
    service: Service, speech: SpeechRequest
) -> AsyncIterator[tuple[AudioFrame, AsyncGenerator[AudioFrame, None]]]:
    """A request that has begun to sound: its first frame, and the others.

    Raises:
        PocketTTSError: it cannot be spoken.
    """
    with service.answering():
        async with contextlib.aclosing(service.source.generate_audio_stream(speech)) as frames:
            try:
                first = await anext(frames)
            except StopAsyncIteration:
                raise NothingToSay("The text holds nothing that can be spoken.") from None
            yield first, frames


async def answer_streaming(
    request: web.Request, speech: SpeechRequest, body: Body
) -> web.StreamResponse:
    """Sends the audio as it is made."""
    service = service_of(request)
    async with first_audio(service, speech) as (first, frames):
        response = web.StreamResponse(headers=_headers(speech, body.content_type))
        await response.prepare(request)
        try:
            await _send(request, response, await body.begin() + await body.add(first.pcm))
            async for frame in frames:
                await _send(request, response, await body.add(frame.pcm))
            await _send(request, response, await body.end())
        except PocketTTSError as error:
            last = body.failed(request, error)
            if last is None:
                _break_off(request)
                return response
            await _send(request, response, last)
        except ConnectionResetError:
            return response
        await in_time(request, response.write_eof())
    return response


async def answer_whole(
    request: web.Request, speech: SpeechRequest, audio: AudioFormat
) -> web.StreamResponse:
    """Sends a WAV file once all of it is there, with its true length in the header."""
    pcm = bytearray()
    async with first_audio(service_of(request), speech) as (first, frames):
        pcm += first.pcm
        async for frame in frames:
            pcm += frame.pcm
    content = wav_header(audio.rate_hz, len(pcm) // audio.width_bytes) + pcm
    return web.Response(body=content, headers=_headers(speech, "audio/wav"))


def _headers(speech: SpeechRequest, content_type: str) -> dict[str, str]:
    return {
        "Content-Type": content_type,
        "X-Request-Id": speech.request_id,
        "X-Accel-Buffering": "no",  # for proxies that would otherwise collect it first
    }


async def _send(request: web.Request, response: web.StreamResponse, data: bytes) -> None:
    if data:
        await in_time(request, response.write(data))


async def in_time(request: web.Request, writing: Awaitable[T]) -> T:
    """Waits for a client that reads slowly, but not for ever for one that does not read.

    Raises:
        ConnectionResetError: it has not read for too long; the connection is closed.
    """
    try:
        return await within(writing, service_of(request).options.stalled_client_s)
    except asyncio.TimeoutError as error:
        if request.transport is not None:
            request.transport.abort()
        raise ConnectionResetError("The client has stopped reading.") from error


def _break_off(request: web.Request) -> None:
    """Ends the connection without the mark that ends an answer: what the client has is not the whole, and worth hearing."""
    if request.transport is not None:
        request.transport.close()
