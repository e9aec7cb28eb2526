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

Samples = NDArray[np.float32]

# A segment that ends louder than this (-50 dBFS) would end with a click: its last sample sinks to 0 over what follows it.
_AUDIBLE_STEP = 0.003
_SINK_S = 0.005


class SoundChain:
    """The sound of one request, segment by segment. All methods give pieces of 16-bit PCM, none at times."""

    def __init__(self, options: SoundOptions, rate_hz: int) -> None:
        self._options = options
        self._rate_hz = rate_hz
        self._stretch: TimeStretch | None = None
        self._volume = Volume(options.volume_db, rate_hz) if options.volume_db else None
        self._last = 0.0  # the sample before the next one
        self._sinking = np.zeros(0, np.float32)  # to be added to what comes next
        self._begun = False

    def add(self, samples: Samples) -> Iterator[bytes]:
        """The next samples [S] of a segment."""
        if self._options.speed != 1:
            if self._stretch is None:
                self._stretch = TimeStretch(self._options.speed, self._rate_hz)
            samples = self._stretch.feed(samples)
        return self._join(samples)

    def end_segment(self, pause_ms: int = 0) -> Iterator[bytes]:
        """A segment has ended; the pause after it keeps its length at any rate."""
        if self._stretch is not None:
            rest = self._stretch.flush()
            self._stretch = None
            yield from self._join(rest)
        if abs(self._last) > _AUDIBLE_STEP:
            ramp = np.linspace(1, 0, round(_SINK_S * self._rate_hz), dtype=np.float32)
            self._sinking = np.float32(self._last) * ramp
        self._last = 0.0
        if pause_ms:
            yield from self._pause(self._samples(pause_ms))

    def end(self) -> Iterator[bytes]:
        """The request has ended."""
        if self._begun or self._volume is not None:
            tail = self._samples(self._options.tail_silence_ms)
            yield from self._pause(tail if self._begun else 0)

    def _samples(self, duration_ms: int) -> int:
        return round(duration_ms * self._rate_hz / 1000)

    def _join(self, samples: Samples) -> Iterator[bytes]:
        """Samples that follow those there were, whatever became of the segment before."""
        if len(self._sinking) and len(samples):
            samples = samples.copy()
            over = min(len(self._sinking), len(samples))
            samples[:over] += self._sinking[:over]
            self._sinking = self._sinking[over:]
        if len(samples):
            self._last = float(samples[-1])
        yield from self._out(samples if self._volume is None else self._volume.feed(samples))

    def _pause(self, samples: int) -> Iterator[bytes]:
        """Silence, but for what still sinks."""
        over = min(len(self._sinking), samples)
        yield from self._join(np.zeros(over, np.float32))
        self._last = 0.0
        if self._volume is not None:
            yield from self._out(self._volume.flush())
        if samples:
            yield from self._lead()
            yield from silence(samples - over, self._rate_hz)

    def _out(self, samples: Samples) -> Iterator[bytes]:
        if len(samples):
            yield from self._lead()
            yield to_s16le(samples)

    def _lead(self) -> Iterator[bytes]:
        """Not before the first sound: a request that turns out to say nothing gives none."""
        if not self._begun:
            self._begun = True
            yield from silence(self._samples(self._options.lead_silence_ms), self._rate_hz)
