"""The event sequences of clients that behave: plain and streamed requests, and both on one connection."""

from __future__ import annotations

import asyncio

import pytest
from wyoming.info import Describe, SelectProgram
from wyoming.ping import Ping, Pong
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeVoice,
)

from tests.protocol.fake_synthesizer import FRAME_SAMPLES, FakeSynthesizer
from tests.protocol.helpers import (
    client,
    home_assistant_stream,
    pcm,
    raw,
    read_until,
    send,
    serving,
    spoken,
    types,
    until,
)

PLAIN = ["audio-start", "audio-chunk", "audio-stop"]
STREAMED = [*PLAIN, "synthesize-stopped"]


async def test_home_assistant_plain() -> None:
    synthesizer = FakeSynthesizer()
    async with serving(synthesizer) as server, client(server) as wyoming:
        await send(wyoming, Synthesize("The light is on.", voice=SynthesizeVoice(name="anna")))
        events = await read_until(wyoming, "audio-stop")
    assert types(events) == PLAIN
    assert spoken(events) == "The light is on."
    request = synthesizer.calls[0].request
    assert (request.text, request.voice, request.language) == ("The light is on.", "anna", None)


async def test_home_assistant_streams_a_ready_text() -> None:
    synthesizer = FakeSynthesizer()
    async with serving(synthesizer) as server, client(server) as wyoming:
        await send(wyoming, *home_assistant_stream("The kitchen light is now on."))
        events = await read_until(wyoming, "synthesize-stopped")
    assert types(events) == STREAMED
    assert spoken(events) == "The kitchen light is now on."
    assert len(synthesizer.calls) == 1


async def test_home_assistant_streams_an_answer_as_it_grows() -> None:
    chunks = ["Here is the weather for today. It starts", " cloudy", ",", " with", " rain", "."]
    synthesizer = FakeSynthesizer()
    async with serving(synthesizer) as server, client(server) as wyoming:
        start, first, *rest = home_assistant_stream(*chunks, voice=None)
        await send(wyoming, start, first)
        events = [await wyoming.read_event() for _ in range(1 + len(chunks[0]))]
        assert types(events) == ["audio-start", "audio-chunk"], "the audio waits for more text"
        await send(wyoming, *rest)
        events += await read_until(wyoming, "synthesize-stopped")
    assert types(events) == STREAMED
    assert spoken(events) == "".join(chunks)
    assert synthesizer.calls[0].request.voice is None


async def test_home_assistant_sends_header_and_data_apart_and_data_in_utf8() -> None:
    async with serving(FakeSynthesizer()) as server, raw(server) as connection:
        text = '{"text": "Grüße\\n"}'.encode()
        await connection.send(
            b'{"type": "synthesize-start", "version": "1.10.2"}\n',
            b'{"type": "synthesize-chunk", "version": "1.10.2", "data_length": %d}\n' % len(text),
        )
        await asyncio.sleep(0.01)
        await connection.send(text)
        await connection.event("synthesize", {"text": "Grüße\n"})
        await connection.event("synthesize-stop")
        for character in ["", *"Grüße\n"]:
            _, _, payload = await connection.read_event()
            if character:
                assert int.from_bytes(payload[:2], "little") == ord(character)
        assert (await connection.read_event())[0] == "audio-stop"
        assert (await connection.read_event())[0] == "synthesize-stopped"


async def test_text_one_character_at_a_time() -> None:
    text = "One character at a time, and not one is lost."
    async with serving(FakeSynthesizer()) as server, client(server) as wyoming:
        await send(wyoming, SynthesizeStart())
        for character in text:
            await send(wyoming, SynthesizeChunk(character))
            await asyncio.sleep(0)
        await send(wyoming, SynthesizeStop())
        events = await read_until(wyoming, "synthesize-stopped")
    assert types(events) == STREAMED
    assert spoken(events) == text


async def test_an_event_may_come_byte_by_byte() -> None:
    async with serving(FakeSynthesizer()) as server, raw(server) as connection:
        for byte in b'{"type": "synthesize", "data": {"text": "abc"}}\n':
            await connection.send(bytes([byte]))
            await asyncio.sleep(0)
        found = [(await connection.read_event())[0] for _ in range(5)]
    assert found == ["audio-start", *["audio-chunk"] * 3, "audio-stop"]


