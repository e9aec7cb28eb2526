"""Rules for times, durations, dates and decades.

How they are said is the language's (`Language.time`, `.date`, `.decade`); this module finds them and decides which
number is the day.
"""

from __future__ import annotations

import re

from .base import Context, Language, Rule
from .numbers import Number

_S = r"[ \u00a0\u2009\u202f]"
_ISO = re.compile(
    r"(?<![\w.-])([0-9]{4})([-/])(0?[1-9]|1[0-2])\2(0[1-9]|[12][0-9]|3[01]|[1-9])"
    r"(?:[T ]((?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?)(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
    r"(?![\w-]|[.,/:][0-9])"
)
_LOCAL = re.compile(
    r"(?<![\w.,/-])([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})(?![\w-]|[.,/:][0-9])"
)
_TIME_PARTS = re.compile(r"([0-9]{1,2})[:.]([0-9]{2})(?::([0-9]{2}))?")
_WORD_BEFORE = re.compile(r"([^\W\d_]+)[.,]?\s*$")
_WORD_AFTER = re.compile(r"\s*([^\W\d_]+)")


def context_of(match: re.Match[str]) -> Context:
    """The words around a match; looks at a bounded stretch of text only."""
    text = match.string
    before = _WORD_BEFORE.search(text[max(0, match.start() - 24) : match.start()])
    after = _WORD_AFTER.match(text[match.end() : match.end() + 24])
    return Context(before[1] if before else "", after[1] if after else "")


