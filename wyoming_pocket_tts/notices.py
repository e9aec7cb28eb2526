"""What the owner of an installation should know of it at the moment: one sentence per subject.

Whoever meets a trouble that the server survives puts it here, and takes it away when it is over; `describe` and the page show what is there.
Knows nothing of either side.
"""

from __future__ import annotations


class Notices:
    """A board with one sentence per subject; used from the event loop alone."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def put(self, subject: str, text: str) -> None:
        """Says something of a subject, in place of what was said of it before."""
        self._texts[subject] = text

    def clear(self, subject: str) -> None:
        """There is nothing to be said of a subject any more."""
        self._texts.pop(subject, None)

    def texts(self) -> tuple[str, ...]:
        """All sentences, the oldest subject first."""
        return tuple(self._texts.values())
