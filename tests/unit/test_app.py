"""The server's life: the order in which its parts start and stop, with stand-ins, and as a process of its own."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import re
import signal
import socket
import subprocess
import sys
import time
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from wyoming.audio import AudioChunk, AudioStop
from wyoming.client import AsyncClient
from wyoming.info import Describe, Info
from wyoming.tts import Synthesize

from tests.protocol.helpers import WAIT_S, until
from wyoming_pocket_tts.app import App
from wyoming_pocket_tts.errors import ModelFileError, SetupError
from wyoming_pocket_tts.http_settings import HttpSettings
from wyoming_pocket_tts.settings import LimitSettings, Settings

SETTINGS = Settings(
    uri="tcp://127.0.0.1:0", limits=LimitSettings(stop_s=0.6), http=HttpSettings(enabled=False)
)


@dataclasses.dataclass
class Named:
    name: str


class Parts:
    """Stand-ins for all parts; `told` is what they were told to do, in order."""

    def __init__(self, **troubles: Any) -> None:
        self.told: list[str] = []
        self.troubles: dict[str, Callable[[], Any]] = troubles
        self.announced = asyncio.Event()
        settings = self.troubles.pop("settings", SETTINGS)
        self.app = App(settings, Speech(self), self.make_server, self.make_announcer, self.make_web)

    async def tell(self, what: str) -> None:
        self.told.append(what)
        if what == "announce":
            self.announced.set()
        if what in self.troubles:
            result = self.troubles[what]()
            if asyncio.iscoroutine(result):
                await result

    def make_server(self, settings: Settings, synthesizer: object) -> Server:
        return Server(self)

    def make_announcer(self, settings: Settings, server: object) -> Announcer:
        return Announcer(self)

    def make_web(self, settings: Settings) -> Web | None:
        return Web(self) if settings.http.enabled else None

    async def run_until_ready_then_stop(self) -> None:
        running = asyncio.ensure_future(self.app.run())
        await asyncio.wait_for(self.announced.wait(), WAIT_S)
        self.app.stop()
        await asyncio.wait_for(running, WAIT_S)


class Speech:
    model_names = ("starter",)
    desk = None

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.synthesizer = self

    def voices(self) -> list[Named]:
        return [Named("one"), Named("two")]

    async def load(self) -> None:
        await self.parts.tell("load")

    async def close(self) -> None:
        await self.parts.tell("close")


class Server:
    port = 10200

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.addresses = ["tcp://127.0.0.1:10200"]

    async def start(self, uri: str) -> None:
        await self.parts.tell("listen")

    async def wait_closed(self) -> None:
        await self.parts.tell("serve")
        if "serve" not in self.parts.troubles:
            await asyncio.Event().wait()

    async def stop(self, grace_s: float = 5.0) -> None:
        await self.parts.tell("end requests")


class Web:
    addresses: ClassVar = ["http://127.0.0.1:8000"]

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    async def start(self, host: str, port: int) -> None:
        await self.parts.tell(f"web on {host}:{port}")

    def speak_with(self, source: object, desk: object = None, models: object = ()) -> None:
        self.parts.told.append("web speaks")

    async def stop(self, grace_s: float = 5.0) -> None:
        await self.parts.tell("end web")


class Announcer:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    async def start(self) -> None:
        await self.parts.tell("announce")

    async def stop(self) -> None:
        await self.parts.tell("goodbye")


ORDER = ["load", "listen", "announce", "serve", "goodbye", "end requests", "close"]


def fail(error: Exception) -> Callable[[], None]:
    def raise_it() -> None:
        raise error

    return raise_it


def hang() -> Callable[[], Any]:
    return lambda: asyncio.sleep(60)


async def test_it_starts_and_stops_in_order(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    parts = Parts()
    await parts.run_until_ready_then_stop()
    assert [step for step in parts.told if step != "serve"] == [s for s in ORDER if s != "serve"]
    ready = next(record for record in caplog.records if record.getMessage() == "Ready")
    assert vars(ready)["uri"] == ["tcp://127.0.0.1:10200"]
    assert vars(ready)["voices"] == ["one", "two"]
    assert vars(ready)["models"] == ["starter"]


async def test_it_ends_by_itself_when_the_only_client_has_left() -> None:
    parts = Parts(serve=lambda: None)
    await asyncio.wait_for(parts.app.run(), WAIT_S)
    assert parts.told == ORDER


async def test_it_stops_while_it_is_still_loading() -> None:
    parts = Parts(load=hang())
    running = asyncio.ensure_future(parts.app.run())
    await asyncio.sleep(0.01)
    parts.app.stop()
    await asyncio.wait_for(running, WAIT_S)
    assert parts.told == ["load", "close"]


async def test_a_model_that_cannot_be_loaded_ends_the_start() -> None:
    parts = Parts(load=fail(ModelFileError("bad weights")))
    with pytest.raises(ModelFileError, match="bad weights"):
        await parts.app.run()
    assert parts.told == ["load", "close"]


async def test_a_port_in_use_ends_the_start_and_the_engines() -> None:
    parts = Parts(listen=fail(SetupError("the port is in use")))
    with pytest.raises(SetupError, match="in use"):
        await parts.app.run()
    assert parts.told == ["load", "listen", "end requests", "close"]


async def test_an_announcement_that_fails_is_no_reason_not_to_serve(
    caplog: pytest.LogCaptureFixture,
) -> None:
    parts = Parts(announce=fail(OSError("no network")))
    await parts.run_until_ready_then_stop()
    assert "goodbye" in parts.told
    assert any("no network" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("step", ["goodbye", "end requests", "close"])
async def test_a_part_that_hangs_or_fails_while_stopping_keeps_nobody(
    step: str, caplog: pytest.LogCaptureFixture
) -> None:
    for trouble in (hang(), fail(RuntimeError("stuck"))):
        parts = Parts(**{step: trouble})
        await parts.run_until_ready_then_stop()
        assert parts.told[-1] == "close"
        assert "end requests" in parts.told
    assert len([record for record in caplog.records if "Stopping the" in record.getMessage()]) == 2


# HTTP


def with_http(**changes: Any) -> Settings:
    port = changes.pop("port", None)
    return dataclasses.replace(SETTINGS, http=HttpSettings(port=port), **changes)


async def test_http_is_there_before_the_models_and_speaks_after_them() -> None:
    parts = Parts(settings=with_http())
    await parts.run_until_ready_then_stop()
    told = [step for step in parts.told if step != "serve"]
    assert told[:5] == ["web on localhost:8000", "load", "listen", "web speaks", "announce"]
    assert set(told[5:]) == {"goodbye", "end requests", "end web", "close"}
    assert told[-1] == "close"


async def test_a_port_nobody_chose_is_not_worth_the_server(
    caplog: pytest.LogCaptureFixture,
) -> None:
    taken = {"web on localhost:8000": fail(SetupError("8000 is in use."))}
    parts = Parts(settings=with_http(), **taken)
    await parts.run_until_ready_then_stop()
    assert "announce" in parts.told
    assert "There is no HTTP server: 8000 is in use. --port chooses another" in caplog.text


@pytest.mark.parametrize("settings", [with_http(port=8000), with_http(wyoming=False)])
async def test_a_port_that_was_chosen_or_is_the_only_one_must_be_free(settings: Settings) -> None:
    parts = Parts(
        settings=settings, **{"web on localhost:8000": fail(SetupError("8000 is in use."))}
    )
    with pytest.raises(SetupError, match="in use"):
        await parts.app.run()
    assert "load" not in parts.told


async def test_http_alone() -> None:
    parts = Parts(settings=with_http(wyoming=False))
    running = asyncio.ensure_future(parts.app.run())
    await until(lambda: "web speaks" in parts.told)
    parts.app.stop()
    await asyncio.wait_for(running, WAIT_S)
    assert parts.told == ["web on localhost:8000", "load", "web speaks", "end web", "close"]


# As a process


class Process:
    """`python -m wyoming_pocket_tts serve --language starter` on a free port."""

    def __init__(self, cache_dir: Path, *flags: str) -> None:
        command = [sys.executable, "-m", "wyoming_pocket_tts", "serve", "--language", "starter"]
        command += [
            "--no-zeroconf",
            "--uri",
            "tcp://127.0.0.1:0",
            "--log-format",
            "json",
            "--threads",
            "1",
        ]
        command += ["--no-http"]
        command += ["--cache-dir", str(cache_dir), *flags]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.log: list[dict[str, Any]] = []

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def wait_for(self, message: str) -> dict[str, Any]:
        """Reads the log up to a line with this message."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(json.loads(line))
            if self.log[-1]["message"] == message:
                return self.log[-1]
        raise AssertionError(f"no {message!r} in the log: {self.log}")

    def uri(self) -> str:
        (uri,) = self.wait_for("Ready")["uri"]
        return str(uri)

    def end(self, timeout_s: float = 60.0) -> int:
        """Waits for the end; the rest of the log is read, and standard output must have stayed empty."""
        out, err = self.process.communicate(timeout=timeout_s)
        self.log += [json.loads(line) for line in err.splitlines()]
        assert out == ""
        return self.process.returncode


