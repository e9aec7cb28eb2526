"""Clients of the whole server, with its real engine and the starter model: good ones, bad ones, and those that just go away."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wyoming.event import Event
from wyoming.info import Describe
from wyoming.tts import Synthesize, SynthesizeVoice

from tests.protocol.helpers import (
    RawClient,
    client,
    home_assistant_stream,
    pcm,
    raw,
    read_until,
    send,
    types,
    until,
)
from tests.protocol.real_server import RealServer, real_server

TEXT = (
    "The sun comes out around noon, and it will be about eighteen degrees. Tonight it stays dry. "
)
IDLE_S = 1.0
STALLED_S = 1.5


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    folder = tmp_path_factory.mktemp("real-server")
    with real_server(folder, idle_between_text_s=IDLE_S, stalled_client_s=STALLED_S) as running:
        yield running


def _audio_s(events: list[Event]) -> float:
    start = next(event for event in events if event.type == "audio-start")
    return len(pcm(events)) / (start.data["rate"] * start.data["width"] * start.data["channels"])


async def _listen(server: RealServer, number: int) -> float:
    """One good client, every other one as Home Assistant streams; gives the seconds it heard."""
    async with client(server) as wyoming:  # type: ignore[arg-type]
        text = f"Number {number}. {TEXT * 2}"
        if number % 2:
            pieces = (text[i : i + 7] for i in range(0, len(text), 7))
            await send(wyoming, *home_assistant_stream(*pieces, voice="slt"))
            events = await read_until(wyoming, "synthesize-stopped")
            assert types(events) == [
                "audio-start",
                "audio-chunk",
                "audio-stop",
                "synthesize-stopped",
            ]
        else:
            await send(wyoming, Synthesize(text))
            events = await read_until(wyoming, "audio-stop")
            assert types(events) == ["audio-start", "audio-chunk", "audio-stop"]
    return _audio_s(events)


async def _describe_all_the_while(server: RealServer, stop: asyncio.Event) -> float:
    loop, slowest_s = asyncio.get_running_loop(), 0.0
    while not stop.is_set():
        begun_s = loop.time()
        async with client(server) as wyoming:  # type: ignore[arg-type]
            await send(wyoming, Describe())
            (info,) = await read_until(wyoming, "info")
            assert info.data["tts"][0]["voices"][0]["name"] == "slt"
        slowest_s = max(slowest_s, loop.time() - begun_s)
        await asyncio.sleep(0.02)
    return slowest_s


async def _send_garbage(server: RealServer, stop: asyncio.Event) -> int:
    rounds = 0
    while not stop.is_set():
        async with raw(server) as connection:  # type: ignore[arg-type]
            await connection.send(bytes(range(256)) * 64, b"\n" * 1000)
            found, _, _ = await connection.rest()
            assert found == ["error"]
        rounds += 1
        await asyncio.sleep(0.02)
    return rounds


def _outcome(server: RealServer, characters: int) -> str | None:
    """How the request of a text that long ended, once it has."""
    found = [each for each in server.requests().values() if each.get("characters") == characters]
    return found[0]["outcome"] if found else None


def _open_sockets(server: RealServer) -> int:
    folder = Path(f"/proc/{server.process.pid}/fd")
    count = 0
    for descriptor in folder.iterdir():
        try:
            count += os.readlink(descriptor).startswith("socket:")
        except FileNotFoundError:
            continue
    return count


async def test_eight_clients_one_stalled_one_killed_one_sending_garbage(server: RealServer) -> None:
    sockets = _open_sockets(server)
    stop = asyncio.Event()
    stalled = await RawClient.connect(server)  # type: ignore[arg-type]
    stalled.reader._transport.pause_reading()  # type: ignore[attr-defined]
    stalled_text = TEXT * 100
    await stalled.event("synthesize", {"text": stalled_text})
    killed = await RawClient.connect(server)  # type: ignore[arg-type]
    killed_text = TEXT * 101
    await killed.event("synthesize", {"text": killed_text})
    garbage = asyncio.create_task(_send_garbage(server, stop))
    describes = asyncio.create_task(_describe_all_the_while(server, stop))
    listeners = [asyncio.create_task(_listen(server, number)) for number in range(5)]
    for _ in range(20):
        await killed.read_event()
    killed.reset()
    heard_s = await asyncio.gather(*listeners)
    stop.set()
    assert min(heard_s) > 5.0
    assert await garbage > 3
    assert await describes < 1.0
    await until(lambda: _outcome(server, len(killed_text)) == "cancelled")
    # Nobody who does not listen holds a place for ever.
    await until(lambda: _outcome(server, len(stalled_text)) == "cancelled")
    await stalled.close()
    await until(lambda: _open_sockets(server) <= sockets)


async def test_a_stream_that_was_abandoned_ends_by_itself(server: RealServer) -> None:
    """Home Assistant leaves the connection of an answer that was cancelled open: no stop, no end."""
    async with raw(server) as abandoned:  # type: ignore[arg-type]
        await abandoned.event("synthesize-start", {"voice": {"name": "slt"}})
        await abandoned.event("synthesize-chunk", {"text": TEXT * 2 + "And then"})
        # Meanwhile the next answer is spoken.
        assert await _listen(server, 1) > 5.0
        found, data, end = await abandoned.rest()
        assert (found[0], found[-1], data["code"], end) == (
            "audio-start",
            "error",
            "timeout",
            "reset",
        )
    await until(lambda: _outcome(server, len(TEXT) * 2 + 8) == "timeout")


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_refusal_is_in_the_log_too(server: RealServer, streamed: bool) -> None:
    """Home Assistant before 2026 shows nothing of an error: who looks for the reason finds it in the server's log."""
    name = f"no-such-voice-{streamed}"
    async with client(server) as wyoming:  # type: ignore[arg-type]
        if streamed:
            await send(wyoming, *home_assistant_stream("Hello.", voice=name))
        else:
            await send(wyoming, Synthesize("Hello.", voice=SynthesizeVoice(name=name)))
        (error,) = await read_until(wyoming, None)
    assert (error.type, error.data["code"]) == ("error", "voice-not-found")
    (line,) = [each for each in server.requests().values() if each["voice"] == name]
    assert (line["outcome"], line["level"]) == ("voice-not-found", "info")
    assert name in line["reason"]
    assert "Hello" not in str(line)


