"""The user's dictionary: what it matches, what it refuses, and how it follows its file."""

from __future__ import annotations

import logging
import os

import pytest

from wyoming_pocket_tts.errors import ConfigError
from wyoming_pocket_tts.text.dictionary import Dictionary
from wyoming_pocket_tts.text.options import TextOptions
from wyoming_pocket_tts.text.pipeline import TextPipeline

ENTRIES = r"""
en:
  kyutai: Kew tie
  Kyutai Labs: the lab
  GH: greenhouse
  /\bR(\d+)\b/: room \1
pt:
  HA: agá á
pt-BR:
  WC: banheiro
"*":
  HA: Home Assistant
  WC: toilet
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "dictionary.yaml"
    path.write_text(ENTRIES, encoding="utf-8")
    return path


def test_words_and_expressions(file):
    english = Dictionary(file).lexicon("en")
    assert english("Kyutai and KYUTAI") == "Kew tie and Kew tie"
    assert english("Kyutai Labs, kyutai labs") == "the lab, Kew tie labs"
    assert english("GH gh GHx R12 R x") == "greenhouse gh GHx room 12 R x"
    assert english("HA") == "Home Assistant"


def test_languages_and_regions(file):
    dictionary = Dictionary(file)
    assert dictionary.lexicon("pt")("HA WC") == "agá á toilet"
    assert dictionary.lexicon("pt-BR")("HA WC") == "agá á banheiro"
    assert dictionary.lexicon("fr")("HA GH") == "Home Assistant GH"
    file.write_text("en:\n  a: b\n", encoding="utf-8")
    assert Dictionary(file).lexicon("fr") is None


def test_in_the_pipeline(file):
    pipeline = TextPipeline(TextOptions(), len, "en", dictionary=Dictionary(file).lexicon("en"))
    found = pipeline.feed("The door of R12 is ") + pipeline.feed("open.") + pipeline.flush()
    assert "".join(s.text for s in found) == "The door of room twelve is open."


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("en: [a, b]", "en: must be a mapping"),
        ("- a", "must be a mapping of languages"),
        ("en: {a: [b]}", "'a': the spoken form must be a text"),
        ("en: {no: never}", "False is no word: put it in quotes"),
        ("en: {'/(a/': b}", "no regular expression"),
        (r"en: {'/(a)/': '\2'}", "names the group 2"),
        (r"en: {'/(a+)+$/': b}", "takes too long"),
        (r"en: {'/(\w+\s?)*$/': b}", "takes too long"),
        (r"en: {'/(x+x+)+y/': b}", "takes too long"),
        ("en: {a: b", "cannot be read as YAML"),
    ],
)
def test_refused(tmp_path, text, complaint):
    path = tmp_path / "dictionary.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=complaint.replace("(", r"\(")) as caught:
        Dictionary(path)
    assert str(path) in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.yaml"):
        Dictionary(tmp_path / "none.yaml")


def test_an_expression_that_takes_too_long_later_is_left_out(file, caplog):
    # The trial texts do not show this one: it needs its own opening word.
    file.write_text(r"en: {'/qqz(b|b)*(b|b)*(b|b)*#/': x, cat: dog}", encoding="utf-8")
    english = Dictionary(file).lexicon("en")
    text = "qqz" + "b" * 400_000 + " cat"
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert english(text).endswith(" dog")
    assert "takes too long" in caplog.text
    assert english(text).endswith(" dog")


def test_reloaded_when_it_changes(file, caplog):
    dictionary = Dictionary(file)
    before = dictionary.lexicon("en")
    dictionary.refresh()
    assert dictionary.lexicon("en") is before
    file.write_text("en: {GH: glass house}", encoding="utf-8")
    os.utime(file, ns=(1, 1))
    assert dictionary.lexicon("en") is before
    dictionary.refresh()
    assert dictionary.lexicon("en")("GH") == "glass house"
    assert before("GH") == "greenhouse"
    file.write_text("en: [", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        dictionary.refresh()
        assert dictionary.lexicon("en")("GH") == "glass house"
    assert "the former stays" in caplog.text
    file.unlink()
    dictionary.refresh()
    assert dictionary.lexicon("en")("GH") == "glass house"
