"""Threads that lend themselves to others' work (native/lend.c): an engine thread while it waits for the other one, and helpers for a single long
work. Without native kernels they just wait.
"""

from __future__ import annotations

import contextlib
import ctypes
import threading
from collections.abc import Iterator

from wyoming_pocket_tts.engine import cores, native

# The longest that a thread lends itself before it looks at the world again.
_LENDING_S = 0.05


class Signal:
    """An event. Any thread may set it; one waits."""

    def __init__(self) -> None:
        # Flag and event say the same; who sets one sets both.
        self._lock = threading.Lock()
        self._event = threading.Event()
        self._flag = ctypes.c_int32(0)
        self._address = ctypes.addressof(self._flag)
        self._library = native.library()

    def set(self) -> None:
        """Wakes whoever waits, or will."""
        with self._lock:
            self._flag.value = 1
            self._event.set()

    def clear(self) -> None:
        """Takes it back."""
        with self._lock:
            self._event.clear()
            self._flag.value = 0

    def wait(self, timeout_s: float | None = None) -> bool:
        """Waits, and does nothing meanwhile; False when the time was up."""
        return self._event.wait(timeout_s)

    def lend(self, timeout_s: float = _LENDING_S) -> bool:
        """Waits, and helps the engine's other thread with what it does; False when the time was up."""
        if self._library is None:
            return self.wait(timeout_s)
        self._library.wpt_lend(self._address, timeout_s)
        return self._event.is_set()


@contextlib.contextmanager
def helpers() -> Iterator[None]:
    """Lends a thread for each further processor to what is done meanwhile."""
    done = Signal()

    def help_until_done() -> None:
        cores.stay_on_fast()
        while not done.lend():
            pass

    count = 0 if native.library() is None else cores.count() - 1
    threads = [threading.Thread(target=help_until_done, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()
