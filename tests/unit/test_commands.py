"""The commands for models and voices: what they fetch, make and print, and the exit codes of what goes wrong."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import soundfile
import yaml
from huggingface_hub import constants

from tests import recording, tiny_files
from tests.hub import Hub, PlainFile
from wyoming_pocket_tts import cli
from wyoming_pocket_tts.models.catalogue import Catalogue
from wyoming_pocket_tts.models.cloning import VoiceMaker
from wyoming_pocket_tts.models.voices import read_voice_metadata, read_voice_state
from wyoming_pocket_tts.prompts import read_prompt

TOKEN = "hf_right_token"
ENGLISH = Catalogue.load().model("english")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """The stand-in, found as users have the hub found: by the environment."""
    with Hub() as running:
        running.gate("kyutai/pocket-tts", token=TOKEN)
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        monkeypatch.setattr(constants, "ENDPOINT", running.url)
        monkeypatch.setattr(
            constants,
            "HUGGINGFACE_CO_URL_TEMPLATE",
            running.url + "/{repo_id}/resolve/{revision}/{filename}",
        )
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        yield running


@pytest.fixture
def community(hub: Hub, tmp_path: Path) -> str:
    """A community model on the hub, whose full weights are gated: its YAML's source."""
    config = tiny_files.config_on_hub(hub, "tiny")
    values = tiny_files.plain(dataclasses.asdict(config))
    source = "hf://someone/model/tiny.yaml"
    hub.add_source(source, yaml.safe_dump(values).encode())
    return source


def record(path: Path, seconds: float = 2.5) -> Path:
    path.parent.mkdir(exist_ok=True)
    soundfile.write(path, *recording.speech(seconds))
    return path


