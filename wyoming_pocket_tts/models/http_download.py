"""Files from https:// addresses: resumed, verified, atomic, and kept.

A file is fetched once; its address is its name in the cache, so a file that changes behind its address is fetched again only when its
folder is deleted. A part that broke off is continued where the server can say that the rest belongs to it (Range with If-Range), else
begun again. No token is ever sent: those are for the hub (`models.hub_download`).

Source: HTTP range requests (RFC 9110, section 14).
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from filelock import FileLock

from wyoming_pocket_tts import __version__
from wyoming_pocket_tts.errors import ConfigError, DownloadError
from wyoming_pocket_tts.models.sources import HttpSource, check_url, is_loopback
from wyoming_pocket_tts.voice_addresses import AskedFor

Report = Callable[[int, "int | None"], None]

_BLOCK_BYTES = 256 * 1024
# Attempts that brought nothing, in a row; each waits twice as long as the one before.
_MOST_ATTEMPTS = 4
_RETRIED_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
_CONTENT_RANGE = re.compile(r"^bytes (\d+)-\d+/(\d+)$")


class _Broken(Exception):
    """This attempt failed; another one may do better."""


class HttpDownloader:
    """Fetches into a folder: one sub-folder an address."""

    def __init__(self, folder: Path, timeout_s: float = 20.0) -> None:
        self._folder = folder
        self._timeout_s = timeout_s

    def cached(self, source: HttpSource) -> Path | None:
        """The whole file, if it is here."""
        path = self._path(source)
        return path if path.is_file() else None

    def fetch(self, source: HttpSource, report: Report, asked_for: AskedFor | None = None) -> Path:
        """The file, from the cache or from the network.

        Args:
            source: the address.
            report: told (bytes here, size or None) as they come.
            asked_for: what holds where a request wants it; None: the owner does.

        Raises:
            DownloadError: not-found, gated, network, corrupt or too-large.
            OSError: the folder cannot be written.
        """
        path = self._path(source)
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.parent / "lock"):
            if path.is_file():  # another process was faster
                return path
            part = path.with_name(f"{path.name}.part")
            self._fetch_part(source, part, report, asked_for)
            os.replace(part, path)
            _notes(part).unlink(missing_ok=True)
        return path

    def _path(self, source: HttpSource) -> Path:
        key = hashlib.sha256(source.url.encode()).hexdigest()
        return self._folder / key / source.file_name

    def _fetch_part(
        self, source: HttpSource, part: Path, report: Report, asked_for: AskedFor | None
    ) -> None:
        """Tries until the part is the whole file."""
        attempts = 0
        while True:
            before = _size(part)
            try:
                self._attempt(source, part, report, asked_for)
                return
            except _Broken as error:
                attempts = attempts + 1 if _size(part) <= before else 1
                if attempts >= _MOST_ATTEMPTS:
                    raise DownloadError(
                        f"{source}: the download broke off ({error}). Check the network and try "
                        "again; what has arrived is kept and continued.",
                        source=str(source),
                        kind="network",
                    ) from error
                time.sleep(2.0 ** (attempts - 1))

    def _attempt(
        self, source: HttpSource, part: Path, report: Report, asked_for: AskedFor | None
    ) -> None:
        have, validator = _resumable(part)
        headers = {
            "User-Agent": f"wyoming-pocket-tts/{__version__}",
            "Accept-Encoding": "identity",
        }
        if have:
            headers |= {"Range": f"bytes={have}-", "If-Range": validator}
        request = urllib.request.Request(source.url, headers=headers)
        try:
            opener = _opener(source, asked_for)
            with opener.open(request, timeout=self._timeout_s) as response:
                self._receive(source, response, part, have, _limited(source, report, asked_for))
        except DownloadError as error:
            if error.kind == "too-large":
                part.unlink(missing_ok=True)
                _notes(part).unlink(missing_ok=True)
            raise
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 416:  # our part is not a part of what is there now
                    part.unlink(missing_ok=True)
                    raise _Broken("the file has changed") from None
                raise _refusal(source, error.code) from None
        except urllib.error.URLError as error:
            raise _Broken(_reason(error.reason)) from error
        except (http.client.HTTPException, ConnectionError, TimeoutError, ssl.SSLError) as error:
            raise _Broken(_reason(error)) from error

    def _receive(
        self, source: HttpSource, response: Any, part: Path, have: int, report: Report
    ) -> None:
        done, total = _extent(source, response, have)
        validator = response.headers.get("ETag") or response.headers.get("Last-Modified") or ""
        with part.open("ab" if done else "wb") as file:
            _notes(part).write_text(json.dumps({"validator": validator}), encoding="utf-8")
            report(done, total)
            done = _copy(response, file, done, total, report)
            file.flush()
            os.fsync(file.fileno())
        if total is None:  # a chunked answer that ended as such; broken ones raise in `read`
            report(done, done)
        elif done < total:
            raise _Broken(f"{done} of {total} bytes came")
        elif done > total:
            part.unlink(missing_ok=True)
            raise DownloadError(
                f"{source}: the server sent more than the {total} bytes it announced; try again.",
                source=str(source),
                kind="corrupt",
            )


class _CheckedRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to addresses that could have been asked for in the first place."""

    def __init__(self, asked_for: AskedFor | None) -> None:
        self._asked_for = asked_for

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Any,
        newurl: str,
    ) -> urllib.request.Request | None:
        try:
            check_url(newurl)
            if self._asked_for is not None and not self._asked_for.leads_on(newurl):
                raise ConfigError("http.allowed_voice_urls does not hold it.")
        except ConfigError:
            fp.close()
            raise
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Opener:
    def __init__(self, opener: urllib.request.OpenerDirector, source: HttpSource) -> None:
        self._opener = opener
        self._source = source

    def open(self, request: urllib.request.Request, timeout: float) -> Any:
        try:
            return self._opener.open(request, timeout=timeout)
        except ConfigError as error:
            raise DownloadError(
                f"{self._source}: leads to an address that is refused: {error}",
                source=str(self._source),
                kind="network",
            ) from error


