"""Characters become ones that the models know: straight quotes, plain spaces, composed letters; what has no sound goes.

Two steps: `fold`, before normalisation, keeps all that a number or a unit may need; `restrict`, after it, maps or drops what the
vocabulary of the model lacks: one unknown character can garble a whole sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

Known = Callable[[str], bool]
"""Whether the model's vocabulary has this character as more than raw bytes."""

_SINGLES = "’‘ʼʻ`´‛＇ꞌ"
_DOUBLES = "“”„‟«»〝〞＂‹›"
_HYPHENS = "‐‑⁃﹣－−˗"
_LONG_DASHES = "―⸺⸻﹘‒"

_TABLE = str.maketrans(
    {
        **dict.fromkeys(_SINGLES, "'"),
        **dict.fromkeys(_DOUBLES, '"'),
        **dict.fromkeys(_HYPHENS, "-"),
        **dict.fromkeys(_LONG_DASHES, "—"),
        "…": "...",
        "‥": "...",
        "\u2028": "\n",
        "\u2029": "\n\n",
        "\x85": "\n",
        "\x0b": "\n",
        "\x0c": "\n",
        **dict.fromkeys("\u00ad\u200b\u200e\u200f\u2060\ufeff\ufffc\ufffd", ""),
        **{chr(code): "" for code in (*range(0x202A, 0x202F), *range(0x2061, 0x2070))},
        **{chr(code): "" for code in (*range(0xFE00, 0xFE10), *range(0xE0000, 0xE0080))},
        **{chr(code): " " for code in (*range(9), *range(14, 32), *range(127, 133))},
        **{chr(code): " " for code in range(134, 160)},
        **dict.fromkeys(
            "\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u200a\u205f\u3000", " "
        ),
    }
)
# Joiners have a meaning between letters of Arabic and Indic scripts only.
_JOINERS = re.compile("(?<![\u0600-\u0dff])[\u200c\u200d]|[\u200c\u200d](?![\u0600-\u0dff])")
# These may group digits (1 234 567); normalisation reads them.
_NARROW_SPACES = re.compile("(?<!\\d)[\u00a0\u2007\u2009\u202f]|[\u00a0\u2007\u2009\u202f](?!\\d)")
# Full-width forms, ligatures, mathematical alphabets: their compatibility forms are what is meant. Not
# superscripts and fractions: those mean something else than their digits.
_COMPATIBLE = re.compile("[\uff01-\uff5e\uffe0-\uffe6\ufb00-\ufb06\U0001d400-\U0001d7ff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_DOTS = re.compile(r"[ \t]?\.(?: ?\.){2,}")
_REPEATED = re.compile(r"([!?,;])\1+")
# Brackets, in a vocabulary without them.
_OPENING = re.compile(r"([ \t]*)[(\[{]+[ \t]*")
_CLOSING = re.compile(r"[ \t]*[)\]}]+(?=[ \t]*(.?))")
_PAUSES = ".!?…,;:—–\n"  # "" is in it, too: the beginning
_OPENERS = "\"'"
_ASKED_ABOUT = re.compile(r"[^\sA-Za-z0-9]")

# What stands in for a character that a vocabulary lacks; a space where nothing does.
_STAND_INS = {
    '"': "",
    "'": "",
    "–": ",",
    "—": ",",
    ";": ",",
    ":": ",",
    "。": ".",
    "，": ",",
    "、": ",",
    "！": "!",
    "？": "?",
    "¡": "",
    "¿": "",
    "ß": "ss",
    "ẞ": "SS",
    "æ": "ae",
    "Æ": "Ae",
    "œ": "oe",
    "Œ": "Oe",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "đ": "d",
    "ð": "d",
    "þ": "th",
    "ı": "i",
}


def fold(text: str) -> str:
    """Folds quotes, dashes, spaces, dots and letters to their plain forms; drops what has no sound."""
    if not text.isascii():
        text = _SURROGATES.sub("", text)
        text = _COMPATIBLE.sub(lambda m: unicodedata.normalize("NFKC", m.group()), text)
        text = _JOINERS.sub("", text)
        text = _NARROW_SPACES.sub(" ", text)
    text = text.translate(_TABLE)
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    return _REPEATED.sub(r"\1", _DOTS.sub("...", text))


def restrict(text: str, known: Known) -> str:
    """Maps or drops the characters that `known` denies; spaces, line breaks and plain letters are not asked about."""
    if any(bracket in text and not known(bracket) for bracket in "()[]{}"):
        text = _CLOSING.sub(_closed, _OPENING.sub(_opened, text))
    return _ASKED_ABOUT.sub(lambda match: _stand_in(match[0], known), text)


def _opened(match: re.Match[str]) -> str:
    """An opening bracket is heard as a pause, where there is none already."""
    before = match.string[: match.start()][-1:]
    return match[1] if before in _PAUSES or before in _OPENERS else ", "


def _closed(match: re.Match[str]) -> str:
    before = match.string[: match.start()][-1:]
    return "," if match[1].isalnum() and before not in _PAUSES else ""


@lru_cache(maxsize=4096)
def _stand_in(character: str, known: Known) -> str:
    if known(character):
        return character
    found = _STAND_INS.get(character)
    if found is None:
        plain = unicodedata.normalize("NFKD", character)
        found = "".join(c for c in plain if not unicodedata.combining(c))
        if found == character:
            return " "
    return found if all(c.isspace() or c.isascii() or known(c) for c in found) else " "
