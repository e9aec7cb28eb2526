"""Rules for sums: the sign before or after the number, ranges, millions, and what they are for ("€0.25/kWh")."""

from __future__ import annotations

import re

from .base import Language, Rule
from .numbers import MINUS, number_pattern, parse_number
from .rules_calendar import context_of
from .rules_quantities import DASH, SIGN, SPACE, per_pattern, per_words, prefix
from .units import CURRENCY_SYMBOLS, any_of, symbol_table

_S = SPACE
_DIGIT_BEFORE = re.compile(r"[0-9]\s?$")


def rules(language: Language) -> tuple[Rule, ...]:
    """Rules for texts with digits."""
    table = symbol_table(CURRENCY_SYMBOLS, language.currencies, language.currency_symbols)
    if not table:
        return ()
    number = number_pattern(language.spaced_thousands)
    signs = any_of(table)
    scale = any_of(language.scales)
    scaled = f"(?:{_S}?({scale})(?!\\w)|(?!\\w))"
    # Words and abbreviations ("Euro", "Fr.") stand after the sum only.
    leading = any_of(symbol for symbol in table if symbol.upper() == symbol)
    per = per_pattern(language)
    before = re.compile(
        rf"(?<![\w.,])([{MINUS}+±~≈<>≤≥]{_S}?)?(?<!\w)({leading})({_S}?[{MINUS}]?)({number})"
        rf"(?:{DASH}(?:(?:{leading}){_S}?)?({number}))?(?![.,]?[0-9]){scaled}{per}"
    )
    after = re.compile(
        rf"{SIGN}({number})(?:{_S}?(?:{signs})?{DASH}({number}))?(?:{_S}?({scale})(?!\w))?{_S}?({signs})(?!\w){per}"
    )

    def say(
        match: re.Match[str], minus: bool, first: str, second: str, scale: str, symbol: str
    ) -> str | None:
        sign = prefix(language, match[1])[0]
        currency = language.currencies[table[symbol]]
        number = parse_number(first, language.decimal_mark, negative=minus)
        other = parse_number(second, language.decimal_mark) if second else None
        if number is None or (second and other is None):
            return None
        if other is not None:
            if language.scales.get(scale):
                upper = language.scaled(other, language.scales[scale], currency.main)
                return sign + language.join_range(language.number(number), upper)
            if number.decimals or other.decimals:
                return sign + language.join_range(
                    language.money(number, currency), language.money(other, currency)
                )
            return sign + language.count_range(number, other, currency.main)
        if scale:
            return sign + language.scaled(number, language.scales[scale], currency.main)
        if number.is_one:
            return sign + language.count_in(number, currency.main, context_of(match))
        return sign + language.money(number, currency)

    def read_before(match: re.Match[str]) -> str | None:
        lead = match.string[max(0, match.start() - 2) : match.start()]
        if match[3][:1].isspace() and _DIGIT_BEFORE.search(lead):
            return (
                None  # "5 € 6": the sign belongs to the number before it, but not in "2 $5 tickets"
            )
        minus = prefix(language, match[1])[1] or bool(match[3].strip())
        words = say(match, minus, match[4], match[5] or "", match[6] or "", match[2])
        return None if words is None else words + per_words(language, match[7])

    def read_after(match: re.Match[str]) -> str | None:
        minus = prefix(language, match[1])[1]
        words = say(match, minus, match[2], match[3] or "", match[4] or "", match[5])
        return None if words is None else words + per_words(language, match[6])

    # "5,- €", "5,–": no cents
    even = re.compile(r"(?<=[0-9])[.,][-–—]{1,2}(?!\w)")
    return (
        Rule(even, lambda m: "", "-–—"),
        Rule(before, read_before),
        Rule(after, read_after),
    )
