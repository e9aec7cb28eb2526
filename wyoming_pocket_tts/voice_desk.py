"""Voices that come over HTTP: a recording becomes a guest, a guest may be kept, what was kept may be deleted.

    recording --bring--> guest voice --keep--> file in the voices directory, a voice like any other there
                               |--(idle)--> gone, with all that was made of it

Names of files are made here, from names that were checked; nothing that a client sends is opened. Knows no protocol.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import logging
import os
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

import yaml

from wyoming_pocket_tts.assembly import Assembly
from wyoming_pocket_tts.errors import ConfigError, InvalidRequest, ServerError, VoiceNotFound
from wyoming_pocket_tts.guests import PREFIX, guest_name
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.cloning import VoiceCloner
from wyoming_pocket_tts.models.loading import ModelEntry
from wyoming_pocket_tts.own_voices import OwnVoices
from wyoming_pocket_tts.prompts import read_prompt
from wyoming_pocket_tts.synthesizer import Synthesizer

_LOGGER = logging.getLogger(__name__)

_MOST_GUESTS = 16
_IDLE_S = 1800.0
_LOOK_EVERY_S = 60.0

# A name becomes the name of a file, here and where somebody copies the folder to.
_NAME = re.compile(r"[^\W_](?:[\w .'-]{0,58}[\w'-])?")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_SUFFIXES = ((b"fLaC", ".flac"), (b"OggS", ".ogg"), (b"RIFF", ".wav"), (b"ID3", ".mp3"))


class CannotKeep(ServerError):
    """A voice could not be stored, or not be deleted."""

    code = "storage"


@dataclass(frozen=True)
class Guest:
    """A recording that can be spoken with.

    Attributes:
        name: what a request asks for.
        seconds: how much of the recording is used.
        languages: codes under which its model's voices are listed.
    """

    name: str
    seconds: float
    languages: tuple[str, ...]


@dataclass(frozen=True)
class _Brought:
    path: Path | None
    sha256: str
    seconds: float
    kept_before: bool


class VoiceDesk:
    """Takes recordings in, on behalf of one synthesizer."""

    def __init__(
        self,
        synthesizer: Synthesizer,
        assembly: Assembly,
        own_voices: OwnVoices,
        cloner: VoiceCloner,
        guests_folder: Path,
        kept_folder: Path,
    ) -> None:
        """
        Args:
            synthesizer: gets the guests.
            assembly: knows which model speaks which language, and which names are taken.
            own_voices: looks through `kept_folder`.
            cloner: whose voices of guests are dropped with them.
            guests_folder: this program's alone; what lies in it is deleted.
            kept_folder: where kept voices go.
        """
        self._synthesizer = synthesizer
        self._assembly = assembly
        self._own_voices = own_voices
        self._cloner = cloner
        self._guests_folder = guests_folder
        self._kept_folder = kept_folder
        self._brought: dict[str, _Brought] = {}
        self._changing = asyncio.Lock()

    # Guests

    async def bring(self, recording: bytes, language: str | None = None) -> Guest:
        """Makes a guest of a recording; the same recording is the same guest.

        Raises:
            AudioPromptError: it cannot serve as a voice.
            VoiceNotFound: no model speaks that language.
            CannotKeep: there is no room for it.
        """
        entry = self._entry(language)
        path = self._guests_folder / f"{guest_name().removeprefix(PREFIX)}.recording"
        try:
            brought = await asyncio.to_thread(self._store, path, recording)
        except OSError as error:
            raise CannotKeep(
                f"The recording cannot be stored: {error.strerror or error}."
            ) from error
        for voice in self._synthesizer.guests.voices:
            if voice.version == brought.sha256 and voice.model == entry.name:
                await asyncio.to_thread(path.unlink, missing_ok=True)
                self._synthesizer.guests.get(voice.name)
                return Guest(voice.name, brought.seconds, voice.languages)
        guest = self._admit(entry, str(path), brought.sha256)
        self._brought[guest.name] = brought
        await self.dismiss_idle()
        return Guest(guest.name, brought.seconds, guest.languages)

    def call(self, address: str, language: str | None = None) -> str:
        """Makes a guest of what lies at an address, which the caller has found to be allowed; its name.

        Raises:
            VoiceNotFound: no model speaks that language.
        """
        entry = self._entry(language)
        for voice in self._synthesizer.guests.voices:
            if voice.source == address and voice.model == entry.name:
                return voice.name
        guest = self._admit(entry, address, "")
        self._brought[guest.name] = _Brought(None, "", 0.0, True)
        return guest.name

    async def dismiss(self, name: str) -> None:
        """Lets a guest go, with all that was made of the recording.

        Raises:
            VoiceNotFound: there is no such guest.
        """
        brought = self._brought.pop(name, None)
        self._synthesizer.guests.remove(name)
        self._synthesizer.forget_others()
        if brought is None:
            raise VoiceNotFound("There is no such recording here any more. Upload it again.")
        if brought.path is not None:
            await asyncio.to_thread(self._wipe, brought)

    async def dismiss_idle(self) -> None:
        """Lets those go who have not been asked for in a while."""
        for voice in self._synthesizer.guests.idle(_MOST_GUESTS, _IDLE_S):
            with contextlib.suppress(VoiceNotFound):
                await self.dismiss(voice.name)

    async def watch(self) -> None:
        """Never ends: see `dismiss_idle`."""
        while True:
            await asyncio.sleep(_LOOK_EVERY_S)
            await self.dismiss_idle()

    async def close(self) -> None:
        """Lets all guests go."""
        for name in list(self._brought):
            await self.dismiss(name)
        await asyncio.to_thread(shutil.rmtree, self._guests_folder, ignore_errors=True)

    # Voices that stay

    def added(self, name: str) -> bool:
        """Whether a voice was kept here, and may be deleted."""
        voice = self._own_voices.find(name)
        return voice is not None and voice.added

    async def keep(self, guest: str, name: str, description: str | None = None) -> None:
        """Makes a voice of a guest: a file in the voices directory, with when the speaker's consent was stated.

        Raises:
            VoiceNotFound: there is no such guest.
            InvalidRequest: a name that cannot be had.
            CannotKeep: it cannot be stored.
        """
        brought, voice = self._brought.get(guest), self._synthesizer.guests.get(guest)
        if brought is None or voice is None or brought.path is None:
            raise VoiceNotFound("There is no such recording here any more. Upload it again.")
        async with self._changing:
            self._check_name(name)
            stated = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
            about = {"description": description or name, "consent": stated, **self._place(voice)}
            try:
                await asyncio.to_thread(self._save, brought.path, name, about)
            except OSError as error:
                raise CannotKeep(
                    f"The voice cannot be stored: {error.strerror or error}."
                ) from error
            await self._own_voices.refresh(self._synthesizer)
            if self._own_voices.find(name) is None:
                raise CannotKeep("The voice was stored, but cannot be used; the log says why.")
            self._brought[guest] = _Brought(brought.path, brought.sha256, brought.seconds, True)
        _LOGGER.info("Voice kept", extra={"voice": name})

    async def delete(self, name: str) -> None:
        """Deletes a voice that was kept here, and what was made of it.

        Raises:
            VoiceNotFound: there is no such voice.
            InvalidRequest: it was not kept here.
            CannotKeep: its files cannot be deleted.
        """
        async with self._changing:
            voice = self._own_voices.find(name)
            if voice is None or not voice.added:
                if any(one.name == name for one in self._synthesizer.voices()):
                    raise InvalidRequest(
                        f"Voice {name!r} was not added here; only the owner of the server can delete it."
                    )
                raise VoiceNotFound(f"There is no voice {name[:100]!r} here.")
            try:
                await asyncio.to_thread(self._erase, Path(voice.source))
            except OSError as error:
                raise CannotKeep(
                    f"The voice cannot be deleted: {error.strerror or error}."
                ) from error
            await self._own_voices.refresh(self._synthesizer)
        _LOGGER.info("Voice deleted", extra={"voice": name})

    # In threads

    def _store(self, path: Path, recording: bytes) -> _Brought:
        self._guests_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            path.write_bytes(recording)
            prompt = read_prompt(path, called="The recording")
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        kept = self._cloner.is_kept(prompt.sha256)
        return _Brought(path, prompt.sha256, prompt.seconds, kept)

    def _wipe(self, brought: _Brought) -> None:
        assert brought.path is not None
        brought.path.unlink(missing_ok=True)
        # What was there before belongs to another voice of the same recording.
        if not brought.kept_before:
            self._cloner.forget(brought.sha256)

    def _save(self, source: Path, name: str, about: dict[str, str]) -> None:
        """First what is said of it, then the recording: a folder that is looked at meanwhile shows all or nothing."""
        self._kept_folder.mkdir(parents=True, exist_ok=True)
        recording = source.read_bytes()
        suffix = next((end for start, end in _SUFFIXES if recording.startswith(start)), None)
        if suffix is None:
            is_mp3 = len(recording) > 1 and recording[0] == 0xFF and recording[1] & 0xE0 == 0xE0
            suffix = ".mp3" if is_mp3 else ".wav"
        text = yaml.safe_dump(about, allow_unicode=True, sort_keys=False)
        for end, content in ((".yaml", text.encode()), (suffix, recording)):
            part = self._kept_folder / f".{name}{end}.part"
            part.write_bytes(content)
            # Files written a moment ago are left alone, since they may be growing; this one is whole.
            then = time.time() - _LOOK_EVERY_S
            os.utime(part, (then, then))
            part.replace(self._kept_folder / f"{name}{end}")

    def _erase(self, path: Path) -> None:
        sha256 = read_prompt(path).sha256
        path.unlink()
        for suffix in (".yaml", ".yml"):
            path.with_name(path.stem + suffix).unlink(missing_ok=True)
        self._cloner.forget(sha256)

    # Names and models

    def _entry(self, language: str | None) -> ModelEntry:
        try:
            return self._assembly.place("language", None, language)
        except ConfigError as error:
            raise VoiceNotFound(str(error)) from error

    def _admit(self, entry: ModelEntry, source: str, version: str) -> Voice:
        guest = Voice(
            name=guest_name(),
            model=entry.name,
            source=source,
            languages=self._assembly.languages(entry),
            version=version,
        )
        self._synthesizer.guests.add(guest)
        return guest

    def _place(self, voice: Voice) -> dict[str, str]:
        """What leads a recording in the folder to the model that the guest was spoken with."""
        language = voice.languages[0]
        if self._entry(language).name == voice.model:
            return {"language": language}
        return {"model": voice.model}

    def _check_name(self, name: str) -> None:
        if not _NAME.fullmatch(name) or _RESERVED.fullmatch(name):
            raise InvalidRequest(
                "A voice's name is 1 to 60 letters, digits, spaces and . _ ' -, and begins with a letter or digit."
            )
        folder = self._kept_folder
        stems = {path.stem.casefold() for path in folder.iterdir()} if folder.is_dir() else set()
        known = {voice.name.casefold() for voice in self._synthesizer.voices()}
        if name.casefold() in stems | known or self._assembly.is_taken(name):
            raise InvalidRequest(f"There is a voice {name!r} already; choose another name.")
