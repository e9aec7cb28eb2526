"""Text to token ids and back: a SentencePiece model, or the same vocabulary as a tokenizer.json; never special tokens.

Which format a file has follows upstream: the configuration's `tokenizer` field, else the file's suffix. A tokenizer.json is run by
SentencePiece itself where that is exact (`models.tokenizer_json`), else by the optional `tokenizers` package. This module does not
know what the ids mean to a model beyond their number.

Source: SentencePiece (arXiv 1808.06226); the choice of backend as `pocket-tts` 4.0.1 makes it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

from wyoming_pocket_tts.errors import ConfigError, ModelFileError, nearest
from wyoming_pocket_tts.models.tokenizer_json import (
    BYTE_PIECE,
    Converted,
    UnsupportedTokenizer,
    convert,
)

_SENTENCEPIECE_KIND = "sentencepiece"
_JSON_KINDS = ("tokenizers", "json")


class Tokenizer(Protocol):
    """What the text front end and the engine need of a tokenizer."""

    @property
    def vocabulary_size(self) -> int:
        """Number of pieces; ids are below it."""

    def encode(self, text: str) -> list[int]:
        """Ids of a text, without any special token."""

    def decode(self, ids: list[int]) -> str:
        """Text of ids."""

    def knows(self, character: str) -> bool:
        """Whether the vocabulary has a character, not only the bytes of which it consists."""


def load_tokenizer(path: Path, n_bins: int, kind: str = _SENTENCEPIECE_KIND) -> Tokenizer:
    """Loads a vocabulary.

    Args:
        path: a SentencePiece model, or a tokenizer.json.
        n_bins: pieces the model's table has rows for (its padding row not counted).
        kind: the configuration's `tokenizer`: "sentencepiece", "tokenizers" or "json". A file that ends in .json is one whatever is said.

    Raises:
        ConfigError: unknown `kind`.
        ModelFileError: unreadable, not a tokenizer, or of another size.
    """
    known = (_SENTENCEPIECE_KIND, *_JSON_KINDS)
    if kind not in known:
        hint = nearest(kind, known) or f" Known: {', '.join(known)}."
        raise ConfigError(f"flow_lm.lookup_table.tokenizer: {kind!r} is unknown.{hint}")
    if not path.is_file():
        raise ModelFileError(f"{path}: the tokenizer file is not there.")
    tokenizer = open_tokenizer(path, kind)
    if tokenizer.vocabulary_size != n_bins:
        raise ModelFileError(
            f"{path}: the tokenizer has {tokenizer.vocabulary_size} pieces, "
            f"the model's text table has {n_bins}; they do not belong together."
        )
    return tokenizer


def open_tokenizer(path: Path, kind: str = _SENTENCEPIECE_KIND) -> Tokenizer:
    """A vocabulary of any size; see `load_tokenizer`.

    Raises:
        ModelFileError: unreadable, or not a tokenizer.
    """
    as_json = kind in _JSON_KINDS or path.suffix == ".json"
    return _load_json(path) if as_json else _load_sentencepiece(path)


class SentencePieceTokenizer:
    """A SentencePiece model."""

    def __init__(self, proto: bytes) -> None:
        import sentencepiece

        self._processor: Any = sentencepiece.SentencePieceProcessor()
        self._processor.LoadFromSerializedProto(proto)
        is_odd = (self._processor.IsUnknown, self._processor.IsByte, self._processor.IsControl)
        pieces = range(self.vocabulary_size)
        self._odd = frozenset(id for id in pieces if any(check(id) for check in is_odd))

    @property
    def vocabulary_size(self) -> int:
        return int(self._processor.GetPieceSize())

    def encode(self, text: str) -> list[int]:
        return list(self._processor.EncodeAsIds(text))

    def decode(self, ids: list[int]) -> str:
        return str(self._processor.DecodeIds(ids))

    def knows(self, character: str) -> bool:
        return self._odd.isdisjoint(self.encode(character))


class ConvertedTokenizer:
    """A tokenizer.json that SentencePiece runs: its normalisation in Python, its pieces as a SentencePiece model."""

    def __init__(self, converted: Converted) -> None:
        self._normalize = converted.normalize
        self._pieces = SentencePieceTokenizer(converted.proto)

    @property
    def vocabulary_size(self) -> int:
        return self._pieces.vocabulary_size

    def encode(self, text: str) -> list[int]:
        return self._pieces.encode(self._normalize(text)) if text else []

    def decode(self, ids: list[int]) -> str:
        return self._pieces.decode(ids)

    def knows(self, character: str) -> bool:
        return self._pieces.knows(self._normalize(character))


class JsonTokenizer:
    """A tokenizer.json run by the `tokenizers` package."""

    def __init__(self, text: str) -> None:
        import tokenizers

        self._tokenizer: Any = tokenizers.Tokenizer.from_str(text)
        # "<s>" in a client's text is three characters, not the special token.
        self._tokenizer.encode_special_tokens = True

    @property
    def vocabulary_size(self) -> int:
        return int(self._tokenizer.get_vocab_size())

    def encode(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids) if text else []

    def decode(self, ids: list[int]) -> str:
        return str(self._tokenizer.decode(ids, skip_special_tokens=False))

    def knows(self, character: str) -> bool:
        encoding = self._tokenizer.encode(character, add_special_tokens=False)
        bytes_alone = any(BYTE_PIECE.match(piece) for piece in encoding.tokens)
        return not bytes_alone and character in self.decode(encoding.ids)


def _load_sentencepiece(path: Path) -> Tokenizer:
    try:
        return SentencePieceTokenizer(path.read_bytes())
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read: {error.strerror or error}.") from error
    except RuntimeError as error:
        raise ModelFileError(f"{path}: is not a SentencePiece model.") from error


def _load_json(path: Path) -> Tokenizer:
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text)
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise ModelFileError(f"{path}: is not a tokenizer.json: {error}.") from error
    try:
        return ConvertedTokenizer(convert(content))
    except UnsupportedTokenizer as error:
        return _load_with_tokenizers(path, text, str(error))
    except (RuntimeError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ModelFileError(f"{path}: is not a usable tokenizer.json: {error!r}.") from error


def _load_with_tokenizers(path: Path, text: str, reason: str) -> Tokenizer:
    try:
        return JsonTokenizer(text)
    except ImportError as error:
        raise ModelFileError(
            f"{path}: {reason}, so SentencePiece cannot read it; install the package that can: "
            "pip install 'wyoming-pocket-tts[tokenizers]'."
        ) from error
    except Exception as error:  # the package raises plain Exception
        raise ModelFileError(f"{path}: is not a usable tokenizer.json: {error}.") from error
