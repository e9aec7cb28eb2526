"""The command line: the only reader of arguments and environment (but for the native kernels' switch), and the only one that turns errors into exit codes.

What each command does stands in `commands/`. Errors of ours become one line on standard error; a traceback means a fault in this program.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, Protocol

from wyoming_pocket_tts import __version__
from wyoming_pocket_tts.errors import (
    CallerError,
    ConfigError,
    DownloadError,
    ModelFileError,
    ModelUnavailable,
    PocketTTSError,
    SetupError,
    VoiceNotFound,
    VoiceStateError,
    nearest,
)

PROGRAM = "wyoming-pocket-tts"

EXIT_OK = 0
EXIT_FAULT = 1
EXIT_USAGE = 2
EXIT_UNAVAILABLE = 3
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143

# What is not there, or does not fit; every other `SetupError` is a choice of the owner's to change.
_UNAVAILABLE = (DownloadError, ModelFileError, ModelUnavailable, VoiceNotFound, VoiceStateError)

# A disk that is full is the owner's to change as well.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

COMMANDS = (
    "serve",
    "generate",
    "export_voice",
    "voices",
    "download",
    "text",
    "bench",
    "completion",
)

# Read here for one purpose: to keep their values out of the log. The hub's own library reads them for use.
_SECRET_VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "SUPERVISOR_TOKEN")

_EPILOG = """\
examples:
  wyoming-pocket-tts serve                      English, on port 10200
  wyoming-pocket-tts serve --language starter   no download, a small voice
  wyoming-pocket-tts generate --text Hello      to tts_output.wav
  wyoming-pocket-tts COMMAND --help             what a command takes

exit codes:
  0  done; serve: stopped by a signal         1  a fault in this program
  2  wrong flags, settings or model YAML      3  model or voice missing or unfit
  130, 143  interrupted, terminated (commands other than serve)
"""


class Command(Protocol):
    """What a module in `commands/` offers."""

    def add_parser(self, subparsers: argparse._SubParsersAction[_Parser]) -> None:
        """Adds the command to the command line."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Does its work; gives the exit code."""


class _Parser(argparse.ArgumentParser):
    """argparse with one line about what was wrong, not the whole usage."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """What a command does not know is told by the command, with the flag that may have been meant."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            flags = [
                flag
                for action in self._actions
                if action.help != argparse.SUPPRESS
                for flag in action.option_strings
            ]
            self.error(
                f"unknown: {' '.join(unknown)}.{nearest(unknown[0].partition('=')[0], flags)}"
            )
        return parsed, unknown

    def error(self, message: str) -> NoReturn:
        self.exit(EXIT_USAGE, f"{self.prog}: {message} (see {self.prog} --help)\n")


def build_parser() -> argparse.ArgumentParser:
    """The parser with all commands; each leaves its module's `run` in `arguments.run`."""
    parser = _Parser(
        prog=PROGRAM,
        description="Text-to-speech for Home Assistant and other Wyoming clients.",
        epilog=_EPILOG,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(
            prog, max_help_position=30
        ),
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    subparsers = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=_Parser
    )
    for name in COMMANDS:
        command: Command = importlib.import_module(f"wyoming_pocket_tts.commands.{name}")
        command.add_parser(subparsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command.

    Args:
        arguments: without the program's name; the process's own when None.

    Returns:
        The exit code.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        parsed = build_parser().parse_args(words)
    except SystemExit as leaving:  # argparse leaves after --help, --version and wrong flags
        return leaving.code if isinstance(leaving.code, int) else EXIT_USAGE
    # For `serve --reload`, which has itself run once more.
    parsed.words = words
    try:
        with _ended_by_sigterm():
            code = int(parsed.run(parsed))
            # While a failure can still be told in a line: at Python's end it could not.
            sys.stdout.flush()
            return code
    except PocketTTSError as error:
        code = fail(error)
        _drop_output()
        return code
    except _Terminated:
        return EXIT_TERMINATED
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough (`... | head`).
        _drop_output()
        return EXIT_OK
    except OSError as error:
        if error.errno not in _NO_ROOM:
            logging.getLogger(__name__).exception("a fault in %s %s", PROGRAM, __version__)
            return EXIT_FAULT
        where = error.filename or "standard output"
        code = fail(ConfigError(f"{where} cannot be written: {error.strerror}."))
        _drop_output()
        return code
    except Exception:
        logging.getLogger(__name__).exception("a fault in %s %s", PROGRAM, __version__)
        return EXIT_FAULT


class _Terminated(KeyboardInterrupt):
    """SIGTERM: what is open is closed as after Ctrl-C."""


@contextlib.contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Within, SIGTERM ends a command in order; `serve` has its own way with it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> NoReturn:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is end:
            signal.signal(signal.SIGTERM, before)


def _drop_output() -> None:
    """What standard output did not take: Python would try it again at its end, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(error: PocketTTSError) -> int:
    """Says in one line what was wrong, and gives the exit code for it."""
    message = " ".join(str(error).split())
    print(f"{PROGRAM}: {message}", file=sys.stderr)
    return exit_code(error)


def exit_code(error: PocketTTSError) -> int:
    """Usage and settings are 2, what is not there (or does not fit) is 3, the rest is a fault of ours."""
    if isinstance(error, _UNAVAILABLE):
        return EXIT_UNAVAILABLE
    if isinstance(error, (SetupError, CallerError)):
        return EXIT_USAGE
    return EXIT_FAULT


def secrets() -> list[str]:
    """Values from the environment that must not appear in a log."""
    return [os.environ[name] for name in _SECRET_VARIABLES if os.environ.get(name)]


def addon_options_file(asked: Path | bool | None) -> Path | None:
    """The options file of the add-on that this process is; None where it is none.

    Args:
        asked: the flag's value: a file, True for the usual one, None: find out.
    """
    from wyoming_pocket_tts.addon_options import OPTIONS_FILE

    if isinstance(asked, Path):
        return asked
    is_addon = "SUPERVISOR_TOKEN" in os.environ and OPTIONS_FILE.is_file()
    return OPTIONS_FILE if asked or is_addon else None


def supervisor_token() -> str | None:
    """What the Supervisor gave this add-on, if there is one."""
    return os.environ.get("SUPERVISOR_TOKEN") or None


def use_hub_token(token: str) -> None:
    """Leaves a token where the hub's library looks for it, and `secrets` for what must not be logged."""
    os.environ["HF_TOKEN"] = token
