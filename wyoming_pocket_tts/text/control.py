"""Control sequences of terminals (colours, cursor moves, window titles) leave a text before anything else looks at it.

They come with the output of programs; without this, "[31m" would be read aloud. What a sequence is depends on the joined text alone, not on
the pieces in which it arrives. Only sequences that begin with ESC count: their one-character forms (U+0080 to U+009F) are in practice quotes
and dashes of a text that was decoded wrongly.

Source: ECMA-48, sections 5.4 and 5.6.
"""

from __future__ import annotations

import re

_CSI = r"\x1b\[[0-?]{0,64}[ -/]{0,8}"
_STRING = r"\x1b[\]PX^_][^\x00-\x07\x0e-\x1f\x7f-\x9f]{0,500}"
_OTHER = r"\x1b[ -/]{0,8}"
_WHOLE = re.compile(rf"{_CSI}[@-~]|{_STRING}(?:\x07|\x1b\\)|{_OTHER}[0-~]|\x1b")
_UNFINISHED = re.compile(rf"(?:{_CSI}|{_STRING}\x1b?|{_OTHER})\Z")


class ControlSequences:
    """Takes the sequences out of one text; an object serves one text."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """The next piece without its sequences; what may be the beginning of one is held back."""
        text = self._held + piece
        if "\x1b" not in text:
            return text
        unfinished = _UNFINISHED.search(text)
        end = unfinished.start() if unfinished else len(text)
        self._held = text[end:]
        return _WHOLE.sub("", text[:end])

    def flush(self) -> str:
        """The text has ended: what is left of it."""
        text, self._held = self._held, ""
        return _WHOLE.sub("", text)
