"""The whole server as a process of its own, with the starter model: settings, engine, sockets, log and signals as they are in use."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

_START_S = 120.0
_STOP_S = 60.0
_SOURCE = Path(__file__).parents[2]


class RealServer:
    """A server that is running, its port and what it has logged."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self.port = 0
        self._log = log

    def log(self) -> list[dict[str, Any]]:
        """The log's whole lines so far, one object each; a line that is none fails."""
        whole = self._log.read_text(encoding="utf-8").rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def requests(self) -> dict[str, dict[str, Any]]:
        """What the log says of each request, by its id."""
        return {line["request"]: line for line in self.log() if line["message"] == "Request"}

    def wait_for(self, condition: Callable[[], Any], within_s: float = 60.0) -> Any:
        """Returns the condition's value as soon as it is true."""
        deadline_s = time.monotonic() + within_s
        while not (value := condition()):
            assert self.process.poll() is None, f"the server has ended: {self.log()}"
            assert time.monotonic() < deadline_s, f"it did not happen in time: {self.log()[-5:]}"
            time.sleep(0.02)
        return value

    def stop(self) -> None:
        """Asks for the end as a service manager does; nothing may have gone wrong in all its life."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(_STOP_S) == 0
        faults = [line for line in self.log() if line["level"] == "error" or "trace" in line]
        assert not faults


@contextlib.contextmanager
def real_server(
    folder: Path, more: Mapping[str, Any] | None = None, **limits: float
) -> Iterator[RealServer]:
    """Starts a server with an empty cache on a free port of loopback and stops it at the end.

    Args:
        folder: where its settings, its cache and its log go.
        more: further settings, by section.
        limits: the settings' section `limits`.
    """
    settings = folder / "settings.yaml"
    # Unmeasured choices: measuring takes longer than most of these tests.
    chosen = {"limits": limits, "engine": {"tune": False}, **(more or {})}
    settings.write_text(json.dumps(chosen), encoding="utf-8")
    log = folder / "server.log"
    command = [sys.executable, "-m", "wyoming_pocket_tts", "serve", "--language", "starter"]
    command += ["--no-zeroconf", "--no-http"]
    command += ["--uri", "tcp://127.0.0.1:0", "--threads", "1", "--log-format", "json"]
    command += ["--settings", str(settings), "--cache-dir", str(folder / "cache")]
    with log.open("wb") as output:
        process = subprocess.Popen(command, stderr=output, stdin=subprocess.DEVNULL, cwd=_SOURCE)
    server = RealServer(process, log)
    try:
        ready = server.wait_for(
            lambda: [line for line in server.log() if line["message"] == "Ready"], _START_S
        )
        server.port = int(ready[0]["uri"][0].rpartition(":")[2])
        yield server
        if process.poll() is None:
            server.stop()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
