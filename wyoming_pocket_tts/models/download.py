"""One call from a source to a local file, whatever kind of source it is.

    fetcher = Fetcher(cache_dir=None, offline=False)
    path = fetcher.fetch("hf://owner/repo/model.safetensors@main")

Blocking: call it in a thread. Nothing is created or asked for before the first `fetch`. Layout below the cache directory, which has the meaning of
HF_HOME: hub/ (the hub's own cache), wyoming-pocket-tts/https/ (files from the web), wyoming-pocket-tts/... (what this program makes itself).
"""

from __future__ import annotations

import threading
from pathlib import Path

from wyoming_pocket_tts.errors import DownloadError, FileMissing
from wyoming_pocket_tts.models.http_download import HttpDownloader, Report
from wyoming_pocket_tts.models.hub_download import HubDownloader, hub_home, is_hub_offline
from wyoming_pocket_tts.models.progress import DownloadProgress, ProgressCallback
from wyoming_pocket_tts.models.sources import HubSource, LocalSource, Source, parse_source
from wyoming_pocket_tts.voice_addresses import AskedFor

_OWN_FOLDER = "wyoming-pocket-tts"


class Fetcher:
    """Fetches files and remembers them; may be used from several threads."""

    def __init__(
        self,
        cache_dir: Path | None = None,
        *,
        offline: bool = False,
        endpoint: str | None = None,
        token: str | None = None,
        progress: ProgressCallback | None = None,
        timeout_s: float = 20.0,
    ) -> None:
        """
        Args:
            cache_dir: where files are kept; the hub's folder (HF_HOME) when None.
            offline: never use the network; HF_HUB_OFFLINE has the same effect.
            endpoint: a mirror of the hub; HF_ENDPOINT when None.
            token: access token for the hub; HF_TOKEN when None.
            progress: told about every file that comes from the network, from the thread that fetches.
            timeout_s: how long a web server may be silent.
        """
        self._cache_dir = cache_dir
        self._offline = offline
        self._progress = progress
        self._timeout_s = timeout_s
        self._hub = HubDownloader(
            cache_dir=cache_dir / "hub" if cache_dir is not None else None,
            endpoint=endpoint,
            token=token,
        )
        self._locks: dict[Source, threading.Lock] = {}
        self._locks_lock = threading.Lock()

    @property
    def offline(self) -> bool:
        """Whether the network must not be used, by our setting or by the hub's."""
        return self._offline or is_hub_offline()

    @property
    def own_folder(self) -> Path:
        """Where this program keeps files of its own making."""
        return (self._cache_dir or hub_home()) / _OWN_FOLDER

    def cached(self, source: str) -> Path | None:
        """The file if it is on this machine already; never uses the network.

        Raises:
            ConfigError: not a source.
        """
        parsed = parse_source(source)
        if isinstance(parsed, LocalSource):
            return parsed.path if parsed.path.exists() else None
        if isinstance(parsed, HubSource):
            return self._hub.cached(parsed)
        return self._web().cached(parsed)

    def obtainable(self, source: str) -> bool:
        """Whether the file is here or would be handed out; asks the hub, and fetches nothing.

        Raises:
            ConfigError: not a source.
        """
        if self.cached(source) is not None:
            return True
        parsed = parse_source(source)
        if isinstance(parsed, LocalSource) or self.offline:
            return False
        return not isinstance(parsed, HubSource) or self._hub.may_fetch(parsed)

    def fetch(self, source: str, asked_for: AskedFor | None = None) -> Path:
        """The file, fetched when it is not here yet.

        Args:
            source: where it is.
            asked_for: what holds where a request wants it; None: the owner does.

        Raises:
            ConfigError: not a source.
            DownloadError: with its kind: offline, not-found, gated, network, corrupt, too-large or storage.
        """
        parsed = parse_source(source)
        if isinstance(parsed, LocalSource):
            if not parsed.path.exists():
                raise FileMissing(
                    f"{source}: there is no such file.", source=source, kind="not-found"
                )
            return parsed.path
        with self._lock(parsed):
            return self._fetch(parsed, source, asked_for)

    def _fetch(self, parsed: Source, source: str, asked_for: AskedFor | None) -> Path:
        report = self._report(source)
        if isinstance(parsed, HubSource):
            if asked_for is not None and not self.offline and self._hub.cached(parsed) is None:
                self._hub.check_size(parsed, asked_for.max_bytes)
            return self._hub.fetch(parsed, report, offline=self.offline)
        assert not isinstance(parsed, LocalSource)
        web = self._web()
        found = web.cached(parsed)
        if found is not None:
            return found
        if self.offline:
            raise DownloadError(
                f"{source}: is not in the cache and downloads are switched off. Fetch it once while "
                "online, or switch offline mode off (--offline, HF_HUB_OFFLINE).",
                source=source,
                kind="offline",
            )
        try:
            return web.fetch(parsed, report, asked_for)
        except OSError as error:
            raise DownloadError(
                f"{source}: cannot be written to the cache {self.own_folder}: "
                f"{error.strerror or error}. Make room there, or choose another folder (cache_dir).",
                source=source,
                kind="storage",
            ) from error

    def _web(self) -> HttpDownloader:
        return HttpDownloader(self.own_folder / "https", self._timeout_s)

    def _report(self, source: str) -> Report:
        def report(done_bytes: int, total_bytes: int | None) -> None:
            if self._progress is not None:
                self._progress(DownloadProgress(source, done_bytes, total_bytes))

        return report

    def _lock(self, source: Source) -> threading.Lock:
        """Two threads that want the same file: one fetches, the other finds it."""
        with self._locks_lock:
            return self._locks.setdefault(source, threading.Lock())
