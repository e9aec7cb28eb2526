"""`wyoming-pocket-tts text`: what it prints, for people and for programs."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from wyoming_pocket_tts import cli


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert cli.main(["text", *arguments]) == code
    captured = capsys.readouterr()
    return captured.err if code else captured.out


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(told(capsys, "--json", *arguments))
    return said


def test_a_person_sees_the_spoken_form_and_the_segments(capsys: pytest.CaptureFixture[str]) -> None:
    out = told(capsys, "It is 21.5 °C.\n\nThe **door** of the garage was left open at 22:05.")
    assert out.splitlines() == [
        "language  en (rules: en)",
        "spoken    It is twenty-one point five degrees Celsius.",
        "",
        "The door of the garage was left open at twenty-two oh five.",
        "",
        "  1  ~14 tokens, then 300 ms",
        "     It is twenty-one point five degrees Celsius.",
        "",
        "  2  ~17 tokens",
        "     The door of the garage was left open at twenty-two oh five.",
    ]


def test_a_program_gets_everything(capsys: pytest.CaptureFixture[str]) -> None:
    said = as_json(capsys, "--language", "german", "Es sind 21,5 °C.")
    assert (said["language"], said["rules"], said["tokens_estimated"]) == ("de", "de", True)
    assert said["text"] == "Es sind 21,5 °C."
    assert said["spoken"] == "Es sind einundzwanzig Komma fünf Grad Celsius."
    (segment,) = said["segments"]
    assert segment["prepared"].strip() == said["spoken"]
    assert segment["tokens"] > 5
    assert {"text", "continuation", "ends_sentence", "pause_ms"} < set(segment)


def test_standard_input_and_ssml(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ssml = b"Wait for it. <break time='1.5s'/> Now it is there. \xff"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(ssml), encoding="ascii"))
    segments = as_json(capsys, "--ssml", "-")["segments"]
    assert [segment["pause_ms"] for segment in segments] == [1500, 0]


@pytest.mark.parametrize("name", ["english", "starter", "english_2m_2026-10", "en", "en-GB"])
def test_a_model_is_as_good_as_its_language(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert cli.main(["text", "--language", name, "21 °C"]) == 0
    assert "twenty-one degrees Celsius" in capsys.readouterr().out


def test_a_language_without_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert as_json(capsys, "--language", "sv", "5 km")["spoken"] == "5 km"
    assert "rules: none" in told(capsys, "--language", "sv", "5 km")


def test_raw_text_is_what_the_package_makes_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    said = as_json(capsys, "--raw-text", "**5** km  (really")
    assert [segment["prepared"] for segment in said["segments"]] == [
        "**5** km  (really".replace("  ", " ") + "."
    ]


def test_dictionary_and_settings(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "words.yaml").write_text("en: {Kyutai: Kew tie}")
    settings = tmp_path / "server.yaml"
    settings.write_text("text: {dictionary: words.yaml, normalise: false}")
    assert as_json(capsys, "--settings", str(settings), "Kyutai 5")["spoken"] == "Kew tie 5"
    flag = ("--dictionary", str(tmp_path / "words.yaml"))
    assert as_json(capsys, *flag, "Kyutai 5")["spoken"] == "Kew tie five"
    assert as_json(capsys, *flag, "--raw-text", "Kyutai 5")["spoken"] == "Kyutai 5."


def test_max_tokens_and_a_tokenizer(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    long = "one two three four five six seven eight nine ten eleven twelve " * 3
    assert len(as_json(capsys, "--max-tokens", "10", long)["segments"]) > 4
    missing = str(tmp_path / "none.model")
    assert "none.model" in told(capsys, "--tokenizer", missing, "x", code=cli.EXIT_UNAVAILABLE)


def test_nothing_to_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Nothing here can be spoken." in told(capsys, "😀 ...")


def test_wrong_values_are_told_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--max-tokens" in told(capsys, "--max-tokens", "1", "x", code=cli.EXIT_USAGE)
    assert "absent.yaml" in told(capsys, "--dictionary", "absent.yaml", "x", code=cli.EXIT_USAGE)


def test_help_is_short(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = told(capsys, "--help").splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