async def test_plain_and_streamed_requests_are_mixed_on_one_connection_and_answered_in_order() -> (
    None
):
    synthesizer = FakeSynthesizer(delay_s=0.001)
    async with serving(synthesizer) as server, client(server) as wyoming:
        await send(
            wyoming,
            Synthesize("first"),
            *home_assistant_stream("sec", "ond"),
            Synthesize("third"),
            Synthesize("fourth"),
            *home_assistant_stream("fifth"),
        )
        for text, last in [
            ("first", "audio-stop"),
            ("second", "synthesize-stopped"),
            ("third", "audio-stop"),
            ("fourth", "audio-stop"),
            ("fifth", "synthesize-stopped"),
        ]:
            events = await read_until(wyoming, last)
            assert types(events) == (PLAIN if last == "audio-stop" else STREAMED)
            assert spoken(events) == text
        await send(wyoming, Synthesize("after all"))
        assert spoken(await read_until(wyoming, "audio-stop")) == "after all"
    ids = [call.request.request_id for call in synthesizer.calls]
    assert len(set(ids)) == 6


async def test_ping_and_describe_are_answered_in_mid_speech() -> None:
    synthesizer = FakeSynthesizer(delay_s=0.002)
    async with serving(synthesizer) as server, client(server) as wyoming:
        await send(wyoming, Synthesize("x" * 100))
        await read_until(wyoming, "audio-start")
        await send(wyoming, Ping("are you there?"), Describe())
        events = await read_until(wyoming, "audio-stop")
    others = [event for event in events if not event.type.startswith("audio")]
    assert [event.type for event in others] == ["pong", "info"]
    assert Pong.from_event(others[0]).text == "are you there?"
    assert events.index(others[1]) < len(events) // 2
    assert spoken(events) == "x" * 100


async def test_ping_and_describe_are_answered_while_a_request_waits() -> None:
    synthesizer = FakeSynthesizer()
    synthesizer.gate.clear()
    async with serving(synthesizer) as server, client(server) as wyoming:
        await send(wyoming, Synthesize("later"), Ping(), Describe())
        assert types(await read_until(wyoming, "info")) == ["pong", "info"]
        synthesizer.gate.set()
        assert spoken(await read_until(wyoming, "audio-stop")) == "later"


