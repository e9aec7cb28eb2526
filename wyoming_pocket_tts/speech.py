"""What protocol servers and the synthesizer say to each other: a request, a voice, frames of audio.

Only data; nothing here knows a protocol, a model or torch.
"""

from __future__ import annotations

from collections.abc import AsyncIterable
from dataclasses import dataclass


@dataclass(frozen=True)
class AudioFormat:
    """How PCM bytes are to be played."""

    rate_hz: int
    width_bytes: int = 2
    channels: int = 1


@dataclass(frozen=True)
class AudioFrame:
    """A piece of audio, ready to be sent: signed 16-bit little-endian PCM."""

    pcm: bytes
    format: AudioFormat


@dataclass(frozen=True)
class SpeechRequest:
    """What a client wants said.

    Attributes:
        text: the whole text, or its pieces as they arrive (they need not end at word boundaries).
        voice: name or alias of a voice; None chooses by `language`, else the default voice.
        language: language code, used only when no voice is named.
        speaker: a speaker of the voice, for clients that send one.
        seed: same text, voice, settings and seed give the same samples; None draws one.
        request_id: for the log.
        text_format: "ssml"; None or "text" for plain text. One that is not known is read as plain text, and said in the debug log.
        speed: 0.5 to 2 times as fast as the model speaks; None: as the voice's or the server's settings say.
        volume_db: decibels louder or quieter, likewise.
    """

    text: str | AsyncIterable[str]
    voice: str | None = None
    language: str | None = None
    speaker: str | None = None
    seed: int | None = None
    request_id: str = ""
    text_format: str | None = None
    speed: float | None = None
    volume_db: float | None = None


@dataclass(frozen=True)
class VoiceInfo:
    """A voice as shown to clients."""

    name: str
    languages: tuple[str, ...]
    description: str
    installed: bool
    attribution_name: str
    attribution_url: str
    version: str | None = None
