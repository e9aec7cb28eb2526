"""A synthesizer without speech: each character of the text becomes one frame that holds its code, so that a test can read
from the audio what was spoken."""

from __future__ import annotations

import array
import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace

from wyoming_pocket_tts.errors import NothingToSay, VoiceNotFound, nearest
from wyoming_pocket_tts.speech import AudioFormat, AudioFrame, SpeechRequest, VoiceInfo

FRAME_SAMPLES = 240
FORMAT = AudioFormat(rate_hz=24_000)


def voice_info(name: str, *languages: str) -> VoiceInfo:
    return VoiceInfo(
        name=name,
        languages=languages or ("en",),
        description=f"{name} (test)",
        installed=True,
        attribution_name="Tests",
        attribution_url="https://example.org/voices",
        version="1",
    )


def pcm_of(text: str, samples: int = FRAME_SAMPLES) -> bytes:
    return b"".join(array.array("H", [ord(character)] * samples).tobytes() for character in text)


def text_of(pcm: bytes, samples: int = FRAME_SAMPLES) -> str:
    codes = array.array("H", pcm)
    for begin in range(0, len(codes), samples):
        assert len(set(codes[begin : begin + samples])) == 1, "frames are torn or mixed"
    return "".join(chr(code) for code in codes[::samples])


@dataclass
class Call:
    """One call of generate_audio_stream, and what became of it."""

    request: SpeechRequest
    text: str = ""
    pieces: list[str] = field(default_factory=list)
    frames: int = 0
    outcome: str = "running"
    closed: asyncio.Event = field(default_factory=asyncio.Event)


class FakeSynthesizer:
    """Follows the contract of the real one.

    Attributes:
        delay_s: time that each frame takes.
        gate: requests wait for it before their first audio, as for a free slot.
        failure: raised once `failure_after` frames have been given.
        calls: what was asked, in order.
    """

    def __init__(self, *, delay_s: float = 0.0, samples: int = FRAME_SAMPLES) -> None:
        self.delay_s = delay_s
        self.samples = samples
        self.voice_list = [voice_info("anna", "en"), voice_info("berta", "de", "fr")]
        self.gate = asyncio.Event()
        self.gate.set()
        self.failure: BaseException | None = None
        self.failure_after = 0
        self.on_check: Callable[[SpeechRequest], None] = lambda request: None
        self.calls: list[Call] = []
        self.checks = 0

    @property
    def running(self) -> int:
        return sum(call.outcome == "running" for call in self.calls)

    def voices(self) -> list[VoiceInfo]:
        return list(self.voice_list)

    def check(self, request: SpeechRequest) -> AudioFormat:
        self.checks += 1
        self.on_check(request)
        names = [voice.name for voice in self.voice_list]
        if request.voice is not None and request.voice not in names:
            hint = nearest(request.voice, names)
            raise VoiceNotFound(f"There is no voice {request.voice!r}.{hint}")
        return FORMAT

    async def generate_audio_stream(self, request: SpeechRequest) -> AsyncIterator[AudioFrame]:
        call = Call(replace(request))
        self.calls.append(call)
        try:
            await self.gate.wait()
            async for piece in _pieces(request.text):
                call.pieces.append(piece)
                call.text += piece
                if not call.frames and not piece.strip():
                    continue
                for character in piece:
                    if self.failure is not None and call.frames >= self.failure_after:
                        raise self.failure
                    if self.delay_s:
                        await asyncio.sleep(self.delay_s)
                    call.frames += 1
                    yield AudioFrame(pcm_of(character, self.samples), FORMAT)
            if self.failure is not None and call.frames >= self.failure_after:
                raise self.failure
            if not call.frames:
                raise NothingToSay("The text holds nothing that can be spoken.")
            call.outcome = "done"
        finally:
            if call.outcome == "running":
                call.outcome = "cancelled"
            call.closed.set()


async def _pieces(text: object) -> AsyncIterator[str]:
    if isinstance(text, str):
        yield text
    else:
        async for piece in text:  # type: ignore[attr-defined]
            yield piece
