"""Writing files so that a reader sees the old content or the new, never a part; it knows nothing of what is in them.

A process that is killed while it writes leaves its temporary file behind. Whoever is alone in a folder may clear such things away.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def write_atomically(path: Path, content: bytes) -> None:
    """Writes beside the target, then takes its place; the folder is made when it is missing.

    Raises:
        OSError: the folder cannot be written, the disk is full.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Hidden, and with a suffix that no reader of the folder takes for its own.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[bool]:
    """Waits until no other thread or process works in a folder that exists; the lock ends with the process at the latest.

    Yields:
        Whether it is certain that nobody else does: not every file system has locks.

    Raises:
        OSError: there is no such folder.
    """
    if fcntl is None:
        yield False
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            alone = True
        except OSError:
            alone = False
        yield alone
    finally:
        os.close(handle)
