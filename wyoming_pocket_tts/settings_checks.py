"""Checks that several sections of the settings share; each raises `ValueError` with the key's name and what it must be."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LANGUAGE_CODE = re.compile(r"[a-z]{2,3}([_-][A-Za-z0-9]{2,8})?")


def check_between(name: str, value: float | None, low: float, high: float) -> None:
    """None means "the model's own value", which needs no check."""
    if value is not None and not low <= value <= high:
        raise ValueError(f"{name} must be between {low} and {high}, not {value}")


def check_voice_name(kind: str, name: str) -> None:
    """Names are shown to people and sent by clients; they never become part of a path."""
    if not 1 <= len(name) <= 100 or name != name.strip() or not name.isprintable():
        raise ValueError(f"{kind} {name!r} must be 1 to 100 printable characters")


def check_languages(key: str, languages: Iterable[str]) -> None:
    """Codes as people write them: "en", "pt-BR", "pt_br"."""
    for code in languages:
        if not _LANGUAGE_CODE.fullmatch(code):
            raise ValueError(f"{key}: {code!r} is not a language code such as en, fr or pt-BR")
