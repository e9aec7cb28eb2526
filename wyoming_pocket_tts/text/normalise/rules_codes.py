"""Rules for what is read as a code: addresses, versions, telephone numbers.

They go first, because their dots, colons and hyphens mean nothing else once they are recognised.
"""

from __future__ import annotations

import re

from .base import Language, Rule
from .rules_calendar import valid_date
from .units import UNIT_SYMBOLS, any_of, symbol_table

_MAC = re.compile(
    r"(?<![\w:-])(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])"
)
_UUID = re.compile(r"(?<![\w-])[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![\w-])")
_IP = re.compile(
    r"(?<![\w.])([0-9]{1,3}(?:\.[0-9]{1,3}){3})(?:(:)([0-9]{1,5})|(/)([0-9]{1,2}))?(?![\w]|\.[0-9])"
)
_VERSION = re.compile(
    r"(?<![\w.,])(?:([vV])\.?)?([0-9]{1,6}(?:\.[0-9]{1,6}){2,4})(?:[.-]?(alpha|beta|rc|dev|b|a)\.?([0-9]{1,3}))?"
    r"(?![\w]|[.,/][0-9])"
)
_SHORT_VERSION = re.compile(
    r"(?<![\w.,])[vV]\.?([0-9]{1,4}(?:\.[0-9]{1,6}){0,1})(?![\w]|[.,/][0-9])"
)
# International with "+" or "00", national with a leading 0 or a bracketed area code, North American 3-3-4 and 3-4.
_GROUPS = r"(?:[ \u00a0./-]?\(?[0-9]{1,12}\)?){1,8}"
_PHONE = re.compile(
    rf"(?<![\w.,:+])(?:"
    rf"(?:\+|00)[1-9][0-9]{{0,3}}{_GROUPS}"
    rf"|\(0?[0-9]{{2,5}}\)[ \u00a0]?[0-9]{{3,8}}(?:[ \u00a0/-][0-9]{{2,6}}){{0,4}}"
    rf"|0[0-9]{{1,5}}(?:[ \u00a0./-][0-9]{{2,8}}){{1,6}}"
    rf"|0[0-9]{{8,12}}"
    rf"|(?:1[ \u00a0.-])?[0-9]{{3}}([ \u00a0.-])[0-9]{{3}}\1[0-9]{{4}}"
    rf"|[2-9][0-9]{{2}}-[0-9]{{4}}"
    rf")(?![\w]|[.,:/][0-9]|-[0-9])"
)
_RUN = re.compile("[0-9]+")


def rules(language: Language) -> tuple[Rule, ...]:
    """Rules for texts with digits."""

    def mac(match: re.Match[str]) -> str:
        pairs = re.split("[:-]", match[0])
        return ", ".join(language.spell(pair) for pair in pairs)

    def uuid(match: re.Match[str]) -> str:
        groups = match[0].split("-")
        return ", ".join(
            language.spell(group[i : i + 4]) for group in groups for i in range(0, len(group), 4)
        )

    def address(match: re.Match[str]) -> str | None:
        octets = match[1].split(".")
        if any(int(octet) > 255 for octet in octets):
            return None
        padded = any(len(octet) > 1 and octet[0] == "0" for octet in octets)
        if padded and language.decimal_mark == ",":
            return None  # "1.000.000.000"
        words = f" {language.address_dot} ".join(_code(language, octet) for octet in octets)
        if match[2]:
            words = f"{words}, {language.symbols.get('port', 'port')} {_code(language, match[3])}"
        if match[4]:
            words = f"{words} {language.symbols.get('slash', 'slash')} {language.cardinal(int(match[5]))}"
        return words

    version_before = re.compile(rf"(?<!\w)(?:{language.version_words})[ \u00a0:]+$")

    def version(match: re.Match[str]) -> str | None:
        parts = match[2].split(".")
        if not match[1] and [len(part) for part in parts] == [3, 3, 4]:
            return None  # "555.123.4567" is a telephone number
        looks_grouped = len(parts[0]) <= 3 and all(len(part) == 3 for part in parts[1:])
        if not match[1] and looks_grouped:
            return None  # "1.234.567" is a number in every language
        if not match[1] and not match[3] and _looks_like_date(match[0], parts):
            # "30.11.2026" is a date everywhere, "24.12.99" where dates have points; but not "Version 1.2.10".
            lead = match.string[max(0, match.start() - 24) : match.start()]
            if len(parts[2]) == 4 or (
                language.decimal_mark == "," and not version_before.search(lead)
            ):
                return None
        words = f" {language.version_point} ".join(_version_part(language, part) for part in parts)
        if match[3]:
            stage = match[3] if len(match[3]) > 2 else language.spell(match[3])
            words = f"{words} {stage} {language.cardinal(int(match[4]))}"
        return f"{_version_word(language)} {words}" if match[1] else words

    named = re.compile(
        rf"(?<!\w)({language.version_words})([ \u00a0])([0-9]{{1,4}})\.([0-9]{{1,6}})(?![\w]|[.,/][0-9])"
    )

    def named_version(match: re.Match[str]) -> str:
        first, second = _version_part(language, match[3]), _version_part(language, match[4])
        return f"{match[1]}{match[2]}{first} {language.version_point} {second}"

    def short_version(match: re.Match[str]) -> str:
        parts = match[1].split(".")
        words = f" {language.version_point} ".join(_version_part(language, part) for part in parts)
        return f"{_version_word(language)} {words}"

    units = symbol_table(UNIT_SYMBOLS, language.units, language.unit_symbols)
    unit_after = re.compile(rf"[ \u00a0]?(?:{any_of(units)})(?!\w)")

    def phone(match: re.Match[str]) -> str | None:
        groups = _RUN.findall(match[0])
        if unit_after.match(match.string, match.end()):
            return None  # "500-1000 W"
        if (
            len(groups) == 2
            and len(groups[0]) == 3
            and match[0][3] == "-"
            and groups[1].endswith("00")
        ):
            return None  # "500-1000 people"
        count = sum(map(len, groups))
        if not 7 <= count <= 17 or _looks_like_date(match[0], groups):
            return None
        words = ", ".join(_phone_group(language, group) for group in groups)
        return f"{language.prefixes['+']} {words}" if match[0][0] == "+" else words

    return (
        Rule(_MAC, mac, ":-"),
        Rule(_UUID, uuid, "-"),
        Rule(_IP, address, "."),
        Rule(_VERSION, version, "."),
        Rule(named, named_version, "."),
        Rule(_SHORT_VERSION, short_version, "vV"),
        Rule(_PHONE, phone),
    )


def _version_word(language: Language) -> str:
    return language.symbols.get("version", "version")


def _code(language: Language, digits: str) -> str:
    """Parts of an address: "one nine two", "ten"."""
    return language.code_number(digits)


def _version_part(language: Language, digits: str) -> str:
    if digits[0] == "0" and len(digits) > 1:
        return language.digits(digits)
    if len(digits) == 4 and digits.startswith("20"):
        return language.year(int(digits))  # "2026.11.1"
    return language.cardinal(int(digits))


def _phone_group(language: Language, digits: str) -> str:
    return language.phone_group(digits) if len(digits) <= 5 else language.digit_groups(digits)


def _looks_like_date(text: str, groups: list[str]) -> bool:
    """ "01.12.2026" and "01-12-2026" have the shape of a telephone number, too."""
    if len(groups) != 3 or " " in text:
        return False
    first, second, third = groups
    if not (len(first) <= 2 and len(second) <= 2 and len(third) in (2, 4)):
        return False
    day, month = int(first), int(second)
    return valid_date(day, month) or valid_date(month, day)
