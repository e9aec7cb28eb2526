"""Dutch. Sources: Taalunie (Taaladvies.net: "één of een", years, "anderhalf", "meter / meters"), Onze Taal ("Tijd").

"1" is "één", with its accents: without them it is read as the article.
"""

# ruff: noqa: RUF012 - the tables of a language are never changed
from __future__ import annotations

import re
from collections.abc import Sequence

from . import nl_tables as tables
from . import nl_units
from .base import Context, Language, Rule
from .nl_rules import name_rules
from .numbers import Number
from .rules_calendar import context_of, valid_date
from .tables import words
from .units import Gender, Unit

_QUARTERS = {"een kwart": "een kwartier", "driekwart": "drie kwartier"}
_PARTS = {2: "half", 3: "derde", 4: "kwart"}


class Dutch(Language):
    code = "nl"
    engine = "nl"
    cardinal_rulesets = {"": "spellout-cardinal"}
    ordinal_rulesets = {"": "spellout-ordinal"}
    decimal_mark = ","
    spaced_thousands = True
    point = "komma"

    units = nl_units.UNITS
    unit_symbols = nl_units.UNIT_SYMBOLS
    currencies = nl_units.CURRENCIES
    currency_symbols = {"euro": "EUR", "cent": "cent", "ct.": "cent"}
    scales = tables.SCALES

    range_word = "tot"
    ratio_word = "op"
    per = "per"
    per_many = "per"
    prefixes = {
        "-": "min", "+": "plus", "±": "plus of min", "~": "ongeveer", "≈": "ongeveer", "<": "minder dan",
        ">": "meer dan", "≤": "hoogstens", "≥": "minstens",
    }  # fmt: skip
    operators = {
        "+": "plus", "-": "min", "−": "min", "×": "keer", "x": "bij", "*": "keer", "÷": "gedeeld door",
        "=": "is", "<": "is kleiner dan", ">": "is groter dan", "≤": "is hoogstens", "≥": "is minstens",
        "^": "tot de macht",
    }  # fmt: skip
    symbols = {
        "&": "en", "@": "apenstaartje", "+": "plus", "=": "is gelijk aan", "%": "procent", "°": "graden", "×": "keer",
        "÷": "gedeeld door", "±": "plus of min", "≈": "ongeveer", "≠": "is niet", "≤": "hoogstens", "≥": "minstens",
        "€": "euro", "£": "pond", "¥": "yen", "$": "dollar", "¢": "cent", "§": "paragraaf", "²": "kwadraat",
        "³": "tot de derde", "→": "naar", "⇒": "naar", "µ": "micro", "μ": "micro", "Ω": "ohm", "∞": "oneindig",
        "№": "nummer", "‰": "promille", "slash": "slash", "port": "poort", "version": "versie",
    }  # fmt: skip
    hour_letter = "[hu]"
    number_sign = "nummer"
    number_abbreviations = r"[Nn]r\.|[Nn]o\."
    hashtag = "hashtag"
    out_of = "van de"
    over = "over"
    part_nouns = words("bericht pagina stap deel aflevering nummer ronde poging")
    part_word = "van"
    dial_words = words("bel bellen alarmnummer")
    version_point = "punt"
    version_words = "[Vv]ersie|[Vv]ersion|[Rr]elease|[Ff]irmware|[Bb]uild"
    address_dot = "punt"
    around_the_clock = "vierentwintig zeven"

    clock_words = r"uur|u(?![\w.])|u\.(?!\w)"
    months = tables.MONTHS
    month_names = tables.MONTH_NAMES
    weekdays = tables.WEEKDAYS
    weekday_joint = " "
    day_suffix = r"ste|de|e"
    year_words = words("in sinds jaar vanaf tot voor na uit rond anno")
    ordinal_pattern = r"(?<![\w.,])([0-9]{1,6})(?:e|ste|de)(?!\w)"
    decade_pattern = r"(?<![\w.,])(?:jaren )['’]?([0-9]0)(?!\w)"

    winds = {"NO": "noordoost", "ZO": "zuidoost"}
    wind_words = r"[Uu]it|[Ww]ind|[Ww]indrichting|[Rr]ichting|[Nn]aar"
    abbreviations = tables.ABBREVIATIONS
    sentence_final = tables.SENTENCE_FINAL
    said = tables.SAID
    spelled = tables.SPELLED
    roman_nouns = tables.ROMAN_NOUNS
    roman_names = tables.ROMAN_NAMES

    def cardinal(self, value: int, gender: Gender = "") -> str:
        """CLDR writes "een" for 1; the number is "één" (Taaladvies, "één of een"). "Eén" only alone: "honderdeen"."""
        if value == 1:
            return "één"
        hundreds, rest = divmod(value, 100)
        if hundreds == 11 or (11 < hundreds < 20 and not rest):  # not "duizendhonderd"
            return f"{super().cardinal(hundreds)}honderd{super().cardinal(rest) if rest else ''}"
        return super().cardinal(value)

    def decimals(self, digits: str) -> str:
        """ "drie komma veertien"; zeros and longer ones digit by digit."""
        if len(digits) == 2 and digits[0] != "0":
            return self.cardinal(int(digits))
        return self.digits(digits)

    def year(self, value: int) -> str:
        """ "negentiennegenennegentig", "negentienhonderdvijf"; from 2000 on as a number."""
        century, rest = divmod(value, 100)
        if not 11 <= century <= 19:
            return self.cardinal(value)
        if rest >= 10:
            return f"{self.cardinal(century)}{self.cardinal(rest)}"
        return f"{self.cardinal(century)}honderd{super().cardinal(rest) if rest else ''}"

    def decade(self, digits: str) -> str | None:
        """ "de jaren tachtig"."""
        return f"jaren {self.cardinal(int(digits))}"

    def join_days(self, first: str, second: str) -> str:
        return f"{first} tot en met {second}"

    def join_money(self, whole: str, hundredths: Number, unit: Unit) -> str:
        return f"{whole} {self.number(hundredths)}"

    def scaled(self, number: Number, scale: str, unit: Unit) -> str:
        return f"{self.number(number)} {scale} {unit.name(False)}"

    def fraction(self, numerator: int, denominator: int) -> str | None:
        if denominator > 10 and not (numerator == 1 and denominator <= 100):
            return None
        if denominator == 10 and numerator > 1:
            return None
        if (numerator, denominator) == (3, 4):
            return "driekwart"
        part = _PARTS.get(denominator) or self.ordinal(denominator)
        return f"{'een' if numerator == 1 else self.cardinal(numerator)} {part}"

    def mixed_fraction(self, whole: int, fraction: str) -> str:
        """ "anderhalf", "twee en een half"."""
        if whole == 1 and fraction == "een half":
            return "anderhalf"
        return f"{self.cardinal(whole)} en {fraction}"

    def fraction_of(self, fraction: str, unit: Unit, mixed: bool) -> str:
        if unit.singular == "uur" and fraction in _QUARTERS:
            return _QUARTERS[fraction]
        if fraction == "anderhalf":
            return f"{'anderhalf' if unit.gender == 'n' else 'anderhalve'} {unit.singular}"
        if fraction.endswith("een half"):
            head = fraction.removesuffix("half")
            name = unit.name(not mixed)
            return f"{head}{'half' if unit.gender == 'n' else 'halve'} {name}"
        return f"{fraction} {unit.singular}"

    def time(
        self, hour: int, minute: int, second: int | None, meridiem: str, context: Context
    ) -> str:
        if hour in (0, 24) and not minute and not second:
            return "middernacht"
        words = f"{self.cardinal(hour)} uur"
        if minute:
            words = f"{words} {self.cardinal(minute)}"
        if second:
            words = f"{words} en {self.count(Number(str(second)), self.units['second'])}"
        return words

    def date(self, day: int, month: int, year: int | None, named: str, context: Context) -> str:
        """The day is a cardinal: "dertig november" (Onze Taal)."""
        words = f"{self.cardinal(day)} {self.months[month - 1]}"
        return words if year is None else f"{words} {self.year(year)}"

    def roman(self, value: int, noun: str, ordinal: bool) -> str | None:
        return f"de {self.ordinal(value).capitalize()}" if ordinal else self.cardinal(value)

    def rules(self) -> Sequence[Rule]:
        half = re.compile(
            r"(?<![\w.,/])(?<![0-9][ \u00a0])(1[ \u00a0]?)?(?:½|1/2)[ \u00a0]([a-zéë]{2,30})(?!\w)"
        )
        times = re.compile(r"(?<![\w.,])([0-9]{1,4})x(?!\w)")
        plural_years = re.compile(r"(?<![\w.,])([0-9]{1,4})(?:'|’)?ers(?!\w)")
        # "30-11" and "30/11" are days: a month can be no more than 12, and no fraction is greater than one.
        day = re.compile(
            r"(?<![\w.,/:-])(1[3-9]|2[0-9]|3[01])[/-](0?[1-9]|1[0-2])(?![\w]|[.,/:-][0-9]|[ \u00a0]?[%°€])"
        )

        through = re.compile(
            r"(?<![^\W\d_])t/m(?![^\W\d_])"
        )  # between numbers it is no "ton per meter"

        def read_half(match: re.Match[str]) -> str | None:
            noun = match[2]
            form = "half" if noun in tables.NEUTER else "halve"
            if len(noun) < 3 or noun in ("van", "tot", "voor", "met", "keer"):
                return None
            return f"{'ander' if match[1] else 'een '}{form} {noun}"

        def read_day(match: re.Match[str]) -> str | None:
            first, month = int(match[1]), int(match[2])
            if not valid_date(first, month) or context_of(match).before.lower() not in _BEFORE_DAY:
                return None
            return self.date(first, month, None, "", Context())

        def read_times(match: re.Match[str]) -> str:
            return f"{self.cardinal(int(match[1]))} keer"

        return (
            Rule(through, lambda m: "tot en met", "/"),
            Rule(half, read_half, "½/"),
            Rule(day, read_day, "/-"),
            *name_rules(self),
            Rule(times, read_times, "x"),
            Rule(plural_years, lambda m: f"{self.year(int(m[1]))}ers", "s"),
        )


_BEFORE_DAY = words(
    "op vanaf tot sinds voor na per van maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"
)


def language(region: str) -> Language:
    return Dutch()
