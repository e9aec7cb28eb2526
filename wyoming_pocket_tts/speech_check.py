"""Whether a sound is speech at all, or noise, a hum, a tone: judged by how its level moves, not by what is said.

    frames in which it is loud enough -> those of them around which the level moves as syllables make it move

Samples in, frames out; it refuses nothing (`prompts` does), and it cannot tell speech from a bell or a dog.

Source: our own measurements, which tests/unit/test_speech_check.py repeats: in every second of speech the level of 20 ms frames moves by 8 dB and
more, of steady noise by 2 or 3, of a chord by 4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wyoming_pocket_tts.prompt_sound import FRAME_S, Samples

# Where speech is, on a telephone too. Rumble and the mains' hum lie below it.
_BAND_HZ = (200.0, 3400.0)

_BLOCK_FRAMES = 50
_HOP_FRAMES = 25
_LEAST_FRAMES = 5
_LEAST_VARIATION_DB = 6.0
_TONE_SHARE = 0.9
_AT_ONCE_FRAMES = 256


def speech_frames(samples: Samples, rate_hz: int, active: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which of the active frames are speech.

    Args:
        samples: [S] float32, mono.
        rate_hz: samples per second.
        active: [F], one for each whole 20 ms frame: where it is loud enough.

    Returns:
        [F]; all False for steady sounds, and for one tone however it is switched.
    """
    speech = np.zeros_like(active)
    levels, tonal = _levels(samples, rate_hz, active)
    if tonal:
        return speech
    for start in range(0, max(1, len(active) - _HOP_FRAMES), _HOP_FRAMES):
        loud = np.flatnonzero(active[start : start + _BLOCK_FRAMES]) + start
        if len(loud) < _LEAST_FRAMES:
            continue
        # Pauses between what is loud count, those around it do not: noise that is switched on would pass for a syllable.
        low, high = np.percentile(levels[loud[0] : loud[-1] + 1], (10, 90))
        if high - low >= _LEAST_VARIATION_DB:
            speech[loud] = True
    return speech


def _levels(
    samples: Samples, rate_hz: int, active: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], bool]:
    """Level of each frame in dB, in the band of speech; and whether nearly all that is active is one line of the spectrum."""
    frame = max(1, int(FRAME_S * rate_hz))
    frequencies = np.fft.rfftfreq(frame, 1 / rate_hz)
    band = (frequencies >= _BAND_HZ[0]) & (frequencies <= _BAND_HZ[1])
    window = np.hanning(frame)
    levels = np.zeros(len(active))
    spectrum = np.zeros(int(band.sum()))
    for start in range(0, len(active), _AT_ONCE_FRAMES):
        end = min(start + _AT_ONCE_FRAMES, len(active))
        rows = samples[start * frame : end * frame].reshape(-1, frame) * window
        powers = np.square(np.abs(np.fft.rfft(rows, axis=1)[:, band])) / frame**2
        # Room noise is mostly low: weighted so, it is as many independent lines as white noise, and as steady.
        levels[start:end] = 10 * np.log10(powers @ frequencies[band] + 1e-12)
        spectrum += powers[active[start:end]].sum(axis=0)
    peak = int(spectrum.argmax())
    # The window spreads a tone over three lines.
    in_line = spectrum[max(0, peak - 1) : peak + 2].sum()
    return levels, bool(in_line >= _TONE_SHARE * spectrum.sum())
