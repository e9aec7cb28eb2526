"""Rules for words: codes of letters and digits, Roman numerals, abbreviations, acronyms, names with underscores,
units that stand alone, and symbols the model's vocabulary lacks.

Ordinary words are never changed. Brackets, quotes and sentence marks are left to the steps before and after.
"""

from __future__ import annotations

import re

from .base import Language, Rule
from .rules_numbers import leftover_rule
from .units import CURRENCY_SYMBOLS, NEVER_ALONE, UNIT_SYMBOLS, any_of, symbol_table

_MIXED = re.compile(
    r"(?<![^\W_])[^\W\d_]+[0-9][^\W_]*(?:\.[0-9]+)?(?![^\W_])"
    r"|(?<![^\W_])(?<![0-9][.,])[0-9]+(?:[.,][0-9]+)?[^\W\d_][^\W_]*"
)
_PIECES = re.compile(r"[0-9]+|[.,]|[^\W\d_]+")
_ROMAN = re.compile(r"M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")
_ROMAN_HINT = re.compile(r"[ \u00a0][IVXLCDM]{1,12}(?!\w)")
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
# Home Assistant's domains: "light.kitchen" is an entity, "word.word" a missing space.
_DOMAINS = (
    "alarm_control_panel|automation|binary_sensor|button|calendar|camera|climate|cover|device_tracker|event|fan|"
    "group|humidifier|image|input_boolean|input_button|input_datetime|input_number|input_select|input_text|"
    "lawn_mower|light|lock|media_player|notify|number|person|remote|scene|schedule|script|select|sensor|siren|"
    "sun|switch|text|timer|todo|tts|update|vacuum|valve|water_heater|weather|zone"
)
_ENTITY = re.compile(rf"(?<![\w.])({_DOMAINS})\.([a-z][a-z0-9_]*)(?!\w)")
_ENTITY_HINT = re.compile(r"\.[a-z]")
_WORD_FOLLOWS = re.compile(r"[ \u00a0\"'”’»)]{0,8}[^\W_]")
_PAUSE = re.compile(r"[.,:;!?)]|\s*$")
_UNDERSCORES = re.compile(r"(?<=[^\W_])_+(?=[^\W_])")
_CAPITAL = "A-ZÀ-ÖØ-ÞŒŠŸŽ"


def mixed_rules(language: Language) -> tuple[Rule, ...]:
    """For texts with digits: codes, and the digits that are left."""

    vowels = set(language.vowels)

    def read(match: re.Match[str]) -> str:
        written = match[0]
        if written in language.said:
            return language.said[written]
        pieces = _PIECES.findall(written)
        if len(pieces) > 3 and "." not in pieces and "," not in pieces:
            return _spelled_code(language, written)
        spoken = []
        for piece in pieces:
            if piece.isdigit() and piece.isascii():
                spoken.append(language.code_number(piece))
            elif piece in ".,":
                spoken.append(language.point)
            elif piece.isupper() and (len(piece) <= 4 or not set(piece) & vowels):
                said = language.said.get(piece, "")
                spoken.append(said if said.upper() == piece else language.spell(piece))
            elif len(piece) == 1 or (len(piece) <= 3 and not set(piece.upper()) & vowels):
                spoken.append(language.spell(piece))
            else:
                spoken.append(piece)
        return " ".join(spoken)

    return (
        Rule(_ENTITY, lambda m: f"{m[1]} {m[2]}".replace("_", " "), ".", _ENTITY_HINT),
        Rule(_MIXED, read),
        leftover_rule(language),
    )


def _spelled_code(language: Language, written: str) -> str:
    """A serial number: every character, with a pause after each third or fourth."""
    size = 4 if len(written) % 4 == 0 else 3
    return ", ".join(language.spell(written[i : i + size]) for i in range(0, len(written), size))


def rules(language: Language) -> tuple[Rule, ...]:
    """For every text."""
    found = [
        Rule(_ENTITY, lambda m: f"{m[1]} {m[2]}".replace("_", " "), ".", _ENTITY_HINT),
        Rule(_UNDERSCORES, lambda m: " ", "_"),
        *_roman_rules(language),
        _lone_unit_rule(language),
        *_abbreviation_rules(language),
        _capitals_rule(language),
        *_symbol_rules(language),
    ]
    return tuple(found)


