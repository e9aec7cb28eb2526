"""What the commands for models and voices share: their flags, how they fetch, how they say what they do."""

from __future__ import annotations

import argparse
import functools
import io
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wyoming_pocket_tts.assembly import Assembly
    from wyoming_pocket_tts.models.download import Fetcher
    from wyoming_pocket_tts.models.progress import ProgressCallback
    from wyoming_pocket_tts.settings import Settings


class ShortHelp(argparse.RawDescriptionHelpFormatter):
    """Help that fits a screen: one group's flags stand side by side, and its title says where they are explained."""

    def __init__(self, prog: str, in_rows: str) -> None:
        """
        Args:
            prog: the command.
            in_rows: title of that group; "": there is none.
        """
        super().__init__(prog, max_help_position=34)
        self._in_rows = in_rows

    def add_arguments(self, actions: Iterable[argparse.Action]) -> None:
        """Those of one group; argparse calls it."""
        if self._in_rows and self._current_section.heading == self._in_rows:
            self._add_item(self._rows, [list(actions)])
        else:
            super().add_arguments(actions)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """ "--cache-dir, --data-dir DIR": the value once, as Python 3.13 has it."""
        *others, last = action.option_strings or [""]
        if not others or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(others)}, {last} {value}"

    def _rows(self, actions: list[argparse.Action]) -> str:
        shown = [one for one in actions if one.help != argparse.SUPPRESS]
        # Spaces at which no line is broken keep a flag and its value together.
        flags = [self._format_action_invocation(one).replace(" ", "\u00a0") for one in shown]
        rows = textwrap.wrap(
            ", ".join(flags),
            self._width,
            initial_indent="  ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        return "\n".join(rows).replace("\u00a0", " ") + "\n"


def help_formatter(in_rows: str = "") -> functools.partial[ShortHelp]:
    """What argparse makes a command's help with; `in_rows` as for `ShortHelp`."""
    return functools.partial(ShortHelp, in_rows=in_rows)


def make_parser(
    subparsers: argparse._SubParsersAction[Any],
    name: str,
    summary: str,
    epilog: str,
    usage: str,
    in_rows: str = "",
) -> argparse.ArgumentParser:
    """The parser of one command; `in_rows` as for `ShortHelp`."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=epilog,
        formatter_class=help_formatter(in_rows),
        usage=f"%(prog)s {usage}",
        allow_abbrev=False,
        # A flag that was not given leaves no value, so that it replaces nothing in a settings file.
        argument_default=argparse.SUPPRESS,
    )
    return parser


def add_server_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of `serve` that say which models and voices there are."""
    add = parser.add_argument
    add("--settings", metavar="FILE", type=Path, help="the server's settings in YAML")
    add("--language", metavar="NAME", action="append", help="model, e.g. french; repeatable")
    add(
        "--config",
        metavar="FILE",
        action="append",
        help="a community model's YAML: path or address",
    )
    add("--voices-dir", metavar="DIR", help="a folder of recordings, each a voice")
    add_cache_flag(parser)


def add_cache_flag(parser: argparse.ArgumentParser) -> None:
    """Where downloads are kept."""
    parser.add_argument("--cache-dir", "--data-dir", metavar="DIR", help="where downloads are kept")


def server_settings(arguments: argparse.Namespace) -> Settings:
    """The settings that `serve` would have with the same flags."""
    from wyoming_pocket_tts import settings_file
    from wyoming_pocket_tts.commands.serve import flag_values

    return settings_file.load_settings(getattr(arguments, "settings", None), flag_values(arguments))


def read_standard_input() -> str:
    """All of it, as UTF-8 whatever the locale says."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    return sys.stdin.read()


def set_up_log(*, quiet: bool = False) -> ProgressCallback | None:
    """Sets up the log; gives what shows downloads: a bar on a terminal, lines in the log elsewhere, nothing where quiet is wanted."""
    # The hub's library gives its logger a handler when it is imported, which would show every line twice.
    import huggingface_hub.utils.logging  # noqa: F401

    from wyoming_pocket_tts import cli, logs
    from wyoming_pocket_tts.models.progress import LoggedProgress, TerminalProgress

    terminal = sys.stderr.isatty()
    level = "error" if quiet else "warning" if terminal else "info"
    logs.configure(level, "text", secrets=cli.secrets())
    logs.take_over("huggingface_hub")
    if quiet:
        return None
    return TerminalProgress(sys.stderr) if terminal else LoggedProgress()


def make_fetcher(settings: Settings, *, quiet: bool = False) -> Fetcher:
    """Fetches, and shows it as `set_up_log` does."""
    from wyoming_pocket_tts.models.download import Fetcher

    progress = set_up_log(quiet=quiet)
    return Fetcher(settings.cache_dir, offline=settings.offline, progress=progress)


def assemble(settings: Settings, fetcher: Fetcher) -> Assembly:
    """Which models and voices the server would have; those of the voices directory too."""
    from wyoming_pocket_tts.assembly import Assembly
    from wyoming_pocket_tts.models.availability import Availability
    from wyoming_pocket_tts.models.catalogue import Catalogue
    from wyoming_pocket_tts.models.cloning import VOICES_FOLDER, VoiceCloner
    from wyoming_pocket_tts.voices_folder import VoicesFolder

    cloner = VoiceCloner(fetcher.fetch, fetcher.own_folder / VOICES_FOLDER)
    available = Availability(fetcher.cached, cloner, offline=fetcher.offline)
    made = Assembly(
        settings,
        Catalogue.load(),
        fetcher.fetch,
        speakable=available.voice,
        identities=available.identities,
        voiceless=True,
    )
    if settings.voices_dir is not None:
        found = VoicesFolder(settings.voices_dir, made, settled_s=0).scan()
        made.book = made.make_book(found)
    return made
