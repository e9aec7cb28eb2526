"""Rules of French alone: hours, telephone numbers in pairs, ordinals, titles."""

from __future__ import annotations

import re

from . import fr_tables
from .base import Context, Rule
from .numbers import Number
from .romance import DIGITS, SPACE, WORD, Romance, roman_value


def rules(language: Romance) -> tuple[Rule, ...]:
    """The rules of French alone."""
    return (
        *_clock_rules(language),
        *_phone_rules(language),
        *_ordinal_rules(language),
        *_title_rules(),
    )


def _clock_rules(language: Romance) -> list[Rule]:
    """ "14h30", "14 h 30", "22:05 h"; a lone "9 h" is left to the units, for it may be a duration."""
    pattern = re.compile(
        rf"(?<![\w.,:/-])([01]?[0-9]|2[0-4]){SPACE}?[hH]{SPACE}?([0-5][0-9])(?!{SPACE}?(?:m|s|min)\b)(?![\w]|[.,:/][0-9])"
    )
    colon = re.compile(
        rf"(?<![\w.,:/-])([01]?[0-9]|2[0-4]):([0-5][0-9]){SPACE}?(?:h|heures?)(?!\w)"
    )

    def read(match: re.Match[str]) -> str:
        return language.time(int(match[1]), int(match[2]), None, "", Context())

    hour = rf"([01]?[0-9]|2[0-4]){SPACE}?[hH](?:{SPACE}?([0-5][0-9]))?"
    span = re.compile(
        rf"(?<![\w.,:/-]){hour}{SPACE}?[-–]{SPACE}?{hour}(?!{SPACE}?(?:m|s|min)\b)(?![\w]|[.,:/-][0-9])"
    )
    part = re.compile(
        rf"(?<![\w.,:/-])([0-9]{{1,2}}){SPACE}?h(?:eures?)?{SPACE}?(?:(1/2|½)|(1/4|¼)|(3/4|¾))(?![\w/])"
    )

    def read_span(match: re.Match[str]) -> str:
        first, last = (
            language.time(int(match[i]), int(match[i + 1] or 0), None, "", Context())
            for i in (1, 3)
        )
        return language.join_range(first, last)

    def read_part(match: re.Match[str]) -> str:
        """ "2 h 1/2"."""
        rest = "et demie" if match[2] else "et quart" if match[3] else "trois quarts"
        hours = language.count(Number(str(int(match[1]))), language.units["hour"])
        return f"{hours} {rest}"

    week = re.compile(rf"(?<![\w.,:/-])7{SPACE}?j(?:ours)?{SPACE}?/{SPACE}?7(?!\w)")
    around = re.compile(rf"(?<![\w.,:/-])24{SPACE}?h{SPACE}?/{SPACE}?24(?!\w)")
    return [
        Rule(around, lambda m: language.around_the_clock, "/"),
        Rule(week, lambda m: "sept jours sur sept", "/"),
        Rule(span, read_span, "-–"),
        Rule(part, read_part, "h"),
        Rule(pattern, read, DIGITS),
        Rule(colon, read, DIGITS),
    ]


def _phone_rules(language: Romance) -> list[Rule]:
    pairs = re.compile(
        r"(?<![\w.,+/-])0[1-9]([ \u00a0\u202f.-]?)(?:[0-9]{2}\1){3}[0-9]{2}(?![\w]|[.,:/-][0-9])"
    )

    free = re.compile(
        r"(?<![\w.,+/-])0[ \u00a0\u202f]?8([0-9]{2})([ \u00a0\u202f])([0-9]{3})\2([0-9]{3})(?![\w]|[.,:/-][0-9])"
    )

    def read(match: re.Match[str]) -> str:
        return language.phone_number_part(re.sub("[^0-9]", "", match[0]))

    def read_free(match: re.Match[str]) -> str:
        groups = (f"8{match[1]}", match[3], match[4])
        return f"{language.digits('0')} " + ", ".join(
            language.phone_group(group) for group in groups
        )

    return [Rule(free, read_free, DIGITS), Rule(pairs, read, DIGITS)]


