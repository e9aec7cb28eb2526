"""How far the downloads are right now, for whoever asks: remembers reports, shows nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from wyoming_pocket_tts.models.progress import DownloadProgress, ProgressCallback


class ProgressBoard:
    """A progress callback that remembers the latest report of each source and passes it on; for several threads."""

    def __init__(self, then: ProgressCallback | None = None) -> None:
        self._then = then
        self._lock = threading.Lock()
        self._latest: dict[str, DownloadProgress] = {}

    def __call__(self, progress: DownloadProgress) -> None:
        with self._lock:
            self._latest[progress.source] = progress
        if self._then is not None:
            self._then(progress)

    def percent(self, sources: Iterable[str]) -> int | None:
        """How much of the sources' bytes has come, of those that were reported with their size; None: nothing is known."""
        with self._lock:
            known = [self._latest[source] for source in set(sources) if source in self._latest]
        done = sum(report.done_bytes for report in known if report.total_bytes)
        total = sum(report.total_bytes or 0 for report in known)
        return min(100, 100 * done // total) if total else None
