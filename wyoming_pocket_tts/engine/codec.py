"""The second half of the pipeline: latents to frames, in order within a slot, many slots and frames in one call.

It may run in a thread of its own (`engine.worker`) while FlowLM makes the next latents, or be driven after each step of FlowLM.
`push` and `push_end` come from the thread of FlowLM; everything that touches the decoder happens in `run_once`, which several
threads may call at once: each takes slots that no other is at.

A first frame is decoded at once and alone: a listener waits for it. Later ones are decoded two and then four at a time, from
several slots, up to a limit that keeps a call short, since the next listener's first frame may have to wait for it.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

import torch
from torch import Tensor

from wyoming_pocket_tts.engine.mimi import MimiDecoder
from wyoming_pocket_tts.engine.sequence import Sequence, SequenceResult
from wyoming_pocket_tts.engine.signal import Signal

# A fresh decoder state begins with a step of about -41 dBFS: the first 5 ms are faded in.
_FADE_IN_PER_SECOND = 200


@dataclass(frozen=True)
class _Latent:
    """A latent [latent width] on its way; the `index`th of its attempt."""

    sequence: Sequence
    attempt: int
    value: Tensor
    index: int


@dataclass(frozen=True)
class _Ending:
    sequence: Sequence
    attempt: int
    result: SequenceResult


class Codec:
    """The decoder with a queue for each slot."""

    def __init__(self, decoder: MimiDecoder, slots: int, max_frames: int) -> None:
        """Zero-filled; memory for a slot is taken when it is first used.

        Args:
            decoder: the model's.
            slots: of the engine.
            max_frames: the most frames in one call, of all slots together.
        """
        self._decoder = decoder
        self._max_frames = max_frames
        self._state = decoder.new_state(1, max_frames)
        self._fade_in = torch.linspace(0, 1, decoder.config.sample_rate // _FADE_IN_PER_SECOND)
        self._queues: list[deque[_Latent | _Ending]] = [deque() for _ in range(slots)]
        # Slots that a call is at, and the one to begin with when looking for work: nobody is always first.
        self._busy: set[int] = set()
        self._turn = 0
        self._lock = threading.Lock()
        # Set when something was pushed, and when something was taken.
        self.pushed = Signal()
        self.taken = Signal()
        self.frames = 0

    @property
    def idle(self) -> bool:
        """Whether nothing waits to be decoded, and nothing is being decoded."""
        with self._lock:
            return not self._busy and not any(self._queues)

    def waiting(self, slot: int) -> int:
        """How many latents and endings wait in a slot."""
        return len(self._queues[slot])

    def push(self, sequence: Sequence, latent: Tensor, index: int) -> None:
        """Queues the sequence's next latent, [latent width], the `index`th of its attempt."""
        self._put(sequence, _Latent(sequence, sequence.attempt, latent, index))

    def push_end(self, sequence: Sequence, result: SequenceResult) -> None:
        """Queues the end: the sink learns of it after the last frame."""
        self._put(sequence, _Ending(sequence, sequence.attempt, result))

    def look(self) -> None:
        """Has the codec's own thread look at its queues again: what waits there may have become stale."""
        self.pushed.set()

    def decode_first(self) -> bool:
        """Decodes a first frame that waits; False when none does.

        For the thread of FlowLM: the codec's own may be at others' frames, and a step of FlowLM beside it would make the frame
        that a listener waits for come later, since both live on the memory's speed.
        """
        with self._lock:
            if not any(items and _is_first(items[0]) for items in self._queues):
                return False
        return self.run_once(1)

    def help(self, max_frames: int) -> bool:
        """Decodes at most so many frames of what the codec's own thread is not at; False when it has nobody waiting."""
        with self._lock:
            if not self._busy:
                return False
        return self.run_once(max_frames)

    def run_once(self, max_frames: int | None = None) -> bool:
        """Decodes what waits, in one call; False when nothing did.

        Args:
            max_frames: the most frames; None for as many as a call may have.
        """
        with self._lock:
            if (
                max_frames is None
            ):  # whoever takes only some leaves the rest to the codec's own thread
                self.pushed.clear()
            endings, batch = self._take(max_frames or self._max_frames)
            self._busy.update(batch)
        if batch or endings:
            self.taken.set()
        if batch:
            try:
                self._decode(batch)
            except Exception as error:
                for latents in batch.values():
                    latents[0].sequence.fail(error)
            finally:
                with self._lock:
                    self._busy.difference_update(batch)
                    self.pushed.set()
        for ending in endings:
            ending.sequence.sink.finish(ending.result, ending.attempt)
        return bool(batch or endings)

    def abandon(self, error: Exception) -> None:
        """Fails every sequence of which something still waits; for the end, when nobody decodes any more."""
        with self._lock:
            waiting = {
                item.sequence for items in self._queues for item in items if not _stale(item)
            }
        for sequence in waiting:
            sequence.fail(error)

    def _put(self, sequence: Sequence, item: _Latent | _Ending) -> None:
        with self._lock:
            self._queues[sequence.slot].append(item)
            self.pushed.set()

    def _take(self, most: int) -> tuple[list[_Ending], dict[int, list[_Latent]]]:
        """What the next call is about: endings that are due, and by slot the same number of latents."""
        endings = []
        ready: dict[int, list[_Latent]] = {}
        slots = len(self._queues)
        for slot in (*range(self._turn, slots), *range(self._turn)):
            items = self._queues[slot]
            if slot in self._busy:
                continue
            while items and (_stale(items[0]) or isinstance(items[0], _Ending)):
                item = items.popleft()
                if isinstance(item, _Ending) and not _stale(item):
                    endings.append(item)
            run = _run(items, most)
            # What follows the run is its ending, or another sequence: no more of it will come.
            complete = len(run) < len(items)
            worth = complete or len(run) >= min(most, _worth_a_call(run))
            if run and worth and self._has_state(slot):
                ready[slot] = run
        batch = _batch(ready, most)
        for slot, run in batch.items():
            self._turn = (slot + 1) % slots
            for _ in run:
                self._queues[slot].popleft()
        return endings, batch

    def _has_state(self, slot: int) -> bool:
        """Whether a slot can be decoded now. Its state is made when it is first used, while no call is at the others'."""
        if slot >= len(self._state.positions):
            if self._busy:
                return False
            self._state.ensure(slot + 1)
        return True

    @torch.inference_mode()
    def _decode(self, batch: dict[int, list[_Latent]]) -> None:
        slots = sorted(batch)  # neighbours are read without a copy
        for slot in slots:
            if batch[slot][0].index == 0:
                self._state.reset(slot)
        latents = torch.stack(
            [torch.stack([latent.value for latent in batch[slot]]) for slot in slots]
        )
        pcm = self._decoder.decode(latents, self._state, slots)
        for row, slot in zip(pcm, slots, strict=True):
            run = batch[slot]
            for frame, latent in zip(row.chunk(len(run)), run, strict=True):
                if latent.index == 0:
                    frame[: len(self._fade_in)] *= self._fade_in
                self.frames += 1
                latent.sequence.sink.put(frame, latent.attempt)


