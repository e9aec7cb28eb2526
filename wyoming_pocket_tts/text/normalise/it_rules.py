"""Rules of Italian alone: telephone numbers, hours after their preposition, ranges, ordinals."""

from __future__ import annotations

import re

from . import it_tables
from .base import Context, Rule
from .romance import DIGITS, SPACE, WORD, Romance, roman_value


def rules(language: Romance) -> tuple[Rule, ...]:
    """The rules of Italian alone."""
    return (
        *_phone_rules(language),
        *_hour_rules(language),
        *_range_rules(language),
        *_ordinal_rules(language),
    )


def _phone_rules(language: Romance) -> list[Rule]:
    """Toll-free and mobile numbers, which have the groups of an amount."""
    pattern = re.compile(
        r"(?<![\w.,+/-])(?:80[0-9]|3[0-9]{2})([ \u00a0-])(?:[0-9]{3}\1[0-9]{3,4}|[0-9]{6,7})(?![\w]|[.,:/-][0-9]|[ \u00a0]?(?:[€$£%°]|[kM]?Wh?\b|euro\b|passi\b|byte\b))"
    )

    def read(match: re.Match[str]) -> str:
        return ", ".join(
            language.phone_number_part(group) for group in re.findall("[0-9]+", match[0])
        )

    return [Rule(pattern, read, DIGITS)]


def _hour_rules(language: Romance) -> list[Rule]:
    """Times after their preposition, which is another before "una" and "mezzanotte": "all'una", "a mezzanotte"."""
    pattern = re.compile(
        rf"(?<!\w)([Aa]lle|[Dd]alle|[Dd]elle|[Ll]e|[Oo]re|[Vv]erso le){SPACE}([01]?[0-9]|2[0-4])(?:[:.]([0-5][0-9]))?"
        rf"(?:{SPACE}?h)?(?![\w%°]|[.,:/-][0-9]|{SPACE}?(?:[%°€]|am\b|pm\b)|{SPACE}?[-–]{SPACE}?[0-9])"
    )
    span = re.compile(
        rf"(?<![\w:.,/-])(?:(?:[Oo]re|[Dd]alle){SPACE})?([01]?[0-9]|2[0-4])[:.]([0-5][0-9]){SPACE}?[-–]{SPACE}?([01]?[0-9]|2[0-4])[:.]([0-5][0-9])(?![\w%°]|[.,:/-][0-9]|{SPACE}?[%°€])"
    )
    one = re.compile(
        rf"(?<!\w)((?:[Aa]|[Dd]a)ll['’])1(?:[:.]([0-5][0-9]))?(?![\w%°]|[.,:/-][0-9]|{SPACE}(?:{'|'.join(it_tables.MONTHS)}))"
    )

    def said_at(before: str, hour: int, minute: int) -> str:
        words = language.time(hour, minute, None, "", Context())
        if hour in (0, 1, 24):
            short = it_tables.BEFORE_HOUR[hour == 1].get(before.lower())
            if short is not None:
                first = short[:1].upper() if before[0].isupper() else short[:1]
                return f"{first}{short[1:]}{words}"
        return f"{before} {words}"

    def read(match: re.Match[str]) -> str | None:
        before, hour = match[1], int(match[2])
        if match[3] is None and (before.lower() in ("le", "delle") or hour not in (0, 1, 24)):
            return None  # "le 2 luci", "alle 22"
        return said_at(before, hour, int(match[3] or 0))

    def read_span(match: re.Match[str]) -> str | None:
        if "." in match[0] and match[0][0].isdigit():
            return None  # "8.00-12.00" may be anything
        first = said_at("dalle", int(match[1]), int(match[2]))
        return f"{first} {said_at('alle', int(match[3]), int(match[4]))}"

    def read_one(match: re.Match[str]) -> str:
        return (
            f"{match[1]}una e {language.cardinal(int(match[2]))}" if match[2] else f"{match[1]}una"
        )

    return [Rule(span, read_span, "-–"), Rule(pattern, read, DIGITS), Rule(one, read_one, "'’")]


def _range_rules(language: Romance) -> list[Rule]:
    """ "tra 10-15": a preposition that stands there already is not said twice."""
    pattern = re.compile(
        rf"(?<!\w)([Dd]a|[Dd]al|[Tt]ra|[Ff]ra){SPACE}([0-9]{{1,4}}(?:,[0-9]{{1,2}})?){SPACE}?[-–]{SPACE}?(?=[0-9]{{1,4}}(?![\w-]|[./][0-9]))"
    )

    def read(match: re.Match[str]) -> str:
        joint = (
            "e"
            if match[1].lower() in ("tra", "fra")
            else "al"
            if match[1].lower() == "dal"
            else "a"
        )
        return f"{match[1]} {match[2]} {joint} "

    score = re.compile(
        rf"(?<![\w.,:/-])([0-9]{{1,2}})-([0-9]{{1,2}})(?![\w%°-]|[.,:/][0-9]|{SPACE}[%°€])"
    )

    def read_score(match: re.Match[str]) -> str | None:
        first, second = int(match[1]), int(match[2])
        return (
            f"{language.cardinal(first)} a {language.cardinal(second)}" if first > second else None
        )

    century = re.compile(rf"(?<!\w)sec\.{SPACE}(?=[IVX]{{1,6}}(?!\w))")
    war = re.compile(rf"(?<![\w'’-])(I{{1,3}})(?={SPACE}[Gg]uerra )")
    return [
        Rule(pattern, read, "-–"),
        Rule(score, read_score, "-"),
        Rule(century, lambda m: "secolo ", "s"),
        Rule(war, lambda m: language.ordinal(len(m[1]), "f"), "I"),
    ]


def _ordinal_rules(language: Romance) -> list[Rule]:
    """ "1º", "2ª", "3a", and "1°" before a noun that is counted that way; else it is a degree."""
    pattern = re.compile(
        rf"(?<![\w.,])([0-9]{{1,4}})([ºªao])(?![\w]|{SPACE}?[CF](?!\w))(?={SPACE}({WORD}{{3,24}})|)"
    )
    degree = re.compile(
        rf"(?<![\w.,])([0-9]{{1,3}})°({SPACE}(?:{'|'.join(it_tables.AFTER_ORDINAL)})(?!\w))"
    )
    century = re.compile(
        rf"(?<![\w'’-])(?=[IVX])(X{{0,3}}(?:IX|IV|V?I{{0,3}}))(?={SPACE}(?:secolo|secoli|sec\.|capitolo|edizione|piano)(?!\w))"
    )

    def read(match: re.Match[str]) -> str | None:
        value = int(match[1])
        if match[2] == "º" and value > 12 and (match[3] or "") in ("", *language.function_words):
            return None  # "20º" is a temperature
        return language.ordinal(value, "f" if match[2] in "ªa" else "m") if value else None

    def read_degree(match: re.Match[str]) -> str | None:
        value = int(match[1])
        feminine = match[2].strip().endswith("a") or match[2].strip() == "edizione"
        return language.ordinal(value, "f" if feminine else "m") + match[2] if value else None

    def read_century(match: re.Match[str]) -> str:
        rest = match.string[match.end() : match.end() + 9].strip()
        return language.ordinal(roman_value(match[1]), "f" if rest.startswith("edizione") else "m")

    return [
        Rule(degree, read_degree, "°"),
        Rule(pattern, read, DIGITS),
        Rule(century, read_century, "IVX"),
    ]
