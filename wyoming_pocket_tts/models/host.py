"""Models and voice states in memory: loaded once when needed, kept while there is room, never dropped in mid-request.

Loading runs in threads; everything else runs on the event loop, so nothing here needs a lock.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.errors import ConfigError, ModelUnavailable, PocketTTSError, nearest
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.loading import EngineOptions, LoadedModel, ModelEntry, load_model
from wyoming_pocket_tts.models.voices import read_voice_state

_LOGGER = logging.getLogger(__name__)

_MIB = 1024 * 1024


@dataclass(frozen=True)
class Speaker:
    """What is needed to speak: a loaded model and a voice's state for it."""

    model: LoadedModel
    voice: VoiceState


@dataclass
class _Held:
    model: LoadedModel
    users: int = 0
    used_at: float = 0.0


class ModelHost:
    """All models that may be loaded, and those that are."""

    def __init__(
        self,
        entries: Iterable[ModelEntry],
        options: EngineOptions,
        fetch: Callable[[str], Path],
        *,
        wait_s: float = 30.0,
        budget_mib: int | None = None,
        voices_budget_mib: int = 256,
    ) -> None:
        """Holds nothing yet.

        Args:
            entries: by their names.
            options: for every engine.
            fetch: gives the local file of a source; blocking.
            wait_s: how long a request waits for a model that is being loaded.
            budget_mib: memory for models; over it, those not used for longest go. None: no limit.
            voices_budget_mib: memory for voice states, likewise.
        """
        self.entries = {entry.name: entry for entry in entries}
        self._options = options
        self._fetch = fetch
        self._wait_s = wait_s
        self._budget = None if budget_mib is None else budget_mib * _MIB
        self._voices_budget = voices_budget_mib * _MIB
        self._held: dict[str, _Held] = {}
        self._loading: dict[str, asyncio.Task[LoadedModel]] = {}
        self._states: OrderedDict[tuple[str, str], VoiceState] = OrderedDict()
        self._closed = False

    def entry(self, name: str) -> ModelEntry:
        """The entry of that name.

        Raises:
            ConfigError: no such model; names the nearest ones.
        """
        if name not in self.entries:
            known = ", ".join(self.entries)
            hint = nearest(name, self.entries) or f" Models here: {known}."
            raise ConfigError(f"There is no model {name!r} here.{hint}")
        return self.entries[name]

    async def load_at_start(self) -> None:
        """Loads what is to be there before the first request.

        Raises:
            SetupError: of the first model that cannot be loaded.
        """
        for entry in self.entries.values():
            if entry.at_start:
                await self._load(entry.name)

    @contextlib.asynccontextmanager
    async def use(self, voice: Voice) -> AsyncIterator[Speaker]:
        """Lends a model and a voice state; while they are lent they stay in memory.

        Raises:
            ModelUnavailable: not loaded within the wait, or cannot be loaded; says why.
        """
        await self._ready(voice.model)
        while voice.model not in self._held:
            # Dropped again for another model between its load and our turn on the loop.
            await self._ready(voice.model)
        held = self._held[voice.model]
        held.users += 1
        try:
            yield Speaker(held.model, await self._voice_state(voice, held.model))
        finally:
            held.users -= 1
            held.used_at = time.monotonic()
            self._shrink()

    async def close(self) -> None:
        """Stops all engines."""
        self._closed = True
        for task in self._loading.values():
            task.cancel()
        held, self._held = self._held, {}
        for one in held.values():
            await asyncio.to_thread(one.model.worker.stop)

    async def _ready(self, name: str) -> None:
        """Loads the model when it is not there. Only the wait is bounded: loading goes on for the next request."""
        try:
            await asyncio.wait_for(asyncio.shield(self._load(name)), self._wait_s)
        except asyncio.TimeoutError:
            raise ModelUnavailable(
                f"Model {name!r} is still being loaded; try again in a moment."
            ) from None
        except PocketTTSError as error:
            raise ModelUnavailable(f"Model {name!r} cannot be loaded: {error}") from error

    def _load(self, name: str) -> asyncio.Future[LoadedModel]:
        if name in self._held:
            done: asyncio.Future[LoadedModel] = asyncio.get_running_loop().create_future()
            done.set_result(self._held[name].model)
            return done
        if name not in self._loading:
            task = asyncio.create_task(self._load_in_thread(self.entry(name)))
            self._loading[name] = task
            task.add_done_callback(lambda done: self._loaded(name, done))
        return self._loading[name]

    async def _load_in_thread(self, entry: ModelEntry) -> LoadedModel:
        started = time.monotonic()
        model = await asyncio.to_thread(load_model, entry, self._options, self._fetch)
        if self._closed:
            await asyncio.to_thread(model.worker.stop)
            raise ModelUnavailable("The server is stopping.")
        self._held[entry.name] = _Held(model, used_at=time.monotonic())
        seconds = time.monotonic() - started
        _LOGGER.info(
            "Model %s is loaded (%.1f s, %d MiB)", entry.name, seconds, model.nbytes // _MIB
        )
        self._shrink(keep=entry.name)
        return model

    def _loaded(self, name: str, task: asyncio.Task[LoadedModel]) -> None:
        """A failed load is forgotten, so that the next request tries again."""
        self._loading.pop(name, None)
        if not task.cancelled() and task.exception() is not None:
            _LOGGER.error("Model %s cannot be loaded: %s", name, task.exception())

    async def _voice_state(self, voice: Voice, model: LoadedModel) -> VoiceState:
        key = (voice.model, voice.source)
        state = self._states.get(key)
        if state is None:
            try:
                state = await asyncio.to_thread(self._read_voice, voice, model)
            except PocketTTSError as error:
                raise ModelUnavailable(f"Voice {voice.name!r} cannot be used: {error}") from error
            self._states[key] = state
        self._states.move_to_end(key)
        while len(self._states) > 1 and self._states_bytes() > self._voices_budget:
            self._states.popitem(last=False)
        return state

    def _read_voice(self, voice: Voice, model: LoadedModel) -> VoiceState:
        path = self._fetch(voice.source)
        return read_voice_state(path, model.entry.config, identity=model.identity)

    def _states_bytes(self) -> int:
        return sum(state.nbytes for state in self._states.values())

    def _shrink(self, keep: str | None = None) -> None:
        """Drops idle models, least recently used first, until the rest fits the budget."""
        if self._budget is None:
            return
        idle = sorted(
            (held.used_at, name)
            for name, held in self._held.items()
            if held.users == 0 and name != keep
        )
        for _, name in idle:
            if sum(held.model.nbytes for held in self._held.values()) <= self._budget:
                return
            dropped = self._held.pop(name)
            for key in [key for key in self._states if key[0] == name]:
                del self._states[key]
            _LOGGER.info("Model %s is dropped to stay within the memory budget", name)
            # Its thread ends after the step it is in, which is none: nobody uses it.
            dropped.model.worker.stop()