@pytest.fixture(scope="module")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


async def test_a_process_speaks_and_ends_with_exit_code_0(cache_dir: Path) -> None:
    secret = "Nobody may read this in the log."
    with Process(cache_dir) as server:
        async with AsyncClient.from_uri(server.uri()) as client:
            await client.write_event(Describe().event())
            described = await client.read_event()
            assert described is not None
            voices = [voice.name for voice in Info.from_event(described).tts[0].voices]
            assert voices == ["slt", "rms", "awb"]
            await client.write_event(Synthesize(text=secret).event())
            kinds, audio = [], b""
            while event := await client.read_event():
                kinds.append(event.type)
                if AudioChunk.is_type(event.type):
                    audio += AudioChunk.from_event(event).audio
                if AudioStop.is_type(event.type):
                    break
        assert kinds[0] == "audio-start"
        assert kinds[-1] == "audio-stop"
        assert len(audio) > 16_000
        server.process.send_signal(signal.SIGTERM)
        assert server.end() == 0
    requests = [line for line in server.log if line.get("outcome") == "done"]
    spoken = requests[-1]
    assert spoken["level"] == "info"
    assert (spoken["voice"], spoken["characters"]) == ("slt", len(secret))
    assert spoken["ttfa_ms"] > 0
    assert spoken["x_real_time"] > 0
    assert not any(secret in json.dumps(line) for line in server.log)
    assert server.log[-1]["message"] == "Stopped"


