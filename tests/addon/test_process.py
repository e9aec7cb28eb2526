"""`serve --addon` as a process of its own: what goes wrong at a home is told, and the server is there all the same."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wyoming.client import AsyncClient
from wyoming.event import Event
from wyoming.info import Describe, Info

ROOT = Path(__file__).parents[2]
TOKEN = "hf_" + "Zz9Yy8Xx7Ww6Vv5U" * 2


class AddonProcess:
    """A server that was started with options, and its log."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self._log = log

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def until(self, said: str, within_s: float = 60) -> None:
        deadline_s = time.monotonic() + within_s
        while said not in self.log:
            assert self.process.poll() is None, self.log
            assert time.monotonic() < deadline_s, self.log
            time.sleep(0.02)

    @property
    def uri(self) -> str:
        self.until(" Ready ")
        return next(
            part.removeprefix("uri=")
            for line in self.log.splitlines()
            if " Ready " in line
            for part in line.split()
            if part.startswith("uri=")
        )

    async def description(self) -> str:
        async with AsyncClient.from_uri(self.uri) as client:
            await client.write_event(Describe().event())
            event = await client.read_event()
            assert event is not None
            return Info.from_event(event).tts[0].description or ""


@contextlib.contextmanager
def addon(folder: Path, environment: dict[str, str], **options: Any) -> Iterator[AddonProcess]:
    values = {"voices_dir": f"{folder}/voices", "cache_dir": f"{folder}/cache", **options}
    (folder / "options.json").write_text(json.dumps(values), encoding="utf-8")
    command = [sys.executable, "-m", "wyoming_pocket_tts", "serve"]
    command += ["--addon", str(folder / "options.json")]
    command += ["--uri", "tcp://127.0.0.1:0", "--host", "127.0.0.1", "--port", "0"]
    command += ["--threads", "1"]
    known = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "SUPERVISOR"))}
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
            cwd=ROOT,
            env={**known, **environment},
        )
    try:
        yield AddonProcess(process, log)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0, log.read_text()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


async def test_without_a_network_it_starts_and_says_why_it_is_silent(tmp_path: Path) -> None:
    nowhere = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_DOWNLOAD_TIMEOUT": "1"}
    with addon(tmp_path, nowhere, huggingface_token=TOKEN) as server:
        server.until("Model english cannot be loaded")
        assert "the hub cannot be reached" in server.log
        description = await server.description()
        assert "Model english cannot be loaded" in description
        assert "the hub cannot be reached" in description
        assert TOKEN not in server.log
        assert TOKEN not in description


async def test_what_is_wrong_is_told_and_it_speaks(tmp_path: Path) -> None:
    extra = tmp_path / "extra.yaml"
    extra.write_text("languages: [starter]\nengine: {tune: false}\n", encoding="utf-8")
    options = {"quality": "best", "voice": "nobody", "settings_file": str(extra)}
    with addon(tmp_path, {}, **options) as server:
        server.until("Model starter is loaded")
        assert "Option quality: must be one of auto, small, full" in server.log
        assert "There is no SUPERVISOR_TOKEN" in server.log
        description = await server.description()
        assert "Option quality" in description
        assert "There is no voice 'nobody' here" in description
        async with AsyncClient.from_uri(server.uri) as client:
            wanted = {"text": "Hello.", "voice": {"name": "slt"}}
            await client.write_event(Event("synthesize", wanted))
            event = await client.read_event()
            assert event is not None
            assert event.type == "audio-start"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("models: {mine: {config: nope.yaml}}", "models.mine.config: "),
        ("text: {dictionary: nope.yaml}", "nope.yaml: cannot be read as YAML"),
    ],
)
async def test_a_settings_file_that_cannot_be_served_is_left_out(
    tmp_path: Path, wrong: str, said: str
) -> None:
    extra = tmp_path / "extra.yaml"
    extra.write_text(f"languages: [english]\n{wrong}\n", encoding="utf-8")
    nowhere = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_DOWNLOAD_TIMEOUT": "1"}
    with addon(tmp_path, nowhere, settings_file=str(extra)) as server:
        description = await server.description()
        assert "Option settings_file: " in description
        assert said in description
        assert "The server starts without it" in server.log
        assert "Traceback" not in server.log


async def test_a_wrong_voice_and_a_wrong_folder_leave_it_speaking(tmp_path: Path) -> None:
    extra = tmp_path / "extra.yaml"
    extra.write_text("languages: [starter]\nengine: {tune: false}\n", encoding="utf-8")
    options = {"voice": "nobody", "voices_dir": "/nowhere", "settings_file": str(extra)}
    with addon(tmp_path, {}, **options) as server:
        description = await server.description()
        assert "Option voices_dir: /nowhere is lost at each update" in description
        assert "There is no voice 'nobody' here" in description
        assert "'slt' speaks in its place" in description
        async with AsyncClient.from_uri(server.uri) as client:
            await client.write_event(Event("synthesize", {"text": "Hello."}))
            event = await client.read_event()
            assert event is not None
            assert event.type == "audio-start"


@pytest.mark.parametrize("left", [{}, {"SUPERVISOR_TOKEN": "t" * 20}])
def test_the_settings_flag_and_the_options_exclude_each_other(
    tmp_path: Path, left: dict[str, str]
) -> None:
    (tmp_path / "options.json").write_text("{}")
    command = [sys.executable, "-m", "wyoming_pocket_tts", "serve", "--settings", "x.yaml"]
    command += ["--addon", str(tmp_path / "options.json")]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **left}, check=False
    )
    assert done.returncode == 2
    assert "the options name a settings file themselves" in done.stderr
