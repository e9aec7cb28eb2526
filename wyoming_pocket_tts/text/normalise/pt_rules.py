"""Rules of Portuguese alone: telephone numbers, hours after their preposition, ordinals."""

from __future__ import annotations

import re

from . import pt_tables
from .base import Context, Rule
from .romance import DIGITS, SPACE, WORD, Romance
from .romance_rules import title_rule


def rules(language: Romance) -> tuple[Rule, ...]:
    """The rules of Portuguese alone."""
    return (
        title_rule(language),
        *_phone_rules(language),
        *_hour_rules(language),
        *_ordinal_rules(language),
    )


def _phone_rules(language: Romance) -> list[Rule]:
    """ "(11) 91234-5678", "3123-4567": landlines begin with 3 to 5, mobile numbers with 9."""
    pattern = re.compile(
        r"(?<![\w.,+/-])(?:\(?(0?[1-9][0-9])\)?[ \u00a0]?)?(9[0-9]{4}|[3-5][0-9]{3})-([0-9]{4})(?![\w-]|[.,:/][0-9])"
    )

    def read(match: re.Match[str]) -> str:
        return ", ".join(language.digits(group) for group in match.groups() if group)

    # Portugal writes nine digits in threes, as amounts are; after an amount stands what it counts.
    threes = re.compile(
        r"(?<![\w.,+/-])(?:9[1236][0-9]|2[1-9][0-9]|30[0-9]|70[78]|80[0-9])([ \u00a0])[0-9]{3}\1[0-9]{3}"
        r"(?![\w]|[.,:/-][0-9]|[ \u00a0](?:[0-9]|[€$£%°]|[kM]?Wh?\b|(?!(?:para|e|ou|a|se|em|das?|até|já|de|é)\b)[a-zà-ú]))"
    )

    def read_threes(match: re.Match[str]) -> str:
        return ", ".join(language.digits(group) for group in re.findall("[0-9]+", match[0]))

    return [Rule(pattern, read, "-"), Rule(threes, read_threes, DIGITS)]


def _hour_rules(language: Romance) -> list[Rule]:
    """ "14h30", and times after "às", which is "à" before midnight and one o'clock."""
    before = rf"([ÀàAa]s|[Dd]as){SPACE}"
    clock = r"([01]?[0-9]|2[0-4])"
    tail = rf"(?![\w%°]|[.,:/][0-9]|{SPACE}?(?:am|pm|a\.m|p\.m)(?!\w))"
    after_as = re.compile(rf"(?<!\w){before}{clock}(?:[:h]([0-5][0-9])(?:min|h)?|{SPACE}?h)?{tail}")
    bare = re.compile(
        rf"(?<![\w.,:/-]){clock}{SPACE}?h{SPACE}?([0-5][0-9])(?!{SPACE}?(?:m|s|min)\b){tail}"
    )

    hour = rf"{clock}{SPACE}?h(?:{SPACE}?([0-5][0-9]))?"
    span = re.compile(
        rf"(?<![\w.,:/-])(?:([Dd]as?|[Àà]s?){SPACE})?{hour}{SPACE}?[-–]{SPACE}?{hour}(?!{SPACE}?(?:m|s|min)\b){tail}"
    )

    def read_span(match: re.Match[str]) -> str:
        """ "9h30-11h"."""
        said = []
        for short, i in (("da", 2), ("à", 4)):
            hour_of = int(match[i])
            time = language.time(hour_of, int(match[i + 1] or 0), None, "", Context("às"))
            if not match[i + 1]:
                time = time.removesuffix(" horas").removesuffix(" hora")
            said.append(f"{short}{'' if hour_of in (0, 1, 24) else 's'} {time}")
        if (match[1] or "d")[0].isupper():
            said[0] = said[0].capitalize()
        return " ".join(said)

    def read_after_as(match: re.Match[str]) -> str | None:
        word, hour, minute = match[1], int(match[2]), int(match[3] or 0)
        lone = match[0][-1].isdigit() and match[3] is None
        to_another = word.lower() == "das" and match.string[match.end() :].startswith(" às ")
        if lone and word.lower() != "às" and not to_another:
            return None  # "as 2 luzes"
        if lone and hour > 1:
            return f"{word} {language.cardinal(hour, 'f')}"
        words = language.time(hour, minute, None, "", Context("às"))
        if hour in (0, 1, 24):
            word = {"às": "à", "as": "a", "das": "da"}[word.lower()].replace(
                word[0].lower(), word[0], 1
            )
        return f"{word} {words}"

    def read_bare(match: re.Match[str]) -> str:
        return language.time(int(match[1]), int(match[2]), None, "", Context())

    return [
        Rule(span, read_span, "-–"),
        Rule(after_as, read_after_as, DIGITS),
        Rule(bare, read_bare, DIGITS),
    ]


