"""POST /tts: what comes back, when it comes, and what happens to those who go away or do not read."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from typing import Any

import aiohttp
import pytest

from tests.http.helpers import FakeSpeech, form, parts_of, running
from tests.protocol.fake_synthesizer import text_of
from tests.protocol.helpers import until
from wyoming_pocket_tts.errors import (
    Busy,
    InternalError,
    ModelUnavailable,
    TextTooLong,
)
from wyoming_pocket_tts.http_server import HttpOptions


async def test_a_text_becomes_a_wav_of_unknown_length() -> None:
    async with running() as one:
        async with one.client.post("/tts", data=form(text="Hello")) as response:
            body = await response.read()
            assert response.status == 200
            assert response.content_type == "audio/wav"
            assert response.headers["Transfer-Encoding"] == "chunked"
            assert "Content-Length" not in response.headers
        header, pcm = parts_of(body)
        assert header == {
            "riff": 0xFFFFFFFF,
            "data": 0xFFFFFFFF,
            "rate": 24000,
            "channels": 1,
            "bits": 16,
        }
        assert text_of(pcm) == "Hello"


async def test_all_fields_reach_the_request() -> None:
    async with running() as one:
        fields = {"text": "Hi", "voice_url": "berta", "language": "de", "speed": "1.5", "seed": "7"}
        # A plain form does as well as one with parts.
        for data in (form(**fields), fields):
            async with one.client.post("/tts", data=data) as response:
                assert response.status == 200
                request_id = response.headers["X-Request-Id"]
            asked = one.speech.calls[-1].request
            assert (asked.text, asked.voice, asked.language) == ("Hi", "berta", "de")
            assert (asked.speed, asked.seed, asked.request_id) == (1.5, 7, request_id)


async def test_what_was_left_blank_chooses_nothing() -> None:
    async with running() as one:
        data = form(text="Hi", voice_url="", language="", speed="", seed="", voice_wav="")
        async with one.client.post("/tts", data=data) as response:
            assert response.status == 200
        asked = one.speech.calls[-1].request
        assert (asked.voice, asked.language, asked.speed, asked.seed) == (None,) * 4


async def test_the_whole_can_be_had_with_its_length() -> None:
    async with running() as one:
        async with one.client.post("/tts", data=form(text="Hello", stream="false")) as response:
            body = await response.read()
            assert int(response.headers["Content-Length"]) == len(body)
        header, pcm = parts_of(body)
        assert (header["data"], header["riff"]) == (len(pcm), len(pcm) + 36)
        assert text_of(pcm) == "Hello"


async def test_audio_is_sent_before_the_rest_is_made() -> None:
    async with running() as one:
        released = asyncio.Event()
        speech = one.speech
        original = speech.generate_audio_stream

        async def held(request: Any) -> Any:
            frames = 0
            async with contextlib.aclosing(original(request)) as stream:
                async for frame in stream:
                    yield frame
                    frames += 1
                    if frames == 2:
                        await released.wait()

        speech.generate_audio_stream = held  # type: ignore[method-assign, assignment]
        async with one.client.post("/tts", data=form(text="Hello")) as response:
            first = await response.content.readexactly(44 + 2 * 480)
            assert text_of(first[44:]) == "He"
            assert speech.running == 1
            released.set()
            assert text_of(await response.content.read()) == "llo"


async def test_a_recording_is_the_voice_of_its_request() -> None:
    async with running() as one:
        async with one.client.post("/tts", data=form(text="Hi", voice_wav=b"sound")) as response:
            assert response.status == 200
        assert one.desk.recordings == {"guest:0": b"sound"}
        assert one.speech.calls[-1].request.voice == "guest:0"


async def test_addresses_are_fetched_only_where_the_owner_allows_them() -> None:
    allowed = ("https://good.example/voices/", "hf://kyutai/tts-voices/")
    async with running(HttpOptions(allowed_voice_urls=allowed)) as one:
        for address in (
            "https://good.example/voices/anna.wav",
            "hf://kyutai/tts-voices/a/b.wav@main",
        ):
            async with one.client.post("/tts", data=form(text="Hi", voice_url=address)) as response:
                assert response.status == 200, await response.text()
        assert len(one.desk.addresses) == 2
        for address in (
            "https://good.example.evil.net/voices/a.wav",
            "https://good.example/voices/../secret.wav",
            "https://good.example/voices/%2e%2e/secret.wav",
            "https://good.example/voices/a\\..\\b.wav",
            "https://good.example@evil.net/voices/a.wav",
            "http://good.example/voices/a.wav",
            "HTTPS://good.example/voices/a.wav",
            "file:///etc/passwd",
            "http://169.254.169.254/latest",
            "hf://kyutai/other/a.wav",
        ):
            async with one.client.post("/tts", data=form(text="Hi", voice_url=address)) as response:
                assert response.status == 400, address
                assert (await response.json())["code"] == "voice-url-not-allowed"
        assert len(one.desk.addresses) == 2


async def test_a_path_is_just_a_name_that_nobody_has() -> None:
    async with running(HttpOptions(allowed_voice_urls=("https://good.example/",))) as one:
        for name in ("/etc/passwd", "../anna.wav", "voices/anna.wav"):
            async with one.client.post("/tts", data=form(text="Hi", voice_url=name)) as response:
                assert response.status == 404
                assert (await response.json())["code"] == "voice-not-found"
        assert not one.desk.addresses


@pytest.mark.parametrize(
    ("data", "status", "code", "words"),
    [
        (form(), 400, "empty-text", "'text'"),
        (form(text="  \n "), 400, "empty-text", "'text'"),
        (form(text="Hi", voice_url="ana"), 404, "voice-not-found", "Did you mean 'anna'?"),
        (form(text="Hi", speed="fast"), 400, "invalid-request", "'speed' must be a number"),
        (form(text="Hi", speed="nan"), 400, "invalid-request", "'speed' must be a number"),
        (form(text="Hi", seed="-1"), 400, "invalid-request", "'seed' must be a whole number"),
        (form(text="Hi", seed=2**63), 400, "invalid-request", "'seed'"),
        (form(text="Hi", format="wave"), 400, "invalid-request", "Did you mean 'wav'?"),
        (form(text="Hi", stream="no", format="pcm"), 400, "invalid-request", "'wav' alone"),
        (form(text="Hi", voice_url="anna", voice_wav=b"x"), 400, "invalid-request", "not both"),
        (form(text="Hi", voice_wav="a.wav"), 400, "invalid-request", "must be a file"),
        (form(text="Hi", voice_wav=b"bad"), 422, "audio-prompt-rejected", "is silent"),
        (form(text=b"Hi"), 400, "invalid-request", "'text' must be text"),
    ],
)
async def test_wrong_requests(data: Any, status: int, code: str, words: str) -> None:
    async with running() as one, one.client.post("/tts", data=data) as response:
        told = await response.json()
        assert (response.status, told["code"]) == (status, code)
        assert words in told["message"]
        assert set(told) == {"code", "message"}


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"text": "Hi"}', "application/json", 415),
        (b"Hi", "text/plain", 415),
        (b"no parts at all", "multipart/form-data; boundary=x", 400),
        (b"no boundary", "multipart/form-data", 400),
        (b"text=%ff%fe", "application/x-www-form-urlencoded; charset=klingon", 400),
        (b"--x\r\nno header\r\n\r\nHi\r\n--x--\r\n", "multipart/form-data; boundary=x", 400),
        (b"--x\r\n: a\r\n\r\nHi\r\n--x--\r\n", "multipart/form-data; boundary=x", 400),
        (b"--x\r\nA: b\x00c\r\n\r\nHi\r\n--x--\r\n", "multipart/form-data; boundary=x", 400),
        (
            b"--x\r\nA: " + b"b" * 70_000 + b"\r\n\r\nHi\r\n--x--\r\n",
            "multipart/form-data; boundary=x",
            400,
        ),
        (b"--x\r\nA: b\r\n\r\nHi\r\n--x--\r\n", "multipart/form-data; boundary=x", 400),
        (
            b"--x\r\nContent-Disposition: nonsense; ;=\r\n\r\nHi\r\n--x--",
            "multipart/form-data; boundary=x",
            400,
        ),
        (
            b"--x\r\nContent-Type: multipart/mixed; boundary=y\r\n\r\n--y\r\n\r\nHi\r\n--y--\r\n--x--\r\n",
            "multipart/form-data; boundary=x",
            400,
        ),
        (
            b'--x\r\nContent-Disposition: form-data; name="text"\r\nContent-Encoding: gzip\r\n\r\nHi\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
            400,
        ),
        (
            b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n\xff\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
            400,
        ),
        (
            b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\ncut',
            "multipart/form-data; boundary=x",
            400,
        ),
    ],
)
async def test_bodies_that_are_no_form(body: bytes, kind: str, status: int) -> None:
    async with (
        running() as one,
        one.client.post("/tts", data=body, headers={"Content-Type": kind}) as response,
    ):
        assert response.status == status, await response.text()
        assert (await response.json())["code"]


async def test_a_recording_over_the_limit_is_refused_before_it_has_come() -> None:
    options = HttpOptions(max_upload_bytes=50_000, max_body_bytes=10_000)
    async with running(options) as one:
        data = form(text="Hi", voice_wav=bytes(55_000))
        async with one.client.post("/tts", data=data) as response:
            assert response.status == 413
            assert (await response.json())["code"] == "too-large"
        # Announced as larger than everything: no byte of it is read.
        reader, writer = await asyncio.open_connection("127.0.0.1", one.server.port)
        writer.write(
            b"POST /tts HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n"
            b"Content-Length: 99999999\r\n\r\n"
        )
        answer = await asyncio.wait_for(reader.read(100), 5)
        assert answer.startswith(b"HTTP/1.1 413")
        writer.close()
        assert not one.desk.recordings


async def test_a_server_that_takes_no_recordings_says_so() -> None:
    async with (
        running(HttpOptions(max_upload_bytes=0)) as one,
        one.client.post("/tts", data=form(text="Hi", voice_wav=b"sound")) as response,
    ):
        assert response.status == 403
        assert "max_upload_mib" in (await response.json())["message"]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Busy("8 requests are being served already."), 503),
        (ModelUnavailable("Model 'english' is still being downloaded (40 %)."), 503),
        (TextTooLong("The text has more than 20 characters."), 413),
        (InternalError("Speech could not be made."), 500),
    ],
)
async def test_an_error_before_the_audio_has_a_status(error: Exception, status: int) -> None:
    async with running() as one:
        one.speech.failure = error
        async with one.client.post("/tts", data=form(text="Hi")) as response:
            assert response.status == status
            assert (await response.json())["message"] == str(error)
            assert ("Retry-After" in response.headers) == (status == 503)


async def test_an_error_after_audio_breaks_the_connection_off() -> None:
    async with running() as one:
        one.speech.failure, one.speech.failure_after = InternalError("no more"), 2
        async with one.client.post("/tts", data=form(text="Hello")) as response:
            assert response.status == 200
            with pytest.raises(aiohttp.ClientPayloadError):
                await response.read()


async def test_before_the_models_are_there_speech_is_refused_with_the_reason() -> None:
    async with running(ready=False) as one:
        async with one.client.post("/tts", data=form(text="Hi")) as response:
            assert response.status == 503
            assert "still being loaded" in (await response.json())["message"]
        async with one.client.get("/health") as response:
            assert response.status == 503
            assert (await response.json())["status"] == "unavailable"
        one.server.speak_with(one.speech, one.desk)
        async with one.client.get("/health") as response:
            assert (response.status, await response.json()) == (200, {"status": "healthy"})
        async with one.client.post("/tts", data=form(text="Hi")) as response:
            assert response.status == 200


# Those who send slowly

_HEAD = (
    b"POST /tts HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\n"
    b"Content-Length: 5000\r\n\r\n--x\r\nContent-Disposition: form-data; "
)


async def test_recordings_that_do_not_come_keep_nobody_from_sending_text() -> None:
    async with running(HttpOptions(max_uploads=1)) as one:
        held = [await asyncio.open_connection("127.0.0.1", one.server.port) for _ in range(4)]
        for _, writer in held:
            writer.write(_HEAD + b'name="voice_wav"; filename="a.wav"\r\n\r\nbegun')
        await asyncio.sleep(0.05)
        for data in (form(text="Hi"), {"text": "Hi"}):
            async with await asyncio.wait_for(one.client.post("/tts", data=data), 5) as response:
                assert response.status == 200
        for _, writer in held:
            writer.close()
        # And once they are gone, a recording is taken again.
        data = form(text="Hi", voice_wav=b"sound")
        async with await asyncio.wait_for(one.client.post("/tts", data=data), 5) as response:
            assert response.status == 200


@pytest.mark.parametrize("field", [b'name="text"', b'name="voice_wav"; filename="a.wav"'])
async def test_a_form_that_stops_coming_is_given_up(field: bytes) -> None:
    async with running(HttpOptions(form_s=0.2)) as one:
        reader, writer = await asyncio.open_connection("127.0.0.1", one.server.port)
        writer.write(_HEAD + field + b"\r\n\r\nbegun")
        assert (await asyncio.wait_for(reader.read(100), 5)).startswith(b"HTTP/1.1 408")
        writer.close()


async def test_texts_over_the_limit_are_refused_whatever_recordings_may_be() -> None:
    async with running(HttpOptions(max_body_bytes=2000)) as one:
        for data in (
            form(text="x" * 3000),
            {"text": "x" * 3000},
            form(**dict.fromkeys("abcdefghijklmnopqrstu", "")),
        ):
            async with one.client.post("/tts", data=data) as response:
                assert response.status == 413, data


# Those who go away, and those who do not read


async def test_a_client_that_goes_away_ends_its_request() -> None:
    async with running(speech=FakeSpeech(delay_s=0.01)) as one:
        response = await one.client.post("/tts", data=form(text="x" * 1000))
        await response.content.readexactly(500)
        response.close()
        (call,) = one.speech.calls
        await asyncio.wait_for(call.closed.wait(), 1)
        assert call.outcome == "cancelled"
        assert call.frames < 100


async def test_a_client_that_goes_away_while_it_waits_ends_its_request() -> None:
    async with running() as one:
        one.speech.gate.clear()
        asking = asyncio.ensure_future(one.client.post("/tts", data=form(text="Hi")))
        await until(lambda: one.speech.calls)
        asking.cancel()
        await asyncio.wait_for(one.speech.calls[0].closed.wait(), 1)
        assert one.speech.calls[0].outcome == "cancelled"


async def test_a_slow_reader_is_waited_for_and_holds_little() -> None:
    speech = FakeSpeech(samples=24_000)
    async with running(speech=speech) as one:
        reader, writer = await _ask_without_reading(one.server.port)
        await asyncio.sleep(0.3)
        made = speech.calls[0].frames
        await asyncio.sleep(0.2)
        # What the sockets and the buffers took, of 48 MB in all; then it stands still.
        assert speech.calls[0].frames == made < 500
        total = 0
        while data := await asyncio.wait_for(reader.read(1 << 20), 10):
            total += len(data)
        assert total > 1000 * 48_000
        assert speech.calls[0].outcome == "done"
        writer.close()


async def test_a_reader_that_has_stopped_is_given_up() -> None:
    speech = FakeSpeech(samples=24_000)
    async with running(HttpOptions(stalled_client_s=0.3), speech=speech) as one:
        _, writer = await _ask_without_reading(one.server.port)
        await until(lambda: speech.calls)
        await asyncio.wait_for(speech.calls[0].closed.wait(), 5)
        assert speech.calls[0].outcome == "cancelled"
        writer.close()


async def _ask_without_reading(
    port: int | None,
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    plain = socket.create_connection(("127.0.0.1", port or 0))
    plain.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=plain, limit=65536)
    body = b"text=" + b"x" * 1000
    writer.write(
        b"POST /tts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n"
        % len(body)
        + body
    )
    await writer.drain()
    return reader, writer


async def test_many_at_once() -> None:
    async with running(speech=FakeSpeech(delay_s=0.001)) as one:

        async def ask(number: int) -> None:
            text = f"This is number {number}."
            async with one.client.post("/tts", data=form(text=text)) as response:
                assert text_of(parts_of(await response.read())[1]) == text

        await asyncio.gather(*(ask(number) for number in range(30)))
        assert one.speech.running == 0


async def test_stopping_lets_what_is_being_said_end() -> None:
    async with running(speech=FakeSpeech(delay_s=0.02)) as one:
        response = await one.client.post("/tts", data=form(text="x" * 20))
        stopping = asyncio.ensure_future(one.server.stop(5))
        await asyncio.sleep(0.05)
        assert len(parts_of(await response.read())[1]) == 20 * 480
        await asyncio.wait_for(stopping, 3)


async def test_stopping_breaks_off_what_takes_too_long() -> None:
    async with running(speech=FakeSpeech(delay_s=0.02)) as one:
        response = await one.client.post("/tts", data=form(text="x" * 2000))
        started = time.monotonic()
        await asyncio.wait_for(one.server.stop(1.2), 3)
        assert one.speech.calls[0].outcome == "cancelled"
        with pytest.raises((aiohttp.ClientPayloadError, ConnectionResetError)):
            await response.read()
        assert time.monotonic() - started < 3
