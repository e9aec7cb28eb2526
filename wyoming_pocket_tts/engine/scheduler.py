"""Who gets a slot. Touches no tensors.

A sequence that a listener waits for comes first, in the order of arrival. Sequences generated ahead use what is left,
but never the last free slot, so that the next listener finds one; when none is free, one that was generated ahead steps back
(nobody has heard it, and its seed gives it the same samples again).
"""

from __future__ import annotations

import heapq

from wyoming_pocket_tts.engine.sequence import Sequence


class Scheduler:
    """Waiting and running sequences over a fixed number of slots."""

    def __init__(self, slots: int) -> None:
        if slots < 1:
            raise ValueError(f"slots must be at least 1, not {slots}")
        self.slots = slots
        self._free = list(range(slots))
        self._waiting: list[Sequence] = []
        self._running: list[Sequence] = []

    @property
    def running(self) -> tuple[Sequence, ...]:
        """Those with a slot."""
        return tuple(self._running)

    @property
    def waiting(self) -> tuple[Sequence, ...]:
        """Those without, in the order in which they came."""
        return tuple(self._waiting)

    @property
    def busy(self) -> bool:
        """Whether there is any sequence."""
        return bool(self._waiting or self._running)

    def add(self, sequence: Sequence) -> None:
        """Puts a sequence at the end of the queue."""
        self._waiting.append(sequence)

    def remove(self, sequence: Sequence) -> None:
        """Takes a sequence out wherever it is; its slot is free at once. Unknown ones are ignored."""
        if sequence in self._running:
            self._running.remove(sequence)
            heapq.heappush(self._free, sequence.slot)
            sequence.slot = -1
        elif sequence in self._waiting:
            self._waiting.remove(sequence)

    def admit(self) -> list[Sequence]:
        """Gives slots to waiting sequences.

        Returns:
            Those that got one now, with `slot` set: all urgent ones for which there is room, and at
            most one that is generated ahead (its prefill delays everybody's next frame).
        """
        admitted = []
        for sequence in [one for one in self._waiting if one.sink.urgent]:
            if not self._free and not self._step_back():
                break
            self._place(sequence)
            admitted.append(sequence)
        ahead = [one for one in self._waiting if not one.sink.urgent]
        # With one slot in all there is none to keep free.
        if ahead and len(self._free) > min(1, self.slots - 1):
            sequence = min(ahead, key=self._running_of_request)
            self._place(sequence)
            admitted.append(sequence)
        return admitted

    def _running_of_request(self, sequence: Sequence) -> int:
        request = sequence.spec.request
        return sum(one.spec.request == request for one in self._running)

    def _place(self, sequence: Sequence) -> None:
        self._waiting.remove(sequence)
        sequence.slot = heapq.heappop(self._free)
        self._running.append(sequence)

    def _step_back(self) -> bool:
        """Sends the youngest sequence that was generated ahead back to wait; False if there is none."""
        for sequence in reversed(self._running):
            if not sequence.sink.urgent and sequence.restart():
                self.remove(sequence)
                self._waiting.append(sequence)
                return True
        return False
