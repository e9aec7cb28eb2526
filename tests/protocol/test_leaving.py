"""Clients that leave, in every way there is: what they held is free within a frame. Those that only stop sending still get
their audio; those that only stop reading, or stop half-way, are given up after a time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart

from tests.protocol.fake_synthesizer import FakeSynthesizer
from tests.protocol.helpers import (
    RawClient,
    client,
    raw,
    read_until,
    send,
    serving,
    spoken,
    types,
    until,
)

# Far below what the generators would otherwise take: 20 s, or for ever.
FREED_WITHIN_S = 3.0
AUDIO = ["audio-start", "audio-chunk", "audio-stop"]


def _states() -> list[str]:
    """States of this machine's TCP sockets: 08 is CLOSE_WAIT."""
    lines = Path("/proc/self/net/tcp").read_text().splitlines()[1:]
    return [f"{fields[1]} {fields[3]}" for fields in map(str.split, lines)]


def _in_close_wait(port: int) -> int:
    return sum(state.endswith(f":{port:04X} 08") for state in _states())


async def _ask(connection: RawClient, streamed: bool, text: str) -> None:
    if streamed:
        await connection.event("synthesize-start")
        await connection.event("synthesize-chunk", {"text": text})
    else:
        await connection.event("synthesize", {"text": text})


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("way", ["close", "reset"])
@pytest.mark.parametrize("when", ["waiting", "speaking"])
async def test_a_client_that_leaves_frees_its_generator(
    way: str, when: str, streamed: bool
) -> None:
    synthesizer = FakeSynthesizer(delay_s=0.02)
    if when == "waiting":
        synthesizer.gate.clear()
    async with serving(synthesizer) as server:
        connection = await RawClient.connect(server)
        await _ask(connection, streamed, "x" * 1000)
        await connection.event("synthesize", {"text": "another"})
        if when == "speaking":
            await connection.read_event()
        await until(lambda: bool(synthesizer.calls))
        if way == "close":
            await connection.close()
        else:
            connection.reset()
        await asyncio.wait_for(synthesizer.calls[0].closed.wait(), FREED_WITHIN_S)
        await until(lambda: not server._connections, FREED_WITHIN_S)
        assert server.port is not None
        assert _in_close_wait(server.port) == 0
    assert [call.outcome for call in synthesizer.calls] == ["cancelled"]


async def test_a_client_that_leaves_between_two_of_its_requests_frees_both() -> None:
    synthesizer = FakeSynthesizer()
    async with serving(synthesizer) as server:
        connection = await RawClient.connect(server)
        await connection.event("synthesize", {"text": "a"})
        assert [(await connection.read_event())[0] for _ in range(3)] == AUDIO
        synthesizer.gate.clear()
        await connection.event("synthesize", {"text": "b"})
        await connection.event("synthesize", {"text": "c"})
        await until(lambda: len(synthesizer.calls) == 2)
        await connection.close()
        await asyncio.wait_for(synthesizer.calls[1].closed.wait(), FREED_WITHIN_S)
    assert len(synthesizer.calls) == 2


async def test_a_unix_client_that_leaves_frees_its_generator(tmp_path: Path) -> None:
    synthesizer = FakeSynthesizer()
    synthesizer.gate.clear()
    path = tmp_path / "s"
    async with serving(synthesizer, f"unix://{path}"):
        connection = await RawClient.connect_unix(str(path))
        await connection.event("synthesize", {"text": "x"})
        await until(lambda: bool(synthesizer.calls))
        await connection.close()
        await asyncio.wait_for(synthesizer.calls[0].closed.wait(), FREED_WITHIN_S)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("waits", [False, True])
async def test_half_close_still_gets_all_its_audio(waits: bool, streamed: bool) -> None:
    synthesizer = FakeSynthesizer(delay_s=0.001)
    if waits:
        synthesizer.gate.clear()
    async with serving(synthesizer) as server, raw(server) as connection:
        await _ask(connection, streamed, "all of it")
        connection.half_close()
        if waits:
            assert (await connection.read_event())[0] == "audio-start", "sent ahead, as a probe"
            for _ in range(2):
                event_type, _, payload = await connection.read_event()
                assert (event_type, payload) == ("audio-chunk", b""), "while it waits, more probes"
            synthesizer.gate.set()
        found, _, end = await connection.rest()
    # A stream without its stop ends with the client's sending.
    begin = [] if waits else ["audio-start"]
    stopped = ["synthesize-stopped"] if streamed else []
    assert found == [*begin, *["audio-chunk"] * 9, "audio-stop", *stopped]
    assert end == "eof"
    assert synthesizer.calls[0].text == "all of it"


