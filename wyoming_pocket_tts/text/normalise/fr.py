"""French, as said in France: "soixante-dix", "quatre-vingts"; "fr-BE" and "fr-CH" have "septante" and "nonante"."""

# ruff: noqa: RUF012 - the tables of a language are never changed
from __future__ import annotations

import re
from collections.abc import Sequence

from . import fr_rules, fr_tables, fr_units
from .base import Context, Rule
from .numbers import Number, spell_out
from .romance import Romance
from .units import Gender, Unit

_ROMAN = {"I": 1, "V": 5, "X": 10}
_FEMININE_ENDINGS = ("tion", "sion", "ette", "ité", "ance", "ence", "elle", "trice", "euse")
_NOT_FEMININE = frozenset({"silence", "squelette", "bastion", "quelle", "belle", "nouvelle"})
_FEMININE_NAMES = frozenset({"Élisabeth", "Elizabeth", "Catherine"})


class French(Romance):
    code = "fr"
    engine = "fr"
    cardinal_rulesets = {
        "": "spellout-cardinal-masculine",
        "m": "spellout-cardinal-masculine",
        "f": "spellout-cardinal-feminine",
    }
    spaced_thousands = True
    elides = True
    point = "virgule"

    units = fr_units.UNITS
    unit_symbols = fr_units.UNIT_SYMBOLS
    currencies = fr_units.CURRENCIES
    scales = {
        "k": "mille", "K": "mille", "million": "million", "millions": "million", "M": "million",
        "milliard": "milliard", "milliards": "milliard", "Md": "milliard", "Mds": "milliard",
    }  # fmt: skip
    scale_plurals = {"million": "millions", "milliard": "milliards"}
    thousand = "mille"
    of_before_vowel = "d'"
    extremes = ("minimum", "maximum")
    before_unit = "[Ll]e|[Ll]a|[Uu]n|[Uu]ne|[Dd]u|[Aa]u|[Pp]ar|[Cc]haque"
    season_words = ("saison", "épisode")
    rate_nouns = "jour|semaine|mois|an|heure|minute|nuit|personne"
    per = "par"
    per_many = "aux"
    times = Unit("fois", gender="f")
    joint_and = "et"
    feminine_half = "demie"
    half = ("un demi-", "une demi-")
    fraction_words = {
        2: ("demi", "demis"), 3: ("tiers", "tiers"), 4: ("quart", "quarts"), 5: ("cinquième", "cinquièmes"),
        6: ("sixième", "sixièmes"), 8: ("huitième", "huitièmes"),
    }  # fmt: skip

    range_word = "à"
    ratio_word = "à"
    prefixes = {
        "-": "moins", "+": "plus", "±": "plus ou moins", "~": "environ", "≈": "environ", "<": "moins de",
        ">": "plus de", "≤": "au plus", "≥": "au moins",
    }  # fmt: skip
    operators = {
        "+": "plus", "-": "moins", "−": "moins", "×": "fois", "*": "fois", "x": "par", "÷": "divisé par",
        "=": "égale", "<": "est inférieur à", ">": "est supérieur à", "≤": "est inférieur ou égal à",
        "≥": "est supérieur ou égal à", "^": "puissance",
    }  # fmt: skip
    symbols = fr_tables.SYMBOLS
    number_sign = "numéro"
    number_abbreviations = r"[Nn]\.?[°º]|[Nn]o\."
    hashtag = "hashtag"
    out_of = "sur"
    address_dot = "point"
    around_the_clock = "vingt-quatre heures sur vingt-quatre"

    meridiems = {
        **dict.fromkeys(("am", "AM", "a.m.", "A.M."), "am"),
        **dict.fromkeys(("pm", "PM", "p.m.", "P.M."), "pm"),
    }

    months = fr_tables.MONTHS
    month_names = {name: i for i, name in enumerate(fr_tables.MONTHS, 1)} | fr_tables.MONTH_SHORT
    weekdays = fr_tables.WEEKDAYS | {day: day for day in fr_tables.WEEKDAYS.values()}
    day_suffix = "er"
    date_prefixes = "[Ll]e|[Aa]u|[Dd]u"

    winds = {"NE": "nord-est", "NO": "nord-ouest", "SE": "sud-est", "SO": "sud-ouest"}
    wind_words = (
        r"[Dd]u|[Aa]u|[Vv]ents?(?: \w{2,12})?(?: de)?|[Ss]ecteur|[Dd]irection|[Oo]rientation"
    )
    abbreviations = fr_tables.ABBREVIATIONS
    sentence_final = frozenset({"etc."})
    said = fr_tables.SAID
    spelled = fr_tables.SPELLED
    letters = fr_tables.LETTERS
    roman_nouns = fr_tables.ROMAN_NOUNS | {noun.capitalize() for noun in fr_tables.ROMAN_NOUNS}
    roman_names = fr_tables.ROMAN_NAMES
    function_words = fr_tables.FUNCTION_WORDS
    between_words = "à|ou|et"

    def gender_of(self, noun: str, single: bool) -> Gender | None:
        if noun in self.function_words:
            return None
        forms = {noun, noun.removesuffix("s")}
        if forms & fr_tables.FEMININE:
            return "f"
        ending = noun.removesuffix("s")
        if ending.endswith(_FEMININE_ENDINGS) and ending not in _NOT_FEMININE:
            return "f"
        return "m"

    # -- numbers -----------------------------------------------------------------------------------------------

    def cardinal(self, value: int, gender: Gender = "") -> str:
        """The CLDR joins "vingt-et-un" (the spelling of 1990) but leaves "cent un": the classical spelling is whole.

        It also lacks the s of "quatre-vingts millions" (Académie: million is a noun, so vingt and cent agree).
        """
        ruleset = self.cardinal_rulesets[gender if gender == "f" else "m"]
        words = spell_out(self.engine, ruleset, value).replace("-et-", " et ")
        return words.replace("quatre-vingt mill", "quatre-vingts mill").replace(
            "quatre-vingts mille", "quatre-vingt mille"
        )

    def ordinal(self, value: int, gender: Gender = "") -> str:
        """ "premier", "deuxième", "vingt et unième"; the CLDR says "quatre-vingt-et-unième"."""
        if value == 1:
            return "première" if gender == "f" else "premier"
        words = self.cardinal(value)
        for ending, stem in (
            ("neuf", "neuv"),
            ("cinq", "cinqu"),
            ("vingts", "vingt"),
            ("cents", "cent"),
        ):
            if words.endswith(ending):
                return f"{words.removesuffix(ending)}{stem}ième"
        if words.endswith(("millions", "milliards")):
            words = words[:-1]
        return f"{words.removesuffix('e')}ième"

    def is_singular(self, number: Number) -> bool:
        """The plural begins at two: "1,5 kilomètre", "0 degré" (Académie, "Nombres inférieurs à 2 : accord")."""
        return number.value < 2

    def phone_group(self, digits: str) -> str:
        """Numbers are said in pairs: "zéro six, douze"."""
        if len(digits) in (2, 3):
            zeros = len(digits) - len(digits.lstrip("0"))
            rest = self.cardinal(int(digits)) if zeros < len(digits) else ""
            return f"{self.digits(digits[:zeros])} {rest}".strip()
        return self.digits(digits)

    def phone_number_part(self, digits: str) -> str:
        if len(digits) <= 3:
            return self.phone_group(digits)
        head = len(digits) % 2
        pairs = [digits[:head]] if head else []
        pairs += [digits[i : i + 2] for i in range(head, len(digits), 2)]
        return ", ".join(self.phone_group(pair) for pair in pairs)

    def join_money(self, whole: str, hundredths: Number, unit: Unit) -> str:
        """ "douze euros cinquante": the name of the hundredth is left out."""
        return f"{whole} {self.number(hundredths)}"

    def mixed_fraction(self, whole: int, fraction: str) -> str:
        """ "deux et demi", "deux et quart", "deux et un tiers"."""
        short = {"un demi": "demi", "un quart": "quart"}.get(fraction, fraction)
        return f"{self.cardinal(whole)} et {short}"

    def agreeing(self, words: str, gender: Gender) -> str:
        return re.sub("un$", "une", words) if gender == "f" else words

    # -- time --------------------------------------------------------------------------------------------------

    def time(
        self, hour: int, minute: int, second: int | None, meridiem: str, context: Context
    ) -> str:
        """ "quatorze heures trente", "midi", "minuit quinze"."""
        part = ""
        if meridiem:
            part = " du matin" if meridiem == "am" else " de l'après-midi"
            if meridiem == "pm" and 6 <= hour < 12:
                part = " du soir"
            if hour == 12:
                hour, part = (0 if meridiem == "am" else 12), ""
        if second:
            return " ".join(self.clock_parts(hour, minute, second)) + part
        if hour in (0, 24):
            name = "minuit"
        elif hour == 12 and minute == 0:
            name = "midi"
        else:
            name = self._hours(hour)
        return f"{name} {self.cardinal(minute, 'f')}{part}" if minute else f"{name}{part}"

    def _hours(self, hour: int) -> str:
        return self.count(Number(str(hour)), self.units["hour"])

    def date(self, day: int, month: int, year: int | None, named: str, context: Context) -> str:
        """Only the first of a month is an ordinal."""
        words = f"{'premier' if day == 1 else self.cardinal(day)} {self.months[month - 1]}"
        return words if year is None else f"{words} {self.year(year)}"

    # -- words -------------------------------------------------------------------------------------------------

    def roman(self, value: int, noun: str, ordinal: bool) -> str | None:
        """Kings and popes are counted by cardinals, but for the first ("François premier", "Louis quatorze")."""
        if ordinal and value == 1:
            return self.ordinal(1, "f" if noun in _FEMININE_NAMES else "m")
        return self.cardinal(value)

    def own_rules(self) -> Sequence[Rule]:
        return fr_rules.rules(self)


class BelgianFrench(French):
    """ "Septante", "nonante"."""

    engine = "fr_BE"


class SwissFrench(French):
    """ "Septante", "huitante", "nonante"."""

    engine = "fr_CH"


def language(region: str) -> French:
    return {"BE": BelgianFrench, "CH": SwissFrench}.get(region, French)()
