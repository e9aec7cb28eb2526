"""German. Sources: Duden ("Zahlen und Ziffern", "Datum", "Uhrzeit"), DIN 5008 for what is written.

The case of a date or an ordinal follows the word before it ("am dreißigsten", "der dreißigste", alone "dreißigster").
"""

# ruff: noqa: RUF012 - the tables of a language are never changed
from __future__ import annotations

from collections.abc import Sequence

from . import de_tables as tables
from . import de_units
from .base import Context, Language, Rule
from .de_rules import german_rules
from .numbers import Number, spell_out
from .tables import words
from .units import Gender, Unit

_ORDINAL_RULESETS = {
    "e": "spellout-ordinal",
    "en": "spellout-ordinal-n",
    "er": "spellout-ordinal-r",
    "es": "spellout-ordinal-s",
    "em": "spellout-ordinal-m",
}
_DATIVE = words("am dem vom zum im beim ab bis seit den des nach vor von")
_WEAK = words("der die das jeder dieser")
_ONE_DATIVE = words("in nach vor seit mit von bei aus zu ab außer binnen")
_ONE_ACCUSATIVE = words("für um ohne gegen durch")
_NOT_ADJECTIVES = words(
    "oder aber über unter wieder heute ohne keine alle beide hier hinter immer bitte sowie eine "
    "derzeit gerade"
)
# After these a number counts what follows; after any other noun it is the noun's own ("Zone 1 Temperatur").
_BEFORE_COUNT = words(
    "es ist sind noch nur du sie ich wir in nach seit vor um für bei mit heute morgen die der das "
    "über unter mindestens maximal genau etwa circa und aber oder jetzt dann gibt nun hier dort "
    "alle pro je"
)
_QUARTERS = {"ein Viertel": "eine Viertelstunde", "drei Viertel": "eine Dreiviertelstunde"}
_HALVES: dict[Gender, str] = {
    "m": "ein halber",
    "f": "eine halbe",
    "n": "ein halbes",
    "": "ein halb",
}


