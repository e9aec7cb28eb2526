"""Recordings that are to become voices: every format, what is refused, and the preparation against the package's."""

from __future__ import annotations

import io
import math
import wave
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pocket_tts.data.audio_utils import end_on_pause as their_end_on_pause

from tests import recording
from wyoming_pocket_tts import prompts
from wyoming_pocket_tts.errors import AudioPromptError
from wyoming_pocket_tts.prompt_sound import (
    LOUDNESS,
    Loudness,
    active_frames,
    decibels,
    end_on_pause,
    frame_powers,
    normalise_loudness,
    prepare,
)
from wyoming_pocket_tts.prompts import read_prompt

Samples = NDArray[np.float32]
RATE = 16_000


def speaking(seconds: float = 3.0, rate_hz: int = RATE, level: float = 0.2) -> Samples:
    """Syllables of noise: four a second, with pauses between them."""
    time = np.arange(round(seconds * rate_hz)) / rate_hz
    noise = np.random.default_rng(3).normal(size=len(time))
    return (level / 3 * noise * (np.sin(2 * np.pi * 4 * time) > -0.4)).astype(np.float32)


def write(path: Path, samples: Samples, rate_hz: int = RATE, subtype: str | None = None) -> Path:
    soundfile.write(path, samples, rate_hz, subtype=subtype)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(AudioPromptError) as caught:
        read_prompt(path)
    assert str(caught.value).startswith(str(path))
    return str(caught.value)


# Formats: one real recording, written every way, heard the same.

FORMATS = [
    ("wav", "PCM_U8", 15),
    ("wav", "PCM_16", 60),
    ("wav", "PCM_24", 100),
    ("wav", "PCM_32", 100),
    ("wav", "FLOAT", 100),
    ("wav", "DOUBLE", 100),
    ("wav", "ULAW", 25),
    ("flac", "PCM_16", 60),
    ("flac", "PCM_24", 100),
    ("ogg", "VORBIS", 8),
    ("ogg", "OPUS", 5),
    ("mp3", "MPEG_LAYER_III", 8),
]


def agreement_db(ours: Samples, original: Samples) -> float:
    """How far the difference lies under the signal, with the codec's delay taken out."""
    length = min(len(ours), len(original))
    shift = 0
    correlation = np.fft.irfft(
        np.fft.rfft(ours[:length], 2 * length) * np.fft.rfft(original[:length], 2 * length).conj()
    )
    shift = int(np.argmax(correlation))
    shift = shift - 2 * length if shift > length else shift
    moved = np.roll(ours[:length], -shift)[2000:-2000]
    wanted = original[:length][2000:-2000]
    left = np.square(moved - wanted).sum() + 1e-12
    return float(10 * np.log10(np.square(wanted).sum() / left))


@pytest.mark.parametrize(("suffix", "subtype", "least_db"), FORMATS)
@pytest.mark.parametrize("channels", [1, 2])
def test_every_format(
    tmp_path: Path, suffix: str, subtype: str, least_db: float, channels: int
) -> None:
    speech, rate_hz = recording.speech(5)
    content = np.repeat(speech[:, None], channels, axis=1)
    read = read_prompt(write(tmp_path / f"speech.{suffix}", content, rate_hz, subtype))
    assert read.rate_hz == rate_hz
    assert read.samples.dtype == np.float32
    assert read.seconds == pytest.approx(5, abs=0.1)
    # 60 dB is what 16 bits leave of a recording this quiet.
    assert agreement_db(read.samples, speech) >= least_db


def test_a_six_channel_recording_at_an_odd_rate(tmp_path: Path) -> None:
    speech, _ = recording.speech(4)
    content = np.zeros((len(speech), 6), dtype=np.float32)
    content[:, 2] = speech
    read = read_prompt(write(tmp_path / "surround.wav", content, 11_025, "PCM_24"))
    np.testing.assert_allclose(read.samples, speech / 6, atol=1e-6)
    assert read.rate_hz == 11_025


def test_the_content_says_what_it_is_not_the_name(tmp_path: Path) -> None:
    path = write(tmp_path / "speech.wav", speaking())
    for name in ("speech.mp3", "speech.raw", "speech", "sp:eech\n.txt"):
        (tmp_path / name).write_bytes(path.read_bytes())
        assert read_prompt(tmp_path / name).seconds == 3


