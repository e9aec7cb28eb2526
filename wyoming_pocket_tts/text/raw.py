"""The `pocket-tts` package's own preparation and splitting of text, for `raw` (`--raw-text`).

Results equal those of version 4.0.1 (a test compares them); its known faults are therefore here on purpose, and nowhere else.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence

from wyoming_pocket_tts.text.options import TextRules
from wyoming_pocket_tts.text.prepare import SHORT_TEXT_WORDS, Prepared

Encode = Callable[[str], Sequence[int]]
Decode = Callable[[list[int]], str]

_CLOSERS = "\"'”’)]» "
_WEAK = ",;:-–— "
_STRONG = (".", "!", "?", "…")


def prepare_raw(text: str, rules: TextRules) -> Prepared:
    """Prepares `text` as the package does; where the package refuses an empty text, the result is empty."""
    text = text.strip()
    if rules.replace_characters:
        table = str.maketrans(dict(rules.replace_characters))
        text = re.sub(r"([.!?…])\s*[,;:]", r"\1", " ".join(text.translate(table).split()))
    if not text:
        return Prepared("", True)
    for old, new in (("\n", " "), ("\r", " "), ("  ", " ")):
        text = text.replace(old, new)
    if rules.remove_semicolons:
        text = text.replace(";", ",")
    short = len(text.split()) <= SHORT_TEXT_WORDS
    if rules.capitalize_first_letter and not text[0].isupper():
        text = text[0].upper() + text[1:]
    if rules.append_terminal_punctuation:
        text = _with_final_mark(text)
    if rules.pad_with_spaces_for_short_inputs and len(text.split()) <= SHORT_TEXT_WORDS:
        text = 8 * " " + text
    return Prepared(text, short)


def _with_final_mark(text: str) -> str:
    core = text.rstrip(_CLOSERS)
    if not core or core.endswith(_STRONG):
        return text
    if core[-1] in _WEAK:
        return f"{core.rstrip(_WEAK)}.{text[len(core) :].strip()}"
    return f"{text}."


def split_raw(
    text: str, rules: TextRules, encode: Encode, decode: Decode, max_tokens: int
) -> list[str]:
    """Splits `text` into segments as the package does; each is still to be given to `prepare_raw`.

    Args:
        text: all of the text.
        rules: the model's rules.
        encode: text to token ids.
        decode: token ids to text.
        max_tokens: budget of a segment; the package does not enforce it on clauses longer than that.
    """
    prepared = prepare_raw(text, rules).text.strip()
    if not prepared:
        return []
    parts: list[tuple[int, str]] = []
    sentences = _cut_after(list(encode(prepared)), set(encode(".!...?")[1:]), decode, decimals=True)
    clause_ids = set(encode(",;:")[1:])
    for size, sentence in sentences:
        if size > max_tokens:
            clauses = _cut_after(list(encode(sentence.strip())), clause_ids, decode, decimals=False)
            parts += clauses if len(clauses) > 1 else [(size, sentence)]
        else:
            parts.append((size, sentence))
    return _regroup(parts, max_tokens)


def _cut_after(
    ids: list[int], marks: set[int], decode: Decode, *, decimals: bool
) -> list[tuple[int, str]]:
    """Cuts before each token that follows a run of marks; with `decimals`, not inside "98.6"."""
    edges = [0]
    for index in range(1, len(ids)):
        if ids[index] in marks or ids[index - 1] not in marks:
            continue
        if decimals and _is_decimal(decode(ids[:index]), decode(ids[index:])):
            continue
        edges.append(index)
    edges.append(len(ids))
    return [(b - a, decode(ids[a:b])) for a, b in itertools.pairwise(edges)]


def _is_decimal(before: str, after: str) -> bool:
    return before[-1:] == "." and before[-2:-1].isdigit() and after[:1].isdigit()


def _regroup(parts: list[tuple[int, str]], max_tokens: int) -> list[str]:
    segments: list[str] = []
    filling, filled = "", 0
    for size, text in parts:
        if filling and filled + size > max_tokens:
            segments.append(filling.strip())
            filling = ""
        if filling:
            filling, filled = f"{filling} {text}", filled + size
        else:
            filling, filled = text, size
    if filling:
        segments.append(filling.strip())
    return segments
