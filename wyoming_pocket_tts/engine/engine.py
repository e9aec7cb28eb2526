"""Continuous batching: all running sequences take each step together, and join and leave between steps.

    engine.add(sequence)
    while engine.busy:
        engine.step()

One step: waiting sequences get slots and are prefilled, FlowLM decodes one latent for every running row, Mimi turns them
into one frame each, frames go to their sinks. Not thread-safe: one thread owns it (see `engine.worker`).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import torch
from torch import Tensor

from wyoming_pocket_tts.engine.model import Model
from wyoming_pocket_tts.engine.scheduler import Scheduler
from wyoming_pocket_tts.engine.sequence import MAX_RETRIES, Sequence, Step
from wyoming_pocket_tts.engine.state import FlowCache

_LOGGER = logging.getLogger(__name__)

# A fresh decoder state begins with a step of about -41 dBFS: the first 5 ms are faded in.
_FADE_IN_PER_SECOND = 200


@dataclass
class EngineCounters:
    """What has happened since the engine was made."""

    steps: int = 0
    frames: int = 0
    runaways_retried: int = 0
    runaways_ended: int = 0
    failures: int = 0


class NonFiniteLatent(RuntimeError):
    """The model produced a value that is not a number."""


class Engine:
    """A model with its slots."""

    def __init__(self, model: Model, slots: int) -> None:
        self.model = model
        self.scheduler = Scheduler(slots)
        self.counters = EngineCounters()
        self._caches: list[FlowCache | None] = [None] * slots
        self._decoder_state = model.decoder.new_state(slots)
        self._fade_in = torch.linspace(0, 1, model.sample_rate_hz // _FADE_IN_PER_SECOND)

    @property
    def busy(self) -> bool:
        return self.scheduler.busy

    def add(self, sequence: Sequence) -> None:
        self.scheduler.add(sequence)

    def cancel(self, sequence: Sequence) -> None:
        """Ends a sequence without a word to its sink; its slot is free for the next step."""
        self.scheduler.remove(sequence)

    def fail_all(self, error: Exception) -> None:
        """Ends everything that runs or waits, after a fault that cannot be pinned on one sequence."""
        for sequence in (*self.scheduler.running, *self.scheduler.waiting):
            self._fail(sequence, error)

    @torch.inference_mode()
    def step(self) -> None:
        """Takes one step of all running sequences."""
        for sequence in self.scheduler.admit():
            self._start(sequence)
        # In the order of their slots, so that neighbouring ones are read without a copy.
        running = sorted(self.scheduler.running, key=lambda sequence: sequence.slot)
        if not running:
            return
        self.counters.steps += 1
        condition, eos = self.model.flow_lm.decode(
            torch.stack([sequence.latent for sequence in running]),
            [self._cache(sequence.slot) for sequence in running],
        )
        width = self.model.config.latent_width
        noise = torch.stack([sequence.draw_noise(width) for sequence in running])
        latents = self.model.flow_lm.head(condition, noise)
        finite = torch.isfinite(latents).all(dim=1).tolist()
        sounding: list[tuple[Sequence, Step]] = []
        rows = []
        for row, (sequence, logit) in enumerate(zip(running, eos.tolist(), strict=True)):
            if not finite[row]:
                self._fail(sequence, NonFiniteLatent("the model produced a non-finite latent"))
                continue
            sequence.latent = latents[row]
            outcome = sequence.advance(logit)
            if outcome is Step.END:
                self._finish(sequence)
            else:
                sounding.append((sequence, outcome))
                rows.append(row)
        if sounding:
            self._sound(sounding, latents[rows] if len(rows) < len(running) else latents)

    def _sound(self, sounding: list[tuple[Sequence, Step]], latents: Tensor) -> None:
        """Decodes one latent of each row, [B, latent width], and hands the frames over."""
        slots = [sequence.slot for sequence, _ in sounding]
        frames = self.model.decoder.decode(latents[:, None], self._decoder_state, slots)
        for (sequence, outcome), frame in zip(sounding, frames.unbind(), strict=True):
            if sequence.frames == 1:
                frame[: len(self._fade_in)] *= self._fade_in
            self.counters.frames += 1
            sequence.sink.put(frame)
            if outcome is Step.DELIVER_AND_END:
                self._end_at_limit(sequence)

    def _end_at_limit(self, sequence: Sequence) -> None:
        if not sequence.ran_away:
            self._finish(sequence)
            return
        if sequence.retries < MAX_RETRIES and sequence.sink.restart():
            self.counters.runaways_retried += 1
            sequence.retries += 1
            _LOGGER.warning(
                "A segment of %d tokens did not end within %d frames; trying it again with another seed (%d of %d)",
                len(sequence.spec.tokens),
                sequence.spec.max_frames,
                sequence.retries,
                MAX_RETRIES,
                extra={"request": sequence.spec.request},
            )
            self._start(sequence)
            return
        self.counters.runaways_ended += 1
        _LOGGER.warning(
            "A segment of %d tokens did not end by itself and was cut after %d frames",
            len(sequence.spec.tokens),
            sequence.frames,
            extra={"request": sequence.spec.request},
        )
        self._finish(sequence)

    def _start(self, sequence: Sequence) -> None:
        """Copies the voice into the sequence's slot and prefills its text."""
        try:
            cache = self._cache(sequence.slot)
            cache.start(sequence.spec.voice, sequence.spec.positions)
            self._decoder_state.reset(sequence.slot)
            self.model.flow_lm.prefill(self.model.flow_lm.embed_text(sequence.spec.tokens), cache)
            sequence.begin(self.model.flow_lm.bos)
        except Exception as error:  # whatever is wrong with this one must not end the others
            self._fail(sequence, error)

    def _cache(self, slot: int) -> FlowCache:
        cache = self._caches[slot]
        if cache is None:
            cache = self._caches[slot] = self.model.flow_lm.new_cache()
        return cache

    def _finish(self, sequence: Sequence) -> None:
        self.scheduler.remove(sequence)
        sequence.sink.finish(sequence.result())

    def _fail(self, sequence: Sequence, error: Exception) -> None:
        self.counters.failures += 1
        self.scheduler.remove(sequence)
        sequence.sink.fail(error)