async def test_half_close_with_several_requests_gets_them_all() -> None:
    async with serving(FakeSynthesizer()) as server, raw(server) as connection:
        for text in "abc":
            await connection.event("synthesize", {"text": text})
        await connection.send(b'{"type": "synth')
        connection.half_close()
        assert await connection.rest() == (AUDIO * 3, {"timestamp": 10}, "eof")


async def test_half_close_over_a_unix_socket(tmp_path: Path) -> None:
    synthesizer = FakeSynthesizer()
    synthesizer.gate.clear()
    path = tmp_path / "s"
    async with serving(synthesizer, f"unix://{path}"):
        connection = await RawClient.connect_unix(str(path))
        await connection.event("synthesize", {"text": "a"})
        connection.half_close()
        await asyncio.sleep(0.1)
        synthesizer.gate.set()
        assert (await connection.rest())[0] == AUDIO
        await connection.close()


async def test_half_close_and_a_failure_after_the_early_start_is_a_reset() -> None:
    synthesizer = FakeSynthesizer()
    synthesizer.gate.clear()
    synthesizer.failure = RuntimeError()
    async with serving(synthesizer, error_linger_s=0.05) as server, raw(server) as connection:
        await connection.event("synthesize", {"text": "a"})
        connection.half_close()
        await connection.read_event()
        synthesizer.gate.set()
        found, data, end = await connection.rest()
    assert (found, data["code"], end) == (["error"], "internal", "reset")


@pytest.mark.parametrize("order", ["describe", "nothing", "half an event"])
async def test_half_close_without_a_request_closes(order: str) -> None:
    async with serving(FakeSynthesizer()) as server, raw(server) as connection:
        if order == "describe":
            await connection.event("describe")
        elif order == "half an event":
            await connection.send(b'{"type": "synthesize", "data_length": 100}\n{"te')
        connection.half_close()
        found, _, end = await connection.rest()
        await until(lambda: not server._connections)
    assert (found, end) == (["info"] if order == "describe" else [], "eof")


async def test_a_stream_without_more_text_is_given_up() -> None:
    synthesizer = FakeSynthesizer()
    async with serving(synthesizer, idle_between_text_s=0.2) as server, raw(server) as connection:
        await connection.event("synthesize-start")
        for piece in ("ab", "cd"):
            await connection.event("synthesize-chunk", {"text": piece})
            await asyncio.sleep(0.12)
        found, data, end = await connection.rest()
    # All that came is spoken; then it is no clean end, for nobody knows whether the text was whole.
    assert found == ["audio-start", *["audio-chunk"] * 4, "error"]
    assert (data["code"], end) == ("timeout", "reset")
    assert synthesizer.calls[0].text == "abcd"


async def test_a_stream_without_any_text_is_given_up_also_while_another_request_is_spoken() -> None:
    synthesizer = FakeSynthesizer(delay_s=0.02)
    async with serving(synthesizer, idle_between_text_s=0.1) as server, client(server) as wyoming:
        await send(wyoming, Synthesize("x" * 15), SynthesizeStart())
        events = await read_until(wyoming, None)
    assert types(events) == [*AUDIO, "error"]
    assert spoken(events) == "x" * 15
    assert events[-1].data["code"] == "timeout"


async def test_a_finished_stream_is_not_given_up() -> None:
    synthesizer = FakeSynthesizer(delay_s=0.01)
    async with serving(synthesizer, idle_between_text_s=0.1) as server, raw(server) as connection:
        await _ask(connection, True, "x" * 25)
        await connection.event("synthesize-stop")
        found = []
        while not found or found[-1] != "synthesize-stopped":
            found.append((await connection.read_event())[0])
        await asyncio.sleep(0.15)
        await connection.event("ping")
        assert (await connection.read_event())[0] == "pong"


@pytest.mark.parametrize(
    "part",
    [
        b'{"type": "descr',
        b'{"type": "ping", "data_length": 50}\n{',
        b'{"type": "x", "payload_length": 9}\n1',
    ],
)
@pytest.mark.parametrize("drips", [False, True])
async def test_an_event_that_never_ends_is_given_up(part: bytes, drips: bool) -> None:
    async with (
        serving(FakeSynthesizer(), incomplete_event_s=0.2) as server,
        raw(server) as connection,
    ):
        await connection.event("ping")
        assert (await connection.read_event())[0] == "pong"
        await connection.send(part)
        for _ in range(6 if drips else 0):
            await asyncio.sleep(0.05)
            await connection.send(b" ")
        found, data, end = await connection.rest()
        assert (found, data["code"], end) == (["error"], "timeout", "eof")


