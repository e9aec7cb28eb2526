"""What is done to one unit of raw text: markup, characters, dictionary, normalisation, vocabulary, in this order.

Each step is pure and can be switched off; with all of them off a unit passes through unchanged. Modules with tables are imported
when they are first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wyoming_pocket_tts.text import addresses, characters, markup
from wyoming_pocket_tts.text.cutter import Unit
from wyoming_pocket_tts.text.options import TextOptions
from wyoming_pocket_tts.text.ssml import Part, parse_ssml

Step = Callable[[str], str]

# Stands for spelled text in the steps that must not touch it: a word to all of them, of letters no text has in a row.
_KEPT = "\u01bf" * 5


class Processor:
    """The steps for one language."""

    def __init__(
        self,
        options: TextOptions,
        language: str,
        *,
        known: characters.Known | None = None,
        dictionary: Step | None = None,
    ) -> None:
        """Builds the steps.

        Args:
            options: which steps are wanted.
            language: "en", "pt-BR", ...
            known: the model's vocabulary; None: everything is known.
            dictionary: the user's dictionary for the language, as it is now.
        """
        self._options = options
        self._language = language
        self._base = language.replace("_", "-").split("-")[0].lower()
        self._known = known
        self._dictionary = dictionary

    def process(self, unit: Unit, *, ssml: bool) -> list[Part]:
        """The parts of a unit, in order; more than one only where explicit pauses divide it."""
        if not ssml:
            text = unit.text
            if self._options.markup:
                text = markup.speak_markdown(text, unit.line_start)
            return [Part(self._spoken(text, line_start=unit.line_start))]
        parts = [
            Part(self._spoken(part.text, part.spelled), part.break_ms)
            for part in parse_ssml(unit.text, self._base)
        ]
        if len(parts) > 1 and not parts[-1].text.strip():
            # Nothing but the space after a last break: it stays with the text before.
            before = parts[-2]
            parts[-2:] = [Part(before.text + parts[-1].text, before.break_ms)]
        return parts

    def _spoken(
        self,
        text: str,
        spelled: Sequence[tuple[int, int]] = (),
        line_start: bool | None = None,
    ) -> str:
        """The steps after markup; `line_start` is None where lines mean nothing."""
        options = self._options
        kept = [self._characters(text[begin:end]) for begin, end in spelled]
        for begin, end in reversed(spelled):
            text = text[:begin] + _KEPT + text[end:]
        if options.markup:
            text = addresses.speak_addresses(markup.drop_emoji(text), self._base)
        if options.characters:
            text = characters.fold(text)
        if options.markup and line_start is not None:
            text = markup.drop_leading_dashes(text, line_start)
        if self._dictionary is not None:
            text = self._dictionary(text)
        if options.normalise and self._language:
            text = self._normalised(text)
        for words in kept:
            text = text.replace(_KEPT, words, 1)
        if options.characters and self._known is not None:
            text = characters.restrict(text, self._known)
        return text

    def _characters(self, text: str) -> str:
        """Spelled text, each character read for itself."""
        if not (self._options.normalise and self._language):
            return text
        return " ".join(self._normalised(c) if c.isdigit() else c for c in text.split())

    def _normalised(self, text: str) -> str:
        from wyoming_pocket_tts.text.normalise import normalise

        # The white space around a unit is not the business of normalisation.
        core = text.strip()
        if not core:
            return text
        begin = text.index(core)
        return text[:begin] + normalise(core, self._language) + text[begin + len(core) :]
