"""Voices of one's own: the page's interface over a stand-in, and over a model that really clones."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import pytest
import soundfile
import yaml

from tests import recording, tiny_files
from tests.http.helpers import form, parts_of, running
from tests.hub import Hub, PlainFile
from wyoming_pocket_tts import voice_desk
from wyoming_pocket_tts.http_server import HttpOptions, HttpServer
from wyoming_pocket_tts.local_speech import LocalSpeech
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.settings import HttpSettings, ModelSettings, Settings, VoiceSettings

# Over a stand-in


async def test_what_the_page_is_told() -> None:
    async with running(HttpOptions(version="1.2.3", max_text_characters=99)) as one:
        async with one.client.get("/api/info") as response:
            told = await response.json()
        assert (told["version"], told["max_text_characters"]) == ("1.2.3", 99)
        assert told["max_upload_bytes"] == 20 * 1024 * 1024
        assert [voice["name"] for voice in told["voices"]] == ["anna", "berta"]
        assert not any(voice["own"] for voice in told["voices"])
    async with running(desk=False) as one, one.client.get("/api/info") as response:
        assert (await response.json())["max_upload_bytes"] == 0


async def test_a_recording_needs_consent() -> None:
    async with running() as one:
        for data in (form(recording=b"sound"), form(recording=b"sound", consent="no")):
            async with one.client.post("/api/recordings", data=data) as response:
                assert response.status == 400
                assert (await response.json())["code"] == "consent-missing"
        assert not one.desk.recordings


async def test_bring_keep_delete() -> None:
    async with running() as one:
        data = form(recording=b"sound", consent="true", language="en")
        async with one.client.post("/api/recordings", data=data) as response:
            assert response.status == 201
            guest = await response.json()
            assert guest == {"name": "guest:0", "seconds": 2.5, "languages": ["en"]}
        path = "/api/recordings/guest:0"
        async with one.client.post(f"{path}/keep", json={"name": " Aunt Mary "}) as response:
            assert (response.status, await response.json()) == (201, {"name": "Aunt Mary"})
        for body, status in (({"name": "Aunt Mary"}, 400), ({}, 400), ({"name": 5}, 400)):
            async with one.client.post(f"{path}/keep", json=body) as response:
                assert response.status == status
        async with one.client.delete(path) as response:
            assert response.status == 204
        async with one.client.delete(path) as response:
            assert response.status == 404
        async with one.client.delete("/api/voices/Aunt%20Mary") as response:
            assert response.status == 204
        assert one.desk.kept == []
        async with one.client.delete("/api/voices/anna") as response:
            assert response.status == 400


async def test_a_recording_that_cannot_be_a_voice() -> None:
    async with running() as one:
        data = form(recording=b"bad", consent="true")
        async with one.client.post("/api/recordings", data=data) as response:
            assert response.status == 422
            assert (await response.json())["code"] == "audio-prompt-rejected"
        async with one.client.post("/api/recordings", data=form(consent="true")) as response:
            assert response.status == 400


async def test_where_none_are_taken() -> None:
    for options, desk in ((HttpOptions(max_upload_bytes=0), True), (None, False)):
        async with running(options, desk=desk) as one:
            data = form(recording=b"sound", consent="true")
            async with one.client.post("/api/recordings", data=data) as response:
                assert response.status == 403
            async with one.client.delete("/api/voices/anna") as response:
                assert response.status == 403


# Over a model


@pytest.fixture(scope="module")
def model_yaml(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_files.yaml_on_disk(tmp_path_factory.mktemp("model"))


def wav(seconds: float = 2.5) -> bytes:
    content = io.BytesIO()
    soundfile.write(content, *recording.speech(seconds), format="WAV")
    return content.getvalue()


class Whole:
    """The program's own parts, from HTTP down to the model."""

    def __init__(self, speech: LocalSpeech, client: aiohttp.ClientSession, folder: Path) -> None:
        self.speech = speech
        self.client = client
        self.folder = folder

    async def names(self) -> list[str]:
        async with self.client.get("/api/info") as response:
            return [voice["name"] for voice in (await response.json())["voices"]]

    async def speak(self, voice: str) -> bytes:
        data = form(text="the light is on.", voice_url=voice, seed=3)
        async with self.client.post("/tts", data=data) as response:
            assert response.status == 200, await response.text()
            return parts_of(await response.read())[1]

    async def bring(self, content: bytes) -> dict[str, Any]:
        data = form(recording=content, consent="true")
        async with self.client.post("/api/recordings", data=data) as response:
            assert response.status == 201, await response.text()
            told: dict[str, Any] = await response.json()
            return told

    def kept_states(self) -> list[Path]:
        return list(self.folder.glob("cache/wyoming-pocket-tts/voices/*.safetensors"))