def wind_rules(language: Language) -> tuple[Rule, ...]:
    """ "viento del NO", "SE a 20 km/h": without such a word beside it, it may be a shouted "no" or "se"."""
    if not language.winds:
        return ()
    names = any_of(language.winds)
    pattern = re.compile(
        rf"(?<![\w'’])({names})(?!\w|['’])(?=([ \u00a0](?:a[ \u00a0])?[0-9]{{1,3}}[ \u00a0]?(?:km/h|kmh|m/s|kn|kt))|)"
    )
    before = re.compile(rf"(?<!\w)(?:{language.wind_words})[ \u00a0:]{{1,2}}$")

    def read(match: re.Match[str]) -> str | None:
        lead = match.string[max(0, match.start() - 40) : match.start()]
        return language.winds[match[1]] if match[2] or before.search(lead) else None

    return (Rule(pattern, read, "".join({name[0] for name in language.winds})),)


def _roman_rules(language: Language) -> list[Rule]:
    found = []
    for words, ordinal in ((language.roman_nouns, False), (language.roman_names, True)):
        if not words:
            continue
        pattern = re.compile(
            rf"(?<!\w)({'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})([ \u00a0])([IVXLCDM]{{1,12}})(?!\w)(\.?)"
        )

        def read(match: re.Match[str], ordinal: bool = ordinal) -> str | None:
            if not _ROMAN.fullmatch(match[3]):
                return None
            if match[3] in ("C", "D", "L", "M"):
                return None  # "Type C"
            if (
                match[3] == "I"
                and language.code == "en"
                and not ordinal
                and not _PAUSE.match(match.string, match.end(3))
            ):
                return None  # "In part I agree"
            value = 0
            for char, following in zip(match[3], match[3][1:] + " ", strict=True):
                step = _ROMAN_VALUES[char]
                value += -step if step < _ROMAN_VALUES.get(following, 0) else step
            spoken = language.roman(value, match[1], ordinal)
            if spoken is None:
                return None
            point = match[4]
            if point and ordinal and language.ordinal_point:
                point = "." if language.ends_sentence(match.string, match.end()) else ""
            return f"{match[1]}{match[2]}{spoken}{point}"

        found.append(Rule(pattern, read, "IVXLCDM", _ROMAN_HINT))
    return found


def _lone_unit_rule(language: Language) -> Rule:
    """ "in kWh", "km/h": symbols that cannot be words, in the plural."""
    table = {
        symbol: language.units[key].name(False)
        for symbol, key in symbol_table(UNIT_SYMBOLS, language.units, {}).items()
        if key not in NEVER_ALONE and _cannot_be_a_word(symbol)
    }
    for symbol, key in symbol_table(CURRENCY_SYMBOLS, language.currencies, {}).items():
        if not symbol.isalpha():
            table[symbol] = language.currencies[key].main.name(False)
    signs = any_of(table)
    first = "".join(re.escape(char) for char in sorted({symbol[0] for symbol in table}))
    per = "(?:/([^\\W\\d_]{3,20}))?" if language.per else "()"
    pattern = re.compile(rf"(?=[{first}])(?<!\w)({signs}){per}(?!\w)")

    def read(match: re.Match[str]) -> str:
        return table[match[1]] + (language.per_noun(match[2]) if match[2] else "")

    return Rule(pattern, read)


def _cannot_be_a_word(symbol: str) -> bool:
    if any(char in symbol for char in "/°%‰²³µμΩ℃℉"):
        return True
    return (
        symbol.isalpha()
        and len(symbol) > 1
        and any(c.isupper() for c in symbol[1:])
        and not symbol.isupper()
    )