def _ordinal_rules(language: Romance) -> list[Rule]:
    """ "1º", "2ª", "3.º"; "1°" only before a noun that is counted that way."""
    pattern = re.compile(
        rf"(?<![\w.,])([0-9]{{1,4}})\.?([ºª])(?![\w]|{SPACE}?[CF](?!\w))(?={SPACE}({WORD}{{2,24}})|)"
    )
    degree = re.compile(
        rf"(?<![\w.,])([0-9]{{1,3}})°(?={SPACE}(?:{'|'.join(pt_tables.AFTER_ORDINAL)})(?!\w))"
    )

    weekday = re.compile(
        rf"(?<![\w.,])([2-6])\.?[ªa](?:[- \u00a0](feiras?)(?!\w)|(?={SPACE}(?:a|à|e|ou){SPACE}[2-6]\.?[ªa][- ]feira))"
    )

    def read_weekday(match: re.Match[str]) -> str:
        """ "3ª-feira"."""
        name = ("segunda", "terça", "quarta", "quinta", "sexta")[int(match[1]) - 2]
        if not match[2]:
            return name
        return f"{name}s-feiras" if match[2].endswith("s") else f"{name}-feira"

    century = re.compile(rf"(?<!\w)séc\.{SPACE}(?=[IVX]{{1,6}}(?!\w))")
    war = re.compile(rf"(?<![\w'’-])(I{{1,3}})(?={SPACE}[Gg]uerra )")

    def read(match: re.Match[str]) -> str | None:
        value = int(match[1])
        alone = (match[3] or "") in ("", *language.function_words)
        if match[2] == "º" and value > 12 and alone and "." not in match[0]:
            return None  # "20º" is a temperature
        return language.ordinal(value, "f" if match[2] == "ª" else "") if value else None

    # "Brasil 2 x 1": the result of a match, after a name.
    score = re.compile(
        rf"(?<=[a-zà-ú]{SPACE})([0-9]{{1,2}}){SPACE}?[xX]{SPACE}?([0-9]{{1,2}})(?={SPACE}[A-ZÀ-Ú]|[.!?]?$|[.!?]{SPACE})"
    )
    name = re.compile(rf"(?<!\w)[A-ZÀ-Ú][a-zà-ú]{{2,20}}{SPACE}$")

    def read_score(match: re.Match[str]) -> str | None:
        if not name.search(match.string[max(0, match.start() - 24) : match.start()]):
            return None
        return f"{language.cardinal(int(match[1]))} a {language.cardinal(int(match[2]))}"

    return [
        Rule(score, read_score, "xX"),
        Rule(weekday, read_weekday, "ªa"),
        Rule(pattern, read, "ºª"),
        Rule(century, lambda m: "século ", "s"),
        Rule(war, lambda m: language.ordinal(len(m[1]), "f"), "I"),
        Rule(degree, lambda m: language.ordinal(int(m[1])) if int(m[1]) else None, "°"),
    ]
