"""The two sides of a comparison: the package and ours, each loaded from the same files and asked for the same frames.

EOS never fires, so a text of n tokens gives ceil((n / 3 + 2) * 12.5) frames on both sides: 24 tokens are 10 s.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.assets import FOLDER, Assets

NEVER = 1e9
OWN_FOLDER = FOLDER / "ours"


class Theirs:
    """`pocket-tts`."""

    def __init__(self, files: Assets, *, quantize: bool) -> None:
        from pocket_tts import TTSModel

        logging.disable(logging.WARNING)
        self.model = TTSModel.load_model(
            config=str(files.config), quantize=quantize, eos_threshold=NEVER
        )
        self.voice = self.model.get_state_for_audio_prompt(files.voice)

    def frames(self, text: str) -> Iterator[int]:
        """Samples of each piece of audio."""
        for piece in self.model.generate_audio_stream(self.voice, text, frames_after_eos=0):
            yield piece.shape[0]


class Ours:
    """The engine, through its worker threads."""

    def __init__(self, files: Assets, *, quantize: bool, slots: int = 8) -> None:
        from wyoming_pocket_tts.models.config_file import load_model_config
        from wyoming_pocket_tts.models.loading import EngineOptions, ModelEntry, load_model
        from wyoming_pocket_tts.models.voices import read_voice_state

        logging.disable(logging.WARNING)
        config = load_model_config(files.config)
        options = EngineOptions(slots=slots, quantize=quantize, eos_threshold=NEVER)
        entry = ModelEntry("bench", config, language="en")
        self.model = load_model(entry, options, Path, OWN_FOLDER)
        self.voice = read_voice_state(files.voice, config)

    def frames(self, text: str, seed: int = 0) -> Iterator[int]:
        from wyoming_pocket_tts.engine.sequence import Sampling, SequenceSpec, frame_limit

        tokens = tuple(self.model.tokenizer.encode(text))
        frame_rate_hz = self.model.entry.config.mimi.frame_rate
        spec = SequenceSpec(
            tokens=tokens,
            voice=self.voice,
            sampling=Sampling(0.3, NEVER, None, 0),
            seed=seed,
            max_frames=frame_limit(len(tokens), frame_rate_hz),
        )
        stream = self.model.worker.submit(spec)
        try:
            while (frame := stream.next_frame()) is not None:
                yield len(frame)
        finally:
            stream.close()

    def close(self) -> None:
        self.model.worker.stop()


def speak(side: Any, text: str) -> tuple[float, float]:
    """Seconds for the whole text and seconds of audio."""
    started = time.perf_counter()
    samples = sum(side.frames(text))
    return time.perf_counter() - started, samples / 24000


def first_audio_s(side: Any, text: str) -> float:
    """Seconds to the first piece of audio; the rest is made too, so that nothing runs on."""
    started = time.perf_counter()
    first = None
    for _ in side.frames(text):
        first = first or time.perf_counter() - started
    assert first is not None
    return first


def together(ours: Ours, text: str, listeners: int) -> tuple[float, float]:
    """Seconds until all listeners have all of it, and seconds of audio in sum."""
    samples = [0] * listeners

    def listen(number: int) -> None:
        samples[number] = sum(ours.frames(text, seed=number))

    return in_threads(listen, listeners), sum(samples) / 24000


def in_threads(work: Callable[[int], None], count: int) -> float:
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - started
