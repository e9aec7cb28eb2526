"""Giving freed memory back to the system.

The C library keeps what is freed for later allocations, tensors of many MiB too: without this, a model that was dropped would leave the
process as large as before, and a memory budget would be worth nothing (measured: docs/performance.md).
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable


def give_back() -> None:
    """Returns what is free; takes milliseconds, so it is called in a thread. Does nothing where the C library has no such call."""
    trim = _trim()
    if trim is not None:
        trim(0)


@functools.cache
def _trim() -> Callable[[int], int] | None:
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # musl, macOS, Windows
        return None
    return trim
