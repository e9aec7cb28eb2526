"""Written numbers: what "1.234,5" is, and the words of a cardinal or an ordinal.

The words come from `unicode-rbnf`, the CLDR's rule-based number formats in pure Python (MIT, no dependencies,
kept by the people of Piper and Home Assistant's voice work). It was held against `num2words` 0.5.14, which says
"veintiuno mil", "quatre-vingtsième" and "ventunomila", knows no gender ("eine", "una", "duas"), puts commas
inside English numbers, and takes two to ten times as long. What is faulty in the CLDR data is mended in the
language's own `Language.cardinal` or `Language.ordinal`.

This module knows nothing of units, dates or words around a number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from unicode_rbnf import RbnfEngine

# Cardinals above this are read digit by digit: the rules end at 10^18, and nobody follows a longer one by ear.
MAX_CARDINAL = 10**15 - 1

# Spaces that stand inside a number or between a number and its unit, but never a line break.
SPACES = " \u00a0\u2007\u2009\u200a\u202f\t"
SPACE = f"[{SPACES}]"
MINUS = "-\u2212\u2010\u2011\u2012\u2013"


@lru_cache(maxsize=16)
def _engine(name: str) -> RbnfEngine:
    return RbnfEngine.for_language(name)


@lru_cache(maxsize=4096)
def spell_out(engine: str, ruleset: str, value: int) -> str:
    """The words of `value` by one CLDR rule set ("spellout-cardinal-feminine"...), `value` >= 0."""
    return _engine(engine).format_number(value, ruleset_names=[ruleset]).text


@dataclass(frozen=True)
class Number:
    """A number as it was written: the digits are kept, "5.0" and "5" are said differently."""

    integer: str
    decimals: str = ""
    negative: bool = False

    @property
    def value(self) -> int:
        """The whole part."""
        return int(self.integer[:20] or "0")

    @property
    def is_whole(self) -> bool:
        return not self.decimals

    @property
    def is_one(self) -> bool:
        """Exactly 1 or -1, written without decimals (CLDR: i = 1 and v = 0)."""
        return not self.decimals and self.value == 1

    @property
    def as_float(self) -> float:
        return float(f"{self.integer[:300] or '0'}.{self.decimals[:30] or '0'}")


def number_pattern(ordinary_space: bool) -> str:
    """Regular expression (without groups) of an unsigned number in any of the usual spellings.

    Args:
        ordinary_space: "1 234" with a plain space is one number. Otherwise only "1 234 567" is: a single space
            may as well stand between two numbers.
    """
    odd_spaces = SPACES.replace(" ", "").replace("\t", "")
    grouped = f"[0-9]{{1,3}}(?:[.,'\u2019{odd_spaces}][0-9]{{3}}){{1,6}}(?![0-9])(?:[.,][0-9]+)?"
    least = 1 if ordinary_space else 2
    spaced = f"[1-9][0-9]{{0,2}}(?: [0-9]{{3}}){{{least},5}}(?![0-9])(?! [0-9])(?:[.,][0-9]+)?"
    return f"(?:{spaced}|{grouped}|[0-9]+(?:[.,][0-9]+)?)"


_SEPARATORS = re.compile("[^0-9]")


def parse_number(
    text: str, decimal_mark: str, *, small: bool = False, negative: bool = False
) -> Number | None:
    """Read one match of `number_pattern`.

    The language's own separators win where a spelling is ambiguous ("1.234": German 1234, English 1.234); where
    it is not, either mark is taken for what it must be (raw sensor values have a point in every language).

    Args:
        text: digits and separators.
        decimal_mark: "." or ",": the language's own.
        small: a quantity that is never in the thousands (a temperature, a percentage): a lone "." or "," before
            three digits is a decimal mark whatever the language.
        negative: the sign, parsed by the caller.

    Returns:
        None for what is no number after all ("1.23.4").
    """
    negative = negative and any(
        digit in text for digit in "123456789"
    )  # "-0.0" of a sensor is zero
    marks = _SEPARATORS.findall(text)
    if not marks:
        return Number(text, "", negative)
    pieces = _SEPARATORS.split(text)
    last = marks[-1]
    groups_fit = 1 <= len(pieces[0]) <= 3 and all(len(piece) == 3 for piece in pieces[1:])
    if last in ".,":
        if len(marks) > 1 and last not in marks[:-1]:
            decimal = True  # "1.234,56", "1 234.5"
        elif len(marks) > 1:
            decimal = False  # "1.234.567"
        elif last == decimal_mark:
            decimal = True
        else:
            decimal = not groups_fit or pieces[0].startswith("0") or small
    else:
        decimal = False
    whole = pieces[:-1] if decimal else pieces
    if len(whole) > 1 and (not 1 <= len(whole[0]) <= 3 or any(len(p) != 3 for p in whole[1:])):
        return None
    if len(set(marks[: len(whole) - 1])) > 1:
        return None
    return Number("".join(whole), pieces[-1] if decimal else "", negative)