def _abbreviation_rules(language: Language) -> list[Rule]:
    """The table, as one expression. A space after a point may be there or not; the final point may end a sentence."""
    if not language.abbreviations:
        return []
    spaces = "[ \u00a0\u202f]?"
    table: dict[str, str] = {}
    alternatives = []
    for written in sorted(language.abbreviations, key=lambda w: (-len(w), w)):
        table[_squeezed(written)] = language.abbreviations[written]
        parts = [re.escape(part) for part in re.split(r"(?<=\.) ?", written) if part]
        alternatives.append(spaces.join(parts))
    first = "".join(re.escape(char) for char in sorted({written[0] for written in table}))
    pattern = re.compile(rf"(?<![\w.])(?=[{first}])(?:{'|'.join(alternatives)})(?!\w)")

    def read(match: re.Match[str]) -> str:
        spoken = table[_squeezed(match[0])]
        if match[0].endswith(".") and not spoken.endswith("."):
            text, end = match.string, match.end()
            often_last = _squeezed(match[0]) in language.sentence_final
            if language.ends_sentence(text, end) and (
                often_last or not _WORD_FOLLOWS.match(text, end)
            ):
                return f"{spoken}."
        return spoken

    return [Rule(pattern, read)]


def _squeezed(written: str) -> str:
    return written.replace(" ", "").replace("\u00a0", "").replace("\u202f", "")


def _capitals_rule(language: Language) -> Rule:
    """Acronyms: said as the language's table has it, else spelled if they cannot be a word.

    Capitals are tokens of their own in the model's vocabulary, so that a shouted word of four letters or more is
    written as a word. A shorter one that could be a word is left alone: "ON", "OFF", "THE".
    """
    vowels = set(language.vowels)
    said, spelled = language.said, language.spelled
    odd = any_of(word for word in said if not word.isupper() and word.isalpha())
    firsts = "".join(sorted({word[0] for word in said if word[0].islower()}))
    # "L'UE", "dell'USB", but no "LL" in "YOU'LL"
    apostrophes = "" if language.elides else "'’"
    pattern = re.compile(
        rf"(?=[{_CAPITAL}{firsts}])(?<![\w{apostrophes}])({odd}|[{_CAPITAL}]{{2,}})(s?)(?!\w)"
    )

    def read(match: re.Match[str]) -> str | None:
        word, plural = match[1], match[2]
        if word in said:
            return said[word] + ("" if not plural else "s")
        if word in spelled or (len(word) <= 5 and not vowels & set(word)):
            return language.spell(word) + (language.acronym_plural if plural else "")
        if len(word) <= 3:
            return None
        return word[0] + word[1:].lower() + plural

    return Rule(pattern, read)


def _symbol_rules(language: Language) -> list[Rule]:
    """What the vocabulary lacks: said where it says something, else gone."""
    found = []
    if language.hashtag:
        found.append(
            Rule(re.compile(r"(?<![\w&#])#(?=[^\W\d_])"), lambda m: f"{language.hashtag} ", "#")
        )
    arrow = language.symbols.get("→", "")
    found.append(
        Rule(
            re.compile("[ \u00a0]?[-=]{1,3}>[ \u00a0]?"),
            lambda m: f" {arrow} " if arrow else " ",
            ">",
        )
    )
    table = dict(language.symbols)
    silent = "#*_|\\^`~<>{}=+/@&§©®™†‡•·●○■□▪▫◆★☆♪♫←→↑↓⇒✓✔✗✘°º²³¹€£¥$¢%‰±×÷≈≠≤≥−µμΩ∞√∑№"
    known = "".join(char for char in table if len(char) == 1)
    signs = "".join(sorted(set(silent + known)))
    pattern = re.compile(f"[ \u00a0]?([{re.escape(signs)}])\\1*[ \u00a0]?")

    def read(match: re.Match[str]) -> str:
        word = table.get(match[1], "")
        start = match.start() == 0 or match.string[match.start() - 1] == "\n"
        end = match.end() == len(match.string) or match.string[match.end()] in "\n.,;:!?"
        if not word:
            return "" if start or end else " "
        return f"{'' if start else ' '}{word}{'' if end else ' '}"

    found.append(Rule(pattern, read, signs))
    return found
