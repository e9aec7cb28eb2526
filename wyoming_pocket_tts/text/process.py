"""What is done to one unit of raw text: markup, characters, dictionary, normalisation, in this order.

Each step is pure and can be switched off; with all of them off a unit passes through unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass

from wyoming_pocket_tts.text.cutter import Unit
from wyoming_pocket_tts.text.options import TextOptions


@dataclass(frozen=True)
class Part:
    """Processed text, and the explicit pause after it (None: none)."""

    text: str
    break_ms: int | None = None


class Processor:
    """The steps for one language."""

    def __init__(self, options: TextOptions, language: str) -> None:
        self._options = options
        self._language = language

    def process(self, unit: Unit, *, ssml: bool) -> list[Part]:
        """The parts of a unit, in order; usually one."""
        return [Part(unit.text)]
