"""What French, Spanish, Italian and Portuguese have in common: agreement with the noun, "de" after a million,
decimals as a number, dates by a preposition, telephone numbers with a country code.

Knows nothing of a single language's words: `fr.py`, `es.py`, `it.py` and `pt.py` fill in the tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .base import Context, Language, Rule
from .numbers import MINUS, Number, number_pattern, parse_number
from .rules_calendar import context_of, valid_date
from .units import CURRENCY_SYMBOLS, UNIT_SYMBOLS, Currency, Gender, Unit, any_of, symbol_table

SPACE = "[ \u00a0\u2009\u202f]"
WORD = r"[^\W\d_]"
_MILLION = 10**6
# Countries whose number a home in these languages is likely to see, to split the code off an unspaced number.
_COUNTRY_CODES = "351|352|377|1|31|32|33|34|39|41|43|44|49|52|54|55|56|57"
_RUN = re.compile("[0-9]+")


class Romance(Language):
    """Base of the four. What a subclass adds to `Language`: the attributes below and `gender_of`."""

    decimal_mark = ","
    acronym_plural = ""
    weekday_joint = " "

    of = "de"
    of_before_vowel = ""  # with its apostrophe; "" where there is no elision
    thousand = "mil"  # the value of `scales` that is no noun
    scale_plurals: Mapping[str, str] = {}
    times = Unit("vez", "vezes", "f")  # "3x"
    per = "por"  # "0,25 €/kWh"
    half: tuple[str, str] = ("", "")  # before a masculine and a feminine noun, with the joint
    fraction_words: Mapping[int, tuple[str, str]] = {}  # denominator -> after one, after more
    # Before "30/11": what makes it a day rather than a fraction.
    date_prefixes = ""
    # Words that may follow a number and are not what it counts.
    function_words: frozenset[str] = frozenset()
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
        if self.of_before_vowel and noun[:1].lower() in "aàâeéèêiîoôuyhœ":
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
        if mixed:
            return (
                self.with_of(fraction, unit.name(False))
                if not self.of_mixed(fraction)
                else (f"{fraction} {unit.name(False)}")
            )
        if fraction == self.fraction(1, 2):
            return self.half_of(unit.singular, unit.gender)
        return self.with_of(fraction, unit.singular)

    def of_mixed(self, fraction: str) -> bool:
        """Whether the noun follows a mixed fraction without "de"."""
        return True

    def half_of(self, noun: str, gender: Gender) -> str:
        return f"{self.half[1 if gender == 'f' else 0]}{noun}"

    # -- rules -------------------------------------------------------------------------------------------------

    def rules(self) -> Sequence[Rule]:
        return (
            self._international_phone(),
            *self.own_rules(),
            *self._price_rules(),
            self._day_and_month(),
            *self._fraction_rules(),
            self._times(),
            self._counted_noun(),
        )

    def own_rules(self) -> Sequence[Rule]:
        return ()

    def _international_phone(self) -> Rule:
        pattern = re.compile(
            rf"(?<![\w+.,])(?:\+|00)({_COUNTRY_CODES})[ \u00a0.-]?((?:\(?[0-9]{{1,4}}\)?)"
            rf"(?:[ \u00a0./-]?[0-9]{{2,8}}){{1,6}})(?![\w]|[.,:/-][0-9])"
        )

        def read(match: re.Match[str]) -> str | None:
            groups = _RUN.findall(match[2])
            if not 7 <= sum(map(len, groups)) <= 13:
                return None
            said = [self.phone_number_part(group) for group in groups if group != "0"]
            return f"{self.prefixes['+']} {self.cardinal(int(match[1]))}, {', '.join(said)}"

        return Rule(pattern, read, "+0")

    def phone_number_part(self, digits: str) -> str:
        return self.phone_group(digits) if len(digits) <= 5 else self.digit_groups(digits)

    def _price_rules(self) -> list[Rule]:
        """ "0,25 €/kWh", "R$ 5/l": a price by a unit. Three decimals and more are not said in hundredths."""
        units = symbol_table(UNIT_SYMBOLS, self.units, self.unit_symbols)
        moneys = symbol_table(CURRENCY_SYMBOLS, self.currencies, self.currency_symbols)
        unit, money = any_of(units), any_of(moneys)
        number = f"({number_pattern(self.spaced_thousands)})"
        after = re.compile(rf"(?<![\w.,]){number}{SPACE}?({money})/({unit})(?!\w)")
        before = re.compile(rf"(?<!\w)({money}){SPACE}?{number}/({unit})(?!\w)")

        def say(digits: str, symbol: str, by: str) -> str | None:
            amount = parse_number(digits, self.decimal_mark)
            if amount is None:
                return None
            price: Currency = self.currencies[moneys[symbol]]
            return f"{self.money(amount, price)} {self.per} {self.units[units[by]].singular}"

        return [
            Rule(after, lambda m: say(m[1], m[2], m[3]), "/"),
            Rule(before, lambda m: say(m[2], m[1], m[3]), "/"),
        ]

    def _day_and_month(self) -> Rule:
        pattern = re.compile(
            rf"(?<!\w)((?:{self.date_prefixes}){SPACE})([0-9]{{1,2}})/([0-9]{{1,2}})(?![\w]|[.,/:-][0-9])"
        )

        def read(match: re.Match[str]) -> str | None:
            day, month = int(match[2]), int(match[3])
            if not valid_date(day, month):
                return None
            return match[1] + self.date(day, month, None, "", Context(match[1].strip()))

        return Rule(pattern, read)

    def _fraction_rules(self) -> list[Rule]:
        """ "1/2 tasse", "3/4 h", "2 1/2 kg"."""
        half = re.compile(
            rf"(?<![\w/.,-])(?<![0-9][ \u00a0])(?:1/2|½){SPACE}({WORD}{{2,24}})(?!\w)"
        )

        units = symbol_table(UNIT_SYMBOLS, self.units, self.unit_symbols)
        of_unit = re.compile(
            rf"(?<![\w/.,-])(?:([0-9]{{1,3}}){SPACE})?([1-9])/([1-9]){SPACE}?({any_of(units)})(?![\w²³])"
        )

        def read_half(match: re.Match[str]) -> str | None:
            noun = match[1]
            if not noun.islower() or noun in units:
                return None
            gender = self.gender_of(noun, False)
            return None if gender is None else self.half_of(noun, gender)

        def read_of_unit(match: re.Match[str]) -> str | None:
            top, bottom = int(match[2]), int(match[3])
            fraction = self.fraction(top, bottom) if top < bottom else None
            if fraction is None:
                return None
            if match[1]:
                fraction = self.mixed_fraction(int(match[1]), fraction)
            return self.fraction_of(fraction, self.units[units[match[4]]], bool(match[1]))

        return [Rule(half, read_half, "/½"), Rule(of_unit, read_of_unit, "/")]

    def _times(self) -> Rule:
        """ "3x": three times, unless it stands between two numbers."""
        pattern = re.compile(rf"(?<![\w.,:/])([0-9]{{1,3}})[xX×](?!\w|{SPACE}?[0-9])")
        return Rule(pattern, lambda m: self.count(Number(m[1]), self.times), "xX×")

    def _counted_noun(self) -> Rule:
        """Numbers that end in "one" (or two, or hundreds) agree with the noun beside them."""
        number = number_pattern(self.spaced_thousands)
        uncounted = {*self.function_words, *self.month_names, *self.scale_plurals.values()}
        uncounted |= set(symbol_table(UNIT_SYMBOLS, self.units, self.unit_symbols))
        pattern = re.compile(
            rf"(?<![\w.,:/+\u00b1~#°%)-])(?:({number})({SPACE}?[{MINUS}]{SPACE}?|{SPACE}(?:{self.between_words}){SPACE}))?"
            rf"({number}){SPACE}({WORD}{{3,24}})(?!\w)"
        )

        def read(match: re.Match[str]) -> str | None:
            noun = match[4]
            if not noun.islower() or noun in uncounted:
                return None
            count = _count_of(match[3], self.decimal_mark)
            first = _count_of(match[1], self.decimal_mark) if match[1] else None
            if count is None or (match[1] and first is None):
                return None
            return self.counted(first, match[2] or "", count, noun, context_of(match))

        return Rule(pattern, read)

    def counted(
        self, first: Number | None, joint: str, number: Number, noun: str, context: Context
    ) -> str | None:
        """The numbers with their noun, or None where the common rules say the same."""
        million = number.value >= _MILLION and number.value % _MILLION == 0
        numbers = [number] if first is None else [first, number]
        if not million and not any(self._agrees(each) for each in numbers):
            return None
        single = self.is_singular(number) and number.value == 1
        gender = self.gender_of(noun, single)
        if gender is None:
            return None
        words = self.join_count(number, gender, noun)
        if first is None:
            return words
        before = self.number(first, gender)
        return (
            f"{before}{joint}{words}" if joint.strip().isalpha() else self.join_range(before, words)
        )

    def _agrees(self, number: Number) -> bool:
        return len({self.cardinal(number.value, gender) for gender in ("", "m", "f")}) > 1


def _count_of(text: str, decimal_mark: str) -> Number | None:
    """A whole number that may count things: no decimals, no leading zero, not too long to be an amount."""
    number = parse_number(text, decimal_mark)
    if number is None or number.decimals or len(number.integer) > 12:
        return None
    if number.integer[0] == "0" and len(number.integer) > 1:
        return None
    return number if len(text) != len(number.integer) or len(text) <= 6 else None
