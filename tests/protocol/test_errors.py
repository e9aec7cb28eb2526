"""Honest failure: a stable code, then an end that no client takes for a good one."""

from __future__ import annotations

import asyncio
import logging

import pytest
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop

from tests.protocol.fake_synthesizer import FakeSynthesizer, text_of
from tests.protocol.helpers import (
    client,
    home_assistant_stream,
    raw,
    raw_event,
    read_until,
    send,
    serving,
    spoken,
    types,
)
from wyoming_pocket_tts.errors import (
    Busy,
    ModelUnavailable,
    PocketTTSError,
    TextTooLong,
)

AUDIO = ["audio-start", "audio-chunk", "audio-stop"]


@pytest.mark.parametrize("streamed", [False, True])
async def test_unknown_voice(streamed: bool) -> None:
    async with serving(FakeSynthesizer()) as server, raw(server) as connection:
        voice = {"voice": {"name": "annna"}}
        if streamed:
            # The rest arrives while the server is closing already; the error must get through all the same.
            await connection.event("synthesize-start", voice)
            await connection.event("synthesize-chunk", {"text": "Hello."})
            await connection.event("synthesize", {"text": "Hello.", **voice})
            await connection.event("synthesize-stop")
        else:
            await connection.event("synthesize", {"text": "Hello.", **voice})
        found, data, end = await connection.rest()
    assert (found, end) == (["error"], "eof")
    assert data["code"] == "voice-not-found"
    assert "'annna'" in data["text"]
    assert "Did you mean 'anna'" in data["text"]


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (Busy("Too many wait."), "busy"),
        (ModelUnavailable("Still loading."), "model-unavailable"),
        (TextTooLong("Too long."), "text-too-long"),
        (RuntimeError("secret words of the text"), "internal"),
        (asyncio.CancelledError(), "internal"),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("frames_before", [0, 2])
