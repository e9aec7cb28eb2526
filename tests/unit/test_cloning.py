"""Voices from recordings: made with the gated weights, kept, found again; refused with what to do."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import soundfile
import torch
from huggingface_hub import constants

from tests import recording, tiny, tiny_files
from tests.hub import Hub, PlainFile
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.errors import (
    AudioPromptError,
    ConfigError,
    DownloadError,
    ModelFileError,
    ModelUnavailable,
    VoiceStateError,
)
from wyoming_pocket_tts.models import cloning
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.cloning import VoiceCloner
from wyoming_pocket_tts.models.download import Fetcher
from wyoming_pocket_tts.models.host import ModelHost
from wyoming_pocket_tts.models.loading import EngineOptions, ModelEntry
from wyoming_pocket_tts.models.voice_states import VoiceReader
from wyoming_pocket_tts.models.voices import read_voice_metadata, read_voice_state
from wyoming_pocket_tts.prompt_sound import prepare
from wyoming_pocket_tts.prompts import read_prompt

RIGHT_TOKEN = "hf_right"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with Hub() as running:
        running.gate("kyutai/pocket-tts", token=RIGHT_TOKEN)
        yield running


@pytest.fixture
def prompt(tmp_path: Path) -> Path:
    speech, rate_hz = recording.speech(3)
    path = tmp_path / "anna.flac"
    soundfile.write(path, speech, rate_hz)
    return path


def fetcher(
    tmp_path: Path, hub: Hub, *, token: str | None = None, offline: bool = False
) -> Fetcher:
    return Fetcher(tmp_path / "cache", endpoint=hub.url, token=token, offline=offline)


def expected(prompt: Path, seed: int = 0) -> VoiceState:
    """The voice as the whole model makes it."""
    read = read_prompt(prompt)
    samples = prepare(read.samples, read.rate_hz, 8_000)
    model = tiny.Model(tiny.config(), tiny_files.weights(seed))
    return model.encode_voice(torch.from_numpy(samples))


def assert_same(found: VoiceState, wanted: VoiceState) -> None:
    assert found.length == wanted.length
    for ours, theirs in zip(
        (*found.keys, *found.values), (*wanted.keys, *wanted.values), strict=True
    ):
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)


def test_a_voice_is_made_with_the_full_weights_and_kept(
    hub: Hub, tmp_path: Path, prompt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tiny_files.config_on_hub(hub)
    online = fetcher(tmp_path, hub, token=RIGHT_TOKEN)
    cloner = VoiceCloner(online.fetch, online.own_folder / "voices")
    made = cloner.voice(prompt, "english", config, tiny_files.identity())
    assert_same(made, expected(prompt))
    # The name holds everything the voice depends on.
    sha256 = read_prompt(prompt).sha256
    (kept,) = (tmp_path / "cache" / "wyoming-pocket-tts" / "voices").iterdir()
    model = tiny_files.identity().replace(":", "-")
    assert kept.name == f"{sha256}-{model}-{cloning.PREPARATION_VERSION}.safetensors"
    assert read_voice_metadata(kept).model_identity == tiny_files.identity()
    assert cloner.is_kept(sha256)
    assert not cloner.is_kept("0" * 64)

    # The second start needs neither network nor weights nor encoder; another copy of the recording is the same recording.
    hub.stop()
    monkeypatch.setattr(cloning, "load_weights", lambda *_, **__: pytest.fail("not needed"))
    copy = tmp_path / "copy of anna.wav"
    copy.write_bytes(prompt.read_bytes())
    offline = fetcher(tmp_path, hub, offline=True)
    again = VoiceCloner(offline.fetch, offline.own_folder / "voices")
    assert_same(again.voice(copy, "english", config, tiny_files.identity()), made)


def test_what_is_kept_belongs_to_recording_model_and_preparation(
    hub: Hub, tmp_path: Path, prompt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "voices"
    first = tiny_files.config_on_disk(tmp_path / "first", seed=0)
    second = tiny_files.config_on_disk(tmp_path / "second", seed=5)
    cloner = VoiceCloner(Path, folder)
    one = cloner.voice(prompt, "first", first, tiny_files.identity(0))
    two = cloner.voice(prompt, "second", second, tiny_files.identity(5))
    assert not torch.equal(one.keys[0], two.keys[0])
    VoiceCloner(Path, folder, None).voice(prompt, "first", first, tiny_files.identity(0))
    other = tmp_path / "other.wav"
    soundfile.write(other, *recording.speech(2))
    cloner.voice(other, "first", first, tiny_files.identity(0))
    assert len(list(folder.iterdir())) == 4
    monkeypatch.setattr(cloning, "PREPARATION_VERSION", 99)
    cloner.voice(other, "first", first, tiny_files.identity(0))
    assert len(list(folder.iterdir())) == 5


def test_a_kept_file_that_is_damaged_is_made_again(
    tmp_path: Path, prompt: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = tiny_files.config_on_disk(tmp_path / "model")
    cloner = VoiceCloner(Path, tmp_path / "voices")
    made = cloner.voice(prompt, "tiny", config, tiny_files.identity())
    (kept,) = (tmp_path / "voices").iterdir()
    kept.write_bytes(kept.read_bytes()[:-100])
    assert_same(cloner.voice(prompt, "tiny", config, tiny_files.identity()), made)
    assert "A kept voice is made again" in caplog.text
    read_voice_state(kept, config, identity=tiny_files.identity())


def test_a_cache_that_cannot_be_written_stops_no_voice(
    tmp_path: Path, prompt: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = tiny_files.config_on_disk(tmp_path / "model")
    (tmp_path / "voices").write_text("a file where the folder should be")
    cloner = VoiceCloner(Path, tmp_path / "voices")
    assert_same(cloner.voice(prompt, "tiny", config, tiny_files.identity()), expected(prompt))
    assert "could not be kept" in caplog.text


@pytest.mark.parametrize("token", [None, "hf_wrong"])
def test_without_access_it_says_what_to_do_and_takes_nothing_else(
    hub: Hub, tmp_path: Path, prompt: Path, token: str | None
) -> None:
    config = tiny_files.config_on_hub(hub)
    source = fetcher(tmp_path, hub, token=token)
    source.fetch(config.weights_path_without_voice_cloning or "")
    with pytest.raises(DownloadError) as caught:
        VoiceCloner(source.fetch, tmp_path / "voices").voice(
            prompt, "english", config, tiny_files.identity()
        )
    assert caught.value.kind == "gated"
    message = str(caught.value)
    assert "full weights of model 'english' are needed" in message
    assert f"Accept the licence at {hub.url}/kyutai/pocket-tts" in message
    assert "set HF_TOKEN" in message
    assert "Finished voices (those of the catalogue, .safetensors files) speak without" in message
    assert not (tmp_path / "voices").exists()


def test_offline_it_says_what_to_do(hub: Hub, tmp_path: Path, prompt: Path) -> None:
    config = tiny_files.config_on_hub(hub)
    source = fetcher(tmp_path, hub, offline=True)
    with pytest.raises(DownloadError, match="downloads are switched off") as caught:
        VoiceCloner(source.fetch, tmp_path / "voices").voice(
            prompt, "english", config, tiny_files.identity()
        )
    assert caught.value.kind == "offline"
    assert "--voice-cloning" in str(caught.value)


def test_full_weights_of_another_model_are_refused(hub: Hub, tmp_path: Path, prompt: Path) -> None:
    config = tiny_files.config_on_hub(hub)
    hub.add_source(config.weights_path or "", tiny_files.weights_bytes(seed=9))
    source = fetcher(tmp_path, hub, token=RIGHT_TOKEN)
    with pytest.raises(ModelFileError, match="not the weights that model 'english' speaks with"):
        VoiceCloner(source.fetch, tmp_path / "voices").voice(
            prompt, "english", config, tiny_files.identity()
        )
    assert not (tmp_path / "voices").exists()


def test_a_model_that_cannot_clone_says_so(tmp_path: Path, prompt: Path) -> None:
    config = tiny_files.config_on_disk(tmp_path / "model")
    config = dataclasses.replace(
        config, weights_path=None, weights_path_without_voice_cloning=config.weights_path
    )
    with pytest.raises(ConfigError, match=r"'tiny' makes no voices .*cannot clone voices"):
        VoiceCloner(Path, tmp_path / "voices").voice(prompt, "tiny", config, tiny_files.identity())


def test_a_refused_recording_needs_no_weights(tmp_path: Path, hub: Hub) -> None:
    config = tiny_files.config_on_hub(hub)
    path = tmp_path / "short.wav"
    soundfile.write(path, *recording.speech(0.4))
    with pytest.raises(AudioPromptError, match="1 s is the least"):
        VoiceCloner(fetcher(tmp_path, hub).fetch, tmp_path / "voices").voice(
            path, "english", config, tiny_files.identity()
        )
    assert not hub.requests


# Through the host: a source may be a finished voice or a recording, from anywhere.


def make_host(entry: ModelEntry, source: Fetcher) -> ModelHost:
    cloner = VoiceCloner(source.fetch, source.own_folder / "voices")
    reader = VoiceReader(source.fetch, cloner)
    return ModelHost([entry], EngineOptions(slots=1), source.fetch, read_voice=reader)


def voice(source: str, name: str = "anna") -> Voice:
    return Voice(name=name, model="english", source=source, languages=("en",))


async def test_sources_of_a_voice(hub: Hub, tmp_path: Path, prompt: Path) -> None:
    config = tiny_files.config_on_hub(hub)
    content = await asyncio.to_thread(prompt.read_bytes)
    hub.add_source("hf://someone/voices/anna.flac@main", content)
    address = hub.add_plain("/files/anna.flac", PlainFile(content))
    finished = tiny_files.write_voice(tmp_path / "alba.safetensors")
    unnamed = tmp_path / "blob"
    shutil.copyfile(finished, unnamed)
    host = make_host(ModelEntry("english", config), fetcher(tmp_path, hub, token=RIGHT_TOKEN))
    try:
        wanted = expected(prompt)
        for source in (str(prompt), "hf://someone/voices/anna.flac@main", address):
            async with host.use(voice(source)) as speaker:
                assert_same(speaker.voice, wanted)
        for source in (str(finished), str(unnamed)):
            async with host.use(voice(source)) as speaker:
                assert_same(speaker.voice, tiny.voice())
    finally:
        await host.close()


async def test_without_access_catalogue_voices_go_on(
    hub: Hub, tmp_path: Path, prompt: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = tiny_files.config_on_hub(hub)
    finished = tiny_files.write_voice(tmp_path / "alba.safetensors")
    host = make_host(ModelEntry("english", config), fetcher(tmp_path, hub))
    anna, alba = voice(str(prompt)), voice(str(finished), "alba")
    caplog.set_level(logging.ERROR)
    try:
        for _ in range(2):
            with pytest.raises(
                ModelUnavailable, match=r"Voice 'anna' cannot be used: .*Accept the"
            ):
                async with host.use(anna):
                    pass
            async with host.use(alba) as speaker:
                assert_same(speaker.voice, tiny.voice())
        assert host.refused(anna)
        assert not host.refused(alba)
        # Said once in the log, however often it is asked for.
        assert caplog.text.count("Voice anna cannot be used") == 1
        # The licence was accepted meanwhile: no restart of anything is needed for the next attempt.
        hub.ungate("kyutai/pocket-tts")
        async with host.use(anna) as speaker:
            assert_same(speaker.voice, expected(prompt))
        assert not host.refused(anna)
    finally:
        await host.close()


async def test_a_voice_of_another_model_is_refused(hub: Hub, tmp_path: Path) -> None:
    config = tiny_files.config_on_hub(hub)
    foreign = tiny_files.write_voice(tmp_path / "foreign.safetensors", seed=3)
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(b"RIFF")
    host = make_host(ModelEntry("english", config), fetcher(tmp_path, hub))
    try:
        for path, reason in ((foreign, r"another model \(tiny-3\)"), (broken, "not a whole")):
            with pytest.raises(ModelUnavailable, match=reason) as caught:
                async with host.use(voice(str(path))):
                    pass
            assert isinstance(caught.value.__cause__, VoiceStateError)
    finally:
        await host.close()
