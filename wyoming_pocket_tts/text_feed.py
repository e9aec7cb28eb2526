"""Text that is still arriving, handed on piece by piece; what all protocols have in common that stream text in."""

from __future__ import annotations

import asyncio

from wyoming_pocket_tts.errors import PocketTTSError


class TextFeed:
    """Text that is still arriving, as an async iterator: each turn gives all that has come since the last.

    `push` never waits; whoever pushes bounds the text. Only one task may iterate.
    """

    def __init__(self) -> None:
        self.characters = 0
        self._pieces: list[str] = []
        self._ended = False
        self._error: PocketTTSError | None = None
        self._changed = asyncio.Event()

    def push(self, text: str) -> None:
        """Adds text; once the feed has ended it is dropped."""
        if text and not self._ended:
            self.characters += len(text)
            self._pieces.append(text)
            self._changed.set()

    def end(self, error: PocketTTSError | None = None) -> None:
        """No more text will come. With an error, the iterator raises it after the text that is there."""
        if not self._ended:
            self._ended = True
            self._error = error
            self._changed.set()

    async def aclose(self) -> None:
        """The reader is done with the text."""
        self.close()

    def close(self) -> None:
        """Ends the feed and drops its text."""
        self.end()
        self._pieces.clear()
        self._error = None

    def __aiter__(self) -> TextFeed:
        return self

    async def __anext__(self) -> str:
        while not self._pieces and not self._ended:
            self._changed.clear()
            await self._changed.wait()
        if self._pieces:
            text = "".join(self._pieces)
            self._pieces.clear()
            return text
        if self._error is not None:
            raise self._error
        raise StopAsyncIteration