def valid_date(day: int, month: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def full_year(digits: str) -> int:
    """Two digits are taken for 1970 to 2069."""
    year = int(digits)
    if len(digits) > 2:
        return year
    return 2000 + year if year < 70 else 1900 + year


def rules(language: Language) -> tuple[Rule, ...]:
    """Rules for texts with digits."""
    return (*_date_rules(language), *_time_rules(language), *_decade_rules(language))


def _date_rules(language: Language) -> list[Rule]:
    def iso(match: re.Match[str]) -> str:
        words = language.date(int(match[4]), int(match[3]), int(match[1]), "", context_of(match))
        if match[5]:
            hour, minute, second = _TIME_PARTS.match(match[5]).groups()  # type: ignore[union-attr]
            seconds = int(second) if second and second != "00" else None
            words = f"{words}, {language.time(int(hour), int(minute), seconds, '', Context())}"
        return words

    def local(match: re.Match[str]) -> str | None:
        first, mark, second = int(match[1]), match[2], int(match[3])
        if mark == "." and len(match[4]) == 2 and language.decimal_mark == ".":
            return None  # a version number rather than a date
        day_first = language.day_first or mark == "."
        day, month = (first, second) if day_first else (second, first)
        if not valid_date(day, month):
            day, month = month, day
        if not valid_date(day, month):
            return None
        return language.date(day, month, full_year(match[4]), "", context_of(match))

    found = [Rule(_ISO, iso, "-/"), Rule(_LOCAL, local, "./-")]
    if not language.month_names:
        return found

    month = _alternatives(language.month_names)
    weekday = f"(?:({_alternatives(language.weekdays)})\\.?,?{_S}+)?" if language.weekdays else "()"
    year = (
        f"(?:,?{_S}+(?:(?:{language.date_joint or 'of'}){_S}+)?([0-9]{{4}})(?![\\w]|[.,:/][0-9]))?"
    )
    joint = f"(?:(?:{language.date_joint}){_S}+)?" if language.date_joint else ""
    # A name in another case than the table's is taken too, but not a lower-case one where months are capitalised:
    # "may" and "march" are verbs.
    day_month = re.compile(
        f"(?<![\\w.,:/-]){weekday}([0-9]{{1,2}})(?:{language.day_suffix})?(?:{_S}+|(?<=\\.)|-){joint}({month})\\.?(?!\\w){year}"
    )
    month_day = re.compile(
        f"(?<!\\w){weekday}({month})\\.?{_S}+([0-9]{{1,2}})(?:{language.day_suffix})?(?![\\w%°]|[.,:/-][0-9]|{_S}?[%°]){year}"
    )
    month_year = re.compile(
        f"(?<!\\w)({month})\\.?{_S}+([0-9]{{4}})(?![\\w%°]|[.,:/-][0-9]|{_S}?[%°])"
    )

    def spoken(match: re.Match[str], day: str, name: str, order: str) -> str | None:
        number = language.month_names[name.lower()]
        if not valid_date(int(day), number):
            return None
        year = int(match[4]) if match[4] else None
        context = context_of(match)
        if match[1]:
            context = Context(language.weekdays[match[1].lower()], context.after)
        words = language.date(int(day), number, year, order, context)
        return f"{context.before}{language.weekday_joint}{words}" if match[1] else words

    found.append(Rule(day_month, lambda m: spoken(m, m[2], m[3], "day")))
    if language.month_first_names:
        found.append(Rule(month_day, lambda m: spoken(m, m[3], m[2], "month")))

    def of_year(match: re.Match[str]) -> str:
        name = language.months[language.month_names[match[1].lower()] - 1]
        return f"{name} {language.year(int(match[2]))}"

    found.append(Rule(month_year, of_year))
    return found


def _alternatives(words: object) -> str:
    """Any of the words, capitalised or lower-case as they stand in the table, longest first."""
    written: set[str] = set()
    for word in words:  # type: ignore[attr-defined]
        written |= {word, word.capitalize(), word.upper()}
    return "|".join(re.escape(word) for word in sorted(written, key=lambda w: (-len(w), w)))


def _time_rules(language: Language) -> list[Rule]:
    clock = f"(?:{_S}?(?:{language.clock_words})(?!\\w))" if language.clock_words else "(?!)"
    written = sorted(language.meridiems, key=lambda w: (-len(w), w))
    meridiem = f"(?:{_S}?({'|'.join(map(re.escape, written))})(?![^\\W_]))" if written else "((?!))"
    head = r"(?<![\w:.,/])(?<![0-9]-)"
    one = "([01]?[0-9]|2[0-4]):([0-5][0-9])(?::([0-5][0-9])(?:[.,][0-9]{1,6})?)?"
    tail = r"(?![\w:]|[.,/][0-9])"
    time_range = re.compile(
        f"{head}{one}(?:{meridiem}|{clock})?({_S}?[-–—]{_S}?){one}(?:{meridiem}|{clock})?{tail}"
    )
    time = re.compile(f"{head}{one}(?:{meridiem}|{clock})?{tail}")
    dotted = re.compile(f"{head}([01]?[0-9]|2[0-4])\\.([0-5][0-9])()(?:{meridiem}|{clock}){tail}")
    hour_only = re.compile(f"(?<![\\w:.,/])([01]?[0-9]|2[0-4])()()(?:{meridiem}|{clock}){tail}")
    hour_range = re.compile(
        f"(?<![\\w:.,/])([01]?[0-9]|2[0-4])({_S}?[-–—]{_S}?)([01]?[0-9]|2[0-4])()()(?:{meridiem}|{clock}){tail}"
    )

    def say(groups: tuple[str | None, ...], context: Context) -> str:
        hour, minute, second, half = groups
        spoken = language.meridiems[half] if half else ""
        return language.time(
            int(hour or 0), int(minute or 0), int(second) if second else None, spoken, context
        )

    def single(match: re.Match[str]) -> str | None:
        groups = match.groups()
        if groups[3] and int(groups[0]) > 12:
            groups = (*groups[:3], None)  # "22:05 pm"
        return say(groups, context_of(match)) + _final_point(match, groups[3])

    def pair(match: re.Match[str]) -> str:
        groups = match.groups()
        first, second = say(groups[:4], context_of(match)), say(groups[5:9], Context())
        return language.join_range(first, second) + _final_point(match, groups[8])

    def hours(match: re.Match[str]) -> str:
        half = match[6]
        spoken = language.meridiems[half] if half else ""
        second = language.time(int(match[3]), 0, None, spoken, Context())
        words = language.join_range(language.cardinal(int(match[1])), second)
        return words + _final_point(match, half)

    found = [Rule(time_range, pair, ":"), Rule(time, single, ":")]
    if language.meridiems or language.clock_words:
        found += [Rule(dotted, single), Rule(hour_range, hours), Rule(hour_only, single)]
    found.append(_duration_rule(language))
    return found


def _final_point(match: re.Match[str], meridiem: str | None) -> str:
    """ "5 p.m." may end the sentence: its point stays where a new sentence or nothing follows."""
    if not meridiem or not meridiem.endswith("."):
        return ""
    rest = match.string[match.end() : match.end() + 3]
    following = rest.lstrip(" \u00a0\"')”’»")
    return "." if not following or following[0] == "\n" or following[0].isupper() else ""


def _duration_rule(language: Language) -> Rule:
    """ "1h 20min", "2h30", "5m 30s", "1d 4h": "m" is a minute beside an hour or a second only."""
    minutes = rf"(?:([0-9]{{1,3}}){_S}?(?:min\.?|m)|(?<=h)([0-9]{{1,2}}))"
    pattern = re.compile(
        rf"(?<![\w.,:/])(?:"
        rf"(?:([0-9]{{1,4}}){_S}?d{_S}?)?([0-9]{{1,4}}){_S}?h{_S}?{minutes}(?:{_S}?([0-9]{{1,2}}){_S}?s)?"
        rf"|([0-9]{{1,3}}){_S}?(?:min\.?|m){_S}?([0-9]{{1,2}}){_S}?s"
        rf"|([0-9]{{1,4}}){_S}?d{_S}?([0-9]{{1,2}}){_S}?h"
        rf")(?![\w²³/]|[.,][0-9])"
    )
    keys = ("day", "hour", "minute", "minute", "second", "minute", "second", "day", "hour")

    def read(match: re.Match[str]) -> str:
        return " ".join(
            language.count(Number(digits.lstrip("0") or "0"), language.units[key])
            for digits, key in zip(match.groups(), keys, strict=True)
            if digits
        )

    return Rule(pattern, read)


def _decade_rules(language: Language) -> list[Rule]:
    if not language.decade_pattern:
        return []
    pattern = re.compile(language.decade_pattern)
    return [Rule(pattern, lambda match: language.decade(match[1]))]
