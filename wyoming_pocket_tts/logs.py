"""The log: lines for people or JSON objects for programs, on standard error.

Records carry their facts as `extra=` fields; the text format appends them as key=value, the JSON format makes them keys. Standard
output stays free: with stdio:// it is the wire. Nothing here happens at import; `configure` is called once by the command line.
"""

from __future__ import annotations

import datetime
import json
import logging
import re
import sys
from collections.abc import Iterable, Mapping
from typing import TextIO

# What a record has of its own; everything else in it came by `extra=`.
_OWN_FIELDS = frozenset(vars(logging.makeLogRecord({})).keys() | {"message", "asctime", "taskName"})
# Libraries whose INFO and DEBUG lines name addresses with signed queries, or say nothing to the owner of a server.
_CHATTY = ("asyncio", "filelock", "httpcore", "httpcore2", "httpx", "httpx2", "urllib3", "zeroconf")
_PLAIN = re.compile(r"[\w.:/@+*%-]+")
_TOKEN = re.compile(r"\bhf_[A-Za-z0-9]{8,}|(?<=Bearer )[\w.~+/=-]+", re.ASCII)
_HIDDEN = "[hidden]"


def configure(
    level: str,
    format: str,
    *,
    secrets: Iterable[str | None] = (),
    stream: TextIO | None = None,
) -> None:
    """Sets up the root logger; the second call replaces what the first one set.

    Args:
        level: "debug", "info", "warning" or "error".
        format: "text", "json", or a pattern that `check_pattern` takes.
        secrets: values that must never appear in the log; None and short ones are left out.
        stream: where lines go; standard error when None.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    # Something very short is no secret, and taking it out would spoil every line.
    hidden = tuple(secret for secret in secrets if secret and len(secret) >= 8)
    handler.setFormatter(_formatter(format, hidden))
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
        old.close()
    root.addHandler(handler)
    root.setLevel(level.upper())
    logging.captureWarnings(True)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)


def check_pattern(pattern: str) -> None:
    """Refuses what is no pattern of Python's `logging`.

    Raises:
        ValueError: says what is wrong.
    """
    if not _is_pattern(pattern):
        raise ValueError(
            f"format {pattern!r} must be text, json or a pattern such as '%(levelname)s: %(message)s'"
        )
    try:
        PatternFormatter(pattern).format(logging.makeLogRecord({"msg": "x"}))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise ValueError(f"format {pattern!r} is no pattern for a log: {error}") from error


def _is_pattern(format: str) -> bool:
    return "%(" in format or "{" in format


def _formatter(format: str, hidden: tuple[str, ...]) -> logging.Formatter:
    if _is_pattern(format):
        return PatternFormatter(format, hidden)
    return JsonFormatter(hidden) if format == "json" else TextFormatter(hidden)


def take_over(library: str) -> None:
    """Removes the handlers a library has given its own logger, so that its lines come once and in our format."""
    logger = logging.getLogger(library)
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    logger.propagate = True


def extra_fields(record: logging.LogRecord) -> dict[str, object]:
    """The fields that came with the record by `extra=`, in the order they were given."""
    return {name: value for name, value in vars(record).items() if name not in _OWN_FIELDS}


class _Formatter(logging.Formatter):
    """What both formats share: the time, the traceback, and that secrets are taken out."""

    def __init__(self, secrets: tuple[str, ...] = (), pattern: str | None = None) -> None:
        super().__init__(pattern, style="%" if pattern is None or "%(" in pattern else "{")
        # The longest first: a secret that is the start of another one must not leave the rest behind.
        self._secrets = sorted(secrets, key=len, reverse=True)

    def hide(self, line: str) -> str:
        for secret in self._secrets:
            line = line.replace(secret, _HIDDEN)
        return _TOKEN.sub(_HIDDEN, line)

    def trace(self, record: logging.LogRecord) -> str:
        parts = []
        if record.exc_info:
            parts.append(self.formatException(record.exc_info))
        if record.stack_info:
            parts.append(self.formatStack(record.stack_info))
        return "\n".join(parts)


class TextFormatter(_Formatter):
    """`2026-01-31 08:15:30.123 INFO synthesizer: spoken voice=alba ttfa_ms=43.1`."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.datetime.fromtimestamp(record.created).isoformat(" ", "milliseconds")
        name = record.name.removeprefix("wyoming_pocket_tts.")
        line = f"{time} {record.levelname} {name}: {_printable(record.getMessage())}"
        fields = " ".join(f"{key}={_value(item)}" for key, item in extra_fields(record).items())
        trace = self.trace(record)
        line = f"{line} {fields}" if fields else line
        return self.hide(f"{line}\n{trace}" if trace else line)


class PatternFormatter(_Formatter):
    """Lines of the owner's own pattern; the message is followed by the extra fields, as in the text format."""

    def __init__(self, pattern: str, secrets: tuple[str, ...] = ()) -> None:
        super().__init__(secrets, pattern)

    def format(self, record: logging.LogRecord) -> str:
        trace = self.trace(record)
        words = [_printable(record.getMessage())]
        words += [f"{key}={_value(item)}" for key, item in extra_fields(record).items()]
        # A copy, since other handlers get the record too.
        shown = logging.makeLogRecord(
            {**vars(record), "msg": " ".join(words), "args": (), "exc_info": None, "exc_text": None}
        )
        shown.stack_info = None
        line = super().format(shown)
        return self.hide(f"{line}\n{trace}" if trace else line)


class JsonFormatter(_Formatter):
    """One object a line: time (UTC), level, logger, message, the extra fields, and trace where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.datetime.fromtimestamp(record.created, datetime.timezone.utc)
        line: dict[str, object] = {
            "time": time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self.hide(record.getMessage()),
        }
        for key, item in extra_fields(record).items():
            line[key if key not in line else f"{key}_"] = self._jsonable(item)
        trace = self.trace(record)
        if trace:
            line["trace"] = self.hide(trace)
        return json.dumps(line, ensure_ascii=False)

    def _jsonable(self, item: object) -> object:
        """`item` in JSON's types: programs that read the log must never meet a line they cannot parse."""
        if item is None or isinstance(item, (bool, int)):
            return item
        if isinstance(item, float):
            # NaN and infinity are not JSON.
            return round(item, 6) if abs(item) < float("inf") else None
        if isinstance(item, Mapping):
            return {str(key): self._jsonable(value) for key, value in item.items()}
        if isinstance(item, (list, tuple, set, frozenset)):
            return [self._jsonable(value) for value in item]
        return self.hide(str(item))


def _value(item: object) -> str:
    if isinstance(item, float):
        return f"{item:.4g}" if abs(item) < 10_000 else f"{item:.0f}"
    if isinstance(item, (list, tuple)):
        return ",".join(_value(part) for part in item)
    text = str(item)
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _printable(message: str) -> str:
    """A record is a line: what a client sent must not be able to write one of its own."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in message
    )