@pytest.mark.parametrize(
    ("voice", "expected"),
    [
        ({"name": "berta"}, ("berta", None, None)),
        ({"name": "berta", "speaker": "old"}, ("berta", None, "old")),
        ({"language": "de"}, (None, "de", None)),
        ({"name": "berta", "language": "de"}, ("berta", "de", None)),
        ({"name": "", "language": None}, (None, None, None)),
        ({}, (None, None, None)),
        (None, (None, None, None)),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
async def test_the_choice_of_voice_reaches_the_synthesizer(
    voice: dict[str, str] | None, expected: tuple[str | None, ...], streamed: bool
) -> None:
    synthesizer = FakeSynthesizer()
    async with serving(synthesizer) as server, raw(server) as connection:
        if streamed:
            await connection.event("synthesize-start", {"voice": voice, "text_format": "ssml"})
            await connection.event("synthesize-chunk", {"text": "a"})
            await connection.event("synthesize-stop")
        else:
            data = {"text": "a", "voice": voice, "text_format": "ssml", "context": {"a": 1}}
            await connection.event("synthesize", data)
        await until(lambda: synthesizer.calls and synthesizer.calls[0].closed.is_set())
    request = synthesizer.calls[0].request
    assert (request.voice, request.language, request.speaker) == expected
    assert request.text_format == "ssml"


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
@pytest.mark.parametrize("streamed", [False, True])
async def test_nothing_to_say_is_a_short_silence(text: str, streamed: bool) -> None:
    async with serving(FakeSynthesizer()) as server, client(server) as wyoming:
        if streamed:
            await send(wyoming, *home_assistant_stream(text))
            events = await read_until(wyoming, "synthesize-stopped")
        else:
            await send(wyoming, Synthesize(text))
            events = await read_until(wyoming, "audio-stop")
        assert [event.type for event in events] == (STREAMED if streamed else PLAIN)
        assert pcm(events) == bytes(24_000 * 2 // 5)
        assert events[2].data["timestamp"] == 200
        await send(wyoming, Synthesize("and on"))
        assert spoken(await read_until(wyoming, "audio-stop")) == "and on"


async def test_a_stream_without_any_text_is_a_short_silence() -> None:
    async with serving(FakeSynthesizer()) as server, client(server) as wyoming:
        await send(wyoming, SynthesizeStart(), SynthesizeStop())
        events = await read_until(wyoming, "synthesize-stopped")
    assert [event.type for event in events] == STREAMED
    assert pcm(events) == bytes(9_600)


async def test_a_check_that_finds_nothing_to_say_is_a_short_silence_too() -> None:
    from wyoming_pocket_tts.errors import NothingToSay

    def refuse(request: object) -> None:
        raise NothingToSay("no")

    synthesizer = FakeSynthesizer()
    synthesizer.on_check = refuse
    async with serving(synthesizer) as server, client(server) as wyoming:
        await send(wyoming, Synthesize("..."))
        assert pcm(await read_until(wyoming, "audio-stop")) == bytes(9_600)


async def test_synthesize_in_a_stream_counts_only_where_no_chunk_came() -> None:
    async with serving(FakeSynthesizer()) as server, client(server) as wyoming:
        await send(wyoming, SynthesizeStart(), Synthesize("old client"), SynthesizeStop())
        events = await read_until(wyoming, "synthesize-stopped")
        assert types(events) == STREAMED
        assert spoken(events) == "old client"
        await send(wyoming, *home_assistant_stream(" "))
        assert pcm(await read_until(wyoming, "synthesize-stopped")) == bytes(9_600)


async def test_a_start_in_an_open_stream_ends_that_stream() -> None:
    async with serving(FakeSynthesizer()) as server, client(server) as wyoming:
        await send(wyoming, SynthesizeStart(), SynthesizeChunk("one"))
        await send(wyoming, SynthesizeStart(), SynthesizeChunk("two"), SynthesizeStop())
        assert spoken(await read_until(wyoming, "synthesize-stopped")) == "one"
        assert spoken(await read_until(wyoming, "synthesize-stopped")) == "two"


async def test_a_chunk_without_a_start_begins_a_stream() -> None:
    async with serving(FakeSynthesizer()) as server, client(server) as wyoming:
        await send(wyoming, SynthesizeChunk("no "), SynthesizeChunk("start"), SynthesizeStop())
        events = await read_until(wyoming, "synthesize-stopped")
    assert types(events) == STREAMED
    assert spoken(events) == "no start"


async def test_a_second_stop_adds_no_second_stopped() -> None:
    async with serving(FakeSynthesizer()) as server, client(server) as wyoming:
        await send(wyoming, *home_assistant_stream("a"), SynthesizeStop(), SynthesizeStop())
        await send(wyoming, Synthesize("b"))
        assert types(await read_until(wyoming, "synthesize-stopped")) == STREAMED
        assert types(await read_until(wyoming, "audio-stop")) == PLAIN


async def test_unknown_events_are_skipped_with_data_and_payload() -> None:
    async with (
        serving(FakeSynthesizer(), max_data_bytes=300_000) as server,
        raw(server) as connection,
    ):
        await connection.send(
            b'{"type": "from-the-future", "data": 7}\n',
            b'{"type": "audio-chunk", "data_length": 200000, "payload_length": 300000}\n',
            b"\n" * 500_000,
            b'{"type": "synthesize-start", "payload_length": 3}\nxyz',
            b'{"type": "ping", "payload_length": 5}\n{{{{{',
        )
        assert (await connection.read_event())[0] == "pong"
        await connection.event("ping", {"text": "b"})
        assert (await connection.read_event())[:2] == ("pong", {"text": "b"})


async def test_long_frames_are_cut_into_short_chunks() -> None:
    synthesizer = FakeSynthesizer(samples=24_000)
    async with serving(synthesizer) as server, client(server) as wyoming:
        await send(wyoming, Synthesize("ab"))
        events = await read_until(wyoming, "audio-stop")
    sizes = [len(event.payload or b"") for event in events if event.type == "audio-chunk"]
    assert sizes == [4_800] * 20
    assert [event.data["timestamp"] for event in events[1:-1]] == list(range(0, 2000, 100))
    assert events[-1].data["timestamp"] == 2000


async def test_frames_are_sent_as_soon_as_they_are_made() -> None:
    synthesizer = FakeSynthesizer()
    async with serving(synthesizer) as server, client(server) as wyoming:
        await send(wyoming, SynthesizeStart(), SynthesizeChunk("a"))
        assert (await wyoming.read_event()).type == "audio-start"
        assert (await wyoming.read_event()).type == "audio-chunk"
        begun_s = asyncio.get_running_loop().time()
        await send(wyoming, SynthesizeChunk("b" * 1000), SynthesizeStop())
        events = await read_until(wyoming, "synthesize-stopped")
        took_s = asyncio.get_running_loop().time() - begun_s
    assert len(pcm(events)) == 1000 * FRAME_SAMPLES * 2
    assert took_s < 5.0, "ten seconds of audio are being paced"


async def test_select_program() -> None:
    async with serving(FakeSynthesizer()) as server:
        async with client(server) as wyoming:
            await send(wyoming, SelectProgram("pocket-tts"), Synthesize("a"))
            assert types(await read_until(wyoming, "audio-stop")) == PLAIN
        async with client(server) as wyoming:
            await send(wyoming, SelectProgram("piper"), Synthesize("a"))
            (error,) = await read_until(wyoming, None)
        assert (error.type, error.data["code"]) == ("error", "program-not-found")
        assert "'pocket-tts'" in error.data["text"]
