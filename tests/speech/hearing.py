"""How much of what was said a recogniser hears, and how long silences are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from training.recognition import Recogniser, words

Samples = npt.NDArray[np.float32]

# Of the words of a text that is heard as well as the starter's teacher is, nine in ten; of another text, one in ten.
ENOUGH = 0.7
_WINDOW_S = 0.01
_SILENT_DB = -45.0


@dataclass(frozen=True)
class Sound:
    """[S] float32, and samples a second."""

    samples: Samples
    rate_hz: int

    @classmethod
    def of_pcm(cls, pcm: bytes, rate_hz: int) -> Sound:
        """From 16 bits."""
        return cls(np.frombuffer(pcm, "<i2").astype(np.float32) / 32768, rate_hz)

    @property
    def seconds(self) -> float:
        """Its length."""
        return len(self.samples) / self.rate_hz

    def silences_s(self) -> list[float]:
        """Lengths of the silences within it, not those at its ends."""
        window = round(_WINDOW_S * self.rate_hz)
        whole = self.samples[: len(self.samples) // window * window].reshape(-1, window)
        level_db = 10 * np.log10((whole**2).mean(axis=1) + 1e-12)
        loud = np.flatnonzero(level_db > _SILENT_DB)
        return [float(gap - 1) * _WINDOW_S for gap in np.diff(loud) if gap > 1]


def words_heard(said: str, heard: str) -> int:
    """How many words of what was said were heard, in their order."""
    best = [0] * (len(words(heard)) + 1)
    for word in words(said):
        before = best[:]
        for place, other in enumerate(words(heard), 1):
            best[place] = max(before[place], best[place - 1], before[place - 1] + (word == other))
    return best[-1]


class Ear:
    """Listens to speech."""

    def __init__(self) -> None:
        self._recogniser: Any = Recogniser()

    def hear(self, sound: Sound) -> str:
        """The words it hears."""
        return str(self._recogniser.hear(sound.samples, sound.rate_hz))

    def share(self, spoken: Iterable[tuple[str, Sound]]) -> tuple[float, str]:
        """Of all words of some texts, how many were heard; and what was said and heard, for an assertion's message."""
        said_count = heard_count = 0
        report = []
        for said, sound in spoken:
            heard = self.hear(sound)
            said_count += len(words(said))
            heard_count += words_heard(said, heard)
            report.append(f"said: {said}  heard: {heard}")
        return heard_count / said_count, "\n".join(report)
