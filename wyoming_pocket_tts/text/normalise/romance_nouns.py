"""Rules for numbers and fractions that agree with the noun after them ("1/2 tasse", "21 personas", "duas mil pessoas")."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .base import Context, Rule
from .numbers import MINUS, Number, number_pattern, parse_number
from .romance_rules import DIGITS, SPACE, WORD
from .rules_calendar import context_of
from .rules_quantities import VULGAR
from .units import UNIT_SYMBOLS, Gender, Unit, any_of, symbol_table

if TYPE_CHECKING:
    from .romance import Romance

_MILLION = 10**6
_FRACTION_SIGNS = "".join(VULGAR)


def fraction_rules(language: Romance) -> list[Rule]:
    """ "1/2 tasse", "3/4 h", "2 1/2 kg"."""
    units = symbol_table(UNIT_SYMBOLS, language.units, language.unit_symbols)
    head = r"(?<![\w/.,-])"
    fraction_part = rf"(?:([1-9])/([1-9])|([{_FRACTION_SIGNS}]))"
    noun = rf"{SPACE}({WORD}{{2,24}})(?!\w)"
    half = re.compile(rf"{head}(?<![0-9][ \u00a0])(?:1/2|½){noun}")
    of_unit = re.compile(
        rf"{head}(?:([0-9]{{1,3}}){SPACE})?{fraction_part}{SPACE}?({any_of(units)})(?![\w²³'’])"
    )
    mixed_noun = re.compile(rf"{head}([0-9]{{1,3}}){SPACE}?{fraction_part}{noun}")

    def words_of(match: re.Match[str], unit: Unit) -> str | None:
        top, bottom = VULGAR[match[4]] if match[4] else (int(match[2]), int(match[3]))
        fraction = language.fraction(top, bottom) if top < bottom else None
        if fraction is None:
            return None
        if match[1]:
            fraction = language.mixed_fraction(int(match[1]), fraction)
        return language.fraction_of(fraction, unit, bool(match[1]))

    def read_half(match: re.Match[str]) -> str | None:
        gender = _noun_gender(language, match[1], units)
        return None if gender is None else language.half_of(match[1], gender)

    def read_mixed_noun(match: re.Match[str]) -> str | None:
        gender = _noun_gender(language, match[5], units)
        return None if gender is None else words_of(match, Unit(match[5], gender=gender))

    return [
        Rule(half, read_half, "/½"),
        Rule(of_unit, lambda m: words_of(m, language.units[units[m[5]]]), f"/{_FRACTION_SIGNS}"),
        Rule(mixed_noun, read_mixed_noun, f"/{_FRACTION_SIGNS}"),
    ]


def _noun_gender(language: Romance, noun: str, units: Mapping[str, str]) -> Gender | None:
    return language.gender_of(noun, False) if noun.islower() and noun not in units else None


def counted_rule(language: Romance) -> Rule:
    """Numbers that end in "one" (or two, or hundreds) and round millions, before a noun."""
    number = number_pattern(language.spaced_thousands)
    uncounted = {*language.function_words, *language.month_names}
    uncounted |= set(symbol_table(UNIT_SYMBOLS, language.units, language.unit_symbols))
    between = rf"{SPACE}?[{MINUS}]{SPACE}?|{SPACE}(?:{language.between_words}){SPACE}"
    pattern = re.compile(
        rf"(?<![\w.,:/+\u00b1~#°%)$€£-])(?<![$€£][ \u00a0])(?:({number})({between}))?({number}){SPACE}({WORD}{{3,24}})(?!\w)"
    )

    def read(match: re.Match[str]) -> str | None:
        noun = match[4]
        if not noun.islower() or noun in uncounted:
            return None
        count = _count_of(match[3], language.decimal_mark)
        first = _count_of(match[1], language.decimal_mark) if match[1] else None
        if count is None or (match[1] and first is None):
            return None
        if not _is_round(count) and not any(_agrees(language, n) for n in (first, count) if n):
            return None  # the common rules say the same
        gender = _gender_of_counted(language, count, noun, context_of(match))
        if gender is None:
            return None
        words = language.join_count(count, gender, noun)
        if first is None:
            return words
        before, joint = language.number(first, gender), match[2]
        if joint.strip().isalpha():
            return f"{before}{joint}{words}"
        return language.join_range(before, words)

    return Rule(pattern, read, DIGITS)


def _gender_of_counted(
    language: Romance, count: Number, noun: str, context: Context
) -> Gender | None:
    if noun == "mil":  # "duas mil pessoas", "doscientas mil personas"
        after = language.gender_of(context.after, False) if context.after.islower() else None
        return "f" if after == "f" else "m"
    single = count.value == 1
    gender = language.gender_of(noun, single)
    if gender is None and single and context.before.lower() in language.before_count:
        return language.gender_of(noun, False)
    return gender


def _is_round(number: Number) -> bool:
    return number.value >= _MILLION and number.value % _MILLION == 0


def _agrees(language: Romance, number: Number) -> bool:
    return len({language.cardinal(number.value, gender) for gender in ("", "m", "f")}) > 1


def _count_of(text: str, decimal_mark: str) -> Number | None:
    """A whole number that may count things: no decimals, no leading zero, not too long to be an amount."""
    number = parse_number(text, decimal_mark)
    if number is None or number.decimals or len(number.integer) > 12:
        return None
    if number.integer[0] == "0" and len(number.integer) > 1:
        return None
    return number if len(text) != len(number.integer) or len(text) <= 6 else None
