"""The interface for OpenAI's clients, asked by OpenAI's client."""

from __future__ import annotations

import asyncio
import base64
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest
import soundfile

from tests.http.helpers import Running, running
from tests.protocol.fake_synthesizer import FRAME_SAMPLES, text_of
from wyoming_pocket_tts.errors import Busy, InternalError
from wyoming_pocket_tts.http_server import HttpOptions
from wyoming_pocket_tts.http_server.openai import FASTEST, SLOWEST
from wyoming_pocket_tts.sound import options

TOKEN = "a secret token"


@pytest.fixture
async def one() -> AsyncIterator[Running]:
    async with running(HttpOptions(token=TOKEN)) as server:
        yield server


@pytest.fixture
async def client(one: Running) -> AsyncIterator[openai.AsyncOpenAI]:
    url = f"{one.url}/v1"
    async with openai.AsyncOpenAI(base_url=url, api_key=TOKEN, max_retries=0) as made:
        yield made


async def speech(client: openai.AsyncOpenAI, **choices: Any) -> bytes:
    asked = {"model": "tts-1", "voice": "anna", "input": "Hello", **choices}
    answer = await client.audio.speech.create(**asked)
    return await answer.aread()


@pytest.mark.parametrize("name", ["wav", "flac", "mp3", "opus"])
async def test_a_file_of_each_format(client: openai.AsyncOpenAI, name: str) -> None:
    text = "Hello, this is a test of formats. " * 3
    content = await speech(client, input=text, response_format=name)
    length = len(text) * FRAME_SAMPLES
    if name == "flac":
        assert content[22:26] == length.to_bytes(4, "big")
    samples, rate = soundfile.read(io.BytesIO(content))
    assert rate == 24_000
    # MP3 begins and ends with padding that its header, were it known at the start, would tell of.
    assert 0 <= len(samples) - length <= (4000 if name == "mp3" else 0)
    if name in ("wav", "flac"):
        codes = np.rint(samples * 32768).astype(int)
        assert "".join(chr(code) for code in codes[::FRAME_SAMPLES]) == text


async def test_pcm_and_mp3_unless_said(client: openai.AsyncOpenAI) -> None:
    assert text_of(await speech(client, response_format="pcm")) == "Hello"
    asked: dict[str, Any] = {"model": "tts-1", "voice": "anna", "input": "Hello"}
    answer = await client.audio.speech.create(**asked)
    assert answer.response.headers["content-type"] == "audio/mpeg"


async def test_streaming(client: openai.AsyncOpenAI, one: Running) -> None:
    one.speech.delay_s = 0.02
    asked: dict[str, Any] = {"model": "tts-1", "voice": "anna", "input": "Hello you"}
    pieces = []
    async with client.audio.speech.with_streaming_response.create(
        response_format="pcm", **asked
    ) as answer:
        async for piece in answer.iter_bytes():
            pieces.append(piece)
            if len(pieces) == 1:
                assert one.speech.running == 1
    assert len(pieces) > 1
    assert text_of(b"".join(pieces)) == "Hello you"


async def test_speeds_beyond_ours_become_the_nearest(
    client: openai.AsyncOpenAI, one: Running
) -> None:
    assert (SLOWEST, FASTEST) == (options.SLOWEST, options.FASTEST)
    for asked, given in ((0.25, 0.5), (0.5, 0.5), (1.0, 1.0), (2.0, 2.0), (4.0, 2.0), (5.0, 5.0)):
        await speech(client, response_format="pcm", speed=asked)
        assert one.speech.calls[-1].request.speed == given


async def test_all_choices_reach_the_request(client: openai.AsyncOpenAI, one: Running) -> None:
    extra = {"language": "en", "seed": 5}
    await speech(client, response_format="pcm", speed=1.5, instructions="x", extra_body=extra)
    asked = one.speech.calls[-1].request
    assert (asked.text, asked.voice, asked.speed) == ("Hello", "anna", 1.5)
    assert (asked.language, asked.seed) == ("en", 5)
    await speech(client, response_format="pcm", voice={"id": "berta"})
    assert one.speech.calls[-1].request.voice == "berta"


async def test_server_sent_events(client: openai.AsyncOpenAI) -> None:
    content = await speech(client, response_format="wav", stream_format="sse")
    events = [json.loads(line[6:]) for line in content.decode().split("\n\n") if line]
    assert {event["type"] for event in events[:-1]} == {"speech.audio.delta"}
    assert events[-1]["type"] == "speech.audio.done"
    assert set(events[-1]["usage"]) == {"input_tokens", "output_tokens", "total_tokens"}
    audio = b"".join(base64.b64decode(event["audio"]) for event in events[:-1])
    assert audio[:4] == b"RIFF"
    assert text_of(audio[44:]) == "Hello"


