"""Fast and slow processors: the engine's threads stay on the fast ones."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from wyoming_pocket_tts.engine import cores

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="affinity is Linux's")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Makes a machine of cores with these speeds; gives what its threads may use, and lets them choose."""

    def make(name: str, speeds: list[int]) -> set[int]:
        for core, speed in enumerate(speeds):
            path = tmp_path / f"cpu{core}" / name
            path.parent.mkdir(parents=True)
            path.write_text(f"{speed}\n")
        monkeypatch.setattr(cores, "_CORES", tmp_path)
        affinity = set(range(len(speeds)))
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(affinity))

        def choose(_: int, wanted: set[int]) -> None:
            affinity.clear()
            affinity.update(wanted)

        monkeypatch.setattr(os, "sched_setaffinity", choose)
        cores.stay_on_fast()
        return affinity

    return make


@pytest.mark.parametrize(
    ("name", "speeds", "fast"),
    [
        # A Raspberry Pi 5, an RK3588, a phone's prime core with three big and four little ones.
        ("cpu_capacity", [1024] * 4, {0, 1, 2, 3}),
        ("cpu_capacity", [446] * 4 + [1024] * 4, {4, 5, 6, 7}),
        ("cpu_capacity", [1024, 900, 900, 900, 325, 325, 325, 325], {0, 1, 2, 3}),
        # Two cores of an Intel processor with four efficient ones; favoured cores of an AMD processor.
        ("cpufreq/cpuinfo_max_freq", [4700000] * 2 + [3300000] * 4, {0, 1}),
        ("cpufreq/cpuinfo_max_freq", [5700000, 5500000, 5200000, 5100000], {0, 1, 2, 3}),
        # One fast core would have to be shared.
        ("cpu_capacity", [1024, 400, 400], {0, 1, 2}),
    ],
)
def test_the_fast_ones_are_used(machine, name: str, speeds: list[int], fast: set[int]) -> None:  # type: ignore[no-untyped-def]
    assert machine(name, speeds) == fast


def test_a_machine_that_does_not_tell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cores, "_CORES", tmp_path)
    assert cores.usable() == os.sched_getaffinity(0)
    before = os.sched_getaffinity(0)
    cores.stay_on_fast()
    assert os.sched_getaffinity(0) == before


def test_only_the_calling_thread_is_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processor")
    before = os.sched_getaffinity(0)
    two = set(sorted(before)[:2])
    monkeypatch.setattr(cores, "usable", lambda: two)
    inside: list[set[int]] = []

    def work() -> None:
        cores.stay_on_fast()
        inside.append(os.sched_getaffinity(0))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert inside == [two]
    assert os.sched_getaffinity(0) == before
