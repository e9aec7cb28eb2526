"""What the HTTP tests share: a server over a stand-in for the synthesizer, on a free port of loopback, and a client for it."""

from __future__ import annotations

import contextlib
import dataclasses
import struct
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp import FormData

from tests.protocol.fake_synthesizer import FakeSynthesizer
from wyoming_pocket_tts.errors import AudioPromptError, InvalidRequest, VoiceNotFound
from wyoming_pocket_tts.http_server import HttpOptions, HttpServer
from wyoming_pocket_tts.models.host_figures import HostFigures
from wyoming_pocket_tts.speech import AudioFormat, SpeechRequest


class FakeSpeech(FakeSynthesizer):
    """The protocol tests' stand-in, with what HTTP asks for besides."""

    default_voice = None

    def __init__(self, **choices: Any) -> None:
        super().__init__(**choices)
        self.observers: list[Callable[[Any], None]] = []
        self.guests: set[str] = set()

    @property
    def active(self) -> int:
        return self.running

    @property
    def figures(self) -> HostFigures:
        return HostFigures(8, self.running, 2, 1, 1000, 3, 500, 7, 4)

    def observe(self, observer: Callable[[Any], None]) -> None:
        self.observers.append(observer)

    def check(self, request: SpeechRequest) -> AudioFormat:
        if request.voice in self.guests:
            request = dataclasses.replace(request, voice=None)
        return super().check(request)


@dataclass
class FakeGuest:
    name: str
    seconds: float = 2.5
    languages: tuple[str, ...] = ("en",)


class FakeDesk:
    """Takes anything but b"bad", and keeps names."""

    def __init__(self, speech: FakeSpeech) -> None:
        self.speech = speech
        self.recordings: dict[str, bytes] = {}
        self.addresses: list[str] = []
        self.kept: list[str] = []

    async def bring(self, recording: bytes, language: str | None = None) -> FakeGuest:
        if recording == b"bad":
            raise AudioPromptError("The recording: is silent. Record it again.")
        name = f"guest:{len(self.recordings)}"
        self.recordings[name] = recording
        self.speech.guests.add(name)
        return FakeGuest(name)

    def call(self, address: str, language: str | None = None) -> str:
        self.addresses.append(address)
        self.speech.guests.add(address)
        return address

    async def dismiss(self, name: str) -> None:
        if self.recordings.pop(name, None) is None:
            raise VoiceNotFound("There is no such recording here any more.")

    def added(self, name: str) -> bool:
        return name in self.kept

    async def keep(self, guest: str, name: str, description: str | None = None) -> None:
        if guest not in self.recordings:
            raise VoiceNotFound("There is no such recording here any more.")
        if name in self.kept:
            raise InvalidRequest(f"There is a voice {name!r} already.")
        self.kept.append(name)

    async def delete(self, name: str) -> None:
        if name not in self.kept:
            raise InvalidRequest(f"Voice {name!r} was not added here.")
        self.kept.remove(name)


@dataclass
class Running:
    """A server, who speaks behind it, and a client."""

    server: HttpServer
    speech: FakeSpeech
    desk: FakeDesk
    client: aiohttp.ClientSession

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"


@contextlib.asynccontextmanager
async def running(
    options: HttpOptions | None = None,
    *,
    speech: FakeSpeech | None = None,
    ready: bool = True,
    desk: bool = True,
    host: str = "127.0.0.1",
) -> AsyncIterator[Running]:
    """Starts a server and stops it at the end."""
    speech = speech or FakeSpeech()
    fake_desk = FakeDesk(speech)
    server = HttpServer(options)
    await server.start(host, 0)
    if ready:
        server.speak_with(speech, fake_desk if desk else None, ("english",))
    base = f"http://127.0.0.1:{server.port}"
    try:
        async with aiohttp.ClientSession(base) as client:
            yield Running(server, speech, fake_desk, client)
    finally:
        await server.stop(1.5)


def form(**fields: Any) -> FormData:
    """A multipart form; bytes are files."""
    data = FormData(default_to_multipart=True)
    for name, value in fields.items():
        if isinstance(value, bytes):
            data.add_field(name, value, filename="recording.wav", content_type="audio/wav")
        else:
            data.add_field(name, str(value))
    return data


def parts_of(wav: bytes) -> tuple[dict[str, int], bytes]:
    """A WAV's header and what follows it."""
    riff, size, wave, fmt, _, _, channels, rate, _, _, bits, data, data_bytes = struct.unpack(
        "<4sI4s4sIHHIIHH4sI", wav[:44]
    )
    assert (riff, wave, fmt, data) == (b"RIFF", b"WAVE", b"fmt ", b"data")
    header = {"riff": size, "data": data_bytes, "rate": rate, "channels": channels, "bits": bits}
    return header, wav[44:]
