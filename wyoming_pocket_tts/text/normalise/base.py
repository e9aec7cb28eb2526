"""What a language is to the normaliser: tables of words, and the few readings that differ in kind.

How to add a language
---------------------
Write `xx.py` with a subclass of `Language` and a function `language(region: str) -> Language` ("" or "BR", "GB"
in upper case), and add the code to `LANGUAGES` in `__init__.py`. Put long tables into `xx_tables.py`. English
(`en.py`, `en_tables.py`) is the model. What to define, in this order:

1. Numbers: `engine` (the name of the rules in `unicode-rbnf`), `cardinal_rulesets` and `ordinal_rulesets` by
   gender ("" is the form used in counting: "eins", "uno"), `decimal_mark`, `spaced_thousands`, `point`; override
   `cardinal` or `ordinal` where the CLDR data is faulty, `decimals` where decimals are not said digit by digit
   (French "trois virgule quatorze"), `year` where years are not cardinals ("nineteen ninety-nine").
2. Counting: `units` and `currencies` (`Unit(singular, plural, gender)`; the gender chooses "ein/eine", "un/una"),
   `is_singular` (CLDR plural rule: English 1 only, French 0 to below 2), `count` where number and noun join in
   another way ("un'ora", "un million d'euros"; `count_in` where the words around decide), `counted_word` where a bare
   number agrees with the word after it ("1 Minute" -> "eine Minute"), `join_money` for sums with a hundredth part,
   `scales` ("Mio."), `unit_symbols` and `currency_symbols` for spellings of the language alone ("Std.", "uur"), `per`.
3. Little words: `range_word` (or `join_range`, `join_days`), `ratio_word`, `prefixes` (a sign before a number),
   `operators` (between numbers), `symbols` (anywhere else), `number_sign` ("#5" -> "number five"), `out_of`, `over`,
   `part_nouns`, `dial_words`; `fraction`, `mixed_fraction`, `fraction_of`.
4. Time: `time`, `meridiems` (written "am" -> spoken), `clock_words` (regular expression, "Uhr"), `hour_letter`.
5. Dates: `day_first`, `month_first_names` ("Nov 30"), `months` (nominative, as said in a date), `month_names`
   (everything that is written for one, in lower case, without a final point), `weekdays` (short form -> word),
   `day_suffix` and `date_joint` (regular expressions: "st|nd|rd|th", "of", "de"), `date`, `date_range`, `decade`.
6. Words: `abbreviations` (with their points, "z. B." -> "zum Beispiel"; a table, case as written, spaces optional),
   `sentence_final` (those that often end a sentence), `sentence_starters` (where nouns have capitals), `said` (written
   -> said: "NASA" -> "Nasa", "CO2"), `winds` (the same after one of `wind_words` only: "del NO"), `spelled` (acronyms to spell though they could be words), `letters` (names of
   letters that are not said right when they stand alone), `roman_nouns` (words before a Roman numeral that is a
   cardinal, "Chapter"), `roman_names` (before one that is an ordinal, "Henry").
7. `rules`: own rules, run before all others (French "14h30", German "30.11.").

Every spoken form must be free of digits and symbols, and must not be changed by a second pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from .language_tables import LanguageTables
from .numbers import MAX_CARDINAL, Number, spell_out
from .units import Currency, Gender, Unit


@dataclass(frozen=True)
class Rule:
    """A pattern and its reading. `read` returns None to leave the match as it is."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], str | None]
    needs: str = (
        ""  # the pattern cannot match a text without one of these; sparing the search is the gain
    )
    hint: re.Pattern[str] | None = None  # nor where this is not found, which is quicker to look for


@dataclass(frozen=True)
class Context:
    """What stands around a match, for languages in which it decides the form ("am 30.11.")."""

    before: str = ""  # the word before, as written
    after: str = ""  # the word after
    earlier: str = ""  # the word before `before`


