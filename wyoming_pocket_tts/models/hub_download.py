"""Files of Hugging Face repositories, through `huggingface_hub`: its cache, its token, its resuming.

The library is imported when the first file is asked for. It takes HF_HOME, HF_TOKEN, HF_ENDPOINT and HF_HUB_OFFLINE from the environment itself; `endpoint` here goes
before HF_ENDPOINT, which it reads only once. What this module adds: progress in our form, and errors that say what to do.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from wyoming_pocket_tts import __version__
from wyoming_pocket_tts.errors import DownloadError
from wyoming_pocket_tts.models.reach import Reach
from wyoming_pocket_tts.models.sources import HubSource

Report = Callable[[int, "int | None"], None]

_PUBLIC_HUB = "https://huggingface.co"
# Where a token is given, for those too who have no environment to set anything in.
_TOKEN = "HF_TOKEN (in Home Assistant: the option huggingface_token)"

_NETWORK = (ConnectionError, TimeoutError, socket.gaierror)
_NO_ROUTE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL)


class HubDownloader:
    """Fetches into the hub's cache layout."""

    def __init__(
        self, cache_dir: Path | None = None, endpoint: str | None = None, token: str | None = None
    ) -> None:
        """
        Args:
            cache_dir: a hub cache; the library's own (HF_HUB_CACHE, HF_HOME) when None.
            endpoint: a mirror of the hub; HF_ENDPOINT or the public hub when None.
            token: access token; HF_TOKEN or the one that was logged in with when None.
        """
        self._cache_dir = cache_dir
        self._endpoint = endpoint.rstrip("/") if endpoint else None
        self._token = token
        self._reach = Reach()

    def cached(self, source: HubSource) -> Path | None:
        """The file, if it is here."""
        from huggingface_hub import try_to_load_from_cache

        found = try_to_load_from_cache(
            source.repo, source.path, cache_dir=self._cache_dir, revision=source.revision
        )
        return Path(found) if isinstance(found, str) else None

    def fetch(self, source: HubSource, report: Report, *, offline: bool) -> Path:
        """The file, from the cache or from the network; the cached one when there is no network.

        Raises:
            DownloadError: any kind.
        """
        from huggingface_hub import constants, hf_hub_download

        unreachable = None if offline else self._reach.error(self._endpoint or constants.ENDPOINT)
        if unreachable is not None:
            # The library would try for half a minute, with a line of log for each attempt.
            found = self.cached(source)
            if found is None:
                raise self._explained(source, unreachable, offline) from unreachable
            return found
        try:
            return Path(
                hf_hub_download(
                    source.repo,
                    source.path,
                    revision=source.revision,
                    cache_dir=self._cache_dir,
                    endpoint=self._endpoint,
                    token=self._token,
                    local_files_only=offline,
                    library_name="wyoming-pocket-tts",
                    library_version=__version__,
                    tqdm_class=_bar_class(report),
                )
            )
        except Exception as error:  # the library's, its HTTP client's, the system's
            raise self._explained(source, error, offline) from error

    def check_size(self, source: HubSource, max_bytes: int) -> None:
        """Asks the hub how large the file is.

        Raises:
            DownloadError: too-large, or what `fetch` would raise.
        """
        from huggingface_hub import get_hf_file_metadata, hf_hub_url

        try:
            url = hf_hub_url(
                source.repo, source.path, revision=source.revision, endpoint=self._endpoint
            )
            about = get_hf_file_metadata(url, token=self._token, endpoint=self._endpoint)
        except Exception as error:  # see `fetch`
            raise self._explained(source, error, False) from error
        if about.size is None or about.size > max_bytes:
            raise DownloadError(
                f"{source}: is larger than the {max_bytes // 1024 // 1024} MiB that a voice may have.",
                source=str(source),
                kind="too-large",
            )

    def may_fetch(self, source: HubSource) -> bool:
        """Asks the hub whether it would hand the file out, without fetching it."""
        from huggingface_hub import get_hf_file_metadata, hf_hub_url

        try:
            url = hf_hub_url(
                source.repo, source.path, revision=source.revision, endpoint=self._endpoint
            )
            get_hf_file_metadata(url, token=self._token, endpoint=self._endpoint)
        except Exception:  # the library's, its HTTP client's, the system's: whatever it is, no
            return False
        return True

    def _explained(self, source: HubSource, error: Exception, offline: bool) -> DownloadError:
        kind = "offline" if offline else _kind(error)
        refused = _status(error) == 401 and self._sends_token()
        page = f"{self._endpoint or _PUBLIC_HUB}/{source.repo}"
        meaning = {
            "offline": (
                "is not in the cache and downloads are switched off. Fetch it once while online "
                "(wyoming-pocket-tts download), or switch offline mode off (--offline, HF_HUB_OFFLINE)"
            ),
            "gated": (
                f"the access token is not valid: it is mistyped, has expired or was deleted. Set {_TOKEN} "
                "to a token of yours (https://huggingface.co/settings/tokens), or unset it for files that are open to all"
                if refused
                else f"access is refused. Accept the licence at {page} and set {_TOKEN} to a token of that "
                "account with read access; a repository that does not exist looks the same"
            ),
            "not-found": "there is no such file, revision or repository; check the spelling",
            "corrupt": f"the download was not whole ({_first_line(error)}). Try again",
            "storage": (
                f"cannot be written to the cache ({_first_line(error)}). Make room there, or choose another folder (cache_dir)"
            ),
            "network": (
                f"the hub cannot be reached or does not answer as one ({_first_line(_deepest(error))}). "
                "Check the network, a proxy and HF_ENDPOINT, then try again"
            ),
        }[kind]
        return DownloadError(f"{source}: {meaning}.", source=str(source), kind=kind)

    def _sends_token(self) -> bool:
        from huggingface_hub import get_token

        return bool(self._token or get_token())


