"""A synthesizer over one model, as a server has it, for figures that need the whole path of a request."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from bench.assets import Assets
from bench.sides import NEVER, OWN_FOLDER
from wyoming_pocket_tts.engine import engine
from wyoming_pocket_tts.models.book import Voice, VoiceBook
from wyoming_pocket_tts.models.config_file import load_model_config
from wyoming_pocket_tts.models.host import ModelHost
from wyoming_pocket_tts.models.loading import EngineOptions, ModelEntry
from wyoming_pocket_tts.synthesizer import SpeechRequest, Synthesizer, SynthesizerLimits
from wyoming_pocket_tts.text.options import TextOptions


class OneModel:
    """One model, one voice, int8; text is prepared exactly as the package does."""

    def __init__(self, files: Assets) -> None:
        # With EOS off every segment looks like a runaway; the package makes each of them once, so do we.
        engine.MAX_RETRIES = 0
        entry = ModelEntry("bench", load_model_config(files.config), language="en")
        options = EngineOptions(quantize=True, eos_threshold=NEVER)
        self._host = ModelHost([entry], options, Path, folder=OWN_FOLDER)
        voice = Voice("bench", "bench", str(files.voice), ("en",))
        self._synthesizer = Synthesizer(
            self._host, VoiceBook([voice]), TextOptions(raw=True), SynthesizerLimits()
        )

    async def x_real_time(self, text: str) -> float:
        started, audio_s = time.perf_counter(), 0.0
        stream = self._synthesizer.generate_audio_stream(SpeechRequest(text, seed=1))
        async with contextlib.aclosing(stream):
            async for frame in stream:
                audio_s += len(frame.pcm) / 2 / frame.format.rate_hz
        return audio_s / (time.perf_counter() - started)

    async def close(self) -> None:
        await self._host.close()
