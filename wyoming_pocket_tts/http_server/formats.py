"""Audio formats that can be written while the audio is still being made.

PCM frames go in, bytes of a file come out; `begin`, `add`, `end`. FLAC, MP3 and Ogg are made by libsndfile. MP3 and Ogg need nothing at
their start that is known only at the end. A FLAC file does: its length, without which many readers refuse it; so it comes whole, at the end.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from wyoming_pocket_tts.audio import wav_header
from wyoming_pocket_tts.errors import InvalidRequest, nearest
from wyoming_pocket_tts.speech import AudioFormat


class Encoder(Protocol):
    """Makes one file of one request's audio."""

    async def begin(self) -> bytes: ...

    async def add(self, pcm: bytes) -> bytes: ...

    async def end(self) -> bytes: ...


@dataclass(frozen=True)
class Format:
    """A format that a client may ask for.

    Attributes:
        name: what it is asked for by.
        content_type: for the answer's header.
        make: an encoder for audio of a kind.
    """

    name: str
    content_type: str
    make: Callable[[AudioFormat], Encoder]


class _Pcm:
    """The samples as they are."""

    def __init__(self, audio: AudioFormat) -> None:
        self._audio = audio

    async def begin(self) -> bytes:
        return b""

    async def add(self, pcm: bytes) -> bytes:
        return pcm

    async def end(self) -> bytes:
        return b""


class _Wav(_Pcm):
    async def begin(self) -> bytes:
        return wav_header(self._audio.rate_hz)


class _Pipe(io.RawIOBase):
    """A file that is only ever written onward: what has been taken out is gone, and going back changes nothing.

    One that keeps gives nothing out before its end, so that going back changes it like any file.
    """

    def __init__(self, *, keeps: bool) -> None:
        super().__init__()
        self._keeps = keeps
        self._new = bytearray()
        self._length = 0
        self._at = 0

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._length}[whence]
        self._at = base + offset
        return self._at

    def write(self, data: object) -> int:
        content = bytes(data)  # type: ignore[call-overload]
        end = self._at + len(content)
        if self._at == self._length:
            self._new += content
            self._length = end
        else:
            # A header that is written again before anything was sent may still be changed.
            start = self._at - (self._length - len(self._new))
            if start >= 0:
                self._new[start : start + len(content)] = content
                self._length = max(self._length, end)
        self._at = end
        return len(content)

    def take(self, *, last: bool = False) -> bytes:
        if self._keeps and not last:
            return b""
        taken = bytes(self._new)
        self._new.clear()
        return taken


class _Sound:
    """What libsndfile writes; in threads, since compressing takes time."""

    def __init__(self, audio: AudioFormat, kind: str, subtype: str) -> None:
        self._audio = audio
        self._kind = kind
        self._subtype = subtype

    async def begin(self) -> bytes:
        import soundfile

        self._pipe = _Pipe(keeps=self._kind == "FLAC")
        self._file = soundfile.SoundFile(
            self._pipe,
            "w",
            samplerate=self._audio.rate_hz,
            channels=self._audio.channels,
            format=self._kind,
            subtype=self._subtype,
            **_OPTIONS.get(self._kind, {}),
        )
        return self._pipe.take()

    async def add(self, pcm: bytes) -> bytes:
        return await asyncio.to_thread(self._write, pcm)

    async def end(self) -> bytes:
        return await asyncio.to_thread(self._close)

    def _write(self, pcm: bytes) -> bytes:
        self._file.write(np.frombuffer(pcm, dtype="<i2"))
        return self._pipe.take()

    def _close(self) -> bytes:
        # Where the start has been sent, what is written behind it is the rest of the audio.
        self._file.close()
        return self._pipe.take(last=True)


# A constant bit rate (64 kbit/s at 24 kHz): whoever guesses a stream's length from its first frames then guesses right.
_OPTIONS: dict[str, dict[str, Any]] = {
    "MP3": {"compression_level": 0.6, "bitrate_mode": "CONSTANT"}
}
_COMPRESSED = {
    "flac": ("audio/flac", "FLAC", "PCM_16"),
    "mp3": ("audio/mpeg", "MP3", "MPEG_LAYER_III"),
    "opus": ("audio/ogg; codecs=opus", "OGG", "OPUS"),
    "ogg": ("audio/ogg; codecs=vorbis", "OGG", "VORBIS"),
}


def _compressed(name: str) -> Format:
    content_type, kind, subtype = _COMPRESSED[name]
    return Format(name, content_type, lambda audio: _Sound(audio, kind, subtype))


def formats() -> dict[str, Format]:
    """The formats that this machine's audio library can write, by name."""
    import soundfile

    known = {"wav": Format("wav", "audio/wav", _Wav), "pcm": Format("pcm", "audio/pcm", _Pcm)}
    for name, (_, kind, subtype) in _COMPRESSED.items():
        if soundfile.check_format(kind, subtype):
            known[name] = _compressed(name)
    return known


def choose_format(name: str) -> Format:
    """
    Raises:
        InvalidRequest: it cannot be had; names those that can.
    """
    known = formats()
    if name not in known:
        hint = nearest(name, known)
        raise InvalidRequest(
            f"There is no audio format {name[:20]!r} here; there are {', '.join(known)}.{hint}"
        )
    return known[name]
