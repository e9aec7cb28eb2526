"""One text being spoken for a caller who waits in a thread: the counterpart of `speaking` without an event loop.

The whole text is there from the beginning. Its segments go to the engine a few ahead of the one that is being heard, and all calls
share the engine's slots.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wyoming_pocket_tts.engine.sequence import (
    Sampling,
    SequenceResult,
    SequenceSpec,
    frame_limit,
    segment_seed,
)
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.engine.worker import EngineStopped, SegmentStream
from wyoming_pocket_tts.models.loading import LoadedModel
from wyoming_pocket_tts.tts.errors import ModelClosed, SpeechFailed

if TYPE_CHECKING:
    from wyoming_pocket_tts.engine.worker import Frame

# Segments that are generated before they are heard.
_AHEAD = 3
# How often a caller who may be stopped looks whether it was.
_LOOK_S = 0.05


@dataclass(frozen=True)
class Part:
    """A segment as the engine gets it.

    Attributes:
        tokens: of the prepared text; none: only the pause.
        short: its text has at most four words.
        characters: of the text it was made of.
        pause_ms: silence after it.
    """

    tokens: tuple[int, ...]
    short: bool
    characters: int
    pause_ms: int


@dataclass(frozen=True)
class PartEnd:
    """A segment has ended.

    Attributes:
        part: which one.
        result: how; None for a pause.
    """

    part: Part
    result: SequenceResult | None


class Speech:
    """A text on its way to sound; iterate over it once.

    Gives frames [S] float32, and a `PartEnd` after those of each segment. Leaving the iterator frees its slots.

    Attributes:
        parts: the segments, in order.
    """

    def __init__(
        self,
        model: LoadedModel,
        voice: VoiceState,
        parts: Sequence[Part],
        sampling: Callable[[bool], Sampling],
        seed: int,
        *,
        request: str,
        stop: threading.Event | None = None,
    ) -> None:
        """Starts nothing yet.

        Args:
            model: what speaks.
            voice: whose voice.
            parts: the segments.
            sampling: how a segment is sampled, by whether its text is short.
            seed: of the whole text.
            request: a name that no other call has, by which slots are shared.
            stop: ends the speech once it is set.
        """
        self.parts = tuple(parts)
        self._model = model
        self._voice = voice
        self._sampling = sampling
        self._seed = seed
        self._request = request
        self._stop = stop
        self._submitted = 0

    def __iter__(self) -> Iterator[Frame | PartEnd]:
        ahead: deque[tuple[Part, SegmentStream | None]] = deque()
        waiting = deque(self.parts)
        try:
            while ahead or waiting:
                while waiting and len(ahead) <= _AHEAD:
                    part = waiting.popleft()
                    ahead.append((part, self._submit(part)))
                part, stream = ahead[0]
                if stream is not None:
                    yield from self._frames(stream)
                if self._stopped:
                    return
                yield PartEnd(part, stream.result if stream is not None else None)
                ahead.popleft()
        except EngineStopped as error:
            raise ModelClosed("The model has been closed; load it again to speak.") from error
        finally:
            for _, stream in ahead:
                if stream is not None:
                    stream.close()

    @property
    def _stopped(self) -> bool:
        return self._stop is not None and self._stop.is_set()

    def _frames(self, stream: SegmentStream) -> Iterator[Frame]:
        stream.make_urgent()
        timeout_s = None if self._stop is None else _LOOK_S
        while not self._stopped:
            try:
                frame = stream.next_frame(timeout_s)
            except TimeoutError:
                continue
            except EngineStopped:
                raise
            except Exception as error:
                raise SpeechFailed(f"The engine could not speak a segment: {error}.") from error
            if frame is None:
                return
            yield frame

    def _submit(self, part: Part) -> SegmentStream | None:
        if not part.tokens:
            return None
        spec = SequenceSpec(
            tokens=part.tokens,
            voice=self._voice,
            sampling=self._sampling(part.short),
            seed=segment_seed(self._seed, self._submitted),
            max_frames=frame_limit(len(part.tokens), self._model.entry.config.mimi.frame_rate),
            request=self._request,
        )
        self._submitted += 1
        return self._model.worker.submit(spec)
