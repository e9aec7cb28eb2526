"""The models, voices and synthesizer of this process: built from settings, loaded, warmed, closed.

`assembly` decides what there is, `models.host` holds it, `synthesizer` speaks with it; here they are put together.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

import torch

from wyoming_pocket_tts import logs
from wyoming_pocket_tts.assembly import Assembly
from wyoming_pocket_tts.models.catalogue import Catalogue
from wyoming_pocket_tts.models.demo import demo_model
from wyoming_pocket_tts.models.download import Fetcher
from wyoming_pocket_tts.models.host import ModelHost
from wyoming_pocket_tts.models.loading import EngineOptions
from wyoming_pocket_tts.models.progress import LoggedProgress, ProgressCallback, TerminalProgress
from wyoming_pocket_tts.settings import Settings
from wyoming_pocket_tts.synthesizer import SpeechRequest, Synthesizer, SynthesizerLimits


class LocalSpeech:
    """What speaks in this process.

    Attributes:
        synthesizer: set by `load`.
        model_names: those that may be used, loaded or not; set by `load`.
    """

    synthesizer: Synthesizer

    def __init__(self, settings: Settings) -> None:
        self.model_names: tuple[str, ...] = ()
        self._settings = settings
        self._host: ModelHost | None = None
        self._fetcher = Fetcher(
            settings.cache_dir, offline=settings.offline, progress=_progress(settings)
        )

    async def load(self) -> None:
        """Loads what is to be there before the first request, and has it speak once.

        Raises:
            SetupError: a model or voice is not to be had, or does not fit.
        """
        settings = self._settings
        threads = settings.engine.threads
        torch.set_num_threads(_auto_threads() if threads == "auto" else threads)
        assembly = await asyncio.to_thread(self._assemble)
        self._host = ModelHost(
            assembly.entries,
            _engine_options(settings),
            self._fetcher.fetch,
            wait_s=settings.limits.model_wait_s,
            budget_mib=settings.limits.model_memory_mib,
            voices_budget_mib=settings.limits.voice_memory_mib,
        )
        await self._host.load_at_start()
        self.model_names = tuple(self._host.entries)
        self.synthesizer = Synthesizer(
            self._host,
            assembly.book,
            settings.text,
            SynthesizerLimits(
                max_text_characters=settings.limits.max_text_characters,
                max_requests=settings.engine.slots + settings.limits.max_waiting_requests,
            ),
            seed=settings.engine.seed,
        )
        if self._host.entry(assembly.book.default.model).at_start:
            await self._warm_up()

    async def close(self) -> None:
        """Ends the engines."""
        if self._host is not None:
            await self._host.close()

    def _assemble(self) -> Assembly:
        if self._settings.catalogue_models or self._settings.models:
            # The hub's library gives its logger a handler when it is imported, which would show every line twice.
            import huggingface_hub.utils.logging  # noqa: F401

            logs.take_over("huggingface_hub")
        demo = [demo_model(self._fetcher.own_folder)] if self._settings.demo else []
        return Assembly(self._settings, Catalogue.load(), self._fetcher.fetch, demo)

    async def _warm_up(self) -> None:
        """Speaks a word with the default voice: its state is read, and torch has made its plans, before anybody waits for it."""
        request = SpeechRequest(text="Hello.", request_id="warm-up")
        async with contextlib.aclosing(self.synthesizer.generate_audio_stream(request)) as frames:
            async for _ in frames:
                pass


def _auto_threads() -> int:
    """Half of the processors we may use.

    A product that is split among threads waits for the slowest of them: when one's processor is busy with something else (the event
    loop, Home Assistant), microseconds become milliseconds. So some processors are left for the others.
    """
    return max(1, len(os.sched_getaffinity(0)) // 2)


def _engine_options(settings: Settings) -> EngineOptions:
    engine = settings.engine
    return EngineOptions(
        slots=engine.slots,
        decode_steps=engine.decode_steps or 1,
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
