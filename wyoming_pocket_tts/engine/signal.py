"""What one engine thread waits for while the other is at work: it lends itself to it meanwhile (native/lend.c).

Without native kernels it just waits.
"""

from __future__ import annotations

import ctypes
import threading

from wyoming_pocket_tts.engine import native

# The longest that a thread lends itself before it looks at the world again.
_LENDING_S = 0.05


class Signal:
    """An event. Any thread may set it; one waits."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._flag = ctypes.c_int32(0)
        self._address = ctypes.addressof(self._flag)
        self._library = native.library()

    def set(self) -> None:
        """Wakes whoever waits, or will."""
        self._flag.value = 1
        self._event.set()

    def clear(self) -> None:
        """Takes it back."""
        self._event.clear()
        # In this order: set by both, it is at worst seen once too often.
        self._flag.value = int(self._event.is_set())

    def wait(self, timeout_s: float | None = None) -> bool:
        """Waits, and does nothing meanwhile; False when the time was up."""
        return self._event.wait(timeout_s)

    def lend(self, timeout_s: float = _LENDING_S) -> bool:
        """Waits, and helps the engine's other thread with what it does; False when the time was up."""
        if self._library is None:
            return self.wait(timeout_s)
        self._library.wpt_lend(self._address, timeout_s)
        return self._event.is_set()
