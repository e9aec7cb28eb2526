"""Giving freed memory back to the system, and saying what to do where there is none left.

The C library keeps what is freed for later allocations, tensors of many MiB too: without this, a model that was dropped would leave the
process as large as before, and a memory budget would be worth nothing (measured: docs/performance.md).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
from collections.abc import Callable, Iterator

from wyoming_pocket_tts.errors import ModelUnavailable

# How torch, and the C++ library below it, put it.
_RAN_OUT = ("allocate memory", "not enough memory", "out of memory", "bad_alloc")


def give_back() -> None:
    """Returns what is free; takes milliseconds, so it is called in a thread. Does nothing where the C library has no such call."""
    trim = _trim()
    if trim is not None:
        trim(0)


@contextlib.contextmanager
def explained() -> Iterator[None]:
    """Around what may need more memory than there is.

    Raises:
        ModelUnavailable: it did; says what to do.
    """
    try:
        yield
    except (MemoryError, OSError, RuntimeError) as error:
        if not _ran_out(error):
            raise
        give_back()
        raise ModelUnavailable(
            "There is too little memory for it. Stop other programs, choose fewer languages or a smaller model, or let it have more."
        ) from error


def _ran_out(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or any(said in str(error).lower() for said in _RAN_OUT)


@functools.cache
def _trim() -> Callable[[int], int] | None:
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # musl, macOS, Windows
        return None
    return trim
