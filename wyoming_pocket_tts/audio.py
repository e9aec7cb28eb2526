"""PCM: float frames to the bytes that go over the wire, and the header that makes a WAV of them."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_FULL_SCALE = 32767.0
_MAX_SILENCE_MS = 500
# RIFF sizes have 32 bits; all of them set is what players take for "until the end".
_UNKNOWN_BYTES = 0xFFFF_FFFF
_WAV_HEADER_BYTES = 44
_PCM = 1


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


def wav_header(rate_hz: int, samples: int | None = None) -> bytes:
    """The 44 bytes before 16-bit mono PCM.

    Args:
        rate_hz: samples per second.
        samples: how many follow; None where that is not known yet, for a stream.
    """
    length = _UNKNOWN_BYTES if samples is None else min(2 * samples, _UNKNOWN_BYTES)
    rest = min(length + _WAV_HEADER_BYTES - 8, _UNKNOWN_BYTES)
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", rest, b"WAVE"),
        *(b"fmt ", 16, _PCM, 1, rate_hz, 2 * rate_hz, 2, 16),
        *(b"data", length),
    )
