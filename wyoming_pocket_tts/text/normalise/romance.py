"""What French, Spanish, Italian and Portuguese have in common: agreement with the noun, "de" after a million,
decimals as a number, dates by a preposition, telephone numbers with a country code.

Knows nothing of a single language's words: `fr.py`, `es.py`, `it.py` and `pt.py` fill in the tables.
"""

# ruff: noqa: RUF012 - the tables of a language are never changed
from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import romance_nouns, romance_rules
from .base import Language, Rule
from .numbers import Number
from .romance_rules import DIGITS, SPACE, WORD, roman_value
from .units import Gender, Unit

__all__ = ["DIGITS", "SPACE", "WORD", "Romance", "roman_value"]

_MILLION = 10**6


class Romance(Language):
    """Base of the four. What a subclass adds to `Language`: the attributes below and `gender_of`."""

    decimal_mark = ","
    unit_symbols = {"º C": "celsius", "º F": "fahrenheit"}
    acronym_plural = ""
    weekday_joint = " "

    of = "de"
    of_before_vowel = ""  # with its apostrophe; "" where there is no elision
    thousand = "mil"  # the value of `scales` that is no noun
    scale_plurals: Mapping[str, str] = {}
    times = Unit("vez", "vezes", "f")  # "3x"
    extremes = ("mínimo", "máximo")
    season_words = ("temporada", "episodio")  # "S02E05"
    rate_nouns = ""  # what may follow a slash in the sense of "per", as a regular expression
    per = "por"  # "0,25 €/kWh"
    joint_and = "e"
    feminine_half = ""  # "two hours and a half"
    half: tuple[str, str] = ("", "")  # before a masculine and a feminine noun, with the joint
    fraction_words: Mapping[int, tuple[str, str]] = {}  # denominator -> after one, after more
    year_joint = " "  # "noviembre de 2026"
    # Words before a lone unit that make it one ("le m²", "por kWh"), as a regular expression.
    before_unit = ""
    sir = ""  # "D." before a name
    # Before "30/11": what makes it a day rather than a fraction.
    date_prefixes = ""
    # Words that may follow a number and are not what it counts.
    function_words: frozenset[str] = frozenset()
    # Words before "1" after which the next word is what is counted, whatever it is; "" is the start of the text.
    before_count: frozenset[str] = frozenset()
    # Between two numbers that count the same noun ("one or two hours"), as a regular expression.
    between_words = ""

    def gender_of(self, noun: str, single: bool) -> Gender | None:
        """Gender of a noun as written, lower case; None if it is not known to be a noun.

        Args:
            single: it would be counted by "one". A word after "1" may as well belong to something else ("zone 1
                active"), so only words that are surely nouns count.
        """
        raise NotImplementedError

    # -- numbers and counting ----------------------------------------------------------------------------------

    def decimals(self, digits: str) -> str:
        """Up to three decimals are said as a number, with the zeros before it ("virgule zéro cinq")."""
        rest = digits.lstrip("0")
        if not rest or len(digits) > 3:
            return self.digits(digits)
        zeros = digits[: len(digits) - len(rest)]
        words = self.cardinal(int(rest))
        return f"{self.digits(zeros)} {words}" if zeros else words

    def code_number(self, digits: str) -> str:
        """Three digits are said as a number, too ("192" in an address)."""
        if len(digits) == 3 and digits[0] != "0":
            return self.cardinal(int(digits))
        return super().code_number(digits)

    def with_of(self, words: str, noun: str) -> str:
        """ "un million d'euros", "dos millones de euros"."""
        if self.of_before_vowel and noun[:1].lower() in "aàâeéèêiîoôuhœ":
            return f"{words} {self.of_before_vowel}{noun}"
        return f"{words} {self.of} {noun}"

    def join_count(self, number: Number, gender: Gender, noun: str) -> str:
        words = self.number(number, gender)
        round_million = number.is_whole and number.value and number.value % _MILLION == 0
        if round_million and not noun.startswith(("po", "pe")):  # not before "per cent"
            return self.with_of(words, noun)
        return f"{words} {noun}"

    def count(self, number: Number, unit: Unit) -> str:
        return self.join_count(number, unit.gender, unit.name(self.is_singular(number)))

    def scaled(self, number: Number, scale: str, unit: Unit) -> str:
        """ "1,5 M€": one and a half million; "2 k€" is said as 2000."""
        if scale == self.thousand:
            shifted = number.integer.lstrip("0") + number.decimals[:3].ljust(3, "0")
            return self.count(
                Number(shifted.lstrip("0") or "0", number.decimals[3:], number.negative), unit
            )
        noun = scale if self.is_singular(number) else self.scale_plurals.get(scale, scale)
        return self.with_of(f"{self.number(number, 'm')} {noun}", unit.name(False))

    def fraction(self, numerator: int, denominator: int) -> str | None:
        names = self.fraction_words.get(denominator)
        if names is None:
            return None  # "8/10" is a mark
        return f"{self.cardinal(numerator, 'm')} {names[0] if numerator == 1 else names[1]}"

    def fraction_of(self, fraction: str, unit: Unit, mixed: bool) -> str:
        """ "half an hour", and with a whole number the noun inside: "une heure et demie", "due litri e un quarto"."""
        if not mixed:
            if fraction == self.fraction(1, 2):
                return self.half_of(unit.singular, unit.gender)
            return self.with_of(fraction, unit.singular)
        whole, _, rest = fraction.rpartition(f" {self.joint_and} ")
        if whole == self.cardinal(1):
            count = self.join_count(Number("1"), unit.gender, unit.singular)
        else:
            count = f"{self.agreeing(whole, unit.gender)} {unit.name(False)}"
        if unit.gender == "f" and rest == self.fraction_words[2][0]:
            rest = self.feminine_half
        return f"{count} {self.joint_and} {rest}"

    def agreeing(self, words: str, gender: Gender) -> str:
        """The words of a cardinal, as they were counted, before a noun."""
        return words

    def half_of(self, noun: str, gender: Gender) -> str:
        return f"{self.half[1 if gender == 'f' else 0]}{noun}"

    def phone_number_part(self, digits: str) -> str:
        """A run of digits between the spaces of a telephone number."""
        return self.phone_group(digits) if len(digits) <= 5 else self.digit_groups(digits)

    def clock_parts(self, hour: int, minute: int, second: int) -> list[str]:
        """ "one hour", "five minutes", "ten seconds"; zeros at the front are left out (a timer's "00:00:45")."""
        parts = [(hour, "hour"), (minute, "minute"), (second, "second")]
        while len(parts) > 1 and parts[0][0] == 0:
            parts.pop(0)
        return [self.count(Number(str(value)), self.units[key]) for value, key in parts]

    # -- rules -------------------------------------------------------------------------------------------------

    def rules(self) -> Sequence[Rule]:
        return (
            romance_rules.phone_rule(self),
            *self.own_rules(),
            *romance_rules.code_rules(self),
            *romance_rules.price_rules(self),
            romance_rules.one_unit_rule(self),
            *romance_rules.date_rules(self),
            *romance_nouns.fraction_rules(self),
            *romance_rules.product_rules(self),
            romance_nouns.counted_rule(self),
        )

    def own_rules(self) -> Sequence[Rule]:
        return ()
