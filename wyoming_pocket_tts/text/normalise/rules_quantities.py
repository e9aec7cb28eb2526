"""Rules for numbers with a unit, alone or as a range.

A number is read here only if the unit is beside it; the language's plural and gender rules do the rest.
"""

from __future__ import annotations

import re

from .base import Language, Rule
from .numbers import MINUS, number_pattern, parse_number
from .rules_calendar import context_of
from .units import (
    SMALL_UNITS,
    SPACED_UNITS,
    UNIT_SYMBOLS,
    any_of,
    symbol_table,
)

SPACE = r"[ \u00a0\u2007\u2009\u202f]"
_S = SPACE
DASH = f"{_S}?[{MINUS}]{_S}?"
# A sign belongs to the number if nothing stands before it: "-3" but not "10-3".
SIGN = rf"(?<![\w.,)%°²³])(?<![0-9][/⁄])([{MINUS}+±~≈<>≤≥]{_S}?)?"
AFTER_UNIT = r"(?![\w²³]|['’]\w)"

VULGAR: dict[str, tuple[int, int]] = {
    "½": (1, 2),
    "⅓": (1, 3),
    "⅔": (2, 3),
    "¼": (1, 4),
    "¾": (3, 4),
    "⅕": (1, 5),
    "⅖": (2, 5),
    "⅗": (3, 5),
    "⅘": (4, 5),
    "⅙": (1, 6),
    "⅛": (1, 8),
    "⅜": (3, 8),
    "⅝": (5, 8),
    "⅞": (7, 8),
    "⅒": (1, 10),
}
VULGAR_SIGNS = "".join(VULGAR)


def rules(language: Language) -> tuple[Rule, ...]:
    """Rules for texts with digits."""
    return _unit_rules(language)


def prefix(language: Language, sign: str | None) -> tuple[str, bool]:
    """Words of a sign before a number, and whether it is a minus (which the number says itself)."""
    mark = (sign or "").strip(" \u00a0\u2007\u2009\u202f")
    if not mark:
        return "", False
    if mark in MINUS:
        return "", True
    return f"{language.prefixes[mark]} " if mark in language.prefixes else "", False


def per_pattern(language: Language) -> str:
    """Regular expression (one group) of what a quantity is for: "/kWh", "/month"."""
    if not language.per:
        return "()"
    table = symbol_table(UNIT_SYMBOLS, language.units, language.unit_symbols)
    return rf"(?:{_S}?/{_S}?({any_of(table)}|[^\W\d_]{{3,20}}){AFTER_UNIT})?"


def per_words(language: Language, written: str | None) -> str:
    """ " per kilowatt hour"."""
    if not written:
        return ""
    key = symbol_table(UNIT_SYMBOLS, language.units, language.unit_symbols).get(written)
    return f" {language.per} {language.units[key].singular if key else written}"


def _unit_rules(language: Language) -> tuple[Rule, ...]:
    table = symbol_table(UNIT_SYMBOLS, language.units, language.unit_symbols)
    number = number_pattern(language.spaced_thousands)
    signs = any_of(table)
    per = per_pattern(language)
    pattern = re.compile(
        rf"{SIGN}({number})(?:({_S}?(?:{signs}))?{DASH}([{MINUS}]?)({number}))?({_S}|-)?({signs}){AFTER_UNIT}{per}"
    )
    # A quotation mark after a number is an inch where no quotation is open.
    inch = re.compile(rf"(?<![\w.,]){number}\"(?![\w\"])")

    def read_inch(match: re.Match[str]) -> str | None:
        quoted = match.string.count('"', max(0, match.start() - 400), match.start()) % 2
        return None if quoted else match[0][:-1] + "″"

    half = re.compile(
        rf"{SIGN}(?:([0-9]{{1,6}})(?:{_S}|(?=[{VULGAR_SIGNS}])))?(?:([{VULGAR_SIGNS}])|([0-9]{{1,2}})[/⁄]([0-9]{{1,2}}))"
        rf"{_S}?({signs}){AFTER_UNIT}"
    )

    def read(match: re.Match[str]) -> str | None:
        sign, minus = prefix(language, match[1])
        symbol = match[7]
        key = table[symbol]
        unit = language.units[key]
        if key in SPACED_UNITS and not match[6] and not _may_touch(key, match[2]):
            return None
        if symbol in ("C", "F") and (match[6] or len(match[2]) < 2):
            return None  # "21.5C" of a sensor, but not "vitamin 5 C"
        small = key in SMALL_UNITS
        mark = language.decimal_mark
        first = parse_number(match[2], mark, small=small, negative=minus)
        after = match.string[match.end() : match.end() + 1]
        if first is None or (match[6] == "-" and (match[5] or minus or after == "-")):
            return None
        if symbol == "in" and match[6] == " " and after == " ":
            return None  # "5 in the kitchen"
        end = per_words(language, match[8]) or _point(language, match, symbol)
        if not match[5]:
            return sign + language.count_in(first, unit, context_of(match)) + end
        second = parse_number(match[5], mark, small=small, negative=bool(match[4]))
        if second is None:
            return None
        if match[3] and table[match[3].strip()] != key:
            other = language.units[table[match[3].strip()]]
            return sign + language.join_range(
                language.count(first, other), language.count(second, unit)
            )
        return sign + language.count_range(first, second, unit) + end

    def read_half(match: re.Match[str]) -> str | None:
        """ "½ l", "1 1/2 h"."""
        sign, minus = prefix(language, match[1])
        top, bottom = VULGAR[match[3]] if match[3] else (int(match[4]), int(match[5]))
        fraction = language.fraction(top, bottom) if 0 < top < bottom else None
        if fraction is None or minus:
            return None
        whole = int(match[2] or "0")
        words = language.mixed_fraction(whole, fraction) if whole else fraction
        unit = language.units[table[match[6]]]
        spoken = sign + language.fraction_of(words, unit, whole > 0)
        return spoken + _point(language, match, match[6])

    return (
        Rule(inch, read_inch, '"'),
        Rule(half, read_half, VULGAR_SIGNS + "/⁄"),
        Rule(pattern, read),
    )


def _may_touch(key: str, digits: str) -> bool:
    """ "7d" is a week and "2700K" a light, but "3d" is space and "4K" a screen."""
    return (key == "day" and digits[0] > "3") or (key == "kelvin" and len(digits) == 4)


def _point(language: Language, match: re.Match[str], symbol: str) -> str:
    """ "20 min." at the end of a sentence keeps its point."""
    ends = symbol.endswith(".") and language.ends_sentence(match.string, match.end())
    return "." if ends else ""
