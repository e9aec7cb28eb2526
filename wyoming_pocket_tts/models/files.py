"""Writing files so that a reader sees the old content or the new, never a part; it knows nothing of what is in them."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


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
