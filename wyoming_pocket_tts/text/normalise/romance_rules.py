"""Rules that French, Spanish, Italian and Portuguese share: telephone numbers, codes, prices, days, products."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .base import Context, Rule
from .numbers import MINUS, Number, number_pattern, parse_number
from .rules_calendar import valid_date
from .units import CURRENCY_SYMBOLS, UNIT_SYMBOLS, any_of, symbol_table

if TYPE_CHECKING:
    from .romance import Romance

# What a rule needs that reads numbers alone: texts without them are spared the search.
DIGITS = "0123456789"
SPACE = "[ \u00a0\u2009\u202f]"
WORD = r"[^\W\d_]"
# Countries whose number a home in these languages is likely to see, to split the code off an unspaced number.
_COUNTRY_CODES = "351|352|377|1|31|32|33|34|39|41|43|44|49|52|54|55|56|57"
_RUN = re.compile("[0-9]+")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10}


def roman_value(text: str) -> int:
    """Value of a Roman numeral of I, V and X."""
    value = 0
    for char, following in zip(text, text[1:] + " ", strict=True):
        step = _ROMAN_VALUES[char]
        value += -step if step < _ROMAN_VALUES.get(following, 0) else step
    return value


def phone_rule(language: Romance) -> Rule:
    """Telephone numbers with a country code; before those of the language, which are parts of them."""
    international = re.compile(
        rf"(?<![\w+.,])(?:\+|00)({_COUNTRY_CODES})[ \u00a0.-]?((?:\(?[0-9]{{1,4}}\)?)"
        rf"(?:[ \u00a0./-]?[0-9]{{2,8}}){{1,6}})(?![\w]|[.,:/-][0-9])"
    )

    def read_international(match: re.Match[str]) -> str | None:
        groups = _RUN.findall(match[2])
        if not 7 <= sum(map(len, groups)) <= 13:
            return None
        said = [language.phone_number_part(group) for group in groups if group != "0"]
        return f"{language.prefixes['+']} {language.cardinal(int(match[1]))}, {', '.join(said)}"

    return Rule(international, read_international, "+0")


def code_rules(language: Romance) -> list[Rule]:
    """Numbers in blocks of four, codes with hyphens, episodes."""
    # Bank cards and accounts.
    blocks = re.compile(
        r"(?<![\w.,+])[0-9]{4}(?:[ \u00a0-][0-9]{4}){2,6}(?:[ \u00a0-][0-9]{1,3})?(?![\w]|[.,][0-9])"
    )
    hyphened = re.compile(
        r"(?<![\w-])(?![0-9]{4}-[0-9]{2}-)(?=[A-Z0-9-]{0,24}[0-9])(?=[0-9-]{0,12}[A-Z])[A-Z0-9]{1,5}(?:-[A-Z0-9]{1,5}){1,5}(?![\w-])"
    )

    def read_blocks(match: re.Match[str]) -> str:
        return ", ".join(language.digits(group) for group in _RUN.findall(match[0]))

    def read_hyphened(match: re.Match[str]) -> str | None:
        pieces = re.findall("[0-9]+|[A-Z]+", match[0])
        if any(len(piece) > 3 and piece.isalpha() for piece in pieces):
            return None
        return " ".join(
            language.code_number(piece) if piece.isdigit() else language.spell(piece)
            for piece in pieces
        )

    episode = re.compile(r"(?<!\w)[Ss]([0-9]{1,2})[Ee]([0-9]{1,3})(?!\w)")

    def read_episode(match: re.Match[str]) -> str:
        season, number = (language.cardinal(int(digits)) for digits in match.groups())
        return f"{language.season_words[0]} {season}, {language.season_words[1]} {number}"

    return [
        Rule(episode, read_episode, DIGITS),
        Rule(blocks, read_blocks, DIGITS),
        Rule(hyphened, read_hyphened, "-"),
    ]


def title_rule(language: Romance) -> Rule:
    """ "D. Juan", "D. Pedro", but not "vitamina D. Luego": after a noun the letter belongs to that."""
    pattern = re.compile(
        rf"((?:^|[.!?:,;(]|(?<!\w)(?:a|al|de|con|por|para|y|e|com|o|que)){SPACE}?)D\.{SPACE}(?=[A-ZÁÉÍÓÚÂÊÔ]{WORD})",
        re.MULTILINE,
    )
    return Rule(pattern, lambda m: f"{m[1]}{language.sir} ", "D")


def price_rules(language: Romance) -> list[Rule]:
    """ "0,25 €/kWh", "R$ 5/l": a price by a unit. Three decimals and more are not said in hundredths."""
    units = symbol_table(UNIT_SYMBOLS, language.units, language.unit_symbols)
    moneys = symbol_table(CURRENCY_SYMBOLS, language.currencies, language.currency_symbols)
    unit, money = any_of(units), any_of(moneys)
    number = f"({number_pattern(language.spaced_thousands)})"
    after = re.compile(rf"(?<![\w.,]){number}{SPACE}?({money})/({unit}|{WORD}{{2,12}})(?!\w)")
    before = re.compile(rf"(?<!\w)({money}){SPACE}?{number}/({unit}|{WORD}{{2,12}})(?!\w)")

    def say(digits: str, symbol: str, by: str) -> str | None:
        amount = parse_number(digits, language.decimal_mark)
        if amount is None:
            return None
        noun = language.units[units[by]].singular if by in units else by
        price = language.money(amount, language.currencies[moneys[symbol]])
        return price + language.per_noun(noun)

    lone = re.compile(rf"(?<![\w.,])({money})/({unit}|{language.rate_nouns})(?!\w)")

    def read_lone(match: re.Match[str]) -> str:
        noun = language.units[units[match[2]]].singular if match[2] in units else match[2]
        return language.currencies[moneys[match[1]]].main.name(False) + language.per_noun(noun)

    # "3 fois/jour", "volte/giorno"
    rate = re.compile(rf"(?<={WORD}{WORD})/({language.rate_nouns})(?!\w)")
    return [
        Rule(after, lambda m: say(m[1], m[2], m[3]), "/"),
        Rule(before, lambda m: say(m[2], m[1], m[3]), "/"),
        Rule(lone, read_lone, "/"),
        Rule(rate, lambda m: language.per_noun(m[1]), "/"),
    ]


def one_unit_rule(language: Romance) -> Rule:
    """ "le m²", "por kWh": a unit without a number is one where an article or "by" says so."""
    units = {
        symbol: key
        for symbol, key in symbol_table(UNIT_SYMBOLS, language.units, language.unit_symbols).items()
        if len(symbol) > 1 and (not symbol.isalpha() or symbol[1:] != symbol[1:].lower())
    }
    pattern = re.compile(rf"(?<!\w)({language.before_unit})({SPACE})({any_of(units)})(?![\w²³/])")
    return Rule(pattern, lambda m: f"{m[1]}{m[2]}{language.units[units[m[3]]].singular}")


def date_rules(language: Romance) -> list[Rule]:
    """ "le 30/11", "05/11", "31/12": a day and a month, after a preposition, with a zero, or as no fraction can be."""
    named = re.compile(
        rf"(?<!\w)((?:{language.date_prefixes}){SPACE})([0-9]{{1,2}})/([0-9]{{1,2}})(?![\w]|[.,/:-][0-9])"
    )
    zeroed = re.compile(
        r"(?<![\w.,/:-])(?!24/7)(?=0|[0-9]{2}/0|1[3-9]/|[23][0-9]/)([0-9]{2})/([0-9]{1,2})(?![\w/%°]|[.,:-][0-9]|[ \u00a0][%°])"
    )
    # "anni '80", "nel '68"
    # Before a value only: "Max." is a name, too.
    extreme = re.compile(
        rf"(?<!\w)(?<![0-9])(?<![0-9][ \u00a0])[Mm](?:([ií]n)|[aá]x)\.?(?=:?{SPACE}?[{MINUS}]?[0-9])"
    )
    decade = re.compile(r"(?<=[^\W\d_] )['’]([0-9]{2}|[0-9]00)(?!\w)")

    def read_named(match: re.Match[str]) -> str | None:
        day, month = int(match[2]), int(match[3])
        if not valid_date(day, month):
            return None
        return match[1] + language.date(day, month, None, "", Context(match[1].strip()))

    def read_zeroed(match: re.Match[str]) -> str | None:
        day, month = int(match[1]), int(match[2])
        return language.date(day, month, None, "", Context()) if valid_date(day, month) else None

    months = {name.lower(): number for name, number in language.month_names.items()}
    year = r"((?:19|20)[0-9]{2})(?![\w%°]|[.,:/-][0-9]|[ \u00a0]?[%°€])"
    of_year = re.compile(rf"(?<!\w)({'|'.join(language.months)}){SPACE}{year}", re.IGNORECASE)
    month_of_year = re.compile(rf"(?<![\w.,:/-])(0?[1-9]|1[0-2])/{year}")

    def read_of_year(match: re.Match[str]) -> str:
        number = months[match[1].lower()] if match[1][0].isalpha() else int(match[1])
        return language.months[number - 1] + language.year_joint + language.year(int(match[2]))

    # "15°/22°" in a forecast
    lows_and_highs = re.compile(
        rf"(?<=[0-9]°)C?{SPACE}?/{SPACE}?(?=[{MINUS}]?[0-9]{{1,2}}{SPACE}?°)"
    )
    return [
        Rule(lows_and_highs, lambda m: ", ", "°"),
        Rule(of_year, read_of_year, DIGITS),
        Rule(month_of_year, read_of_year, "/"),
        Rule(named, read_named, "/"),
        Rule(zeroed, read_zeroed, "/"),
        Rule(extreme, lambda m: language.extremes[0 if m[1] else 1], DIGITS),
        Rule(decade, lambda m: language.cardinal(int(m[1])), "'’"),
    ]


def product_rules(language: Romance) -> list[Rule]:
    """ "3x" is three times, "2 x 3 m" two by three, "1,5e-3" a power of ten."""
    times = re.compile(
        rf"(?<![\w.,:/])([0-9]{{1,3}}(?:[.,][0-9]{{1,2}})?)[xX×](?!\w|{SPACE}?[0-9])"
    )
    factor = re.compile(
        rf"(?<![\w.,:/])(?<![0-9][ \u00a0])[x×]{SPACE}?(?=[0-9]{{1,3}}(?![\w]|[.,:][0-9]))"
    )
    # "5,5/10": a mark with decimals.
    mark = re.compile(r"(?<![\w.,/])([0-9]{1,3}[.,][0-9]{1,2})/([0-9]{1,4})(?![\w/]|[.,:][0-9])")
    product = re.compile(rf"(?<=[0-9])(?<!\b0)({SPACE}?[x×]{SPACE}?)(?=[0-9])")
    power = re.compile(
        r"(?<![\w.,])([0-9]{1,9}(?:[.,][0-9]{1,12})|[0-9]{1,9}(?=[eE][+-]))[eE]([+-]?)([0-9]{1,3})(?![\w]|[.,][0-9])"
    )

    def read_times(match: re.Match[str]) -> str | None:
        number = parse_number(match[1], language.decimal_mark, small=True)
        return None if number is None else language.count(number, language.times)

    def read_mark(match: re.Match[str]) -> str | None:
        number = parse_number(match[1], language.decimal_mark, small=True)
        if number is None:
            return None
        return f"{language.number(number)} {language.out_of} {language.cardinal(int(match[2]))}"

    def read_product(match: re.Match[str]) -> str | None:
        word = language.operators.get(match[1].strip("\u00a0\u2009\u202f "))
        return f" {word} " if word else None

    def read_power(match: re.Match[str]) -> str | None:
        mantissa = parse_number(match[1], language.decimal_mark, small=True)
        if mantissa is None:
            return None
        words = language.number(mantissa)
        power_of = f"{language.operators['×']} {language.cardinal(10)} {language.operators['^']}"
        exponent = language.number(Number(match[3], "", match[2] == "-"))
        return f"{words} {power_of} {exponent}"

    return [
        Rule(power, read_power, DIGITS),
        Rule(times, read_times, DIGITS),
        Rule(factor, lambda m: f"{language.operators['×']} ", DIGITS),
        Rule(mark, read_mark, "/"),
        Rule(product, read_product, DIGITS),
    ]
