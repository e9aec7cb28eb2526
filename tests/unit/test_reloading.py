"""`serve --reload`: what counts as a change, and that the process is started anew after one, whatever became of the last."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wyoming_pocket_tts import cli, reloading
from wyoming_pocket_tts.reloading import Reloader, Watch


def test_what_counts_as_a_change(tmp_path: Path) -> None:
    code, settings = tmp_path / "below" / "code.py", tmp_path / "server.yaml"
    code.parent.mkdir()
    code.write_text("a = 1")
    (tmp_path / "notes.txt").touch()
    watch = Watch(tmp_path, [settings])
    assert watch.changed() == []
    code.write_text("a = 22")
    assert watch.changed() == [code]
    os.utime(code, ns=(1, 1))
    assert watch.changed() == [code]
    assert watch.changed() == []
    settings.write_text("languages: [starter]")
    assert watch.changed() == [settings]
    (tmp_path / "notes.txt").write_text("x")
    assert watch.changed() == []
    code.unlink()
    assert watch.changed() == [code]


def test_it_is_started_anew_after_every_change(tmp_path: Path) -> None:
    """As a process, since it takes over the signals; the file is broken in between, and mended."""
    program, log = tmp_path / "server.py", tmp_path / "log"
    serving = (
        "import signal, sys, time\n"
        "def end(*_):\n    print('ended', file=open(sys.argv[1], 'a'), flush=True); sys.exit(7)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "print('NAME', file=open(sys.argv[1], 'a'), flush=True)\n"
        "time.sleep(60)\n"
    )
    program.write_text(serving.replace("NAME", "one"))
    script = (
        "import sys; from pathlib import Path; from wyoming_pocket_tts.reloading import Reloader, Watch\n"
        f"command = [sys.executable, {str(program)!r}, {str(log)!r}]\n"
        f"sys.exit(Reloader(command, Watch(Path({str(tmp_path)!r})), 0.05).run())"
    )
    watching = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)

    def wait_for(*lines: str) -> None:
        deadline = time.monotonic() + 30
        while not log.exists() or log.read_text().split() != list(lines):
            assert time.monotonic() < deadline, "did not happen in time"
            time.sleep(0.02)

    try:
        wait_for("one")
        program.write_text("this is no Python")
        wait_for("one", "ended")
        assert watching.stderr is not None
        told = iter(watching.stderr.readline, "")
        assert any("exit code 1; the next change starts it again" in line for line in told)
        program.write_text(serving.replace("NAME", "three"))
        wait_for("one", "ended", "three")
        watching.send_signal(signal.SIGINT)
        assert watching.wait(30) == 7
        wait_for("one", "ended", "three", "ended")
    finally:
        watching.kill()
        watching.communicate()


def test_the_flag(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The server gets all flags but this one; the settings are watched with the code."""
    settings = tmp_path / "server.yaml"
    started: list[list[str]] = []

    def run(self: Reloader) -> int:
        started.append(self._command)
        settings.write_text("slots: many")
        assert self._watch.changed() == [settings]
        assert reloading.__file__ in map(str, self._watch._seen)
        return 5

    monkeypatch.setattr(Reloader, "run", run)
    flags = ["--offline", "--settings", str(settings), "--slots", "2"]
    assert cli.main(["serve", *flags[:1], "--reload", *flags[1:]]) == 5
    assert started == [[sys.executable, "-m", "wyoming_pocket_tts", "serve", *flags]]


def test_no_reload_is_what_is_done_anyway(monkeypatch: pytest.MonkeyPatch) -> None:
    """Flags of the `pocket-tts` package that say the default are taken; the last one counts."""
    started: list[str] = []

    def run(self: Reloader) -> int:
        started.append("watched")
        return 5

    monkeypatch.setattr(Reloader, "run", run)
    assert cli.main(["serve", "--no-reload", "--reload"]) == 5
    # Past the choice, and ended by the next thing that is wrong.
    assert cli.main(["serve", "--reload", "--no-reload", "--no-http", "--no-wyoming"]) == 2
    assert started == ["watched"]
