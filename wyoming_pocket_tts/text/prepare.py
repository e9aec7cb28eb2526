"""Prepares a segment as the model's configuration asks, so that it looks like the sentences the model was trained on.

It follows what the `pocket-tts` package does, without its faults: a continuation is no new sentence, the final mark belongs to the script of the
text, line breaks between joined lines are heard. It never raises, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from wyoming_pocket_tts.text.boundaries import (
    NEWLINES,
    TERMINALS,
    count_words,
    is_soft_wrap,
    speakable,
)
from wyoming_pocket_tts.text.options import TextRules
from wyoming_pocket_tts.text.segment import Segment

__all__ = ["SHORT_TEXT_WORDS", "Prepared", "prepare", "speakable"]

SHORT_TEXT_WORDS = 4
"""Texts of up to so many words count as short: they get more frames after the end of speech, and padding if asked."""

_PADDING = " " * 8
_CLOSERS = "\"'”’»›)]}）］｝」』】》〉"
_WEAK = ",;:-–—‐‑‒―，、；：،؛"
_LINE_BREAK = re.compile(rf"[^\S{NEWLINES}]*[{NEWLINES}]\s*")
_LEADING_MARKS = re.compile(r"\A[\s.,;:!?…)\]}»*•–—-]+(?=\s)")
_MARK_THEN_WEAK = re.compile(r"([!?…])(?:\s*[,;:])+")
_STOP_THEN_WEAK = re.compile(r"\.(?:\s*[,;:])+")
_HAN_KANA = re.compile("[぀-ヿ㐀-鿿豈-﫿]")
_DEVANAGARI = re.compile("[ऀ-ॿ]")
_URDU = re.compile("[ٹڈڑںےۓہھ]")
_ARABIC = re.compile("[؀-ۿ]")


@dataclass(frozen=True)
class Prepared:
    """What the tokenizer gets.

    Attributes:
        text: empty when there is nothing to say.
        short: it has at most four words.
    """

    text: str
    short: bool


def prepare(segment: Segment, rules: TextRules) -> Prepared:
    """Prepares a segment.

    Args:
        segment: its text may hold anything.
        rules: what the model asks for.
    """
    source = segment.text.strip()
    if not speakable(source):
        return Prepared("", True)
    text = _join_lines(source)
    text = _replace(text, rules.replace_characters)
    if rules.remove_semicolons:
        text = text.replace(";", ",")
    text = _LEADING_MARKS.sub("", " ".join(text.split()), count=1).lstrip()
    if rules.capitalize_first_letter and not segment.continuation:
        text = _capitalised(text)
    if rules.append_terminal_punctuation and segment.ends_sentence:
        text = _ended(text)
    words = len(text.split())
    if not text:
        return Prepared("", True)
    short = max(words, count_words(text)) <= SHORT_TEXT_WORDS
    if rules.pad_with_spaces_for_short_inputs and short:
        text = _PADDING + text
    return Prepared(text, short)


def final_mark(text: str) -> str:
    """The full stop of the script that the end of the text is written in."""
    end = text[-12:]
    if _HAN_KANA.search(end):
        return "。"
    if _DEVANAGARI.search(end):
        return "।"
    if _ARABIC.search(end) and _URDU.search(text):
        return "۔"
    return "."


def _join_lines(text: str) -> str:
    """Line breaks become spaces; a line without a final mark gets one, or it would run into the next."""
    if not any(mark in text for mark in NEWLINES):
        return text
    parts: list[str] = []
    position = 0
    for match in _LINE_BREAK.finditer(text):
        line = text[position : match.start()]
        parts.append(line)
        position = match.end()
        if not speakable(line) or is_soft_wrap(text, match.start(), position):
            parts.append(" ")
        else:
            bare = line.rstrip(_CLOSERS + " ")
            parts.append(" " if bare[-1:] in TERMINALS + _WEAK else final_mark(line) + " ")
    return "".join(parts) + text[position:]


def _replace(text: str, replacements: Mapping[str, str]) -> str:
    """Rewrites characters; where a quote that was deleted leaves "Hi?, she", only the sentence mark stays."""
    stops_before = _STOP_THEN_WEAK.search(text) is not None
    if replacements:
        text = text.translate(_table(tuple(sorted(replacements.items()))))
    text = _MARK_THEN_WEAK.sub(r"\1", text)
    # "etc., and" was there before; "Hi., she" is what deleting the quotes made of it.
    return text if stops_before else _STOP_THEN_WEAK.sub(".", text)


@lru_cache(maxsize=64)
def _table(replacements: tuple[tuple[str, str], ...]) -> dict[int, str]:
    return {ord(old): new for old, new in replacements if len(old) == 1}


def _capitalised(text: str) -> str:
    """The first letter in upper case; "iPhone" and "ß" stay."""
    for position, letter in enumerate(text):
        if not letter.isalnum():
            continue
        upper = letter.upper()
        if not letter.islower() or len(upper) != 1 or text[position + 1 : position + 2].isupper():
            return text
        return text[:position] + upper + text[position + 1 :]
    return text


def _ended(text: str) -> str:
    """The text with a final mark: closing quotes and brackets stay behind it, weak marks make room for it."""
    core = text.rstrip(_CLOSERS + " ")
    if not core or core[-1] in TERMINALS:
        return text
    closers = text[len(core) :].strip()
    if core[-1] in _WEAK:
        core = core.rstrip(_WEAK + " ")
        mark = "" if core[-1:] in TERMINALS else final_mark(core)
        return core + mark + closers
    return text + final_mark(core)