# The word after a point, or "" at the end of the line; no match before anything else.
_NEXT_WORD = re.compile("[\\s\"'”’»)]{0,8}(?:([^\\W\\d_]{1,40})|(?:$|(?<=\\n)))")


class Language(LanguageTables):
    """One language. Class attributes are its tables, methods its readings; see the module for what is what."""

    # -- numbers ---------------------------------------------------------------------------------------------

    def cardinal(self, value: int, gender: Gender = "") -> str:
        """Words of a whole number from 0 to 10^15 - 1."""
        ruleset = self.cardinal_rulesets.get(gender) or self.cardinal_rulesets[""]
        return spell_out(self.engine, ruleset, value)

    def ordinal(self, value: int, gender: Gender = "") -> str:
        """Words of an ordinal from 1 to 999,999."""
        ruleset = self.ordinal_rulesets.get(gender) or self.ordinal_rulesets[""]
        return spell_out(self.engine, ruleset, value)

    def year(self, value: int) -> str:
        return self.cardinal(value)

    @cached_property
    def digit_names(self) -> tuple[str, ...]:
        return tuple(self.cardinal(digit) for digit in range(10))

    def digits(self, text: str) -> str:
        """Digit by digit."""
        return " ".join(self.digit_names[int(digit)] for digit in text)

    def digit_groups(self, text: str) -> str:
        """A long run of digits, in groups of three with a pause between them; a last single digit is not left alone."""
        cuts = list(range(0, len(text), 3))
        if len(cuts) > 1 and len(text) - cuts[-1] == 1:
            cuts[-1] -= 1
        pieces = [text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]
        return ", ".join(self.digits(piece) for piece in pieces)

    def phone_group(self, digits: str) -> str:
        """One group of a telephone number."""
        return self.digits(digits)

    def code_number(self, digits: str) -> str:
        """Digits in a name or a code ("A380", "Room204"): up to two as a number, more one by one."""
        if len(digits) <= 2 and not (len(digits) == 2 and digits[0] == "0"):
            return self.cardinal(int(digits))
        return self.digits(digits) if len(digits) <= 5 else self.digit_groups(digits)

    def decimals(self, digits: str) -> str:
        """What follows the decimal mark."""
        return self.digits(digits)

    def number(self, number: Number, gender: Gender = "") -> str:
        """A number with its sign and decimals. Beyond the words of the language it is read digit by digit."""
        if number.decimals:
            gender = ""  # "eins Komma fünf", "uno coma cinco"
        value = int(number.integer or "0") if len(number.integer) <= 15 else MAX_CARDINAL + 1
        if value > MAX_CARDINAL:
            words = self.digit_groups(number.integer)
        else:
            words = self.cardinal(value, gender)
        if number.decimals:
            words = f"{words} {self.point} {self.decimals(number.decimals)}"
        return f"{self.prefixes['-']} {words}" if number.negative else words

    # -- counting --------------------------------------------------------------------------------------------

    def is_singular(self, number: Number) -> bool:
        return number.is_one

    def count(self, number: Number, unit: Unit) -> str:
        """ "five kilometres": a number and what it counts."""
        return f"{self.number(number, unit.gender)} {unit.name(self.is_singular(number))}"

    def counted_word(self, value: int, context: Context) -> str | None:
        """A bare whole number before a word (`context.after`), where that word decides its form: "eine Minute",
        "veintiún minutos". None: the plain cardinal."""
        return None

    def count_in(self, number: Number, unit: Unit, context: Context) -> str:
        """`count` where the words around it decide the form ("a five-kilogram bag")."""
        return self.count(number, unit)

    def count_range(self, first: Number, second: Number, unit: Unit) -> str:
        """ "five to ten kilometres"."""
        name = unit.name(self.is_singular(second))
        words = self.join_range(self.number(first, unit.gender), self.number(second, unit.gender))
        return f"{words} {name}"

    def join_range(self, first: str, second: str) -> str:
        """ "five to ten"; both are words already ("da cinque a dieci")."""
        return f"{first} {self.range_word} {second}"

    def join_days(self, first: str, second: str) -> str:
        """ "Monday to Friday"."""
        return self.join_range(first, second)

    def per_noun(self, noun: str) -> str:
        """ " per day", with its space."""
        return f" {self.per} {noun}"

    def scaled(self, number: Number, scale: str, unit: Unit) -> str:
        """ "one point five million euros"."""
        return f"{self.number(number)} {scale} {unit.name(False)}"

    def money(self, number: Number, currency: Currency) -> str:
        """A sum. Two decimals are the hundredth part: `join_money`."""
        if currency.hundredth is None or len(number.decimals) != 2:
            return self.count(number, currency.main)
        hundredths = Number(number.decimals.lstrip("0") or "0")
        whole = Number(number.integer, "", number.negative)
        if hundredths.value == 0:
            return self.count(whole, currency.main)
        if number.value == 0:
            return self.count(Number(hundredths.integer, "", number.negative), currency.hundredth)
        return self.join_money(self.count(whole, currency.main), hundredths, currency.hundredth)

    def join_money(self, whole: str, hundredths: Number, unit: Unit) -> str:
        """ "twelve euros and fifty cents", "zwölf Euro fünfzig"."""
        raise NotImplementedError

    def fraction(self, numerator: int, denominator: int) -> str | None:
        """ "three quarters", or None where it is not said as a fraction."""
        raise NotImplementedError

    def mixed_fraction(self, whole: int, fraction: str) -> str:
        """ "two and a half"; `fraction` is what `fraction` said."""
        raise NotImplementedError

    def fraction_of(self, fraction: str, unit: Unit, mixed: bool) -> str:
        """ "half a litre", "two and a half litres"; `mixed`: there is a whole number before the fraction."""
        return f"{fraction} {unit.name(not mixed)}"

    # -- time ------------------------------------------------------------------------------------------------

    def time(
        self, hour: int, minute: int, second: int | None, meridiem: str, context: Context
    ) -> str:
        """A time of day. `hour` 0 to 24; `meridiem` as spoken, or ""."""
        raise NotImplementedError

    def date(self, day: int, month: int, year: int | None, named: str, context: Context) -> str:
        """A day of the year.

        Args:
            named: how it was written: "" in digits, "day" ("30 November"), "month" ("Nov 30").
            year: with its century, or None.
        """
        raise NotImplementedError

    def date_range(self, first: int, last: int, month: int, named: str) -> str:
        """Days of one month, "5-7 November"; `named` as in `date`."""
        days = self.join_range(self.cardinal(first), self.cardinal(last))
        return f"{days} {self.months[month - 1]}"

    def decade(self, digits: str) -> str | None:
        """What `decade_pattern` found: "1980s"."""
        return None

    # -- sentences -------------------------------------------------------------------------------------------

    def ends_sentence(self, text: str, end: int) -> bool:
        """Whether a point just before `end` ends the sentence, not only the abbreviation it belongs to."""
        rest = _NEXT_WORD.match(text, end)
        if rest is None:
            return False
        word = rest[1]
        if not word or "\n" in rest[0]:
            return True
        return word in self.sentence_starters if self.sentence_starters else word[0].isupper()

    # -- words -----------------------------------------------------------------------------------------------

    def spell(self, text: str) -> str:
        """Letters (and digits) one by one."""
        return " ".join(
            self.digit_names[int(char)]
            if char in "0123456789"
            else self.letters.get(char.upper(), char.upper())
            for char in text
        )

    def roman(self, value: int, noun: str, ordinal: bool) -> str | None:
        """A Roman numeral after one of `roman_nouns` or `roman_names` (then `ordinal`)."""
        return self.ordinal(value) if ordinal else self.cardinal(value)

    def rules(self) -> Sequence[Rule]:
        """Rules of the language alone; they run before the common ones, on texts with digits or without."""
        return ()
