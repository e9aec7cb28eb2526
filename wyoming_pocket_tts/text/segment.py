"""Packs processed sentences into segments within the token budget.

The rule, which depends on the text alone:

1. The first segment ends with the first clause (when it comes as one) or the first sentence, if that has three words.
2. The second is one sentence; the third is filled to half the budget; later ones are filled while the next sentence fits.
   So audio starts at once, and text is held back only while there is audio to play.
3. A segment that could end waits for three words of the next sentence: a sentence of one or two words joins its neighbour (the one
   before; a heading the one after).
4. Where a pause is asked for, a segment ends. An explicit break always ends one.
5. A sentence over the budget is cut by `split`.

It knows nothing of raw text or markup. Joined, the segments are the text they were given.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from wyoming_pocket_tts.text.boundaries import Gap, ends_with_mark, speakable
from wyoming_pocket_tts.text.cutter import SHORT_WORDS
from wyoming_pocket_tts.text.options import TextOptions, TokenCounter
from wyoming_pocket_tts.text.split import split_balanced


@dataclass(frozen=True)
class Segment:
    """Text that is fed to the model once.

    Attributes:
        text: a slice of the processed text, whitespace included; may be empty when there is only a pause.
        continuation: it starts inside a sentence, and gets no capital.
        ends_sentence: False: it was cut inside a sentence, and gets no final mark.
        pause_ms: silence after it.
    """

    text: str
    continuation: bool = False
    ends_sentence: bool = True
    pause_ms: int = 0


@dataclass(frozen=True)
class Sentence:
    """A processed sentence, or a part of one.

    Attributes:
        text: what is to be said, whitespace included.
        words: words of the raw text it came from.
        ends_sentence: False: the sentence goes on in the next one.
        gap: what lies between it and the next one.
        at_once: it is to be spoken without waiting for more.
        break_ms: an explicit pause after it; None: none.
    """

    text: str
    words: int
    ends_sentence: bool = True
    gap: Gap = Gap.SENTENCE
    at_once: bool = False
    break_ms: int | None = None


@dataclass
class _Pending:
    """The segment being filled."""

    sentences: list[Sentence] = field(default_factory=list)
    tokens: int = 0
    words: int = 0

    @property
    def text(self) -> str:
        return "".join(sentence.text for sentence in self.sentences)


class Packer:
    """See the module."""

    def __init__(self, options: TextOptions, count_tokens: TokenCounter) -> None:
        self._options = options
        self._count = count_tokens
        self._pending = _Pending()
        self._lead = ""  # text without a letter that waits for some with letters
        self._given = 0
        self._words = 0
        self._first_words = max(options.first_segment_min_words, SHORT_WORDS + 1)
        self._continues = False  # the next sentence begins inside a sentence

    @property
    def can_end(self) -> bool:
        """Whether the segment being filled ends if a sentence of more than two words follows."""
        pending = self._pending
        return (
            pending.words > SHORT_WORDS
            and self._words >= self._first_words
            and (self._pause_ms() > 0 or pending.tokens >= self._target())
        )

    def announce_long(self) -> list[Segment]:
        """More than two words of a next sentence are there: ends the segment being filled if that can end."""
        return self.end() if self.can_end else []

    def add(self, sentence: Sentence) -> list[Segment]:
        """Takes the next sentence; gives the segments that are finished by it."""
        segments: list[Segment] = []
        if not speakable(sentence.text):
            return self._add_silent(sentence)
        if self._lead:
            sentence = replace(sentence, text=self._lead + sentence.text)
            self._lead = ""
        if self.can_end and _is_heading(sentence):
            segments += self.end()
        self._words += sentence.words
        segments += self._append(sentence)
        if sentence.break_ms is not None:
            segments += self.end(sentence.break_ms)
        elif sentence.at_once and self._pending.sentences:
            segments += self.end()
        return segments

    def end(self, pause_ms: int | None = None) -> list[Segment]:
        """Ends the segment being filled, with the pause its gap asks for unless another is given."""
        pending = self._pending
        if not pending.sentences:
            return []
        last = pending.sentences[-1]
        segment = Segment(
            text=pending.text,
            continuation=self._continues,
            ends_sentence=last.ends_sentence,
            pause_ms=self._pause_ms() if pause_ms is None else pause_ms,
        )
        self._pending = _Pending()
        self._continues = not last.ends_sentence
        self._given += 1
        return [segment]

    def flush(self) -> list[Segment]:
        """The text has ended: gives what is left, without the pause that only separates."""
        self._lead = ""
        return self.end(pause_ms=0)

    def _add_silent(self, sentence: Sentence) -> list[Segment]:
        pending = self._pending
        if pending.sentences:
            last = pending.sentences[-1]
            pending.sentences[-1] = replace(
                last, text=last.text + sentence.text, gap=max(last.gap, sentence.gap)
            )
            return self.end(sentence.break_ms) if sentence.break_ms is not None else []
        self._lead += sentence.text
        return [Segment("", pause_ms=sentence.break_ms)] if sentence.break_ms else []

    def _append(self, sentence: Sentence) -> list[Segment]:
        """Adds to the segment being filled, or ends that one where the sentence does not fit."""
        pending = self._pending
        tokens = self._count(sentence.text.strip())
        if self._fits(pending, sentence, tokens):
            pending.sentences.append(sentence)
            pending.tokens += tokens
            pending.words += sentence.words
            return []
        short = sentence.words <= SHORT_WORDS and tokens <= self._options.max_tokens
        if pending.words > SHORT_WORDS and not short:
            return self.end() + self._append(sentence)
        return self._split([*pending.sentences, sentence])

    def _fits(self, pending: _Pending, sentence: Sentence, tokens: int) -> bool:
        budget = self._options.max_tokens
        if not pending.sentences:
            return tokens <= budget
        if pending.tokens + tokens > budget + len(pending.sentences):
            return False
        return self._count((pending.text + sentence.text).strip()) <= budget

    def _split(self, sentences: list[Sentence]) -> list[Segment]:
        """Gives all slices but the last, to which what follows may be joined."""
        last = sentences[-1]
        *slices, rest = split_balanced(
            [(sentence.text, sentence.ends_sentence) for sentence in sentences],
            self._options.max_tokens,
            self._count,
        )
        segments: list[Segment] = []
        for part in slices:
            pause_ms = self._options.sentence_pause_ms if part.ends_sentence else 0
            segments.append(Segment(part.text, self._continues, part.ends_sentence, pause_ms))
            self._continues = not part.ends_sentence
        self._given += len(slices)
        words = max(SHORT_WORDS + 1, last.words) if slices else last.words
        self._pending = _Pending([replace(last, text=rest.text)], rest.tokens, words)
        return segments

    def _target(self) -> int:
        """From how many tokens on the segment being filled may end."""
        if self._given < 2:
            return 0
        return self._options.max_tokens // 2 if self._given == 2 else self._options.max_tokens

    def _pause_ms(self) -> int:
        """The pause that the gap after the segment being filled asks for."""
        options, last = self._options, self._pending.sentences[-1]
        pause_ms = 0
        if last.ends_sentence and last.gap >= Gap.SENTENCE:
            pause_ms = options.sentence_pause_ms
        if last.gap >= Gap.LINE:
            pause_ms = max(pause_ms, options.line_pause_ms)
        if last.gap >= Gap.PARAGRAPH:
            pause_ms = max(pause_ms, options.paragraph_pause_ms)
        return pause_ms


def _is_heading(sentence: Sentence) -> bool:
    """A line of its own without a final mark belongs to what follows it."""
    return sentence.gap >= Gap.LINE and not ends_with_mark(sentence.text)
