"""Guest voices: spoken by whoever knows their name, listed nowhere, gone after a while.

They stand beside the book of voices and win over it; their names are too long to be guessed. Knows no files and no models.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from wyoming_pocket_tts.models.book import GUEST_PREFIX, Voice

PREFIX = GUEST_PREFIX


def guest_name() -> str:
    """A name that nobody can guess."""
    return PREFIX + secrets.token_hex(16)


class Guests:
    """The guest voices there are, the one not used for longest first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._voices: dict[str, tuple[Voice, float]] = {}

    @property
    def voices(self) -> tuple[Voice, ...]:
        """All of them."""
        return tuple(voice for voice, _ in self._voices.values())

    def add(self, voice: Voice) -> None:
        """Takes a guest in, as just used."""
        self._voices[voice.name] = voice, self._clock()

    def get(self, name: str) -> Voice | None:
        """The guest of that name, who is used by that."""
        if name not in self._voices:
            return None
        voice, _ = self._voices.pop(name)
        self.add(voice)
        return voice

    def remove(self, name: str) -> None:
        """Forgets a guest; one who is not there is ignored."""
        self._voices.pop(name, None)

    def idle(self, most: int, idle_s: float) -> tuple[Voice, ...]:
        """Those that have not been used for `idle_s`, and those that are more than `most`."""
        latest = self._clock() - idle_s
        voices = list(self._voices.values())
        too_many = len(voices) - most
        return tuple(
            voice
            for place, (voice, used_at) in enumerate(voices)
            if place < too_many or used_at <= latest
        )