def test_the_hash_is_the_files(tmp_path: Path) -> None:
    first = read_prompt(write(tmp_path / "a.wav", speaking()))
    again = read_prompt(write(tmp_path / "b.wav", speaking()))
    other = read_prompt(write(tmp_path / "a.flac", speaking()))
    assert first.sha256 == again.sha256 != other.sha256
    assert len(first.sha256) == 64


def test_the_first_thirty_seconds_are_used(tmp_path: Path) -> None:
    long = speaking(40, rate_hz=8_000)
    read = read_prompt(write(tmp_path / "long.wav", long, 8_000, "FLOAT"))
    assert read.seconds == 30
    np.testing.assert_array_equal(read.samples, long[: 30 * 8_000])


# Refused


def test_what_is_not_audio(tmp_path: Path) -> None:
    path = tmp_path / "voice.wav"
    wav = io.BytesIO()
    soundfile.write(wav, speaking(), RATE, format="WAV")
    for content in (b"not audio at all" * 1000, b"RIFF", wav.getvalue()[:30], b"\0" * 5000):
        path.write_bytes(content)
        message = refusal(path)
        assert "is not a recording that can be read" in message
        assert "wav, flac, mp3 or ogg" in message
        assert "object at 0x" not in message
    path.write_bytes(b"")
    assert "is empty" in refusal(path)
    path.unlink()
    assert "cannot be read: No such file" in refusal(path)
    path.mkdir()
    assert "cannot be read: Is a directory" in refusal(path)


def test_formats_that_are_not_taken(tmp_path: Path) -> None:
    assert "is a AU file, which is not taken" in refusal(write(tmp_path / "a.au", speaking()))


def test_a_file_that_is_too_big(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "MAX_FILE_BYTES", 1024 * 1024)
    path = write(tmp_path / "big.wav", speaking(60, RATE))
    assert "is larger than 1 MiB" in refusal(path)


def test_impossible_rates_and_channels(tmp_path: Path) -> None:
    assert "1 channels of 1000 samples" in refusal(write(tmp_path / "a.wav", speaking(), 1_000))
    many = np.repeat(speaking()[:, None], 100, axis=1)
    assert "100 channels of" in refusal(write(tmp_path / "b.wav", many))


def test_silence(tmp_path: Path) -> None:
    nothing = np.zeros(5 * RATE, dtype=np.float32)
    assert "the 5.0 s used of it are silent. Record" in refusal(write(tmp_path / "a.wav", nothing))
    hiss = 1e-4 * speaking(5)
    assert "are silent, -103 dBFS at most" in refusal(
        write(tmp_path / "b.wav", hiss, subtype="PCM_24")
    )
    assert "are silent" in refusal(write(tmp_path / "c.wav", nothing[:10]))
    assert "are silent" in refusal(write(tmp_path / "d.wav", nothing[:0]))


def test_under_a_second_of_speech(tmp_path: Path) -> None:
    speech, rate_hz = recording.speech(1)
    silence = np.zeros(8 * rate_hz, dtype=np.float32)
    message = refusal(write(tmp_path / "a.wav", np.concatenate((silence, speech)), rate_hz))
    assert "the 9.0 s used of it hold 0.4 s of speech; 1 s is the least" in message
    assert "hold 0.4 s of speech" in refusal(write(tmp_path / "b.wav", speech, rate_hz))
    # Speech that begins after the first thirty seconds is not used.
    late = np.concatenate((np.zeros(31 * RATE, dtype=np.float32), speaking()))
    assert "the 30.0 s used of it are silent" in refusal(write(tmp_path / "c.wav", late))


