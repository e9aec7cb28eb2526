"""Finished voices and the weights they were made with: what is known before anything is loaded."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests import tiny, tiny_files
from wyoming_pocket_tts.assembly import Assembly
from wyoming_pocket_tts.models.availability import Availability
from wyoming_pocket_tts.models.catalogue import Catalogue
from wyoming_pocket_tts.models.cloning import VoiceCloner
from wyoming_pocket_tts.models.identities import Identities
from wyoming_pocket_tts.models.loading import ModelEntry
from wyoming_pocket_tts.models.voices import write_voice_state
from wyoming_pocket_tts.settings import ModelSettings, Settings, VoiceSettings
from wyoming_pocket_tts.voices_folder import VoicesFolder


def here(source: str) -> Path | None:
    return Path(source) if Path(source).exists() else None


def entry(folder: Path, seed: int) -> ModelEntry:
    return ModelEntry(folder.name, tiny_files.config_on_disk(folder, seed))


def test_a_models_identity_is_known_once_its_weights_are_here(tmp_path: Path) -> None:
    one = entry(tmp_path / "one", 0)
    weights = Path(one.config.weights_path or "")
    weights.rename(tmp_path / "elsewhere")
    identities = Identities(here)
    assert identities.of_model(one) is None
    (tmp_path / "elsewhere").rename(weights)
    assert identities.of_model(one) == tiny_files.identity(0)
    # Worked out once.
    weights.unlink()
    assert identities.of_model(one) == tiny_files.identity(0)


def test_weights_that_cannot_be_read_say_nothing(tmp_path: Path) -> None:
    one = entry(tmp_path / "one", 0)
    Path(one.config.weights_path or "").write_text("no weights")
    assert Identities(here).of_model(one) is None


def test_which_model_a_voice_fits(tmp_path: Path) -> None:
    one, two = entry(tmp_path / "one", 0), entry(tmp_path / "two", 7)
    identities = Identities(here)
    voice = str(tiny_files.write_voice(tmp_path / "anna.safetensors", seed=7))
    assert identities.fitting(voice, (one, two)) is two
    assert identities.fitting(voice, (one,)) is None
    assert identities.misfit(voice, two) == ""
    assert "made with the weights of another model (tiny-7), not those of one" in identities.misfit(
        voice, one
    )
    # Nothing is known of what others wrote, of recordings and of what is not there.
    unsigned = tmp_path / "unsigned.safetensors"
    write_voice_state(unsigned, tiny.voice())
    (tmp_path / "broken.safetensors").write_text("")
    (tmp_path / "bert.wav").write_bytes(b"RIFF1234WAVE")
    for name in ("unsigned.safetensors", "broken.safetensors", "bert.wav", "missing.safetensors"):
        assert identities.fitting(str(tmp_path / name), (one, two)) is None
        assert identities.misfit(str(tmp_path / name), one) == ""


def assembled(tmp_path: Path, **voices: VoiceSettings) -> Assembly:
    models = {
        name: ModelSettings(config=str(tiny_files.yaml_on_disk(tmp_path / name, seed)))
        for name, seed in (("one", 0), ("two", 7))
    }
    available = Availability(here, VoiceCloner(Path, tmp_path / "kept"), offline=False)
    return Assembly(
        Settings(languages=(), models=models, voices=voices, voices_dir=tmp_path / "voices"),
        Catalogue.load(),
        Path,
        speakable=available.voice,
        identities=available.identities,
    )


def test_voices_that_cannot_speak_are_not_installed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for seed in (0, 7, 9):
        tiny_files.write_voice(tmp_path / f"{seed}.safetensors", seed=seed)
    paths = {seed: str(tmp_path / f"{seed}.safetensors") for seed in (0, 7, 9)}
    made = assembled(
        tmp_path,
        right=VoiceSettings(source=paths[0]),
        routed=VoiceSettings(source=paths[7]),
        wrong=VoiceSettings(source=paths[7], model="one"),
        foreign=VoiceSettings(source=paths[9]),
    )
    folder = tmp_path / "voices"
    folder.mkdir()
    tiny_files.write_voice(folder / "dropped.safetensors", seed=7)
    tiny_files.write_voice(folder / "stray.safetensors", seed=9)
    with caplog.at_level(logging.WARNING):
        found = VoicesFolder(folder, made, settled_s=0).scan()
        for _ in range(3):
            book = made.make_book(found)
    shown = {voice.name: (voice.model, voice.installed) for voice in book.voices}
    assert shown == {
        "right": ("one", True),
        "routed": ("two", True),
        "wrong": ("one", False),
        "foreign": ("one", False),
        "dropped": ("two", True),
        "stray": ("one", False),
    }
    # One line for each.
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 3
    assert all("cannot be used" in one and "weights of another model" in one for one in told)
