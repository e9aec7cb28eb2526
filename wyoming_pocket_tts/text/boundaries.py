"""Where a sentence, a line or a clause may end: one decision at a time.

A decision looks at the text around one mark. Text may still be arriving: where what has arrived does not settle the matter the
answer is `None` ("ask again with more text"), so that the answer never depends on how the text was cut on its way
here. With `final` there is no more text and every question gets an answer.

It knows nothing of tokens, segments or markup beyond the marks that may stand beside a full stop.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from wyoming_pocket_tts.text.abbreviations import Abbreviations

TERMINALS = ".!?…‼⁇⁈⁉。．！？｡؟۔।॥։።"
# Marks after which the next sentence may follow without a space, or which nothing else ever uses.
_SURE_TERMINALS = frozenset("。！？｡؟۔।॥։።")
CLAUSE_MARKS = ",;:—–，、；：،؛"
_WIDE_CLAUSE_MARKS = frozenset("，、；：")
CLOSERS = "\"'”’»›)\\]}）］｝」』】》〉*_~`"
_PICTURES = "\U0001f000-\U0001faff☀-➿️‍⃣"
NEWLINES = "\n\r\x0b\x0c\x85\u2028\u2029"

LETTER = re.compile(r"[^\W_]")
_LETTERS_ONLY = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W_]\S*")
# Scripts that put no spaces between words: two characters count as a word.
_UNSPACED = re.compile("[぀-ヿ㐀-鿿豈-﫿\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_RUN = re.compile(rf"[{TERMINALS}]+(?:[{CLOSERS}{TERMINALS}{_PICTURES}]|[ \u00a0\u202f]+[»›])*")
_QUOTE_AT_END = re.compile(r"[\"'”’»›」』][*_~`]*$")
_GAP = re.compile(r"(?:\s|</[A-Za-z][A-Za-z-]*\s*>|<(?:break|br|mark)\b[^<>]*>)*")
_TAG_BEGUN = re.compile(r"<(?:[/!?A-Za-z][^<>]{0,200})?\Z")
_SPACE = re.compile(r"\s*")
BLOCK_TAG = re.compile(r"</?(p|s|sentence|paragraph)\b[^<>]*>")
_TAGS = re.compile(r"<[/!?A-Za-z][^<>]*(?:>|\Z)")
_NEWLINE = re.compile(rf"\r\n|[{NEWLINES}]")
_LIST_MARKER = re.compile(r"[\s>#*+(-]*(?:\d{1,3}|[A-Za-z])\Z")
_WORD_BEFORE = re.compile(r"[^\s(\[{\"“„«'’>/–—*_,;:!?-]*\Z")
_NUMBER_BEFORE = re.compile(r"\d[ \u00a0]?[^\W\d_]+\Z")
_DAY = re.compile(r"\d{1,2}(?:\.\d{1,2})?")
_BEFORE_DAY = re.compile(
    r"(?:\b(?:ab|am|bis|de[mnr]|seit|und|vo[mr]|zum|mo|di|mi|do|fr|sa|so)[.,]{0,2}[ \u00a0])\S+\Z",
    re.I,
)
_MONTH_DAY = re.compile(r"(?P<month>[^\W\d_]*)\.?\s{0,2}(?P<day>\d?)")
_LIST_START = re.compile(r"[-*+•◦▪‣]|\d{1,3}[.)]|[A-Za-z][.)]\s")

SOFT_WRAP_CHARACTERS = 50
_NEXT_WORD_MOST = 16


class Gap(IntEnum):
    """What lies between a unit of text and the next one."""

    NONE = 0
    SENTENCE = 1
    LINE = 2
    PARAGRAPH = 3


@dataclass(frozen=True)
class Verdict:
    """The answer for one mark.

    Attributes:
        end: where the next unit begins if it is a boundary, else where the search for marks goes on.
        gap: NONE: no boundary.
    """

    end: int
    gap: Gap = Gap.NONE


def count_words(text: str, start: int = 0, end: int | None = None) -> int:
    """Words with at least a letter or digit, tags aside; never fewer for a longer text that begins with this one."""
    part = _without_tags(text[start:end])
    words = len(_WORD.findall(part))
    if not part.isascii():
        words += len(_UNSPACED.findall(part)) // 2
    return words


def more_words(text: str, start: int, end: int, words: int) -> bool:
    """Whether `count_words` would give more than `words`, without counting all of them."""
    if text.find("<", start, end) >= 0:
        return count_words(text, start, end) > words
    for number, _match in enumerate(_WORD.finditer(text, start, end), start=1):
        if number > words:
            return True
    return not text.isascii() and count_words(text, start, end) > words


def _without_tags(text: str) -> str:
    return _TAGS.sub(" ", text) if "<" in text else text


def speakable(text: str) -> bool:
    """Whether there is a letter or a digit in it: something to say."""
    return LETTER.search(text) is not None


def ends_with_mark(text: str) -> bool:
    """Whether the text ends with a final mark, closing quotes and brackets aside."""
    return text.rstrip().rstrip(CLOSERS.replace("\\", "")).endswith(tuple(TERMINALS))


def is_soft_wrap(text: str, newline: int, after: int) -> bool:
    """Whether the line break at `newline` only wraps a long line, `after` being the next line's first character.

    It looks at no more than `SOFT_WRAP_CHARACTERS` characters of the line, white space at its end aside.
    """
    if not text[after : after + 1].islower() or _LIST_START.match(text, after):
        return False
    end = len(text[:newline].rstrip()) if text[newline - 1].isspace() else newline
    begin = end - SOFT_WRAP_CHARACTERS
    if begin < 0 or _NEWLINE.search(text, begin, end):
        return False
    return text[end - 1] not in TERMINALS + ":"


def decide_newline(text: str, start: int, position: int, final: bool) -> Verdict | None:
    """Whether the line break at `position` ends the unit that begins at `start`."""
    letter = LETTER.search(text, position)
    if letter is None:
        # What follows, if anything, cannot be spoken alone, and stays with this unit.
        return Verdict(len(text)) if final else None
    match = _SPACE.match(text, position)
    assert match is not None
    end = match.end()
    # A list marker of a letter needs two more characters to be told from a word.
    if len(text) < end + 3 and not final:
        return None
    breaks = len(_NEWLINE.findall(text, position, end))
    if breaks < 2 and is_soft_wrap(text, position, end):
        return Verdict(end)
    return Verdict(end, Gap.PARAGRAPH if breaks > 1 else Gap.LINE)


def decide_terminal(
    text: str, start: int, position: int, table: Abbreviations, final: bool, *, blocks: bool = False
) -> Verdict | None:
    """Whether the marks at `position` (a character of TERMINALS) end the sentence that begins at `start`.

    With `blocks`, tags that begin or end a paragraph or a sentence are left to decide for themselves.
    """
    run_match = _RUN.match(text, position)
    assert run_match is not None
    run, run_end = run_match.group(), run_match.end()
    if run_end == len(text):
        return Verdict(run_end) if final else None
    if blocks:
        space = _SPACE.match(text, run_end)
        assert space is not None
        if _TAG_BEGUN.match(text, space.end()) and not final:
            return None
        if BLOCK_TAG.match(text, space.end()):
            return Verdict(space.end())
    gap_match = _GAP.match(text, run_end)
    assert gap_match is not None
    end = gap_match.end()
    sure = any(mark in _SURE_TERMINALS for mark in run)
    if end == run_end and not sure:
        if text[run_end] == "<" and _TAG_BEGUN.match(text, run_end) and not final:
            return None
        return Verdict(run_end)
    if _NEWLINE.search(text, run_end, end):
        newline = _NEWLINE.search(text, run_end, end)
        assert newline is not None
        return Verdict(newline.start())
    if not final and (end == len(text) or _TAG_BEGUN.match(text, end)):
        return None
    letter = LETTER.search(text, end)
    if letter is None:
        return Verdict(len(text)) if final else None
    if sure:
        return Verdict(end, Gap.SENTENCE)
    return _decide_spaced(text, start, position, run, end, letter.start(), table, final)


def _decide_spaced(
    text: str,
    start: int,
    position: int,
    run: str,
    end: int,
    letter: int,
    table: Abbreviations,
    final: bool,
) -> Verdict | None:
    """The rest of `decide_terminal`: marks, a space, and `letter` where the next word begins."""
    yes, no = Verdict(end, Gap.SENTENCE), Verdict(end)
    lower = text[letter].islower()
    quoted = _QUOTE_AT_END.search(run) is not None
    if lower and quoted:
        return no
    marks = run.rstrip(CLOSERS.replace("\\", ""))
    if marks != ".":
        # Dots that trail off go on in lower case; "?" and "!" end the sentence in any case.
        trailing_off = not (set(marks) - {".", "…"})
        return no if lower and trailing_off else yes
    if len(run) == 1 and _LIST_MARKER.match(text, start, position):
        return no
    word_match = _WORD_BEFORE.search(text, max(start, position - 24), position)
    word = word_match.group() if word_match else ""
    kind = _kind(word, table)
    if kind == "plain" and word in table.units and _NUMBER_BEFORE.search(text, start, position):
        kind = "capital"
    if kind == "plain":
        return yes
    if len(run) > 1:
        # A closing quote or bracket after the stop: only "(usw.) und" goes on.
        return no if lower else yes
    if kind == "never":
        return no
    if kind == "number":
        return no if text[letter].isdigit() else _after_number_word(word, lower, table, yes, no)
    if lower or text[letter].isdigit():
        return no
    if word.lower() in table.weekdays:
        month = _MONTH_DAY.match(text, letter, letter + 2 * _NEXT_WORD_MOST)
        assert month is not None
        if month.end() == len(text) and not final:
            return None
        if month["day"] and month["month"].lower() in table.months:
            return no
    versioned = "." in word and _DAY.fullmatch(word)
    if versioned and not _BEFORE_DAY.search(text, max(start, position - 24), position):
        return yes  # "Version 3.5. Neu", not "am 3.5. Feiertag"
    if kind == "capital" and not table.nouns_are_capital:
        return yes
    next_word = _LETTERS_ONLY.match(text, letter, letter + _NEXT_WORD_MOST)
    stop = next_word.end() if next_word else letter
    if stop == len(text) and not final:
        return None
    following = next_word.group().lower() if next_word else ""
    return yes if following in table.starters else no


def _after_number_word(
    word: str, lower: bool, table: Abbreviations, yes: Verdict, no: Verdict
) -> Verdict:
    """For "No." and its like without a number after it: a month is still an abbreviation, "No" is a word."""
    return no if lower and (len(word) == 1 or word.lower() in table.capital) else yes


def _kind(word: str, table: Abbreviations) -> str:
    """Which rule holds for the full stop after `word`."""
    lowered = word.lower()
    if word in table.never or (lowered in table.never):
        return "never"
    if lowered in table.number:
        return "number"
    if lowered in table.starter:
        return "starter"
    if lowered in table.capital:
        return "capital"
    if word in table.written or (len(word) == 1 and word.isalpha()):
        return "starter"
    if table.ordinals_have_stops and (
        _DAY.fullmatch(word) or (len(word) > 1 and set(word) <= set("IVX"))
    ):
        return "starter"
    if "." in word and all(len(part) == 1 and part.isalpha() for part in word.split(".")):
        return "starter" if word[0].isupper() else "capital"
    return "plain"


def decide_clause(text: str, start: int, position: int, final: bool) -> Verdict | None:
    """Whether a first segment may end after the clause mark at `position`."""
    end = position + 1
    while end < len(text) and text[end] in "\"'”’»)*_":
        end += 1
    if end >= len(text):
        return Verdict(end) if final else None
    wide = text[position] in _WIDE_CLAUSE_MARKS or text[position] == "—"
    if not (text[end].isspace() or wide):
        return Verdict(end)
    space = re.compile(r"[^\S\n\r]*").match(text, end)
    assert space is not None
    after = space.end()
    token = re.compile(r"\S*").match(text, after, after + 40)
    assert token is not None
    if token.end() == len(text) and not final:
        return None
    before = text[max(start, position - 40) : position].split()
    around = (before[-1] if before else "") + token.group()
    # Numbers, dates and amounts may go on over a comma, and tags and links are not to be cut.
    if not token.group() or re.search(r"[\d<>`\[\]$€£¥%°]", around):
        return Verdict(end)
    return Verdict(after, Gap.SENTENCE)
