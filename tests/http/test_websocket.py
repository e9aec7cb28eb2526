"""GET /ws: text in, audio out."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import ClientWebSocketResponse, WSMsgType

from tests.http.helpers import FakeSpeech, running
from tests.protocol.fake_synthesizer import text_of
from tests.protocol.helpers import until
from wyoming_pocket_tts.errors import InternalError
from wyoming_pocket_tts.http_server import HttpOptions


async def answer(socket: ClientWebSocketResponse, last: str) -> tuple[list[dict[str, Any]], bytes]:
    """The events up to the one of type `last`, and the audio."""
    events: list[dict[str, Any]] = []
    pcm = b""
    while not events or events[-1]["type"] != last:
        message = await socket.receive(timeout=5)
        if message.type is WSMsgType.BINARY:
            pcm += message.data
        else:
            assert message.type is WSMsgType.TEXT, (message, events)
            events.append(message.json())
    return events, pcm


async def test_a_text_that_arrives_in_pieces() -> None:
    async with running() as one, one.client.ws_connect("/ws") as socket:
        await socket.send_json({"type": "synthesize-start", "voice": "berta", "seed": 3})
        await socket.send_json({"type": "synthesize-chunk", "text": "Hel"})
        start = await socket.receive_json()
        assert start == {"type": "audio-start", "rate": 24000, "width": 2, "channels": 1}
        first = await socket.receive_bytes()
        await socket.send_json({"type": "synthesize-chunk", "text": "lo"})
        await socket.send_json({"type": "synthesize-stop"})
        events, pcm = await answer(socket, "synthesize-stopped")
        assert [event["type"] for event in events] == ["audio-stop", "synthesize-stopped"]
        assert text_of(first + pcm) == "Hello"
        asked = one.speech.calls[0].request
        assert (asked.voice, asked.seed) == ("berta", 3)


async def test_a_whole_text_and_another() -> None:
    async with running() as one, one.client.ws_connect("/ws") as socket:
        for text in ("one", "two"):
            await socket.send_json({"type": "synthesize", "text": text})
            events, pcm = await answer(socket, "audio-stop")
            assert [event["type"] for event in events] == ["audio-start", "audio-stop"]
            assert text_of(pcm) == text


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("{", "invalid-request"),
        ("[]", "invalid-request"),
        ('{"type": "dance"}', "invalid-request"),
        ('{"type": "synthesize"}', "empty-text"),
        ('{"type": "synthesize", "text": 5}', "invalid-request"),
        ('{"type": "synthesize-chunk", "text": "x"}', "invalid-request"),
        ('{"type": "synthesize-stop"}', "invalid-request"),
        ('{"type": "synthesize", "text": "x", "voice": "ana"}', "voice-not-found"),
        ('{"type": "synthesize", "text": "x", "speed": "no"}', "invalid-request"),
    ],
)
async def test_an_error_leaves_the_connection_usable(message: str, code: str) -> None:
    async with running() as one, one.client.ws_connect("/ws") as socket:
        await socket.send_str(message)
        events, _ = await answer(socket, "error")
        assert events[0]["code"] == code
        assert events[0]["message"]
        await socket.send_bytes(b"audio?")
        await answer(socket, "error")
        await socket.send_json({"type": "synthesize", "text": "ok"})
        assert text_of((await answer(socket, "audio-stop"))[1]) == "ok"


async def test_one_request_at_a_time() -> None:
    async with running() as one, one.client.ws_connect("/ws") as socket:
        one.speech.gate.clear()
        await socket.send_json({"type": "synthesize", "text": "one"})
        await socket.send_json({"type": "synthesize", "text": "two"})
        assert (await answer(socket, "error"))[0][0]["code"] == "busy"
        one.speech.gate.set()
        assert text_of((await answer(socket, "audio-stop"))[1]) == "one"


async def test_cancel_frees_the_slot_and_the_connection() -> None:
    async with (
        running(speech=FakeSpeech(delay_s=0.01)) as one,
        one.client.ws_connect("/ws") as socket,
    ):
        await socket.send_json({"type": "synthesize", "text": "x" * 1000})
        await socket.receive_json()
        await socket.send_json({"type": "cancel"})
        await asyncio.wait_for(one.speech.calls[0].closed.wait(), 1)
        assert one.speech.calls[0].outcome == "cancelled"
        await socket.send_json({"type": "synthesize", "text": "ok"})
        events, pcm = await answer(socket, "audio-stop")
        assert events[-2]["type"] == "audio-start"
        assert text_of(pcm).endswith("ok")


async def test_a_client_that_goes_away_ends_its_request() -> None:
    for abrupt in (False, True):
        async with running(speech=FakeSpeech(delay_s=0.01)) as one:
            socket = await one.client.ws_connect("/ws")
            await socket.send_json({"type": "synthesize-start"})
            await socket.send_json({"type": "synthesize-chunk", "text": "x" * 1000})
            await socket.receive_json()
            if abrupt:
                transport = socket._writer.transport
                assert transport is not None
                transport.abort()
            else:
                await socket.close()
            await asyncio.wait_for(one.speech.calls[0].closed.wait(), 1)
            assert one.speech.calls[0].outcome == "cancelled"


async def test_a_text_that_is_never_ended() -> None:
    async with (
        running(HttpOptions(idle_between_text_s=0.1)) as one,
        one.client.ws_connect("/ws") as socket,
    ):
        await socket.send_json({"type": "synthesize-start"})
        events, _ = await answer(socket, "error")
        assert "No text came" in events[0]["message"]
        assert one.speech.running == 0
        await socket.send_json({"type": "synthesize", "text": "ok"})
        await answer(socket, "audio-stop")


async def test_a_text_that_is_too_long() -> None:
    async with (
        running(HttpOptions(max_text_characters=10)) as one,
        one.client.ws_connect("/ws") as socket,
    ):
        await socket.send_json({"type": "synthesize-start"})
        for _ in range(3):
            await socket.send_json({"type": "synthesize-chunk", "text": "12345"})
        events, _ = await answer(socket, "error")
        assert events[-1]["code"] == "text-too-long"


async def test_an_error_in_mid_speech() -> None:
    async with running() as one, one.client.ws_connect("/ws") as socket:
        one.speech.failure, one.speech.failure_after = InternalError("no more"), 1
        await socket.send_json({"type": "synthesize", "text": "ab"})
        events, _ = await answer(socket, "error")
        assert [event["type"] for event in events] == ["audio-start", "error"]


async def test_the_token() -> None:
    async with running(HttpOptions(token="a secret token")) as one:
        async with one.client.ws_connect("/ws") as socket:
            await socket.send_json({"type": "synthesize", "text": "x"})
            assert (await answer(socket, "error"))[0][0]["code"] == "unauthorized"
            assert (await socket.receive()).type is WSMsgType.CLOSE
        async with one.client.ws_connect("/ws") as socket:
            await socket.send_json({"type": "auth", "token": "a secret token"})
            await socket.send_json({"type": "synthesize", "text": "x"})
            await answer(socket, "audio-stop")
        headers = {"Authorization": "Bearer a secret token"}
        async with one.client.ws_connect("/ws", headers=headers) as socket:
            await socket.send_json({"type": "synthesize", "text": "x"})
            await answer(socket, "audio-stop")


async def test_stopping_closes_it() -> None:
    async with running(speech=FakeSpeech(delay_s=0.01)) as one:
        socket = await one.client.ws_connect("/ws")
        await socket.send_json({"type": "synthesize", "text": "x" * 1000})
        await until(lambda: one.speech.running)
        stopping = asyncio.ensure_future(one.server.stop(1.2))
        while (message := await socket.receive(timeout=5)).type is not WSMsgType.CLOSE:
            assert message.type in (WSMsgType.TEXT, WSMsgType.BINARY)
        await asyncio.wait_for(stopping, 5)
        assert one.speech.running == 0


async def test_who_never_shows_the_token_takes_nobodys_place() -> None:
    options = HttpOptions(token="a secret token", max_connections=2, auth_s=0.5)
    shown = {"Authorization": "Bearer a secret token"}
    async with running(options) as one:
        strangers = [await one.client.ws_connect("/ws") for _ in range(4)]
        async with one.client.get("/api/info", headers=shown) as response:
            assert response.status == 200
        async with one.client.ws_connect("/ws") as socket:
            await socket.send_json({"type": "auth", "token": "a secret token"})
            await socket.send_json({"type": "synthesize", "text": "ok"})
            assert text_of((await answer(socket, "audio-stop"))[1]) == "ok"
            for stranger in strangers:
                message = await stranger.receive(timeout=5)
                assert message.type in (WSMsgType.CLOSE, WSMsgType.CLOSED, WSMsgType.ERROR)
            # It has shown the token and stays.
            await socket.send_json({"type": "synthesize", "text": "more"})
            assert text_of((await answer(socket, "audio-stop"))[1]) == "more"


async def test_places_are_for_those_who_have_shown_the_token() -> None:
    options = HttpOptions(token="a secret token", max_connections=1)
    async with running(options) as one, one.client.ws_connect("/ws") as first:
        await first.send_json({"type": "auth", "token": "a secret token"})
        await first.send_json({"type": "synthesize", "text": "ok"})
        await answer(first, "audio-stop")
        async with one.client.ws_connect("/ws") as second:
            await second.send_json({"type": "auth", "token": "a secret token"})
            assert (await answer(second, "error"))[0][0]["code"] == "busy"


async def test_who_is_no_websocket_is_told_so() -> None:
    async with running() as one, one.client.get("/ws") as response:
        assert response.status == 400
        assert "websockets" in (await response.json())["message"]
