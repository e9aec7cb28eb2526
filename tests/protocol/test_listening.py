"""Where the server listens, and how it stops."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from wyoming.client import AsyncUnixClient
from wyoming.tts import Synthesize

from tests.protocol.fake_synthesizer import FakeSynthesizer
from tests.protocol.helpers import (
    WAIT_S,
    RawClient,
    client,
    raw,
    raw_event,
    read_until,
    send,
    serving,
    spoken,
    types,
)
from wyoming_pocket_tts.errors import SetupError
from wyoming_pocket_tts.wyoming_server import WyomingServer
from wyoming_pocket_tts.wyoming_server.listen import Address, parse_uri


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


needs_ipv6 = pytest.mark.skipif(not _has_ipv6(), reason="this machine has no IPv6 loopback")


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("tcp://0.0.0.0:10200", Address("tcp", "0.0.0.0", 10200)),
        ("tcp://[::]:10200", Address("tcp", "::", 10200)),
        ("tcp://:10300", Address("tcp", "", 10300)),
        ("tcp://*:10300", Address("tcp", "", 10300)),
        ("tcp://localhost", Address("tcp", "localhost", 10200)),
        ("tcp://127.0.0.1:0", Address("tcp", "127.0.0.1", 0)),
        ("unix:///run/a.sock", Address("unix", path="/run/a.sock")),
        ("unix://a.sock", Address("unix", path="a.sock")),
        ("stdio://", Address("stdio")),
    ],
)
def test_uris(uri: str, address: Address) -> None:
    assert parse_uri(uri) == address


@pytest.mark.parametrize(
    "uri", ["", "10200", "http://a:1", "tcp://a:x", "tcp://a:99999", "unix://", "tcp://[::1:5"]
)
def test_wrong_uris(uri: str) -> None:
    with pytest.raises(SetupError, match=r"tcp://0\.0\.0\.0:10200"):
        parse_uri(uri)


async def _answers(host: str, port: int | None) -> bool:
    try:
        reader, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.write(raw_event("ping"))
    answer = await reader.readline()
    writer.close()
    await writer.wait_closed()
    return b"pong" in answer


@needs_ipv6
@pytest.mark.parametrize("uri", ["tcp://:0", "tcp://[::]:0", "tcp://*:0"])
async def test_all_addresses_of_both_families(uri: str) -> None:
    async with serving(FakeSynthesizer(), uri) as server:
        assert server.addresses == [f"tcp://[::]:{server.port}", f"tcp://0.0.0.0:{server.port}"]
        assert await _answers("127.0.0.1", server.port)
        assert await _answers("::1", server.port)


@needs_ipv6
@pytest.mark.parametrize(
    ("uri", "ipv4", "ipv6"),
    [
        ("tcp://0.0.0.0:0", True, False),
        ("tcp://127.0.0.1:0", True, False),
        ("tcp://[::1]:0", False, True),
    ],
)
async def test_one_family(uri: str, ipv4: bool, ipv6: bool) -> None:
    async with serving(FakeSynthesizer(), uri) as server:
        assert await _answers("127.0.0.1", server.port) == ipv4
        assert await _answers("::1", server.port) == ipv6


async def test_a_name() -> None:
    async with serving(FakeSynthesizer(), "tcp://localhost:0") as server:
        assert await _answers("localhost", server.port)


async def test_several_uris(tmp_path: Path) -> None:
    async with serving(FakeSynthesizer()) as server:
        await server.start(f"unix://{tmp_path}/s")
        assert server.addresses == [f"tcp://127.0.0.1:{server.port}", f"unix://{tmp_path}/s"]
        assert await _answers("127.0.0.1", server.port)


async def test_a_port_that_is_taken_is_named() -> None:
    async with serving(FakeSynthesizer()) as server:
        other = WyomingServer(FakeSynthesizer())
        with pytest.raises(SetupError, match=rf"tcp://127\.0\.0\.1:{server.port}.*another server"):
            await other.start(f"tcp://127.0.0.1:{server.port}")
        with pytest.raises(SetupError, match="nowhere"):
            await other.start("tcp://nowhere.invalid:1")


async def test_unix_socket(tmp_path: Path) -> None:
    path = tmp_path / "pocket.sock"
    async with serving(FakeSynthesizer(), f"unix://{path}", unix_mode=0o600) as server:
        assert server.port is None
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        wyoming = AsyncUnixClient(str(path))
        await wyoming.connect()
        await send(wyoming, Synthesize("over a file"))
        assert spoken(await read_until(wyoming, "audio-stop")) == "over a file"
        await wyoming.disconnect()
    assert not path.exists()


async def test_a_dead_servers_socket_file_is_replaced_a_living_ones_is_not(tmp_path: Path) -> None:
    path = tmp_path / "pocket.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    async with serving(FakeSynthesizer(), f"unix://{path}"):
        with pytest.raises(SetupError, match="another server"):
            await WyomingServer(FakeSynthesizer()).start(f"unix://{path}")
        assert path.exists()
    path.write_text("precious")
    with pytest.raises(SetupError, match="no socket"):
        await WyomingServer(FakeSynthesizer()).start(f"unix://{path}")
    assert path.read_text() == "precious"
    with pytest.raises(SetupError, match="No such file"):
        await WyomingServer(FakeSynthesizer()).start(f"unix://{tmp_path}/no/such/directory")


STDIO_SERVER = """
import asyncio
from tests.protocol.fake_synthesizer import FakeSynthesizer
from wyoming_pocket_tts.wyoming_server import WyomingServer