def _stale(item: _Latent | _Ending) -> bool:
    """Whether it belongs to a sequence that has been given up, or to an attempt that has."""
    return item.sequence.dropped or item.attempt != item.sequence.attempt


def _is_first(item: _Latent | _Ending) -> bool:
    return isinstance(item, _Latent) and item.index == 0


def _run(items: deque[_Latent | _Ending], most: int) -> list[_Latent]:
    """The latents at the head of a queue that belong together."""
    run: list[_Latent] = []
    for item in items:
        if len(run) == most or not isinstance(item, _Latent):
            break
        if run and item.sequence is not run[0].sequence:
            break
        run.append(item)
    return run


def _worth_a_call(run: list[_Latent]) -> int:
    """How many latents a slot's next call should have: one at the beginning, when a listener waits for each, more once some
    audio is ahead. A call reads the codec's weights once, and FlowLM, which lives on the memory's speed, feels every reading.
    """
    index = run[0].index if run else 0
    return 1 if index < 2 else 2 if index < 6 else 4


def _batch(ready: dict[int, list[_Latent]], most: int) -> dict[int, list[_Latent]]:
    """What one call takes of what is ready: first frames alone, else equally many of each slot.

    Few slots with many frames rather than the reverse: the products are as large, and other slots are left to another thread.
    """
    first = {slot: run[:1] for slot, run in ready.items() if run[0].index == 0}
    if first:
        return dict(list(first.items())[:most])
    length = max((len(run) for run in ready.values()), default=0)
    deep = {slot: run for slot, run in ready.items() if len(run) == length}
    return dict(list(deep.items())[: most // max(1, length)])
