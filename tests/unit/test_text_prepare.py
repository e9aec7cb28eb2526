"""Preparation of a segment, and its raw form against the package itself."""

from __future__ import annotations

import io

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st

from wyoming_pocket_tts.text.options import TextOptions, TextRules
from wyoming_pocket_tts.text.pipeline import RawPipeline, TextPipeline
from wyoming_pocket_tts.text.prepare import Prepared, prepare, speakable
from wyoming_pocket_tts.text.raw import prepare_raw, split_raw
from wyoming_pocket_tts.text.segment import Segment

RULES = TextRules()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hello there", "Hello there."),
        ("  Hello\tthere , you ", "Hello there , you."),
        ("Really?", "Really?"),
        ('he said "hi"', 'He said "hi".'),
        ('he said "hi."', 'He said "hi."'),
        ("one, two,", "One, two."),
        ("one, two –", "One, two."),
        ("Hi. -", "Hi."),
        ("(see below;)", "(See below.)"),
        ('"Hi?", she said', '"Hi?", she said.'),
        ("Hi?, she said", "Hi? she said."),
        ("etc., and so on", "Etc., and so on."),
        ("iPhone is on", "iPhone is on."),
        ("ßa", "ßa."),
        ("¿qué tal?", "¿Qué tal?"),
        ("... well then", "Well then."),
        ("-5 degrees", "-5 degrees."),
        ("今天天气很好", "今天天气很好。"),
        ("今天天气很好，", "今天天气很好。"),
        ("今天天气很好！", "今天天气很好！"),
        ("यह अच्छा है", "यह अच्छा है।"),
        ("یہ اچھا ہے", "یہ اچھا ہے۔"),
        ("مرحبا بكم", "مرحبا بكم."),
        ("Weather\n\nIt is sunny\nand:\nwarm", "Weather. It is sunny. and: warm."),
        ("...", ""),
        ("", ""),
    ],
)
def test_prepare_a_sentence(text, expected):
    assert prepare(Segment(text), RULES).text == expected


def test_a_continuation_is_no_new_sentence():
    piece = Segment(" and then, ", continuation=True, ends_sentence=False)
    assert prepare(piece, RULES).text == "and then,"
    assert prepare(Segment("and off", continuation=True), RULES).text == "and off."
    assert prepare(Segment("and off", ends_sentence=False), RULES).text == "And off"


def test_rules_of_the_model():
    quotes = {'"': "", "’": "'", "–": ","}
    assert (
        prepare(Segment('"Hi?", she – it’s'), TextRules(replace_characters=quotes)).text
        == "Hi? she , it's."
    )
    assert prepare(Segment('"Hi.", she'), TextRules(replace_characters=quotes)).text == "Hi. she."
    assert prepare(Segment("a; b"), TextRules(remove_semicolons=True)).text == "A, b."
    assert prepare(Segment("a b"), TextRules(append_terminal_punctuation=False)).text == "A b"
    assert prepare(Segment("a b"), TextRules(capitalize_first_letter=False)).text == "a b."
    padded = TextRules(pad_with_spaces_for_short_inputs=True)
    assert prepare(Segment("a b c d"), padded) == Prepared(" " * 8 + "A b c d.", True)
    assert prepare(Segment("a b c d e"), padded) == Prepared("A b c d e.", False)


def test_speakable():
    assert speakable("a")
    assert speakable("7")
    assert speakable("日")
    assert not speakable("")
    assert not speakable("_ … 😀 \u200b")


RULE_SETS = st.builds(
    TextRules,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([{}, {"’": "'", "‘": "'"}, {'"': "", "–": ",", "’": "'", "(": "", ")": ""}]),
)
TEXTS = st.one_of(
    st.text(max_size=120),
    st.lists(
        st.sampled_from(
            [
                *"abc .,;:!?…-–—\"'’)]»(\n\r",
                "  ",
                "word",
                "Hi?",
                '", she',
                "98.6",
                "1.5.",
                "...",
                " ",
                "ß",
                "ŉ",
            ]
        ),
        max_size=60,
    ).map("".join),
)


@settings(max_examples=300, deadline=None)
@given(TEXTS, RULE_SETS, st.booleans(), st.booleans())
def test_prepare_never_raises_and_settles(text, rules, continuation, ends_sentence):
    segment = Segment(text, continuation, ends_sentence)
    prepared = prepare(segment, rules)
    assert bool(prepared.text) == speakable(prepared.text)
    again = prepare(Segment(prepared.text, continuation, ends_sentence), rules)
    assert again.text == prepared.text


@settings(max_examples=300, deadline=None)
@given(TEXTS, RULE_SETS)
def test_prepare_raw_equals_the_package(text, rules):
    from pocket_tts.models.text_chunking import prepare_text_prompt

    arguments = (
        rules.pad_with_spaces_for_short_inputs,
        rules.remove_semicolons,
        rules.append_terminal_punctuation,
        rules.capitalize_first_letter,
        dict(rules.replace_characters),
    )
    try:
        expected, frames = prepare_text_prompt(text, *arguments)
    except ValueError:
        assert prepare_raw(text, rules).text == ""
        return
    assert prepare_raw(text, rules) == Prepared(expected, frames == 3)


@pytest.fixture(scope="module")
def tokenizer():
    words = "the door is open and warm it was a fine day, so we went out; then: home! why? 98.6 1,234 well... oh… yes."
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([words, words.title(), *words.split()] * 20),
        model_writer=model,
        vocab_size=120,
        byte_fallback=False,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


class _PackageTokenizer:
    """What the package's splitting asks of a tokenizer."""

    def __init__(self, processor):
        self._processor = processor

    def __call__(self, text):
        import torch

        return torch.tensor(self._processor.encode(text))[None, :]

    def decode(self, ids):
        return self._processor.decode(ids)


SENTENCES = st.lists(
    st.sampled_from(
        [
            "the door is open",
            "98.6",
            "1,234",
            "well...",
            "oh…",
            ". ",
            ", ",
            "; ",
            "! ",
            "? ",
            ": ",
            " ",
            "yes",
            "so we went",
            "\n",
            '"',
            ".",
        ]
    ),
    max_size=60,
).map("".join)


@settings(max_examples=100, deadline=None)
@given(text=SENTENCES, rules=RULE_SETS, max_tokens=st.sampled_from([8, 20, 50]))
def test_split_raw_equals_the_package(tokenizer, text, rules, max_tokens):
    from pocket_tts.models.text_chunking import split_into_best_sentences

    found = split_raw(text, rules, tokenizer.encode, tokenizer.decode, max_tokens)
    try:
        expected = split_into_best_sentences(
            _PackageTokenizer(tokenizer),
            text,
            max_tokens,
            rules.pad_with_spaces_for_short_inputs,
            rules.remove_semicolons,
            rules.append_terminal_punctuation,
            rules.capitalize_first_letter,
            dict(rules.replace_characters),
        )
    except ValueError:
        expected = []
    assert found == expected


def test_raw_pipeline(tokenizer):
    pipeline = RawPipeline(TextOptions(raw=True), RULES, tokenizer.encode, tokenizer.decode)
    assert pipeline.feed("the door ") == pipeline.idle() == []
    assert pipeline.feed("is open") == []
    assert [prepare_raw(s.text, RULES).text for s in pipeline.flush()] == ["The door is open."]
    assert pipeline.flush() == []
    with pytest.raises(ValueError, match="RawPipeline"):
        TextPipeline(TextOptions(raw=True), len, "en")
