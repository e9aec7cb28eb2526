"""Rules of Spanish alone: telephone numbers, hours after their article, ordinals."""

from __future__ import annotations

import re

from .base import Context, Rule
from .romance import DIGITS, SPACE, Romance
from .romance_rules import title_rule


def rules(language: Romance) -> tuple[Rule, ...]:
    """The rules of Spanish alone."""
    return (
        *_word_rules(language),
        *_phone_rules(language),
        *_hour_rules(language),
        *_ordinal_rules(language),
    )


def _phone_rules(language: Romance) -> list[Rule]:
    """Nine digits from 6 to 9 in the groups of Spain; no amount is written with those groups and no unit."""
    pattern = re.compile(
        r"(?<![\w.,+/-])(?:[6-9][0-9]{2}(?:([ \u00a0-])[0-9]{3}\1[0-9]{3}|([ \u00a0-])[0-9]{2}(?:\2[0-9]{2}){2})"
        r"|[89][0-9]([ \u00a0-])[0-9]{3}(?:\3[0-9]{2}){2})"
        r"(?![\w]|[.,:/-][0-9]|[ \u00a0]?(?:[€$£%°]|[kM]?Wh?\b|euros|habitantes|pasos|bytes))"
    )

    def read(match: re.Match[str]) -> str:
        return ", ".join(
            language.phone_number_part(group) for group in re.findall("[0-9]+", match[0])
        )

    return [Rule(pattern, read, DIGITS)]


def _word_rules(language: Romance) -> list[Rule]:
    """ "&" is "e" before the sound of i ("Pedro e Inés": Ortografía 2010, "y"); "D. Juan"."""
    ampersand = re.compile(rf"(?<=\w){SPACE}?&{SPACE}?(?=[IiÍí]|[Hh][ií](?!e))")
    return [Rule(ampersand, lambda m: " e ", "&"), title_rule(language)]


def _hour_rules(language: Romance) -> list[Rule]:
    """ "a las 7.30": a point is right in hours too, after an article they cannot be anything else."""
    pattern = re.compile(
        rf"(?<!\w)([Ll]as?){SPACE}([01]?[0-9]|2[0-4])\.([0-5][0-9])(?:{SPACE}?hs?)?(?![\w%°]|[.,:/][0-9]|{SPACE}[%°ap])"
    )

    def read(match: re.Match[str]) -> str:
        words = language.time(int(match[2]), int(match[3]), None, "", Context(match[1]))
        return f"{match[1]} {words}"

    whole = re.compile(
        rf"(?<!\w)((?:[Aa]|[Dd]esde|[Hh]asta|[Ss]obre|[Hh]acia) las?{SPACE})([1-9]|1[0-9]|2[0-4])(?![\w%°º]|[.,:/-][0-9]|{SPACE}?(?:[%°ºap€$]|hs?\b|horas))"
    )
    century = re.compile(rf"(?<!\w)(s)?s\.{SPACE}(?=[IVX]{{1,6}}(?!\w))")
    war = re.compile(rf"(?<![\w'’-])(I{{1,3}})(?={SPACE}[Gg]uerra )")
    return [
        Rule(pattern, read, DIGITS),
        Rule(whole, lambda m: f"{m[1]}{language.cardinal(int(m[2]), 'f')}", DIGITS),
        Rule(century, lambda m: "siglos " if m[1] else "siglo ", "s"),
        Rule(war, lambda m: language.ordinal(len(m[1]), "f"), "I"),
    ]


def _ordinal_rules(language: Romance) -> list[Rule]:
    """ "1.º", "1º", "1.ª", "1.er", "3er": with the point of the Academy and without."""
    pattern = re.compile(
        rf"(?<![\w.,])([0-9]{{1,4}})(?:\.?([ºª])|\.?(er|ra|ro|do|da|to|ta)(?:\.(?={SPACE}[a-z]))?|\.[°])(?![\w°]|{SPACE}?[CF](?!\w))(?:({SPACE})([^\W\d_]{{3,24}}))?"
    )

    def read(match: re.Match[str]) -> str | None:
        value, mark, letters = int(match[1]), match[2], match[3] or ""
        if not value or (letters and value > 99):
            return None
        if (
            letters
            and not language.ordinal(value, "f" if letters.endswith("a") else "m").endswith(
                letters if letters != "er" else ("er",)
            )
            and letters != "ro"
        ):
            return None
        noun = match[5] or ""
        alone = not noun or noun in language.function_words
        if mark == "º" and "." not in match[0] and alone and value > 12:
            return None  # "hace 20º" is a temperature
        tail = f"{match[4]}{noun}" if noun else ""
        if mark == "ª" or letters.endswith("a"):
            return language.ordinal(value, "f") + tail
        counted = (
            noun.islower()
            and noun not in language.function_words
            and noun not in language.month_names
        )
        return language.ordinal(value, "m" if letters == "er" or counted else "") + tail

    return [Rule(pattern, read, DIGITS)]
