"""Written text to spoken words: numbers, units, dates, times, codes, abbreviations; a language at a time.

Knows nothing of markup, of segments or of the model. Languages are imported when they are first asked for.
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import cast

from .base import Language
from .normaliser import Normaliser

LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pt")


@lru_cache(maxsize=16)
def _normaliser(code: str, region: str) -> Normaliser:
    module = importlib.import_module(f"{__name__}.{code}")
    return Normaliser(cast(Language, module.language(region)))


def normalise(text: str, language: str) -> str:
    """Say `text` in words.

    Args:
        text: plain text, markup already removed; line breaks are kept.
        language: "en", "pt", "en-GB", "pt_BR"... An unknown language passes through untouched.

    Returns:
        The text with numbers, units, dates, abbreviations... as words of the language. A second pass changes nothing.
    """
    code, _, region = language.replace("_", "-").lower().partition("-")
    if code not in LANGUAGES:
        return text
    return _normaliser(code, region.upper())(text)