class Ran:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Runs a command with a cache of its own."""

    def run_command(command: str, *arguments: object) -> Ran:
        words = [command, *map(str, arguments), "--cache-dir", str(tmp_path / "cache")]
        code = cli.main(words)
        return Ran(code, *capsys.readouterr())

    return run_command


@pytest.mark.parametrize("command", ["export-voice", "voices", "download"])
def test_help_has_examples_and_fits_a_screen(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main([command, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "examples:" in lines
    assert any(line.startswith(f"  wyoming-pocket-tts {command}") for line in lines)
    assert len(lines) <= 32
    assert max(map(len, lines)) <= 80


# export-voice


def test_a_recording_becomes_a_file(run: Any, tmp_path: Path) -> None:
    anna = record(tmp_path / "anna.flac")
    model = tiny_files.yaml_on_disk(tmp_path / "model")
    out = tmp_path / "out" / "voice.safetensors"
    ran = run("export-voice", anna, out, "--config", model)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"{out}: 2.5 s of {anna}, for model model\n"
    metadata = read_voice_metadata(out)
    assert (metadata.model_name, metadata.model_identity) == ("model", tiny_files.identity())
    config = tiny_files.config_on_disk(tmp_path / "model")
    found = read_voice_state(out, config, identity=tiny_files.identity())
    wanted = VoiceMaker("m", config, Path).make(read_prompt(anna))
    assert found.keys[1].equal(wanted.keys[1])
    # As it was recorded, on request.
    plain = tmp_path / "plain.safetensors"
    assert run("export-voice", anna, plain, "--config", model, "--keep-loudness").code == 0
    kept = read_voice_state(plain, config)
    assert not kept.keys[1].equal(wanted.keys[1])
    assert kept.keys[1].equal(VoiceMaker("m", config, Path, None).make(read_prompt(anna)).keys[1])


def test_quiet_but_for_errors(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    record(folder / "anna.wav")
    record(folder / "short.wav", 0.3)
    model = tiny_files.yaml_on_disk(tmp_path / "model")
    ran = run("export-voice", folder, tmp_path / "voices", "-q", "--config", model)
    assert (tmp_path / "voices" / "anna.safetensors").is_file()
    assert ran.out == ""
    assert [line.partition(": ")[0] for line in ran.err.splitlines()] == [cli.PROGRAM]


def test_a_folder_becomes_a_folder(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "recordings"
    record(folder / "anna.wav")
    record(folder / "bert.OGG", 3)
    record(folder / "short.wav", 0.3)
    (folder / "notes.txt").write_text("no recording")
    model = tiny_files.yaml_on_disk(tmp_path / "model")
    ran = run("export-voice", folder, tmp_path / "voices", "--config", model)
    # The bad one is told, the others are made.
    assert ran.code == cli.EXIT_USAGE
    assert "short.wav: the 0.3 s used of it hold" in ran.err
    made = sorted(path.name for path in (tmp_path / "voices").iterdir())
    assert made == ["anna.safetensors", "bert.safetensors"]
    assert len(ran.out.splitlines()) == 2


def test_addresses(run: Any, hub: Hub, tmp_path: Path) -> None:
    content = record(tmp_path / "anna.wav").read_bytes()
    hub.add_source("hf://someone/voices/anna.wav@main", content)
    address = hub.add_plain("/voices/bert.wav", PlainFile(content))
    model = tiny_files.yaml_on_disk(tmp_path / "model")
    out = tmp_path / "voices"
    for source, name in (("hf://someone/voices/anna.wav@main", "anna"), (address, "bert")):
        assert run("export-voice", source, out, "--config", model).code == 0
        assert (out / f"{name}.safetensors").is_file()


def test_gated_weights(
    run: Any, hub: Hub, community: str, tmp_path: Path, monkeypatch: Any
) -> None:
    anna = record(tmp_path / "anna.wav")
    out = tmp_path / "anna.safetensors"
    ran = run("export-voice", anna, out, "--config", community)
    assert ran.code == cli.EXIT_UNAVAILABLE
    assert "full weights of model 'tiny' are needed" in ran.err
    assert "Accept the licence at" in ran.err
    assert "set HF_TOKEN" in ran.err
    assert not out.exists()
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert run("export-voice", anna, out, "--config", community).code == 0
    # Now that everything is here, no network is needed.
    hub.stop()
    monkeypatch.delenv("HF_TOKEN")
    again = tmp_path / "again.safetensors"
    assert run("export-voice", anna, again, "--config", community, "--offline").code == 0
    config = tiny_files.config_on_disk(tmp_path / "model")
    for one, other in zip(
        *(read_voice_state(path, config).keys for path in (out, again)), strict=True
    ):
        assert one.equal(other)


def test_offline_without_the_weights(run: Any, hub: Hub, tmp_path: Path) -> None:
    anna = record(tmp_path / "anna.wav")
    ran = run("export-voice", anna, tmp_path / "a.safetensors", "--language", "de", "--offline")
    assert ran.code == cli.EXIT_UNAVAILABLE
    assert "full weights of model 'german'" in ran.err
    assert "--voice-cloning" in ran.err
    assert not hub.requests


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (["missing.wav", "a.safetensors"], 3, "missing.wav: there is no such file"),
        (["anna.wav", "other.wav"], 2, "OUT: other.wav must end in .safetensors or be a folder"),
        (["ftp://x/a.wav", "a.safetensors"], 2, "unknown kind of source ftp://"),
        (["folder", "a.safetensors"], 2, "OUT: a.safetensors must be a folder"),
        (["folder", "out"], 2, "AUDIO: folder holds no recordings"),
        (["text.wav", "a.safetensors"], 2, "text.wav: is not a recording that can be read"),
        (["anna.wav", "a.safetensors", "--model", "englsh"], 2, "Did you mean 'english'"),
        (["anna.wav", "a.safetensors", "--model", "x", "--language", "y"], 2, "not allowed with"),
        (["anna.wav"], 2, "OUT"),
    ],
)
def test_mistakes(
    run: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    part: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    record(tmp_path / "anna.wav")
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.wav").write_text("text")
    ran = run("export-voice", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert part in ran.err
    assert len(ran.err.splitlines()) == 1


# voices


def test_the_table(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    ran = run("voices", "--language", "english", "--language", "de")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].split() == ["NAME", "LANGUAGE", "MODEL", "HERE", "DESCRIPTION"]
    assert len(lines) == 1 + 2 * 27
    assert "alba (default)" in ran.out
    (german,) = [line for line in lines if line.startswith("alba-de ")]
    assert german.split()[:4] == ["alba-de", "de", "german", "no"]
    assert "speaks German here" in german
    ran = run("voices", "--offline")
    assert {line.split()[3] for line in ran.out.splitlines()[2:4]} == {"never"}


def test_json_with_ones_own_voices(run: Any, tmp_path: Path) -> None:
    model = tiny_files.yaml_on_disk(tmp_path / "model")
    finished = tiny_files.write_voice(tmp_path / "bert.safetensors")
    record(tmp_path / "voices" / "anna.wav")
    settings = tmp_path / "home.yaml"
    settings.write_text(
        f"models: {{mine: {{config: '{model}', languages: [nl]}}}}\n"
        f"voices: {{bert: {{source: '{finished}', aliases: [door]}}}}\n"
        "voices_dir: voices\n"
    )
    ran = run("voices", "--settings", settings, "--json")
    bert, anna = json.loads(ran.out)
    assert bert == {
        "name": "bert",
        "languages": ["nl"],
        "description": "bert",
        "model": "mine",
        "native": True,
        "aliases": ["door"],
        "speakers": {},
        "installed": True,
        "here": True,
        "source": str(finished),
        "attribution": {"name": "", "url": ""},
    }
    # The model has one file of weights, which is here: the voice can be made.
    assert (anna["name"], anna["model"], anna["here"]) == ("anna", "mine", True)


def test_wrong_settings(run: Any, tmp_path: Path) -> None:
    ran = run("voices", "--language", "klingon")
    assert ran.code == cli.EXIT_USAGE
    assert "languages: 'klingon' is neither" in ran.err
    ran = run("voices", "--settings", tmp_path / "missing.yaml")
    assert ran.code == cli.EXIT_USAGE


# download


def serve_catalogue(hub: Hub, name: str, voices: tuple[str, ...]) -> None:
    """Puts the files of a catalogue model on the hub; nothing looks into them here."""
    catalogue = Catalogue.load()
    model = catalogue.model(name)
    config = model.loading_config()
    hub.add_source(config.weights_path or "", b"full")
    hub.add_source(config.weights_path_without_voice_cloning or "", b"open")
    hub.add_source(config.flow_lm.lookup_table.tokenizer_path, b"tokenizer")
    for voice in voices:
        hub.add_source(catalogue.voice_state_source(model, catalogue.voice(voice)), b"voice")


def test_a_language_and_its_voice(run: Any, hub: Hub) -> None:
    serve_catalogue(hub, "german", ("juergen",))
    ran = run("download", "--language", "german")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[-1].startswith("3 files, 0.0 MB; voices: juergen")
    paths = [Path(line.strip()) for line in lines[1:-1:2]]
    assert [path.read_bytes() for path in paths] == [b"open", b"tokenizer", b"voice"]
    # Again, with no network: everything is there.
    hub.stop()
    assert run("download", "--language", "german").out == ran.out


def test_voices_by_name_and_all_of_them(run: Any, hub: Hub) -> None:
    names = tuple(voice.name for voice in Catalogue.load().voices)
    serve_catalogue(hub, "english", names)
    serve_catalogue(hub, "german", names)
    both = ("--language", "english", "--language", "german")
    ran = run("download", *both, "--voice", "alba-de", "--voice", "ANNA")
    assert ran.code == 0
    assert ran.out.splitlines()[-1].startswith("6 files, 0.0 MB; voices: alba-de, anna")
    ran = run("download", *both)
    assert ran.out.splitlines()[-1].startswith("6 files, 0.0 MB; voices: alba, juergen")
    ran = run("download", *both, "--all-voices")
    assert ran.out.splitlines()[-1].startswith("58 files,")
    ran = run("download", *both, "--voice", "albo")
    assert (ran.code, ran.out) == (cli.EXIT_UNAVAILABLE, "")
    assert "Did you mean 'alba'" in ran.err


def test_the_full_weights(run: Any, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    serve_catalogue(hub, "english", ("alba",))
    ran = run("download", "--voice-cloning")
    # What can be had is there all the same.
    assert ran.code == cli.EXIT_UNAVAILABLE
    assert "Accept the licence at" in ran.err
    assert "Not everything could be fetched" in ran.err
    assert ran.out.splitlines()[-1].startswith("3 files,")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    ran = run("download", "--voice-cloning")
    assert ran.code == 0
    assert ran.out.splitlines()[-1].startswith("4 files,")
    assert TOKEN not in ran.out + ran.err


def test_progress_is_shown_and_a_broken_download_goes_on(run: Any, hub: Hub) -> None:
    serve_catalogue(hub, "english", ("alba",))
    config = ENGLISH.loading_config()
    content = bytes(300_000)
    hub.add_source(config.weights_path_without_voice_cloning or "", content)
    hub.cut("model.safetensors", 100_000)
    ran = run("download")
    assert ran.code == 0
    assert "Downloaded hf://kyutai/pocket-tts-without-voice-cloning/languages/english" in ran.err
    assert len(hub.downloads("model.safetensors")) == 2


def test_without_a_network(run: Any, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.stop()

    def sleep(seconds: float) -> None:
        pytest.fail("waits to try again")

    monkeypatch.setattr("time.sleep", sleep)
    ran = run("download", "--language", "german", "--voice-cloning")
    assert ran.code == cli.EXIT_UNAVAILABLE
    # Once, not for each of the files.
    assert ran.err.count("the hub cannot be reached") == 1
    assert len(ran.err.splitlines()) == 2
    assert ran.out.startswith("0 files")


def test_a_community_model_without_voices(run: Any, community: str) -> None:
    ran = run("download", "--config", community)
    assert ran.code == 0
    assert ran.out.splitlines()[-1].startswith("2 files, ")
    assert ran.out.splitlines()[-1].endswith("voices: none")
    ran = run("download", "--config", community, "--voice-cloning")
    assert ran.code == cli.EXIT_UNAVAILABLE
    assert "Accept the licence at" in ran.err
    ran = run("voices", "--config", community)
    assert (ran.code, len(ran.out.splitlines())) == (0, 1)
    assert ran.out.startswith("NAME")
    assert "There is no voice for tiny yet: make one from a recording" in ran.err
    assert run("voices", "--config", community, "--json").out == "[]\n"


def test_a_voice_of_the_catalogue_for_a_community_model(run: Any, community: str) -> None:
    ran = run("download", "--config", community, "--voice", "alba")
    assert (ran.code, ran.out) == (cli.EXIT_UNAVAILABLE, "")
    assert "'alba' does not fit tiny" in ran.err
    assert "belongs to the weights it was made with" in ran.err
    assert "no voice 'zz' here" in run("download", "--config", community, "--voice", "zz").err
