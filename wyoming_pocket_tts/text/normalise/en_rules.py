"""Rules of English alone: days in digits, marks of measures, abbreviations before a number.

Knows nothing of the tables of words; `en.py` holds those.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .base import Context, Rule
from .rules_calendar import valid_date
from .tables import words

if TYPE_CHECKING:
    from .en import English

_S = "[ \u00a0]"
_DAY = r"([0-9]{1,2})/([0-9]{1,2})"
_END = r"(?![\w/%°]|[.,:-][0-9])"
# After these "1/2" may as well be a part ("reduced by 1/3"); a part has a small denominator.
_DOUBTFUL = words("by from after before")
_AFTER_PART = words(
    "of cup cups inch inches mile miles hour hours teaspoon tablespoon pound pounds power speed "
    "volume full as more less"
)
# "on 1/2 the surface" is a part, "on 12/24 the door" a day: parts have denominators up to ten.
_ARTICLES = words("the a an")
_LARGEST_PART = 10
# What may stand after a day that has no preposition before it; after any other word it is "3 out of 17".
_AFTER_DAY = words(
    "at is was and or to through until in deadline meeting party game event appointment"
)
_MARKS = words("score scored got grade mark battery quiz rating rated progress")
_TENS = {"10": "tens", "100": "hundreds", "1000": "thousands", "1,000": "thousands"}


def day_rules(language: English) -> tuple[Rule, ...]:
    """ "on 12/24", "due 1/5", "from 1/5 to 1/9", "11/30 at 4pm"."""
    named = re.compile(
        rf"(?<!\w)([Oo]n|[Bb]y|[Dd]ue|[Ss]tart(?:s|ing)|[Uu]ntil|[Tt]ill|[Ff]rom|[Ss]ince|[Bb]efore|[Aa]fter"
        rf"|[Ee]nd(?:s|ing)|[Dd]ated?|[Dd]eadline|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?)(:?{_S}){_DAY}"
        rf"(?:({_S}(?:to|through|until|till|and|or){_S}|{_S}?[-–]{_S}?){_DAY})?{_END}(?={_S}?([a-z]+)|)"
    )
    lone = re.compile(rf"(?<![\w.,/:$€£+-])(?!24/7)(?<!\w[ ][-–] ){_DAY}{_END}(?={_S}?([a-z]+)|)")
    before = re.compile(r"([A-Za-z]+)[ :]{1,2}$")

    def day(first: str, second: str) -> str | None:
        month, number = int(first), int(second)
        if language.day_first or not valid_date(number, month):
            month, number = number, month
        if not valid_date(number, month):
            return None
        return language.date(number, month, None, "", Context())

    def read_named(match: re.Match[str]) -> str | None:
        doubtful = match[1].lower() in _DOUBTFUL and match[4] in ("2", "3", "4")
        after = match[8] or ""
        part = after in _ARTICLES and int(match[4]) <= _LARGEST_PART
        if doubtful or part or after in _AFTER_PART:
            return None
        spoken = day(match[3], match[4])
        if spoken is None:
            return None
        if match[5] is None:
            return f"{match[1]}{match[2]}{spoken}"
        last = day(match[6], match[7])
        joint = match[5] if match[5].strip().isalpha() else " to "
        return None if last is None else f"{match[1]}{match[2]}{spoken}{joint}{last}"

    def read_lone(match: re.Match[str]) -> str | None:
        first, second = int(match[1]), int(match[2])
        number, month = (first, second) if language.day_first else (second, first)
        lead = before.search(match.string[max(0, match.start() - 20) : match.start()])
        word = lead[1].lower() if lead else ""
        if (first, second) == (9, 11) and not match[3] and word not in _MARKS:
            return "nine eleven"
        if word in _MARKS or word in language.part_nouns or not valid_date(number, month):
            return None
        if number <= 12 or first == 1 or (match[3] and match[3] not in _AFTER_DAY):
            return None
        return language.date(number, month, None, "", Context())

    return (Rule(named, read_named, "/"), Rule(lone, read_lone, "/"))


def small_rules(language: English) -> tuple[Rule, ...]:
    """ "100s of lights", "Ratio 1:10", "2x milk", "ch. 5", "230 VAC", "24h forecast"."""
    tens = re.compile(r"(?<![\w.,])(10|100|1,?000)s(?= of (?!work|rest|pause|silence|delay))")
    ratio = re.compile(
        rf"(?<!\w)([Rr]atio|[Ss]cale|[Oo]dds|[Dd]ilut(?:e|ed|ion))(:?{_S}(?:of |at |is )?)([0-9]{{1,4}}):([0-9]{{1,4}})(?![\w:])"
    )
    times = re.compile(
        r"(?<![\w.,])([0-9]{1,3})x(?=[ \u00a0](?!zoom|speed|optical|digital|magnif)[a-z])"
    )
    shorts = {
        "ch": "chapter", "chs": "chapters", "vol": "volume", "vols": "volumes", "fig": "figure",
        "figs": "figures", "sect": "section", "ver": "version", "pg": "page", "p": "page",
        "pp": "pages", "para": "paragraph", "rm": "room", "ep": "episode",
    }  # fmt: skip
    short = re.compile(
        rf"(?<![\w.])({'|'.join(sorted(shorts, key=len, reverse=True))})\.{_S}?(?=[0-9])", re.I
    )
    current = re.compile(rf"(?<=[0-9])({_S}?)V(AC|DC)(?!\w)")
    hours = re.compile(
        rf"(?<![\w.,:/-])([0-9]{{1,2}}){_S}?(?:h|hr){_S}(?=(?:forecast|clock|format|time|service|delivery|"
        r"period|cycle|history|average|view|window|timer|delay|shift|trend|reminder)(?!\w))"
    )

    def read_short(match: re.Match[str]) -> str:
        word = shorts[match[1].lower()]
        return f"{word.capitalize() if match[1][0].isupper() else word} "

    def read_ratio(match: re.Match[str]) -> str:
        first, second = language.cardinal(int(match[3])), language.cardinal(int(match[4]))
        return f"{match[1]}{match[2]}{first} {language.ratio_word} {second}"

    def read_times(match: re.Match[str]) -> str:
        value = int(match[1])
        return "once" if value == 1 else f"{language.cardinal(value)} times"

    return (
        Rule(tens, lambda m: _TENS[m[1]], "s"),
        Rule(ratio, read_ratio, ":"),
        Rule(times, read_times, "x"),
        Rule(short, read_short, "."),
        Rule(current, lambda m: f"{m[1] or ' '}V {' '.join(m[2])}", "V"),
        Rule(hours, lambda m: f"{language.cardinal(int(m[1]))}-hour ", "h"),
    )