async def test_a_signal_ends_what_is_being_said_within_the_time(cache_dir: Path) -> None:
    settings = cache_dir / "impatient.yaml"
    settings.write_text("limits: {stop_s: 0.5}")
    kinds: list[str] = []
    with Process(cache_dir, "--settings", str(settings)) as server:
        uri = server.uri()
        # A reset in mid-audio tells the client that what it has is not the whole.
        with contextlib.suppress(ConnectionError):
            async with AsyncClient.from_uri(uri) as client:
                text = "This is a very long story about a lamp in the kitchen. " * 300
                await client.write_event(Synthesize(text=text).event())
                while event := await client.read_event():
                    if not kinds:
                        server.process.send_signal(signal.SIGINT)
                    kinds.append(event.type)
        assert await asyncio.to_thread(server.end) == 0
    assert kinds[0] == "audio-start"
    assert "audio-stop" not in kinds


@pytest.mark.parametrize("delay_s", [0.4, 0.8, 1.6])
def test_sigterm_during_the_start_is_exit_code_0(cache_dir: Path, delay_s: float) -> None:
    with Process(cache_dir) as server:
        time.sleep(delay_s)
        server.process.send_signal(signal.SIGTERM)
        assert server.end() == 0


def test_a_port_in_use_is_told_in_a_line_of_the_log(cache_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with Process(cache_dir, "--uri", f"tcp://127.0.0.1:{port}") as server:
            assert server.end(60) == 2
    (error,) = [line for line in server.log if line["level"] == "error"]
    assert str(port) in error["message"]


def test_the_readme_snippet_saves_a_wav(cache_dir: Path, tmp_path: Path) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    snippets = re.findall(r"```python\n(.*?)```", readme, flags=re.DOTALL)
    (snippet,) = (one for one in snippets if "wyoming.client" in one)
    with Process(cache_dir) as server:
        program = snippet.replace("tcp://127.0.0.1:10200", server.uri())
        assert program != snippet
        subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, timeout=60)
    with wave.open(str(tmp_path / "hello.wav")) as wav:
        assert (wav.getframerate(), wav.getnchannels(), wav.getsampwidth()) == (16_000, 1, 2)
        assert wav.getnframes() > 8_000