def is_hub_offline() -> bool:
    """Whether HF_HUB_OFFLINE switches the network off."""
    from huggingface_hub import constants

    return bool(constants.HF_HUB_OFFLINE)


def hub_home() -> Path:
    """The hub's folder on this machine (HF_HOME)."""
    from huggingface_hub import constants

    return Path(constants.HF_HOME)


def _bar_class(report: Report) -> Any:
    """A class with the face of a tqdm bar, as far as the library looks, that reports instead of drawing.

    `update` counts bytes of the file; `update_transfer` is where the library counts bytes on the wire, which may be fewer.
    """

    class Bar:
        def __init__(self, *_: object, **options: Any) -> None:
            self.n = int(options.get("initial") or 0)
            self.total = options.get("total")
            report(self.n, self.total)

        def update(self, n: float = 1) -> None:
            self.n += int(n)
            report(self.n, self.total)

        def update_transfer(self, n: float = 1) -> None:
            pass

        def set_postfix_str(self, *_: object, **__: object) -> None:
            pass

        def set_transfer_postfix_str(self, *_: object, **__: object) -> None:
            pass

        def refresh(self, *_: object, **__: object) -> None:
            pass

        def close(self) -> None:
            pass

        def __enter__(self) -> Bar:
            return self

        def __exit__(
            self,
            kind: type[BaseException] | None,
            error: BaseException | None,
            trace: TracebackType | None,
        ) -> None:
            pass

    return Bar


def _kind(error: Exception) -> str:
    from huggingface_hub.errors import GatedRepoError, OfflineModeIsEnabled

    for cause in _causes(error):
        if isinstance(cause, OfflineModeIsEnabled):
            return "offline"
        if isinstance(cause, GatedRepoError):
            return "gated"
    status = _status(error)
    if status is not None:
        return {401: "gated", 403: "gated", 404: "not-found"}.get(status, "network")
    if isinstance(error, OSError) and error.errno is not None:
        return "network" if isinstance(error, _NETWORK) or error.errno in _NO_ROUTE else "storage"
    if isinstance(error, OSError) and "onsistency check" in str(error):
        return "corrupt"
    return "network"


def _status(error: BaseException) -> int | None:
    """What the hub answered, if that is what went wrong."""
    for cause in _causes(error):
        status = getattr(getattr(cause, "response", None), "status_code", None)
        if status is not None:
            return int(status)
    return None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _deepest(error: Exception) -> BaseException:
    return [*_causes(error)][-1]


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
