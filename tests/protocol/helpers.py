"""Servers on real sockets, and clients: the `wyoming` package's, and one that sends raw bytes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import struct
from collections.abc import AsyncIterator
from typing import Any

from wyoming.client import AsyncClient, AsyncTcpClient
from wyoming.event import Event
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeVoice,
)

from tests.protocol.fake_synthesizer import FORMAT, FakeSynthesizer, text_of
from wyoming_pocket_tts.wyoming_server import WyomingServer
from wyoming_pocket_tts.wyoming_server.options import WyomingOptions

# Ends a test that hangs; how fast something is shows nothing on a machine that others use as well.
WAIT_S = 30.0


@contextlib.asynccontextmanager
async def serving(
    synthesizer: FakeSynthesizer, uri: str = "tcp://127.0.0.1:0", **options: Any
) -> AsyncIterator[WyomingServer]:
    """A server that is listening; when it ends, nothing of it may be left: no connection, no generator, no socket."""
    options.setdefault("error_linger_s", 0.2)
    server = WyomingServer(synthesizer, WyomingOptions(**options))
    before = _sockets()
    await server.start(uri)
    try:
        yield server
    finally:
        await asyncio.wait_for(server.stop(grace_s=0.3), WAIT_S)
        assert not server._connections
        assert synthesizer.running == 0
        await until(lambda: not _sockets() - before)


def _sockets() -> set[str]:
    found = set()
    for fd in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            target = os.readlink(f"/proc/self/fd/{fd}")
            if target.startswith("socket:"):
                found.add(target)
    return found


def client(server: WyomingServer) -> AsyncTcpClient:
    assert server.port is not None
    return AsyncTcpClient("127.0.0.1", server.port, read_timeout=WAIT_S)


async def send(wyoming: AsyncClient, *events: Any) -> None:
    for each in events:
        await wyoming.write_event(each.event())


async def read_until(wyoming: AsyncClient, last: str | None) -> list[Event]:
    """Events up to and with the one of type `last`; with None, up to the end of the connection."""
    events: list[Event] = []
    while True:
        event = await wyoming.read_event()
        if event is None:
            assert last is None, f"closed after {types(events)}"
            return events
        events.append(event)
        if event.type == last:
            return events


def types(events: list[Event]) -> list[str]:
    """Event types, with runs of audio-chunk as one."""
    found: list[str] = []
    for event in events:
        if not (event.type == "audio-chunk" and found and found[-1] == "audio-chunk"):
            found.append(event.type)
    return found


def pcm(events: list[Event]) -> bytes:
    return b"".join(event.payload or b"" for event in events if event.type == "audio-chunk")


def spoken(events: list[Event]) -> str:
    """What the audio says; checks format and timestamps on the way."""
    samples = 0
    for event in events:
        if event.type in ("audio-start", "audio-chunk"):
            assert (event.data["rate"], event.data["width"], event.data["channels"]) == (
                FORMAT.rate_hz,
                FORMAT.width_bytes,
                FORMAT.channels,
            )
        if event.type == "audio-start":
            samples = 0
        if event.type in ("audio-start", "audio-chunk", "audio-stop"):
            assert event.data["timestamp"] == samples * 1000 // FORMAT.rate_hz
        if event.type == "audio-chunk":
            assert event.payload
            samples += len(event.payload) // FORMAT.width_bytes
    return text_of(pcm(events))


def home_assistant_stream(*chunks: str, voice: str | None = "anna") -> list[Any]:
    """What Home Assistant sends for a streamed answer: the whole text again before the stop."""
    chosen = SynthesizeVoice(name=voice) if voice is not None else None
    return [
        SynthesizeStart(voice=chosen),
        *(SynthesizeChunk(text=chunk) for chunk in chunks),
        Synthesize(text="".join(chunks), voice=chosen),
        SynthesizeStop(),
    ]


async def until(condition: Any, within_s: float = WAIT_S) -> None:
    """Waits for something to become true."""
    deadline_s = asyncio.get_running_loop().time() + within_s
    while not condition():
        assert asyncio.get_running_loop().time() < deadline_s, "it did not happen in time"
        await asyncio.sleep(0.005)


class RawClient:
    """A client that can do everything wrong."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    @staticmethod
    async def connect(server: WyomingServer) -> RawClient:
        return RawClient(
            *await asyncio.open_connection("127.0.0.1", server.port, limit=1024 * 1024)
        )

    @staticmethod
    async def connect_unix(path: str) -> RawClient:
        return RawClient(*await asyncio.open_unix_connection(path))

    async def send(self, *parts: bytes) -> None:
        for part in parts:
            self.writer.write(part)
            with contextlib.suppress(ConnectionError):
                await self.writer.drain()

    async def event(self, event_type: str, data: dict[str, Any] | None = None) -> None:
        await self.send(raw_event(event_type, data))

    async def read_event(self) -> tuple[str, dict[str, Any], bytes]:
        line = await asyncio.wait_for(self.reader.readline(), WAIT_S)
        if not line:
            raise EOFError
        header = json.loads(line)
        data = await self.reader.readexactly(header.get("data_length", 0))
        payload = await self.reader.readexactly(header.get("payload_length", 0))
        return header["type"], json.loads(data or b"{}"), payload

    async def rest(self) -> tuple[list[str], dict[str, Any], str]:
        """Event types until the end, the last event's data, and how it ended: "eof" or "reset"."""
        found: list[str] = []
        data: dict[str, Any] = {}
        while True:
            try:
                event_type, data, _ = await self.read_event()
                found.append(event_type)
            except EOFError:
                return found, data, "eof"
            except (ConnectionResetError, asyncio.IncompleteReadError):
                return found, data, "reset"

    def half_close(self) -> None:
        self.writer.write_eof()

    def reset(self) -> None:
        linger = struct.pack("ii", 1, 0)
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.writer.transport.abort()

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


def raw_event(event_type: str, data: dict[str, Any] | None = None) -> bytes:
    body = json.dumps(data).encode() if data else b""
    return (
        (
            json.dumps(
                {"type": event_type, "data_length": len(body)} if body else {"type": event_type}
            )
        ).encode()
        + b"\n"
        + body
    )


@contextlib.asynccontextmanager
async def raw(server: WyomingServer) -> AsyncIterator[RawClient]:
    connected = await RawClient.connect(server)
    try:
        yield connected
    finally:
        await connected.close()
