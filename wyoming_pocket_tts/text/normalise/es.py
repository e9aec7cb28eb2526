"""Spanish: decimals with "coma", names of numbers and hours as the Academies recommend them for all countries."""

# ruff: noqa: RUF012 - the tables of a language are never changed
from __future__ import annotations

import re
from collections.abc import Sequence

from . import es_rules, es_tables, es_units
from .base import Context, Rule
from .numbers import Number, spell_out
from .romance import Romance
from .units import Gender, Unit

_FEMININE_ENDINGS = ("a", "ción", "sión", "dad", "tad", "tud", "umbre", "eza", "triz")
_POINT_REGIONS = frozenset({"MX", "US", "PR", "DO", "GT", "HN", "NI", "PA", "SV"})
_SAFE_ENDINGS = ("ción", "sión", "dad")
# Divisions of a work take ordinals up to the tenth, as kings and centuries may (DPD, "números romanos", "ordinales").
_ORDINAL_NOUNS = frozenset(
    ["siglo", "capítulo", "tomo", "acto", "libro", "escena", "título", "artículo"]
)
_FEMININE_NAMES = frozenset({"Isabel", "Catalina", "escena"})


class Spanish(Romance):
    code = "es"
    engine = "es"
    cardinal_rulesets = {
        "": "spellout-numbering",
        "m": "spellout-cardinal-masculine",
        "f": "spellout-cardinal-feminine",
    }
    ordinal_rulesets = {
        "": "spellout-ordinal-masculine",
        "m": "spellout-ordinal-masculine-adjective",  # "primer", "tercer": before the noun
        "f": "spellout-ordinal-feminine",
    }
    spaced_thousands = True
    per_many = "cada"
    point = "coma"

    units = es_units.UNITS
    currencies = es_units.CURRENCIES
    scales = {
        "k": "mil", "K": "mil", "mil": "mil", "millón": "millón", "millones": "millón", "M": "millón",
    }  # fmt: skip
    scale_plurals = {"millón": "millones"}
    times = Unit("vez", "veces", "f")
    rate_nouns = "día|semana|mes|año|hora|minuto|noche|persona"
    sir = "don"
    year_joint = " de "
    before_unit = "[Ee]l|[Ll]a|[Uu]na?|[Dd]el|[Aa]l|[Pp]or|[Cc]ada"
    joint_and = "y"
    feminine_half = "media"
    half = ("medio ", "media ")
    fraction_words = {
        2: ("medio", "medios"), 3: ("tercio", "tercios"), 4: ("cuarto", "cuartos"), 5: ("quinto", "quintos"),
        6: ("sexto", "sextos"), 8: ("octavo", "octavos"),
    }  # fmt: skip

    range_word = "a"
    ratio_word = "a"
    prefixes = {
        "-": "menos", "+": "más", "±": "más menos", "~": "aproximadamente", "≈": "aproximadamente",
        "<": "menos de", ">": "más de", "≤": "como máximo", "≥": "como mínimo",
    }  # fmt: skip
    operators = {
        "+": "más", "-": "menos", "−": "menos", "×": "por", "*": "por", "x": "por", "÷": "entre", "=": "igual a",
        "<": "es menor que", ">": "es mayor que", "≤": "es menor o igual que", "≥": "es mayor o igual que",
        "^": "elevado a",
    }  # fmt: skip
    symbols = es_tables.SYMBOLS
    number_sign = "número"
    number_abbreviations = r"[Nn]\.?[°º]|[Nn][uú]m\."
    hashtag = "hashtag"
    out_of = "sobre"
    version_point = "punto"
    address_dot = "punto"
    around_the_clock = "veinticuatro horas al día, siete días a la semana"

    meridiems = {
        **dict.fromkeys(("a. m.", "a.m.", "am", "AM", "A.M.", "a. m"), "am"),
        **dict.fromkeys(("p. m.", "p.m.", "pm", "PM", "P.M.", "p. m"), "pm"),
    }
    clock_words = r"hs?(?!\.[^\W\d_])|hrs\.?|horas"

    months = es_tables.MONTHS
    month_names = {name: i for i, name in enumerate(es_tables.MONTHS, 1)} | es_tables.MONTH_SHORT
    weekdays = es_tables.WEEKDAYS | {day: day for day in es_tables.WEEKDAYS.values()}
    day_suffix = r"\.?[º°o]|ro"
    date_joint = "de|del"
    date_prefixes = "[Ee]l|[Aa]l|[Dd]el|[Dd]ía"

    winds = {
        "NE": "noreste",
        "NO": "noroeste",
        "SE": "sureste",
        "SO": "suroeste",
        "ESE": "estesureste",
    }
    wind_words = r"[Dd]el|[Aa]l|[Vv]ientos?(?: \w{2,12})?(?: del?)?|[Dd]irección|[Cc]omponente|[Ss]ector|[Rr]umbo"
    abbreviations = es_tables.ABBREVIATIONS
    sentence_final = frozenset({"etc.", "Ud.", "Uds."})
    said = es_tables.SAID
    spelled = es_tables.SPELLED
    letters = es_tables.LETTERS
    roman_nouns = es_tables.ROMAN_NOUNS | {noun.capitalize() for noun in es_tables.ROMAN_NOUNS}
    roman_names = es_tables.ROMAN_NAMES
    function_words = es_tables.FUNCTION_WORDS
    between_words = "a|o|u|y"
    before_count = es_tables.BEFORE_COUNT

    def gender_of(self, noun: str, single: bool) -> Gender | None:
        if noun in self.function_words:
            return None
        if single:
            if noun in es_tables.ONE_FEMININE or noun.endswith(_SAFE_ENDINGS):
                return "f"
            return "m" if noun in es_tables.ONE_MASCULINE else None
        if not noun.endswith("s"):
            return "m" if noun.endswith(("o", "e")) else "f" if noun.endswith("a") else None
        forms = {noun, noun.removesuffix("s"), noun.removesuffix("es"), re.sub("ces$", "z", noun)}
        if forms & es_tables.MASCULINE:
            return "m"
        if forms & es_tables.FEMININE or noun.endswith(("ciones", "siones")):
            return "f"
        return "f" if any(form.endswith(_FEMININE_ENDINGS) for form in forms) else "m"

    # -- numbers -----------------------------------------------------------------------------------------------

    def cardinal(self, value: int, gender: Gender = "") -> str:
        """Feminine thousands agree, too: "doscientas mil personas" (DPD, "cardinales"); the CLDR leaves them."""
        if gender == "f" and 2000 <= value < 10**6:
            thousands, rest = divmod(value, 1000)
            words = f"{self.cardinal(thousands, 'f')} mil"
            return f"{words} {self.cardinal(rest, 'f')}" if rest else words
        if gender == "f" and value >= 10**6 and value % 10**6:
            millions, rest = divmod(value, 10**6)
            return f"{self.cardinal(millions * 10**6)} {self.cardinal(rest, 'f')}"
        return spell_out(
            self.engine, self.cardinal_rulesets[gender if gender in "mf" else ""], value
        )

    def ordinal(self, value: int, gender: Gender = "") -> str:
        """ "Undécimo" and "duodécimo" are what the DPD gives first ("ordinales"); the CLDR has "decimoprimero"."""
        words = super().ordinal(value, gender)
        end = "a" if gender == "f" else "o"
        return {11: f"undécim{end}", 12: f"duodécim{end}"}.get(value, words)

    def join_range(self, first: str, second: str) -> str:
        """ "ocho a catorce horas"."""
        if second.endswith(" horas"):
            first = first.removesuffix(" horas")
        return super().join_range(first, second)

    def join_money(self, whole: str, hundredths: Number, unit: Unit) -> str:
        return f"{whole} con {self.count(hundredths, unit)}"

    def mixed_fraction(self, whole: int, fraction: str) -> str:
        """ "dos y medio", "dos y cuarto", "dos y tres cuartos"."""
        short = {"un medio": "medio", "un cuarto": "cuarto"}.get(fraction, fraction)
        return f"{self.cardinal(whole)} y {short}"

    def agreeing(self, words: str, gender: Gender) -> str:
        if gender == "f":
            return re.sub("uno$", "una", words)
        return re.sub("iuno$", "iún", words).replace("y uno", "y un") if gender == "m" else words

    # -- time --------------------------------------------------------------------------------------------------

    def time(
        self, hour: int, minute: int, second: int | None, meridiem: str, context: Context
    ) -> str:
        """ "siete y media", "veintidós y cinco"; whole hours without an article keep "horas".

        Both models of the hour, and "y" before the minutes in either: Nueva gramática de la lengua española, on the hours;
        "cuarto" and "media" belong to the twelve hours (Ortografía 2010, VIII 5.1).
        """
        article = context.before.lower() in ("la", "las")
        part = _part_of_day(hour, meridiem)
        if meridiem:
            hour = hour % 12 or 12
        name = self.cardinal(hour, "f")
        if context.before.lower() in ("de", "desde") and context.after in ("a", "hasta") and hour:
            return f"{name} y {self.cardinal(minute)}" if minute else name  # "de 8:00 a 14:00"
        hours = f"{name} {'hora' if hour == 1 else 'horas'}"
        if second:
            *before, last = self.clock_parts(hour, minute, second)
            return f"{', '.join(before)} y {last}{part}" if before else last
        if minute == 0:
            short = meridiem or (article and 1 <= hour <= 12)
            return f"{name}{part}" if short else hours
        if hour == 0:
            return f"{hours} y {self.count(Number(str(minute)), self.units['minute'])}"
        quarters = {15: "cuarto", 30: "media"} if hour <= 12 else {}
        return f"{name} y {quarters.get(minute) or self.cardinal(minute)}{part}"

    def date(self, day: int, month: int, year: int | None, named: str, context: Context) -> str:
        """ "Primero de mayo" is usual in America, "uno de mayo" in Spain; both are right in either (DPD, "fecha")."""
        words = f"{'primero' if day == 1 else self.cardinal(day)} de {self.months[month - 1]}"
        return words if year is None else f"{words} de {self.year(year)}"

    # -- words -------------------------------------------------------------------------------------------------

    def roman(self, value: int, noun: str, ordinal: bool) -> str | None:
        """Ordinals up to ten, then cardinals: "Alfonso décimo", "Luis catorce", "siglo quinto", "siglo veinte"."""
        if value <= 10 and (ordinal or noun.lower() in _ORDINAL_NOUNS):
            return self.ordinal(value, "f" if noun in _FEMININE_NAMES else "")
        return self.cardinal(value)

    def own_rules(self) -> Sequence[Rule]:
        return es_rules.rules(self)


def _part_of_day(hour: int, meridiem: str) -> str:
    """Parts of the day as in Ortografía 2010, VIII 5.1.1.1."""
    if not meridiem:
        return ""
    if meridiem == "am":
        return " de la noche" if hour == 12 else " de la mañana"
    return " del mediodía" if hour == 12 else " de la noche" if hour >= 8 else " de la tarde"


class PointSpanish(Spanish):
    """Where decimals have a point and are said so: Mexico, Central America, the Caribbean (DPD, "números")."""

    decimal_mark = "."
    point = "punto"


def language(region: str) -> Spanish:
    return PointSpanish() if region in _POINT_REGIONS else Spanish()
