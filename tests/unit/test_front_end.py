"""The front end as a whole, with a vocabulary that lacks characters and a dictionary: what must hold for any text."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.test_text_pipeline import LANGUAGES, TEXTS
from wyoming_pocket_tts.text.dictionary import Lexicon
from wyoming_pocket_tts.text.estimate import EstimatedTokenizer
from wyoming_pocket_tts.text.front_end import FrontEnd, spoken_language
from wyoming_pocket_tts.text.options import TextOptions, TextRules
from wyoming_pocket_tts.text.segment import Segment

LEXICON = Lexicon({"door": "the thing", "Dr.": "doc", "it": "that", "été": "summer"})
RULES = (
    TextRules(),
    TextRules(True, True, True, True, {'"': "", "—": ","}),
    TextRules(append_terminal_punctuation=False, capitalize_first_letter=False),
)


class Latin(EstimatedTokenizer):
    """Knows plain letters, digits and a few marks."""

    def knows(self, character: str) -> bool:
        return character.isascii() and (character.isalnum() or character in ".,!?'-:")


def said(
    pieces: Sequence[str], language: str, options: TextOptions, rules: TextRules
) -> list[tuple[Segment, str]]:
    front_end = FrontEnd(options, rules, Latin(), language, LEXICON)
    segments = [segment for piece in pieces for segment in front_end.feed(piece)]
    segments += front_end.flush()
    return [(segment, front_end.prepare(segment).text) for segment in segments]


@settings(max_examples=150, deadline=None)
@given(
    TEXTS,
    st.lists(st.integers(0, 10_000), max_size=8),
    st.sampled_from(LANGUAGES),
    st.sampled_from(RULES),
    st.booleans(),
)
def test_any_text_cut_anywhere_is_said_alike(
    text: str, places: list[int], language: str, rules: TextRules, raw: bool
) -> None:
    edges = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    pieces = [text[a:b] for a, b in itertools.pairwise(edges)]
    options = TextOptions(raw=raw)
    whole = said([text], language, options, rules)
    assert said(pieces, language, options, rules) == whole
    if not raw:
        for _, prepared in whole:
            assert all(map(Latin().knows, prepared.replace(" ", "")))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.from_regex(r"[A-Za-z]{1,12}", fullmatch=True), max_size=60).map(" ".join))
def test_no_word_is_lost_on_the_way(text: str) -> None:
    """Prepared as they are, the words of a text come out in their order, whatever it was cut into."""
    options = TextOptions(normalise=False)
    front_end = FrontEnd(options, RULES[2], Latin(), "en")
    segments = front_end.feed(text) + front_end.flush()
    prepared = [front_end.prepare(segment).text for segment in segments]
    assert " ".join(prepared).split() == text.split()


@pytest.mark.parametrize(
    ("tags", "model", "spoken"),
    [
        (("pt-PT",), "pt", "pt-PT"),
        (("fr", "pt_br"), "pt", "pt_br"),
        (("en",), "pt", "pt"),
        ((), "de", "de"),
        (("en-GB", "en-US"), "en", "en-GB"),
        (("en",), "", ""),
    ],
)
def test_the_language_of_a_voices_texts(tags: tuple[str, ...], model: str, spoken: str) -> None:
    assert spoken_language(tags, model) == spoken
