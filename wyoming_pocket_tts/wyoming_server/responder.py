"""Speaks the requests of one connection, one after the other: the synthesizer's frames become audio events.

A task of its own, so that reading goes on beside it. Knows nothing of the events that clients send.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Protocol

from wyoming_pocket_tts.errors import InternalError, NothingToSay, PocketTTSError
from wyoming_pocket_tts.speech import AudioFormat, AudioFrame, SpeechRequest, VoiceInfo
from wyoming_pocket_tts.wyoming_server.audio import AudioWriter
from wyoming_pocket_tts.wyoming_server.events import encode_event
from wyoming_pocket_tts.wyoming_server.link import Link
from wyoming_pocket_tts.wyoming_server.options import WyomingOptions
from wyoming_pocket_tts.wyoming_server.request import Job

_log = logging.getLogger(__name__)

# The format of the silence for a text that has nothing to say, where the synthesizer names none.
_SILENCE_FORMAT = AudioFormat(rate_hz=24_000)
_PROBE_INTERVAL_S = 0.2
_INTERNAL = "The server failed to make this speech. Its log says more."


class SpeechSource(Protocol):
    """All that the Wyoming server knows of the synthesizer."""

    def voices(self) -> Sequence[VoiceInfo]:
        """The voices to show, in a stable order."""

    def check(self, request: SpeechRequest) -> AudioFormat:
        """Resolves the voice, or raises; never blocks."""

    def generate_audio_stream(self, request: SpeechRequest) -> AsyncIterator[AudioFrame]:
        """An async generator of the request's audio; closing it frees all that it holds."""


class Responder:
    """The queue of one connection and the task that works it off.

    Args:
        synthesizer: who speaks.
        link: where the audio goes.
        options: limits.
        failed: called when a request has failed; `mid_audio` says whether the client has begun to hear it. Must end the
            connection, with `cancel` among other things.
        idle: called when nothing is left to speak.
    """

    def __init__(
        self,
        synthesizer: SpeechSource,
        link: Link,
        options: WyomingOptions,
        *,
        failed: Callable[[PocketTTSError], None],
        idle: Callable[[], None],
    ) -> None:
        self.current: Job | None = None
        self._synthesizer = synthesizer
        self._link = link
        self._options = options
        self._failed = failed
        self._idle = idle
        self._jobs: deque[Job] = deque()
        self._audio: AudioWriter | None = None
        self._task: asyncio.Task[None] | None = None
        self._cancelled = False
        self._probed_at_bytes = 0

    @property
    def busy(self) -> bool:
        """Whether anything is being spoken or waits for it."""
        return self.current is not None or bool(self._jobs)

    @property
    def waiting(self) -> int:
        """Requests behind the one being spoken."""
        return len(self._jobs)

    @property
    def mid_audio(self) -> bool:
        """Whether the client has been told that audio begins, and not that it ended."""
        return self._audio is not None and self._audio.started and not self._audio.stopped

    def add(self, job: Job) -> None:
        """Queues a request."""
        self._jobs.append(job)
        if not self._cancelled and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._run())

    def probe(self) -> None:
        """Keeps finding out whether a peer that has ended its sending still listens, for as long as there is work.

        Closed or only half-closed looks the same until something is written: a closed peer answers that with a reset, which
        the link sees. Where no audio is ready, something without effect is written, so that a request is given up also
        while it waits.
        """
        if not self.busy or self._cancelled:
            return
        if self._audio is not None and not self._audio.stopped:
            if self._link.written_bytes == self._probed_at_bytes or not self._audio.started:
                self._audio.probe()
            self._probed_at_bytes = self._link.written_bytes
        asyncio.get_running_loop().call_later(_PROBE_INTERVAL_S, self.probe)

    def cancel(self) -> None:
        """Drops everything; the generator of the current request is closed at once. For good."""
        if self._cancelled:
            return  # a second cancellation would break off the generator's own tidying up
        self._cancelled = True
        while self._jobs:
            self._jobs.popleft().close()
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()

    async def wait(self) -> None:
        """Returns when the task has ended. Raises nothing."""
        if self._task is not None:
            await asyncio.wait((self._task,))

    async def _run(self) -> None:
        while self._jobs:
            job = self.current = self._jobs.popleft()
            try:
                await self._speak(job)
            except PocketTTSError as error:
                self._failed(error)
            except asyncio.CancelledError:
                if not self._cancelled:  # not ours: the client must not be left waiting
                    self._failed(InternalError(_INTERNAL))
                raise
            except Exception as error:
                self._report("A request failed", error)
                self._failed(InternalError(_INTERNAL))
            finally:
                self.current = self._audio = None
                job.close()
        self._idle()

    async def _speak(self, job: Job) -> None:
        try:
            if job.error is not None:
                raise job.error
            audio_format = self._synthesizer.check(job.request)
        except NothingToSay:
            audio = self._begin(_SILENCE_FORMAT)
        except PocketTTSError as error:
            _log_refusal(job, error)
            raise
        else:
            audio = self._begin(audio_format)
            await self._generate(job.request, audio)
        if audio.silent:
            audio.silence(self._options.silence_ms)
        audio.stop()
        if job.streamed:
            self._link.write(encode_event("synthesize-stopped"))
        await self._link.drain()

    def _begin(self, audio_format: AudioFormat) -> AudioWriter:
        self._audio = AudioWriter(self._link.write, audio_format, self._options.chunk_ms)
        return self._audio

    async def _generate(self, request: SpeechRequest, audio: AudioWriter) -> None:
        frames = self._synthesizer.generate_audio_stream(request)
        try:
            async for frame in frames:
                if frame.format != audio.format:
                    raise InternalError("The voice's audio changed its format.")
                audio.audio(frame.pcm)
                await self._link.drain()
                if self._cancelled or self._link.lost:
                    # A cancellation should have ended this before. Whatever swallowed it: nobody listens.
                    raise asyncio.CancelledError
        except NothingToSay:
            pass  # the caller adds silence where nothing has been heard
        finally:
            await self._close(frames)

    async def _close(self, frames: AsyncIterator[AudioFrame]) -> None:
        close = getattr(frames, "aclose", None)
        if close is not None:
            try:
                await close()
            except Exception as error:
                self._report("Ending a request failed", error)

    def _report(self, what: str, error: Exception) -> None:
        """One line for the log. The message of a foreign error may hold the text, so it is for DEBUG alone."""
        _log.warning("%s (%s): %s", what, self._link.peer, type(error).__name__)
        _log.debug("%s: details", what, exc_info=error)


def _log_refusal(job: Job, error: PocketTTSError) -> None:
    """The line of a request that never got as far as the synthesizer, which logs all others.

    Clients that do not know `error` show nothing of the reason: then this is the only place that names it.
    """
    _log.info(
        "Request",
        extra={
            "request": job.request.request_id,
            "voice": (job.request.voice or "")[:100],
            "outcome": error.code,
            "reason": str(error),
        },
    )
