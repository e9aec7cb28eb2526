"""Options of the text front end, and the text rules of a model.

`TextOptions` is what an owner or a request may choose; `TextRules` is what a model's configuration asks for. Neither
knows where its values come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

TokenCounter = Callable[[str], int]
"""How many tokens the model's tokenizer makes of a text."""

MAX_BREAK_MS = 10_000
"""The longest pause a `<break>` can ask for."""

_SSML_FORMATS = ("ssml", "application/ssml+xml")
TEXT_FORMATS = ("text", "text/plain", "text/markdown", *_SSML_FORMATS)
"""What a text may be said to be."""


@dataclass(frozen=True)
class TextOptions:
    """How text becomes segments.

    Attributes:
        max_tokens: the token budget of a segment; above 50 the models begin to skip words.
        first_segment_min_words: the first segment may end at a clause mark after this many words; 0: it never does.
        idle_flush_s: how long no text may arrive before the caller calls `TextPipeline.idle`.
        max_characters_unbroken: a sentence without an end is cut after so many characters.
        sentence_pause_ms: silence added after each sentence; above 0 every sentence is a segment of its own.
        line_pause_ms: silence added after each line; above 0 every line is a segment of its own.
        paragraph_pause_ms: silence added after each paragraph.
        text_format: one of `TEXT_FORMATS`, in any case; None is "text": plain text and Markdown. Text that begins with `<speak` is
            SSML in any case.
        markup: Markdown, HTML, emoji, URLs, e-mail addresses and SSML become what a person would say.
        characters: quotes, dashes, full-width letters and the like become characters the models know.
        normalise: numbers, units, times and the like become words, for languages that have rules.
        dictionary: a YAML file that says how words are to be said (`text.dictionary`).
        raw: everything above is off, and the text is prepared exactly as the `pocket-tts` package does it.
    """

    max_tokens: int = 50
    first_segment_min_words: int = 3
    idle_flush_s: float = 0.5
    max_characters_unbroken: int = 300
    sentence_pause_ms: int = 0
    line_pause_ms: int = 0
    paragraph_pause_ms: int = 300
    text_format: str | None = None
    markup: bool = True
    characters: bool = True
    normalise: bool = True
    dictionary: Path | None = None
    raw: bool = False

    def __post_init__(self) -> None:
        if self.text_format is not None and not is_text_format(self.text_format):
            raise ValueError(
                f"text_format must be one of {', '.join(TEXT_FORMATS)}, not {self.text_format!r}"
            )
        if self.max_tokens < 5:
            raise ValueError(f"max_tokens must be at least 5, not {self.max_tokens}")
        if self.first_segment_min_words < 0:
            raise ValueError("first_segment_min_words must not be negative")
        if self.idle_flush_s <= 0:
            raise ValueError("idle_flush_s must be positive")
        if self.max_characters_unbroken < 40:
            raise ValueError("max_characters_unbroken must be at least 40")
        for name in ("sentence_pause_ms", "line_pause_ms", "paragraph_pause_ms"):
            if not 0 <= getattr(self, name) <= MAX_BREAK_MS:
                raise ValueError(f"{name} must lie between 0 and {MAX_BREAK_MS}")

    @property
    def is_ssml(self) -> bool:
        """Whether every text is SSML, whatever it begins with."""
        return self.text_format is not None and self.text_format.lower() in _SSML_FORMATS


def is_text_format(name: str) -> bool:
    """Whether a format is known; what a client names otherwise is taken for plain text."""
    return name.lower() in TEXT_FORMATS


@dataclass(frozen=True)
class TextRules:
    """What a model's configuration says about its text; the names are the keys of its YAML file.

    Attributes:
        pad_with_spaces_for_short_inputs: eight spaces before texts of fewer than five words.
        remove_semicolons: ";" becomes ",".
        append_terminal_punctuation: a sentence without a final mark gets one.
        capitalize_first_letter: a sentence begins with a capital.
        replace_characters: a character to what replaces it.
    """

    pad_with_spaces_for_short_inputs: bool = False
    remove_semicolons: bool = False
    append_terminal_punctuation: bool = True
    capitalize_first_letter: bool = True
    replace_characters: Mapping[str, str] = field(default_factory=dict)
