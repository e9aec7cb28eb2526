"""A stand-in for a model's tokenizer, where none is at hand: it cuts words into pieces of about the usual size.

Good enough to see how a text is cut into segments; where exactly a long text is cut depends on the model's own tokenizer.
"""

from __future__ import annotations

import re

# Kyutai's vocabularies of 4000 pieces make about 1.4 tokens of a word of everyday text.
_PIECE = re.compile(r"\s?[^\W\d_]{1,4}|\s?\d|\s?[^\w\s]|\s|_")
_BEGINNING = 0  # as SentencePiece, which begins with the piece of a space


class EstimatedTokenizer:
    """Splits by length; knows every character."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {"": _BEGINNING}
        self._pieces: list[str] = [""]

    def encode(self, text: str) -> list[int]:
        """Ids of the pieces, which joined are the text."""
        return [_BEGINNING, *(self._id(piece) for piece in _PIECE.findall(text))] if text else []

    def decode(self, ids: list[int]) -> str:
        """The pieces of ids, joined."""
        return "".join(self._pieces[number] for number in ids)

    def knows(self, character: str) -> bool:
        """Always True."""
        return True

    def _id(self, piece: str) -> int:
        number = self._ids.setdefault(piece, len(self._pieces))
        if number == len(self._pieces):
            self._pieces.append(piece)
        return number
