"""A mark on the disk for as long as a run lasts: found at a start, it shows that the run before was ended without being asked to."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

_MARK = ".running"


def ended_badly(folder: Path) -> bool:
    """Whether the run before was ended without being asked to: by the system for want of memory, or by a power cut."""
    return (folder / _MARK).exists()


@contextlib.contextmanager
def marked(folder: Path) -> Iterator[None]:
    """Leaves a mark in a folder for as long as the run lasts; a disk that takes no file is no reason not to run."""
    mark = folder / _MARK
    with contextlib.suppress(OSError):
        mark.touch()
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            mark.unlink()
