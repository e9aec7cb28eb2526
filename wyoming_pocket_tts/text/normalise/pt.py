"""Portuguese, in the Brazilian reading (most speakers): "dezesseis", "bilhão", "duas horas e meia".

It is what "pt" means without a region. "pt-PT" changes the numbers alone: "dezasseis", and the long scale ("mil
milhões"); the names of units keep their Brazilian spelling ("quilômetro").
"""

# ruff: noqa: RUF012 - the tables of a language are never changed
from __future__ import annotations

import re
from collections.abc import Sequence

from . import pt_rules, pt_tables, pt_units
from .base import Context, Rule
from .numbers import Number, spell_out
from .romance import Romance
from .units import Gender, Unit

_FEMININE_ENDINGS = ("a", "ção", "são", "dade", "gem", "tude", "triz")
_SAFE_ENDINGS = ("ção", "dade", "gem")
_ORDINAL_NOUNS = frozenset(
    ["século", "capítulo", "tomo", "ato", "livro", "cena", "título", "artigo"]
)
_FEMININE_NAMES = frozenset({"Isabel", "Elizabeth", "Catarina", "cena"})


class Portuguese(Romance):
    code = "pt"
    engine = "pt"
    cardinal_rulesets = {
        "": "spellout-cardinal-masculine",
        "m": "spellout-cardinal-masculine",
        "f": "spellout-cardinal-feminine",
    }
    ordinal_rulesets = {"": "spellout-ordinal-masculine", "f": "spellout-ordinal-feminine"}
    per_many = "por"
    spaced_thousands = True
    point = "vírgula"

    units = pt_units.UNITS
    currencies = pt_units.CURRENCIES
    scales = {
        "k": "mil", "K": "mil", "mil": "mil", "milhão": "milhão", "milhões": "milhão", "mi": "milhão", "M": "milhão",
        "bilhão": "bilhão", "bilhões": "bilhão", "bi": "bilhão",
    }  # fmt: skip
    scale_plurals = {"milhão": "milhões", "bilhão": "bilhões"}
    times = Unit("vez", "vezes", "f")
    season_words = ("temporada", "episódio")
    rate_nouns = "dia|semana|mês|ano|hora|minuto|noite|pessoa"
    sir = "dom"
    year_joint = " de "
    before_unit = "[OoAa]|[Uu]ma?|[Dd][oa]|[Aa]o|[Pp]or|[Cc]ada"
    feminine_half = "meia"
    half = ("meio ", "meia ")
    fraction_words = {
        2: ("meio", "meios"), 3: ("terço", "terços"), 4: ("quarto", "quartos"), 5: ("quinto", "quintos"),
        6: ("sexto", "sextos"), 8: ("oitavo", "oitavos"),
    }  # fmt: skip

    range_word = "a"
    ratio_word = "para"
    prefixes = {
        "-": "menos", "+": "mais", "±": "mais ou menos", "~": "aproximadamente", "≈": "aproximadamente",
        "<": "menos de", ">": "mais de", "≤": "no máximo", "≥": "no mínimo",
    }  # fmt: skip
    operators = {
        "+": "mais", "-": "menos", "−": "menos", "×": "vezes", "*": "vezes", "x": "por", "÷": "dividido por",
        "=": "igual a", "<": "é menor que", ">": "é maior que", "≤": "é menor ou igual a",
        "≥": "é maior ou igual a", "^": "elevado a",
    }  # fmt: skip
    symbols = pt_tables.SYMBOLS
    number_sign = "número"
    number_abbreviations = r"[Nn]\.?[°º]|[Nn]úm\."
    hashtag = "hashtag"
    out_of = "de"
    version_point = "ponto"
    address_dot = "ponto"
    around_the_clock = "vinte e quatro horas por dia, sete dias por semana"

    meridiems = {
        **dict.fromkeys(("am", "AM", "a.m."), "da manhã"),
        **dict.fromkeys(("pm", "PM", "p.m."), "pm"),
    }

    months = pt_tables.MONTHS
    month_names = {name: i for i, name in enumerate(pt_tables.MONTHS, 1)} | pt_tables.MONTH_SHORT
    weekdays = pt_tables.WEEKDAYS | {day: day for day in pt_tables.WEEKDAYS.values()}
    weekday_joint = ", "
    day_suffix = r"\.?[º°o]"
    date_joint = "de"
    date_prefixes = "[Dd]ia|[Ee]m|[Nn]o dia|[Dd]e|[Aa]té|[Dd]esde"

    winds = {
        "NE": "nordeste",
        "NO": "noroeste",
        "SE": "sudeste",
        "SO": "sudoeste",
        "ESE": "és-sudeste",
    }
    wind_words = (
        r"[Dd]o|[Dd]e|[Vv]entos?(?: \w{2,12})?(?: de)?|[Dd]ire[cç]ç?ão|[Ss]ec?tor|[Qq]uadrante"
    )
    abbreviations = pt_tables.ABBREVIATIONS
    sentence_final = frozenset({"etc."})
    said = pt_tables.SAID
    spelled = pt_tables.SPELLED
    letters = pt_tables.LETTERS
    roman_nouns = pt_tables.ROMAN_NOUNS | {noun.capitalize() for noun in pt_tables.ROMAN_NOUNS}
    roman_names = pt_tables.ROMAN_NAMES
    function_words = pt_tables.FUNCTION_WORDS
    between_words = "a|à|ou|e"

    def gender_of(self, noun: str, single: bool) -> Gender | None:
        if noun in self.function_words:
            return None
        if single:
            return "f" if noun in pt_tables.ONE_FEMININE or noun.endswith(_SAFE_ENDINGS) else "m"
        singular = re.sub("ões$", "ão", noun)
        singular = re.sub("gens$", "gem", singular)
        forms = {noun, noun.removesuffix("s"), noun.removesuffix("es"), singular}
        if forms & pt_tables.MASCULINE:
            return "m"
        if forms & (pt_tables.FEMININE | pt_tables.ONE_FEMININE):
            return "f"
        return "f" if any(form.endswith(_FEMININE_ENDINGS) for form in forms) else "m"

    # -- numbers -----------------------------------------------------------------------------------------------

    def ordinal(self, value: int, gender: Gender = "") -> str:
        return super().ordinal(value, gender).replace("noningent", "nongent")

    def is_singular(self, number: Number) -> bool:
        """Singular below two, zero too: CLDR (pt: i = 0..1), and Brazilian grammars ("zero grau", "1,5 quilo")."""
        return number.value < 2

    def join_range(self, first: str, second: str) -> str:
        """ "oito a doze horas"."""
        if second.endswith(" horas"):
            first = first.removesuffix(" horas").removesuffix(" hora")
        return super().join_range(first, second)

    def join_money(self, whole: str, hundredths: Number, unit: Unit) -> str:
        return f"{whole} e {self.count(hundredths, unit)}"

    def mixed_fraction(self, whole: int, fraction: str) -> str:
        """ "dois e meio", "dois e um quarto"."""
        return f"{self.cardinal(whole)} e {'meio' if fraction == 'um meio' else fraction}"

    def agreeing(self, words: str, gender: Gender) -> str:
        return re.sub("dois$", "duas", re.sub("um$", "uma", words)) if gender == "f" else words

    # -- time --------------------------------------------------------------------------------------------------

    def time(
        self, hour: int, minute: int, second: int | None, meridiem: str, context: Context
    ) -> str:
        """ "sete horas", "sete e meia", "vinte e duas horas e cinco minutos"; after "às" without the nouns."""
        short = context.before.lower() in ("às", "as", "à", "das", "até")
        part = ""
        if meridiem:
            evening = " da tarde" if hour == 12 or hour < 6 else " da noite"
            part = f" {meridiem}" if meridiem != "pm" else evening
            hour = hour % 12 or 12
            if hour == 12:
                hour, part = (0 if meridiem != "pm" else 12), ""
        hours = self.count(Number(str(hour)), self.units["hour"])
        minutes = self.count(Number(str(minute)), self.units["minute"])
        if second:
            *before, last = self.clock_parts(hour, minute, second)
            return f"{', '.join(before)} e {last}{part}" if before else last
        if hour in (0, 24):
            return f"meia-noite e {self._minutes(minute)}" if minute else "meia-noite"
        if not minute:
            return f"{hours}{part}"
        if short or meridiem:
            return f"{self.cardinal(hour, 'f')} e {self._minutes(minute, hour)}{part}"
        return f"{hours} e {minutes}"

    def _minutes(self, minute: int, hour: int = 0) -> str:
        return "meia" if minute == 30 and hour <= 12 else self.cardinal(minute)

    def date(self, day: int, month: int, year: int | None, named: str, context: Context) -> str:
        """Only the first of a month is an ordinal (as in every Portuguese grammar)."""
        words = f"{'primeiro' if day == 1 else self.cardinal(day)} de {self.months[month - 1]}"
        return words if year is None else f"{words} de {self.year(year)}"

    # -- words -------------------------------------------------------------------------------------------------

    def roman(self, value: int, noun: str, ordinal: bool) -> str | None:
        """Ordinals up to ten, then cardinals: "Pedro segundo", "Luís catorze", "século décimo", "século vinte"
        (Cunha and Cintra, Nova Gramática do Português Contemporâneo, "Emprego dos ordinais")."""
        if value <= 10 and (ordinal or noun.lower() in _ORDINAL_NOUNS):
            return self.ordinal(value, "f" if noun in _FEMININE_NAMES else "m")
        return self.cardinal(value)

    def own_rules(self) -> Sequence[Rule]:
        return pt_rules.rules(self)


class EuropeanPortuguese(Portuguese):
    """ "Dezasseis", "dezassete", "dezanove", "catorze"; "mil milhões" for what Brazil calls "bilhão"."""

    engine = "pt_PT"

    def cardinal(self, value: int, gender: Gender = "") -> str:
        ruleset = self.cardinal_rulesets[gender if gender == "f" else "m"]
        words = spell_out(self.engine, ruleset, value)
        return words.removeprefix("um ") if words.startswith("um mil milhões") else words


def language(region: str) -> Portuguese:
    return EuropeanPortuguese() if region == "PT" else Portuguese()
