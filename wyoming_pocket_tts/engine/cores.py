"""Which processors the engine's threads run on: the fast ones, where a machine has fast and slow ones.

A step of FlowLM that the system puts on a little core takes three times as long, and the frame after it comes too late. Rockchip's and
Intel's processors have both kinds; the system tells how fast each core is.
"""

from __future__ import annotations

import os
from pathlib import Path

_CORES = Path("/sys/devices/system/cpu")
# Told relative to the fastest core (ARM), or as its highest frequency (x86).
_SPEED_FILES = ("cpu_capacity", "cpufreq/cpuinfo_max_freq")
# How fast a core must be, measured by the fastest one. Above: cores that are allowed a little more turbo than others, and
# big cores beside a prime one. Below: the efficient ones.
_FAST = 0.75


def usable() -> set[int]:
    """Numbers of the processors that this thread may use and that are fast; empty where the system does not tell."""
    if not hasattr(os, "sched_getaffinity"):
        return set()
    allowed = os.sched_getaffinity(0)
    for name in _SPEED_FILES:
        speeds = _read(allowed, name)
        if speeds:
            fastest = max(speeds.values())
            return {core for core, speed in speeds.items() if speed >= _FAST * fastest}
    return set(allowed)


def count() -> int:
    """How many processors the engine has."""
    return len(usable()) or os.cpu_count() or 1


def stay_on_fast() -> None:
    """Keeps the calling thread, and those that it starts, on the fast processors.

    One fast core alone is left to the system: two threads of ours would have to share it while others are free.
    """
    cores = usable()
    if len(cores) > 1 and cores != os.sched_getaffinity(0):
        try:
            os.sched_setaffinity(0, cores)
        except OSError:  # a container may forbid it: slower, and no harm done
            return


def _read(cores: set[int], name: str) -> dict[int, int]:
    """What a file says of each core; nothing if it is missing for any of them."""
    try:
        return {core: int((_CORES / f"cpu{core}" / name).read_text()) for core in cores}
    except (OSError, ValueError):
        return {}