class German(Language):
    code = "de"
    engine = "de"
    cardinal_rulesets = {
        "": "spellout-numbering",
        "m": "spellout-cardinal-masculine",
        "f": "spellout-cardinal-feminine",
        "n": "spellout-cardinal-neuter",
    }
    decimal_mark = ","
    spaced_thousands = True
    point = "Komma"

    units = de_units.UNITS
    unit_symbols = de_units.UNIT_SYMBOLS
    currencies = de_units.CURRENCIES
    currency_symbols = {"Euro": "EUR", "Cent": "cent", "Ct.": "cent", "Fr.": "CHF"}
    scales = tables.SCALES

    range_word = "bis"
    ratio_word = "zu"
    per = "pro"
    per_many = "auf"
    prefixes = {
        "-": "minus", "+": "plus", "±": "plus minus", "~": "etwa", "≈": "etwa", "<": "unter", ">": "über",
        "≤": "höchstens", "≥": "mindestens",
    }  # fmt: skip
    operators = {
        "+": "plus", "-": "minus", "−": "minus", "×": "mal", "x": "mal", "*": "mal", "÷": "geteilt durch",
        "=": "gleich", "<": "kleiner als", ">": "größer als", "≤": "kleiner gleich", "≥": "größer gleich",
        "^": "hoch",
    }  # fmt: skip
    symbols = {
        "&": "und", "@": "at", "+": "plus", "=": "gleich", "%": "Prozent", "°": "Grad", "×": "mal",
        "÷": "geteilt durch", "±": "plus minus", "≈": "etwa", "≠": "ungleich", "≤": "höchstens", "≥": "mindestens",
        "€": "Euro", "£": "Pfund", "¥": "Yen", "$": "Dollar", "¢": "Cent", "§": "Paragraf", "²": "Quadrat",
        "³": "hoch drei", "→": "nach", "⇒": "nach", "µ": "Mikro", "μ": "Mikro", "Ω": "Ohm", "∞": "unendlich",
        "№": "Nummer", "‰": "Promille", "slash": "Slash", "port": "Port", "version": "Version",
    }  # fmt: skip
    number_sign = "Nummer"
    number_abbreviations = r"[Nn]r\."
    hashtag = "Hashtag"
    out_of = "von"
    over = "zu"
    part_nouns = words("seite schritt teil nachricht folge versuch titel kapitel runde")
    part_word = "von"
    dial_words = words("ruf rufe wähle wählen notruf unter")
    version_point = "Punkt"
    address_dot = "Punkt"
    around_the_clock = "vierundzwanzig sieben"

    clock_words = "Uhr"
    months = tables.MONTHS
    month_names = tables.MONTH_NAMES
    weekdays = tables.WEEKDAYS
    day_suffix = r"\."
    year_words = words("in seit jahr jahre ab von bis vor nach um jahres jahren anno")

    winds = {"NO": "Nordost", "SO": "Südost"}
    wind_words = r"[Aa]us|[Vv]on|[Ww]inde?|[Ww]indrichtung|Richtung|[Nn]ach"
    abbreviations = tables.ABBREVIATIONS
    sentence_final = tables.SENTENCE_FINAL
    said = tables.SAID
    spelled = tables.SPELLED
    sentence_starters = words(
        "Der Die Das Den Dem Es Ich Du Sie Wir Er Ein Eine Einen Im In Am An Um Bitte Danach Dann "
        "Und Aber Heute Morgen Gestern Jetzt Nach Bei Mit Wenn Soll Ist Sind Hat Noch Nur Alle "
        "Ihr Ihre Dein Deine Mein Meine Auf Aus Zu Zum Zur Vom Von Für Außerdem Dort Hier Wie Was "
        "Wo Wann Warum Achtung Ja Nein"
    )
    acronym_plural = "s"
    roman_nouns = tables.ROMAN_NOUNS
    roman_names = tables.ROMAN_NAMES
    ordinal_point = True

    def cardinal(self, value: int, gender: Gender = "") -> str:
        """ "hunderteins Grad", not "hundertein": only a plain 1 agrees in speech (Duden allows both)."""
        return super().cardinal(value, gender if value == 1 else "")

    def ordinal(self, value: int, gender: Gender = "") -> str:
        return self.ordinal_form(value, "e")

    def ordinal_form(self, value: int, ending: str) -> str:
        """An ordinal with its ending: "e", "en", "er", "es" or "em"."""
        return spell_out(self.engine, _ORDINAL_RULESETS[ending], value)

    def year(self, value: int) -> str:
        """ "neunzehnhundertneunundneunzig", but "zweitausendsechsundzwanzig"."""
        if 1100 <= value <= 1999:
            return spell_out(self.engine, "spellout-numbering-year", value)
        return self.cardinal(value)

    def counted_word(self, value: int, context: Context) -> str | None:
        if value != 1 or not context.after:
            return None
        noun, before = context.after, context.before.lower()
        if noun[0].islower():
            if noun in _NOT_ADJECTIVES or len(noun) < 4:
                return None
            if noun.endswith(("er", "es")):
                return "ein"
            return "eine" if noun.endswith("e") and before not in _ONE_DATIVE else None
        if context.before[:1].isupper() and before not in _BEFORE_COUNT:
            return None
        gender = self.gender(noun)
        if before in _ONE_DATIVE:
            return "einer" if gender == "f" else "einem"
        if before in _ONE_ACCUSATIVE and gender == "m":
            return "einen"
        return "eine" if gender == "f" else "ein"

    def count_in(self, number: Number, unit: Unit, context: Context) -> str:
        """ "in einer Stunde", "um einen Grad": one of a unit is declined after a preposition."""
        before = context.before.lower()
        one = ""
        if number.is_one and not number.negative:
            if before in _ONE_DATIVE:
                one = "einer" if unit.gender == "f" else "einem"
            elif before in _ONE_ACCUSATIVE and unit.gender == "m":
                one = "einen"
        return f"{one} {unit.singular}" if one else self.count(number, unit)

    def gender(self, noun: str) -> Gender:
        """Gender of a noun, guessed by its end."""
        word = noun.lower()
        for end, gender in tables.GENDERS.items():
            if word.endswith(end):
                return gender
        if word.endswith(tables.NOT_FEMININE_ENDS):
            return "n"
        return "f" if word.endswith(tables.FEMININE_ENDS) else "n"

    def scaled(self, number: Number, scale: str, unit: Unit) -> str:
        if number.is_one and scale.startswith(("Million", "Milliarde")):
            return f"eine {scale.removesuffix('en').removesuffix('e') if scale == 'Millionen' else 'Milliarde' if scale.startswith('Milliarde') else scale} {unit.name(False)}"
        return super().scaled(number, scale, unit)

    def join_money(self, whole: str, hundredths: Number, unit: Unit) -> str:
        return f"{whole} {self.number(hundredths)}"

    def fraction(self, numerator: int, denominator: int) -> str | None:
        if denominator > 10 and not (numerator == 1 and denominator <= 100):
            return None
        if denominator == 10 and numerator > 1:
            return None
        if denominator == 2:
            return "ein halb"
        part = self.ordinal(denominator) + "l"  # "dritte" -> "Drittel"
        return f"{self.cardinal(numerator, 'n')} {part[0].upper()}{part[1:]}"

    def mixed_fraction(self, whole: int, fraction: str) -> str:
        """ "zweieinhalb", "zweieinviertel", "zwei drei Viertel"."""
        words = self.cardinal(whole, "n")
        if fraction.startswith("ein "):
            return f"{words}ein{fraction[4:].lower()}"
        return f"{words} {fraction}"

    def fraction_of(self, fraction: str, unit: Unit, mixed: bool) -> str:
        """ "ein halber Liter", "zweieinhalb Stunden", "ein Viertel Liter"."""
        if mixed:
            return f"{fraction} {unit.name(False)}"
        if unit.singular == "Stunde" and fraction in _QUARTERS:
            return _QUARTERS[fraction]
        if fraction == "ein halb":
            return f"{_HALVES[unit.gender]} {unit.singular}"
        return f"{fraction} {unit.singular}"

    def half_of(self, noun: str) -> str:
        """ "eine halbe Tasse"."""
        gender = self.gender(noun)
        if gender == "n" and noun.endswith(("er", "el")):
            gender = "m"
        return f"{_HALVES[gender]} {noun}"

    def time(
        self, hour: int, minute: int, second: int | None, meridiem: str, context: Context
    ) -> str:
        words = f"{self.cardinal(hour, 'n')} Uhr"
        if minute:
            words = f"{words} {self.cardinal(minute)}"
        if second:
            words = f"{words} und {self.count(Number(str(second)), self.units['second'])}"
        return words

    def date(self, day: int, month: int, year: int | None, named: str, context: Context) -> str:
        before = context.before.lower()
        ending = "en" if before in _DATIVE else "e" if before in _WEAK else "er"
        if before in ("und", "oder", "bis"):  # "am ersten und zweiten Mai": as the one before
            like = next((end for end in ("ten", "ter", "te") if context.earlier.endswith(end)), "")
            ending = like[1:] or ending
        words = f"{self.ordinal_form(day, ending)} {self.months[month - 1]}"
        return words if year is None else f"{words} {self.year(year)}"

    def date_range(self, first: int, last: int, month: int, named: str) -> str:
        days = self.join_range(self.ordinal_form(first, "er"), self.ordinal_form(last, "er"))
        return f"{days} {self.months[month - 1]}"

    def roman(self, value: int, noun: str, ordinal: bool) -> str | None:
        if not ordinal:
            return self.cardinal(value)
        name = self.ordinal(value)
        return f"der {name[0].upper()}{name[1:]}"

    def rules(self) -> Sequence[Rule]:
        return german_rules(self)


def language(region: str) -> Language:
    return German()
