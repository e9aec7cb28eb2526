"""What is speech and what is not: a real recording, with noise too, against sounds that nobody speaks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from tests import recording
from wyoming_pocket_tts.prompt_sound import active_frames, frame_powers
from wyoming_pocket_tts.speech_check import speech_frames

Samples = NDArray[np.float32]
RATE = 16_000
TIME = np.arange(6 * RATE) / RATE


def noise(count: int, slope: float = 0.0, seed: int = 7) -> Samples:
    """Of power 1: white, pink (slope 0.5), brown (1)."""
    spectrum = np.fft.rfft(np.random.default_rng(seed).normal(size=count))
    frequencies = np.maximum(np.fft.rfftfreq(count, 1 / RATE), 20)
    made = np.fft.irfft(spectrum / frequencies**slope, count)
    samples: Samples = (made / made.std()).astype(np.float32)
    return samples


def speech_s(samples: NDArray[np.floating], rate_hz: int = RATE) -> float:
    samples = samples.astype(np.float32)
    active = active_frames(frame_powers(samples, rate_hz))
    speech = speech_frames(samples, rate_hz, active)
    assert not (speech & ~active).any()
    return float(speech.sum()) * 0.02


def sine(hz: float) -> NDArray[np.float64]:
    samples: NDArray[np.float64] = np.sin(2 * np.pi * hz * TIME)
    return samples


@pytest.mark.parametrize("slope", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("snr_db", [15, 20, 40])
def test_speech_with_noise(slope: float, snr_db: int) -> None:
    for start in range(0, 20, 5):
        speech = recording.speech(start + 5)[0][start * RATE :]
        loud = active_frames(frame_powers(speech, RATE))
        level = 10 ** (-snr_db / 20) * np.sqrt(frame_powers(speech, RATE)[loud].mean())
        assert speech_s(speech + level * noise(len(speech), slope)) >= 0.8 * loud.sum() * 0.02


def test_speech_between_silence_and_after_a_hum() -> None:
    speech, _ = recording.speech(4)
    silence = np.zeros(20 * RATE, dtype=np.float32)
    hum = (0.02 * sine(50)).astype(np.float32)
    alone = speech_s(speech)
    assert alone >= 2
    assert speech_s(np.concatenate((silence, speech, silence))) == pytest.approx(alone, abs=0.3)
    assert speech_s(speech + hum[: len(speech)]) >= alone - 0.3
    # Speech then noise alone: what was said counts, however long the noise goes on.
    level = 0.1 * np.sqrt(np.square(speech).mean())
    noisy = np.concatenate((speech, silence)) + level * noise(len(speech) + len(silence))
    assert speech_s(noisy) >= 0.8 * alone


SOUNDS: dict[str, Callable[[], NDArray[np.floating]]] = {
    "white noise": lambda: 0.1 * noise(len(TIME)),
    "pink noise": lambda: 0.1 * noise(len(TIME), 0.5),
    "brown noise": lambda: 0.1 * noise(len(TIME), 1.0),
    "a quiet room": lambda: 10 ** (-55 / 20) * noise(len(TIME), 0.5),
    "hum of one tone": lambda: np.round(0.2 * sine(50) * 32767) / 32767,
    "hum of many tones": lambda: sum((0.1 / k * sine(50 * k) for k in range(1, 12)), 0 * TIME),
    "a tone": lambda: 0.2 * sine(440),
    "a trembling tone": lambda: 0.2 * sine(440) * (1 + 0.8 * sine(5)),
    "beeps": lambda: 0.2 * sine(1000) * (sine(2) > 0),
    "a chord": lambda: sum((0.1 * sine(f) for f in (220, 277.2, 329.6, 440)), 0 * TIME),
    "a rising tone": lambda: 0.2 * np.sin(2 * np.pi * (300 * TIME + 100 * TIME**2)),
}


@pytest.mark.parametrize("name", SOUNDS)
@pytest.mark.parametrize("pause_s", [0, 3])
def test_sounds_that_nobody_speaks(name: str, pause_s: int) -> None:
    pause = np.zeros(round((pause_s + 0.13 * bool(pause_s)) * RATE))
    assert speech_s(np.concatenate((pause, SOUNDS[name](), pause))) <= 0.5


@pytest.mark.parametrize("rate_hz", [4_000, 11_025, 48_000, 768_000])
def test_every_rate(rate_hz: int) -> None:
    samples = 0.1 * noise(2 * rate_hz)
    assert speech_s(samples, rate_hz) == 0
    bursts = np.sin(2 * np.pi * 4 * np.arange(len(samples)) / rate_hz) > -0.4
    assert speech_s(samples * bursts, rate_hz) >= 1


def test_next_to_nothing() -> None:
    assert speech_s(np.zeros(0)) == speech_s(np.zeros(10)) == speech_s(np.full(400, 0.1)) == 0
