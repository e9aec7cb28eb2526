"""The `wyoming-bench` tool, a client that is not ours, against the whole server: everything it asks for is answered."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.protocol.real_server import RealServer, real_server

pytest.importorskip("wyoming_bench")

_TOOL = Path(sys.executable).with_name("wyoming-bench")
_COMPLAINTS = re.compile(
    r"error|warn|traceback|exception|unsupported|skip|fail=[1-9]", re.IGNORECASE
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    with real_server(tmp_path_factory.mktemp("wyoming-bench")) as running:
        yield running


def _bench(server: RealServer, mode: str, *arguments: str) -> str:
    done = subprocess.run(
        [_TOOL, mode, f"127.0.0.1:{server.port}", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert not _COMPLAINTS.search(done.stdout), done.stdout
    return done.stdout


def test_info(server: RealServer) -> None:
    shown = _bench(server, "info")
    assert "tts  pocket-tts (synthesize streaming)" in shown
    assert "voice slt [en]" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param((), id="as it comes"),
        pytest.param(("--config", '{"voice": "slt", "text_format": "text"}'), id="a voice by name"),
        pytest.param(("--chunk-delay", "0.02"), id="text at the pace of a language model"),
    ],
)
def test_tts(server: RealServer, arguments: tuple[str, ...]) -> None:
    texts = ("The kitchen light is on.", "It stays dry tonight. Tomorrow looks much the same.")
    options = ("--rounds", "2", "--warmup", "1", "--timeout", "20", "--verbose")
    shown = _bench(server, "tts", *options, *arguments, "--texts", *texts)
    for mode in ("non_streaming", "streaming"):
        assert f"[{mode}] ok=4 fail=0" in shown
    seconds = [float(found) for found in re.findall(r"audio=([0-9.]+)s", shown)]
    assert len(seconds) == 8
    assert min(seconds) > 1.0
