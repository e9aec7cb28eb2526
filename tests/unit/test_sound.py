"""Rate, volume and silence: what they do to speech and tones, that a stream's frames do not show, and that nothing chosen changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from wyoming_pocket_tts.audio import to_s16le
from wyoming_pocket_tts.sound.chain import SoundChain
from wyoming_pocket_tts.sound.limiter import CEILING, Volume
from wyoming_pocket_tts.sound.options import SoundChoice, SoundOptions
from wyoming_pocket_tts.sound.tempo import TimeStretch

RATE_HZ = 24_000
FRAME = 1920
SPEEDS = (0.5, 0.73, 0.9, 0.98, 1.02, 1.1, 1.25, 1.6, 2.0)

Samples = NDArray[np.float32]


def tone(hz: float, seconds: float = 2.0) -> Samples:
    """A fundamental and two harmonics, as a voice has them."""
    time_s = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    parts = [np.sin(2 * np.pi * hz * n * time_s + n) / n for n in (1, 2, 3)]
    return (0.3 * np.sum(parts, axis=0)).astype(np.float32)


def babble(seconds: float = 3.0, seed: int = 0) -> Samples:
    """Something like speech: a gliding voice in syllables, hisses and pauses between them."""
    random = np.random.default_rng(seed)
    time_s = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    pitch_hz = 140 + 40 * np.sin(2 * np.pi * 0.7 * time_s)
    phase = 2 * np.pi * np.cumsum(pitch_hz) / RATE_HZ
    voiced = np.sum([np.sin(n * phase) / n for n in range(1, 12)], axis=0)
    syllables = np.clip(np.sin(2 * np.pi * 3.3 * time_s), 0, 1)
    hisses = np.clip(-np.sin(2 * np.pi * 3.3 * time_s) - 0.6, 0, 1)
    sound = 0.2 * voiced * syllables + 0.3 * hisses * random.standard_normal(len(time_s))
    return sound.astype(np.float32)


def stretched(
    samples: Samples, speed: float, frame: int = FRAME, rate_hz: int = RATE_HZ
) -> Samples:
    stretch = TimeStretch(speed, rate_hz)
    pieces = [stretch.feed(samples[i : i + frame]) for i in range(0, len(samples), frame)]
    return np.concatenate([*pieces, stretch.flush()])


def louder(samples: Samples, volume_db: float, frame: int = FRAME) -> Samples:
    volume = Volume(volume_db, RATE_HZ)
    pieces = [volume.feed(samples[i : i + frame]) for i in range(0, len(samples), frame)]
    return np.concatenate([*pieces, volume.flush()])


def spectrum_peak_hz(samples: Samples) -> float:
    size = 2**18
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), size))
    return float(np.argmax(spectrum) * RATE_HZ / size)


# Rate


@pytest.mark.parametrize("speed", SPEEDS)
def test_a_speech_lasts_as_long_as_the_speed_says(speed: float) -> None:
    samples = babble()
    assert abs(len(stretched(samples, speed)) * speed / len(samples) - 1) < 0.01
    assert len(stretched(samples, speed)) == round(len(samples) / speed)


@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("hz", [75, 130, 240, 400])
def test_the_pitch_stays(hz: float, speed: float) -> None:
    assert spectrum_peak_hz(stretched(tone(hz, 1.0), speed)) == pytest.approx(hz, rel=0.002)


@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("frame", [FRAME, 80, 97, 5000])
def test_no_click_at_any_seam(speed: float, frame: int) -> None:
    for samples in (tone(130, 1.0), tone(233, 1.0)):
        step = np.abs(np.diff(samples)).max()
        assert np.abs(np.diff(stretched(samples, speed, frame))).max() < 1.1 * step


@pytest.mark.parametrize("speed", [0.5, 1.3, 2.0])
def test_loudness_stays(speed: float) -> None:
    samples = babble()
    level = [float(np.sqrt(np.mean(x**2))) for x in (samples, stretched(samples, speed))]
    assert level[1] == pytest.approx(level[0], rel=0.1)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(SPEEDS),
    st.lists(st.integers(0, 7000), max_size=30),
    st.sampled_from([8_000, 24_000]),
    st.integers(0, 3),
)
def test_streaming_equals_offline(speed: float, cuts: list[int], rate_hz: int, seed: int) -> None:
    samples = babble(1.3, seed)
    stretch = TimeStretch(speed, rate_hz)
    pieces = []
    for piece in np.split(samples, np.cumsum(cuts)):
        pieces.append(stretch.feed(piece))
    streamed = np.concatenate([*pieces, stretch.flush()])
    assert np.array_equal(streamed, stretched(samples, speed, len(samples), rate_hz))


@settings(max_examples=60, deadline=None)
@given(st.floats(0.5, 2.0), st.integers(0, 6000), st.sampled_from([0.0, 0.3]))
def test_any_length_is_taken(speed: float, length: int, level: float) -> None:
    samples = (level * np.sin(np.arange(length) / 20)).astype(np.float32)
    out = stretched(samples, speed)
    assert np.isfinite(out).all()
    assert np.abs(out).max(initial=0) <= level
    assert len(out) == round(length / speed) or length < 0.1 * RATE_HZ


def test_speech_begins_and_ends_as_it_does() -> None:
    """Nothing of the first or the last word is lost: both ends are kept."""
    samples = babble(1.0)
    for speed in SPEEDS:
        out = stretched(samples, speed)
        assert np.array_equal(out[:200], samples[:200])
        assert np.allclose(out[-10:], samples[-10:], atol=1e-3)


# Volume


def test_without_need_the_limiter_only_multiplies() -> None:
    samples = tone(200) * np.float32(0.5)
    assert np.array_equal(louder(samples, 3.0), samples * np.float32(10 ** (3 / 20)))
    assert np.array_equal(louder(samples, -12.0), samples * np.float32(10 ** (-12 / 20)))


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 900), st.floats(0, 4, width=32)), min_size=1, max_size=20),
    st.floats(-20, 20),
    st.integers(1, 5000),
)
def test_no_sample_goes_beyond_full_scale(parts: list, volume_db: float, frame: int) -> None:
    random = np.random.default_rng(1)
    samples = np.concatenate(
        [level * random.uniform(-1, 1, length).astype(np.float32) for length, level in parts]
    ).astype(np.float32)
    out = louder(samples, volume_db, frame)
    assert len(out) == len(samples)
    assert np.abs(out).max() <= CEILING
    assert np.array_equal(out, louder(samples, volume_db, len(samples)))


def test_the_limiter_rounds_off_and_does_not_clip() -> None:
    """Of a tone 12 dB too loud the harmonics stay far below; clipping would bring them to about -10 dB."""
    time_s = np.arange(RATE_HZ) / RATE_HZ
    out = louder((0.9 * np.sin(2 * np.pi * 200 * time_s)).astype(np.float32), 12)
    middle = out[RATE_HZ // 4 : -RATE_HZ // 4]
    spectrum = np.abs(np.fft.rfft(middle * np.hanning(len(middle)))) ** 2
    hz = np.fft.rfftfreq(len(middle), 1 / RATE_HZ)
    outside = spectrum[np.abs(hz - 200) > 20].sum() / spectrum.sum()
    assert 10 * np.log10(outside) < -40
    assert np.abs(middle).max() > 0.9 * CEILING


def test_after_a_peak_the_level_comes_back() -> None:
    samples = np.full(RATE_HZ, 0.2, np.float32)
    samples[5000] = 2.0
    out = louder(samples, 6.0)
    assert np.abs(np.diff(out[5001:])).max() < 0.02
    assert out[4000] == pytest.approx(out[-1], rel=0.002)


# All of it


def chain(
    options: SoundOptions, *segments: Samples, pause_ms: int = 0, frame: int = FRAME
) -> bytes:
    sound = SoundChain(options, RATE_HZ)
    pcm = b""
    for segment in segments:
        for start in range(0, len(segment), frame):
            pcm += b"".join(sound.add(segment[start : start + frame]))
        pcm += b"".join(sound.end_segment(pause_ms))
    return pcm + b"".join(sound.end())


def test_nothing_chosen_changes_nothing() -> None:
    samples = babble(1.0) * np.float32(3)  # beyond full scale, too
    assert chain(SoundOptions(), samples) == to_s16le(samples)


def test_frames_pass_as_they_come() -> None:
    """Nothing is held back that is not needed: the sound of a frame follows it within 55 ms."""
    for options in (SoundOptions(), SoundOptions(speed=0.8), SoundOptions(speed=1.25, volume_db=6)):
        sound = SoundChain(options, RATE_HZ)
        samples = babble(2.0)
        done = 0
        for start in range(0, len(samples), FRAME):
            done += sum(len(pcm) // 2 for pcm in sound.add(samples[start : start + FRAME]))
            assert done * options.speed >= start + FRAME - 0.055 * RATE_HZ


@pytest.mark.parametrize("speed", [0.5, 1.0, 1.7])
@pytest.mark.parametrize("volume_db", [0.0, -6.0, 9.0])
def test_silences_are_exact_to_the_sample(speed: float, volume_db: float) -> None:
    segment = tone(200, 1.0)
    segment[-1] = 0
    spoken = round(len(segment) / speed)
    options = SoundOptions(speed, volume_db, lead_silence_ms=123, tail_silence_ms=1234)
    pcm = np.frombuffer(chain(options, segment, segment, pause_ms=290), "<i2")
    lead, pause, tail = (ms * RATE_HZ // 1000 for ms in (123, 290, 1234))
    assert len(pcm) == lead + 2 * (spoken + pause) + tail
    assert not pcm[:lead].any()
    assert pcm[lead : lead + 100].any()
    assert not pcm[lead + spoken : lead + spoken + pause].any()
    assert pcm[lead + spoken - 100 : lead + spoken].any()
    assert not pcm[-tail - pause :].any()


@pytest.mark.parametrize("speed", [1.0, 1.5])
@pytest.mark.parametrize("volume_db", [0.0, -6.0])
@pytest.mark.parametrize("pause_ms", [0, 1, 50])
def test_a_segment_that_ends_in_mid_sound_ends_without_a_click(
    speed: float, volume_db: float, pause_ms: int
) -> None:
    second = tone(150, 0.5)
    first = second[: 11_000 + int(np.argmax(second[11_000:]))].copy()
    second[:120] *= np.linspace(0, 1, 120, dtype=np.float32)  # as each segment begins
    step = np.abs(np.diff(second)).max()
    assert abs(first[-1]) > 4 * step
    options = SoundOptions(speed, volume_db, tail_silence_ms=100)
    pcm = np.frombuffer(chain(options, first, second, pause_ms=pause_ms), "<i2") / 32767
    assert np.abs(np.diff(pcm)).max() < 1.2 * step * 10 ** (volume_db / 20)
    lengths = round(len(first) / speed) + round(len(second) / speed)
    assert len(pcm) == lengths + 2 * round(pause_ms * 24) + 2400
    assert not pcm[-2000:].any()


def test_a_request_without_sound_gets_no_silence() -> None:
    assert chain(SoundOptions(lead_silence_ms=500, tail_silence_ms=500)) == b""


def test_cutting_the_stream_differently_changes_nothing() -> None:
    options = SoundOptions(1.3, 14.0, 20, 20)
    segments = babble(1.0, 1), babble(1.5, 2)
    whole = chain(options, *segments, pause_ms=100, frame=10**6)
    assert chain(options, *segments, pause_ms=100) == whole
    assert chain(options, *segments, pause_ms=100, frame=333) == whole


# Choices


def test_the_narrower_choice_wins() -> None:
    server = SoundOptions(1.2, -3.0, 100, 200)
    voice = SoundChoice(speed=0.9, tail_silence_ms=0)
    request = SoundChoice(volume_db=0.0)
    assert request.over(voice.over(server)) == SoundOptions(0.9, 0.0, 100, 0)
    assert SoundChoice().over(server) is server


@pytest.mark.parametrize("cls", [SoundOptions, SoundChoice])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("speed", 0.49),
        ("speed", 2.01),
        ("speed", float("nan")),
        ("volume_db", -41.0),
        ("volume_db", 21.0),
        ("lead_silence_ms", -1),
        ("tail_silence_ms", 10_001),
    ],
)
def test_what_cannot_be_done_is_refused(cls: type, name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be between .* not {value}"):
        cls(**{name: value})
