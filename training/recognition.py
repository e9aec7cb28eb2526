"""How well speech is understood: an independent recogniser and its word error rate."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

_RATE_HZ = 16_000
_PEAK = 0.7
_SILENCE_S = 0.2


class Recogniser:
    """pocketsphinx with the English model that comes with it."""

    def __init__(self) -> None:
        try:
            from pocketsphinx import Config, Decoder  # type: ignore[import-untyped]
        except ImportError:
            raise SystemExit(
                "pocketsphinx, the recogniser, is not installed: pip install pocketsphinx"
            ) from None
        self._decoder: Any = Decoder(Config(loglevel="FATAL"))

    def hear(self, samples: npt.NDArray[np.float32], rate_hz: int) -> str:
        """The words it hears; [S] at any rate, of any loudness."""
        import soxr

        heard = soxr.resample(samples, rate_hz, _RATE_HZ) if rate_hz != _RATE_HZ else samples
        heard = heard * (_PEAK / max(1e-3, float(np.abs(heard).max())))
        heard = np.pad(heard, round(_SILENCE_S * _RATE_HZ))
        self._decoder.start_utt()
        self._decoder.process_raw((heard * 32767).astype(np.int16).tobytes(), full_utt=True)
        self._decoder.end_utt()
        hypothesis = self._decoder.hyp()
        return str(hypothesis.hypstr) if hypothesis else ""


def words(text: str) -> list[str]:
    """Lower-case words; a hyphen parts them."""
    return re.sub(r"[^a-z' ]", " ", text.lower()).split()


def word_errors(said: str, heard: str) -> tuple[int, int]:
    """Words missed, added or changed, of how many that were said."""
    said_words, heard_words = words(said), words(heard)
    costs = list(range(len(heard_words) + 1))
    for row, word in enumerate(said_words, 1):
        diagonal, costs[0] = costs[0], row
        for column, other in enumerate(heard_words, 1):
            diagonal, costs[column] = (
                costs[column],
                min(costs[column] + 1, costs[column - 1] + 1, diagonal + (word != other)),
            )
    return costs[-1], len(said_words)
