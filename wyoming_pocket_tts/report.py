"""What the log says of a request: one line, never its text."""

from __future__ import annotations

import logging
import time

from wyoming_pocket_tts.engine.sequence import End, SequenceResult
from wyoming_pocket_tts.speech import AudioFormat, SpeechRequest

_LOGGER = logging.getLogger(__name__)


class Report:
    """Collects it while the request is spoken."""

    def __init__(self, request: SpeechRequest) -> None:
        self._request = request
        self._started: float | None = None
        self._first_audio: float | None = None
        self._ended: float | None = None
        self._audio_s = 0.0
        self._retries = 0
        self._runaways = 0
        self.voice = request.voice or ""
        self.characters = 0
        self.outcome = "cancelled"

    def heard(self, characters: int) -> None:
        """Text has come: the clock of the first audio starts with the first of it."""
        self.characters += characters
        if self._started is None:
            self._started = time.monotonic()

    @property
    def audible(self) -> bool:
        """Whether any audio has been given."""
        return self._first_audio is not None

    def sounded(self, pcm_bytes: int, audio: AudioFormat) -> None:
        """Audio has been given: the first of it stops the clock of the first audio."""
        if self._first_audio is None:
            self._first_audio = time.monotonic()
        self._audio_s += pcm_bytes / (audio.rate_hz * audio.width_bytes * audio.channels)

    def count(self, result: SequenceResult | None) -> None:
        """Adds what the engine tells of a segment."""
        if result is not None:
            self._retries += result.retries
            self._runaways += result.end is End.RUNAWAY

    @property
    def audio_s(self) -> float:
        """Seconds of audio so far."""
        return self._audio_s

    @property
    def ttfa_s(self) -> float | None:
        """Seconds from the first text to the first audio; None while there is none."""
        if self._started is None or self._first_audio is None:
            return None
        return self._first_audio - self._started

    @property
    def x_real_time(self) -> float | None:
        """Seconds of audio for each second since the first text; None while there is none."""
        if self._started is None or self._first_audio is None:
            return None
        return self._audio_s / max((self._ended or time.monotonic()) - self._started, 1e-6)

    def end(self) -> None:
        """The clock stops: how long whoever reads this takes is not part of the request."""
        self._ended = time.monotonic()

    def log(self) -> None:
        """Writes the request's one line, which never holds its text."""
        fields: dict[str, object] = {
            "request": self._request.request_id,
            "voice": self.voice,
            "characters": self.characters,
            "audio_s": round(self._audio_s, 2),
            "outcome": self.outcome,
        }
        if self.ttfa_s is not None and self.x_real_time is not None:
            fields["ttfa_ms"] = round(1000 * self.ttfa_s)
            fields["x_real_time"] = round(self.x_real_time, 2)
        if self._retries or self._runaways:
            fields.update(retries=self._retries, runaways=self._runaways)
        _LOGGER.info("Request", extra=fields)
