"""The sound of a prompt: its levels, where somebody speaks in it, and what is done to it before it is encoded.

Samples in, samples out; it knows no files and refuses nothing (`prompts` does).

Sources: the preparation of `pocket-tts` 4.0.1 (`data.audio_utils.end_on_pause`), whose result it is without `loudness`; leaving pauses out of
a loudness follows the idea of ITU-T P.56 and BS.1770.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]
Powers = NDArray[np.float64]

# Part of the name under which a finished voice is kept: raised whenever the same recording would give other samples.
PREPARATION_VERSION = 2

FRAME_S = 0.02
SILENCE_DBFS = -60.0

# A click must not pass for the loudest speech: levels are compared with the loudest tenth of a second.
_LOUDEST_FRAMES = 5
_ACTIVE_DB = 30.0

# End on a pause.
_PAUSE_FLOOR_DB = 35.0
_FADE_S = 0.02
_PAUSE_S = 0.08


@dataclass(frozen=True)
class Loudness:
    """What the speech in a prompt is brought to: a model speaks about as loudly as its prompt.

    One gain for the whole prompt, no compression: how the voice rises and falls is part of it.

    Attributes:
        level_dbfs: RMS of the frames in which somebody speaks, pauses left out.
        peak_dbfs: no sample gets over it; the level then stays lower.
        max_gain_db: the most by which a quiet recording, and its noise, is raised.
    """

    level_dbfs: float = -20.0
    peak_dbfs: float = -1.0
    max_gain_db: float = 30.0


LOUDNESS = Loudness()


def prepare(
    samples: Samples, from_rate_hz: int, rate_hz: int, loudness: Loudness | None = LOUDNESS
) -> Samples:
    """Makes of a recording what the encoder is given.

    Args:
        samples: [S] float32, mono.
        from_rate_hz: their rate.
        rate_hz: the model's.
        loudness: None leaves it as it is.

    Returns:
        [S] float32 at `rate_hz`.
    """
    if from_rate_hz != rate_hz:
        import soxr

        samples = soxr.resample(samples, from_rate_hz, rate_hz, quality="VHQ")
    if loudness is not None:
        samples = normalise_loudness(samples, rate_hz, loudness)
    return end_on_pause(samples, rate_hz)


def normalise_loudness(samples: Samples, rate_hz: int, loudness: Loudness = LOUDNESS) -> Samples:
    """The samples without their constant part, with one gain that brings their speech to a level."""
    samples = centred(samples)
    power = frame_powers(samples, rate_hz)
    # No floor: a recording and a quieter copy of it must come out the same.
    active = power[active_frames(power, -math.inf)]
    peak = float(np.abs(samples).max(initial=0.0))
    if not active.size or peak == 0:
        return samples
    gain_db = min(
        loudness.level_dbfs - decibels(float(active.mean())),
        loudness.peak_dbfs - 20 * math.log10(peak),
        loudness.max_gain_db,
    )
    return (samples * np.float32(10 ** (gain_db / 20))).astype(np.float32)


def centred(samples: Samples) -> Samples:
    """The samples without their mean: a converter's constant part is no sound, and would count as the loudest there is.

    Args:
        samples: [S], or [S, channels], each of which has its own.
    """
    if not len(samples):
        return samples
    alone: Samples = (samples - samples.mean(axis=0, dtype=np.float64)).astype(np.float32)
    return alone


def end_on_pause(samples: Samples, rate_hz: int) -> Samples:
    """Ends a prompt on a short pause, as those were that the models learned from.

    One that stops on speech is taken up where it stopped: the model finishes its word before it begins with the text. So trailing 20 ms
    frames more than 35 dB under the loudest one are cut, the last 20 ms faded out, and 80 ms of silence added.

    Args:
        samples: [S] float32. Fewer than a frame come back as they are.
        rate_hz: samples per second.
    """
    frame = max(1, int(FRAME_S * rate_hz))
    power = frame_powers(samples, rate_hz)
    if not power.size:
        return samples
    level = 20 * np.log10(np.sqrt(power) + 1e-12)
    end = (int(np.flatnonzero(level > level.max() - _PAUSE_FLOOR_DB)[-1]) + 1) * frame
    fade = min(int(_FADE_S * rate_hz), end)
    pause = np.zeros(int(_PAUSE_S * rate_hz), dtype=np.float32)
    ended = np.concatenate((samples[:end], pause))
    ended[end - fade : end] *= np.linspace(1, 0, fade, dtype=np.float32)
    return ended


def frame_powers(samples: Samples, rate_hz: int) -> Powers:
    """Mean square of each whole 20 ms frame."""
    frame = max(1, int(FRAME_S * rate_hz))
    count = len(samples) // frame
    rows = samples[: count * frame].reshape(count, frame).astype(np.float64)
    powers: Powers = np.square(rows).mean(axis=1)
    return powers


def active_frames(power: Powers, floor_dbfs: float = SILENCE_DBFS) -> NDArray[np.bool_]:
    """In which frames somebody speaks: those less than 30 dB under the loudest tenth of a second, and over the floor."""
    least = max(loudest(power) * 10 ** (-_ACTIVE_DB / 10), 10 ** (floor_dbfs / 10))
    active: NDArray[np.bool_] = power > least
    return active


def loudest(power: Powers) -> float:
    """Mean power of the loudest tenth of a second, 1 being full scale."""
    if not power.size:
        return 0.0
    width = min(_LOUDEST_FRAMES, power.size)
    return float(np.convolve(power, np.full(width, 1 / width), mode="valid").max())


def decibels(power: float) -> float:
    """A power in dB relative to full scale; silence is -120."""
    return 10 * math.log10(max(power, 1e-12))
