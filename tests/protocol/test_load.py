"""Many clients at once, good and bad ones: the good ones get everything, and `describe` is answered within a second."""

from __future__ import annotations

import asyncio

from wyoming.info import Describe
from wyoming.ping import Ping
from wyoming.tts import Synthesize

from tests.protocol.fake_synthesizer import FakeSynthesizer
from tests.protocol.helpers import (
    RawClient,
    client,
    home_assistant_stream,
    raw,
    read_until,
    send,
    serving,
    spoken,
    types,
    until,
)
from wyoming_pocket_tts.wyoming_server import WyomingServer


async def _listen(server: WyomingServer, number: int) -> None:
    text = f"client {number} " * 40
    async with client(server) as wyoming:
        if number % 2:
            await send(
                wyoming, *home_assistant_stream(*(text[i : i + 7] for i in range(0, len(text), 7)))
            )
            events = await read_until(wyoming, "synthesize-stopped")
        else:
            await send(wyoming, Synthesize(text))
            events = await read_until(wyoming, "audio-stop")
    assert spoken(events) == text


async def _describe_all_the_while(server: WyomingServer, stop: asyncio.Event) -> float:
    loop, slowest_s = asyncio.get_running_loop(), 0.0
    while not stop.is_set():
        begun_s = loop.time()
        async with client(server) as wyoming:
            await send(wyoming, Describe())
            await read_until(wyoming, "info")
        slowest_s = max(slowest_s, loop.time() - begun_s)
        await asyncio.sleep(0.01)
    return slowest_s


async def _send_garbage(server: WyomingServer, stop: asyncio.Event) -> int:
    rounds = 0
    while not stop.is_set():
        async with raw(server) as connection:
            await connection.send(bytes(range(256)) * 64, b"\n" * 1000)
            found, _, _ = await connection.rest()
            assert found == ["error"]
        rounds += 1
        await asyncio.sleep(0)
    return rounds


async def test_eight_clients_one_stalled_one_killed_one_sending_garbage() -> None:
    synthesizer = FakeSynthesizer(delay_s=0.002)
    async with serving(synthesizer) as server:
        stop = asyncio.Event()
        stalled = await RawClient.connect(server)
        stalled.reader._transport.pause_reading()  # type: ignore[attr-defined]
        await stalled.event("synthesize", {"text": "x" * 20_000})
        killed = await RawClient.connect(server)
        await killed.event("synthesize", {"text": "y" * 20_000})
        garbage = asyncio.create_task(_send_garbage(server, stop))
        describes = asyncio.create_task(_describe_all_the_while(server, stop))
        listeners = [asyncio.create_task(_listen(server, number)) for number in range(5)]
        for _ in range(20):
            await killed.read_event()
        killed.reset()
        await asyncio.gather(*listeners)
        stop.set()
        assert await garbage > 3
        assert await describes < 1.0
        outcomes = {call.text[:1]: call.outcome for call in synthesizer.calls}
        assert outcomes == {"x": "running", "y": "cancelled", "c": "done"}
        await stalled.close()


async def test_a_connection_over_the_limit_may_describe_but_not_speak() -> None:
    synthesizer = FakeSynthesizer()
    synthesizer.gate.clear()
    async with serving(
        synthesizer, max_connections=2, reserve_connections=1, reserve_connection_s=0.3
    ) as server:
        async with client(server) as first, client(server) as second:
            for number, each in enumerate((first, second), start=1):
                await send(each, Synthesize("a"))
                await until(lambda number=number: len(synthesizer.calls) == number)
            async with client(server) as third:
                await send(third, Describe(), Ping())
                assert types(await read_until(third, "pong")) == ["info", "pong"]
                async with raw(server) as fourth:
                    found, data, end = await fourth.rest()
                    assert (found, data["code"], end) == (["error"], "busy", "eof")
                await send(third, Synthesize("b"))
                (error,) = await read_until(third, None)
                assert error.data["code"] == "busy"
            async with client(server) as fifth:
                (error,) = await read_until(fifth, None)
                assert error.data["code"] == "busy", "a reserve place is not for staying"
            synthesizer.gate.set()
            for each in (first, second):
                assert spoken(await read_until(each, "audio-stop")) == "a"
        await until(lambda: not server._connections)
        async with client(server) as again:
            await send(again, Synthesize("c"))
            assert spoken(await read_until(again, "audio-stop")) == "c"


async def test_idle_connections_make_place_for_new_ones() -> None:
    async with (
        serving(
            FakeSynthesizer(), max_connections=2, reserve_connections=0, evict_idle_s=0.05
        ) as server,
        raw(server) as first,
        raw(server) as second,
    ):
        await asyncio.sleep(0.1)
        await second.event("ping")
        await second.read_event()
        async with client(server) as third:
            await send(third, Synthesize("a"))
            assert spoken(await read_until(third, "audio-stop")) == "a"
        assert await first.rest() == ([], {}, "eof")
        await second.event("ping")
        assert (await second.read_event())[0] == "pong"


async def test_a_flood_of_small_events_does_not_hold_up_others() -> None:
    async with (
        serving(FakeSynthesizer(), max_text_characters=1_000_000) as server,
        raw(server) as flood,
    ):
        await flood.event("synthesize-start")
        chunk = b'{"type": "synthesize-chunk", "data": {"text": ""}}\n'
        sending = asyncio.create_task(flood.send(*[chunk * 500] * 100))
        slowest_s = 0.0
        while not sending.done():
            begun_s = asyncio.get_running_loop().time()
            async with client(server) as wyoming:
                await send(wyoming, Describe())
                await read_until(wyoming, "info")
            slowest_s = max(slowest_s, asyncio.get_running_loop().time() - begun_s)
        await sending
        assert slowest_s < 1.0


async def test_frames_that_are_ready_at_once_leave_others_their_turn() -> None:
    async with serving(FakeSynthesizer()) as server, raw(server) as connection:
        await connection.event("synthesize", {"text": "x" * 100})
        await connection.read_event()
        (served,) = server._connections
        turns = 0
        while served.link.lost is False and not served.idle:
            await asyncio.sleep(0)
            turns += 1
        assert turns > 50