async def test_complete_events_far_apart_are_fine() -> None:
    async with (
        serving(FakeSynthesizer(), incomplete_event_s=0.1) as server,
        raw(server) as connection,
    ):
        for _ in range(4):
            await connection.send(b'{"type": "pi')
            await asyncio.sleep(0.06)
            await connection.send(b'ng"}\n')
            assert (await connection.read_event())[0] == "pong"


async def test_a_stalled_client_pauses_its_own_generator_and_is_dropped() -> None:
    synthesizer = FakeSynthesizer(samples=24_000)
    async with serving(synthesizer, stalled_client_s=0.4) as server:
        stalled = await RawClient.connect(server)
        stalled.reader._transport.pause_reading()  # type: ignore[attr-defined]
        await stalled.event("synthesize", {"text": "x" * 20_000})
        await until(lambda: bool(synthesizer.calls))
        await asyncio.sleep(0.3)
        (served,) = server._connections
        frames = synthesizer.calls[0].frames
        assert frames < 500, "a stalled client's audio piles up"
        assert served.link.unsent_bytes < 200_000
        async with client(server) as wyoming:
            await send(wyoming, Synthesize("abc"))
            await read_until(wyoming, "audio-stop")
        await asyncio.wait_for(synthesizer.calls[0].closed.wait(), 3.0)
        assert not server._connections - {served}
        await stalled.close()


async def test_a_slow_client_is_not_a_stalled_one() -> None:
    synthesizer = FakeSynthesizer(samples=24_000)
    async with serving(synthesizer, stalled_client_s=0.3) as server:
        slow = await RawClient.connect(server)
        slow.reader._transport.pause_reading()  # type: ignore[attr-defined]
        sock = slow.writer.get_extra_info("socket")
        await slow.event("synthesize", {"text": "x" * 400})
        await until(lambda: bool(synthesizer.calls))
        raw_socket = sock._sock
        taken = 0
        for _ in range(60):
            await asyncio.sleep(0.03)
            for _ in range(4):
                try:
                    taken += len(raw_socket.recv(65_536))
                except BlockingIOError:
                    break
        assert taken > 1_000_000
        assert synthesizer.calls[0].outcome in ("running", "done")
        await slow.close()


async def test_stalled_while_the_connection_is_being_closed() -> None:
    synthesizer = FakeSynthesizer(samples=240_000)
    async with serving(synthesizer, stalled_client_s=0.3) as server:
        stalled = await RawClient.connect(server)
        stalled.reader._transport.pause_reading()  # type: ignore[attr-defined]
        await stalled.event("synthesize", {"text": "x" * 20})
        stalled.half_close()
        await until(lambda: bool(server._connections))
        await until(lambda: not server._connections)
        await stalled.close()


async def test_text_goes_on_arriving_while_a_stalled_client_is_waited_for() -> None:
    synthesizer = FakeSynthesizer(samples=240_000)
    async with serving(synthesizer) as server:
        stalled = await RawClient.connect(server)
        stalled.reader._transport.pause_reading()  # type: ignore[attr-defined]
        await _ask(stalled, True, "x" * 40)
        await asyncio.sleep(0.1)
        (served,) = server._connections
        for _ in range(500):
            await stalled.event("synthesize-chunk", {"text": "y"})
        assert served._open is not None
        feed = served._open.feed
        assert feed is not None
        await until(lambda: feed.characters == 540)
        stalled.reset()
        await asyncio.wait_for(synthesizer.calls[0].closed.wait(), FREED_WITHIN_S)


async def test_generators_that_wait_for_text_are_freed_with_their_client() -> None:
    synthesizer = FakeSynthesizer()
    async with serving(synthesizer) as server:
        async with client(server) as wyoming:
            await send(wyoming, SynthesizeStart(), SynthesizeChunk("abc"))
            for _ in range(4):
                await wyoming.read_event()
        await asyncio.wait_for(synthesizer.calls[0].closed.wait(), FREED_WITHIN_S)


async def test_a_half_closed_client_that_leaves_while_its_second_request_waits() -> None:
    synthesizer = FakeSynthesizer(delay_s=0.01)
    async with serving(synthesizer) as server:
        connection = await RawClient.connect(server)
        await connection.event("synthesize", {"text": "a"})
        await connection.event("synthesize", {"text": "b"})
        connection.half_close()
        await until(lambda: bool(synthesizer.calls) and synthesizer.calls[0].frames == 1)
        synthesizer.gate.clear()
        found = [(await connection.read_event())[0] for _ in range(4)]
        assert found == [*AUDIO, "audio-start"], "the second one's start is sent ahead too"
        await connection.close()
        await asyncio.wait_for(synthesizer.calls[1].closed.wait(), FREED_WITHIN_S)
