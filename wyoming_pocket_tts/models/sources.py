"""Where a file comes from: the grammar of what users write, and nothing about fetching it.

    /path/to/file, relative/file      a file on this machine
    https://host/path/file            a file on the web (http:// for loopback hosts alone)
    hf://owner/repo/path@revision     a file of a Hugging Face repository (revision: default branch when left out)

Strings that reach this module come from the catalogue, from settings or from the command line; names sent by clients never do.

Source: the grammar of `weights_path` and its kind in `pocket-tts` 4.0.1 configurations.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from wyoming_pocket_tts.errors import ConfigError, nearest

_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+)://")
_HUB_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
_UNSAFE_IN_FILE_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True)
class LocalSource:
    """A file on this machine."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    @property
    def file_name(self) -> str:
        """Last part of the path."""
        return self.path.name


@dataclass(frozen=True)
class HttpSource:
    """A file on the web."""

    url: str

    def __str__(self) -> str:
        return self.url

    @property
    def file_name(self) -> str:
        """Last part of the path, reduced to characters every file system takes."""
        last = unquote(urlsplit(self.url).path).rsplit("/", 1)[-1]
        return _UNSAFE_IN_FILE_NAMES.sub("_", last).strip(".") or "file"


@dataclass(frozen=True)
class HubSource:
    """A file of a model repository on the hub; `revision` None is its default branch."""

    repo: str
    path: str
    revision: str | None = None

    def __str__(self) -> str:
        suffix = f"@{self.revision}" if self.revision else ""
        return f"hf://{self.repo}/{self.path}{suffix}"

    @property
    def file_name(self) -> str:
        """Last part of the path in the repository."""
        return self.path.rsplit("/", 1)[-1]


Source = LocalSource | HttpSource | HubSource


def parse_source(text: str) -> Source:
    """Reads a path, an https:// address or an hf:// path.

    Raises:
        ConfigError: naming the text and what is wrong with it.
    """
    if not text.strip():
        raise ConfigError("An empty source: write a path, an https:// address or an hf:// path.")
    if "\0" in text:
        raise ConfigError(f"{text!r}: a zero byte is part of no path and no address.")
    match = _SCHEME.match(text)
    if match is None:
        return LocalSource(_local_path(text))
    scheme = match.group(1).lower()
    rest = text[match.end() :]
    if scheme == "hf":
        return _parse_hub(text, rest)
    if scheme in ("http", "https"):
        return check_url(text)
    hint = nearest(scheme, ("https", "http", "hf")) or (
        " Known are hf:// and https://; a file on this machine is written as its path."
    )
    raise ConfigError(f"{text}: unknown kind of source {scheme}://.{hint}")


def _local_path(text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise ConfigError(f"{text}: this machine has no such user's folder.") from error


def check_url(url: str) -> HttpSource:
    """An address that may be fetched; also asked for every redirect.

    Raises:
        ConfigError: plain http to another machine, a password in the address, no host.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise ConfigError(f"{url}: is not a whole address: {error}.") from error
    if not parts.hostname:
        raise ConfigError(f"{url}: the address names no host.")
    if parts.username is not None or parts.password is not None:
        raise ConfigError(f"{parts.hostname}: a user name or password in an address is refused.")
    if parts.scheme.lower() not in ("http", "https"):
        raise ConfigError(f"{url}: only https:// addresses can be fetched.")
    if parts.scheme.lower() == "http" and not is_loopback(parts.hostname):
        raise ConfigError(f"{url}: plain http is accepted from this machine alone; use https://.")
    return HttpSource(url)


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _parse_hub(text: str, rest: str) -> HubSource:
    location, _, revision = rest.partition("@")
    owner, _, remainder = location.partition("/")
    name, _, path = remainder.partition("/")
    if not (_HUB_NAME.match(owner) and _HUB_NAME.match(name)) or not path:
        raise ConfigError(f"{text}: must be hf://owner/repo/path or hf://owner/repo/path@revision.")
    if any(part in ("", ".", "..") for part in path.split("/")) or "\\" in path:
        raise ConfigError(f"{text}: the path inside the repository is not a plain relative path.")
    if "@" in rest and (not revision or ".." in revision or revision.startswith("/")):
        raise ConfigError(f"{text}: the revision after @ must be a commit, a tag or a branch.")
    return HubSource(repo=f"{owner}/{name}", path=path, revision=revision or None)
