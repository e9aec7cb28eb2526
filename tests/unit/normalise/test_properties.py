"""What holds in every language, whatever the text: no error, no change by a second pass, no lost word, no hang."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from functools import lru_cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wyoming_pocket_tts.text.normalise import LANGUAGES, normalise
from wyoming_pocket_tts.text.normalise.base import Language
from wyoming_pocket_tts.text.normalise.units import CURRENCY_SYMBOLS, UNIT_SYMBOLS

modest = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
every_language = pytest.mark.parametrize("code", LANGUAGES)
# Never to be left for the model: its vocabulary lacks them (English tokenizer; the others are alike).
UNSPEAKABLE = re.compile(r"[0-9°º€$£¥¢%@#+=*_<>~^|\\&/²³½¼¾×÷±≈≤≥−µμΩ‰§→]")


@lru_cache
def language(code: str) -> Language:
    module = importlib.import_module(f"wyoming_pocket_tts.text.normalise.{code}")
    found = module.language("")
    assert isinstance(found, Language)
    return found


@lru_cache
def homely(code: str) -> st.SearchStrategy[str]:
    """Texts of the pieces that rules look for, which plain Unicode hardly ever hits."""
    tables = language(code)
    words = [
        *tables.abbreviations, *tables.said, *tables.month_names, *tables.weekdays, *tables.meridiems,
        *sorted(tables.roman_nouns), *sorted(tables.roman_names), *sorted(tables.spelled), *tables.scales,
        *(symbol for written in (*UNIT_SYMBOLS.values(), *CURRENCY_SYMBOLS.values()) for symbol in written),
        "I", "IV", "XIV", "v", "h", "T", "ON", "AA:BB", "sensor_", "light.", "the ", "am ", "der ", "1st", "2e", "3º", "°",
    ]  # fmt: skip
    piece = st.one_of(
        st.sampled_from(words),
        st.sampled_from(
            list("0123456789.,:;/-–−+~≈±<>=*x×°%€$£&@#_()[]'\"!?^²³½¼ \n\u00a0\u202f…")
        ),
        st.integers(0, 3000).map(str),
        st.just(" "),
    )
    return st.lists(piece, max_size=12).map("".join)


@every_language
@modest
@given(data=st.data())
def test_a_second_pass_changes_nothing(code: str, data: st.DataObject) -> None:
    text = data.draw(st.one_of(homely(code), st.text(max_size=60)))
    spoken = normalise(text, code)
    assert normalise(spoken, code) == spoken


@every_language
@modest
@given(data=st.data())
def test_no_digit_or_symbol_is_left(code: str, data: st.DataObject) -> None:
    spoken = normalise(data.draw(homely(code)), code)
    assert not UNSPEAKABLE.search(spoken)


@every_language
@modest
@given(text=st.text(max_size=200))
def test_never_raises(code: str, text: str) -> None:
    normalise(text, code)


@every_language
@modest
@given(words=st.lists(st.text(alphabet="bdfgjkpqrtvwxyzäéñ", min_size=6, max_size=12), max_size=12))
def test_ordinary_words_survive(code: str, words: list[str]) -> None:
    text = " ".join(words)
    assert normalise(text, code) == text


@every_language
@modest
@given(
    words=st.lists(
        st.text(alphabet="bdfgjkpqrtvwxyzäéñ", min_size=6, max_size=12), min_size=1, max_size=8
    ),
    data=st.data(),
)
def test_words_among_numbers_survive(code: str, words: list[str], data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(0, 10**7), min_size=len(words), max_size=len(words)))
    text = " ".join(f"{word}, {number};" for word, number in zip(words, numbers, strict=True))
    spoken = normalise(text, code)
    at = -1
    for word in words:
        at = spoken.index(word, at + 1)


@pytest.mark.parametrize(
    "code", ["", "xx", "ja", "EN_unknown_", "-", "de-AT", "pt_BR", "zz-ZZ", "e n"]
)
def test_any_language_tag_is_taken(code: str) -> None:
    assert normalise("plain words", code) == "plain words"


def test_unknown_languages_pass_through_untouched() -> None:
    text = "21.5 °C, z. B. 12,50 €  (½)"
    assert normalise(text, "ja") == text
    assert normalise(text, "") == text


@every_language
@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", ".", "...", "½", "°", "-", "()", "\u200b", "\x00"]
)
def test_hardly_any_text(code: str, text: str) -> None:
    normalise(text, code)


@every_language
def test_line_breaks_stay(code: str) -> None:
    assert normalise("a b\n\nc d\ne 5\n", code).count("\n") == 4


# Runs that a careless expression would search again and again. The limit is not a speed check: a quadratic search of
# 10,000 characters takes seconds, a linear one milliseconds.
@every_language
@pytest.mark.parametrize(
    "piece",
    ["1", " ", "a", "A", ".", "1.", "1,", "1 ", "123 ", "000 ", "1-", "1/", "1:", "a1", "_", "a_", "#", "- ", "+", "$1", "1$",
     "°", "1h", "a.", "A.", "\u00a0", "Jan ", "1 Jan ", "+49 1", "(1)", "½", "light.a", "\n", "²", "ff:", "I", "z. ", "'a"],
)  # fmt: skip
def test_long_runs_take_linear_time(code: str, piece: str) -> None:
    normalise((piece * 10_000)[:10_000], code)


def test_languages_load_when_asked_for() -> None:
    program = (
        "import sys; from wyoming_pocket_tts.text.normalise import normalise; normalise('5 °C', 'en');"
        "loaded = [c for c in ('de', 'es', 'fr', 'it', 'nl', 'pt') if f'wyoming_pocket_tts.text.normalise.{c}' in sys.modules];"
        "sys.exit(str(loaded) if loaded or 'torch' in sys.modules or 'numpy' in sys.modules else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
