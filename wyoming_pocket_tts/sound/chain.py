"""From the model's frames to the bytes of a request: rate, volume, pauses, silence before and after.

With nothing chosen, samples pass through untouched. Runs on the event loop: a frame of 80 ms costs well under a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wyoming_pocket_tts.audio import silence, to_s16le
from wyoming_pocket_tts.sound.limiter import Volume
from wyoming_pocket_tts.sound.options import SoundOptions
from wyoming_pocket_tts.sound.tempo import TimeStretch


class SoundChain:
    """The sound of one request, segment by segment. All methods give pieces of 16-bit PCM, none at times."""

    def __init__(self, options: SoundOptions, rate_hz: int) -> None:
        self._options = options
        self._rate_hz = rate_hz
        self._stretch: TimeStretch | None = None
        self._volume = Volume(options.volume_db, rate_hz) if options.volume_db else None
        self._begun = False

    def add(self, samples: NDArray[np.float32]) -> Iterator[bytes]:
        """The next samples [S] of a segment."""
        if self._options.speed != 1:
            if self._stretch is None:
                self._stretch = TimeStretch(self._options.speed, self._rate_hz)
            samples = self._stretch.feed(samples)
        if self._volume is not None:
            samples = self._volume.feed(samples)
        yield from self._out(samples)

    def end_segment(self, pause_ms: int = 0) -> Iterator[bytes]:
        """A segment has ended; the pause after it keeps its length at any rate."""
        if self._stretch is not None:
            rest = self._stretch.flush()
            self._stretch = None
            yield from self._out(rest if self._volume is None else self._volume.feed(rest))
        if pause_ms:
            yield from self._settle()
            yield from self._silence(pause_ms)

    def end(self) -> Iterator[bytes]:
        """The request has ended."""
        yield from self._settle()
        if self._begun:
            yield from silence(self._options.tail_silence_ms, self._rate_hz)

    def _settle(self) -> Iterator[bytes]:
        """What the limiter holds back."""
        if self._volume is not None:
            yield from self._out(self._volume.flush())

    def _out(self, samples: NDArray[np.float32]) -> Iterator[bytes]:
        if len(samples):
            yield from self._lead()
            yield to_s16le(samples)

    def _silence(self, duration_ms: int) -> Iterator[bytes]:
        yield from self._lead()
        yield from silence(duration_ms, self._rate_hz)

    def _lead(self) -> Iterator[bytes]:
        """Not before the first sound: a request that turns out to say nothing gives none."""
        if not self._begun:
            self._begun = True
            yield from silence(self._options.lead_silence_ms, self._rate_hz)