@contextlib.asynccontextmanager
async def whole(folder: Path, model_yaml: Path, **changes: Any) -> AsyncIterator[Whole]:
    finished = tiny_files.write_voice(folder / "bert.safetensors")
    chosen = Settings(
        **{
            "models": {"tiny": ModelSettings(config=str(model_yaml), languages=("en",))},
            "voices": {"bert": VoiceSettings(source=str(finished))},
            "cache_dir": folder / "cache",
            "http": HttpSettings(),
            **changes,
        }
    )
    speech = LocalSpeech(chosen)
    server = HttpServer(HttpOptions(allowed_voice_urls=chosen.http.allowed_voice_urls))
    await server.start("127.0.0.1", 0)
    try:
        await speech.load()
        server.speak_with(speech.synthesizer, speech.desk, speech.model_names)
        async with aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as client:
            yield Whole(speech, client, folder)
    finally:
        await server.stop(1.5)
        await speech.close()


def same(one: bytes, other: bytes) -> bool:
    samples = [np.frombuffer(pcm, "<i2").astype(int) for pcm in (one, other)]
    return len(one) == len(other) and int(abs(samples[0] - samples[1]).max()) <= 2


async def test_a_recording_speaks_is_kept_and_deleted(tmp_path: Path, model_yaml: Path) -> None:
    async with whole(tmp_path, model_yaml) as server:
        guest = await server.bring(wav())
        assert guest["seconds"] == pytest.approx(2.5)
        assert await server.names() == ["bert"]
        tried = await server.speak(guest["name"])
        assert not same(tried, await server.speak("bert"))
        assert (await server.bring(wav()))["name"] == guest["name"]
        path = f"/api/recordings/{guest['name']}"
        async with server.client.post(f"{path}/keep", json={"name": "Aunt Mary"}) as response:
            assert response.status == 201, await response.text()
        assert await server.names() == ["bert", "Aunt Mary"]
        assert same(tried, await server.speak("Aunt Mary"))
        kept = tmp_path / "cache" / "wyoming-pocket-tts" / "my-voices"
        assert sorted(one.name for one in kept.iterdir()) == ["Aunt Mary.wav", "Aunt Mary.yaml"]
        about = yaml.safe_load((kept / "Aunt Mary.yaml").read_text())
        assert set(about) == {"description", "consent", "language"}
        # The guest goes, its voice stays.
        async with server.client.delete(path) as response:
            assert response.status == 204
        assert server.kept_states()
        assert same(tried, await server.speak("Aunt Mary"))
        async with server.client.delete("/api/voices/Aunt%20Mary") as response:
            assert response.status == 204
        assert await server.names() == ["bert"]
        assert not list(kept.iterdir())
        assert not server.kept_states()


async def test_what_is_kept_is_there_after_a_restart(tmp_path: Path, model_yaml: Path) -> None:
    async with whole(tmp_path, model_yaml) as server:
        guest = await server.bring(wav())
        path = f"/api/recordings/{guest['name']}/keep"
        async with server.client.post(path, json={"name": "mary"}) as response:
            assert response.status == 201
    async with whole(tmp_path, model_yaml) as server:
        assert await server.names() == ["bert", "mary"]
        async with server.client.get("/api/info") as response:
            voices = (await response.json())["voices"]
        assert [voice["own"] for voice in voices] == [False, True]


def _file_of(voice: Voice) -> Path:
    return Path(voice.source)


async def test_a_guest_leaves_nothing_behind(tmp_path: Path, model_yaml: Path) -> None:
    async with whole(tmp_path, model_yaml) as server:
        desk = server.speech.desk
        assert desk is not None
        data = form(text="hello", voice_wav=wav())
        async with server.client.post("/tts", data=data) as response:
            assert response.status == 200
            await response.read()
        (guest,) = server.speech.synthesizer.guests.voices
        recorded = _file_of(guest)
        assert recorded.is_file()
        assert recorded.parent.stat().st_mode & 0o077 == 0
        assert len(server.kept_states()) == 1
        await desk.dismiss(guest.name)
        assert not recorded.exists()
        assert not server.kept_states()
        data = form(text="hello", voice_url=guest.name)
        async with server.client.post("/tts", data=data) as response:
            assert response.status == 404
        await server.bring(wav(3))
        folder = recorded.parent
        assert list(folder.iterdir())
    assert not folder.exists()