async def test_failures_of_the_synthesizer(
    failure: BaseException,
    code: str,
    streamed: bool,
    frames_before: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    synthesizer = FakeSynthesizer()
    synthesizer.failure, synthesizer.failure_after = failure, frames_before
    async with serving(synthesizer, error_linger_s=0.05) as server, raw(server) as connection:
        if streamed:
            await connection.event("synthesize-start")
            await connection.event("synthesize-chunk", {"text": "Hello."})
            await connection.event("synthesize-stop")
        else:
            await connection.event("synthesize", {"text": "Hello."})
        found, data, end = await connection.rest()
    if frames_before:
        assert (found, end) == (["audio-start", *["audio-chunk"] * 2, "error"], "reset")
    else:
        assert (found, end) == (["error"], "eof")
    assert data["code"] == code
    if code == "internal":
        assert "secret" not in data["text"]
        assert "Traceback" not in data["text"]
        assert "secret" not in caplog.text
    else:
        assert data["text"] == str(failure)


async def test_the_client_gets_time_to_read_the_error_before_the_reset() -> None:
    synthesizer = FakeSynthesizer()
    synthesizer.failure, synthesizer.failure_after = Busy("no"), 1
    async with serving(synthesizer, error_linger_s=0.3) as server, raw(server) as connection:
        await connection.event("synthesize", {"text": "Hello."})
        begun_s = asyncio.get_running_loop().time()
        await asyncio.sleep(0.15)
        assert (await connection.rest())[0] == ["audio-start", "audio-chunk", "error"]
        assert asyncio.get_running_loop().time() - begun_s >= 0.28


async def test_requests_before_the_failing_one_are_answered_in_full() -> None:
    async with serving(FakeSynthesizer(delay_s=0.001)) as server, raw(server) as connection:
        await connection.event("synthesize", {"text": "good"})
        await connection.event("synthesize", {"text": "x" * 20_001})
        await connection.event("synthesize", {"text": "never"})
        found, data, end = await connection.rest()
    assert found == ["audio-start", *["audio-chunk"] * 4, "audio-stop", "error"]
    assert (data["code"], end) == ("text-too-long", "eof")


async def test_plain_text_at_the_limit_and_over_it() -> None:
    async with serving(FakeSynthesizer(), max_text_characters=10) as server:
        async with client(server) as wyoming:
            await send(wyoming, Synthesize("x" * 10))
            assert spoken(await read_until(wyoming, "audio-stop")) == "x" * 10
            await send(wyoming, Synthesize("x" * 11))
            (error,) = await read_until(wyoming, None)
        assert error.data["code"] == "text-too-long"
        assert "10 characters" in error.data["text"]


async def test_the_limit_holds_over_the_whole_stream() -> None:
    synthesizer = FakeSynthesizer()
    async with serving(synthesizer, max_text_characters=10) as server, raw(server) as connection:
        await connection.event("synthesize-start")
        for _ in range(11):
            await connection.event("synthesize-chunk", {"text": "x"})
            await asyncio.sleep(0.005)
        found, data, end = await connection.rest()
        assert found[-1] == "error"
        assert (data["code"], end) == ("text-too-long", "reset")
    assert synthesizer.calls[0].outcome == "cancelled"


async def test_a_waiting_stream_over_the_limit_fails_in_its_turn() -> None:
    synthesizer = FakeSynthesizer()
    synthesizer.gate.clear()
    async with serving(synthesizer, max_text_characters=10) as server, client(server) as wyoming:
        await send(wyoming, Synthesize("good"), SynthesizeStart(), SynthesizeChunk("x" * 11))
        await asyncio.sleep(0.05)
        synthesizer.gate.set()
        events = await read_until(wyoming, None)
    assert types(events) == [*AUDIO, "error"]
    assert events[-1].data["code"] == "text-too-long"
    assert len(synthesizer.calls) == 1


async def test_too_many_waiting_requests() -> None:
    async with (
        serving(FakeSynthesizer(delay_s=0.001), max_pending_requests=3) as server,
        client(server) as wyoming,
    ):
        for number in range(8):
            await send(wyoming, Synthesize(str(number)))
        events = await read_until(wyoming, None)
    assert events[-1].type == "error"
    assert events[-1].data["code"] == "busy"
    texts = text_of(b"".join(event.payload or b"" for event in events))
    assert texts == "01234567"[: len(texts)]
    assert 3 <= len(texts) < 8


async def test_stop_without_any_stream() -> None:
    async with serving(FakeSynthesizer()) as server, client(server) as wyoming:
        await send(wyoming, SynthesizeStop())
        (error,) = await read_until(wyoming, None)
    assert error.data["code"] == "unexpected-event"


HUGE = b'{"type": "synthesize", "data_length": %d}\n'


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "bad-event"),
        (b"\n", "bad-event"),
        (b"\xff\xfe\n", "bad-event"),
        (b"[]\n", "bad-event"),
        (b"null\n", "bad-event"),
        (b"{}\n", "bad-event"),
        (b'{"type": 1}\n', "bad-event"),
        (b'{"type": null}\n', "bad-event"),
        (b'{"type": "ping", "data": []}\n', "bad-event"),
        (b'{"type": "ping", "data_length": -1}\n', "bad-event"),
        (b'{"type": "ping", "data_length": 1.5}\n', "bad-event"),
        (b'{"type": "ping", "data_length": "5"}\n', "bad-event"),
        (b'{"type": "ping", "data_length": true}\n', "bad-event"),
        (b'{"type": "ping", "data_length": NaN}\n', "bad-event"),
        (b'{"type": "ping", "payload_length": -1}\n', "bad-event"),
        (b'{"type": "unknown", "payload_length": {}}\n', "bad-event"),
        (b'{"type": "ping", "data_length": 2}\n[]', "bad-event"),
        (b'{"type": "ping", "data_length": 2}\n{{', "bad-event"),
        (b'{"type": "ping", "data_length": 2}\n\xff\xff', "bad-event"),
        (b'{"type": "ping", "data_length": 4000}\n' + b"[" * 4000, "bad-event"),
        (b'{"type": "ping", "data": {"text": 5}}\n', "bad-event"),
        (b"[" * 60_000 + b"\n", "bad-event"),
        (b'{"type": ' + b"9" * 6_000 + b"}\n", "bad-event"),
        (raw_event("synthesize"), "bad-event"),
        (raw_event("synthesize", {"text": None}), "bad-event"),
        (raw_event("synthesize", {"text": ["a"]}), "bad-event"),
        (raw_event("synthesize", {"text": "a", "voice": "anna"}), "bad-event"),
        (raw_event("synthesize", {"text": "a", "voice": {"name": 5}}), "bad-event"),
        (raw_event("synthesize", {"text": "a", "text_format": 5}), "bad-event"),
        (raw_event("synthesize-start", {"voice": []}), "bad-event"),
        (raw_event("synthesize-chunk"), "bad-event"),
        (raw_event("select-program"), "bad-event"),
        (b"x" * 65_537, "event-too-large"),
        (b'{"type": "' + b"x" * 65_536 + b'"}\n', "event-too-large"),
        (HUGE % 1_048_577, "event-too-large"),
        (HUGE % 10**300, "event-too-large"),
        (b'{"type": "unknown", "data_length": 1048577}\n', "event-too-large"),
        (b'{"type": "audio-chunk", "payload_length": 16777217}\n', "event-too-large"),
    ],
)
async def test_events_that_break_the_protocol(sent: bytes, code: str) -> None:
    async with serving(FakeSynthesizer()) as server:
        async with raw(server) as connection:
            # More arrives behind the broken event: the answer must get through all the same.
            await connection.send(sent, raw_event("ping") * 100)
            found, data, end = await connection.rest()
        assert (found, data["code"], end) == (["error"], code, "eof")
        assert data["text"]
        async with raw(server) as connection:
            await connection.event("ping")
            assert (await connection.read_event())[0] == "pong"


