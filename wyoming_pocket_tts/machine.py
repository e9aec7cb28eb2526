"""What this machine has: memory, as far as this process (or its container) may use it."""

from __future__ import annotations

from pathlib import Path

_MIB = 1024 * 1024


def total_memory_mib() -> int | None:
    """The machine's memory, or what of it this container may use; None where that is not known."""
    return min(
        (mib for mib in (_meminfo_mib("MemTotal"), _limit_mib()) if mib is not None), default=None
    )


def available_memory_mib() -> int | None:
    """Memory that is free for programs; None where that is not known."""
    return min(
        (mib for mib in (_meminfo_mib("MemAvailable"), _limit_mib()) if mib is not None),
        default=None,
    )


def _meminfo_mib(key: str) -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) // 1024 for line in lines if line.startswith(f"{key}:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return None


def _limit_mib() -> int | None:
    """The container's own limit, if it has one."""
    try:
        return int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")) // _MIB
    except (OSError, ValueError):
        return None
