"""A tokenizer.json of the unigram kind, turned into a SentencePiece model in memory.

So that a model which publishes its vocabulary as tokenizer.json alone needs no further package. Only what is understood exactly is
converted, so that the ids are those of the `tokenizers` package; everything else is refused. One difference is wanted: "<s>" or
"<0x41>" in a text stays text, as SentencePiece has it, where `tokenizers` finds the piece of that name. Nothing is written to disk.

Source: the tokenizer.json format of Hugging Face `tokenizers`; the message layout of `sentencepiece_model.proto`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

SPACE = "\u2581"

# SentencePiece.Type in the message definition.
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6
BYTE_PIECE = re.compile(r"^<0x[0-9A-F]{2}>$")

Step = Callable[[str], str]


class UnsupportedTokenizer(Exception):
    """The file holds something that cannot be converted exactly; the message says what."""


@dataclass(frozen=True)
class Converted:
    """A serialized SentencePiece model, and what is done to a text before it."""

    proto: bytes
    normalize: Step


def convert(content: Mapping[str, Any]) -> Converted:
    """Converts the parsed content of a tokenizer.json.

    Raises:
        UnsupportedTokenizer: not a unigram model, or a normalisation that is not known here.
    """
    model = content["model"]
    if model.get("type") != "Unigram":
        raise UnsupportedTokenizer(f"its model is {model.get('type')}, not Unigram")
    vocabulary = [(str(piece), float(score)) for piece, score in model["vocab"]]
    special = _special_ids(content.get("added_tokens") or (), vocabulary)
    steps = [*_normalizer_steps(content.get("normalizer"))]
    steps += _pre_tokenizer_steps(content.get("pre_tokenizer"), vocabulary)

    def normalize(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    unknown = model.get("unk_id")
    if unknown is None:
        raise UnsupportedTokenizer("it has no unknown piece")
    fallback = bool(model.get("byte_fallback"))
    return Converted(_model_message(vocabulary, int(unknown), special, fallback), normalize)


def _special_ids(
    added: Iterable[Mapping[str, Any]], vocabulary: list[tuple[str, float]]
) -> set[int]:
    ids = set()
    for token in added:
        number = int(token["id"])
        if number >= len(vocabulary) or vocabulary[number][0] != token["content"]:
            raise UnsupportedTokenizer(f"added token {token['content']!r} is not in its vocabulary")
        if not token.get("special"):
            raise UnsupportedTokenizer(f"added token {token['content']!r} is not a special one")
        ids.add(number)
    return ids


def _normalizer_steps(normalizer: Mapping[str, Any] | None) -> list[Step]:
    if normalizer is None:
        return []
    kind = normalizer.get("type")
    if kind == "Sequence":
        return [step for part in normalizer["normalizers"] for step in _normalizer_steps(part)]
    if kind == "Prepend":
        return [lambda text: normalizer["prepend"] + text if text else text]
    if kind == "Replace":
        pattern, content = normalizer["pattern"], normalizer["content"]
        if "String" in pattern:
            return [lambda text: text.replace(pattern["String"], content)]
        if pattern.get("Regex") == " {2,}":
            return [lambda text: re.sub(" {2,}", lambda _: content, text)]
    raise UnsupportedTokenizer(f"its normalizer {kind} is not known")


def _pre_tokenizer_steps(
    pre_tokenizer: Mapping[str, Any] | None, vocabulary: list[tuple[str, float]]
) -> list[Step]:
    if pre_tokenizer is None:
        return []
    kind = pre_tokenizer.get("type")
    if kind != "Metaspace" or pre_tokenizer.get("replacement") != SPACE:
        raise UnsupportedTokenizer(f"its pre-tokenizer {kind} is not known")
    if pre_tokenizer.get("split", True):
        # Splitting before each space changes nothing where no piece crosses one, and a space is a piece of its own.
        pieces = {piece for piece, _ in vocabulary}
        if SPACE not in pieces or any(SPACE in piece[1:] for piece in pieces):
            raise UnsupportedTokenizer("it splits at spaces that its pieces cross")
    scheme = pre_tokenizer.get("prepend_scheme", "always")
    if scheme == "never":
        return []
    if scheme in ("always", "first"):  # the same for a text without special tokens
        return [lambda text: text if text.startswith((" ", SPACE)) else SPACE + text]
    raise UnsupportedTokenizer(f"its prepend_scheme {scheme} is not known")


def _model_message(
    vocabulary: list[tuple[str, float]], unknown: int, special: set[int], byte_fallback: bool
) -> bytes:
    """ModelProto: the pieces, a trainer spec that says "unigram", a normalizer that only writes spaces as `SPACE`."""
    message = bytearray()
    for index, (piece, score) in enumerate(vocabulary):
        kind = _NORMAL
        if index == unknown:
            kind = _UNKNOWN
        elif index in special:
            kind = _CONTROL
        elif byte_fallback and BYTE_PIECE.match(piece):
            kind = _BYTE
        text = piece.encode()
        entry = _bytes(1, text) + b"\x15" + struct.pack("<f", score) + _integer(3, kind)
        message += _bytes(1, entry)
    trainer = _integer(3, 1) + _integer(35, int(byte_fallback)) + _integer(40, unknown)
    trainer += _bytes(45, vocabulary[unknown][0].encode())
    # SentencePiece wants ids for begin, end and padding, or none; encoding never uses them.
    for field in (41, 42, 43):
        trainer += _integer(field, -1)
    normalizer = _bytes(1, b"identity") + _integer(3, 0) + _integer(4, 0) + _integer(5, 1)
    return bytes(message + _bytes(2, trainer) + _bytes(3, normalizer))


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _integer(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value