async def test_data_at_the_limit_is_read() -> None:
    async with serving(FakeSynthesizer()) as server, raw(server) as connection:
        data = b'{"text": "%s"}' % (b"x" * (1_048_576 - 12))
        assert len(data) == 1_048_576
        await connection.send(HUGE.replace(b"synthesize", b"ping") % len(data), data)
        assert len((await connection.read_event())[1]["text"]) == 1_048_576 - 12


async def test_garbage_in_mid_audio_ends_in_a_reset() -> None:
    synthesizer = FakeSynthesizer(delay_s=0.002)
    async with serving(synthesizer, error_linger_s=0.05) as server, raw(server) as connection:
        await connection.event("synthesize", {"text": "x" * 1000})
        await connection.read_event()
        await connection.send(b"garbage\n")
        found, data, end = await connection.rest()
    assert (found[-1], data["code"], end) == ("error", "bad-event", "reset")
    assert synthesizer.calls[0].outcome == "cancelled"


async def test_lone_surrogates_are_replaced() -> None:
    synthesizer = FakeSynthesizer()
    async with serving(synthesizer) as server, raw(server) as connection:
        await connection.send(b'{"type": "synthesize", "data": {"text": "a\\ud800b"}}\n')
        found = [(await connection.read_event())[0] for _ in range(5)]
        assert found[-1] == "audio-stop"
        await connection.send(b'{"type": "ping", "data": {"text": "\\udc00"}}\n')
        assert (await connection.read_event())[1] == {"text": "\ufffd"}
    assert synthesizer.calls[0].text == "a\ufffdb"


async def test_a_voice_list_that_fails_is_an_internal_error() -> None:
    class Broken(FakeSynthesizer):
        def voices(self) -> list[object]:  # type: ignore[override]
            raise RuntimeError("disk on fire")

    async with serving(Broken()) as server, raw(server) as connection:
        await connection.event("describe")
        found, data, end = await connection.rest()
    assert (found, data["code"], end) == (["error"], "internal", "eof")
    assert "fire" not in data["text"]


async def test_a_change_of_format_is_never_sent() -> None:
    from wyoming_pocket_tts.speech import AudioFormat

    synthesizer = FakeSynthesizer()
    synthesizer.check = lambda request: AudioFormat(rate_hz=16_000)  # type: ignore[method-assign]
    async with serving(synthesizer) as server, client(server) as wyoming:
        await send(wyoming, *home_assistant_stream("a"))
        (error,) = await read_until(wyoming, None)
    assert error.data["code"] == "internal"


async def test_the_text_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with serving(FakeSynthesizer(), max_text_characters=20) as server:
        for text in ("private words", "private words, too many of them"):
            async with client(server) as wyoming:
                await send(wyoming, *home_assistant_stream(text))
                await read_until(wyoming, None if len(text) > 20 else "synthesize-stopped")
    ours = [each for each in caplog.records if each.name.startswith("wyoming_pocket_tts")]
    assert ours
    assert not any("private" in each.getMessage() for each in ours)


def test_codes_are_stable() -> None:
    from wyoming_pocket_tts.wyoming_server import events

    codes = {
        name: each.code
        for name, each in vars(events).items()
        if isinstance(each, type) and issubclass(each, PocketTTSError)
    }
    assert {
        "BadEvent": "bad-event",
        "EventTooLarge": "event-too-large",
        "UnexpectedEvent": "unexpected-event",
        "ProgramNotFound": "program-not-found",
        "ClientTimeout": "timeout",
        "ShuttingDown": "shutting-down",
    }.items() <= codes.items()
