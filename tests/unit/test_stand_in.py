"""A home must not go silent: where the default voice cannot speak, another one does, and the owner is told of it until it can."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests import tiny_files
from tests.protocol.helpers import until
from tests.unit.test_own_voices import names, record, same, settings, speak
from wyoming_pocket_tts import local_speech, own_voices
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.errors import DownloadError, ModelUnavailable, VoiceNotFound
from wyoming_pocket_tts.local_speech import LocalSpeech
from wyoming_pocket_tts.models.book import Voice, VoiceBook
from wyoming_pocket_tts.models.cloning import VoiceCloner
from wyoming_pocket_tts.notices import Notices
from wyoming_pocket_tts.settings import Settings
from wyoming_pocket_tts.synthesizer import Synthesizer


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_voices, "_LOOK_EVERY_S", 0.02)
    monkeypatch.setattr(local_speech, "_AGAIN_S", (0.02,))


@pytest.fixture(scope="module")
def model_yaml(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_files.yaml_on_disk(tmp_path_factory.mktemp("model"))


@contextlib.asynccontextmanager
async def running(chosen: Settings, notices: Notices) -> AsyncIterator[Synthesizer]:
    speech = LocalSpeech(chosen, notices)
    await speech.load()
    try:
        yield speech.synthesizer
    finally:
        await speech.close()


def told(notices: Notices) -> str:
    return "\n".join(notices.texts())


# The rule


def book(*names: str, **options: Any) -> VoiceBook:
    return VoiceBook([Voice(name, "m", "x", ("en",)) for name in names], growing=True, **options)


def test_another_voice_speaks_for_one_that_is_missing() -> None:
    voices = book("alba", "anna", default_voice="bert", stand_in="anna")
    assert voices.default.name == "anna"
    assert voices.wanted is None
    assert voices.missing == (
        "default_voice: There is no voice 'bert' here. Voices: alba, anna. Voice 'anna' speaks in its place.",
    )
    with pytest.raises(VoiceNotFound):
        voices.choose("bert", None, None)


def test_another_voice_speaks_for_one_that_is_unusable() -> None:
    voices = book("alba", "anna", default_voice="ANNA", stand_in="alba", unusable=("anna",))
    assert voices.default.name == "alba"
    assert voices.wanted is not None
    assert voices.wanted.name == "anna"
    assert "'alba' speaks in its place" in voices.missing[0]


def test_nobody_stands_in_for_a_voice_that_can_speak() -> None:
    voices = book("alba", "anna", default_voice="anna", stand_in="alba", unusable=("alba",))
    assert voices.default.name == "anna"
    assert voices.missing == ()


# In a running process


async def test_a_default_voice_that_comes_later(tmp_path: Path, model_yaml: Path) -> None:
    notices = Notices()
    chosen = settings(tmp_path, model_yaml, load="background", default_voice="anna")
    async with running(chosen, notices) as synthesizer:
        assert same(await speak(synthesizer), await speak(synthesizer, "bert"))
        assert "'bert' speaks in its place" in told(notices)
        record(tmp_path / "voices" / "anna.wav")
        await until(lambda: "anna" in names(synthesizer))
        assert same(await speak(synthesizer), await speak(synthesizer, "anna"))
        assert told(notices) == ""


async def test_a_wrong_default_voice_does_not_end_a_server_that_loads_in_the_background(
    tmp_path: Path, model_yaml: Path
) -> None:
    """Without a voices directory too: an owner's wrong folder may have been left out."""
    notices = Notices()
    chosen = settings(
        tmp_path, model_yaml, load="background", default_voice="nobody", voices_dir=None
    )
    async with running(chosen, notices) as synthesizer:
        assert await speak(synthesizer)
        assert "There is no voice 'nobody' here" in told(notices)


async def test_a_token_without_access_is_told_until_it_has(
    tmp_path: Path, model_yaml: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gated = [True]
    make = VoiceCloner.voice

    def voice(cloner: VoiceCloner, *arguments: Any) -> VoiceState:
        if gated[0]:
            raise DownloadError("x: access is refused.", source="x", kind="gated")
        return make(cloner, *arguments)

    monkeypatch.setattr(VoiceCloner, "voice", voice)
    notices = Notices()
    chosen = settings(tmp_path, model_yaml, load="background", default_voice="anna")
    record(tmp_path / "voices" / "anna.wav")
    async with running(chosen, notices) as synthesizer:
        await until(lambda: "speaks in its place" in told(notices))
        assert "Voice anna cannot be used: x: access is refused." in told(notices)
        assert same(await speak(synthesizer), await speak(synthesizer, "bert"))
        with pytest.raises(ModelUnavailable, match="access is refused"):
            await speak(synthesizer, "anna")
        gated[0] = False
        # Nobody has to ask for it: it is tried again.
        await until(lambda: not notices.texts())
        assert same(await speak(synthesizer), await speak(synthesizer, "anna"))


async def test_what_is_told_of_a_voice_goes_with_it(
    tmp_path: Path, model_yaml: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def voice(*_: Any) -> VoiceState:
        raise DownloadError("x: access is refused.", source="x", kind="gated")

    monkeypatch.setattr(VoiceCloner, "voice", voice)
    notices = Notices()
    chosen = settings(tmp_path, model_yaml, load="background")
    record(tmp_path / "voices" / "anna.wav")
    async with running(chosen, notices):
        await until(lambda: "Voice anna cannot be used" in told(notices))
        (tmp_path / "voices" / "anna.wav").unlink()
        await until(lambda: not notices.texts())


async def test_what_is_wrong_with_the_folder_is_told(tmp_path: Path, model_yaml: Path) -> None:
    notices = Notices()
    chosen = settings(tmp_path, model_yaml, load="background")
    folder = tmp_path / "voices"
    for name in ("one.wav", "two.wav"):
        (folder / name).write_text("no sound")
        os.utime(folder / name, (1, 1))
    async with running(chosen, notices):
        assert "left out: one.wav: is not a recording" in told(notices)
        assert "The log names 1 more." in told(notices)
        (folder / "two.wav").unlink()
        await until(lambda: "The log names" not in told(notices))
        (folder / "one.wav").unlink()
        await until(lambda: not notices.texts())
        folder.rename(tmp_path / "elsewhere")
        await until(lambda: "The voices directory cannot be read" in told(notices))
        assert str(folder) in told(notices)
        (tmp_path / "elsewhere").rename(folder)
        await until(lambda: not notices.texts())


async def test_an_unforeseen_fault_of_loading_is_tried_again(
    tmp_path: Path, model_yaml: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    load = LocalSpeech._load_models
    tries = itertools.count()

    async def fails_once(*arguments: Any) -> None:
        if next(tries) == 0:
            raise ZeroDivisionError
        await load(*arguments)

    monkeypatch.setattr(LocalSpeech, "_load_models", fails_once)
    async with running(settings(tmp_path, model_yaml, load="background"), Notices()) as synthesizer:
        await until(lambda: synthesizer._host._held)
        assert caplog.text.count("Loading failed; it is tried again") == 1
