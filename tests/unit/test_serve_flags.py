"""Flags of `serve` that are more than a setting: a default voice that is a file, names other programs use."""

from __future__ import annotations

import io
import logging
from pathlib import Path

import pytest

from tests import tiny_files
from wyoming_pocket_tts import app, cli, logs
from wyoming_pocket_tts.errors import ModelUnavailable
from wyoming_pocket_tts.local_speech import LocalSpeech
from wyoming_pocket_tts.settings import Settings, VoiceSettings


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """What `serve` was started with; it does not really start, nor does it end this process."""
    started: list[Settings] = []

    def serve(settings: Settings) -> int:
        started.append(settings)
        return 0

    monkeypatch.setattr(app, "serve", serve)
    monkeypatch.setattr(app, "leave_soon", lambda code: None)
    monkeypatch.setattr("signal.signal", lambda number, action: None)
    return started


def serve(served: list[Settings], *flags: str) -> Settings:
    assert cli.main(["serve", *flags]) == 0
    return served.pop()


# The default voice


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("https://example.org/voices/Anna%20B.wav?x=1", "Anna_B"),
        ("hf://someone/voices/de/bert.safetensors@main", "bert"),
    ],
)
def test_a_default_voice_may_be_an_address(served: list[Settings], given: str, name: str) -> None:
    settings = serve(served, "--default-voice", given)
    assert settings.default_voice == name
    assert settings.voices == {name: VoiceSettings(source=given)}


def test_a_default_voice_that_is_no_file(
    served: list[Settings], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "absent.wav"
    assert cli.main(["serve", "--default-voice", str(path)]) == cli.EXIT_UNAVAILABLE
    assert capsys.readouterr().err == (
        f"wyoming-pocket-tts: --default-voice: {path}: there is no such file.\n"
    )
    assert not served


async def test_a_community_model_speaks_with_a_file(served: list[Settings], tmp_path: Path) -> None:
    """Without it the model would have no voice; one that is broken ends the start, and says why."""
    model = tiny_files.yaml_on_disk(tmp_path / "model")
    voice = tiny_files.write_voice(tmp_path / "anna.safetensors")
    flags = ("--config", str(model), "--default-voice", str(voice), "--threads", "1", "--no-http")
    settings = serve(served, *flags, "--cache-dir", str(tmp_path / "cache"))
    speech = LocalSpeech(settings)
    await speech.load()
    default = speech.synthesizer.default_voice
    await speech.close()
    assert default is not None
    assert (default.name, default.source) == ("anna", str(voice))

    voice.write_bytes(b"no voice at all")
    speech = LocalSpeech(settings)
    with pytest.raises(ModelUnavailable, match=r"anna\.safetensors"):
        await speech.load()
    await speech.close()


# Names and values of other programs


def test_the_librarys_name_of_decode_steps(served: list[Settings]) -> None:
    assert serve(served, "--sampler-decode-steps", "3").engine.decode_steps == 3


@pytest.mark.parametrize(
    "pattern", ["%(levelname)s:%(name)s:%(message)s", "{levelname}:{name}:{message}"]
)
def test_a_pattern_for_the_log(served: list[Settings], pattern: str) -> None:
    assert serve(served, "--log-format", pattern).logging.format == pattern
    stream = io.StringIO()
    logs.configure("info", pattern, secrets=["hf_secretsecret"], stream=stream)
    logger = logging.getLogger("here")
    logger.info("one\ntwo %s", "hf_secretsecret", extra={"voice": "anna"})
    assert stream.getvalue() == "INFO:here:one\\ntwo [hidden] voice=anna\n"
    try:
        raise RuntimeError("broken")
    except RuntimeError:
        logger.exception("failed")
    assert "ERROR:here:failed\nTraceback" in stream.getvalue()
    assert stream.getvalue().count("RuntimeError: broken") == 1


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        ("xml", "must be text, json or a pattern"),
        ("%(nothing)s", "no pattern for a log"),
        ("{", "no pattern for a log"),
        ("%(message)", "no pattern for a log"),
    ],
)
def test_what_is_no_pattern(
    served: list[Settings], capsys: pytest.CaptureFixture[str], pattern: str, part: str
) -> None:
    assert cli.main(["serve", "--log-format", pattern]) == cli.EXIT_USAGE
    told = capsys.readouterr().err
    assert part in told
    assert "--log-format" in told
    assert not served
