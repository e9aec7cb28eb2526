"""Who gets a slot, without a model."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from wyoming_pocket_tts.engine.scheduler import Scheduler
from wyoming_pocket_tts.engine.sequence import Sampling, Sequence, SequenceSpec
from wyoming_pocket_tts.engine.state import VoiceState


@dataclass
class Sink:
    urgent: bool = True
    heard: bool = False
    restarts: int = field(default=0)

    def restart(self) -> bool:
        self.restarts += not self.heard
        return not self.heard


def sequence(urgent: bool = True, heard: bool = False, request: str = "") -> Sequence:
    spec = SequenceSpec((1,), VoiceState((), ()), Sampling(0.3, 0, None, 3), 0, 10, request)
    return Sequence(spec, Sink(urgent, heard))  # type: ignore[arg-type]


def test_urgent_ones_are_admitted_at_once_in_order_of_arrival() -> None:
    scheduler = Scheduler(2)
    waiting = [sequence() for _ in range(3)]
    for one in waiting:
        scheduler.add(one)
    assert scheduler.admit() == waiting[:2]
    assert [one.slot for one in waiting] == [0, 1, -1]
    scheduler.remove(waiting[0])
    assert scheduler.admit() == [waiting[2]]
    assert waiting[2].slot == 0


def test_what_is_generated_ahead_leaves_the_last_slot_free() -> None:
    scheduler = Scheduler(3)
    ahead = [sequence(urgent=False) for _ in range(3)]
    for one in ahead:
        scheduler.add(one)
    assert [len(scheduler.admit()) for _ in range(4)] == [1, 1, 0, 0]
    listener = sequence()
    scheduler.add(listener)
    assert scheduler.admit() == [listener]


def test_single_slot_also_generates_ahead_when_nobody_waits() -> None:
    scheduler = Scheduler(1)
    scheduler.add(sequence(urgent=False))
    assert len(scheduler.admit()) == 1


def test_ahead_steps_back_for_a_listener_youngest_first() -> None:
    scheduler = Scheduler(3)
    old, young = sequence(urgent=False), sequence(urgent=False)
    for one in (old, young):
        scheduler.add(one)
        scheduler.admit()
    first, second = sequence(), sequence()
    scheduler.add(first)
    scheduler.add(second)
    assert scheduler.admit() == [first, second]
    assert young in scheduler.waiting
    assert young.slot == -1
    assert old in scheduler.running
    assert young.sink.restarts == 1  # type: ignore[attr-defined]


def test_what_is_heard_never_steps_back() -> None:
    scheduler = Scheduler(1)
    heard = sequence(urgent=False, heard=True)
    scheduler.add(heard)
    scheduler.admit()
    scheduler.add(sequence())
    assert scheduler.admit() == []
    assert scheduler.running == (heard,)


def test_requests_share_what_is_generated_ahead() -> None:
    scheduler = Scheduler(4)
    long = [sequence(urgent=False, request="long") for _ in range(3)]
    short = sequence(urgent=False, request="short")
    for one in (*long, short):
        scheduler.add(one)
    assert scheduler.admit() == [long[0]]
    assert scheduler.admit() == [short]


def test_removing_twice_or_unknown_is_harmless() -> None:
    scheduler = Scheduler(1)
    one = sequence()
    scheduler.remove(one)
    scheduler.add(one)
    scheduler.admit()
    scheduler.remove(one)
    scheduler.remove(one)
    assert not scheduler.busy
    scheduler.add(sequence())
    assert len(scheduler.admit()) == 1


def test_no_slots_is_an_error() -> None:
    with pytest.raises(ValueError, match="slots"):
        Scheduler(0)