def test_a_click_is_not_taken_for_speech(tmp_path: Path) -> None:
    samples = speaking(3, level=0.1)
    samples[RATE // 4 : RATE // 4 + 20] = 0.9
    assert read_prompt(write(tmp_path / "click.wav", samples)).seconds == 3


@pytest.mark.parametrize(
    ("suffix", "subtype"),
    [
        ("wav", "PCM_U8"),
        ("wav", "PCM_16"),
        ("wav", "PCM_24"),
        ("wav", "FLOAT"),
        ("wav", "ULAW"),
        ("flac", "PCM_16"),
        ("mp3", "MPEG_LAYER_III"),
        ("ogg", "VORBIS"),
    ],
)
def test_a_clipped_recording(tmp_path: Path, suffix: str, subtype: str) -> None:
    speech, rate_hz = recording.speech(6)
    loud = speech / np.abs(speech).max()
    assert read_prompt(write(tmp_path / f"loud.{suffix}", 0.98 * loud, rate_hz, subtype))
    clipped = np.clip(8 * loud, -1, 1)
    message = refusal(write(tmp_path / f"clipped.{suffix}", clipped, rate_hz, subtype))
    assert "% of its samples are cut off at full scale" in message


def test_one_clipped_channel_is_enough(tmp_path: Path) -> None:
    speech, rate_hz = recording.speech(4)
    both = np.stack((speech, np.clip(30 * speech, -1, 1)), axis=1)
    assert "is clipped" in refusal(write(tmp_path / "stereo.wav", both, rate_hz))


def test_samples_that_are_not_numbers(tmp_path: Path) -> None:
    samples = speaking()
    samples[100] = math.nan
    message = refusal(write(tmp_path / "nan.wav", samples, subtype="FLOAT"))
    assert "not numbers" in message


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 300))
def test_damaged_files_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int
) -> None:
    path = tmp_path_factory.mktemp("damaged") / "a.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes((32767 * speaking(1.5)).astype("<i2").tobytes())
    content = bytearray(path.read_bytes())
    content[at : at + len(noise)] = noise
    path.write_bytes(content)
    try:
        read = read_prompt(path)
    except AudioPromptError:
        return
    assert np.isfinite(read.samples).all()


def test_a_constant_part_is_no_sound(tmp_path: Path) -> None:
    nothing = np.zeros(5 * RATE, dtype=np.float32)
    assert "are silent" in refusal(write(tmp_path / "a.wav", nothing + np.float32(0.01)))
    speech, rate_hz = recording.speech(5)
    moved = write(tmp_path / "b.wav", 0.3 * speech + np.float32(0.05), rate_hz, "FLOAT")
    read = read_prompt(moved)
    # Taken as it is: preparation may be switched off.
    np.testing.assert_allclose(read.samples, 0.3 * speech + 0.05, atol=1e-6)


def test_channels_that_cancel_each_other(tmp_path: Path) -> None:
    speech, rate_hz = recording.speech(4)
    for left, right in ((0.5, -0.5), (0.5, -0.4), (0.2, -0.25)):
        both = np.stack((left * speech, right * speech), axis=1)
        read = read_prompt(write(tmp_path / "wired.wav", both, rate_hz, "FLOAT"))
        loudest = max((left, right), key=abs)
        np.testing.assert_allclose(read.samples, loudest * speech, atol=1e-6)
    # A side that is merely quieter, or silent, is mixed as ever.
    both = np.stack((speech, 0 * speech), axis=1)
    read = read_prompt(write(tmp_path / "one.wav", both, rate_hz, "FLOAT"))
    np.testing.assert_allclose(read.samples, speech / 2, atol=1e-6)


def test_a_recording_without_speech(tmp_path: Path) -> None:
    noise = np.random.default_rng(5).normal(size=5 * RATE).astype(np.float32)
    message = refusal(write(tmp_path / "5.0 s of noise.wav", 0.1 * noise))
    assert "the 5.0 s used of it hold 0.0 s of speech; the rest is steady" in message
    assert "Record somebody speaking" in message
    hum = (0.2 * np.sin(np.pi * 100 * np.arange(5 * RATE) / RATE)).astype(np.float32)
    assert "steady" in refusal(write(tmp_path / "hum.wav", hum))
    assert "steady" in refusal(write(tmp_path / "room.wav", np.float32(10 ** (-55 / 20)) * noise))


# Preparation


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 24_000, 44_100])
def test_end_on_pause_is_the_packages(rate_hz: int) -> None:
    tail = np.zeros(rate_hz, dtype=np.float32)
    quiet = 1e-4 * speaking(0.7, rate_hz)
    for samples in (
        speaking(2.013, rate_hz),
        np.concatenate((speaking(1.5, rate_hz), tail)),
        np.concatenate((speaking(1.5, rate_hz), quiet, tail)),
        speaking(0.021, rate_hz),
        speaking(0.01, rate_hz),
        tail,
    ):
        theirs = their_end_on_pause(torch.from_numpy(samples)[None], rate_hz)[0].numpy()
        ours = end_on_pause(samples, rate_hz)
        assert ours.dtype == np.float32
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-7)


