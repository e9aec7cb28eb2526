"""Italian: one-word numbers, "un'ora", "alle ventidue e cinque"."""

# ruff: noqa: RUF012 - the tables of a language are never changed
from __future__ import annotations

import re
from collections.abc import Sequence

from . import it_rules, it_tables, it_units
from .base import Context, Rule
from .numbers import Number, spell_out
from .romance import Romance
from .units import Gender, Unit

_VOWELS = "aeiouàèéìòù"
# Divisions of a work and centuries take ordinals of any size: "capitolo quarto", "secolo ventesimo".
_ORDINAL_NOUNS = frozenset(
    ["secolo", "capitolo", "tomo", "libro", "atto", "scena", "titolo", "articolo", "volume"]
)
_FEMININE_NAMES = frozenset({"Elisabetta", "Caterina", "scena"})
_ROMAN = {"I": 1, "V": 5, "X": 10}


class Italian(Romance):
    code = "it"
    engine = "it"
    elides = True
    point = "virgola"

    units = it_units.UNITS
    unit_symbols = {
        **Romance.unit_symbols,
        "mq": "square_metre",
        "mc": "cubic_metre",
        "gg": "day",
        "giri/min": "rpm",
    }
    currencies = it_units.CURRENCIES
    scales = {
        "k": "mila", "K": "mila", "mila": "mila", "milione": "milione", "milioni": "milione", "mln": "milione",
        "M": "milione", "miliardo": "miliardo", "miliardi": "miliardo", "mld": "miliardo",
    }  # fmt: skip
    scale_plurals = {"milione": "milioni", "miliardo": "miliardi"}
    thousand = "mila"
    of = "di"
    times = Unit("volta", "volte", "f")
    per = "per"
    per_many = "ogni"
    extremes = ("minimo", "massimo")
    before_unit = "[Ii]l|[Ll]a|[Uu]n|[Dd]el|[Aa]l|[Pp]er|[Oo]gni"
    season_words = ("stagione", "episodio")
    rate_nouns = "giorno|settimana|mese|anno|ora|minuto|notte|persona"
    feminine_half = "mezza"
    half = ("mezzo ", "mezza ")
    fraction_words = {
        2: ("mezzo", "mezzi"), 3: ("terzo", "terzi"), 4: ("quarto", "quarti"), 5: ("quinto", "quinti"),
        6: ("sesto", "sesti"), 8: ("ottavo", "ottavi"),
    }  # fmt: skip

    range_word = "a"
    ratio_word = "a"
    prefixes = {
        "-": "meno", "+": "più", "±": "più o meno", "~": "circa", "≈": "circa", "<": "meno di", ">": "più di",
        "≤": "al massimo", "≥": "almeno",
    }  # fmt: skip
    operators = {
        "+": "più", "-": "meno", "−": "meno", "×": "per", "*": "per", "x": "per", "÷": "diviso", "=": "uguale a",
        "<": "è minore di", ">": "è maggiore di", "≤": "è minore o uguale a", "≥": "è maggiore o uguale a",
        "^": "elevato alla",
    }  # fmt: skip
    symbols = it_tables.SYMBOLS
    number_sign = "numero"
    number_abbreviations = r"[Nn]r?\.[°º]?|[Nn][°º]|[Nn]um\."
    hashtag = "hashtag"
    out_of = "su"
    version_point = "punto"
    address_dot = "punto"
    around_the_clock = "ventiquattr'ore su ventiquattro, sette giorni su sette"

    meridiems = {
        **dict.fromkeys(("am", "AM", "a.m."), "di mattina"),
        **dict.fromkeys(("pm", "PM", "p.m."), "di pomeriggio"),
    }

    months = it_tables.MONTHS
    month_names = {name: i for i, name in enumerate(it_tables.MONTHS, 1)} | it_tables.MONTH_SHORT
    weekdays = it_tables.WEEKDAYS | {day: day for day in it_tables.WEEKDAYS.values()}
    day_suffix = "°|º"
    date_prefixes = "[Ii]l|[Dd]al|[Aa]l|[Dd]el|[Ee]ntro il"

    winds = {"NE": "nord-est", "NO": "nord-ovest", "SE": "sud-est", "SO": "sud-ovest"}
    wind_words = (
        r"[Dd]a|[Dd]al|[Vv]ent[oi](?: \w{2,12})?(?: da)?|[Dd]irezione|[Ss]ettore|[Qq]uadrante"
    )
    abbreviations = it_tables.ABBREVIATIONS
    sentence_final = frozenset({"ecc."})
    said = it_tables.SAID
    spelled = it_tables.SPELLED
    letters = it_tables.LETTERS
    roman_nouns = it_tables.ROMAN_NOUNS | {noun.capitalize() for noun in it_tables.ROMAN_NOUNS}
    roman_names = it_tables.ROMAN_NAMES
    function_words = it_tables.FUNCTION_WORDS
    between_words = "a|o|e"
    before_count = it_tables.BEFORE_COUNT

    def gender_of(self, noun: str, single: bool) -> Gender | None:
        """Only "uno" agrees, so only nouns after "1" matter, and the half of things."""
        if noun in self.function_words:
            return None
        if noun in it_tables.ONE_FEMININE or noun.endswith(("zione", "sione", "ità")):
            return "f"
        if noun in it_tables.ONE_MASCULINE:
            return "m"
        if single:
            return None
        if noun in it_tables.MASCULINE or noun.endswith(("o", "i", "e")):
            return "f" if noun in it_tables.FEMININE else "m"
        return "f" if noun.endswith("a") else None

    # -- numbers -----------------------------------------------------------------------------------------------

    def cardinal(self, value: int, gender: Gender = "") -> str:
        """ "Ventuno" stays whole before a noun, as it mostly does today; "ventun gradi" is right, too (Treccani, La
        grammatica italiana, "uno, composti di"). "Ventunomila" is the full form of the CLDR's "ventunmila"."""
        if value == 1 and gender in ("m", "f"):
            return "un" if gender == "m" else "una"
        words = spell_out(self.engine, "spellout-numbering", value)
        # "Ventitré" has its accent at the end of a word alone.
        return re.sub(r"tré(?=\w)", "tre", words.replace("unmila", "unomila"))

    def ordinal(self, value: int, gender: Gender = "") -> str:
        """The cardinal without its last vowel and -esimo; -tré and -sei keep it (the CLDR goes wrong from 21,000)."""
        if value <= 10:
            stem = it_tables.ORDINAL_STEMS[value - 1]
        else:
            words = self.cardinal(value).replace(" ", "")
            words = words.removeprefix("un") if words in ("unmilione", "unmiliardo") else words
            for written, said in (("milioni", "milion"), ("duemila", "duemill"), ("mila", "mill")):
                if words.endswith(written):
                    words = f"{words.removesuffix(written)}{said}e"
                    break
            if words.endswith("tré"):
                words = f"{words[:-1]}e"
                stem = f"{words}esim"
            else:
                stem = f"{words}esim" if words.endswith("sei") else f"{words[:-1]}esim"
        return f"{stem}{'a' if gender == 'f' else 'o'}"

    def join_count(self, number: Number, gender: Gender, noun: str) -> str:
        """ "un'ora", "uno yen": the article before vowels and before s + consonant, z, gn, ps, x, y."""
        if not number.is_one or gender not in ("m", "f"):
            return super().join_count(number, gender, noun)
        if gender == "f":
            one = "un'" if noun[0] in _VOWELS else "una "
        else:
            one = "uno " if re.match(r"s[^aeiouàèéìòù]|z|gn|ps|x|y", noun) else "un "
        return f"{self.prefixes['-']} {one}{noun}" if number.negative else f"{one}{noun}"

    def join_range(self, first: str, second: str) -> str:
        return f"da {first} a {second}"

    def join_money(self, whole: str, hundredths: Number, unit: Unit) -> str:
        return f"{whole} e {self.count(hundredths, unit)}"

    def fraction(self, numerator: int, denominator: int) -> str | None:
        words = super().fraction(numerator, denominator)
        return words if words is None or numerator > 1 else f"un {words.split(' ', 1)[1]}"

    def mixed_fraction(self, whole: int, fraction: str) -> str:
        """ "due e mezzo", "due e un quarto"."""
        if fraction == "un mezzo":
            fraction = "mezzo"
        return f"{self.cardinal(whole)} e {fraction}"

    def fraction_of(self, fraction: str, unit: Unit, mixed: bool) -> str:
        return super().fraction_of(fraction, unit, mixed).replace(" di ora", " d'ora")

    def per_noun(self, noun: str) -> str:
        """ "al mese", "all'anno"; other nouns have "per"."""
        return it_tables.PER.get(noun) or super().per_noun(noun)

    def half_of(self, noun: str, gender: Gender) -> str:
        """ "mezz'ora", "mezza tazza"."""
        return f"mezz'{noun}" if noun.startswith("or") else super().half_of(noun, gender)

    # -- time --------------------------------------------------------------------------------------------------

    def time(
        self, hour: int, minute: int, second: int | None, meridiem: str, context: Context
    ) -> str:
        """ "sette e trenta", "ventidue e cinque"; midnight is "mezzanotte"."""
        part = f" {meridiem}" if meridiem else ""
        if second:
            *before, last = self.clock_parts(hour, minute, second)
            return f"{', '.join(before)} e {last}{part}" if before else last
        if hour in (0, 24):
            name = "mezzanotte"
        elif hour == 1:
            name = "una"
        else:
            name = self.cardinal(hour)
        return f"{name} e {self.cardinal(minute)}{part}" if minute else f"{name}{part}"

    def date(self, day: int, month: int, year: int | None, named: str, context: Context) -> str:
        """Only the first of a month is an ordinal."""
        words = f"{'primo' if day == 1 else self.cardinal(day)} {self.months[month - 1]}"
        return words if year is None else f"{words} {self.year(year)}"

    # -- words -------------------------------------------------------------------------------------------------

    def roman(self, value: int, noun: str, ordinal: bool) -> str | None:
        """ "Luigi quattordicesimo", "secolo ventesimo", but "tipo due", "fase tre"."""
        if ordinal or noun.lower() in _ORDINAL_NOUNS:
            return self.ordinal(value, "f" if noun in _FEMININE_NAMES else "m")
        return self.cardinal(value)

    def own_rules(self) -> Sequence[Rule]:
        return it_rules.rules(self)


def language(region: str) -> Italian:
    return Italian()
