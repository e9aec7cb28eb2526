"""The voices directory: what appears, changes and goes, and what is left out with which words."""

from __future__ import annotations

import logging
import os
import shutil
import time
from pathlib import Path

import pytest
import soundfile

from tests import recording, tiny_files
from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.errors import ConfigError
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.loading import ModelEntry
from wyoming_pocket_tts.sound.options import SoundChoice
from wyoming_pocket_tts.voices_folder import VoicesFolder


class Places:
    """Two models, English and French; "alba" is another voice already."""

    def __init__(self, config: ModelConfig) -> None:
        self.fits: dict[str, str] = {}
        self.entries = (
            ModelEntry("english", config, "en"),
            ModelEntry("tiny-0", config, "fr"),
        )

    def place(self, where: str, model: str | None, language: str | None) -> ModelEntry:
        for entry in self.entries:
            if model == entry.name or (model is None and language in (None, entry.language)):
                return entry
        raise ConfigError(f"{where}: no such model or language")

    def fitting(self, source: str) -> ModelEntry | None:
        name = self.fits.get(Path(source).name)
        return next((entry for entry in self.entries if entry.name == name), None)

    def languages(self, entry: ModelEntry) -> tuple[str, ...]:
        return (entry.language,)

    def is_taken(self, name: str) -> bool:
        return name.casefold() == "alba"


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> ModelConfig:
    return tiny_files.config_on_disk(tmp_path_factory.mktemp("model"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "voices"
    path.mkdir()
    return path


@pytest.fixture
def scanner(folder: Path, config: ModelConfig) -> VoicesFolder:
    return VoicesFolder(folder, Places(config))


def record(path: Path, seconds: float = 2.5) -> Path:
    """A recording that was copied there a while ago."""
    soundfile.write(path, *recording.speech(seconds))
    return age(path)


def age(path: Path, seconds: float = 60) -> Path:
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return age(path)


def names(voices: tuple[Voice, ...]) -> list[str]:
    return [voice.name for voice in voices]


def complaints(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_recordings_and_finished_voices_are_voices(folder: Path, scanner: VoicesFolder) -> None:
    assert scanner.scan() == ()
    record(folder / "Grandma Ann.wav")
    record(folder / "bert.FLAC")
    age(tiny_files.write_voice(folder / "carla.safetensors"))
    write(folder / "README.txt", "hello")
    record(folder / "clip.wav").rename(folder / ".hidden.wav")
    (folder / "sub").mkdir()
    record(folder / "sub" / "deep.wav")
    found = scanner.scan()
    assert names(found) == ["Grandma Ann", "bert", "carla"]
    ann = found[0]
    assert ann.source == str(folder / "Grandma Ann.wav")
    assert (ann.model, ann.languages, ann.description) == ("english", ("en",), "Grandma Ann")
    assert scanner.scan() == found


def test_voices_come_change_and_go(folder: Path, scanner: VoicesFolder) -> None:
    anna = record(folder / "anna.wav")
    (first,) = scanner.scan()
    record(anna, 3)
    (second,) = scanner.scan()
    assert second.name == "anna"
    assert second.version != first.version
    record(folder / "bert.ogg")
    assert names(scanner.scan()) == ["anna", "bert"]
    anna.unlink()
    assert names(scanner.scan()) == ["bert"]
    shutil.rmtree(folder)
    assert scanner.scan() == ()
    folder.mkdir()
    record(anna)
    assert names(scanner.scan()) == ["anna"]


def test_a_file_that_is_being_written_is_left_until_it_rests(
    folder: Path, config: ModelConfig, caplog: pytest.LogCaptureFixture
) -> None:
    scanner = VoicesFolder(folder, Places(config))
    content = record(folder / "whole.wav").read_bytes()
    (folder / "whole.wav").unlink()
    path = folder / "anna.wav"
    for part in (100, 1_000, len(content)):
        path.write_bytes(content[:part])
        assert scanner.scan() == ()
    # Seen twice as it is: it rests.
    assert names(scanner.scan()) == ["anna"]
    # And while it is replaced, there is none.
    path.write_bytes(content[: len(content) // 2])
    assert scanner.scan() == ()
    path.write_bytes(content + b"\0\0")
    assert scanner.scan() == ()
    assert names(scanner.scan()) == ["anna"]
    assert not complaints(caplog)


def test_a_clock_that_is_ahead_delays_a_file_by_one_look(
    folder: Path, scanner: VoicesFolder
) -> None:
    age(record(folder / "anna.wav"), seconds=-3600)
    assert scanner.scan() == ()
    assert names(scanner.scan()) == ["anna"]


# Sidecars


def test_a_sidecar_says_more(folder: Path, scanner: VoicesFolder) -> None:
    record(folder / "anna.wav")
    write(
        folder / "anna.yaml",
        "description: Anna, as she reads aloud\nlanguage: fr\naliases: [mum, Mama]\nspeed: 0.9\nvolume_db: 3\n",
    )
    record(folder / "bert.wav")
    write(folder / "bert.yml", "model: tiny-0\nlanguages: [en, fr]\n")
    record(folder / "carla.wav")
    write(folder / "carla.yaml", "# nothing yet\n")
    anna, bert, carla = scanner.scan()
    assert anna.description == "Anna, as she reads aloud"
    assert (anna.model, anna.languages, anna.aliases) == ("tiny-0", ("fr",), ("mum", "Mama"))
    assert anna.sound == SoundChoice(speed=0.9, volume_db=3.0)
    assert (bert.model, bert.languages) == ("tiny-0", ("en", "fr"))
    assert (carla.model, carla.languages, carla.description) == ("english", ("en",), "carla")
    write(folder / "anna.yaml", "description: Anna\n")
    (folder / "bert.yml").unlink()
    anna, bert, _ = scanner.scan()
    assert (anna.description, anna.model, anna.aliases) == ("Anna", "english", ())
    assert (bert.description, bert.model) == ("bert", "english")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("descripton: x", "anna.yaml: descripton: is not a known key. Did you mean 'description'?"),
        ("model: nothing", "anna.yaml: no such model or language"),
        ("language: German", "anna.yaml: language: 'German' is not a language code"),
        ("language: en\nlanguages: [fr]", "language and languages are both there"),
        ("aliases: ['']", "anna.yaml: alias '' must be 1 to 100 printable characters"),
        ("speed: 9", "anna.yaml: speed must be between 0.5 and 2, not 9.0"),
        ("a: [", "anna.yaml: is not valid YAML: line"),
        ("- x", "anna.yaml: must be a mapping"),
        ("description: x\ndescription: y", "stands there twice"),
    ],
)
def test_a_wrong_sidecar_leaves_its_voice_out(
    folder: Path,
    scanner: VoicesFolder,
    caplog: pytest.LogCaptureFixture,
    text: str,
    reason: str,
) -> None:
    record(folder / "anna.wav")
    record(folder / "bert.wav")
    write(folder / "anna.yaml", text)
    assert names(scanner.scan()) == ["bert"]
    (complaint,) = complaints(caplog)
    assert complaint.startswith("A file of the voices directory is left out: anna.yaml: ")
    assert reason in complaint
    write(folder / "anna.yaml", "description: mended")
    assert names(scanner.scan()) == ["anna", "bert"]


# Left out


def test_a_bad_file_is_told_once_until_it_changes(
    folder: Path, scanner: VoicesFolder, caplog: pytest.LogCaptureFixture
) -> None:
    record(folder / "good.wav")
    bad = write(folder / "bad.wav", "no audio")
    for _ in range(3):
        assert names(scanner.scan()) == ["good"]
    (complaint,) = complaints(caplog)
    assert complaint.startswith(
        "A file of the voices directory is left out: bad.wav: is not a recording"
    )
    assert str(folder) not in complaint
    write(bad, "no audio either")
    scanner.scan()
    assert len(complaints(caplog)) == 2
    record(bad)
    assert names(scanner.scan()) == ["bad", "good"]
    assert len(complaints(caplog)) == 2


def test_what_is_wrong_is_named(
    folder: Path, scanner: VoicesFolder, caplog: pytest.LogCaptureFixture
) -> None:
    record(folder / "short.wav", 0.5)
    write(folder / "phone.m4a", "....ftypM4A ")
    write(folder / "state.safetensors", "")
    record(folder / ("n" * 120 + ".wav"))
    record(folder / "Alba.wav")
    record(folder / "anna.wav")
    record(folder / "bert.wav")
    write(folder / "bert.yaml", "aliases: [ANNA]")
    (folder / "pipe").mkdir()
    os.mkfifo(folder / "pipe.wav")
    age(folder / "pipe.wav")
    (folder / "folder.wav").mkdir()
    age(folder / "folder.wav")
    assert names(scanner.scan()) == ["anna"]
    told = "\n".join(complaints(caplog))
    for part in (
        "short.wav: the 0.5 s used of it hold",
        "phone.m4a: is not a recording that can be read",
        "m4a, aac, wma, webm) can be converted",
        "state.safetensors: is not a whole safetensors file",
        "voice name 'nnn",
        "Alba.wav: another voice is called 'Alba' already",
        "bert.wav: 'ANNA' is voice 'anna' already",
        "pipe.wav: is not a file",
        "folder.wav: is not a file",
    ):
        assert part in told
    assert len(complaints(caplog)) == 8


def test_links_that_lead_out_are_refused(
    folder: Path, tmp_path: Path, scanner: VoicesFolder, caplog: pytest.LogCaptureFixture
) -> None:
    secret = record(tmp_path / "secret.wav")
    write(tmp_path / "secret.yaml", "description: secret")
    (folder / "out.wav").symlink_to(secret)
    (folder / "up.wav").symlink_to("../secret.wav")
    (folder / "nowhere.wav").symlink_to(tmp_path / "missing.wav")
    (folder / "circle.wav").symlink_to("circle.wav")
    record(folder / "anna.wav")
    (folder / "anna.yaml").symlink_to(tmp_path / "secret.yaml")
    record(folder / "real.wav")
    (folder / "link.wav").symlink_to("real.wav")
    scanner.scan()  # links that were made just now are looked at again first
    assert names(scanner.scan()) == ["link", "real"]
    told = "\n".join(complaints(caplog))
    for name in ("out.wav", "up.wav", "anna.yaml"):
        assert f"{name}: is a link that leads out of the folder" in told
    for name in ("nowhere.wav", "circle.wav"):
        assert f"{name}: cannot be read" in told
    assert len(complaints(caplog)) == 5


def test_a_folder_that_is_a_link_is_a_folder(
    folder: Path, tmp_path: Path, config: ModelConfig
) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)
    record(folder / "anna.wav")
    (voice,) = VoicesFolder(link, Places(config)).scan()
    assert voice.source == str(folder / "anna.wav")


def test_a_folder_that_is_not_there_is_told_once(
    tmp_path: Path, config: ModelConfig, caplog: pytest.LogCaptureFixture
) -> None:
    scanner = VoicesFolder(tmp_path / "later", Places(config))
    assert scanner.scan() == scanner.scan() == ()
    (complaint,) = complaints(caplog)
    assert "cannot be read: No such file" in complaint
    (tmp_path / "later").mkdir()
    record(tmp_path / "later" / "anna.wav")
    assert names(scanner.scan()) == ["anna"]


def test_many_bad_files_are_told_in_few_lines(
    folder: Path, scanner: VoicesFolder, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(50):
        write(folder / f"{number:02}.wav", "no audio")
    for _ in range(2):
        scanner.scan()
    told = complaints(caplog)
    assert len(told) == 21
    assert "00.wav" in told[0]
    assert told[-1].startswith("30 more files of the voices directory are left out")
    write(folder / "49.wav", "no audio either")
    scanner.scan()
    assert "49.wav" in complaints(caplog)[-1]
    assert len(complaints(caplog)) == 22


# Finished voices


def test_a_finished_voice_goes_to_the_model_with_its_weights(
    folder: Path, config: ModelConfig, caplog: pytest.LogCaptureFixture
) -> None:
    places = Places(config)
    scanner = VoicesFolder(folder, places)
    age(tiny_files.write_voice(folder / "anna.safetensors", seed=7))
    age(tiny_files.write_voice(folder / "bert.safetensors", seed=7))
    write(folder / "bert.yaml", "model: english")
    write(folder / "bad.safetensors", "")
    assert [voice.model for voice in scanner.scan()] == ["english", "english"]
    # Known later, as after a download; what the owner wrote goes before it.
    places.fits = {"anna.safetensors": "tiny-0", "bert.safetensors": "tiny-0"}
    assert [voice.model for voice in scanner.scan()] == ["english", "english"]
    scanner.place_again()
    assert [voice.model for voice in scanner.scan()] == ["tiny-0", "english"]
    assert len(complaints(caplog)) == 1


def test_a_finished_voice_goes_before_a_recording_of_its_name(
    folder: Path, scanner: VoicesFolder
) -> None:
    record(folder / "anna.wav")
    age(tiny_files.write_voice(folder / "anna.safetensors"))
    (voice,) = scanner.scan()
    assert voice.source.endswith("anna.safetensors")


def test_a_finished_voice_knows_its_model(folder: Path, scanner: VoicesFolder) -> None:
    age(tiny_files.write_voice(folder / "anna.safetensors", seed=0))  # made for "tiny-0"
    age(
        tiny_files.write_voice(folder / "bert.safetensors", seed=7)
    )  # made for one that is not here
    age(tiny_files.write_voice(folder / "carla.safetensors", seed=0))
    write(folder / "carla.yaml", "language: en")
    assert [voice.model for voice in scanner.scan()] == ["tiny-0", "english", "english"]
