"""Speech faster or slower without a change of pitch, while it is still coming.

Waveform-similarity overlap-add (Verhelst and Roelands, ICASSP 1993): the output follows the input as it is for as long as it stays near
the place where it should be; then it moves, by a crossfade, to the place nearby where the waveform looks most like what would have come.
So pitch periods are left out or repeated whole. Moves of less than a pitch period are not made: they would bend the pitch.

What comes out depends on the samples alone, not on how they were cut into frames.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]

# Seconds. The search spans the period of a deep voice (62 Hz); the nearest move is the period of a high one.
_HOP_S = 0.015
_SEARCH_S = 0.008
_NEAREST_S = 0.0025
_TEMPLATE_S = 0.02
# Similarity is judged at about this rate first; the best place is then found to the sample.
_COARSE_HZ = 6000
_SILENCE = 1e-7


class TimeStretch:
    """Changes the rate of one stretch of speech; an object serves one: not to be used again after `flush`."""

    def __init__(self, speed: float, rate_hz: int) -> None:
        """
        Args:
            speed: above 1 is faster.
            rate_hz: of the samples.
        """
        self._speed = speed
        self._hop = round(_HOP_S * rate_hz)
        self._search = round(_SEARCH_S * rate_hz)
        self._nearest = round(_NEAREST_S * rate_hz)
        self._template = round(_TEMPLATE_S * rate_hz)
        # A hop is made only when a whole one is left for the end of the speech, which `flush` fades over to.
        self._two_hops = math.ceil(2 * self._hop * speed)
        # What `flush` may need of the past: the output still to come is longer than the input it is made of.
        self._past = round((self._template + self._search + self._two_hops) / min(1.0, speed))
        self._step = max(1, rate_hz // _COARSE_HZ)
        self._fade_in = _fade(self._hop)
        self._input = np.zeros(0, np.float32)
        self._begin = 0  # where in the whole input `_input` begins
        self._hops = 0
        self._next = 0  # where the input goes on that was written last

    def feed(self, samples: Samples) -> Samples:
        """Takes samples [S]; gives those that are certain, none at times."""
        self._input = np.concatenate((self._input, samples))
        pieces = []
        while True:
            aim = self._aim()
            ahead = max(aim + self._search, self._next) + self._template
            if max(ahead, aim + self._two_hops) > self._end:
                break
            pieces.append(self._one_hop(aim))
        oldest = min(self._next, self._aim() - self._search, self._end - self._past)
        kept = max(0, oldest - self._begin)
        self._input = self._input[kept:]
        self._begin += kept
        return _joined(pieces)

    def flush(self) -> Samples:
        """The speech has ended: gives the rest, which ends where the input ends."""
        total = round(self._end / self._speed)
        rest = min(total - self._hops * self._hop, self._end - self._begin)
        if rest <= 0:
            return np.zeros(0, np.float32)
        out = self._at(self._end - rest, rest).copy()
        overlap = min(self._hop, rest, self._end - self._next)
        if overlap > 0 and self._end - rest != self._next:
            fade_in = _fade(overlap)
            out[:overlap] *= fade_in
            out[:overlap] += self._at(self._next, overlap) * (1 - fade_in)
        return out

    @property
    def _end(self) -> int:
        return self._begin + len(self._input)

    def _aim(self) -> int:
        """Where in the input the next hop of the output should come from."""
        return int(self._hops * self._hop * self._speed + 0.5)

    def _at(self, place: int, length: int) -> Samples:
        start = place - self._begin
        return self._input[start : start + length]

    def _one_hop(self, aim: int) -> Samples:
        follows = self._at(self._next, self._hop)
        place = self._next
        if abs(place - aim) > self._search:
            place = self._most_similar(aim)
            follows = follows + self._fade_in * (self._at(place, self._hop) - follows)
        self._next = place + self._hop
        self._hops += 1
        return follows

    def _most_similar(self, aim: int) -> int:
        """The place around `aim`, a pitch period or more from where the input goes on, that looks most like it."""
        low, high = max(0, aim - self._search), aim + self._search
        if self._next < aim:
            low = max(low, self._next + self._nearest)
        else:
            high = min(high, self._next - self._nearest)
        # Copies in double precision: sums must not depend on where in memory the samples lie.
        wanted = self._at(self._next, self._template).astype(np.float64)
        region = self._at(low, high - low + self._template).astype(np.float64)
        coarse = self._step * _best(_thinned(region, self._step), _thinned(wanted, self._step))
        first = max(0, coarse - self._step)
        last = min(high - low, coarse + self._step)
        return low + first + _best(region[first : last + self._template], wanted)


def _best(region: NDArray[np.float64], wanted: NDArray[np.float64]) -> int:
    """Where in `region` the normalised correlation with `wanted` is largest."""
    products = np.correlate(region, wanted, "valid")
    sums = np.concatenate(([0.0], np.cumsum(region * region)))
    energies = sums[len(wanted) :] - sums[: -len(wanted)]
    return int(np.argmax(products / np.sqrt(np.maximum(energies, _SILENCE))))


def _thinned(samples: NDArray[np.float64], step: int) -> NDArray[np.float64]:
    """Means of `step` samples each."""
    whole = len(samples) // step * step
    thinned: NDArray[np.float64] = samples[:whole].reshape(-1, step).mean(axis=1)
    return thinned


def _fade(length: int) -> Samples:
    """From 0 to 1 as a raised cosine; with its reverse it adds up to 1."""
    return (0.5 - 0.5 * np.cos(np.pi * (np.arange(length) + 0.5) / length)).astype(np.float32)


def _joined(pieces: list[Samples]) -> Samples:
    if len(pieces) == 1:
        return pieces[0]
    return np.concatenate(pieces) if pieces else np.zeros(0, np.float32)
