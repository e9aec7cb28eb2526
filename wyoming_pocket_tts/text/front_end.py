"""The text front end of one request for one model: which pipeline its options ask for, and how its segments are prepared.

It knows a model by its text rules, its tokenizer and its language; it imports no torch and no numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from wyoming_pocket_tts.text.options import TextOptions, TextRules
from wyoming_pocket_tts.text.pipeline import RawPipeline, TextPipeline
from wyoming_pocket_tts.text.prepare import Prepared, prepare
from wyoming_pocket_tts.text.raw import prepare_raw
from wyoming_pocket_tts.text.segment import Segment


class TextTokenizer(Protocol):
    """What is needed of a tokenizer."""

    def encode(self, text: str) -> Sequence[int]:
        """Ids of a text."""

    def decode(self, ids: list[int]) -> str:
        """Text of ids."""

    def knows(self, character: str) -> bool:
        """Whether the vocabulary has a character as more than bytes; must not change."""


class FrontEnd:
    """Makes prepared segments of one text. An object serves one text."""

    def __init__(
        self,
        options: TextOptions,
        rules: TextRules,
        tokenizer: TextTokenizer,
        language: str,
        dictionary: Callable[[str], str] | None = None,
    ) -> None:
        """Builds the pipeline.

        Args:
            options: what to do; `raw` is the package's own way, which knows neither languages nor dictionaries.
            rules: what the model asks for.
            tokenizer: the model's.
            language: code, with the region where it is known ("pt-BR").
            dictionary: how the user wants words to be said in this language.
        """
        self._options = options
        self._rules = rules
        self._pipeline: TextPipeline | RawPipeline
        if options.raw:
            self._pipeline = RawPipeline(options, rules, tokenizer.encode, tokenizer.decode)
        else:
            self._pipeline = TextPipeline(
                options,
                lambda text: len(tokenizer.encode(text)),
                language,
                known=tokenizer.knows,
                dictionary=dictionary,
            )

    @property
    def idle_flush_s(self) -> float:
        """How long no text may arrive before `idle` is to be called."""
        return self._options.idle_flush_s

    def feed(self, piece: str) -> list[Segment]:
        """Takes the next piece of the text; gives the segments that are certain."""
        return self._pipeline.feed(piece)

    def flush(self) -> list[Segment]:
        """The text has ended: gives the rest."""
        return self._pipeline.flush()

    def idle(self) -> list[Segment]:
        """No text has come for a while: gives what can be said so far."""
        return self._pipeline.idle()

    def prepare(self, segment: Segment) -> Prepared:
        """What the tokenizer is to get of a segment."""
        if self._options.raw:
            return prepare_raw(segment.text, self._rules)
        return prepare(segment, self._rules)


def spoken_language(languages: Iterable[str], model_language: str) -> str:
    """The language in which a voice's texts are read: its own full tag ("pt-BR") for the model's language ("pt"), else the model's."""
    wanted = _base(model_language)
    return next((tag for tag in languages if _base(tag) == wanted), model_language)


def _base(tag: str) -> str:
    return tag.replace("_", "-").split("-")[0].lower()
