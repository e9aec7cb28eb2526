"""A disk on which no file can grow over some bytes: writing more fails as it does where there is no room."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator


@contextlib.contextmanager
def full_disk(most_bytes: int) -> Iterator[None]:
    """For this process; Python ignores the signal that goes with it, so that the writer gets an error."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
