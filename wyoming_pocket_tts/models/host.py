"""Models and voice states in memory: loaded once when needed, kept while there is room, never dropped in mid-request.

Loading runs in threads; everything else runs on the event loop, so nothing here needs a lock.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wyoming_pocket_tts.engine.layout import parameter_count
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.errors import ConfigError, ModelUnavailable, PocketTTSError, nearest
from wyoming_pocket_tts.models import memory
from wyoming_pocket_tts.models.availability import model_sources
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.host_figures import HostFigures
from wyoming_pocket_tts.models.loading import EngineOptions, LoadedModel, ModelEntry, load_model
from wyoming_pocket_tts.models.parts import fetch_part
from wyoming_pocket_tts.models.voice_states import (
    ReadVoice,
    TellVoice,
    VoiceReader,
    VoiceStates,
)
from wyoming_pocket_tts.waiting import within

_LOGGER = logging.getLogger(__name__)

_MIB = 1024 * 1024
_FLOAT_BYTES = 4
_GIVE_BACK_AFTER_S = 0.5


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
        folder: Path | None = None,
        wait_s: float = 30.0,
        budget_mib: int | None = None,
        voices_budget_mib: int = 256,
        read_voice: ReadVoice | None = None,
        percent: Callable[[Iterable[str]], int | None] = lambda sources: None,
        tell: Callable[[str, BaseException | None], None] = lambda name, error: None,
        tell_voice: TellVoice = lambda voice, error: None,
    ) -> None:
        """Holds nothing yet.

        Args:
            entries: by their names.
            options: for every engine.
            fetch: gives the local file of a source; blocking.
            folder: where 8-bit weights and measurements are kept (see `load_model`).
            wait_s: how long a request waits for a model that is being loaded, or a voice that is being made.
            budget_mib: memory for models; over it, those not used for longest go. None: no limit.
            voices_budget_mib: memory for voice states, likewise.
            read_voice: gives a voice's state; None reads finished voices alone.
            percent: how much of some sources has been downloaded, None if unknown.
            tell: told of a model by its name that it was loaded, or why it could not be.
            tell_voice: likewise of a voice.
        """
        self.entries = {entry.name: entry for entry in entries}
        self._options = options
        self._fetch = fetch
        self._folder = folder
        self._wait_s = wait_s
        self._budget = None if budget_mib is None else budget_mib * _MIB
        self._percent = percent
        self._tell = tell
        self._states = VoiceStates(
            read_voice or VoiceReader(fetch), voices_budget_mib * _MIB, tell_voice
        )
        self._held: dict[str, _Held] = {}
        self._loading: dict[str, asyncio.Task[LoadedModel]] = {}
        self._sizes: dict[str, int] = {}
        self._giving_back: asyncio.Task[None] | None = None
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
        """Loads what is to be there before the first request, as far as the budget goes.

        Raises:
            SetupError: of the first model that cannot be loaded.
        """
        for entry in self.entries.values():
            if not entry.at_start:
                continue
            expected = self._nbytes + self._expected_bytes(entry)
            if self._held and self._budget is not None and expected > self._budget:
                _LOGGER.info("Model %s is left for its first use: memory budget", entry.name)
                continue
            await self._load(entry.name)

    @contextlib.asynccontextmanager
    async def use(self, voice: Voice) -> AsyncIterator[Speaker]:
        """Lends a model and a voice state; while they are lent they stay in memory.

        Raises:
            ModelUnavailable: not loaded within the wait, or cannot be loaded; says why.
        """
        async with self._lend(voice.model, self._wait_s) as model:
            yield Speaker(model, await self._voice_state(voice, model))

    async def prepare(self, voice: Voice) -> None:
        """Gets a voice ready ahead of its first request, however long that takes.

        Raises:
            ModelUnavailable: it cannot be had; says why.
        """
        async with self._lend(voice.model, None) as model:
            await self._states.get(voice, model, None)

    def figures(self) -> HostFigures:
        """As of now; the engines' threads go on meanwhile."""
        schedulers = [held.model.worker.engine.scheduler for held in self._held.values()]
        states = self._states
        return HostFigures(
            slots=sum(one.slots for one in schedulers),
            slots_used=sum(len(one.running) for one in schedulers),
            segments_waiting=sum(len(one.waiting) for one in schedulers),
            models=len(schedulers),
            models_bytes=self._nbytes,
            voices=states.count,
            voices_bytes=states.nbytes,
            voice_hits=states.hits,
            voice_misses=states.misses,
        )

    def refused(self, voice: Voice) -> bool:
        """Whether the last attempt to get this voice failed."""
        return self._states.refused(voice)

    def keep_only(self, voices: tuple[Voice, ...]) -> None:
        """Forgets the states of voices that are no more."""
        self._states.keep_only(voices)

    @contextlib.asynccontextmanager
    async def _lend(self, name: str, wait_s: float | None) -> AsyncIterator[LoadedModel]:
        await self._ready(name, wait_s)
        while name not in self._held:
            # Dropped again for another model between its load and our turn on the loop.
            await self._ready(name, wait_s)
        held = self._held[name]
        held.users += 1
        try:
            yield held.model
        finally:
            held.users -= 1
            held.used_at = time.monotonic()
            self._shrink()

    async def close(self) -> None:
        """Stops all engines."""
        self._closed = True
        for task in self._loading.values():
            task.cancel()
        self._states.close()
        if self._giving_back is not None:
            self._giving_back.cancel()
        held, self._held = self._held, {}
        for one in held.values():
            await asyncio.to_thread(one.model.worker.stop)

    async def _ready(self, name: str, wait_s: float | None) -> None:
        """Loads the model when it is not there. Only the wait is bounded: loading goes on for the next request."""
        try:
            await within(self._load(name), wait_s, keep=True)
        except asyncio.TimeoutError:
            percent = self._downloaded(self.entries[name])
            doing = "loaded" if percent in (None, 100) else f"downloaded ({percent} %)"
            raise ModelUnavailable(
                f"Model {name!r} is still being {doing}; try again in a moment."
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
        # Fetched first: a model that cannot be had must not push another one out.
        paths = await asyncio.to_thread(
            lambda: {
                source: fetch_part(entry.config, source, self._fetch)
                for source in model_sources(entry)
            }
        )
        self._shrink(self._expected_bytes(entry))
        model = await asyncio.to_thread(self._load_unless_closed, entry, paths)
        self._held[entry.name] = _Held(model, used_at=time.monotonic())
        self._sizes[entry.name] = model.nbytes
        seconds = time.monotonic() - started
        _LOGGER.info(
            "Model %s is loaded (%.1f s, %d MiB)", entry.name, seconds, model.nbytes // _MIB
        )
        self._shrink(keep=entry.name)
        return model

    def _load_unless_closed(self, entry: ModelEntry, paths: Mapping[str, Path]) -> LoadedModel:
        """In a thread, which nobody may wait for any more: it must not leave an engine behind."""
        with memory.explained():
            model = load_model(entry, self._options, lambda source: paths[source], self._folder)
        if self._closed:
            model.worker.stop()
            raise ModelUnavailable("The server is stopping.")
        return model

    def _loaded(self, name: str, task: asyncio.Task[LoadedModel]) -> None:
        """A failed load is forgotten, so that the next request tries again."""
        self._loading.pop(name, None)
        if task.cancelled():
            return
        self._tell(name, task.exception())
        if task.exception() is not None:
            _LOGGER.error("Model %s cannot be loaded: %s", name, task.exception())

    async def _voice_state(self, voice: Voice, model: LoadedModel) -> VoiceState:
        try:
            return await self._states.get(voice, model, self._wait_s)
        except asyncio.TimeoutError:
            called = "The voice" if voice.is_guest else f"Voice {voice.name!r}"
            raise ModelUnavailable(
                f"{called} is still being made or fetched; try again in a moment."
            ) from None

    def _downloaded(self, entry: ModelEntry) -> int | None:
        """Percent of the model's files that has come, None if unknown."""
        return self._percent(model_sources(entry))

    @property
    def _nbytes(self) -> int:
        return sum(held.model.nbytes for held in self._held.values())

    def _expected_bytes(self, entry: ModelEntry) -> int:
        """What a model will need: what it needed before, else by its parameters and what those of others needed."""
        if entry.name in self._sizes:
            return self._sizes[entry.name]
        each = [
            size / parameter_count(self.entries[name].config) for name, size in self._sizes.items()
        ]
        return round(max(each, default=_FLOAT_BYTES) * parameter_count(entry.config))

    def _shrink(self, coming_bytes: int = 0, keep: str | None = None) -> None:
        """Drops idle models, least recently used first, until what is held and what is coming fits the budget.

        The last one stays, whatever it needs, unless another one is coming. `keep` stays: it was just loaded, for somebody who
        has not taken it yet.
        """
        if self._budget is None:
            return
        idle = sorted(
            (held.used_at, name)
            for name, held in self._held.items()
            if held.users == 0 and name != keep
        )
        for _, name in idle:
            fits = self._nbytes + coming_bytes <= self._budget
            if fits or (len(self._held) == 1 and not coming_bytes):
                return
            dropped = self._held.pop(name)
            self._states.forget_model(name)
            _LOGGER.info("Model %s is dropped to stay within the memory budget", name)
            # Nobody uses it, so its threads wait for work, and end within a millisecond.
            dropped.model.worker.stop()
            if self._giving_back is None:
                self._giving_back = asyncio.create_task(self._give_back())

    async def _give_back(self) -> None:
        # A moment later: whoever used the model last may still be putting it down.
        await asyncio.sleep(_GIVE_BACK_AFTER_S)
        self._giving_back = None
        await asyncio.to_thread(memory.give_back)
