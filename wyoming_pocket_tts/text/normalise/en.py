"""English. American by default; "en-GB" and the like read dates with the day first and say "and" in numbers."""

# ruff: noqa: RUF012 - the tables of a language are never changed
from __future__ import annotations

import re
from collections.abc import Sequence

from . import en_tables, en_units
from .base import Context, Language, Rule
from .en_rules import day_rules, small_rules
from .numbers import Number, spell_out
from .tables import words
from .units import Gender, Unit

_DAY_FIRST_REGIONS = words("GB AU NZ IE IN ZA SG MT")
_FRACTIONS = {2: ("half", "halves"), 4: ("quarter", "quarters")}


class English(Language):
    code = "en"
    engine = "en"
    cardinal_rulesets = {"": "spellout-cardinal"}
    ordinal_rulesets = {"": "spellout-ordinal"}

    units = en_units.UNITS
    currencies = en_units.CURRENCIES
    unit_symbols = {
        "in": "inch", "in.": "inch", "ft.": "foot", "yd.": "yard", "mi.": "mile", "oz.": "ounce", "lb.": "pound_mass",
        "lbs.": "pound_mass", "gal.": "gallon",
    }  # fmt: skip
    scales = {
        "thousand": "thousand", "million": "million", "billion": "billion", "trillion": "trillion",
        "k": "thousand", "K": "thousand", "M": "million", "m": "million", "bn": "billion", "B": "billion",
    }  # fmt: skip

    prefixes = {
        "-": "minus", "+": "plus", "±": "plus or minus", "~": "about", "≈": "about", "<": "less than",
        ">": "more than", "≤": "at most", "≥": "at least",
    }  # fmt: skip
    operators = {
        "+": "plus", "-": "minus", "−": "minus", "×": "times", "x": "by", "*": "times", "÷": "divided by",
        "=": "equals", "<": "is less than", ">": "is greater than", "≤": "is at most", "≥": "is at least",
        "^": "to the power of",
    }  # fmt: skip
    symbols = {
        "&": "and", "@": "at", "+": "plus", "=": "equals", "%": "percent", "°": "degrees", "×": "times",
        "÷": "divided by", "±": "plus or minus", "≈": "about", "≠": "is not", "≤": "at most", "≥": "at least",
        "€": "euros", "£": "pounds", "¥": "yen", "$": "dollars", "¢": "cents", "§": "section", "²": "squared",
        "³": "cubed", "→": "to", "⇒": "to", "µ": "micro", "μ": "micro", "Ω": "ohms", "∞": "infinity", "№": "number",
        "‰": "per mille", "/": "", "slash": "slash", "port": "port", "version": "version",
    }  # fmt: skip
    per = "per"
    per_many = "per"
    number_sign = "number"
    number_abbreviations = r"[Nn]o\.|[Nn]os\.|[Nn]r\."
    hashtag = "hashtag"
    out_of = "out of"
    over = "over"
    part_nouns = words(
        "message page step part item episode track slide phase attempt chapter round"
    )
    part_word = "of"
    dial_words = words("call dial ring phone text")
    around_the_clock = "twenty-four seven"

    meridiems = {
        **dict.fromkeys(("am", "AM", "a.m.", "A.M.", "a.m", "A.M", "a. m."), "A M"),
        **dict.fromkeys(("pm", "PM", "p.m.", "P.M.", "p.m", "P.M", "p. m."), "P M"),
    }
    clock_words = r"o['’]clock"

    day_first = False
    month_first_names = True
    months = en_tables.MONTHS
    month_names = en_tables.MONTH_NAMES
    weekdays = en_tables.WEEKDAYS
    day_suffix = "st|nd|rd|th"
    date_joint = "of"
    year_words = words("in since year from until before after by around circa")
    ordinal_pattern = r"(?<![\w.,])([0-9]{1,6})(?:st|nd|rd|th|ST|ND|RD|TH)(?![\w])"
    # "30s" is half a minute, unless an article makes it a decade.
    decade_pattern = (
        r"(?=['’0-9])(?<![\w.,])(?:(?<=the )|(?<=The )|(?<=early )|(?<=late )|(?<=mid-)|(?=['’][0-9]0['’]?s)|(?=1[0-9]{2}0|20[0-9]0))"
        r"['’]?([0-9]{2}|1[0-9]{2}0|20[0-9]0)['’]?s(?!\w)"
    )

    abbreviations = en_tables.ABBREVIATIONS
    sentence_final = en_tables.SENTENCE_FINAL
    said = en_tables.SAID
    spelled = en_tables.SPELLED
    roman_nouns = words(
        "Chapter Part Section Volume Book Act Scene Phase Stage Level Type Class Article Appendix "
        "Episode Season Mark Round Group Title Tier War"
    )
    roman_names = words(
        "Henry Louis George Edward Charles William James Richard Elizabeth Philip John Paul Pius "
        "Benedict Leo Francis Alexander Frederick Napoleon Nicholas Peter Catherine Mary Ramses "
        "Gregory Innocent Clement"
    )

    def year(self, value: int) -> str:
        """ "nineteen ninety-nine", "twenty twenty-six", "two thousand five"."""
        if value % 1000 < 10 or not 1000 <= value <= 9999:
            return self.cardinal(value)
        century, rest = divmod(value, 100)
        if rest == 0:
            return f"{self.cardinal(century)} hundred"
        if rest < 10:
            return f"{self.cardinal(century)} oh {self.cardinal(rest)}"
        return f"{self.cardinal(century)} {self.cardinal(rest)}"

    def decade(self, digits: str) -> str | None:
        tens = int(digits) % 100
        if tens % 10:
            return None
        if tens == 0:
            return f"{self.year(int(digits))}s" if len(digits) == 4 else None
        plural = "tens" if tens == 10 else self.cardinal(tens)[:-1] + "ies"
        return f"{self.cardinal(int(digits) // 100)} {plural}" if len(digits) == 4 else plural

    def code_number(self, digits: str) -> str:
        """In pairs: "A three eighty", "E S P eighty-two sixty-six", "one ninety-two dot one sixty-eight"."""
        if len(digits) not in (3, 4) or digits[0] == "0":
            return super().code_number(digits)
        head, tail = digits[:-2], digits[-2:]
        if tail == "00":
            return (
                f"{self.cardinal(int(head))} hundred"
                if head[-1] != "0"
                else self.cardinal(int(digits))
            )
        low = f"oh {self.cardinal(int(tail))}" if tail[0] == "0" else self.cardinal(int(tail))
        return f"{self.cardinal(int(head))} {low}"

    def count_in(self, number: Number, unit: Unit, context: Context) -> str:
        if context.before.lower() in ("a", "an") and context.after:
            return f"{self.number(number)} {unit.singular}"
        return self.count(number, unit)

    def join_money(self, whole: str, hundredths: Number, unit: Unit) -> str:
        return f"{whole} and {self.count(hundredths, unit)}"

    def fraction(self, numerator: int, denominator: int) -> str | None:
        if denominator > 10 and not (numerator == 1 and denominator <= 100):
            return None
        if denominator == 10 and numerator > 1:
            return None  # "8/10" is a mark
        singular, plural = _FRACTIONS.get(denominator, ("", ""))
        if not singular:
            singular = self.ordinal(denominator)
            plural = f"{singular}s"
        return f"{self.cardinal(numerator)} {singular if numerator == 1 else plural}"

    def mixed_fraction(self, whole: int, fraction: str) -> str:
        if fraction.startswith("one "):
            fraction = f"a {fraction[4:]}"
        return f"{self.cardinal(whole)} and {fraction}"

    def fraction_of(self, fraction: str, unit: Unit, mixed: bool) -> str:
        if mixed:
            return f"{fraction} {unit.plural}"
        article = "an" if unit.singular[0] in "aeiou" or unit.singular == "hour" else "a"
        if fraction == "one half":
            return f"half {article} {unit.singular}"
        return f"{fraction} of {article} {unit.singular}"

    def time(
        self, hour: int, minute: int, second: int | None, meridiem: str, context: Context
    ) -> str:
        """ "seven thirty", "twenty-two oh five"; a whole hour after noon is "fifteen hundred"."""
        if hour in (0, 24) and minute == 0 and not second and not meridiem:
            return "midnight"
        if hour in (0, 24) and not meridiem:
            hour, meridiem = 12, "A M"  # nobody says "zero thirty" in a house
        if minute:
            low = f"oh {self.cardinal(minute)}" if minute < 10 else self.cardinal(minute)
            words = f"{self.cardinal(hour)} {low}"
        elif meridiem:
            words = self.cardinal(hour)
        else:
            words = f"{self.cardinal(hour)} {'o’clock' if hour <= 12 else 'hundred'}".replace(
                "’", "'"
            )
        if meridiem:
            words = f"{words} {meridiem}"
        if second:
            words = f"{words} and {self.count(Number(str(second)), self.units['second'])}"
        return words

    def date(self, day: int, month: int, year: int | None, named: str, context: Context) -> str:
        name, ordinal = self.months[month - 1], self.ordinal(day)
        if named == "day" or (not named and self.day_first):
            article = "" if context.before.lower() == "the" else "the "
            words = f"{article}{ordinal} of {name}"
        else:
            words = f"{name} {ordinal}"
        return words if year is None else f"{words}, {self.year(year)}"

    def date_range(self, first: int, last: int, month: int, named: str) -> str:
        days = f"{self.ordinal(first)} to {'' if named == 'month' else 'the '}{self.ordinal(last)}"
        name = self.months[month - 1]
        return f"{name} {days}" if named == "month" else f"the {days} of {name}"

    def roman(self, value: int, noun: str, ordinal: bool) -> str | None:
        return f"the {self.ordinal(value)}" if ordinal else self.cardinal(value)

    def rules(self) -> Sequence[Rule]:
        # "St." is a saint before a name and a street after one (The Chicago Manual of Style, 10.27 and 10.34).
        saint = re.compile(r"(?<!\w)St\.[ \u00a0](?=[A-Z])")
        street = re.compile(r"(?<=[a-z] )St\.(?!\w)(?! [A-Z][a-z]+['’]?s)")

        title = re.compile(r"(?<!\w)(Mr|Mrs|Ms|Dr|Prof)(?=[ \u00a0][A-Z])")
        height = re.compile(r"(?<![\w.,])([0-9]{1,2})['’′] ?([0-9]{1,2})[\"”″]")

        def read_height(match: re.Match[str]) -> str:
            return f"{self.cardinal(int(match[1]))} foot {self.cardinal(int(match[2]))}"

        def read_saint(match: re.Match[str]) -> str | None:
            before = match.string[max(0, match.start() - 2) : match.start()]
            if re.fullmatch(r"\w ", before) and re.search(
                r"[A-Z0-9]\w*\s$", match.string[max(0, match.start() - 20) : match.start()]
            ):
                return None  # "Main St. The"
            return "Saint "

        def read_street(match: re.Match[str]) -> str:
            rest = match.string[match.end() : match.end() + 3].lstrip()
            return "Street." if not rest or rest[0].isupper() else "Street"

        nought = re.compile(r"(?<![\w:.,/])0:([0-5][0-9])(?![\w:]|[.,/][0-9])")

        def read_nought(match: re.Match[str]) -> str:
            low = match[1]
            if low == "00":
                return "zero"
            return f"zero {'oh ' if low[0] == '0' else ''}{self.cardinal(int(low))}"

        return (
            *day_rules(self),
            *small_rules(self),
            Rule(nought, read_nought, ":"),
            Rule(height, read_height, "'’′"),
            Rule(title, lambda m: self.abbreviations[f"{m[1]}."]),
            Rule(saint, read_saint),
            Rule(street, read_street),
        )


class DayFirstEnglish(English):
    """British and most other: 30/11/2026, "the thirtieth of November", "one hundred and one"."""

    day_first = True
    ordinal_rulesets = {"": "spellout-ordinal-verbose"}

    def cardinal(self, value: int, gender: Gender = "") -> str:
        # The verbose rules put commas between thousands: those would be pauses.
        return spell_out(self.engine, "spellout-cardinal-verbose", value).replace(",", "")


def language(region: str) -> Language:
    return DayFirstEnglish() if region in _DAY_FIRST_REGIONS else English()
