"""Cuts arriving raw text into units that can be processed on their own: sentences, lines, or a first clause.

Text comes in arbitrary pieces; a unit is given out as soon as everything that could still change it has been seen, so the
units depend on the joined text alone. Things that must stay whole (a link, a tag, inline code, a code fence) are stepped
over; an unfinished one waits, within bounds. Joined, the units are the text.

It knows nothing of what markup means, of tokens, or of segments. `idle` is the one call whose result depends on time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wyoming_pocket_tts.text.abbreviations import abbreviations
from wyoming_pocket_tts.text.boundaries import (
    CLAUSE_MARKS,
    CLOSERS,
    LETTER,
    NEWLINES,
    SOFT_WRAP_CHARACTERS,
    TERMINALS,
    Gap,
    Verdict,
    count_words,
    decide_clause,
    decide_newline,
    decide_terminal,
    more_words,
)
from wyoming_pocket_tts.text.constructs import Constructs

SHORT_WORDS = 2
"""Sentences of up to so many words are not spoken alone where they have a neighbour."""

_SAFE_SPACE = re.compile(r"(?<=[^\W\d_])[^\S\n]+(?=[^\W\d_])")
_CLAUSE_END = re.compile(r"[,;:—–，、；：،؛](?:\s+|(?<=[，、；：—]))")
_SPACE = re.compile(r"\s+")
_COMPLETE = re.compile(
    rf"(?:[!?…。！？｡؟۔।॥]|\.\.|[^\W\d_]{{2}}\.)[{CLOSERS}]*\s*\Z|\S\.[{CLOSERS}]*\s+\Z"
)


@dataclass(frozen=True)
class Unit:
    """A piece of raw text that is processed on its own.

    Attributes:
        text: a slice of the raw text, whitespace included.
        words: its words, counted on the raw text.
        ends_sentence: False: the sentence goes on in the next unit.
        gap: what lies between it and the next unit; NONE at the end of the text.
        first_clause: it is to be spoken at once, the sentence goes on.
        line_start: it begins a line.
    """

    text: str
    words: int
    ends_sentence: bool = True
    gap: Gap = Gap.SENTENCE
    first_clause: bool = False
    line_start: bool = False


class Cutter:
    """See the module. `markup` and `ssml` say which constructs stay whole."""

    def __init__(
        self,
        language: str,
        *,
        most_characters: int,
        first_clause_words: int,
        markup: bool = True,
        ssml: bool = False,
    ) -> None:
        self._table = abbreviations(language)
        self._most = most_characters
        self._clause_words = first_clause_words
        self._constructs = Constructs(markup=markup, ssml=ssml)
        self._ssml = ssml
        marks = re.escape(TERMINALS + ("" if ssml else NEWLINES)) + self._constructs.openers
        self._marks = re.compile(f"[{marks}]")
        self._marks_and_clauses = re.compile(f"[{marks}{CLAUSE_MARKS}]")
        self._text = ""
        self._start = 0  # the current unit begins here
        self._scanned = 0  # no boundary lies before this
        self._clause = -1  # where the first segment may end
        self._long = 0  # characters of the current unit that the length limit does not count
        self._whole: list[tuple[int, int]] = []  # constructs in the current unit
        self._line_start = True
        self._words_out = 0
        self._early = first_clause_words > 0
        self._needs_letter = False

    @property
    def early(self) -> bool:
        """Whether the first segment is still to come."""
        return self._early

    def long_unit_ahead(self) -> bool:
        """Whether the next unit is certain to have more than `SHORT_WORDS` words."""
        return more_words(self._text, self._start, min(self._scanned, self._limit), SHORT_WORDS)

    def feed(self, piece: str) -> list[Unit]:
        """Takes text; gives the units that are certain."""
        self._text += piece
        # Without a letter nothing after the last mark can be decided for good: long runs of marks or spaces,
        # one at a time, would be looked through again and again.
        if self._needs_letter and not LETTER.search(piece):
            return []
        units = self._units(final=False)
        self._needs_letter = LETTER.search(self._text, self._scanned) is None
        return units

    def flush(self) -> list[Unit]:
        """The text has ended."""
        return self._units(final=True)

    def idle(self) -> list[Unit]:
        """No text has come for a while: gives the rest if it is a complete sentence."""
        self._early = False
        rest = self._text[self._start :]
        if not self._is_complete(rest) or self._constructs.open_at_end(
            self._text, self._scanned, self._start
        ):
            return []
        units = self._units(final=True)
        return [
            *units[:-1],
            *(Unit(u.text, u.words, True, Gap.SENTENCE, False, u.line_start) for u in units[-1:]),
        ]

    def _is_complete(self, rest: str) -> bool:
        """Whether what has come looks like whole sentences, and more text would hardly change that."""
        if not LETTER.search(rest):
            return False
        if rest[-1] in NEWLINES and not self._ssml:
            return True
        if not _COMPLETE.search(rest):
            return False
        written = rest.split()[-1].strip("\"'([{*_").rstrip(CLOSERS + ".")
        word = written.lower()
        table = self._table
        if (
            written in table.written
            or word in table.never | table.number | table.capital | table.starter
            or "." in word
        ):
            return False
        # "J." and "3." may be initials, ordinals or the number of a list item.
        return not (rest.rstrip().endswith(".") and (len(word) == 1 or word.isdigit()))

    @property
    def _limit(self) -> int:
        return self._start + self._most + self._long

    def _units(self, final: bool) -> list[Unit]:
        units: list[Unit] = []
        while (unit := self._next(final)) is not None:
            units.append(unit)
        # A line may have begun in former units: as much of it is kept as decisions look back at.
        gone = self._start - SOFT_WRAP_CHARACTERS
        if gone > 0:
            self._text = self._text[gone:]
            self._scanned -= gone
            self._whole = [(a - gone, b - gone) for a, b in self._whole]
            self._clause = self._clause - gone if self._clause >= 0 else -1
            self._start -= gone
        return units

    def _next(self, final: bool) -> Unit | None:
        while True:
            marks = self._marks_and_clauses if self._early and self._clause < 0 else self._marks
            match = marks.search(self._text, self._scanned)
            position = match.start() if match else len(self._text)
            quiet = min(position, self._limit)
            if self._clause >= 0 and more_words(self._text, self._clause, quiet, SHORT_WORDS):
                return self._take(self._clause, Gap.SENTENCE, clause=True)
            if position >= self._limit and len(self._text) > self._limit:
                return self._cut_at_limit()
            if match is None:
                self._scanned = position
                return self._last() if final else None
            self._scanned = position
            verdict = self._decide(position, match.group(), final)
            if verdict is None:
                return None
            self._scanned = verdict.end
            if verdict.gap:
                return self._take(verdict.end, verdict.gap)

    def _decide(self, position: int, mark: str, final: bool) -> Verdict | None:
        text, start = self._text, self._start
        if mark in self._constructs.openers:
            return self._step_over(position, final)
        spoken = LETTER.search(text, start, position) is not None
        if mark in CLAUSE_MARKS:
            return self._note_clause(position, spoken, final)
        if not spoken:
            return Verdict(position + 1)
        if mark in NEWLINES:
            return decide_newline(text, start, position, final)
        return decide_terminal(text, start, position, self._table, final, blocks=self._ssml)

    def _step_over(self, position: int, final: bool) -> Verdict | None:
        """Steps over a link, a tag and the like, or over its first character if it is none."""
        construct = self._constructs.at(self._text, position, self._start, final)
        if construct is None:
            return None
        if construct.gap and LETTER.search(self._text, self._start, position):
            return Verdict(construct.end, construct.gap)
        if construct.end > position + 1:
            self._whole.append((position, construct.end))
            if construct.unlimited:
                self._long += construct.end - position
        return Verdict(construct.end)

    def _note_clause(self, position: int, spoken: bool, final: bool) -> Verdict | None:
        verdict = decide_clause(self._text, self._start, position, final) if spoken else None
        if spoken and verdict is None:
            return None
        if verdict is not None and verdict.gap:
            words = self._words_out + count_words(self._text, self._start, position)
            if words >= self._clause_words:
                self._clause = verdict.end
        return Verdict(position + 1)

    def _cut_at_limit(self) -> Unit:
        """An endless sentence: cut at the last clause mark, else between words, else where it is."""
        text, limit = self._text, self._limit
        half = self._start + (limit - self._start) // 2
        # Three words of either kind are tried, the best first; none may lie inside something that stays whole.
        for pattern in (_CLAUSE_END, _SAFE_SPACE, _SPACE):
            for match in reversed(list(pattern.finditer(text, half, limit))):
                if match.end() < limit and not self._inside(match.end()):
                    return self._take(match.end(), Gap.SENTENCE, cut=True, words_to=limit)
        end = limit
        for begin, stop in self._whole:
            if begin < end < stop:
                end = begin if begin > self._start else stop
        return self._take(end, Gap.SENTENCE, cut=True, words_to=limit)

    def _inside(self, position: int) -> bool:
        return any(begin < position < stop for begin, stop in self._whole)

    def _last(self) -> Unit | None:
        if self._start >= len(self._text):
            return None
        return self._take(len(self._text), Gap.NONE)

    def _take(
        self, end: int, gap: Gap, *, clause: bool = False, cut: bool = False, words_to: int = -1
    ) -> Unit:
        text = self._text[self._start : end]
        unit = Unit(
            text=text,
            words=count_words(self._text, self._start, max(end, words_to)),
            ends_sentence=not (clause or cut),
            gap=gap,
            first_clause=clause,
            line_start=self._line_start,
        )
        self._words_out += unit.words
        if clause or self._words_out >= max(self._clause_words, SHORT_WORDS + 1):
            self._early = False
        self._line_start = gap in (Gap.LINE, Gap.PARAGRAPH)
        self._start = end
        self._scanned = end
        self._clause = -1
        self._long = 0
        self._whole = []
        return unit
