"""The owner's voices while the server runs: the voices directory is looked through, and recordings become voices ahead of their first use."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterable

from wyoming_pocket_tts.assembly import Assembly
from wyoming_pocket_tts.errors import PocketTTSError
from wyoming_pocket_tts.models.book import Voice, VoiceBook
from wyoming_pocket_tts.models.host import ModelHost
from wyoming_pocket_tts.notices import Notices
from wyoming_pocket_tts.synthesizer import Synthesizer
from wyoming_pocket_tts.voices_folder import STATE_SUFFIX, VoicesFolder

_LOGGER = logging.getLogger(__name__)

_LOOK_EVERY_S = 3.0


class OwnVoices:
    """Keeps a synthesizer's book up to date; `look` once, then `watch` for as long as the server runs."""

    def __init__(
        self,
        assembly: Assembly,
        host: ModelHost,
        folder: VoicesFolder | None,
        notices: Notices | None = None,
    ) -> None:
        """
        Args:
            assembly: makes the books.
            host: makes and keeps the voices.
            folder: the voices directory, if there is one.
            notices: told of defaults that are no voice, and of what is wrong with the owner's voices.
        """
        self._assembly = assembly
        self._host = host
        self._folder = folder
        self._notices = notices or Notices()
        self._found: tuple[Voice, ...] = ()
        self._unusable: set[str] = set()
        self._missing: tuple[str, ...] = ()
        self._looking = asyncio.Lock()
        self._changed = asyncio.Event()

    def find(self, name: str) -> Voice | None:
        """The voice of the folder with that name."""
        return next((voice for voice in self._found if voice.name == name), None)

    def owns(self, voice: Voice) -> bool:
        """Whether a voice is of the settings or of the folder, not of the catalogue."""
        own = (*self._assembly.own_voices, *self._found)
        return any(voice.name == one.name for one in own)

    async def look(self) -> VoiceBook:
        """Looks through the folder; the book of all voices there are now."""
        if self._folder is not None:
            self._found = await asyncio.to_thread(self._folder.scan)
            self._say("voices directory", self._folder.complaint)
        unusable = frozenset(self._unusable)
        book = await asyncio.to_thread(self._assembly.make_book, self._found, unusable)
        for name in unusable - {voice.name for voice in book.voices}:
            self._forget(name)
        for message in book.missing:
            if message not in self._missing:
                _LOGGER.warning("%s", message)
        self._missing = book.missing
        self._say("voices", " ".join(book.missing))
        return book

    def told(self, voice: Voice, error: PocketTTSError | None) -> bool:
        """Hears that a voice could be had, or why not; whether the book is to be made anew for that."""
        if voice.is_guest:
            return False
        before = frozenset(self._unusable)
        if error is None:
            self._forget(voice.name)
        else:
            self._unusable.add(voice.name)
            if self.owns(voice):
                self._say(_subject(voice.name), f"Voice {voice.name} cannot be used: {error}")
        return self._unusable != before

    def _forget(self, name: str) -> None:
        """There is nothing to be said of a voice any more."""
        self._unusable.discard(name)
        self._notices.clear(_subject(name))

    def _say(self, subject: str, text: str) -> None:
        if text:
            self._notices.put(subject, text)
        else:
            self._notices.clear(subject)

    async def watch(self, synthesizer: Synthesizer) -> None:
        """Never ends: gets recordings ready, and tells the synthesizer what has changed in the folder."""
        self._changed.set()
        # Side by side: making a voice may wait for a long download.
        await asyncio.gather(self._look_on(synthesizer), self._make_ready())

    async def refresh(self, synthesizer: Synthesizer) -> None:
        """Looks through the folder now, and tells the synthesizer what has changed."""
        async with self._looking:
            before = self._found
            book = await self.look()
            if self._found != before:
                synthesizer.use_book(book)
                _tell(before, self._found)
                self._changed.set()

    async def mark_again(self, synthesizer: Synthesizer) -> None:
        """Looks anew at which voices can be spoken, as after a model was loaded for the first time."""
        async with self._looking:
            if self._folder is not None:
                self._folder.place_again()
            synthesizer.use_book(await self.look())

    async def _look_on(self, synthesizer: Synthesizer) -> None:
        while self._folder is not None:
            await asyncio.sleep(_LOOK_EVERY_S)
            try:
                await self.refresh(synthesizer)
            except Exception:
                # Whatever it was, the voices there were are still there, and so is the server.
                _LOGGER.exception("Looking through the voices directory failed")

    async def _make_ready(self) -> None:
        """Makes voices of recordings, where the model is there anyway; each is tried once, and then again when somebody asks for it."""
        tried: set[tuple[str, str]] = set()
        while True:
            await self._changed.wait()
            self._changed.clear()
            for voice in (*self._assembly.own_voices, *self._found):
                key = (voice.source, voice.version)
                at_start = self._host.entry(voice.model).at_start
                if key in tried or not at_start or not is_recording(voice):
                    continue
                tried.add(key)
                with contextlib.suppress(PocketTTSError):  # the host has logged it
                    await self._host.prepare(voice)


def _subject(name: str) -> str:
    """What a notice about a voice is filed under."""
    return f"voice {name}"


def is_recording(voice: Voice) -> bool:
    """Whether a voice's source is, by its name, no finished voice."""
    return not voice.source.partition("@")[0].lower().endswith(STATE_SUFFIX)


def _tell(before: Iterable[Voice], after: Iterable[Voice]) -> None:
    old, new = {voice.name: voice for voice in before}, {voice.name: voice for voice in after}
    fields = {
        "new": [name for name in new if name not in old],
        "changed": [name for name in new if name in old and new[name] != old[name]],
        "gone": [name for name in old if name not in new],
    }
    _LOGGER.info("Voices", extra={key: names for key, names in fields.items() if names})
