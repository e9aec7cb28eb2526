"""Every error this package raises on purpose, split by who can mend it.

`CallerError`: the one who asked (a client, a user of the library) must change the request.
`ServerError`: the request was right, the server could not serve it now.
`SetupError`: the owner of the installation must change a file, an option or the network.

Each class has a stable `code`: protocol servers send it, and programs may depend on it. The message is for a
person: it names what was wrong and what to do about it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PocketTTSError(Exception):
    """Base of all errors of this package."""

    code = "internal"


class CallerError(PocketTTSError):
    """The request is at fault."""

    code = "invalid-request"


class InvalidRequest(CallerError):
    """A field of the request has a value that makes no sense."""


class VoiceNotFound(CallerError):
    """No voice of that name (or none for that language)."""

    code = "voice-not-found"


class TextTooLong(CallerError):
    """The text is over the configured limit."""

    code = "text-too-long"


class NothingToSay(CallerError):
    """The text is empty, or holds nothing that can be spoken."""

    code = "empty-text"


class AudioPromptError(CallerError):
    """A recording cannot serve as a voice; the message says why."""

    code = "audio-prompt-rejected"


class ServerError(PocketTTSError):
    """The request was fine; the server could not serve it."""


class Busy(ServerError):
    """Too much is waiting already; trying again later makes sense."""

    code = "busy"


class VoiceUnreachable(ServerError):
    """A voice that the request gave the address of cannot be fetched from there."""

    code = "voice-unreachable"


class ModelUnavailable(ServerError):
    """The model that the voice needs is not there (yet)."""

    code = "model-unavailable"


class InternalError(ServerError):
    """A fault of ours; the log has the details."""


class SetupError(PocketTTSError):
    """The installation is at fault: a file, an option, a download."""

    code = "setup"


class ConfigError(SetupError):
    """A settings or model file has an unknown key, a wrong type or an impossible value."""

    code = "config-invalid"

    def at(self, where: str) -> ConfigError:
        """The same error, said of a place: a file, a key."""
        return type(self)(f"{where}: {self}")


class ModelFileError(SetupError):
    """A weights or tokenizer file does not fit the model's configuration."""

    code = "model-file-invalid"


class VoiceStateError(SetupError):
    """A voice state file cannot be used with this model."""

    code = "voice-state-invalid"


class DownloadError(SetupError):
    """A file could not be fetched.

    Attributes:
        source: what was asked for, as the user wrote it.
        kind: "offline", "not-found", "gated", "network", "corrupt", "too-large" or "storage".
    """

    code = "download-failed"

    def __init__(self, message: str, *, source: str, kind: str) -> None:
        super().__init__(message)
        self.source = source
        self.kind = kind

    def at(self, where: str) -> DownloadError:
        """The same error, said of a place: a file, a key."""
        return type(self)(f"{where}: {self}", source=self.source, kind=self.kind)


class FileMissing(DownloadError):
    """A path that a setting or a model names leads nowhere on this machine; there is nothing to download."""

    code = "file-missing"


def some(names: Iterable[str], most: int = 5) -> str:
    """The first names of a list, for a message: 'a, b, c and 24 more'; '' when there is none."""
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more


def nearest(name: str, known: Iterable[str], most: int = 3) -> str:
    """' Did you mean ...?' with the known names most like `name`, or '' when none is near."""
    lowered: dict[str, str] = {}
    for candidate in known:
        lowered.setdefault(candidate.lower(), candidate)
    near = difflib.get_close_matches(name.lower(), list(lowered), n=most, cutoff=0.5)
    if not near:
        return ""
    return f" Did you mean {' or '.join(repr(lowered[match]) for match in near)}?"
