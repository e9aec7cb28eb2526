"""Things in raw text that must not be cut: links, tags, inline code, code fences.

For the character that may begin one it tells where the thing ends, that there is none, or that more text is needed (within
bounds: text with an open bracket does not wait for ever). It does not know what they mean; `markup` and `ssml` do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wyoming_pocket_tts.text.boundaries import BLOCK_TAG, Gap

_LINK_MOST = 300
_TARGET_MOST = 600
_TAG_MOST = 300
_ELEMENT_MOST = 600
_CODE_MOST = 300

_BRACKETS = re.compile(
    r"\[(?:[^\[\]\n\\]|\\[^\n]|\[[^\[\]\n]{0,300}\](?:\([^()\s]{0,600}\))?){0,300}\]"
)
_TARGET = re.compile(r"\((?:[^()\n]|\([^()\n]*\)){0,600}\)")
_TAG_BEGIN = re.compile(r"<[/!?A-Za-z]")
_TAG = re.compile(r"<[/!?A-Za-z][^<>]{0,300}>")
_ELEMENT = re.compile(r"<(sub|say-as)\b[^<>]{0,300}(?<!/)>")
_ANGLE = re.compile(r"[<>]")
_FENCE = re.compile(r"(`{3,})[^`\n]*\n")
_TICKS = re.compile(r"`+")


@dataclass(frozen=True)
class Construct:
    """Where a construct ends; `end` is one past its first character if there is none after all.

    Attributes:
        gap: it ends a sentence or a paragraph (SSML's s and p).
        unlimited: its length does not count as text.
    """

    end: int
    gap: Gap = Gap.NONE
    unlimited: bool = False


class Constructs:
    """The constructs of Markdown and HTML (`markup`), of SSML (`ssml`), or none."""

    def __init__(self, *, markup: bool, ssml: bool) -> None:
        self._ssml = ssml
        self.openers = "<" if ssml else "<\\[`" if markup else ""

    def open_at_end(self, text: str, position: int, start: int) -> bool:
        """Whether a construct has begun at `position`, in the unit from `start` on, and is not finished."""
        if position >= len(text) or text[position] not in self.openers:
            return False
        return self.at(text, position, start, final=False) is None

    def at(self, text: str, position: int, start: int, final: bool) -> Construct | None:
        """The construct that the opener at `position` begins; None: more text is needed."""
        if text[position] == "<":
            return (
                self._element(text, position, final) if self._ssml else _tag(text, position, final)
            )
        if text[position] == "[":
            return _link(text, position, final)
        return _code(text, position, start, final)

    def _element(self, text: str, position: int, final: bool) -> Construct | None:
        tag = _tag(text, position, final)
        if tag is None or tag.end == position + 1:
            return tag
        block = BLOCK_TAG.match(text, position)
        if block:
            space = re.compile(r"\s*").match(text, tag.end)
            assert space is not None
            if space.end() == len(text) and not final:
                return None
            name = block.group(1)
            return Construct(space.end(), Gap.PARAGRAPH if name.startswith("p") else Gap.SENTENCE)
        element = _ELEMENT.match(text, position)
        if element is None:
            return tag
        closing = f"</{element.group(1)}>"
        close = text.find(closing, tag.end, tag.end + _ELEMENT_MOST)
        if close >= 0:
            return Construct(close + len(closing))
        if not final and len(text) < tag.end + _ELEMENT_MOST:
            return None
        return tag


def _tag(text: str, position: int, final: bool) -> Construct | None:
    nothing = Construct(position + 1)
    if len(text) == position + 1:
        return nothing if final else None
    if not _TAG_BEGIN.match(text, position):
        return nothing
    limit = position + _TAG_MOST
    match = _TAG.match(text, position, limit)
    if match:
        return Construct(match.end())
    unfinished = len(text) < limit and not _ANGLE.search(text, position + 1)
    return None if unfinished and not final else nothing


def _link(text: str, position: int, final: bool) -> Construct | None:
    limit = position + _LINK_MOST
    match = _BRACKETS.match(text, position, limit)
    if match is None:
        unfinished = len(text) < limit and text.find("\n", position) < 0
        return None if unfinished and not final else Construct(position + 1)
    end = match.end()
    if end == len(text):
        return Construct(end) if final else None
    if text[end] != "(":
        return Construct(end)
    limit = end + _TARGET_MOST
    target = _TARGET.match(text, end, limit)
    if target:
        return Construct(target.end())
    unfinished = len(text) < limit and text.find("\n", end) < 0
    return None if unfinished and not final else Construct(end)


def _code(text: str, position: int, start: int, final: bool) -> Construct | None:
    ticks = _TICKS.match(text, position)
    assert ticks is not None
    begin = ticks.end()
    limit = begin + _CODE_MOST
    if begin == len(text) and not final:
        return None
    if len(ticks.group()) >= 3 and not text[start:position].strip():
        if text.find("\n", begin, limit) < 0 and len(text) < limit and not final:
            return None
        fence = _FENCE.match(text, position, limit)
        if fence:
            return _fence(text, fence, final)
    blank = text.find("\n\n", begin, limit)
    stop = blank if blank >= 0 else limit
    for close in _TICKS.finditer(text, begin, stop):
        if close.end() == len(text) and not final:
            return None
        if len(close.group()) == len(ticks.group()):
            return Construct(close.end())
    unfinished = blank < 0 and len(text) < limit
    return None if unfinished and not final else Construct(begin)


def _fence(text: str, fence: re.Match[str], final: bool) -> Construct | None:
    closing = re.compile(rf"^[ \t]*`{{{len(fence.group(1))},}}[ \t]*(?:\n|\Z)", re.MULTILINE)
    closed = text.find(fence.group(1), fence.end()) >= 0
    close = closing.search(text, fence.end()) if closed else None
    if close is None:
        # Code without an end: all the rest is code.
        return Construct(len(text), unlimited=True) if final else None
    if close.end() == len(text) and not final and not text.endswith("\n"):
        return None
    return Construct(close.end(), unlimited=True)
