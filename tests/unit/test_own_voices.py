"""The owner's voices in a running process: from the folder to speech, with no restart; models that load meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import os
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy
import pytest
import soundfile

from tests import recording, tiny, tiny_files
from tests.protocol.helpers import until
from wyoming_pocket_tts import own_voices
from wyoming_pocket_tts.errors import ModelUnavailable, VoiceNotFound
from wyoming_pocket_tts.local_speech import LocalSpeech
from wyoming_pocket_tts.models.availability import Availability
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.cloning import VoiceCloner
from wyoming_pocket_tts.models.loading import ModelEntry
from wyoming_pocket_tts.settings import (
    EngineSettings,
    LimitSettings,
    ModelSettings,
    Settings,
    VoiceSettings,
)
from wyoming_pocket_tts.speech import SpeechRequest
from wyoming_pocket_tts.synthesizer import Synthesizer


@pytest.fixture(autouse=True)
def _look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_voices, "_LOOK_EVERY_S", 0.02)


@pytest.fixture(scope="module")
def model_yaml(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_files.yaml_on_disk(tmp_path_factory.mktemp("model"))


def settings(tmp_path: Path, model_yaml: Path, **changes: Any) -> Settings:
    folder = tmp_path / "voices"
    folder.mkdir(exist_ok=True)
    finished = tiny_files.write_voice(tmp_path / "bert.safetensors")
    values = {
        "models": {"tiny": ModelSettings(config=str(model_yaml), languages=("en",))},
        "voices": {"bert": VoiceSettings(source=str(finished))},
        "voices_dir": folder,
        "cache_dir": tmp_path / "cache",
        # Unmeasured choices: measuring takes longer than most of these tests.
        "engine": EngineSettings(tune=False),
        **changes,
    }
    return Settings(**values)


@contextlib.asynccontextmanager
async def running(chosen: Settings) -> AsyncIterator[Synthesizer]:
    speech = LocalSpeech(chosen)
    await speech.load()
    try:
        yield speech.synthesizer
    finally:
        await speech.close()


def record(path: Path, seconds: float = 2.5) -> None:
    soundfile.write(path, *recording.speech(seconds))
    then = time.time() - 60
    os.utime(path, (then, then))


async def speak(synthesizer: Synthesizer, voice: str | None = None) -> bytes:
    request = SpeechRequest("the light is on.", voice=voice, seed=3)
    return b"".join([frame.pcm async for frame in synthesizer.generate_audio_stream(request)])


def same(one: bytes, other: bytes) -> bool:
    """The same speech: only the last bit may depend on how many frames were decoded at once."""
    samples = [numpy.frombuffer(pcm, "<i2").astype(int) for pcm in (one, other)]
    return len(one) == len(other) and int(abs(samples[0] - samples[1]).max()) <= 2


def names(synthesizer: Synthesizer) -> list[str]:
    return [voice.name for voice in synthesizer.voices()]


async def test_a_recording_that_is_dropped_in_speaks(tmp_path: Path, model_yaml: Path) -> None:
    chosen = settings(tmp_path, model_yaml)
    folder = tmp_path / "voices"
    async with running(chosen) as synthesizer:
        assert names(synthesizer) == ["bert"]
        record(folder / "anna.wav")
        await until(lambda: names(synthesizer) == ["bert", "anna"])
        anna = await speak(synthesizer, "anna")
        assert len(anna) > 1000
        assert same(anna, await speak(synthesizer, "ANNA"))
        assert not same(anna, await speak(synthesizer, "bert"))
        # Another recording under the same name is another voice.
        version = synthesizer._book.find("anna").version
        record(folder / "anna.wav", 4)
        await until(
            lambda: (
                "anna" in names(synthesizer) and synthesizer._book.find("anna").version != version
            )
        )
        assert not same(anna, await speak(synthesizer, "anna"))
        (folder / "anna.wav").unlink()
        await until(lambda: names(synthesizer) == ["bert"])
        with pytest.raises(VoiceNotFound, match="no voice 'anna'"):
            await speak(synthesizer, "anna")
        assert await speak(synthesizer, "bert")


async def test_a_request_keeps_the_voice_it_began_with(tmp_path: Path, model_yaml: Path) -> None:
    chosen = settings(tmp_path, model_yaml)
    record(tmp_path / "voices" / "anna.wav")
    async with running(chosen) as synthesizer:
        whole = await speak(synthesizer, "anna")
        frames = synthesizer.generate_audio_stream(
            SpeechRequest("the light is on.", voice="anna", seed=3)
        )
        async with contextlib.aclosing(frames):
            heard = (await anext(frames)).pcm
            (tmp_path / "voices" / "anna.wav").unlink()
            await until(lambda: names(synthesizer) == ["bert"])
            async for frame in frames:
                heard += frame.pcm
        assert same(heard, whole)


async def test_a_recording_is_made_ready_before_anybody_asks(
    tmp_path: Path, model_yaml: Path
) -> None:
    record(tmp_path / "anna.flac")
    chosen = settings(
        tmp_path,
        model_yaml,
        voices={
            "bert": VoiceSettings(source=str(tiny_files.write_voice(tmp_path / "b.safetensors"))),
            "anna": VoiceSettings(source=str(tmp_path / "anna.flac")),
        },
    )
    kept = tmp_path / "cache" / "wyoming-pocket-tts" / "voices"
    async with running(chosen) as synthesizer:
        await until(lambda: kept.is_dir() and len(list(kept.glob("*.safetensors"))) == 1)
        record(tmp_path / "voices" / "carla.ogg", 3)
        await until(lambda: len(list(kept.glob("*.safetensors"))) == 2)
        assert names(synthesizer) == ["bert", "anna", "carla"]
        assert await speak(synthesizer, "anna")


async def test_one_bad_file_stops_nothing(
    tmp_path: Path, model_yaml: Path, caplog: pytest.LogCaptureFixture
) -> None:
    chosen = settings(tmp_path, model_yaml)
    (tmp_path / "voices" / "bad.wav").write_text("no audio")
    os.utime(tmp_path / "voices" / "bad.wav", (1, 1))
    record(tmp_path / "voices" / "good.wav")
    async with running(chosen) as synthesizer:
        assert names(synthesizer) == ["bert", "good"]
        assert await speak(synthesizer, "good")
        await asyncio.sleep(0.1)
    assert caplog.text.count("bad.wav") == 1


async def test_an_unforeseen_fault_of_the_folder_stops_nothing(
    tmp_path: Path, model_yaml: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    async with running(settings(tmp_path, model_yaml)) as synthesizer:
        with monkeypatch.context() as patch:
            patch.setattr("wyoming_pocket_tts.voices_folder._files", lambda *_: 1 / 0)
            record(tmp_path / "voices" / "anna.wav")
            await until(lambda: "Looking through the voices directory failed" in caplog.text)
            assert names(synthesizer) == ["bert"]
            assert await speak(synthesizer)
        await until(lambda: names(synthesizer) == ["bert", "anna"])


async def test_a_default_voice_of_the_folder(
    tmp_path: Path, model_yaml: Path, caplog: pytest.LogCaptureFixture
) -> None:
    chosen = settings(tmp_path, model_yaml, default_voice="anna")
    async with running(chosen) as synthesizer:
        assert caplog.text.count("default_voice: There is no voice 'anna' here") == 1
        with pytest.raises(VoiceNotFound, match="Name another voice"):
            await speak(synthesizer)
        assert await speak(synthesizer, "bert")
        record(tmp_path / "voices" / "anna.wav")
        await until(lambda: "anna" in names(synthesizer))
        assert same(await speak(synthesizer), await speak(synthesizer, "anna"))


# When models load


class SlowFetch:
    """Stands in the way of every weights file until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opened = threading.Event()
        from wyoming_pocket_tts.models.download import Fetcher

        fetch = Fetcher.fetch

        def slow(fetcher: Fetcher, source: str) -> Path:
            if source.endswith("model.safetensors"):
                assert self.opened.wait(60)
            return fetch(fetcher, source)

        monkeypatch.setattr(Fetcher, "fetch", slow)


