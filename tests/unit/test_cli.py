"""The command line: flags become settings, errors become exit codes, and help is quick and short."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from wyoming_pocket_tts import __version__, app, cli, errors
from wyoming_pocket_tts.commands.serve import model_name
from wyoming_pocket_tts.settings import Settings


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


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wyoming_pocket_tts", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


# Flags


def test_no_flags_are_the_defaults(served: list[Settings]) -> None:
    assert serve(served) == Settings()


def test_every_flag_reaches_its_setting(served: list[Settings]) -> None:
    settings = serve(
        served,
        *("--uri", "tcp://127.0.0.1:0", "--language", "french", "--language", "german"),
        *("--config", "models/mine.yaml", "--voice", "estelle", "--data-dir", "/cache"),
        *("--offline", "--zeroconf", "Attic", "--slots", "3", "--threads", "2", "--seed", "7"),
        *("--temperature", "0.5", "--decode-steps", "4", "--eos-threshold", "-3"),
        *("--frames-after-eos", "2", "--log-level", "warning", "--log-format", "json"),
        *("--speed", "1.2", "--raw-text", "--host", "0.0.0.0", "--port", "8001"),
    )
    assert settings.uri == "tcp://127.0.0.1:0"
    assert settings.languages == ("french", "german")
    assert {name: model.config for name, model in settings.models.items()} == {
        "mine": "models/mine.yaml"
    }
    assert settings.default_voice == "estelle"
    assert settings.cache_dir == Path("/cache")
    assert settings.offline
    assert (settings.zeroconf.enabled, settings.zeroconf.name) == (True, "Attic")
    assert settings.sound.speed == 1.2
    assert settings.text.raw
    assert (settings.http.host, settings.http.port) == ("0.0.0.0", 8001)
    engine = settings.engine
    assert (engine.slots, engine.threads, engine.seed, engine.temperature) == (3, 2, 7, 0.5)
    assert (engine.decode_steps, engine.eos_threshold, engine.frames_after_eos) == (4, -3.0, 2)
    assert (settings.logging.level, settings.logging.format) == ("warning", "json")


def test_other_spellings(served: list[Settings]) -> None:
    assert serve(served, "--debug").logging.level == "debug"
    assert serve(served, "--default-voice", "anna").default_voice == "anna"
    assert serve(served, "--cache-dir", "x").cache_dir == Path("x")
    assert serve(served, "--threads", "auto").engine.threads == "auto"
    assert not serve(served, "--no-zeroconf").zeroconf.enabled
    assert serve(served, "--zeroconf").zeroconf == Settings().zeroconf
    assert not serve(served, "--no-http").http.enabled
    assert not serve(served, "--no-wyoming").wyoming


def test_nothing_to_serve_is_refused(
    served: list[Settings], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["serve", "--no-http", "--no-wyoming"]) == 2
    assert "nothing to serve" in capsys.readouterr().err
    path = tmp_path / "home.yaml"
    path.write_text("wyoming: false\nhttp: {enabled: false}\n")
    assert cli.main(["serve", "--settings", str(path)]) == 2
    assert "nothing would be served" in capsys.readouterr().err


def test_a_flag_wins_over_the_file_and_leaves_the_rest(
    served: list[Settings], tmp_path: Path
) -> None:
    path = tmp_path / "home.yaml"
    path.write_text("engine: {slots: 2, seed: 3}\nzeroconf: {name: Attic}\noffline: true\n")
    settings = serve(served, "--settings", str(path), "--slots", "5", "--no-zeroconf")
    assert (settings.engine.slots, settings.engine.seed) == (5, 3)
    assert (settings.zeroconf.enabled, settings.zeroconf.name) == (False, "Attic")
    assert settings.offline


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ("mine.yaml", "mine"),
        ("/some/where/my model.yml", "my-model"),
        ("hf://owner/repo/folder/dutch.yaml@v1.2", "dutch"),
        ("hf://owner/repo/dutch.yaml", "dutch"),
        ("https://example.org/models/english_v2.yaml?download=true", "english_v2"),
    ],
)
def test_a_community_model_is_named_after_its_file(config: str, name: str) -> None:
    assert model_name(config) == name


# Exit codes


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ([], "COMMAND"),
        (["srve"], "'srve'"),
        (["serve", "--slot", "3"], "--slot"),
        (["serve", "--slots", "many"], "--slots"),
        (["serve", "--threads", "some"], "neither a number nor 'auto'"),
        (["serve", "--slots", "0"], "--slots: engine: slots must be between 1 and 256, not 0"),
        (["serve", "--uri", "tcp://x"], "--uri: uri 'tcp://x' needs a port"),
        (["serve", "--settings", "absent.yaml"], "absent.yaml: cannot be read"),
        (["serve", "--config", "a/x.yaml", "--config", "b/x.yaml"], "both be model 'x'"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    served: list[Settings], capsys: pytest.CaptureFixture[str], arguments: list[str], part: str
) -> None:
    assert cli.main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert part in told.err
    assert len(told.err.splitlines()) == 1
    assert told.err.startswith("wyoming-pocket-tts")
    assert not served


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.ConfigError("x"), 2),
        (errors.InvalidRequest("x"), 2),
        (errors.SetupError("x"), 2),
        (errors.DownloadError("x", source="x", kind="offline"), 3),
        (errors.ModelFileError("x"), 3),
        (errors.VoiceStateError("x"), 3),
        (errors.ModelUnavailable("x"), 3),
        (errors.VoiceNotFound("x"), 3),
        (errors.InternalError("x"), 1),
    ],
)
def test_each_kind_of_error_has_its_exit_code(error: errors.PocketTTSError, code: int) -> None:
    assert cli.exit_code(error) == code


def test_a_server_that_cannot_start_logs_why_and_says_it_by_its_exit_code(
    served: list[Settings], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(settings: Settings) -> int:
        raise errors.DownloadError("the hub\nis away", source="x", kind="network")

    monkeypatch.setattr(app, "serve", fail)
    assert cli.main(["serve"]) == 3
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "ERROR" in lines[0]
    assert "the hub\\nis away code=download-failed" in lines[0]


def test_a_fault_of_ours_shows_its_traceback(
    served: list[Settings], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(settings: Settings) -> int:
        raise ZeroDivisionError("somewhere")

    monkeypatch.setattr(app, "serve", fail)
    assert cli.main(["serve"]) == 1
    assert "ZeroDivisionError: somewhere" in capsys.readouterr().err


# Help


def test_version() -> None:
    told = run("--version")
    assert (told.returncode, told.stdout) == (0, f"wyoming-pocket-tts {__version__}\n")


@pytest.mark.parametrize(("arguments", "lines"), [(["--help"], 32), (["serve", "--help"], 32)])
def test_help_fits_a_screen(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    lines: int,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(arguments) == 0
    told = capsys.readouterr().out.splitlines()
    assert len(told) <= lines
    assert max(map(len, told)) <= 80
    assert any("examples:" in line for line in told)


@pytest.mark.parametrize("command", [name.replace("_", "-") for name in cli.COMMANDS])
def test_every_flag_is_in_the_help(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    commands = next(
        action.choices
        for action in cli.build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    assert cli.main([command, "--help"]) == 0
    told = re.split(r"[\s,]+", capsys.readouterr().out)
    for action in commands[command]._actions:
        if action.help != argparse.SUPPRESS:
            assert set(action.option_strings) <= set(told)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["generate", "--tex", "x"], "generate: unknown: --tex x. Did you mean '--text'"),
        (["serve", "--prt=1"], "serve: unknown: --prt=1. Did you mean '--port'"),
        (["serve", "anna"], "serve: unknown: anna. (see wyoming-pocket-tts serve --help)"),
    ],
)
def test_what_a_command_does_not_know(
    arguments: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == cli.EXIT_USAGE
    told = capsys.readouterr().err
    assert part in told
    assert len(told.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["serve", "--help"], ["serve", "--slots", "0"], ["text", "It is 5 °C."]],
)
def test_what_needs_no_model_does_not_import_torch(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from wyoming_pocket_tts.cli import main\n"
        f"main({arguments!r})\n"
        "slow = {'torch', 'numpy', 'huggingface_hub', 'wyoming', 'zeroconf'} & set(sys.modules)\n"
        "sys.exit(f'imported: {slow}' if slow else 0)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert told.returncode == 0, told.stderr


def test_bench_prints_figures_without_a_download(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With shorter speech than a person would measure; the figures themselves depend on the machine."""
    from wyoming_pocket_tts import benchmark

    monkeypatch.setattr(benchmark, "_TOKENS", 3)
    flags = ["--language", "english_2m_2026-10", "--rounds", "1", "--cache-dir", str(tmp_path)]
    assert cli.main(["bench", *flags, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["parameters"] == 11_671_934
    assert told["x_real_time"] > 0
    assert set(told["together"]) == {"2", "4"}
    assert cli.main(["bench", *flags]) == 0
    assert "one listener" in capsys.readouterr().out
    assert list(tmp_path.rglob("tuning.json"))
