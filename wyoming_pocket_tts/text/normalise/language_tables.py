"""The tables of a language and what stands in them where it does not say; `base` tells what each is for, and holds the readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .units import Currency, Gender, Unit


class LanguageTables:
    """Tables alone: a language's class attributes."""

    code = ""
    engine = ""

    cardinal_rulesets: Mapping[Gender, str] = {"": "spellout-numbering"}
    ordinal_rulesets: Mapping[Gender, str] = {}
    decimal_mark = "."
    spaced_thousands = False
    point = "point"

    units: Mapping[str, Unit] = {}
    currencies: Mapping[str, Currency] = {}
    unit_symbols: Mapping[
        str, str
    ] = {}  # further symbols of the language -> key of `units` ("Std." -> "hour")
    currency_symbols: Mapping[str, str] = {}  # likewise of `currencies`
    scales: Mapping[str, str] = {}  # after a sum: "million", "M" -> "million"

    range_word = "to"
    ratio_word = "to"
    per = ""  # "€0.25/kWh": "per"; "" leaves it out
    per_many = ""  # "7.5 l/100 km": "per", before a number
    prefixes: Mapping[str, str] = {"-": "minus", "+": "plus"}
    operators: Mapping[str, str] = {}
    symbols: Mapping[str, str] = {}
    hour_letter = "h"  # in durations, regular expression
    number_sign = ""
    number_abbreviations = ""  # regular expression: "No\.|Nr\."
    hashtag = ""
    out_of = ""  # "8/10"
    over = ""  # "120/80"; "" is `out_of`
    part_nouns: frozenset[str] = frozenset()  # before "1/3" that is no fraction: "page"
    part_word = ""  # "page one of three"
    dial_words: frozenset[str] = (
        frozenset()
    )  # before a short number that is read digit by digit: "call 911"
    version_point = "point"
    version_words = (
        "[Vv]ersion|[Rr]elease|[Ff]irmware|[Bb]uild"  # before "2.13", regular expression
    )
    address_dot = "dot"
    around_the_clock = ""  # "24/7"

    meridiems: Mapping[str, str] = {}
    clock_words = ""

    day_first = True
    month_first_names = False
    months: Sequence[str] = ()
    month_names: Mapping[str, int] = {}
    weekdays: Mapping[str, str] = {}
    weekday_joint = ", "  # between a short weekday and the date
    day_suffix = r"\."
    date_joint = ""
    year_words: frozenset[str] = (
        frozenset()
    )  # before a number from 1000 to 2099 that is a year: "in", "since"
    ordinal_pattern = ""  # one group: the digits; "([0-9]+)(?:st|nd|rd|th)"
    decade_pattern = ""  # one group: the digits; "([0-9]{2,4})s"

    abbreviations: Mapping[str, str] = {}
    sentence_starters: frozenset[str] = (
        frozenset()
    )  # where nouns have capitals, too: words that open a sentence
    sentence_final: frozenset[str] = frozenset()  # abbreviations that often end a sentence ("etc.")
    said: Mapping[str, str] = {}
    spelled: frozenset[str] = frozenset()
    letters: Mapping[str, str] = {}
    vowels = "AEIOUYÄÖÜÁÉÍÓÚÀÈÌÒÙÂÊÎÔÛÃÕËÏ"
    acronym_plural = "'s"  # after a spelled acronym: "PCs"
    elides = False  # an apostrophe stands before whole words, too: "L'UE"
    winds: Mapping[str, str] = {}  # "NO": points of the compass that could be words
    wind_words = ""  # what stands before one, regular expression
    roman_nouns: frozenset[str] = frozenset()
    roman_names: frozenset[str] = frozenset()
    ordinal_point = False  # "Ludwig XIV." is an ordinal by its point
