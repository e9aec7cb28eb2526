"""Tokenizers: the same vocabulary in each format gives the same ids; what does not fit is refused."""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

from wyoming_pocket_tts.errors import ConfigError, ModelFileError
from wyoming_pocket_tts.models.tokenizer import (
    ConvertedTokenizer,
    JsonTokenizer,
    SentencePieceTokenizer,
    load_tokenizer,
)
from wyoming_pocket_tts.models.tokenizer_json import convert

ENGLISH = Path("/work/shared/data/english-tokenizer.json")
SIZE = 400
CORPUS = """The kitchen light is on. Turn the heating down to twenty degrees in the evening.
Rain is expected tomorrow morning, with some sun later in the day.
The washing machine has finished; the dryer needs another ten minutes.
Who left the garage door open? Nobody is at home.
Good morning! It is seven o'clock and the coffee is ready.
Le lave-vaisselle a terminé. Die Tür ist geöffnet. ¿Qué hora es?"""
TEXTS = [
    "The kitchen light is on.",
    " leading space",
    "two  spaces and a trailing one ",
    "naïve café — “quoted” €12.50 🙂",
    "日本語",
    "x",
    "line\nbreak\ttab",
    "1234567890",
    "UPPER lower MiXeD",
]


@pytest.fixture(scope="module")
def processor() -> Any:
    """A unigram model with byte fallback, trained on a few sentences; no dummy prefix, as upstream's tokenizer.json has it."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=iter(CORPUS.splitlines() * 3),
        model_writer=model,
        vocab_size=SIZE,
        model_type="unigram",
        byte_fallback=True,
        hard_vocab_limit=False,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor()
    processor.LoadFromSerializedProto(model.getvalue())
    return processor


@pytest.fixture
def model_file(processor: Any, tmp_path: Path) -> Path:
    path = tmp_path / "tokenizer.model"
    path.write_bytes(processor.serialized_model_proto())
    return path


def as_json(processor: Any, **changes: Any) -> dict[str, Any]:
    """The same pieces as a tokenizer.json."""
    size = processor.GetPieceSize()
    vocabulary = [[processor.IdToPiece(i), processor.GetScore(i)] for i in range(size)]
    special = [
        {
            "id": i,
            "content": processor.IdToPiece(i),
            "special": True,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
        }
        for i in range(3)
    ]
    content: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special,
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Metaspace",
            "replacement": "▁",
            "prepend_scheme": "never",
            "split": False,
        },
        "post_processor": None,
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
            ],
        },
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocabulary, "byte_fallback": True},
    }
    return {**content, **changes}


def test_sentencepiece_ids_are_the_processors(processor: Any, model_file: Path) -> None:
    tokenizer = load_tokenizer(model_file, processor.GetPieceSize(), "sentencepiece")
    assert isinstance(tokenizer, SentencePieceTokenizer)
    for text in TEXTS:
        assert tokenizer.encode(text) == processor.EncodeAsIds(text)
        assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.encode("") == []


def test_what_the_vocabulary_knows(processor: Any, model_file: Path) -> None:
    """A character that is spelled in bytes, or not at all, is not known, whatever reads the vocabulary."""
    tokenizers: list[Any] = [SentencePieceTokenizer(model_file.read_bytes())]
    tokenizers.append(ConvertedTokenizer(convert(as_json(processor))))
    with contextlib.suppress(ImportError):
        tokenizers.append(JsonTokenizer(json.dumps(as_json(processor))))
    for tokenizer in tokenizers:
        assert all(map(tokenizer.knows, set(CORPUS) - {"\n"}))
        assert not any(map(tokenizer.knows, "€日🙂Ωß"))


@pytest.mark.parametrize("kind", ["tokenizers", "json", "sentencepiece"])
def test_the_suffix_or_the_kind_chooses_json(processor: Any, tmp_path: Path, kind: str) -> None:
    name = "vocabulary.json" if kind == "sentencepiece" else "vocabulary"
    (tmp_path / name).write_text(json.dumps(as_json(processor)), encoding="utf-8")
    tokenizer = load_tokenizer(tmp_path / name, processor.GetPieceSize(), kind)
    for text in TEXTS:
        assert tokenizer.encode(text) == processor.EncodeAsIds(text)


def test_all_formats_give_the_same_ids(processor: Any) -> None:
    pytest.importorskip("tokenizers")
    content = as_json(processor)
    backends = [ConvertedTokenizer(convert(content)), JsonTokenizer(json.dumps(content))]
    rng = random.Random(7)
    words = CORPUS.split() + " ".join(TEXTS).split()
    for text in TEXTS + [" ".join(rng.choices(words, k=rng.randint(1, 8))) for _ in range(300)]:
        expected = processor.EncodeAsIds(text)
        for backend in backends:
            assert backend.encode(text) == expected, (type(backend).__name__, text)
            assert backend.decode(expected) == text


def test_converted_pieces_break_ties_as_sentencepiece_does(processor: Any) -> None:
    """Of "ff"+"f" and "f"+"ff", equally likely, SentencePiece takes the one that models were trained with."""
    converted = ConvertedTokenizer(convert(as_json(processor)))
    rng = random.Random(7)
    alphabet = [*"abcdefgh TheKI.,!?'", " ", "  ", "é", "日", "\n", "the ", "ing", "ff"]
    for _ in range(500):
        text = "".join(rng.choices(alphabet, k=rng.randint(1, 30)))
        assert converted.encode(text) == processor.EncodeAsIds(text), text


METASPACE = {"type": "Metaspace", "replacement": "▁"}
PREPEND = {"type": "Prepend", "prepend": "▁"}
UNDERLINE = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
COLLAPSE = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}


@pytest.mark.parametrize(
    "changes",
    [
        {"pre_tokenizer": {**METASPACE, "prepend_scheme": "always", "split": True}},
        {"pre_tokenizer": {**METASPACE, "prepend_scheme": "first", "split": False}},
        {"pre_tokenizer": {**METASPACE, "prepend_scheme": "never", "split": True}},
        {"normalizer": COLLAPSE},
        {
            "normalizer": {"type": "Sequence", "normalizers": [PREPEND, UNDERLINE]},
            "pre_tokenizer": None,
        },
    ],
)
def test_normalisations_are_converted_exactly(processor: Any, changes: dict[str, Any]) -> None:
    pytest.importorskip("tokenizers")
    content = as_json(processor, **changes)
    ours, theirs = ConvertedTokenizer(convert(content)), JsonTokenizer(json.dumps(content))
    for text in [*TEXTS, "▁already", "a   b"]:
        assert ours.encode(text) == theirs.encode(text), text


def test_special_tokens_are_neither_added_nor_found_in_the_text(processor: Any) -> None:
    template = {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": "<s>", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
        ],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
    }
    content = as_json(processor, post_processor=template)
    ours = ConvertedTokenizer(convert(content))
    assert ours.encode("The light") == processor.EncodeAsIds("The light")
    assert 1 not in ours.encode("<s>The light</s>")
    pytest.importorskip("tokenizers")
    theirs = JsonTokenizer(json.dumps(content))
    assert theirs.encode("The light") == processor.EncodeAsIds("The light")


def test_what_cannot_be_converted_needs_the_tokenizers_package(
    processor: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(as_json(processor, normalizer={"type": "NFKC"})), encoding="utf-8")
    size = processor.GetPieceSize()
    pytest.importorskip("tokenizers")
    assert isinstance(load_tokenizer(path, size, "tokenizers"), JsonTokenizer)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ModelFileError, match=r"normalizer NFKC .*pip install .*\[tokenizers\]"):
        load_tokenizer(path, size, "tokenizers")


def test_the_size_must_be_the_models(model_file: Path, processor: Any) -> None:
    size = processor.GetPieceSize()
    with pytest.raises(ModelFileError, match=rf"{size} pieces, .*table has 4000"):
        load_tokenizer(model_file, 4000)


def test_faults_name_the_file(tmp_path: Path) -> None:
    garbage = tmp_path / "tokenizer.model"
    garbage.write_bytes(b"not a model" * 10)
    with pytest.raises(ModelFileError, match=r"tokenizer\.model: is not a SentencePiece model"):
        load_tokenizer(garbage, SIZE)
    with pytest.raises(ModelFileError, match=r"missing\.model: the tokenizer file is not there"):
        load_tokenizer(tmp_path / "missing.model", SIZE)
    half = tmp_path / "tokenizer.json"
    half.write_text('{"model": {"type": "Unigram", ', encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"tokenizer\.json: is not a tokenizer\.json"):
        load_tokenizer(half, SIZE)
    half.write_text('{"hello": 1}', encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"tokenizer\.json: is not a usable tokenizer\.json"):
        load_tokenizer(half, SIZE)
    with pytest.raises(ConfigError, match=r"'sentencepeace' is unknown.*'sentencepiece'"):
        load_tokenizer(garbage, SIZE, "sentencepeace")


@pytest.mark.skipif(not ENGLISH.exists(), reason="the English vocabulary is not on this machine")
def test_the_english_vocabulary_without_the_tokenizers_package() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    ours = load_tokenizer(ENGLISH, 4000, "tokenizers")
    assert isinstance(ours, ConvertedTokenizer)
    theirs = tokenizers.Tokenizer.from_file(str(ENGLISH))
    rng = random.Random(3)
    words = (CORPUS + " ".join(TEXTS) + " 22:05, 21.5 °C; it's [fine] #1 @home 3/4").split()
    for _ in range(500):
        text = " " + " ".join(rng.choices(words, k=rng.randint(1, 20)))
        assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids, text
