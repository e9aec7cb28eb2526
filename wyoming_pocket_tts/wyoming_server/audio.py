"""The audio side of one answer: audio-start, audio-chunk and audio-stop with their timestamps.

Knows no socket: `write` takes whole events.
"""

from __future__ import annotations

from collections.abc import Callable

from wyoming_pocket_tts.speech import AudioFormat
from wyoming_pocket_tts.wyoming_server.events import encode_event


class AudioWriter:
    """Writes one audio-start, chunks and one audio-stop, all of one format.

    Timestamps are milliseconds of audio since the start, as the `wyoming` package counts them.

    Args:
        write: takes the bytes of one event; must not wait.
        audio_format: what the client is told once and for all: it plays everything at the first rate it hears of.
        chunk_ms: longest audio in a chunk.
    """

    def __init__(
        self, write: Callable[[bytes], None], audio_format: AudioFormat, chunk_ms: int
    ) -> None:
        self.format = audio_format
        self.started = False
        self.stopped = False
        self._write = write
        self._sample_bytes = audio_format.width_bytes * audio_format.channels
        self._chunk_bytes = max(1, audio_format.rate_hz * chunk_ms // 1000) * self._sample_bytes
        self._samples = 0
        self._fields = {
            "rate": audio_format.rate_hz,
            "width": audio_format.width_bytes,
            "channels": audio_format.channels,
        }

    @property
    def silent(self) -> bool:
        """Whether no audio has been written yet."""
        return self._samples == 0

    def start(self) -> None:
        """Writes audio-start, unless that was done."""
        if not self.started:
            self.started = True
            self._write(encode_event("audio-start", {**self._fields, "timestamp": 0}))

    def probe(self) -> None:
        """Writes something that changes nothing: audio-start ahead of its audio, or a chunk without any."""
        if self.started:
            self._chunk(b"")
        else:
            self.start()

    def audio(self, pcm: bytes) -> None:
        """Writes PCM of whole samples, in chunks of the agreed length."""
        for begin in range(0, len(pcm), self._chunk_bytes):
            self._chunk(pcm[begin : begin + self._chunk_bytes])

    def silence(self, duration_ms: int) -> None:
        """Writes one chunk of silence."""
        samples = max(1, self.format.rate_hz * duration_ms // 1000)
        self._chunk(bytes(samples * self._sample_bytes))

    def stop(self) -> None:
        """Writes audio-stop."""
        self.stopped = True
        self._write(encode_event("audio-stop", {"timestamp": self._timestamp_ms()}))

    def _chunk(self, pcm: bytes) -> None:
        self.start()
        fields = {**self._fields, "timestamp": self._timestamp_ms()}
        self._write(encode_event("audio-chunk", fields, pcm))
        self._samples += len(pcm) // self._sample_bytes

    def _timestamp_ms(self) -> int:
        return self._samples * 1000 // self.format.rate_hz
