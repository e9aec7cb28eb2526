"""One request being spoken: text comes in, segments are generated ahead, frames go out in order.

It belongs to one request and one loaded model; which model and voice those are, and whether there is room for the request at all, is the
synthesizer's business.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterator
from dataclasses import dataclass

from wyoming_pocket_tts.engine.sequence import SequenceSpec, frame_limit, segment_seed
from wyoming_pocket_tts.engine.worker import SegmentStream
from wyoming_pocket_tts.errors import NothingToSay, TextTooLong
from wyoming_pocket_tts.models.host import Speaker
from wyoming_pocket_tts.report import Report
from wyoming_pocket_tts.sound.chain import SoundChain
from wyoming_pocket_tts.speech import AudioFormat, AudioFrame, SpeechRequest
from wyoming_pocket_tts.text.front_end import FrontEnd
from wyoming_pocket_tts.text.segment import Segment

# A text is prepared in parts of so many characters, some milliseconds each, with a turn for others between them.
_SLICE_CHARACTERS = 200


@dataclass(frozen=True)
class SynthesizerLimits:
    """What one server takes on.

    Attributes:
        max_text_characters: longest text of one request.
        max_requests: requests at the same time, speaking or waiting; one more is `Busy`.
        segments_ahead: segments of one request that are generated before they are heard. Together with the one being
            heard they bound what a listener who does not listen can make the server hold.
    """

    max_text_characters: int = 20_000
    max_requests: int = 40
    segments_ahead: int = 3


def check_length(characters: int, limits: SynthesizerLimits) -> None:
    """Refuses a text over the limit.

    Raises:
        TextTooLong: it is.
    """
    most = limits.max_text_characters
    if characters > most:
        raise TextTooLong(
            f"The text has more than {most} characters, the limit of this server; send it in parts."
        )


class Speech:
    """One request being spoken: text comes in, segments are generated ahead, frames go out in order."""

    def __init__(
        self,
        request: SpeechRequest,
        speaker: Speaker,
        front_end: FrontEnd,
        sound: SoundChain,
        limits: SynthesizerLimits,
        seed: int | None,
        report: Report,
    ) -> None:
        self._request = request
        self._speaker = speaker
        self._front_end = front_end
        self._sound = sound
        self._limits = limits
        self._report = report
        self._format = AudioFormat(speaker.model.sample_rate_hz)
        self._seed = _choose_seed(request.seed, seed)
        self._submitted = 0
        self._text: asyncio.Queue[Segment | Exception | None] = asyncio.Queue()
        self._text_ended = False
        # Segments that were handed to the engine, the one being heard first.
        self._ahead: deque[tuple[Segment, SegmentStream | None]] = deque()

    async def frames(self) -> AsyncGenerator[AudioFrame, None]:
        """The request's audio."""
        reader = asyncio.create_task(self._read_text())
        try:
            while await self._next_segment():
                segment, stream = self._ahead[0]
                if stream is not None:
                    async for frame in stream:
                        self._submit_ahead()
                        for pcm in self._sound.add(frame):
                            yield self._frame(pcm)
                    self._report.count(stream.result)
                for pcm in self._sound.end_segment(segment.pause_ms):
                    yield self._frame(pcm)
                self._ahead.popleft()
            for pcm in self._sound.end():
                yield self._frame(pcm)
            if not self._report.audible:
                raise NothingToSay("The text holds nothing that can be spoken.")
        finally:
            for _, stream in self._ahead:
                if stream is not None:
                    stream.close()
            reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reader

    def _frame(self, pcm: bytes) -> AudioFrame:
        self._report.sounded(len(pcm), self._format)
        return AudioFrame(pcm, self._format)

    async def _next_segment(self) -> bool:
        """Waits until there is a segment to be heard; False at the end of the text."""
        self._submit_ahead()
        while not self._ahead:
            if self._text_ended:
                return False
            self._take(await self._text.get())
            self._submit_ahead()
        return True

    def _submit_ahead(self) -> None:
        """Hands segments that have come to the engine, as many as may be generated ahead."""
        while len(self._ahead) <= self._limits.segments_ahead:
            try:
                self._take(self._text.get_nowait())
            except asyncio.QueueEmpty:
                return

    def _take(self, item: Segment | Exception | None) -> None:
        if isinstance(item, Exception):
            raise item
        if item is None:
            self._text_ended = True
        else:
            self._ahead.append((item, self._submit(item)))

    def _submit(self, segment: Segment) -> SegmentStream | None:
        """Starts generating a segment; None when there is nothing in it to be spoken."""
        model = self._speaker.model
        prepared = self._front_end.prepare(segment)
        if not prepared.text:
            return None
        tokens = model.tokenizer.encode(prepared.text)
        if not tokens:
            return None
        frame_rate_hz = model.entry.config.mimi.frame_rate
        spec = SequenceSpec(
            tokens=tuple(tokens),
            voice=self._speaker.voice,
            sampling=model.sampling(prepared.short),
            seed=segment_seed(self._seed, self._submitted),
            max_frames=frame_limit(len(tokens), frame_rate_hz),
            request=self._request.request_id,
        )
        self._submitted += 1
        stream = model.worker.submit(spec)
        if not self._ahead:
            stream.make_urgent()
        return stream

    def _put(self, segments: list[Segment]) -> None:
        for segment in segments:
            self._text.put_nowait(segment)

    async def _read_text(self) -> None:
        """Turns the request's text into segments as it comes; an error of the text ends up in the queue."""
        try:
            pieces = _with_idle(self._request.text, self._front_end.idle_flush_s)
            async with contextlib.aclosing(pieces):
                async for piece in pieces:
                    if piece is None:
                        self._put(self._front_end.idle())
                        continue
                    self._report.heard(len(piece))
                    check_length(self._report.characters, self._limits)
                    for part in _slices(piece):
                        self._put(self._front_end.feed(part))
                        # Others have their turn: a long text takes longer to prepare than anybody should wait.
                        await asyncio.sleep(0)
            self._put(self._front_end.flush())
            self._text.put_nowait(None)
        except Exception as error:
            self._text.put_nowait(error)


def _slices(piece: str) -> Iterator[str]:
    """The piece in parts; the segments do not depend on how a text is cut."""
    for start in range(0, len(piece), _SLICE_CHARACTERS):
        yield piece[start : start + _SLICE_CHARACTERS]


async def _with_idle(
    text: str | AsyncIterable[str], idle_s: float
) -> AsyncGenerator[str | None, None]:
    """The pieces of a text, and one None whenever no piece has come for `idle_s`."""
    if isinstance(text, str):
        yield text
        return
    pieces = aiter(text)
    pending: asyncio.Task[str] | None = None
    try:
        while True:
            pending = asyncio.ensure_future(_anext(pieces))
            done, _ = await asyncio.wait([pending], timeout=idle_s)
            if not done:
                yield None
                await asyncio.wait([pending])
            try:
                piece = pending.result()
            except StopAsyncIteration:
                return
            yield piece
    finally:
        if pending is not None:
            if not pending.done():
                pending.cancel()
                await asyncio.wait([pending])
            # A request that is cancelled in the moment in which its text ends leaves an outcome that nobody has looked at;
            # asyncio would report that as a fault.
            if not pending.cancelled():
                pending.exception()
        close = getattr(pieces, "aclose", None)
        if close is not None:
            await close()


async def _anext(pieces: AsyncIterator[str]) -> str:
    return await anext(pieces)


def _choose_seed(*seeds: int | None) -> int:
    return next((seed for seed in seeds if seed is not None), secrets.randbits(62))
