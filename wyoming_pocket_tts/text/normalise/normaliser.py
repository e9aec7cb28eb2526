"""Runs the rules of a language over a text, in their order, and keeps the words apart.

The order is what makes the rules simple: what has the most structure goes first (addresses, dates, times), what is
left at the end are bare numbers, then words, then symbols. A rule never sees digits that an earlier one has read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from . import (
    rules_arithmetic,
    rules_calendar,
    rules_codes,
    rules_money,
    rules_numbers,
    rules_quantities,
    rules_words,
)
from .base import Language, Rule

_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")
_DIGITS = frozenset("0123456789½⅓⅔¼¾⅕⅖⅗⅘⅙⅛⅜⅝⅞⅒")
# What a spoken word must not touch; a point after a digit was read with that digit.
_TOUCHED = re.compile(r"(?:[^\W_]|[,;:!?]|(?<![0-9])\.)$")
# A reading may lay something bare for an earlier rule ("9Apt.": a number glued to an abbreviation). Ordinary text
# needs one pass and a second, cheap one that finds nothing.
_MAX_PASSES = 4


class Normaliser:
    """One language's rules, compiled once."""

    def __init__(self, language: Language) -> None:
        own = (
            *rules_calendar.weekday_rules(language),
            *rules_words.wind_rules(language),
            *language.rules(),
        )
        # Rules that need a digit are skipped for the many texts without one.
        self._digit_rules: tuple[Rule, ...] = (
            *rules_codes.rules(language),
            *rules_calendar.rules(language),
            *rules_arithmetic.early_rules(language),
            *rules_money.rules(language),
            *rules_quantities.rules(language),
            *rules_arithmetic.rules(language),
            *rules_numbers.rules(language),
            *rules_words.mixed_rules(language),
        )
        self._own_rules = own
        self._word_rules: tuple[Rule, ...] = rules_words.rules(language)

    def __call__(self, text: str) -> str:
        for _ in range(_MAX_PASSES):
            before, text = text, self._once(text)
            if text == before:
                break
        return text

    def _once(self, text: str) -> str:
        text = _FOREIGN_DIGIT.sub(lambda m: str(unicodedata.decimal(m[0])), text)
        text = _apply(self._own_rules, text)
        text = rules_arithmetic.fold_signs(text)
        text = _apply(self._digit_rules, text, _DIGITS)
        return _apply(self._word_rules, text)


def _apply(rules: Iterable[Rule], text: str, needs: frozenset[str] | None = None) -> str:
    """The text after the rules; with `needs`, only as long as it holds one of these."""
    there = set(text)
    for rule in rules:
        if needs is not None and there.isdisjoint(needs):
            break
        if rule.needs and there.isdisjoint(rule.needs):
            continue
        if rule.hint is not None and rule.hint.search(text) is None:
            continue
        read = rule.read

        def replace(match: re.Match[str], read: object = read) -> str:
            spoken = read(match)  # type: ignore[operator]
            return match[0] if spoken is None else _fit(match, spoken)

        before, text = text, rule.pattern.sub(replace, text)
        if text is not before:
            there = set(text)
    return text


def _fit(match: re.Match[str], spoken: str) -> str:
    """The spoken words, with a space where they would touch a word beside them."""
    text, start, end = match.string, match.start(), match.end()
    if not spoken:
        return spoken
    if start and spoken[0].isalnum() and _TOUCHED.search(text, max(0, start - 2), start):
        spoken = f" {spoken}"
    if end < len(text) and spoken[-1].isalnum() and text[end].isalnum():
        spoken = f"{spoken} "
    return spoken
