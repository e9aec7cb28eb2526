"""Continuous batching: all running sequences take each step together, and join and leave between steps.

    engine.add(sequence)
    while engine.busy:
        engine.step()

One step: waiting sequences get slots and are prefilled, which gives them their first latents, or FlowLM decodes one latent for
every running row; the latents go to the codec, which makes frames of them. Not thread-safe: one thread owns it (see `engine.worker`).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import torch
from torch import Tensor

from wyoming_pocket_tts.engine.codec import Codec
from wyoming_pocket_tts.engine.model import Model
from wyoming_pocket_tts.engine.scheduler import Scheduler
from wyoming_pocket_tts.engine.sequence import MAX_RETRIES, Sequence, Step
from wyoming_pocket_tts.engine.state import FlowCache

_LOGGER = logging.getLogger(__name__)

# FlowLM goes on when a sequence has fewer latents waiting for the codec than its largest call takes, and takes those
# along that have fewer than the most: rows that step together cost little more than one.
_ENOUGH_AHEAD = 4
_MOST_AHEAD = 8


@dataclass
class EngineCounters:
    """What has happened since the engine was made."""

    steps: int = 0
    latents: int = 0
    runaways_retried: int = 0
    runaways_ended: int = 0
    failures: int = 0


class NonFiniteLatent(RuntimeError):
    """The model produced a value that is not a number."""


class Engine:
    """A model with its slots."""

    def __init__(self, model: Model, slots: int, *, codec_frames: int = 4) -> None:
        """An engine with nothing to do.

        Args:
            model: what speaks.
            slots: sequences that run at the same time.
            codec_frames: the most frames that the codec decodes in one call.
        """
        self.model = model
        self.scheduler = Scheduler(slots)
        self.codec = Codec(model.decoder, slots, codec_frames)
        self.counters = EngineCounters()
        self._caches: list[FlowCache | None] = [None] * slots

    @property
    def busy(self) -> bool:
        """Whether anything runs, waits, or is still to be decoded."""
        return self.scheduler.busy or not self.codec.idle

    def add(self, sequence: Sequence) -> None:
        """Has a sequence wait for a slot."""
        self.scheduler.add(sequence)
        # There is going to be work in which the codec's thread can help.
        self.codec.look()

    def cancel(self, sequence: Sequence) -> None:
        """Ends a sequence without a word to its sink; its slot is free for the next step."""
        sequence.dropped = True
        self.scheduler.remove(sequence)
        self.codec.look()

    def fail_all(self, error: Exception) -> None:
        """Ends everything that runs or waits, after a fault that cannot be pinned on one sequence."""
        for sequence in (*self.scheduler.running, *self.scheduler.waiting):
            self._fail(sequence, error)

    def step(self) -> None:
        """Takes one step of all running sequences and decodes its latents."""
        self.step_flow_lm()
        while self.codec.run_once():
            pass

    @torch.inference_mode()
    def step_flow_lm(self) -> bool:
        """The first half of a step; False when no sequence could take one."""
        admitted = self.scheduler.admit()
        for sequence in admitted:
            self._start(sequence)
        if admitted:
            return True
        for sequence in self.scheduler.running:
            if sequence.dropped:  # by the codec
                self.counters.failures += 1
                self.scheduler.remove(sequence)
        ahead = {one: self.codec.waiting(one.slot) for one in self.scheduler.running}
        if min(ahead.values(), default=_MOST_AHEAD) >= _ENOUGH_AHEAD:
            return False
        # In the order of their slots, so that neighbouring ones are read without a copy.
        running = sorted(
            (one for one, waiting in ahead.items() if waiting < _MOST_AHEAD),
            key=lambda sequence: sequence.slot,
        )
        self.counters.steps += 1
        condition, eos = self.model.flow_lm.decode(
            torch.stack([sequence.latent for sequence in running]),
            [self._cache(sequence.slot) for sequence in running],
        )
        self._take_latents(running, condition, eos)
        return True

    def _take_latents(self, running: list[Sequence], condition: Tensor, eos: Tensor) -> None:
        """Draws the next latents of sequences, conditions [B, C] and EOS logits [B], and passes them on."""
        width = self.model.config.latent_width
        noise = torch.stack([sequence.draw_noise(width) for sequence in running])
        latents = self.model.flow_lm.head(condition, noise)
        finite = torch.isfinite(latents).all(dim=1).tolist()
        for row, (sequence, logit) in enumerate(zip(running, eos.tolist(), strict=True)):
            if not finite[row]:
                self._fail(sequence, NonFiniteLatent("the model produced a non-finite latent"))
                continue
            sequence.latent = latents[row]
            outcome = sequence.advance(logit)
            if outcome is Step.END:
                self._finish(sequence)
                continue
            self.counters.latents += 1
            self.codec.push(sequence, latents[row], sequence.frames - 1)
            if outcome is Step.DELIVER_AND_END:
                self._end_at_limit(sequence)

    def _end_at_limit(self, sequence: Sequence) -> None:
        tokens, frames = len(sequence.spec.tokens), sequence.frames
        extra = {"request": sequence.spec.request}
        if not sequence.ran_away:
            self._finish(sequence)
        elif sequence.retries < MAX_RETRIES and sequence.restart():
            self.counters.runaways_retried += 1
            sequence.retries += 1
            _LOGGER.warning(
                "A segment of %d tokens did not end within %d frames; trying it again with another seed (%d of %d)",
                *(tokens, frames, sequence.retries, MAX_RETRIES),
                extra=extra,
            )
            self._start(sequence)
        else:
            self.counters.runaways_ended += 1
            _LOGGER.warning(
                "A segment of %d tokens did not end by itself and was cut after %d frames",
                *(tokens, frames),
                extra=extra,
            )
            self._finish(sequence)

    def _start(self, sequence: Sequence) -> None:
        """Copies the voice into the sequence's slot, prefills its text and makes its first latent."""
        try:
            cache = self._cache(sequence.slot)
            cache.start(sequence.spec.voice, sequence.spec.positions)
            condition, eos = self.model.flow_lm.begin(sequence.spec.tokens, cache)
            sequence.begin()
            self._take_latents([sequence], condition, eos)
        except Exception as error:  # whatever is wrong with this one must not end the others
            self._fail(sequence, error)

    def _cache(self, slot: int) -> FlowCache:
        cache = self._caches[slot]
        if cache is None:
            cache = self._caches[slot] = self.model.flow_lm.new_cache()
        return cache

    def _finish(self, sequence: Sequence) -> None:
        self.codec.push_end(sequence, sequence.result())
        self.scheduler.remove(sequence)

    def _fail(self, sequence: Sequence, error: Exception) -> None:
        self.counters.failures += 1
        self.scheduler.remove(sequence)
        sequence.fail(error)
        self.codec.look()