def _ordinal_rules(language: Romance) -> list[Rule]:
    """ "1er", "2e", "2ème", "XXe": the usual and the correct abbreviations (Imprimerie nationale, Lexique)."""
    suffix = "ers|ères|eres|er|ère|ere|res|re|èmes|emes|ème|eme|es|e|ᵉ|nds|ndes|nd|nde|d|de"
    digits = re.compile(rf"(?<![\w.,])([0-9]{{1,6}})({suffix})(?![\w]|[+-][0-9]+(?![0-9a-zèᵉ]))")
    roman = re.compile(r"(?<![\w'’-])(?=[IVX])(X{0,3}(?:IX|IV|V?I{0,3}))(er|re|ère|e|ᵉ|ème)(?!\w)")

    month = re.compile(f"{SPACE}(?:{'|'.join((*fr_tables.MONTHS, *fr_tables.MONTH_SHORT))})")

    def spoken(value: int, ending: str) -> str | None:
        if value == 0:
            return None
        plural = "s" if ending.endswith("s") else ""
        if ending[0] in "nd":
            if value != 2:
                return None
            return ("seconde" if ending.rstrip("s").endswith("de") else "second") + plural
        if value == 1 and ending.startswith(("r", "èr", "ere")):
            return f"première{plural}"
        return language.ordinal(value) + plural

    def read_digits(match: re.Match[str]) -> str | None:
        if match[2] == "er" and month.match(match.string, match.end()):
            return None  # a date
        return spoken(int(match[1]), match[2])

    def read_roman(match: re.Match[str]) -> str | None:
        return spoken(roman_value(match[1]), match[2])

    return [Rule(digits, read_digits, DIGITS), Rule(roman, read_roman, "IVX")]


def _title_rules() -> list[Rule]:
    """Abbreviations that are something else without a name or a number after them."""
    name = rf"(?=(?:de |d'|du |et (?=M))?[A-ZÀ-ÖØ-Þ]{WORD})"
    titles = {
        "M.": "monsieur",
        "Me": "maître",
        "av.": "avenue",
        "bd": "boulevard",
        "Bd": "boulevard",
        "pl.": "place",
    }
    before_name = re.compile(rf"(?<![\w.'’-])({'|'.join(map(re.escape, titles))}){SPACE}{name}")
    cents = re.compile(
        rf"(?<![\w.,])([0-9]{{1,3}}){SPACE}?€{SPACE}?([0-9]{{2}})(?![\w]|[.,][0-9]|{SPACE}?[€%])"
    )
    countdown = re.compile(r"(?<![\w-])J-(?=[0-9]{1,3}(?!\w))")
    # "2 c. à s.", "1 cc": spoons of a recipe
    spoon = re.compile(
        rf"(?<![\w.,/])(?:([0-9]{{1,2}}|[½¼]|1/2)({SPACE}?))c\.?{SPACE}?à{SPACE}?(?:(s)|(?:c|t))\.?(?!\w)"
    )

    def read_spoon(match: re.Match[str]) -> str:
        plural = "s" if match[1].isdigit() and int(match[1]) > 1 else ""
        kind = "soupe" if match[3] else "café"
        rest = match.string[match.end() : match.end() + 3].lstrip(" \u00a0")
        point = "." if match[0].endswith(".") and (not rest or rest[0].isupper()) else ""
        return f"{match[1]} cuillère{plural} à {kind}{point}"

    page = re.compile(rf"(?<![\w.])(pp?)\.{SPACE}?(?=[0-9])")
    return [
        Rule(before_name, lambda m: f"{titles[m[1]]} "),
        Rule(cents, lambda m: f"{m[1]},{m[2]} €", "€"),
        Rule(countdown, lambda m: "ji moins ", "J"),
        Rule(spoon, read_spoon, "c"),
        Rule(page, lambda m: "pages " if m[1] == "pp" else "page ", DIGITS),
    ]