async def test_an_error_in_mid_stream_is_an_event(client: openai.AsyncOpenAI, one: Running) -> None:
    one.speech.failure, one.speech.failure_after = InternalError("no more"), 2
    content = await speech(client, response_format="pcm", stream_format="sse")
    last = json.loads(content.decode().rstrip().rpartition("\n\n")[2][6:])
    assert (last["type"], last["error"]["code"]) == ("error", "internal")


async def test_errors_are_those_of_the_client(client: openai.AsyncOpenAI, one: Running) -> None:
    with pytest.raises(openai.NotFoundError, match="Did you mean 'anna'") as caught:
        await speech(client, voice="ana")
    assert caught.value.code == "voice-not-found"
    assert caught.value.type == "invalid_request_error"
    with pytest.raises(openai.NotFoundError, match="no model 'whisper-1'"):
        await speech(client, model="whisper-1")
    with pytest.raises(openai.BadRequestError, match="no audio format 'aac'"):
        await speech(client, response_format="aac")
    with pytest.raises(openai.BadRequestError, match="'stream_format'"):
        await speech(client, stream_format="other")
    with pytest.raises(openai.BadRequestError, match="'input'"):
        await speech(client, input=" ")
    with pytest.raises(openai.BadRequestError, match="name of a voice"):
        await speech(client, voice="https://example.org/a.wav")
    one.speech.failure = Busy("8 requests are being served already.")
    with pytest.raises(openai.InternalServerError, match="being served") as busy:
        await speech(client)
    assert busy.value.status_code == 503
    async with openai.AsyncOpenAI(base_url=f"{one.url}/v1", api_key="wrong") as stranger:
        with pytest.raises(openai.AuthenticationError, match="needs a token"):
            await stranger.models.list()


async def test_models_and_voices(client: openai.AsyncOpenAI, one: Running) -> None:
    models = await client.models.list()
    assert [model.id for model in models.data] == ["pocket-tts", "english"]
    assert (await client.models.retrieve("english")).owned_by == "kyutai"
    with pytest.raises(openai.NotFoundError):
        await client.models.retrieve("other")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with one.client.get("/v1/audio/voices", headers=headers) as response:
        voices = (await response.json())["voices"]
    assert [voice["id"] for voice in voices] == ["anna", "berta"]
    assert voices[1]["languages"] == ["de", "fr"]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[1]", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"input": 5}', "application/json", 400),
        (b'{"input": "Hi", "speed": true}', "application/json", 400),
        (b'{"input": "Hi", "seed": 1.5}', "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"input=Hi", "application/x-www-form-urlencoded", 415),
        (b'{"input": "' + b"x" * 1_050_000 + b'"}', "application/json", 413),
    ],
)
async def test_bodies_that_cannot_be_followed(body: bytes, kind: str, status: int) -> None:
    async with running() as one:
        headers = {"Content-Type": kind}
        async with one.client.post(
            "/v1/audio/speech", data=io.BytesIO(body), headers=headers
        ) as response:
            assert response.status == status, await response.text()
            assert (await response.json())["error"]["message"]


async def test_half_a_character_is_no_fault() -> None:
    async with running() as one:
        headers = {"Content-Type": "application/json"}
        body = b'{"input": "Hi \\ud83d", "response_format": "pcm"}'
        async with one.client.post("/v1/audio/speech", data=body, headers=headers) as response:
            assert response.status == 200
        assert one.speech.calls[0].request.text == "Hi ?"


async def test_example_of_the_documentation(one: Running, tmp_path: Path) -> None:
    """The Python block of docs/http.md, with this server's address, token and voice."""
    text = (Path(__file__).parents[2] / "docs" / "http.md").read_text(encoding="utf-8")
    source = next(
        block.partition("```")[0] for block in text.split("```python\n")[1:] if "openai" in block
    )
    for old, new in (
        ("http://localhost:8000", one.url),
        ('"none"', repr(TOKEN)),
        ('"alba"', '"anna"'),
        ('"hello.wav"', repr(str(tmp_path / "hello.wav"))),
    ):
        assert old in source
        source = source.replace(old, new)
    await asyncio.to_thread(exec, compile(source, "docs/http.md", "exec"), {})
    samples, rate = soundfile.read(tmp_path / "hello.wav")
    assert rate == 24_000
    assert len(samples) > 0
