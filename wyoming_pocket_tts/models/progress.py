"""How far a download is, and two ways to show it: lines in the log, a bar on a terminal. It downloads nothing."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TextIO

_LOGGER = logging.getLogger(__name__)
_BAR_WIDTH = 30
_REDRAW_INTERVAL_S = 0.1


@dataclass(frozen=True)
class DownloadProgress:
    """One report about one file.

    Attributes:
        source: what is fetched, as the user wrote it.
        done_bytes: bytes of the file that are here, those of an earlier attempt included.
        total_bytes: size of the file, None while unknown.
    """

    source: str
    done_bytes: int
    total_bytes: int | None

    @property
    def finished(self) -> bool:
        """Whether the whole file has come."""
        return self.total_bytes is not None and self.done_bytes >= self.total_bytes

    @property
    def percent(self) -> int | None:
        """Whole percent, rounded down so that 100 means finished."""
        if not self.total_bytes:
            return None
        return min(100, self.done_bytes * 100 // self.total_bytes)


ProgressCallback = Callable[[DownloadProgress], None]


class LoggedProgress:
    """Writes a log line every few seconds a file takes, and one when it is there."""

    def __init__(
        self, interval_s: float = 5.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._interval_s = interval_s
        self._clock = clock
        self._lock = threading.Lock()
        self._started: dict[str, tuple[float, int]] = {}
        self._logged_at: dict[str, float] = {}

    def __call__(self, progress: DownloadProgress) -> None:
        source, now = progress.source, self._clock()
        with self._lock:
            if source not in self._started:
                self._started[source] = (now, progress.done_bytes)
                self._logged_at[source] = now
                _LOGGER.info("Downloading %s (%s)", source, _size(progress.total_bytes))
            started_at, first_bytes = self._started[source]
            if progress.finished:
                del self._started[source], self._logged_at[source]
                _LOGGER.info("Downloaded %s (%s)", source, _size(progress.done_bytes))
            elif now - self._logged_at[source] >= self._interval_s:
                self._logged_at[source] = now
                rate = (progress.done_bytes - first_bytes) / max(now - started_at, 1e-3)
                _LOGGER.info("Downloading %s: %s, %s/s", source, _state(progress), _size(int(rate)))


class TerminalProgress:
    """Draws a bar on a terminal, on one line that is written over."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._lock = threading.Lock()
        self._source: str | None = None
        self._drawn_at = 0.0

    def __call__(self, progress: DownloadProgress) -> None:
        now = self._clock()
        with self._lock:
            is_new = progress.source != self._source
            if not (is_new or progress.finished) and now - self._drawn_at < _REDRAW_INTERVAL_S:
                return
            if is_new and self._source is not None:
                self._stream.write("\n")
            self._source, self._drawn_at = progress.source, now
            filled = _BAR_WIDTH * (progress.percent or 0) // 100
            bar = "#" * filled + "." * (_BAR_WIDTH - filled)
            name = progress.source.partition("@")[0].rsplit("/", 1)[-1]
            self._stream.write(f"\r{name} [{bar}] {_state(progress)}\033[K")
            if progress.finished:
                self._stream.write("\n")
                self._source = None
            self._stream.flush()


def _state(progress: DownloadProgress) -> str:
    if progress.percent is None:
        return _size(progress.done_bytes)
    return f"{progress.percent} % of {_size(progress.total_bytes)}"


def _size(size_bytes: int | None) -> str:
    if size_bytes is None:
        return "size unknown"
    if size_bytes < 1_000_000:
        return f"{size_bytes / 1_000:.0f} kB"
    return f"{size_bytes / 1_000_000:.1f} MB"
