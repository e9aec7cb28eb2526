"""Rules of German alone: ordinals by their point, days without a year, halves, street names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import de_tables as tables
from .base import Context, Rule
from .rules_calendar import context_of, valid_date
from .tables import words
from .units import any_of

if TYPE_CHECKING:
    from .de import German

_S = "[ \u00a0\u202f]"
# A number with a point is an ordinal for certain after an article; elsewhere it may end a sentence.
_WEAK_EN = words(
    "dem den des im am zum zur vom beim ins einem einen einer eines jedem jeden diesem diesen ihrem ihren seinem meinem"
)
_WEAK_E = words("die das jede diese eine meine ihre seine")
_STRONG = words("ein mein kein")
_PREPOSITIONS = words(
    "in auf an aus mit von bei nach seit zu vor hinter über unter neben zwischen während wegen ab "
    "außer"
)
# Nouns with which the ordinal stands alone, and its ending then.
_ORDINAL_NOUNS = {
    "Etage": "e", "Stock": "er", "Stockwerk": "es", "Obergeschoss": "es", "Untergeschoss": "es", "OG": "es", "UG": "es",
    "KW": "e", "Kalenderwoche": "e", "Woche": "e", "Tag": "er", "Quartal": "es", "Weltkrieg": "er", "Klasse": "e", "Platz": "er", "Liga": "e", "Bundesliga": "e", "Halbzeit": "e",
    "Advent": "er", "Geburtstag": "er", "Mal": "es", "Runde": "e", "Versuch": "er", "Staffel": "e", "Alarm": "er",
    "Teil": "er", "Jahrhundert": "es", "Stufe": "e", "Erinnerung": "e", "Warnung": "e",
}  # fmt: skip
_ROMAN = {
    "I": 1,
    "II": 2,
    "III": 3,
    "IV": 4,
    "V": 5,
    "VI": 6,
    "VII": 7,
    "VIII": 8,
    "IX": 9,
    "X": 10,
    "XI": 11,
    "XII": 12,
}


def german_rules(language: German) -> tuple[Rule, ...]:
    months = "|".join(
        sorted({name.capitalize() for name in tables.MONTH_NAMES}, key=len, reverse=True)
    )
    lower = {*_WEAK_EN, *_WEAK_E, *_STRONG, "der"}
    articles = any_of(lower | {word.capitalize() for word in lower})
    number = f"([0-9]{{1,3}}|{'|'.join(sorted(_ROMAN, key=len, reverse=True))})\\."
    after_article = re.compile(
        rf"(?<!\w)({articles})({_S}){number}(?={_S}(?!(?:{months})(?!\w))[^\W\d_])"
    )
    alone = re.compile(
        rf"(?<![\w.,]){number}{_S}({'|'.join(sorted(_ORDINAL_NOUNS, key=len, reverse=True))})(?!\w)"
    )

    def value_of(digits: str) -> int:
        return _ROMAN.get(digits) or int(digits or "0")

    def read_after_article(match: re.Match[str]) -> str | None:
        article, value = match[1].lower(), value_of(match[3])
        if not value:
            return None
        if article == "der":
            feminine = context_of(match).before.lower() in _PREPOSITIONS
            ending = "en" if feminine else "e"
        elif article in _WEAK_EN:
            ending = "en"
        else:
            ending = "e" if article in _WEAK_E else "er"
        return f"{match[1]}{match[2]}{language.ordinal_form(value, ending)}"

    def read_alone(match: re.Match[str]) -> str | None:
        value = value_of(match[1])
        if not value:
            return None
        return f"{language.ordinal_form(value, _ORDINAL_NOUNS[match[2]])} {match[2]}"

    day = re.compile(
        rf"(?<![\w.,])([0-9]{{1,2}})\.{_S}?([0-9]{{1,2}})\.(?![0-9]|{_S}?[0-9]{{4}}(?!\w))"
    )
    day_range = re.compile(
        rf"(?<![\w.,])([0-9]{{1,2}})\.({_S}?[-–]{_S}?|{_S}bis{_S})(?=[0-9]{{1,2}}\.)"
    )

    def read_day(match: re.Match[str]) -> str | None:
        if not valid_date(int(match[1]), int(match[2])):
            return None
        words = language.date(int(match[1]), int(match[2]), None, "", context_of(match))
        return f"{words}." if language.ends_sentence(match.string, match.end()) else words

    def read_day_range(match: re.Match[str]) -> str | None:
        if not 1 <= int(match[1]) <= 31:
            return None
        words = language.date(int(match[1]), 1, None, "", context_of(match)).rsplit(" ", 1)[0]
        return f"{words} bis "

    half = re.compile(rf"(?<![\w.,/])(?<![0-9]{_S})(?:½|1/2){_S}([A-ZÄÖÜ][a-zäöüß]+)(?!\w)")
    ending = re.compile(r"(?<![\w.,])([0-9]{1,4})-?(?:s?t)(e[nrsm]?)(?!\w)")
    compound = re.compile(rf"(?<![\w.,])([0-9]{{1,6}})(?:{_S}?(%)ig|-?(fach))(e[nrsm]?)?(?!\w)")
    er_form = re.compile(r"(?<![\w.,])([0-9]{1,4})er(?!\w)")
    times = re.compile(r"(?<![\w.,])([0-9]{1,4})(?:x|[- ]?[Mm]al)(?!\w)")
    street = re.compile(r"(?<!\w)([A-ZÄÖÜ][a-zäöüß]{1,30})str\.(?!\w)")
    woman = re.compile(rf"(?<!\w)Fr\.(?={_S}(?!(?:{months})(?!\w))[A-ZÄÖÜ][a-zäöüß]{{2}})")

    # "Um 19h30": after such a word it is a time, else it may be how long something takes.
    hour = re.compile(
        rf"(?<!\w)([Uu]m|[Aa]b|[Bb]is|[Gg]egen)({_S})([01]?[0-9]|2[0-4])h([0-5][0-9])(?!\w)"
    )

    shorts = {"S": "Seite", "Kap": "Kapitel", "Abschn": "Abschnitt", "Zi": "Zimmer"}
    short = re.compile(rf"(?<![\w.])({'|'.join(shorts)})\.{_S}?(?=[0-9])")
    days = {day[:2]: day for day in tables.WEEKDAYS.values()}
    # "Mo: 21°", "Mi. 18 °C": a forecast.
    forecast = re.compile(
        rf"(?<!\w)(Mo|Di|Mi|Do|Fr|Sa|So)(?:\.|\.?(:))(?={_S}?[-−]?[0-9]{{1,2}}(?:[.,/–-][0-9]{{1,2}})?{_S}?[°%])"
    )
    postcode = re.compile(
        rf"((?<=, )|(?<=\bPLZ )|(?<=\bPostleitzahl ))([0-9]{{5}})(?={_S}[A-ZÄÖÜ][a-zäöüß]|[.,]?$|[.,](?![0-9]))"
    )
    reign = re.compile(rf"(?<=[a-z]{_S})(der|die|dem|den|des)({_S})([IVX]{{1,5}})\.(?!\w)")

    def read_reign(match: re.Match[str]) -> str | None:
        """ "Karl der V." """
        if context_of(match).before not in tables.ROMAN_NAMES or match[3] not in _ROMAN:
            return None
        ending = "e" if match[1] in ("der", "die") else "en"
        name = language.ordinal_form(_ROMAN[match[3]], ending)
        point = "." if language.ends_sentence(match.string, match.end()) else ""
        return f"{match[1]}{match[2]}{name[0].upper()}{name[1:]}{point}"

    def read_hour(match: re.Match[str]) -> str:
        time = language.time(int(match[3]), int(match[4]), None, "", Context(match[1]))
        return f"{match[1]}{match[2]}{time}"

    def read_ending(match: re.Match[str]) -> str | None:
        value = int(match[1])
        return language.ordinal_form(value, match[2]) if value else None

    def read_er(match: re.Match[str]) -> str:
        value = int(match[1])
        return ("eins" if value == 1 else language.year(value)) + "er"

    def read_compound(match: re.Match[str]) -> str:
        part = "prozentig" if match[2] else "fach"
        return language.cardinal(int(match[1]), "n") + part + (match[4] or "")

    def read_times(match: re.Match[str]) -> str:
        return language.cardinal(int(match[1]), "n") + "mal"

    return (
        Rule(reign, read_reign, "."),
        Rule(after_article, read_after_article, "."),
        Rule(alone, read_alone, "."),
        Rule(day_range, read_day_range, "."),
        Rule(day, read_day, "."),
        Rule(
            half, lambda m: None if m[1] in language.unit_symbols else language.half_of(m[1]), "½/"
        ),
        Rule(short, lambda m: f"{shorts[m[1]]} ", "."),
        Rule(forecast, lambda m: days[m[1]] + (m[2] or ""), "°%"),
        Rule(postcode, lambda m: language.digits(m[2]), "0123456789"),
        Rule(hour, read_hour, "h"),
        Rule(ending, read_ending, "t"),
        Rule(compound, read_compound, "f%"),
        Rule(er_form, read_er, "e"),
        Rule(times, read_times, "xl"),
        Rule(street, lambda m: f"{m[1]}straße", "."),
        Rule(woman, lambda m: "Frau", "F"),
    )