def test_end_on_pause_of_a_real_recording() -> None:
    speech, rate_hz = recording.speech(12.345)
    theirs = their_end_on_pause(torch.from_numpy(speech)[None], rate_hz)[0].numpy()
    np.testing.assert_allclose(end_on_pause(speech, rate_hz), theirs, rtol=0, atol=1e-7)


def test_preparation_leaves_its_input_alone() -> None:
    samples = speaking()
    before = samples.copy()
    for loudness in (LOUDNESS, None):
        prepare(samples, RATE, RATE, loudness)
        np.testing.assert_array_equal(samples, before)


def spoken_level_dbfs(samples: Samples, rate_hz: int) -> float:
    power = frame_powers(samples, rate_hz)
    return decibels(float(power[active_frames(power)].mean()))


@pytest.mark.parametrize("gain_db", [-24, -12, 0, 6])
def test_loudness_does_not_depend_on_how_it_was_recorded(gain_db: float) -> None:
    speech, rate_hz = recording.speech(10)
    loudness = Loudness(max_gain_db=60)
    wanted = normalise_loudness(speech, rate_hz, loudness)
    found = normalise_loudness(speech * np.float32(10 ** (gain_db / 20)), rate_hz, loudness)
    # Frames at the edge of the gate may fall to either side of it.
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-5)


def test_loudness_reaches_its_level_unless_a_peak_forbids_it() -> None:
    speech, rate_hz = recording.speech(10)
    quiet = normalise_loudness(speech, rate_hz, Loudness(level_dbfs=-30))
    assert spoken_level_dbfs(quiet, rate_hz) == pytest.approx(-30, abs=0.05)
    peak = speech.copy()
    peak[1000] = 0.9
    limited = normalise_loudness(peak, rate_hz, Loudness(level_dbfs=-6))
    assert 20 * math.log10(np.abs(limited).max()) == pytest.approx(-1, abs=0.01)
    faint = speech * np.float32(1e-2)
    raised = normalise_loudness(faint, rate_hz, Loudness(max_gain_db=12))
    np.testing.assert_allclose(raised, faint * 10 ** (12 / 20), atol=1e-6)


@pytest.mark.parametrize("offset", [0.05, -0.2])
def test_a_constant_part_does_not_count_for_loudness(offset: float) -> None:
    speech, rate_hz = recording.speech(10)
    wanted = prepare(0.3 * speech, rate_hz, rate_hz, Loudness(level_dbfs=-30))
    moved = 0.3 * speech + np.float32(offset)
    found = prepare(moved, rate_hz, rate_hz, Loudness(level_dbfs=-30))
    np.testing.assert_allclose(found, wanted, atol=1e-3)
    assert spoken_level_dbfs(found, rate_hz) == pytest.approx(-30, abs=0.1)
    # With preparation switched off, it stays.
    as_is = prepare(moved, rate_hz, rate_hz, None)
    np.testing.assert_array_equal(as_is[:rate_hz], moved[:rate_hz])


def test_pauses_do_not_count_for_loudness() -> None:
    speech, rate_hz = recording.speech(6)
    pause = np.zeros(8 * rate_hz, dtype=np.float32)
    apart = np.concatenate((speech, pause))
    np.testing.assert_allclose(
        normalise_loudness(apart, rate_hz)[: len(speech)],
        normalise_loudness(speech, rate_hz),
        atol=1e-4,
    )


def test_resampling_keeps_the_sound() -> None:
    time = np.arange(2 * 44_100) / 44_100
    tone = (0.3 * np.sin(2 * np.pi * 997 * time)).astype(np.float32)
    prepared = prepare(tone, 44_100, 24_000, None)
    expected = 0.3 * np.sin(2 * np.pi * 997 * np.arange(2 * 24_000) / 24_000)
    assert len(prepared) == 2 * 24_000 + round(0.08 * 24_000)
    np.testing.assert_allclose(
        prepared[2000:-6000], expected[2000 : len(prepared) - 6000], atol=1e-4
    )