@pytest.mark.parametrize("text", ["...", " ", "\N{GRINNING FACE}"])
async def test_nothing_to_say_is_a_moment_of_silence(server: RealServer, text: str) -> None:
    async with client(server) as wyoming:  # type: ignore[arg-type]
        await send(wyoming, *home_assistant_stream(text, voice=None))
        events = await read_until(wyoming, "synthesize-stopped")
    assert 0 < _audio_s(events) < 1.0
    assert not any(pcm(events))


async def test_a_signal_in_mid_answer_ends_the_answer_with_an_error(tmp_path: Path) -> None:
    """The text of the answer ends in the moment in which it is cancelled; that is no fault of ours, and no line of the log."""
    with real_server(tmp_path, stop_s=1.0) as server:
        async with raw(server) as connection:  # type: ignore[arg-type]
            await connection.event("synthesize-start")
            await connection.event("synthesize-chunk", {"text": TEXT * 2})
            await connection.read_event()
            stopping = asyncio.create_task(asyncio.to_thread(server.stop))
            found, data, end = await connection.rest()
            assert (found[-1], data["code"], end) == ("error", "shutting-down", "reset")
            await stopping
        assert [line["outcome"] for line in server.requests().values()][-1] == "cancelled"


async def test_clients_that_reset_right_after_asking_are_spoken_to_nobody(
    server: RealServer,
) -> None:
    """Many of them, at moments that differ: each frees what it held, and the next client is not told `busy`."""
    before = set(server.requests())
    request = Synthesize(TEXT * 30).event()
    payload = json.dumps({"type": request.type, "data": request.data}).encode() + b"\n"
    for number in range(30):
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(payload)
        await writer.drain()
        await asyncio.sleep(0.002 * (number % 5))
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.close()
    assert await _listen(server, 2) > 1
    new = server.wait_for(lambda: _new_requests(server, before, 30))
    assert {line["outcome"] for line in new} <= {"cancelled", "done"}
    spoken = [line for line in new if line["outcome"] == "done"]
    # The good client alone was spoken to the end.
    assert len(spoken) == 1
    assert sum(line["audio_s"] for line in new if line["outcome"] == "cancelled") < 60


def _new_requests(server: RealServer, before: set[str], count: int) -> list[dict[str, Any]]:
    new = [line for name, line in server.requests().items() if name not in before]
    return new if len(new) > count else []


async def test_describe_beside_eight_texts_at_the_limit(server: RealServer) -> None:
    """Preparing long texts is shared out: nobody waits for somebody else's to be prepared."""
    stop = asyncio.Event()
    describing = asyncio.create_task(_describe_all_the_while(server, stop))
    text = "1. a\n" * 3900
    writers = []
    for _ in range(8):
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        header = {"type": "synthesize", "data": {"text": text}}
        writer.write(json.dumps(header).encode() + b"\n")
        writers.append(writer)
    await asyncio.sleep(3)
    stop.set()
    slowest_s = await describing
    for writer in writers:
        writer.close()
    assert slowest_s < 1
