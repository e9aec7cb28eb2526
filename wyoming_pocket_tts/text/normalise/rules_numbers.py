"""Rules for bare numbers: ordinals, ranges, amounts, and whatever digits are left.

The last rule takes every digit that nothing else has read, so that none reaches the model.
"""

from __future__ import annotations

import re

from .base import Language, Rule
from .numbers import Number, number_pattern, parse_number
from .rules_calendar import context_of
from .rules_quantities import DASH, SIGN, prefix

_S = r"[ \u00a0\u2009\u202f]"
_HEAD = r"(?<![\w.,/:])"
_TAIL = r"(?![\w]|[.,:/][0-9])"
# Above this a bare run of digits is an identifier rather than an amount; it is read in groups.
MAX_BARE_DIGITS = 6


def rules(language: Language) -> tuple[Rule, ...]:
    """Rules for texts with digits."""
    number = number_pattern(language.spaced_thousands)
    mark = language.decimal_mark
    found: list[Rule] = []

    if language.number_sign:
        numero = f"(?:#|№{_S}?" + (
            f"|(?<!\\w)(?:{language.number_abbreviations}){_S}?)"
            if language.number_abbreviations
            else ")"
        )
        found.append(
            Rule(
                re.compile(rf"(?<![\w#]){numero}([0-9]{{1,12}})(?![\w]|[.,][0-9])"),
                lambda m: f"{language.number_sign} {bare(language, m[1])}",
            )
        )

    if language.ordinal_pattern:
        ordinal = re.compile(language.ordinal_pattern)

        def read_ordinal(match: re.Match[str]) -> str | None:
            value = int(match[1])
            return language.ordinal(value) if 0 < value < 1_000_000 else None

        found.append(Rule(ordinal, read_ordinal))

    between = re.compile(rf"{SIGN}({number})({DASH})({number}){_TAIL}")
    plain = re.compile(rf"{SIGN}({number})(?![\w])(?![.,/][0-9])")

    def read_between(match: re.Match[str]) -> str | None:
        first, second = parse_number(match[2], mark), parse_number(match[4], mark)
        sign, minus = prefix(language, match[1])
        if first is None or second is None or match.string[match.end() : match.end() + 1] == "-":
            return None
        if any(len(raw) > 1 and raw[0] == "0" and raw.isdigit() for raw in (match[2], match[4])):
            return f"{language.digits(_only_digits(match[2]))}, {language.digits(_only_digits(match[4]))}"
        years = match[2].isdigit() and match[4].isdigit() and _is_year(match[2])
        if years and len(match[4]) == 4:
            return language.join_range(language.year(first.value), language.year(second.value))
        words = language.join_range(number_words(language, first), number_words(language, second))
        return f"{language.prefixes['-']} {words}" if minus else sign + words

    def read_plain(match: re.Match[str]) -> str | None:
        raw = match[2]
        sign, minus = prefix(language, match[1])
        if raw.isdigit():
            if len(raw) == 4 and not match[1] and _is_year(raw):
                context = context_of(match)
                if raw >= "1900" or context.before.lower() in language.year_words:
                    return language.year(int(raw))
            words = bare(language, raw)
            if len(raw) == 3 and context_of(match).before.lower() in language.dial_words:
                return language.digits(raw)
            if len(raw) <= MAX_BARE_DIGITS and (raw == "0" or raw[0] != "0"):
                words = language.counted_word(int(raw), context_of(match)) or words
            return f"{language.prefixes['-']} {words}" if minus else sign + words
        number = parse_number(raw, mark, negative=minus)
        return None if number is None else sign + number_words(language, number)

    found += [Rule(between, read_between), Rule(plain, read_plain)]
    return tuple(found)


def leftover_rule(language: Language) -> Rule:
    """Digits that nothing else has read. A mark between two numbers gets its space back."""

    def read(match: re.Match[str]) -> str:
        words = bare(language, match[1])
        if match[2] in (",", ";"):
            return f"{words}{match[2]}"
        if match[2] in (".", ":"):
            return f"{words} {language.version_point}" if match[2] == "." else f"{words},"
        return words

    return Rule(re.compile(r"([0-9]+)((?:[.,:;](?=[0-9]))?)"), read)


def bare(language: Language, digits: str) -> str:
    """A run of digits without separators: an amount, or if it is long or begins with 0, a code."""
    if digits[0] == "0" and len(digits) > 1:
        return language.digits(digits) if len(digits) <= 4 else language.digit_groups(digits)
    if len(digits) <= MAX_BARE_DIGITS or (len(digits) <= 13 and digits.endswith("000")):
        return language.cardinal(int(digits))
    return language.digit_groups(digits)


def number_words(language: Language, number: Number) -> str:
    return language.number(number)


def _is_year(digits: str) -> bool:
    return len(digits) == 4 and "1000" <= digits <= "2099"


def _only_digits(text: str) -> str:
    return re.sub("[^0-9]", "", text)
