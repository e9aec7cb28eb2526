"""The subset of SSML that is understood: break, sub, say-as, p, s; other elements are stripped, their text is said.

Source: W3C Speech Synthesis Markup Language 1.1. Nothing here raises: what is malformed is stripped or said as it stands.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from wyoming_pocket_tts.text.boundaries import BLOCK_TAG
from wyoming_pocket_tts.text.options import MAX_BREAK_MS

_TOKEN = re.compile(
    r"<!--.*?-->"
    r"|<(?P<name>sub|say-as)\b(?P<attributes>[^<>]*)(?<!/)>(?P<inner>.*?)</(?P=name)\s*>"
    r"|<break\b(?P<break>[^<>]*)>"
    r"|<[/!?A-Za-z][^<>]*>",
    re.DOTALL,
)
_ANY_TAG = re.compile(r"<[/!?A-Za-z][^<>]*>")
_ATTRIBUTE = re.compile(r"([\w:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_TIME = re.compile(r"\+?(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})\s*(ms|s)\Z")
_SPELLED = frozenset({"characters", "spell-out", "spell", "verbatim", "digits", "telephone"})
_ORDINALS = {"fr": "e", "de": ".", "es": ".º", "it": "º", "pt": "º", "nl": "e"}

# The W3C leaves the lengths of the strengths to the processor; these are those of common processors.
STRENGTHS_MS = {
    "none": 0,
    "x-weak": 100,
    "weak": 200,
    "medium": 400,
    "strong": 700,
    "x-strong": 1000,
}


@dataclass(frozen=True)
class Part:
    """Text, and the explicit pause after it (None: none).

    Attributes:
        text: what is to be said.
        break_ms: the pause.
        spelled: where in `text` characters stand that are to be said one by one, whatever is beside them.
    """

    text: str
    break_ms: int | None = None
    spelled: tuple[tuple[int, int], ...] = field(default=(), compare=False)


def parse_ssml(text: str, language: str) -> list[Part]:
    """The text of a unit of SSML without its tags, divided at its breaks."""
    parts: list[Part] = []
    spoken = ""
    spelled: list[tuple[int, int]] = []
    position = 0
    for match in _TOKEN.finditer(text):
        spoken += _plain(text[position : match.start()])
        position = match.end()
        if match.group("name"):
            attributes = _attributes(match.group("attributes"))
            said = _element(match.group("name"), attributes, match.group("inner"), language)
            if said and _kind(attributes) in _SPELLED and match.group("name") == "say-as":
                spelled.append((len(spoken), len(spoken) + len(said)))
            spoken += said
        elif match.group("break") is not None:
            parts.append(Part(spoken, break_ms(match.group("break")), tuple(spelled)))
            spoken, spelled = "", []
        elif BLOCK_TAG.match(match.group()):
            spoken += " "
    spoken += _plain(text[position:])
    parts.append(Part(spoken, None, tuple(spelled)))
    return parts


def break_ms(attributes: str) -> int:
    """The length of a `<break>`; without a time or strength that makes sense it is a medium one."""
    found = _attributes(attributes)
    time = _TIME.match(found.get("time", "").strip())
    if time:
        value = float(time.group(1)) * (1 if time.group(2) == "ms" else 1000)
        return min(MAX_BREAK_MS, round(value))
    return STRENGTHS_MS.get(found.get("strength", "medium").strip(), STRENGTHS_MS["medium"])


def _attributes(text: str) -> dict[str, str]:
    return {
        name.lower(): html.unescape(double or single)
        for name, double, single in _ATTRIBUTE.findall(text)
    }


def _plain(text: str) -> str:
    return html.unescape(text.replace("\r\n", " ").replace("\n", " ").replace("\r", " "))


def _element(name: str, attributes: dict[str, str], inner: str, language: str) -> str:
    text = _plain(_ANY_TAG.sub("", inner))
    if name == "sub":
        return attributes.get("alias", "").strip() or text
    kind = _kind(attributes)
    if kind in _SPELLED:
        return " ".join(letter for letter in text if letter.isalnum())
    if kind == "ordinal" and text.strip().isdigit():
        return _ordinal(text.strip(), language)
    return text


def _kind(attributes: dict[str, str]) -> str:
    return attributes.get("interpret-as", "").strip().lower()


def _ordinal(digits: str, language: str) -> str:
    """The written ordinal, which normalisation reads."""
    if language in _ORDINALS:
        return digits + _ORDINALS[language]
    if digits[-2:] in ("11", "12", "13"):
        return f"{digits}th"
    return digits + {"1": "st", "2": "nd", "3": "rd"}.get(digits[-1], "th")
