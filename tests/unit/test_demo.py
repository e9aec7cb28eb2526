"""The demo model: made once, loaded the ordinary way, heard at a decent loudness and for a decent time."""

from __future__ import annotations

import logging
import math
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest
import torch
from safetensors.torch import load_file

from tests.full_disk import full_disk
from wyoming_pocket_tts.engine.sequence import End, SequenceResult, SequenceSpec, frame_limit
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.errors import ModelFileError
from wyoming_pocket_tts.models.demo import demo_model
from wyoming_pocket_tts.models.demo_weights import EXTRA_FRAMES, FRAMES_PER_TOKEN
from wyoming_pocket_tts.models.files import alone_in
from wyoming_pocket_tts.models.loading import EngineOptions, LoadedModel, load_model
from wyoming_pocket_tts.models.voices import read_voice_metadata, read_voice_state

Speaker = tuple[LoadedModel, VoiceState]


@pytest.fixture(scope="module")
def speaker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Speaker]:
    entry, voice = demo_model(tmp_path_factory.mktemp("cache"))
    loaded = load_model(entry, EngineOptions(slots=2), Path)
    yield loaded, read_voice_state(Path(voice.source), entry.config, identity=loaded.identity)
    loaded.worker.stop()


def speak(speaker: Speaker, text: str, seed: int) -> tuple[numpy.ndarray, SequenceResult, int]:
    """Samples, how it ended, tokens."""
    model, voice = speaker
    tokens = tuple(model.tokenizer.encode(text))
    limit = frame_limit(len(tokens), model.entry.config.mimi.frame_rate)
    stream = model.worker.submit(SequenceSpec(tokens, voice, model.sampling(False), seed, limit))
    frames = []
    while (frame := stream.next_frame()) is not None:
        frames.append(frame)
    assert stream.result is not None
    return numpy.concatenate(frames), stream.result, len(tokens)


@pytest.mark.parametrize(
    "text",
    [
        "Hi.",
        "The kitchen light is on.",
        "Your train leaves in twenty minutes, and the battery of the motion sensor is empty.",
        "日本語 🙂 12345",
    ],
)
def test_a_segment_takes_a_plausible_time(speaker: Speaker, text: str) -> None:
    for seed in range(3):
        _, result, tokens = speak(speaker, text, seed)
        assert result.end is End.EOS
        assert result.retries == 0
        assert abs(result.frames - (FRAMES_PER_TOKEN * tokens + EXTRA_FRAMES + 3)) <= 1.5


def test_every_length_of_text_ends_by_itself(speaker: Speaker) -> None:
    for words in (1, 2, 10, 40, 150):
        _, result, _ = speak(speaker, "light " * words, seed=words)
        assert result.end is End.EOS


def test_it_is_heard_and_not_loud(speaker: Speaker) -> None:
    samples, _, _ = speak(speaker, "The kitchen light is on, and the window is still open.", 5)
    loudness_dbfs = 20 * math.log10(float(numpy.sqrt(numpy.mean(samples**2))))
    assert -25 < loudness_dbfs < -20
    assert float(numpy.abs(samples).max()) < 0.9
    assert abs(float(samples.mean())) < 0.02


def test_seeds_make_a_difference(speaker: Speaker) -> None:
    first, _, _ = speak(speaker, "Hello there.", 1)
    again, _, _ = speak(speaker, "Hello there.", 1)
    other, _, _ = speak(speaker, "Hello there.", 2)
    assert numpy.array_equal(first, again)
    assert not numpy.array_equal(first, other)


def test_it_is_made_once_and_always_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    entry, voice = demo_model(tmp_path / "a")
    home = Path(voice.source).parent
    assert [item.name for item in (tmp_path / "a").iterdir()] == [home.name]
    assert entry.name == voice.model == "demo"
    assert "sound, not words" in voice.description
    assert "sound, not words" in caplog.text
    stamps = {path: path.stat().st_mtime_ns for path in home.iterdir()}
    assert demo_model(tmp_path / "a") == (entry, voice)
    assert {path: path.stat().st_mtime_ns for path in home.iterdir()} == stamps
    _, twin = demo_model(tmp_path / "b")
    for path in home.iterdir():
        other = Path(twin.source).with_name(path.name)
        if path.suffix == ".safetensors":  # whose header has no fixed order
            ours, theirs = load_file(path), load_file(other)
            assert ours.keys() == theirs.keys()
            assert all(torch.equal(ours[name], theirs[name]) for name in ours), path.name
        else:
            assert path.read_bytes() == other.read_bytes(), path.name
    assert read_voice_metadata(Path(voice.source)).model_name == "demo"


def test_an_unfinished_folder_is_made_again(tmp_path: Path) -> None:
    _, voice = demo_model(tmp_path)
    home = Path(voice.source).parent
    (home / "model.safetensors").unlink()
    demo_model(tmp_path)
    assert (home / "model.safetensors").is_file()
    assert [item.name for item in tmp_path.iterdir()] == [home.name]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelFileError, match="the demo model cannot be made"):
        demo_model(tmp_path / "file")


@pytest.mark.parametrize("room_bytes", [1_000, 100_000])
def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path, room_bytes: int) -> None:
    with full_disk(room_bytes), pytest.raises(ModelFileError, match="the demo model cannot be"):
        demo_model(tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_cleared_away(tmp_path: Path) -> None:
    _, voice = demo_model(tmp_path / "a")
    home = Path(voice.source).parent
    (tmp_path / "b" / f".{home.name}-abcdefgh" / home.name).mkdir(parents=True)
    demo_model(tmp_path / "b")
    assert [item.name for item in (tmp_path / "b").iterdir()] == [home.name]


def test_what_another_process_is_making_is_waited_for(tmp_path: Path) -> None:
    held, made = threading.Event(), threading.Event()

    def make() -> None:
        with alone_in(tmp_path):
            held.set()
            time.sleep(0.3)
            shutil.copytree(finished, tmp_path / finished.name)
            made.set()

    _, voice = demo_model(tmp_path / "elsewhere")
    finished = Path(voice.source).parent
    other = threading.Thread(target=make)
    other.start()
    assert held.wait(30)
    demo_model(tmp_path)
    assert made.is_set()
    other.join()


def test_upstream_runs_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configuration, weights, tokenizer and voice state are what the reference package expects."""
    pocket_tts = pytest.importorskip("pocket_tts")
    _, voice = demo_model(tmp_path)
    path = Path(voice.source)
    monkeypatch.chdir(path.parent)  # it takes relative paths from there
    model = pocket_tts.TTSModel.load_model(config=str(path.with_name("model.yaml")))
    samples = model.generate_audio(model.get_state_for_audio_prompt(path), "Hello there.")
    assert 1.0 < samples.shape[-1] / model.sample_rate < 4.0
    assert -25 < 20 * math.log10(float(samples.square().mean().sqrt())) < -20
