"""Rules of Dutch alone: results of matches, street names, postcodes, centuries.

Knows nothing of the tables of words; `nl.py` holds those.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .base import Rule
from .romance_rules import roman_value
from .units import UNIT_SYMBOLS, symbol_table

if TYPE_CHECKING:
    from .nl import Dutch


def name_rules(language: Dutch) -> tuple[Rule, ...]:
    """ "3-2", "Kerkstr.", "1017 AB", "XXIe eeuw"."""
    score = re.compile(
        r"(?<![\w.,:/-])([0-9]{1,2})-([0-9]{1,2})(?![\w%°€-]|[.,:/][0-9]|[ \u00a0][%°€])"
        r"(?![ \u00a0](?!(?:voor|tegen|in|na|bij|op|en|van|door|thuis|uit|gewonnen|verloren)(?!\w))[a-z])"
    )
    street = re.compile(r"(?<!\w)([A-Z][a-zëé]{1,30})str\.(?!\w)")
    postcode = re.compile(r"(?<![\w.,-])([1-9][0-9])([0-9]{2})[ \u00a0]?([A-Z]{2})(?![\w-])")
    # "1024 MB", "1500 PK" are amounts.
    measures = {*symbol_table(UNIT_SYMBOLS, language.units), "PK", "KW", "AD", "AM", "PM", "KM"}
    century = re.compile(r"(?<![\w'’-])(?=[IVX])(X{0,3}(?:IX|IV|V?I{0,3}))(?:e|de|ste)(?!\w)")

    def read_score(match: re.Match[str]) -> str | None:
        """A range rises; what falls is a result."""
        first, second = int(match[1]), int(match[2])
        falls = first > second and match[1] == str(first) and match[2] == str(second)
        return f"{language.cardinal(first)} {language.cardinal(second)}" if falls else None

    def read_postcode(match: re.Match[str]) -> str | None:
        if match[3] in measures:
            return None
        low = match[2]
        second = language.digits(low) if low[0] == "0" else language.cardinal(int(low))
        return f"{language.cardinal(int(match[1]))} {second} {language.spell(match[3])}"

    return (
        Rule(score, read_score, "-"),
        Rule(street, lambda m: f"{m[1]}straat", "."),
        Rule(postcode, read_postcode, "0123456789"),
        Rule(century, lambda m: language.ordinal(roman_value(m[1])), "IVX"),
    )