async def test_the_owners_voices_are_not_to_be_deleted(tmp_path: Path, model_yaml: Path) -> None:
    folder = tmp_path / "voices"
    folder.mkdir()
    (folder / "anna.wav").write_bytes(wav())
    os.utime(folder / "anna.wav", (1, 1))
    async with whole(tmp_path, model_yaml, voices_dir=folder) as server:
        assert await server.names() == ["bert", "anna"]
        for name in ("anna", "bert"):
            async with server.client.delete(f"/api/voices/{name}") as response:
                assert response.status == 400
                assert "not added here" in (await response.json())["message"]
        async with server.client.delete("/api/voices/nobody") as response:
            assert response.status == 404
        assert (folder / "anna.wav").exists()
        guest = await server.bring(wav(3))
        path = f"/api/recordings/{guest['name']}/keep"
        for name in (
            "anna",
            "ANNA",
            "bert",
            "../anna",
            "a/b",
            "a\\b",
            ".hidden",
            "nul",
            "x" * 61,
            "a\nb",
            "trailing.",
        ):
            async with server.client.post(path, json={"name": name}) as response:
                assert response.status == 400, name
        async with server.client.post(path, json={"name": "Zoë 2.0"}) as response:
            assert response.status == 201
        assert (folder / "Zoë 2.0.wav").is_file()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no audio", "is not a recording"),
        (b"\x00\x00\x00\x00\x00\x00\x00\x00{", "is not a recording"),
        ("short", "1 s is the least"),
        ("silent", "silent"),
        ("clipped", "clipped"),
    ],
)
async def test_recordings_that_cannot_be_a_voice(
    tmp_path: Path, model_yaml: Path, content: bytes | str, words: str
) -> None:
    if isinstance(content, str):
        samples, rate = recording.speech(0.4 if content == "short" else 2.5)
        if content == "silent":
            samples = np.zeros_like(samples)
        if content == "clipped":
            samples = np.clip(samples * 100, -1, 1)
        file = io.BytesIO()
        soundfile.write(file, samples, rate, format="WAV")
        content = file.getvalue()
    async with whole(tmp_path, model_yaml) as server:
        for path, data in (
            ("/api/recordings", form(recording=content, consent="true")),
            ("/tts", form(text="hello", voice_wav=content)),
        ):
            async with server.client.post(path, data=data) as response:
                assert response.status == 422
                assert words in (await response.json())["message"]
        assert not server.speech.synthesizer.guests.voices


async def test_an_allowed_address_speaks(tmp_path: Path, model_yaml: Path) -> None:
    http = HttpSettings(allowed_voice_urls=("https://good.example/",))
    async with whole(tmp_path, model_yaml, http=http, offline=True) as server:
        data = form(text="hello", voice_url="https://good.example/anna.wav")
        async with server.client.post("/tts", data=data) as response:
            # Allowed, and then not to be had: the network is off.
            assert response.status == 503
            message = (await response.json())["message"]
            assert "downloads are switched off" in message
            assert "guest:" not in message


@pytest.mark.parametrize(
    ("name", "status", "code", "words"),
    [
        ("missing.wav", 502, "voice-unreachable", "no such file"),
        ("noise.wav", 422, "audio-prompt-rejected", "is not a recording"),
        ("away.wav", 502, "voice-unreachable", "refused"),
        ("anna.wav", 200, "", ""),
    ],
)
async def test_what_lies_at_an_allowed_address(
    tmp_path: Path, model_yaml: Path, name: str, status: int, code: str, words: str
) -> None:
    with Hub() as hub:
        hub.add_plain("/good/noise.wav", PlainFile(b"no audio"))
        anna = hub.add_plain("/good/anna.wav", PlainFile(wav()))
        elsewhere = hub.add_plain("/elsewhere.wav", PlainFile(wav()))
        hub.add_plain("/good/away.wav", PlainFile(b"", status=302, location=elsewhere))
        folder = anna.removesuffix("anna.wav")
        # The settings take no address on loopback; everything behind them does.
        http = HttpSettings()
        object.__setattr__(http, "allowed_voice_urls", (folder,))
        async with whole(tmp_path, model_yaml, http=http) as server:
            data = form(text="hello", voice_url=folder + name)
            async with server.client.post("/tts", data=data) as response:
                assert response.status == status, await response.text()
                if status != 200:
                    told = await response.json()
                    assert told["code"] == code
                    assert words in told["message"]
                    assert "guest:" not in told["message"]
                    assert str(tmp_path) not in told["message"]


async def test_guests_that_are_idle_or_too_many_go(
    tmp_path: Path, model_yaml: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(voice_desk, "_MOST_GUESTS", 2)
    async with whole(tmp_path, model_yaml) as server:
        names = [(await server.bring(wav(2 + 0.1 * i)))["name"] for i in range(3)]
        left = [voice.name for voice in server.speech.synthesizer.guests.voices]
        assert left == names[1:]
        monkeypatch.setattr(voice_desk, "_IDLE_S", 0.0)
        assert server.speech.desk is not None
        await server.speech.desk.dismiss_idle()
        assert not server.speech.synthesizer.guests.voices