async def main():
    server = WyomingServer(FakeSynthesizer())
    await server.start("stdio://")
    print("this must not get between the events")
    await server.wait_closed()
    await server.stop()

asyncio.run(main())
"""


async def test_stdio() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-W",
        "error",
        "-c",
        STDIO_SERVER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(raw_event("ping"))
    connection = RawClient(process.stdout, process.stdin)
    assert (await connection.read_event())[0] == "pong"
    process.stdin.write(raw_event("synthesize", {"text": "abc"}))
    process.stdin.write_eof()
    found, _, end = await connection.rest()
    assert (found, end) == (["audio-start", *["audio-chunk"] * 3, "audio-stop"], "eof")
    _, errors = await asyncio.wait_for(process.communicate(), WAIT_S)
    assert process.returncode == 0
    assert errors.decode().strip() == "this must not get between the events"


async def test_stdio_ends_with_its_reader() -> None:
    read_end, write_end = os.pipe()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        STDIO_SERVER,
        stdin=subprocess.PIPE,
        stdout=write_end,
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    os.close(read_end)
    assert process.stdin is not None
    process.stdin.write(raw_event("ping"))
    assert await asyncio.wait_for(process.wait(), WAIT_S) == 0


async def test_stop_lets_speech_end() -> None:
    synthesizer = FakeSynthesizer(delay_s=0.01)
    async with serving(synthesizer) as server, client(server) as wyoming, raw(server) as idle:
        await idle.event("ping")
        await idle.read_event()
        await send(wyoming, Synthesize("to the end"), Synthesize("this too"))
        await read_until(wyoming, "audio-start")
        stopping = asyncio.create_task(server.stop(grace_s=600.0))
        assert (await idle.rest())[2] == "eof"
        with pytest.raises(ConnectionRefusedError):
            await RawClient.connect(server)
        await read_until(wyoming, "audio-stop")
        assert spoken(await read_until(wyoming, "audio-stop")) == "this too"
        assert await read_until(wyoming, None) == []
        await asyncio.wait_for(stopping, WAIT_S)


async def test_stop_refuses_what_is_new() -> None:
    synthesizer = FakeSynthesizer(delay_s=0.01)
    async with serving(synthesizer) as server, client(server) as wyoming:
        await send(wyoming, Synthesize("x" * 20))
        await read_until(wyoming, "audio-start")
        stopping = asyncio.create_task(server.stop(grace_s=WAIT_S))
        await asyncio.sleep(0.01)
        await send(wyoming, Synthesize("too late"))
        events = await read_until(wyoming, None)
        assert types(events) == ["audio-chunk", "audio-stop", "error"]
        assert events[-1].data["code"] == "shutting-down"
        await stopping


@pytest.mark.parametrize("grace_s", [0.0, 0.4])
async def test_stop_ends_what_takes_too_long_with_an_error(grace_s: float) -> None:
    synthesizer = FakeSynthesizer(delay_s=0.01)
    async with (
        serving(synthesizer) as server,
        raw(server) as plain,
        raw(server) as stream,
        raw(server) as stalled,
    ):
        await plain.event("synthesize", {"text": "x" * 1000})
        await stream.event("synthesize-start")
        await stream.event("synthesize-chunk", {"text": "y" * 1000})
        stalled.reader._transport.pause_reading()  # type: ignore[attr-defined]
        await stalled.event("synthesize", {"text": "z" * 1000})
        await plain.read_event()
        await stream.read_event()
        rests = [asyncio.create_task(each.rest()) for each in (plain, stream)]
        begun_s = asyncio.get_running_loop().time()
        await server.stop(grace_s=grace_s)
        took_s = asyncio.get_running_loop().time() - begun_s
        # What is still to be said would take 10 s.
        assert grace_s * 0.9 <= took_s < grace_s + 5
        for found, data, end in await asyncio.gather(*rests):
            assert end == "reset"
            if grace_s:
                assert (found[-1], data["code"]) == ("error", "shutting-down")
    assert {call.outcome for call in synthesizer.calls} == {"cancelled"}


async def test_stop_with_an_open_stream_that_waits_for_text() -> None:
    async with serving(FakeSynthesizer()) as server, raw(server) as connection:
        await connection.event("synthesize-start")
        await connection.event("synthesize-chunk", {"text": "a"})
        await connection.read_event()
        rest = asyncio.create_task(connection.rest())
        await asyncio.wait_for(server.stop(grace_s=0.4), 10.0)
        found, data, end = await rest
    assert (found, data["code"], end) == (["audio-chunk", "error"], "shutting-down", "reset")


async def test_stop_does_not_wait_for_ever_for_a_generator_that_will_not_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Stubborn(FakeSynthesizer):
        async def generate_audio_stream(self, request):  # type: ignore[no-untyped-def,override]
            try:
                await asyncio.sleep(60)
                yield None
            finally:
                await release.wait()

    release = asyncio.Event()
    server = WyomingServer(Stubborn())
    await server.start("tcp://127.0.0.1:0")
    async with raw(server) as connection:
        await connection.event("synthesize", {"text": "x"})
        await asyncio.sleep(0.05)
        await asyncio.wait_for(server.stop(grace_s=0.1), WAIT_S)
    assert "did not end" in caplog.text
    release.set()
    await asyncio.sleep(0.01)