def _limited(source: HttpSource, report: Report, asked_for: AskedFor | None) -> Report:
    """A report that ends a download that becomes too large, or says it will."""
    if asked_for is None:
        return report
    most = asked_for.max_bytes

    def limited(done_bytes: int, total_bytes: int | None) -> None:
        if max(done_bytes, total_bytes or 0) > most:
            raise DownloadError(
                f"{source}: is larger than the {most // 1024 // 1024} MiB that a voice may have.",
                source=str(source),
                kind="too-large",
            )
        report(done_bytes, total_bytes)

    return limited


def _opener(source: HttpSource, asked_for: AskedFor | None) -> _Opener:
    handlers: list[urllib.request.BaseHandler] = [_CheckedRedirects(asked_for)]
    if is_loopback(urlsplit(source.url).hostname or ""):
        handlers.append(urllib.request.ProxyHandler({}))
    return _Opener(urllib.request.build_opener(*handlers), source)


def _extent(source: HttpSource, response: Any, have: int) -> tuple[int, int | None]:
    """Where the answer starts in the file, and the file's size."""
    if response.status == 206:
        match = _CONTENT_RANGE.match(response.headers.get("Content-Range", ""))
        if match is None or int(match.group(1)) != have:
            raise _Broken("the server continues at another place")
        return have, int(match.group(2))
    length = response.headers.get("Content-Length")
    if length is not None:
        return 0, int(length)
    if response.headers.get("Transfer-Encoding", "").lower() == "chunked":
        return 0, None
    raise DownloadError(
        f"{source}: the server does not say how large the file is, so a broken download could not "
        "be told from a whole one. Fetch it by other means and give its path.",
        source=str(source),
        kind="corrupt",
    )


def _copy(response: Any, file: IO[bytes], done: int, total: int | None, report: Report) -> int:
    while block := response.read(_BLOCK_BYTES):
        file.write(block)
        done += len(block)
        report(done, total)
    return done


def _refusal(source: HttpSource, status: int) -> Exception:
    """What an error status means."""
    if status in _RETRIED_STATUS:
        return _Broken(f"HTTP status {status}")
    kind, meaning = "network", f"the server answers with status {status}"
    if status in (401, 403):
        kind = "gated"
        meaning = (
            f"access is refused (status {status}). If the address is of a hub repository that asks to "
            "accept a licence, write it as hf://owner/repo/path and set HF_TOKEN"
        )
    elif status in (404, 410):
        kind, meaning = "not-found", f"there is no such file (status {status}); check the address"
    elif 300 <= status < 400:
        meaning = f"leads to an address that is refused (status {status})"
    return DownloadError(f"{source}: {meaning}.", source=str(source), kind=kind)


def _resumable(part: Path) -> tuple[int, str]:
    """Bytes of a part that can be continued, and the validator that must still hold."""
    have = _size(part)
    try:
        validator = json.loads(_notes(part).read_text(encoding="utf-8"))["validator"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0, ""
    if not have or not isinstance(validator, str) or not validator or validator.startswith("W/"):
        return 0, ""
    return have, validator


def _notes(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _reason(error: object) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
