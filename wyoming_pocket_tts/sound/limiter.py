"""Louder or quieter, and never beyond full scale, while the speech is still coming.

A look-ahead limiter: the gain is decided for blocks of 5 ms from the peaks of a block and of the one after it, runs straight from block
edge to block edge, falls at once when it must and rises again slowly. So peaks are rounded off without the rattle of clipping.

Source: the usual feed-forward design (Giannoulis, Massberg, Reiss, JAES 2012), on block peaks in place of samples.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]

CEILING = 0.98
"""Largest magnitude that leaves the limiter; a little below full scale, since a player's filter may overshoot."""

_BLOCK_S = 0.005
_RELEASE_S = 0.1


class Volume:
    """Gain and limiter for one request; it holds back up to two blocks until it knows what comes."""

    def __init__(self, volume_db: float, rate_hz: int) -> None:
        """
        Args:
            volume_db: the gain; 0 only limits.
            rate_hz: of the samples.
        """
        self._gain = np.float32(10 ** (volume_db / 20))
        self._block = round(_BLOCK_S * rate_hz)
        self._release = 1 - float(np.exp(-_BLOCK_S / _RELEASE_S))
        self._ramp = (np.arange(self._block, dtype=np.float32) / self._block)[None]
        self._held = np.zeros(0, np.float32)  # begins with a block; already louder
        self._edge = 1.0  # the limiter's gain where it begins

    def feed(self, samples: Samples) -> Samples:
        """Takes samples [S]; gives those that are certain."""
        held = np.concatenate((self._held, samples * self._gain))
        blocks = len(held) // self._block - 1
        if blocks < 1:
            self._held = held
            return held[:0]
        ready = blocks * self._block
        self._held = held[ready:]
        return self._limited(held[: ready + self._block])

    def flush(self) -> Samples:
        """Silence follows: gives the rest."""
        length = len(self._held)
        whole = -(-length // self._block) * self._block
        padded = np.zeros(whole + self._block, np.float32)
        padded[:length] = self._held
        self._held = self._held[:0]
        return self._limited(padded)[:length]

    def _limited(self, samples: Samples) -> Samples:
        """All blocks of `samples` but the last, which only tells what comes."""
        blocks = samples.reshape(-1, self._block)
        peaks = np.abs(blocks).max(axis=1)
        if self._edge == 1.0 and peaks.max(initial=0.0) <= CEILING:
            return samples[: -self._block]
        allowed = np.minimum(1.0, CEILING / np.maximum(peaks, CEILING)).tolist()
        edges = [min(self._edge, allowed[0])]
        for here, after in itertools.pairwise(allowed):
            risen = edges[-1] + (1 - edges[-1]) * self._release
            edges.append(min(here, after, 1.0 if risen > 0.999 else risen))
        self._edge = edges[-1]
        gains = np.asarray(edges, np.float32)[:, None]
        limited = blocks[:-1] * (gains[:-1] + (gains[1:] - gains[:-1]) * self._ramp)
        # Rounding to float32 may miss the ceiling by its last bit.
        return np.clip(limited.reshape(-1), -CEILING, CEILING)
