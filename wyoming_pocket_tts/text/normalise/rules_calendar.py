"""Rules for times, durations, dates and decades.

How they are said is the language's (`Language.time`, `.date`, `.decade`); this module finds them and decides which
number is the day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .base import Context, Language, Rule
from .numbers import Number
from .units import any_of

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
_WORD_BEFORE = re.compile(r"(?:([^\W\d_]+)\s+)?([^\W\d_]+)\s*$")
_WORD_AFTER = re.compile(r"\s*([^\W\d_]+)")


def context_of(match: re.Match[str]) -> Context:
    """The words around a match; looks at a bounded stretch of text only."""
    text = match.string
    before = _WORD_BEFORE.search(text[max(0, match.start() - 40) : match.start()])
    after = _WORD_AFTER.match(text[match.end() : match.end() + 24])
    follows = after[1] if after else ""
    return Context(before[2], follows, before[1] or "") if before else Context("", follows)


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


def weekday_rules(language: Language) -> tuple[Rule, ...]:
    """ "Mon-Fri", "Mo–Fr", for texts without digits, too."""
    if not language.weekdays:
        return ()
    names = _written(language.weekdays, _lower_days(language))
    pattern = re.compile(
        f"(?<!\\w)({names})\\.?{_S}?[-\u2010\u2011\u2013\u2014]{_S}?({names})(?!\\w)"
    )

    def read(match: re.Match[str]) -> str | None:
        first, second = (language.weekdays[match[i].lower()] for i in (1, 2))
        return language.join_days(first, second) if first != second else None

    short = re.compile(f"(?<!\\w)({names})\\.?,?{_S}+(?=[0-9]{{1,4}}[./-][0-9])")

    def read_short(match: re.Match[str]) -> str:
        return language.weekdays[match[1].lower()] + language.weekday_joint

    return (
        Rule(short, read_short, "./-"),
        Rule(pattern, read, "-\u2010\u2011\u2013\u2014"),
    )


def _lower_days(language: Language) -> bool:
    return all(name.islower() for name in language.weekdays.values())


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

    month = _written(language.month_names, language.months[0].islower())
    weekday = "(?P<weekday>)"
    if language.weekdays:
        weekday = (
            f"(?:(?P<weekday>{_written(language.weekdays, _lower_days(language))})\\.?,?{_S}+)?"
        )
    of_year = f"(?:{language.date_joint or 'of'}){_S}+"
    year = f"(?:,?{_S}+(?:{of_year})?(?P<year>[0-9]{{4}})(?![\\w]|[.,:/-][0-9]))?"
    joint = f"(?:(?:{language.date_joint}){_S}+)?" if language.date_joint else ""
    suffix = f"(?:{language.day_suffix})?"
    tail = f"(?![\\w%°]|[.,:/-][0-9]|{_S}?[%°])"
    name = f"(?P<month>{month})"
    day = "(?P<day>[0-9]{1,2})"
    # The last of single digits read out is no day: "1 2 3 May we begin".
    day_month = re.compile(
        f"(?<![\\w.,:/-])(?<![^\\w.,:/-][0-9] )(?<!^[0-9] ){weekday}{day}{suffix}(?:{_S}+|(?<=\\.)){joint}{name}(?!\\w)(?P<point>\\.?){year}"
    )
    month_day = re.compile(f"(?<!\\w){weekday}{name}(?P<point>)\\.?{_S}+{day}{suffix}{tail}{year}")
    month_year = re.compile(f"(?<!\\w){name}\\.?{_S}+(?P<year>[0-9]{{4}}){tail}")

    hyphened = re.compile(
        f"(?<![\\w.,:/-])(?P<weekday>){day}-{name}-(?P<year>[0-9]{{4}})(?P<point>)(?![\\w-])"
    )
    second = "(?P<second>[0-9]{1,2})"
    dash = f"{_S}?[-\u2010\u2011\u2013]{_S}?"
    days_month = re.compile(f"(?<![\\w.,:/-]){day}{dash}{second}{_S}+{joint}{name}(?!\\w)")
    month_days = re.compile(f"(?<!\\w){name}\\.?{_S}+{day}{suffix}{dash}{second}{suffix}{tail}")

    def read_days(match: re.Match[str], order: str) -> str | None:
        first, last = int(match["day"]), int(match["second"])
        number = language.month_names[match["month"].lower()]
        if not (valid_date(first, number) and valid_date(last, number)):
            return None
        return language.date_range(first, last, number, order)

    def spoken(match: re.Match[str], order: str) -> str | None:
        day, number = int(match["day"]), language.month_names[match["month"].lower()]
        if not valid_date(day, number):
            return None
        context = context_of(match)
        lead = ""
        if match["weekday"]:
            context = Context(language.weekdays[match["weekday"].lower()], context.after)
            lead = context.before + language.weekday_joint
        year = int(match["year"]) if match["year"] else None
        point = match["point"]
        if point and match["month"].capitalize() in language.months:
            words = lead + language.date(day, number, None, order, context) + "."
            return words if year is None else f"{words} {language.year(year)}"
        if point and (year is not None or not language.ends_sentence(match.string, match.end())):
            point = ""
        return lead + language.date(day, number, year, order, context) + point

    found.append(Rule(hyphened, lambda m: spoken(m, "day"), "-"))
    found.append(Rule(days_month, lambda m: read_days(m, "day")))
    if language.month_first_names:
        found.append(Rule(month_days, lambda m: read_days(m, "month")))
    found.append(Rule(day_month, lambda m: spoken(m, "day")))
    if language.month_first_names:
        found.append(Rule(month_day, lambda m: spoken(m, "month")))

    def read_digits(match: re.Match[str]) -> str:
        month_digits, year_digits = match[1] or match[4], match[2] or match[3]
        return f"{language.months[int(month_digits) - 1]} {language.year(int(year_digits))}"

    # "12/2025", "2025-12"
    digits = re.compile(
        r"(?<![\w.,:/-])(?:(0?[1-9]|1[0-2])/((?:19|20)[0-9]{2})|((?:19|20)[0-9]{2})-(0[1-9]|1[0-2]))(?![\w/-]|[.,:][0-9])"
    )
    found.append(Rule(digits, read_digits, "/-"))

    def read_month_year(match: re.Match[str]) -> str:
        spoken_month = language.months[language.month_names[match["month"].lower()] - 1]
        return f"{spoken_month} {language.year(int(match['year']))}"

    found.append(Rule(month_year, read_month_year))
    return found


def _written(words: Iterable[str], lower: bool) -> str:
    """Any of the words, capitalised or in capitals, longest first.

    In lower case they are taken where the language writes them so (`lower`), else only if they cannot be another
    word: "may", "march" and "sun" can.
    """
    forms: set[str] = set()
    for word in words:
        forms |= {word.capitalize(), word.upper()}
        if lower or (len(word) >= 6 and word != "august"):
            forms.add(word)
    return any_of(forms)


def _time_rules(language: Language) -> list[Rule]:
    clock = f"(?:{_S}?(?:{language.clock_words})(?!\\w))" if language.clock_words else "(?!)"
    # "20:15 h": understood everywhere, but only after minutes ("20 h" is a duration).
    after_minutes = f"(?:{clock}|{_S}?h(?!\\w))"
    written = sorted(language.meridiems, key=lambda w: (-len(w), w))
    meridiem = f"(?:{_S}?({'|'.join(map(re.escape, written))})(?![^\\W_]))" if written else "((?!))"
    head = r"(?<![\w:.,/])(?<![0-9]-)"
    one = "([01]?[0-9]|2[0-4]):([0-5][0-9])(?::([0-5][0-9])(?:[.,][0-9]{1,6})?)?"
    tail = r"(?![\w:]|[.,/][0-9])"
    time_range = re.compile(
        f"{head}{one}(?:{meridiem}|{after_minutes})?({_S}?[-–—]{_S}?){one}(?:{meridiem}|{after_minutes})?{tail}"
    )
    time = re.compile(f"{head}{one}(?:{meridiem}|{after_minutes})?{tail}")
    dotted = re.compile(f"{head}([01]?[0-9]|2[0-4])\\.([0-5][0-9])()(?:{meridiem}|{clock}){tail}")
    hour_only = re.compile(f"(?<![\\w:.,/])([01]?[0-9]|2[0-4])()()(?:{meridiem}|{clock}){tail}")
    hour_range = re.compile(
        f"(?<![\\w:.,/])([01]?[0-9]|2[0-4])({_S}?[-–—]{_S}?)([01]?[0-9]|2[0-4])()()(?:{meridiem}|{clock}){tail}"
    )

    # "8.30–9.15 Uhr", "8.30 bis 9 Uhr": the word stands after the second time only.
    to = f"(?:{_S}?[-–—]{_S}?|{_S}(?:{language.range_word}|und|oder|en|of|and|or|y){_S})"
    hour = "([01]?[0-9]|2[0-4])"
    first = f"{hour}(?:\\.([0-5][0-9]))?()(?:{meridiem}|{clock})?"
    second = f"{hour}(?:\\.([0-5][0-9]))?()(?:{meridiem}|{clock})"
    dotted_range = re.compile(
        f"{head}(?=[0-9]{{1,2}}(?:[^\\n.]{{1,20}})?\\.){first}({to}){second}{tail}"
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
        return say(groups, context_of(match)) + _final_point(language, match, groups[3])

    def pair(match: re.Match[str]) -> str:
        groups = match.groups()
        first, second = say(groups[:4], context_of(match)), say(groups[5:9], Context())
        return language.join_range(first, second) + _final_point(language, match, groups[8])

    def dotted_pair(match: re.Match[str]) -> str | None:
        if match[2] is None and match[7] is None:
            return None  # whole hours
        if match[5].strip() not in (language.range_word, *"-–—"):  # "zwischen 8.30 und 9.15 Uhr"
            first = language.time(int(match[1]), int(match[2] or 0), None, "", context_of(match))
            second = say(match.groups()[5:9], Context())
            return f"{first}{match[5]}{second}" + _final_point(language, match, match[9])
        return pair(match)

    def hours(match: re.Match[str]) -> str:
        half = match[6]
        spoken = language.meridiems[half] if half else ""
        second = language.time(int(match[3]), 0, None, spoken, Context())
        words = language.join_range(language.cardinal(int(match[1])), second)
        return words + _final_point(language, match, half)

    found = [_duration_rule(language), Rule(time_range, pair, ":"), Rule(time, single, ":")]
    if language.meridiems or language.clock_words:
        found.append(Rule(dotted_range, dotted_pair, "."))
        found += [Rule(dotted, single), Rule(hour_range, hours), Rule(hour_only, single)]
    return found


def _final_point(language: Language, match: re.Match[str], meridiem: str | None) -> str:
    """ "5 p.m." may end the sentence: then its point stays."""
    ends = meridiem and meridiem.endswith(".") and language.ends_sentence(match.string, match.end())
    return "." if ends else ""


def _duration_rule(language: Language) -> Rule:
    """ "1h 20min", "2h30", "5m 30s", "1d 4h": "m" is a minute beside an hour or a second only."""
    hour = language.hour_letter
    minutes = rf"(?:([0-9]{{1,3}}){_S}?(?:min\.?|m)|(?<={hour})([0-9]{{1,2}}))"
    pattern = re.compile(
        rf"(?<![\w.,:/])(?:"
        rf"(?:([0-9]{{1,4}}){_S}?d{_S}?)?([0-9]{{1,4}}){_S}?{hour}{_S}?{minutes}(?:{_S}?([0-9]{{1,2}}){_S}?s)?"
        rf"|([0-9]{{1,3}}){_S}?(?:min\.?|m){_S}?([0-9]{{1,2}}){_S}?s"
        rf"|([0-9]{{1,4}}){_S}?d{_S}?([0-9]{{1,2}}){_S}?{hour}"
        rf")(?![\w²³/]|[.,][0-9])"
    )
    keys = ("day", "hour", "minute", "minute", "second", "minute", "second", "day", "hour")

    def read(match: re.Match[str]) -> str:
        around = Context(context_of(match).before)
        words = " ".join(
            language.count_in(Number(digits.lstrip("0") or "0"), language.units[key], around)
            for digits, key in zip(match.groups(), keys, strict=True)
            if digits
        )
        return words + _final_point(language, match, match[0])

    return Rule(pattern, read)


def _decade_rules(language: Language) -> list[Rule]:
    if not language.decade_pattern:
        return []
    pattern = re.compile(language.decade_pattern)
    return [Rule(pattern, lambda match: language.decade(match[1]))]
