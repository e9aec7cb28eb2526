"""Rules for numbers that belong to each other: fractions, ratios, powers, operators; and hexadecimal ones."""

from __future__ import annotations

import re

from .base import Language, Rule
from .numbers import parse_number
from .rules_calendar import context_of
from .rules_quantities import SIGN, VULGAR, VULGAR_SIGNS, prefix
from .units import UNIT_SYMBOLS, any_of, symbol_table

_S = r"[ \u00a0\u2009\u202f]"
_HEAD = r"(?<![\w.,/:])"
_TAIL = r"(?![\w]|[.,:/][0-9])"
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_POWER = re.compile("(?<=[0-9])([⁻⁰¹⁴-⁹][⁰¹²³⁴-⁹]{0,3}|[²³][⁰¹²³⁴-⁹]{1,3})")
_HEXADECIMAL = re.compile(r"(?<!\w)0[xX]([0-9A-Fa-f]{1,16})(?!\w)")
_COLOUR = re.compile(r"(?<![\w&#])#(?=[0-9A-Fa-f]*[0-9])([0-9A-Fa-f]{6})(?!\w)")
_SCIENTIFIC = re.compile(
    r"(?<![\w.,])([-−]?)([0-9]{1,3}(?:\.[0-9]{1,12})?)[eE]([+-])([0-9]{1,3})(?!\w)"
)
_EQUALS = re.compile(r"[0-9.,]{1,16}\s?=")
_LETTER_POWER = re.compile(r"(?<=[^\W\d_])\^([0-9]{1,3})(?!\w)")


def fold_signs(text: str) -> str:
    """Characters that are digits by another name: "H₂O", "10⁶". A lone "²" or "³" stays, it is "squared", "cubed"."""
    if text.isascii():
        return text
    return _POWER.sub(lambda m: "^" + m[0].translate(_SUPERSCRIPTS), text.translate(_SUBSCRIPTS))


def rules(language: Language) -> tuple[Rule, ...]:
    """Rules for texts with digits; `early_rules` run before units are read."""
    mark = language.decimal_mark
    mixed = re.compile(
        rf"{_HEAD}([0-9]{{1,6}})({_S}?([{VULGAR_SIGNS}])|{_S}([0-9]{{1,2}})[/⁄]([0-9]{{1,2}})){_TAIL}"
    )
    slashed = re.compile(rf"{SIGN}([0-9]{{1,6}})({_S}?)[/⁄]{_S}?([0-9]{{1,6}})(?![\w/]|[.,:][0-9])")
    decimal = "[0-9]{1,6}(?:[.,][0-9]{1,3})?"
    ratio = re.compile(rf"{_HEAD}({decimal}):({decimal})(?![\w:/])")

    def read_mixed(match: re.Match[str]) -> str | None:
        if match[3]:
            top, bottom = VULGAR[match[3]]
        else:
            top, bottom = int(match[4]), int(match[5])
        fraction = language.fraction(top, bottom) if 0 < top < bottom else None
        return None if fraction is None else language.mixed_fraction(int(match[1]), fraction)

    def read_slashed(match: re.Match[str]) -> str:
        top, bottom = int(match[2]), int(match[4])
        sign, minus = prefix(language, match[1])
        if minus:
            sign = f"{language.prefixes['-']} "
        first, second = language.cardinal(top), language.cardinal(bottom)
        if match[3] and "÷" in language.operators:
            return f"{sign}{first} {language.operators['÷']} {second}"  # "10 / 2"
        if context_of(match).before.lower() in language.part_nouns:
            return f"{first} {language.part_word} {second}"  # "page 1/3"
        words = language.fraction(top, bottom) if 0 < top < bottom else None
        if words is None:
            joint = language.out_of if top < bottom else language.over or language.out_of
            words = f"{first} {second}" if top == bottom else f"{first} {joint} {second}"
        return sign + words

    def read_ratio(match: re.Match[str]) -> str | None:
        first, second = parse_number(match[1], mark), parse_number(match[2], mark)
        if first is None or second is None:
            return None
        return f"{language.number(first)} {language.ratio_word} {language.number(second)}"

    return (
        Rule(mixed, read_mixed, VULGAR_SIGNS + "/⁄"),
        Rule(slashed, read_slashed, "/⁄"),
        Rule(ratio, read_ratio, ":"),
        Rule(
            re.compile(f"[{VULGAR_SIGNS}]"),
            lambda m: language.fraction(*VULGAR[m[0]]),
            VULGAR_SIGNS,
        ),
        _operator_rule(language),
    )


def early_rules(language: Language) -> tuple[Rule, ...]:
    """Run before units are read: what would be taken for a number with a unit or a code."""
    times, power = language.operators.get("×", ""), language.operators.get("^", "")

    def read_hexadecimal(match: re.Match[str]) -> str:
        return language.spell(f"0X{match[1]}")

    def read_colour(match: re.Match[str]) -> str:
        return ", ".join(language.spell(match[1][i : i + 2]) for i in (0, 2, 4))

    def read_scientific(match: re.Match[str]) -> str | None:
        number = parse_number(match[2].replace(".", mark), mark, negative=bool(match[1]))
        if number is None or not power:
            return None
        minus = f"{language.prefixes['-']} " if match[3] == "-" else ""
        exponent = language.cardinal(int(match[4]))
        return (
            f"{language.number(number)} {times} {language.cardinal(10)} {power} {minus}{exponent}"
        )

    def read_power(match: re.Match[str]) -> str:
        sign = {"2": "²", "3": "³"}.get(match[1], "")
        return f" {language.symbols.get(sign) or f'{power} {language.cardinal(int(match[1]))}'}"

    mark = language.decimal_mark
    by = language.operators.get("x", "")
    dimension = re.compile(rf"(?<=[^\W\d_]|²){_S}[x×]{_S}(?=[0-9])")  # "4 m x 5 m"
    # "l/100 km", "kcal/100 g", "€/100 km": per a number of units
    units = any_of(symbol_table(UNIT_SYMBOLS, language.units, language.unit_symbols))
    per_many = re.compile(
        rf"(?:(?<=[^\W\d_])|(?<=[€$£])){_S}?/{_S}?(?=[0-9]{{1,4}}{_S}?{units}(?![\w²³]))"
    )
    clock = re.compile(rf"{_HEAD}24/7{_TAIL}")
    return (
        Rule(per_many, lambda m: f" {language.per_many} ", "/"),
        Rule(clock, lambda m: language.around_the_clock or None, "/"),
        Rule(_HEXADECIMAL, read_hexadecimal, "xX"),
        Rule(_COLOUR, read_colour, "#"),
        Rule(_SCIENTIFIC, read_scientific, "+-"),
        Rule(_LETTER_POWER, read_power, "^"),
        Rule(dimension, lambda m: f" {by} " if by else None, "x×"),
    )


def _operator_rule(language: Language) -> Rule:
    operator = re.compile(
        rf"(?<=[0-9])({_S}?)([+×x*÷=<>≤≥−^]|{_S}-(?={_S}[0-9.,]+{_S}?=))({_S}?)(?=[0-9])"
    )

    def read(match: re.Match[str]) -> str | None:
        sign = match[2].strip()
        if sign == "x" and _EQUALS.match(match.string, match.end()):
            sign = "×"  # "3 x 4 = 12", but "1920x1080" and "10 x 20 cm"
        words = language.operators.get(sign)
        return f" {words} " if words else None

    return Rule(operator, read)