async def test_in_the_background_voices_are_there_before_the_model(
    tmp_path: Path, model_yaml: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = SlowFetch(monkeypatch)
    limits = LimitSettings(model_wait_s=0.05)
    chosen = settings(tmp_path, model_yaml, load="background", limits=limits)
    async with running(chosen) as synthesizer:
        assert names(synthesizer) == ["bert"]
        assert synthesizer.check(SpeechRequest("hello")).rate_hz == 8000
        with pytest.raises(ModelUnavailable, match="Model 'tiny' is still being loaded"):
            await speak(synthesizer)
        slow.opened.set()
        await until(lambda: synthesizer._host._held)
        # Reading the voice has the same limit, and need not be as fast as that.
        synthesizer._host._wait_s = 60
        assert await speak(synthesizer)


async def test_in_the_background_a_failure_is_told_and_mended(
    tmp_path: Path, model_yaml: Path, caplog: pytest.LogCaptureFixture
) -> None:
    import shutil

    folder = shutil.copytree(model_yaml.parent, tmp_path / "model")
    text = (folder / "model.yaml").read_text().replace(str(model_yaml.parent), str(folder))
    (folder / "model.yaml").write_text(text)
    (folder / "model.safetensors").rename(tmp_path / "elsewhere")
    chosen = settings(tmp_path, folder / "model.yaml", load="background")
    async with running(chosen) as synthesizer:
        await until(lambda: "Model tiny cannot be loaded" in caplog.text)
        with pytest.raises(ModelUnavailable, match="there is no such file"):
            await speak(synthesizer)
        (tmp_path / "elsewhere").rename(folder / "model.safetensors")
        assert await speak(synthesizer)


async def test_on_first_use(tmp_path: Path, model_yaml: Path) -> None:
    record(tmp_path / "anna.wav")
    chosen = settings(tmp_path, model_yaml, load="first-use")
    async with running(chosen) as synthesizer:
        await asyncio.sleep(0.05)
        assert not synthesizer._host._held
        assert await speak(synthesizer)
        assert synthesizer._host._held


async def test_a_default_voice_that_cannot_be_made_does_not_stop_the_others(
    tmp_path: Path, model_yaml: Path, caplog: pytest.LogCaptureFixture
) -> None:
    record(tmp_path / "short.wav", 0.3)
    voices = {
        "anna": VoiceSettings(source=str(tmp_path / "short.wav")),
        "bert": VoiceSettings(source=str(tiny_files.write_voice(tmp_path / "b.safetensors"))),
    }
    # The first voice of the settings is the default where nobody chose one.
    chosen = settings(tmp_path, model_yaml, voices=voices)
    caplog.set_level(logging.ERROR)
    async with running(chosen) as synthesizer:
        assert "The default voice cannot be used" in caplog.text
        assert {one.name: one.installed for one in synthesizer.voices()} == {
            "anna": False,
            "bert": True,
        }
        assert await speak(synthesizer, "bert")


async def test_a_chosen_default_voice_that_cannot_be_made_stops_the_start(
    tmp_path: Path, model_yaml: Path
) -> None:
    record(tmp_path / "short.wav", 0.3)
    voices = {
        "anna": VoiceSettings(source=str(tmp_path / "short.wav")),
        "bert": VoiceSettings(source=str(tiny_files.write_voice(tmp_path / "b.safetensors"))),
    }
    chosen = settings(tmp_path, model_yaml, voices=voices, default_voice="anna")
    with pytest.raises(ModelUnavailable, match=r"'anna' cannot be used: .*1 s is the least"):
        async with running(chosen):
            pass


# Installed


async def test_voices_of_other_weights_are_told_apart_once_the_model_is_here(
    tmp_path: Path,
) -> None:
    model = tiny_files.yaml_on_disk(tmp_path / "model")
    foreign = tiny_files.write_voice(tmp_path / "foreign.safetensors", seed=9)
    voices = {
        "bert": VoiceSettings(source=str(tiny_files.write_voice(tmp_path / "bert.safetensors"))),
        "foreign": VoiceSettings(source=str(foreign)),
    }
    chosen = settings(tmp_path, model, load="first-use", voices=voices)
    tiny_files.write_voice(tmp_path / "voices" / "stray.safetensors", seed=9)
    os.utime(tmp_path / "voices" / "stray.safetensors", (0, 0))
    weights = tmp_path / "model" / "model.safetensors"
    weights.rename(tmp_path / "not yet here")
    async with running(chosen) as synthesizer:

        def installed() -> list[str]:
            return [voice.name for voice in synthesizer.voices() if voice.installed]

        assert installed() == ["bert", "foreign", "stray"]
        (tmp_path / "not yet here").rename(weights)
        assert await speak(synthesizer, "bert")
        # Neither of the others was asked for.
        await until(lambda: installed() == ["bert"])


def test_what_can_be_spoken(tmp_path: Path) -> None:
    here: set[str] = set()
    config = dataclasses.replace(
        tiny.config(),
        weights_path="hf://a/full/m.safetensors",
        weights_path_without_voice_cloning="hf://a/open/m.safetensors",
    )
    entry = ModelEntry("m", config)
    record(tmp_path / "anna.wav")
    finished = tiny_files.write_voice(tmp_path / "alba.safetensors")
    sources = {
        "hf://a/voices/alba.safetensors": finished,
        "hf://a/voices/anna.wav": tmp_path / "anna.wav",
    }
    asked: list[str] = []

    def cached(source: str) -> Path | None:
        asked.append(source)
        if source in sources:
            return sources[source] if source in here else None
        return Path(source) if source in here or Path(source).is_file() else None

    def available(source: str, *, offline: bool = True) -> bool:
        cloner = VoiceCloner(Path, tmp_path / "kept")
        one = Availability(cached, cloner, offline=offline)
        return one.voice(Voice("v", "m", source, ("en",)), entry)

    alba, anna = sources
    # Online everything can be had, except what should lie on this machine and does not.
    assert available(alba, offline=False)
    assert available(anna, offline=False)
    assert available(str(finished), offline=False)
    assert not available(str(tmp_path / "missing.wav"), offline=False)
    # Offline it has to be here: the model, and the voice.
    assert not available(alba)
    here.add(alba)
    assert not available(alba)
    here.update(("hf://a/open/m.safetensors", "none"))
    assert available(alba)
    assert available(str(finished))
    # A recording also needs the full weights, unless its voice is kept.
    here.add(anna)
    assert not available(anna)
    assert not available(str(tmp_path / "anna.wav"))
    here.add("hf://a/full/m.safetensors")
    assert available(anna)
    here.remove("hf://a/full/m.safetensors")
    local = tiny_files.config_on_disk(tmp_path / "model")
    VoiceCloner(Path, tmp_path / "kept").voice(
        tmp_path / "anna.wav", "m", local, tiny_files.identity()
    )
    assert available(anna)
    (tmp_path / "anna.wav").write_text("no audio any more")
    assert not available(anna)
    # A model's files are looked for once, however many voices it has.
    asked.clear()
    one = Availability(cached, VoiceCloner(Path, tmp_path / "kept"), offline=True)
    for _ in range(5):
        one.voice(Voice("v", "m", alba, ("en",)), entry)
    assert asked.count("hf://a/open/m.safetensors") == 1
