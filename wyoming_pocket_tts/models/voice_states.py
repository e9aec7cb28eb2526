"""Voice states in memory: read (or made) once however many ask, kept while there is room.

Reading runs in threads; everything else runs on the event loop, so nothing here needs a lock.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.errors import (
    AudioPromptError,
    ConfigError,
    DownloadError,
    ModelUnavailable,
    PocketTTSError,
    VoiceStateError,
    VoiceUnreachable,
)
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.cloning import VoiceCloner
from wyoming_pocket_tts.models.loading import LoadedModel
from wyoming_pocket_tts.models.voices import is_voice_state, read_voice_state
from wyoming_pocket_tts.waiting import within

_LOGGER = logging.getLogger(__name__)

ReadVoice = Callable[[Voice, LoadedModel], VoiceState]
TellVoice = Callable[[Voice, "PocketTTSError | None"], None]
Key = tuple[str, str, str]


class VoiceReader:
    """Gets a voice's state from its source, a finished voice or a recording; blocking."""

    def __init__(
        self,
        fetch: Callable[[str], Path],
        cloner: VoiceCloner | None = None,
        fetch_for_guest: Callable[[str], Path] | None = None,
    ) -> None:
        """
        Args:
            fetch: gives the local file of a source; blocking.
            cloner: makes voices of recordings; None: finished ones alone.
            fetch_for_guest: the same for what requests ask for; None: as `fetch`.
        """
        self._fetch = fetch
        self._cloner = cloner
        self._fetch_for_guest = fetch_for_guest or fetch

    def __call__(self, voice: Voice, model: LoadedModel) -> VoiceState:
        """
        Raises:
            SetupError, AudioPromptError: it cannot be had or does not fit; says why.
        """
        if not voice.is_guest:
            return self._state(self._fetch(voice.source), model)
        path = self._fetch_for_guest(voice.source)
        try:
            return self._state(path, model)
        except (AudioPromptError, VoiceStateError) as error:
            # The client knows the address; where its file lies here is nobody's business.
            raise AudioPromptError(str(error).replace(str(path), voice.source)) from error

    def _state(self, path: Path, model: LoadedModel) -> VoiceState:
        config = model.entry.config
        if self._cloner is None or is_voice_state(path):
            return read_voice_state(path, config, identity=model.identity)
        return self._cloner.voice(path, model.entry.name, config, model.identity)


class VoiceStates:
    """The states that are in memory, and those on their way there."""

    def __init__(
        self,
        read: ReadVoice,
        budget_bytes: int,
        tell: TellVoice = lambda voice, error: None,
    ) -> None:
        """
        Args:
            read: see `VoiceReader`.
            budget_bytes: over it, those not used for longest go; the one just asked for stays.
            tell: told of a voice that could be had, or why it could not be.
        """
        self._read = read
        self._budget_bytes = budget_bytes
        self._tell = tell
        self._states: OrderedDict[Key, VoiceState] = OrderedDict()
        self._coming: dict[Key, asyncio.Task[VoiceState]] = {}
        self._refused: set[Key] = set()
        self.hits = 0
        self.misses = 0

    def refused(self, voice: Voice) -> bool:
        """Whether the last attempt to get this voice failed."""
        return _key(voice) in self._refused

    async def get(self, voice: Voice, model: LoadedModel, wait_s: float | None) -> VoiceState:
        """The state of a voice for a model.

        Args:
            voice: the voice.
            model: the one that will speak; the caller keeps it loaded meanwhile.
            wait_s: the longest wait; what is begun goes on after it, for the next request. None: no limit.

        Raises:
            ModelUnavailable: it cannot be had, or not yet; says why.
            VoiceUnreachable, AudioPromptError: what a request gave as a voice cannot be had, or cannot be one.
            asyncio.TimeoutError: the wait is over.
        """
        key = _key(voice)
        state = self._states.get(key)
        if state is not None:
            self.hits += 1
        else:
            self.misses += 1
            if key not in self._coming:
                task = asyncio.create_task(asyncio.to_thread(self._read, voice, model))
                self._coming[key] = task
                task.add_done_callback(lambda done: self._came(key, voice, done))
            try:
                state = await within(self._coming[key], wait_s, keep=True)
            except PocketTTSError as error:
                raise _unusable(voice, error) from error
        # It may have been dropped already for one that came at the same time; whoever waited has it all the same.
        self._states[key] = state
        self._states.move_to_end(key)
        self._shrink()
        return state

    def forget_model(self, name: str) -> None:
        """Drops the states of a model that is dropped itself."""
        for key in [key for key in self._states if key[0] == name]:
            del self._states[key]

    def keep_only(self, voices: tuple[Voice, ...]) -> None:
        """Drops what belongs to no voice any more: files that are gone or have changed."""
        keys = {_key(voice) for voice in voices}
        for key in [key for key in self._states if key not in keys]:
            del self._states[key]
        self._refused &= keys

    def close(self) -> None:
        """Waits for nothing any more; a thread that reads ends by itself."""
        for task in self._coming.values():
            task.cancel()

    @property
    def count(self) -> int:
        """How many states are in memory."""
        return len(self._states)

    @property
    def nbytes(self) -> int:
        """Their memory."""
        return sum(state.nbytes for state in self._states.values())

    def _came(self, key: Key, voice: Voice, task: asyncio.Task[VoiceState]) -> None:
        del self._coming[key]
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            self._refused.discard(key)
            self._states[key] = task.result()
            self._shrink()
            self._tell(voice, None)
            return
        if isinstance(error, PocketTTSError):
            if key not in self._refused:
                _LOGGER.error("Voice %s cannot be used: %s", voice.name, error)
            self._refused.add(key)
            self._tell(voice, error)

    def _shrink(self) -> None:
        while len(self._states) > 1 and self.nbytes > self._budget_bytes:
            self._states.popitem(last=False)


def _unusable(voice: Voice, error: PocketTTSError) -> PocketTTSError:
    if not voice.is_guest:
        return ModelUnavailable(f"Voice {voice.name!r} cannot be used: {error}")
    if isinstance(error, AudioPromptError):
        return AudioPromptError(str(error))
    if isinstance(
        error, ConfigError
    ):  # for good: no use in trying again. The log has the rest, paths among it.
        return AudioPromptError(f"Model {voice.model!r} makes no voices from recordings.")
    fetching = isinstance(error, DownloadError) and error.source == voice.source
    if fetching and getattr(error, "kind", "") != "offline":
        return VoiceUnreachable(f"The voice cannot be fetched. {error}")
    return ModelUnavailable(f"The voice cannot be used: {error}")


def _key(voice: Voice) -> Key:
    return voice.model, voice.source, voice.version
