"""The models, voices and synthesizer of this process: built from settings, loaded, warmed, closed.

`assembly` decides what there is, `models.host` holds it, `synthesizer` speaks with it; here they are put together.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import logging
import secrets
import sys
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from wyoming_pocket_tts import logs
from wyoming_pocket_tts.assembly import Assembly
from wyoming_pocket_tts.errors import ModelUnavailable, PocketTTSError
from wyoming_pocket_tts.http_settings import HttpSettings
from wyoming_pocket_tts.models.availability import Availability
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.catalogue import Catalogue
from wyoming_pocket_tts.models.cloning import VOICES_FOLDER, VoiceCloner
from wyoming_pocket_tts.models.download import Fetcher
from wyoming_pocket_tts.models.host import ModelHost
from wyoming_pocket_tts.models.loading import EngineOptions
from wyoming_pocket_tts.models.progress import LoggedProgress, ProgressCallback, TerminalProgress
from wyoming_pocket_tts.models.progress_board import ProgressBoard
from wyoming_pocket_tts.models.voice_states import VoiceReader
from wyoming_pocket_tts.notices import Notices
from wyoming_pocket_tts.own_voices import OwnVoices
from wyoming_pocket_tts.settings import Settings
from wyoming_pocket_tts.synthesizer import SpeechRequest, Synthesizer, SynthesizerLimits
from wyoming_pocket_tts.text.dictionary import Dictionary
from wyoming_pocket_tts.voice_addresses import AskedFor
from wyoming_pocket_tts.voice_desk import VoiceDesk
from wyoming_pocket_tts.voices_folder import VoicesFolder

_LOGGER = logging.getLogger(__name__)

_DICTIONARY_EVERY_S = 1.0
# With load: background, pauses between attempts to load what could not be loaded.
_AGAIN_S = (15.0, 30.0, 60.0, 120.0, 300.0)
# Where voices that were added over HTTP are kept, below the fetcher's own folder, when there is no voices directory.
_KEPT_FOLDER = "my-voices"


class LocalSpeech:
    """What speaks in this process.

    Attributes:
        synthesizer: set by `load`.
        model_names: those that may be used, loaded or not; set by `load`.
        desk: takes recordings in; set by `load`.
    """

    synthesizer: Synthesizer
    desk: VoiceDesk | None = None

    def __init__(self, settings: Settings, notices: Notices | None = None) -> None:
        self._notices = notices or Notices()
        self.model_names: tuple[str, ...] = ()
        self._settings = settings
        self._host: ModelHost | None = None
        self._own_voices: OwnVoices | None = None
        self._once_loaded: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._board = ProgressBoard(_progress(settings))
        self._fetcher = Fetcher(settings.cache_dir, offline=settings.offline, progress=self._board)
        self._cloner = VoiceCloner(self._fetcher.fetch, self._fetcher.own_folder / VOICES_FOLDER)

    async def load(self) -> None:
        """Loads what is to be there before the first request, and has it speak once.

        Raises:
            SetupError: a model or voice is not to be had, or does not fit.
        """
        settings = self._settings
        path = settings.text.dictionary
        dictionary = await asyncio.to_thread(Dictionary, path) if path else None
        assembly = await asyncio.to_thread(self._assemble)
        self._host = ModelHost(
            assembly.entries,
            _engine_options(settings),
            self._fetcher.fetch,
            folder=self._fetcher.own_folder,
            wait_s=settings.limits.model_wait_s,
            budget_mib=settings.limits.model_memory_mib,
            voices_budget_mib=settings.limits.voice_memory_mib,
            read_voice=VoiceReader(
                self._fetcher.fetch, self._cloner, self._fetch_for_guest(settings.http)
            ),
            percent=self._board.percent,
            tell=self._told_of_model,
            tell_voice=self._told_of_voice,
        )
        folder = await asyncio.to_thread(self._voices_folder)
        own_voices = self._own_voices = OwnVoices(
            assembly,
            self._host,
            VoicesFolder(folder, assembly) if folder else None,
            self._notices,
        )
        book = await own_voices.look()
        self.model_names = tuple(self._host.entries)
        self.synthesizer = Synthesizer(
            self._host,
            book,
            settings.text,
            SynthesizerLimits(
                max_text_characters=settings.limits.max_text_characters,
                max_requests=settings.engine.slots + settings.limits.max_waiting_requests,
            ),
            seed=settings.engine.seed,
            sound_options=settings.sound,
            dictionary=dictionary,
        )
        if settings.http.enabled:
            guests = Path(tempfile.gettempdir()) / f"wyoming-pocket-tts-{secrets.token_hex(8)}"
            self.desk = VoiceDesk(
                self.synthesizer,
                assembly,
                own_voices,
                self._cloner,
                guests,
                folder or self._fetcher.own_folder / _KEPT_FOLDER,
            )
            self._start(self.desk.watch())
        if dictionary is not None:
            self._start(_follow(dictionary))
        if settings.load == "background":
            self._start(self._load_and_watch(own_voices))
        else:
            await self._load_models(own_voices)
            self._start(own_voices.watch(self.synthesizer))

    async def close(self) -> None:
        """Ends the engines."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.desk is not None:
            await self.desk.close()
        if self._host is not None:
            await self._host.close()

    def _fetch_for_guest(self, http: HttpSettings) -> Callable[[str], Path]:
        """What requests name comes from where the owner allows, and is no larger than a recording."""
        largest_mib = http.max_upload_mib or HttpSettings.max_upload_mib
        asked_for = AskedFor(http.allowed_voice_urls, largest_mib * 1024 * 1024)
        return functools.partial(self._fetcher.fetch, asked_for=asked_for)

    def _voices_folder(self) -> Path | None:
        """The voices directory: the owner's, or one of ours where recordings may come over HTTP."""
        if self._settings.voices_dir is not None or not _takes_recordings(self._settings):
            return self._settings.voices_dir
        folder = self._fetcher.own_folder / _KEPT_FOLDER
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            _LOGGER.warning("Voices cannot be added: %s: %s", folder, error.strerror or error)
            return None
        return folder

    def _assemble(self) -> Assembly:
        if self._settings.catalogue_models or self._settings.models:
            # The hub's library gives its logger a handler when it is imported, which would show every line twice.
            import huggingface_hub.utils.logging  # noqa: F401

            logs.take_over("huggingface_hub")
        fetcher = self._fetcher
        available = Availability(fetcher.cached, self._cloner, offline=fetcher.offline)
        return Assembly(
            self._settings,
            Catalogue.load(),
            fetcher.fetch,
            available.voice,
            available.identities,
        )

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        task.add_done_callback(_ended)
        self._tasks.append(task)

    async def _load_and_watch(self, own_voices: OwnVoices) -> None:
        """Loads while requests are answered already."""
        await asyncio.gather(self._load_until_there(own_voices), own_voices.watch(self.synthesizer))

    async def _load_until_there(self, own_voices: OwnVoices) -> None:
        """What fails is tried again, by itself and by the request that needs it: a network may come later than we do."""
        for pause_s in itertools.chain(_AGAIN_S, itertools.repeat(_AGAIN_S[-1])):
            try:
                await self._load_models(own_voices)
                return
            except PocketTTSError as error:
                # What the host has not logged itself, such as a default voice that is not to be had.
                _LOGGER.debug("Loading again in %g s: %s", pause_s, error)
            except Exception:
                _LOGGER.exception("Loading failed; it is tried again in %g s", pause_s)
            await asyncio.sleep(pause_s)

    def _told_of_model(self, name: str, error: BaseException | None) -> None:
        if error is None:
            self._notices.clear(f"model {name}")
            if self._own_voices is not None and name not in self._once_loaded:
                self._once_loaded.add(name)
                # Now it is known which voices were made with other weights.
                self._start(self._own_voices.mark_again(self.synthesizer))
        else:
            self._notices.put(f"model {name}", f"Model {name} cannot be loaded: {error}")

    def _told_of_voice(self, voice: Voice, error: PocketTTSError | None) -> None:
        if self._own_voices is not None and self._own_voices.told(voice, error):
            # Another one may have to speak for it, or need not any more.
            self._start(self._own_voices.mark_again(self.synthesizer))

    async def _load_models(self, own_voices: OwnVoices) -> None:
        assert self._host is not None
        await self._host.load_at_start()
        wanted, default = self.synthesizer.wanted_voice, self.synthesizer.default_voice
        # First the one that speaks now; the wanted one is tried again until it can be had.
        for voice in (default, wanted if wanted != default else None):
            if voice is not None:
                await self._warm_up(voice, own_voices)

    async def _warm_up(self, voice: Voice, own_voices: OwnVoices) -> None:
        assert self._host is not None
        if not self._host.entry(voice.model).at_start:
            return
        try:
            await self._speak_once(voice.name)
        except ModelUnavailable as error:
            if self._settings.default_voice is not None or not own_voices.owns(voice):
                raise
            # The other voices speak; this one needs access to weights, or another recording.
            _LOGGER.error("The default voice cannot be used: %s", error)

    async def _speak_once(self, voice: str) -> None:
        """Speaks a word: the voice's state is read, and torch has made its plans, before anybody waits for it."""
        request = SpeechRequest(text="Hello.", voice=voice, request_id="warm-up")
        async with contextlib.aclosing(self.synthesizer.generate_audio_stream(request)) as frames:
            async for _ in frames:
                pass


async def _follow(dictionary: Dictionary) -> None:
    """Never ends: takes over what the owner changes in the file. In a thread, since expressions are tried out."""
    while True:
        await asyncio.sleep(_DICTIONARY_EVERY_S)
        await asyncio.to_thread(dictionary.refresh)


def _ended(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        _LOGGER.error("A task in the background failed", exc_info=task.exception())


def _takes_recordings(settings: Settings) -> bool:
    return settings.http.enabled and settings.http.max_upload_mib > 0


def _engine_options(settings: Settings) -> EngineOptions:
    engine = settings.engine
    return EngineOptions(
        slots=engine.slots,
        decode_steps=engine.decode_steps,
        quantize=engine.quantize,
        threads=None if engine.threads == "auto" else engine.threads,
        tune=engine.tune,
        temperature=engine.temperature,
        noise_clamp=engine.noise_clamp,
        eos_threshold=engine.eos_threshold,
        frames_after_eos=engine.frames_after_eos,
    )


def _progress(settings: Settings) -> ProgressCallback:
    """A bar for a person who watches, lines for a log that is kept."""
    if settings.logging.format == "text" and sys.stderr.isatty():
        return TerminalProgress(sys.stderr)
    return LoggedProgress()
