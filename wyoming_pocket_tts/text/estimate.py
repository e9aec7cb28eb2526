"""A stand-in for a model's tokenizer, where none is at hand: it cuts words into pieces of about the usual size.

Good enough to see how a text is cut into segments; where exactly a long text is cut depends on the model's own tokenizer. Like
SentencePiece it puts a space before the text, and takes it off again.
"""

from __future__ import annotations

import re

# Kyutai's English vocabulary of 4000 pieces makes about 1.7 tokens of a word of everyday text, this a little less.
_PIECE = re.compile(r"\s?[^\W\d_]{1,4}|\s?\d|[^\w\s]|\s|_")


class EstimatedTokenizer:
    """Splits by length; knows every character."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._pieces: list[str] = []

    def encode(self, text: str) -> list[int]:
        """Ids of the pieces of a text."""
        return [self._id(piece) for piece in _PIECE.findall(f" {text}")] if text else []

    def decode(self, ids: list[int]) -> str:
        """The pieces of ids, joined."""
        return "".join(self._pieces[number] for number in ids).removeprefix(" ")

    def knows(self, character: str) -> bool:
        """Always True."""
        return True

    def _id(self, piece: str) -> int:
        number = self._ids.setdefault(piece, len(self._pieces))
        if number == len(self._pieces):
            self._pieces.append(piece)
        return number
