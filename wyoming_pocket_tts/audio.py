"""PCM: float frames to the bytes that go over the wire."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_FULL_SCALE = 32767.0
_MAX_SILENCE_MS = 500


def to_s16le(frame: NDArray[np.float32]) -> bytes:
    """Converts samples around [-1, 1] to signed 16-bit little-endian PCM; what is outside is clipped.

    The model's output is not normalised and may go beyond full scale; wrapping around would be a loud click.
    """
    scaled = np.rint(np.clip(frame, -1.0, 1.0) * _FULL_SCALE)
    return bytes(scaled.astype("<i2").data)


def silence(samples: int, rate_hz: int) -> Iterator[bytes]:
    """16-bit mono silence of exactly that length, in pieces of at most half a second."""
    piece = _MAX_SILENCE_MS * rate_hz // 1000
    while samples > 0:
        taken = min(piece, samples)
        yield bytes(2 * taken)
        samples -= taken
