"""From a whole text to the segments that the engine gets, for one loaded model."""

from __future__ import annotations

import dataclasses

from wyoming_pocket_tts.models.loading import LoadedModel
from wyoming_pocket_tts.text.dictionary import Dictionary
from wyoming_pocket_tts.text.front_end import FrontEnd
from wyoming_pocket_tts.text.options import TextOptions
from wyoming_pocket_tts.text.prepare import Prepared
from wyoming_pocket_tts.text.raw import prepare_raw, split_raw
from wyoming_pocket_tts.tts.errors import EmptyText, WrongArgument
from wyoming_pocket_tts.tts.speech import Part


class Texts:
    """Cuts and prepares texts; may be used from several threads."""

    def __init__(self, model: LoadedModel, options: TextOptions | None) -> None:
        """
        Args:
            model: its rules, its tokenizer, its language.
            options: None, or with `raw`: as the `pocket-tts` package does it.

        Raises:
            ConfigError: the options name a dictionary that cannot be read.
        """
        self._model = model
        self._options = None if options is None or options.raw else options
        path = self._options.dictionary if self._options else None
        self._dictionary = Dictionary(path) if path else None

    def parts(self, text: str, max_tokens: int) -> list[Part]:
        """The segments of a text.

        Raises:
            EmptyText: it holds nothing to be spoken.
            WrongArgument: it is no text, or `max_tokens` makes no sense.
        """
        if not isinstance(text, str):
            raise WrongArgument(f"text_to_generate must be a str, not {type(text).__name__}.")
        # Half characters, as broken JSON may hold them, cannot be given to a tokenizer.
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        made = (
            self._raw(text, max_tokens) if self._options is None else self._full(text, max_tokens)
        )
        if not any(part.tokens for part in made):
            raise EmptyText("The text is empty, or holds nothing that can be spoken.")
        return made

    def _raw(self, text: str, max_tokens: int) -> list[Part]:
        rules, tokenizer = self._model.rules, self._model.tokenizer
        segments = split_raw(text, rules, tokenizer.encode, tokenizer.decode, max_tokens)
        return [self._part(prepare_raw(one, rules), len(one), 0) for one in segments]

    def _full(self, text: str, max_tokens: int) -> list[Part]:
        assert self._options is not None
        try:
            options = dataclasses.replace(self._options, max_tokens=max_tokens)
        except ValueError as error:
            raise WrongArgument(f"{error}.") from error
        language = self._model.entry.language
        lexicon = self._dictionary.lexicon(language) if self._dictionary else None
        front_end = FrontEnd(options, self._model.rules, self._model.tokenizer, language, lexicon)
        return [
            self._part(front_end.prepare(segment), len(segment.text), segment.pause_ms)
            for segment in (*front_end.feed(text), *front_end.flush())
        ]

    def _part(self, prepared: Prepared, characters: int, pause_ms: int) -> Part:
        tokens = tuple(self._model.tokenizer.encode(prepared.text)) if prepared.text else ()
        return Part(tokens, prepared.short, characters, pause_ms)
