"""`generate` with the starter model: what it writes where, what it says, what it refuses; and completion for shells."""

from __future__ import annotations

import io
import os
import shutil
import signal
import stat
import struct
import subprocess
import sys
import threading
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests import tiny_files
from tests.full_disk import full_disk
from wyoming_pocket_tts import cli, completion
from wyoming_pocket_tts.audio import wav_header

TEXT = "Hello world. The light is on."


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


class Ran:
    def __init__(self, code: int, out: bytes, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(
    capfdbinary: pytest.CaptureFixture[bytes],
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Any:
    """Runs the command in a folder of its own, without measuring what is fastest."""
    from wyoming_pocket_tts.tts import TTSModel

    load = TTSModel.load_model
    monkeypatch.setattr(
        TTSModel, "load_model", lambda **options: load(**options, tune=False), raising=True
    )
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: object, model: tuple[str, ...] = ("--language", "starter")) -> Ran:
        words = ["generate", *model, *map(str, arguments), "--cache-dir", str(cache)]
        code = cli.main(words)
        out, err = capfdbinary.readouterr()
        return Ran(code, out, err.decode())

    return run_command


def samples(path: Path) -> np.ndarray[Any, np.dtype[np.int16]]:
    with wave.open(str(path)) as wav:
        assert (wav.getframerate(), wav.getnchannels(), wav.getsampwidth()) == (16_000, 1, 2)
        return np.frombuffer(wav.readframes(wav.getnframes()), "<i2")


# Files


def test_a_wav_and_what_is_said_of_it(run: Any, tmp_path: Path) -> None:
    ran = run("--text", TEXT)
    assert (ran.code, ran.out) == (0, b"")
    made = tmp_path / "tts_output.wav"
    audio = samples(made)
    assert made.stat().st_size == 44 + 2 * len(audio)
    assert np.abs(audio).max() > 1000
    last = ran.err.splitlines()[-1]
    assert last.startswith(f"./tts_output.wav: {len(audio) / 16_000:.1f} s of sound, first audio")
    assert last.endswith("x real time")


def test_the_same_seed_is_the_same_file_and_speed_changes_its_length(
    run: Any, tmp_path: Path
) -> None:
    # At its own temperature, 0, this voice says a text always alike.
    for name, seed in {"a": 4, "b": 4, "c": 5}.items():
        flags = ["--temperature", 0.5, "--seed", seed, "--output-path", f"{name}.wav", "-q"]
        assert run("--text", TEXT, *flags).err == ""
    a, b, c = ((tmp_path / f"{name}.wav").read_bytes() for name in "abc")
    assert a == b != c
    flags = ["--temperature", 0.5, "--seed", 4, "--speed", 2, "--output-path", "fast.wav"]
    assert run("--text", TEXT, *flags).code == 0
    fast, normal = samples(tmp_path / "fast.wav"), samples(tmp_path / "a.wav")
    assert len(fast) == pytest.approx(len(normal) / 2, rel=0.02)


@pytest.mark.parametrize("suffix", ["flac", "ogg", "opus", "mp3", "FLAC"])
def test_other_kinds_of_files(run: Any, tmp_path: Path, suffix: str) -> None:
    assert run("--text", TEXT, "--seed", 4, "--output-path", "x.wav").code == 0
    ran = run("--text", TEXT, "--seed", 4, "--output-path", f"x.{suffix}")
    assert ran.code == 0
    assert f"x.{suffix}: " in ran.err
    audio, rate_hz = soundfile.read(tmp_path / f"x.{suffix}")
    plain = samples(tmp_path / "x.wav") / 32768
    assert rate_hz == 16_000 or suffix == "opus"
    if suffix.lower() == "flac":
        assert np.array_equal(audio, plain)
    assert len(audio) / rate_hz == pytest.approx(len(plain) / 16_000, abs=0.1)
    assert audio.std() == pytest.approx(plain.std(), rel=0.2)


def test_where_the_text_comes_from(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text.txt").write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    outputs = []
    for source in (["--text", TEXT], ["--text", "-"], ["--text-file", "text.txt"]):
        monkeypatch.setattr(sys, "stdin", io.StringIO(TEXT))
        assert run(*source, "--seed", 1).code == 0
        outputs.append((tmp_path / "tts_output.wav").read_bytes())
    assert outputs[0] == outputs[1] == outputs[2]
    # Nobody says what: something is said all the same.
    assert run("--seed", 1).code == 0
    assert (tmp_path / "tts_output.wav").read_bytes() != outputs[0]


def test_every_flag_reaches_the_model(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wyoming_pocket_tts.tts import TTSModel

    loaded: dict[str, Any] = {}
    load, speak = TTSModel.load_model, TTSModel.speak

    def load_model(**options: Any) -> TTSModel:
        loaded.update(options)
        return load(**{**options, "language": None, "config": config})

    def spoken(self: TTSModel, state: Any, text: str, **options: Any) -> Any:
        loaded.update(options, text=text)
        return speak(self, state, text, **options)

    config = tiny_files.yaml_on_disk(tmp_path / "model")
    voice = tiny_files.write_voice(tmp_path / "voice.safetensors")
    monkeypatch.setattr(TTSModel, "load_model", load_model)
    monkeypatch.setattr(TTSModel, "speak", spoken)
    ran = run(
        *("--text", "hello", "--voice", voice, "--temperature", 0.5, "--noise-clamp", 2),
        *("--lsd-decode-steps", 3, "--eos-threshold", -3, "--frames-after-eos", 2),
        *("--max-tokens", 30, "--quantize", "--seed", 9, "--raw-text", "--device", "cpu"),
        *("--offline",),
        model=("--language", "french"),
    )
    assert ran.code == 0
    assert "--lsd-decode-steps is now --sampler-decode-steps" in ran.err
    assert (loaded["language"], loaded["config"]) == ("french", None)
    assert (loaded["temp"], loaded["noise_clamp"], loaded["eos_threshold"]) == (0.5, 2.0, -3.0)
    assert (loaded["sampler_decode_steps"], loaded["quantize"]) == (3, True)
    assert (loaded["frames_after_eos"], loaded["max_tokens"], loaded["seed"]) == (2, 30, 9)
    assert loaded["text_options"].raw
    assert loaded["offline"]
    assert loaded["text"] == "hello"
    assert run("--text", "hello", "--voice", voice, "--quantize", "--no-quantize").code == 0
    assert loaded["quantize"] is False


# Standard output and the loudspeaker


def test_standard_output_is_a_stream_that_players_take(run: Any, tmp_path: Path) -> None:
    ran = run("--text", TEXT, "--seed", 4, "--output-path", "-")
    assert ran.code == 0
    assert "standard output: " in ran.err
    assert ran.out[:44] == wav_header(16_000)
    assert struct.unpack("<I", ran.out[40:44]) == (0xFFFFFFFF,)
    assert run("--text", TEXT, "--seed", 4).code == 0
    assert ran.out[44:] == (tmp_path / "tts_output.wav").read_bytes()[44:]
    # Python's own reader and libsndfile take it to its end.
    with wave.open(io.BytesIO(ran.out)) as wav:
        assert wav.getframerate() == 16_000
        assert wav.readframes(wav.getnframes()) == ran.out[44:]
    audio, _ = soundfile.read(io.BytesIO(ran.out), dtype="int16")
    assert audio.astype("<i2").tobytes() == ran.out[44:]


def test_a_pipe_that_is_named(run: Any, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    assert run("--text", TEXT, "--output-path", pipe).code == 0
    reader.join(10)
    assert read[0][:44] == wav_header(16_000)


def player(folder: Path, program: str, name: str = "aplay") -> Path:
    folder.mkdir()
    path = folder / name
    path.write_text(f"#!/bin/sh\n{program}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder


def test_a_player_hears_it(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = player(tmp_path / "bin", f'echo "$@" > {tmp_path}/flags; cat > {tmp_path}/heard')
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    ran = run("--text", TEXT, "--play")
    assert ran.code == 0
    assert ran.err.splitlines()[-1].startswith("played: ")
    assert (tmp_path / "flags").read_text() == "-q -\n"
    assert (tmp_path / "heard").read_bytes()[:44] == wav_header(16_000)
    assert not (tmp_path / "tts_output.wav").exists()
    # Both, where both are asked for.
    assert run("--text", TEXT, "--seed", 4, "--play", "--output-path", "x.wav").code == 0
    assert (tmp_path / "heard").read_bytes()[44:] == (tmp_path / "x.wav").read_bytes()[44:]


def test_a_player_that_cannot_play(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = player(tmp_path / "bin", "echo no sound card >&2; exit 1")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    ran = run("--text", TEXT, "--play")
    assert ran.code == cli.EXIT_USAGE
    assert "aplay could not play (no sound card)" in ran.err
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = run("--text", TEXT, "--play")
    assert (ran.code, ran.err.count("\n")) == (cli.EXIT_USAGE, 1)
    assert "none of aplay, ffplay" in ran.err


# What people see


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_for_long_texts_on_a_terminal(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from wyoming_pocket_tts.commands import generate

    monkeypatch.setattr(generate, "_SECONDS_OF_A_LONG_TEXT", -1)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert run("--text", 3 * f"{TEXT} ").code == 0
    drawn = terminal.getvalue()
    assert "speaking [" in drawn
    assert "100%" in drawn
    # It is wiped away in the end.
    assert "\r\033[K./tts_output.wav: " in drawn
    terminal.truncate(0)
    assert run("--text", TEXT, "-q").code == 0
    assert "speaking" not in terminal.getvalue()


def test_sound_is_not_sent_to_a_terminal(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    ran = run("--text", TEXT, "--output-path", "-")
    assert ran.code == cli.EXIT_USAGE
    assert "standard output is a terminal" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (["--text", " "], 2, "--text: holds no text"),
        (["--text", "..."], 2, "nothing that can be spoken"),
        (["--text-file", "absent.txt"], 2, "--text-file: absent.txt cannot be read"),
        (["--text", "x", "--text-file", "y"], 2, "not allowed with"),
        (["--text", "x", "--output-path", "x.m4a"], 2, "one of .wav, .flac, .ogg, .opus, .mp3"),
        (["--text", "x", "--output-path", "a/b.wav"], 2, "there is no folder a"),
        (["--text", "x", "--output-path", "here.wav"], 2, "here.wav is a folder"),
        (["--text", "x", "--output-path", "folder"], 2, "folder is a folder; name a file in it"),
        (["--text", "x", "--speed", "9"], 2, "--speed: speed must be between 0.5 and 2"),
        (["--text", "x", "--voice", "nobody"], 3, "neither such a file nor a voice"),
        (["--text", "x", "--config", "x.yaml"], 2, "not allowed with"),
    ],
)
def test_what_is_refused(
    run: Any, tmp_path: Path, arguments: list[str], code: int, part: str
) -> None:
    (tmp_path / "here.wav").mkdir()
    (tmp_path / "folder").mkdir()
    ran = run(*arguments, "-q")
    assert ran.code == code
    assert part in ran.err
    assert len(ran.err.splitlines()) == 1
    assert not (tmp_path / "tts_output.wav").exists()


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--device", "cuda"], "The engine runs on the CPU alone, not on 'cuda'"),
        (["--max-tokens", "2"], "--max-tokens must be at least 5, not 2"),
        (["--temperature", "99"], "--temperature must be between 0 and 10, not 99.0"),
        (["--noise-clamp", "nan"], "--noise-clamp must be between"),
        (["--eos-threshold", "1e9"], "--eos-threshold must be between"),
        (["--frames-after-eos", "-1"], "--frames-after-eos must be between 0 and 250, not -1"),
        (["--sampler-decode-steps", "0"], "--sampler-decode-steps must be between 1 and 1000"),
        (["--lsd-decode-steps", "0"], "--sampler-decode-steps must be between 1 and 1000"),
        (["--seed", "-1"], "--seed must be at least 0, not -1"),
        (["--seed", str(2**63)], f"--seed must be between 0 and {2**63 - 1}, not {2**63}"),
        (["--checkpoint", "run.pt"], "export the weights to safetensors"),
    ],
)
def test_numbers_are_checked_before_a_model_is_fetched(
    run: Any, arguments: list[str], part: str
) -> None:
    # The model is not here: whoever got as far as asking for it would be told so.
    ran = run("--text", "x", "--offline", "-q", *arguments, model=("--language", "it"))
    assert ran.code == cli.EXIT_USAGE
    assert part in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_model_that_is_not_here(run: Any) -> None:
    ran = run("--text", "x", "--offline", "-q", model=("--language", "it"))
    assert ran.code == cli.EXIT_UNAVAILABLE
    assert "downloads are switched off" in ran.err


def test_whoever_stops_it_keeps_what_there_is(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C in mid speech: exit code 130, and a file with a right header."""
    from wyoming_pocket_tts.output import Wav

    write, pieces = Wav.write, []

    def interrupted(self: Wav, pcm: bytes) -> None:
        write(self, pcm)
        pieces.append(pcm)
        if len(pieces) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr(Wav, "write", interrupted)
    assert run("--text", 20 * TEXT).code == cli.EXIT_INTERRUPTED
    assert samples(tmp_path / "tts_output.wav").tobytes() == b"".join(pieces)


# A disk that is full, and the end


def test_a_file_that_grows_no_more(run: Any, tmp_path: Path) -> None:
    assert run("--text", TEXT).code == 0  # everything but the sound is there already
    for name in ("x.wav", "x.flac", "x.mp3"):
        with full_disk(4000):
            ran = run("--text", TEXT * 3, "--output-path", name, "-q")
        assert (ran.code, len(ran.err.splitlines())) == (cli.EXIT_USAGE, 1)
        assert f"--output-path: {name} cannot be written: File too large" in ran.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("where", ["/dev/full", "-"])
def test_a_device_that_is_full(run: Any, cache: Path, where: str) -> None:
    """As a process: Python itself must not complain at its end."""
    run("--text", TEXT)
    with open("/dev/full", "wb") as full:
        command = [
            "generate",
            "--language",
            "starter",
            "--text",
            "hi",
            "-q",
            "--cache-dir",
            str(cache),
        ]
        ended = subprocess.run(
            [sys.executable, "-m", "wyoming_pocket_tts", *command, "--output-path", where],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=Path(__file__).parents[2],
            text=True,
            timeout=120,
        )
    called = "standard output" if where == "-" else where
    told = f"--output-path: {called} cannot be written: No space left on device."
    assert ended.stderr == f"wyoming-pocket-tts: {told}\n"
    assert ended.returncode == cli.EXIT_USAGE


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_what_is_printed_has_no_room() -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "wyoming_pocket_tts", "completion", "bash"]
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert ended.returncode == cli.EXIT_USAGE
    assert ended.stderr == (
        "wyoming-pocket-tts: standard output cannot be written: No space left on device.\n"
    )


def test_sigterm_ends_it_as_ctrl_c_does(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wyoming_pocket_tts.output import Wav

    write, pieces = Wav.write, []

    def terminated(self: Wav, pcm: bytes) -> None:
        write(self, pcm)
        pieces.append(pcm)
        if len(pieces) == 5:
            signal.raise_signal(signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(Wav, "write", terminated)
    ran = run("--text", 20 * TEXT)
    assert ran.code == cli.EXIT_TERMINATED == 143
    assert samples(tmp_path / "tts_output.wav").tobytes() == b"".join(pieces)
    assert "./tts_output.wav: unfinished, " in ran.err
    assert signal.getsignal(signal.SIGTERM) is before


# Help and completion


@pytest.mark.parametrize(("command", "most"), [("generate", 32), ("completion", 24)])
def test_help_fits_a_screen(
    command: str, most: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main([command, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "examples:" in lines
    assert len(lines) <= most
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_completion_is_a_script_of_its_shell(
    shell: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("export-voice", "output-path", "french_24l", "bill_boerst", "first-use"):
        assert word in script
    assert "lsd-decode-steps" not in script
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed: its script was not run")
    path = tmp_path / "script"
    path.write_text(script)
    subprocess.run([shell, "-n", str(path)], check=True, timeout=30)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["gen"], {"generate"}),
        (["serve", "--log-l"], {"--log-level"}),
        (["serve", "--log-level", "w"], {"warning"}),
        (["generate", "--voice", "bil"], {"bill_boerst"}),
        (["generate", "--voice", "notes"], {"notes one.txt", "notes"}),
        (["serve", "--voice", "not"], {"notes one.txt", "notes"}),
        (["download", "--voice", "not"], set()),
        (["generate", "--language", "french_"], {"french_24l"}),
        (["generate", "--text-file", "no"], {"notes one.txt", "notes"}),
        (["generate", "--cache-dir", "no"], {"notes"}),
        (["generate", "--seed", ""], set()),
        (["completion", "z"], {"zsh"}),
        (["export-voice", "notes"], {"notes one.txt", "notes"}),
        (["text", "n"], set()),
    ],
)
def test_bash_completes(
    words: list[str], offered: set[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert cli.main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    (tmp_path / "notes one.txt").touch()
    (tmp_path / "notes").mkdir()
    typed = " ".join(f"'{word}'" for word in ["wyoming-pocket-tts", *words])
    # compopt works in a real completion alone.
    program = (
        f"{script}\ncompopt() {{ :; }}\nCOMP_WORDS=({typed}); COMP_CWORD={len(words)}\n"
        "_wyoming_pocket_tts\nprintf '%s\\n' \"${COMPREPLY[@]}\""
    )
    told = subprocess.run(
        ["bash", "-c", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert set(filter(None, told.stdout.splitlines())) == offered
    assert told.stderr == ""
