"""The text front end: text in arbitrary pieces in, segments out.

    raw text -> control sequences out -> cutter -> units -> markup, characters, dictionary, normalisation -> packer -> segments

The raw text is first cut into units (sentences, lines, a first clause) that nothing still to come can change; each is processed
on its own. So nothing half-arrived is ever processed, and the segments depend on the joined text alone, not on how it was cut on
its way. Only `idle`, which the caller calls when no text has come for a while, depends on time.

It imports no torch, no numpy; the tokenizer comes as a counting function.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from wyoming_pocket_tts.text.boundaries import Gap, count_words, ends_with_mark
from wyoming_pocket_tts.text.characters import Known
from wyoming_pocket_tts.text.control import ControlSequences
from wyoming_pocket_tts.text.cutter import SHORT_WORDS, Cutter, Unit
from wyoming_pocket_tts.text.options import TextOptions, TextRules, TokenCounter
from wyoming_pocket_tts.text.process import Processor
from wyoming_pocket_tts.text.raw import Decode, Encode, split_raw
from wyoming_pocket_tts.text.segment import Packer, Segment, Sentence

# Half characters, as broken JSON may hold them, cannot be given to a tokenizer.
_SURROGATES = re.compile("[\ud800-\udfff]")
_SSML_BEGINNINGS = ("<speak", "<?xml")


class TextPipeline:
    """Makes segments of one text. An object serves one text: not to be used again after `flush`."""

    def __init__(
        self,
        options: TextOptions,
        count_tokens: TokenCounter,
        language: str,
        *,
        known: Known | None = None,
        dictionary: Callable[[str], str] | None = None,
    ) -> None:
        """Builds the pipeline.

        Args:
            options: what to do; `raw` is for `RawPipeline`.
            count_tokens: how many tokens the model makes of a text.
            language: "en", "de-AT", ...; "" or an unknown one: no normalisation, English rules for abbreviations.
            known: whether the model's vocabulary has a character; must not change. None: all are known.
            dictionary: how the user wants words to be said, `Dictionary.lexicon(language)`.
        """
        if options.raw:
            raise ValueError("options.raw is set: use RawPipeline")
        self._options = options
        self._language = language.replace("_", "-").split("-")[0].lower()
        self._processor = Processor(options, language, known=known, dictionary=dictionary)
        self._packer = Packer(options, count_tokens)
        self._head = ""  # text that may still turn out to be the beginning of SSML
        self._cutter: Cutter | None = None
        self._ssml = False
        self._control = ControlSequences() if options.characters else None

    def feed(self, piece: str) -> list[Segment]:
        """Takes the next piece of the text, of any length; gives the segments that are certain."""
        piece = _SURROGATES.sub("\ufffd", piece)
        return self._take(self._control.feed(piece) if self._control else piece)

    def _take(self, piece: str) -> list[Segment]:
        cutter = self._cutter
        if cutter is None:
            self._head += piece
            cutter = self._begin(final=False)
            if cutter is None:
                return []
            piece = self._head
        segments = self._pack(cutter.feed(piece))
        if self._packer.can_end and cutter.long_unit_ahead():
            segments += self._packer.announce_long()
        return segments

    def flush(self) -> list[Segment]:
        """The text has ended: gives the rest."""
        segments = self._take(self._control.flush()) if self._control else []
        cutter = self._cutter
        if cutter is None:
            cutter = self._begin(final=True)
            assert cutter is not None
            segments += self._pack(cutter.feed(self._head))
        return segments + self._pack(cutter.flush()) + self._packer.flush()

    def idle(self) -> list[Segment]:
        """No text has come for `TextOptions.idle_flush_s`: gives what can be said so far.

        That is all complete sentences, and nothing of a sentence that has only begun.
        """
        if self._cutter is None:
            return []
        return self._pack(self._cutter.idle()) + self._packer.end()

    def _begin(self, final: bool) -> Cutter | None:
        """Decides between SSML and other text; None: more of it is needed for that."""
        options = self._options
        if options.markup:
            head = self._head.lstrip()
            undecided = any(len(head) < len(b) and b.startswith(head) for b in _SSML_BEGINNINGS)
            if undecided and not (final or options.is_ssml):
                return None
            self._ssml = options.is_ssml or head.startswith(_SSML_BEGINNINGS)
        self._cutter = Cutter(
            self._language,
            most_characters=options.max_characters_unbroken,
            first_clause_words=options.first_segment_min_words,
            markup=options.markup,
            ssml=self._ssml,
        )
        return self._cutter

    def _pack(self, units: list[Unit]) -> list[Segment]:
        segments: list[Segment] = []
        for unit in units:
            if unit.words > SHORT_WORDS:
                segments += self._packer.announce_long()
            for sentence in self._sentences(unit):
                segments += self._packer.add(sentence)
        return segments

    def _sentences(self, unit: Unit) -> list[Sentence]:
        """The processed parts of a unit: all but the last are followed by an explicit pause."""
        parts = self._processor.process(unit, ssml=self._ssml)
        sentences = []
        for number, part in enumerate(parts, start=1):
            last = number == len(parts)
            sentences.append(
                Sentence(
                    text=part.text,
                    words=unit.words if len(parts) == 1 else count_words(part.text),
                    ends_sentence=unit.ends_sentence if last else ends_with_mark(part.text),
                    gap=unit.gap if last else Gap.SENTENCE,
                    at_once=unit.first_clause and last,
                    break_ms=part.break_ms,
                )
            )
        return sentences


class RawPipeline:
    """The same interface, with the package's own splitting: everything comes at the end of the text.

    Its segments are to be prepared with `raw.prepare_raw`.
    """

    def __init__(
        self, options: TextOptions, rules: TextRules, encode: Encode, decode: Decode
    ) -> None:
        self._options = options
        self._rules = rules
        self._encode = encode
        self._decode = decode
        self._text: list[str] = []

    def feed(self, piece: str) -> list[Segment]:
        """Takes the next piece of the text; gives nothing."""
        self._text.append(_SURROGATES.sub("\ufffd", piece))
        return []

    def flush(self) -> list[Segment]:
        """The text has ended: gives all segments."""
        text = "".join(self._text)
        self._text.clear()
        parts = split_raw(text, self._rules, self._encode, self._decode, self._options.max_tokens)
        return [Segment(part) for part in parts]

    def idle(self) -> list[Segment]:
        """Gives nothing: the package knows no streamed text."""
        return []
