"""`wyoming-pocket-tts voices`: the voices that a server with the same flags offers, as a table or as JSON."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

from wyoming_pocket_tts.commands import common

if TYPE_CHECKING:
    from wyoming_pocket_tts.models.book import Voice

_EPILOG = """\
examples:
  wyoming-pocket-tts voices
  wyoming-pocket-tts voices --language english --language german
  wyoming-pocket-tts voices --settings home.yaml --json

HERE: whether a voice speaks without a download: "yes", "no", or "never" where
offline mode or a missing file stands in the way. The order is the server's:
one's own voices, then the catalogue's by their plain names, then those by the
other models (alba-de: alba speaks German).
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds `voices` to the command line."""
    parser = common.make_parser(subparsers, "voices", "list the voices", _EPILOG, "[flags]")
    parser.set_defaults(run=run)
    common.add_server_flags(parser)
    parser.add_argument("--offline", action="store_true", help="as a server that is offline")
    parser.add_argument("--json", action="store_true", help="for programs: a list of objects")


def run(arguments: argparse.Namespace) -> int:
    """Prints the list."""
    from wyoming_pocket_tts import cli
    from wyoming_pocket_tts.models.availability import Availability
    from wyoming_pocket_tts.models.cloning import VOICES_FOLDER, VoiceCloner

    settings = common.server_settings(arguments)
    fetcher = common.make_fetcher(settings)
    made = common.assemble(settings, fetcher)
    entries = {entry.name: entry for entry in made.entries}
    cloner = VoiceCloner(fetcher.fetch, fetcher.own_folder / VOICES_FOLDER)
    available = Availability(fetcher.cached, cloner, offline=True)
    rows = [
        _row(voice, here=available.voice(voice, entries[voice.model])) for voice in made.book.voices
    ]
    if getattr(arguments, "json", False):
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        default = made.book.voices and made.book.default.name
        _print_table(rows, default or "")
    if not rows:
        models = ", ".join(entries)
        print(
            f"There is no voice for {models} yet: make one from a recording (export-voice), "
            "or name a folder of recordings (--voices-dir).",
            file=sys.stderr,
        )
    return cli.EXIT_OK


def _row(voice: Voice, *, here: bool) -> dict[str, object]:
    return {
        "name": voice.name,
        "languages": list(voice.languages),
        "description": voice.description,
        "model": voice.model,
        "native": voice.native,
        "aliases": list(voice.aliases),
        "speakers": dict(voice.speakers),
        "installed": voice.installed,
        "here": here,
        "source": voice.source,
        "attribution": {"name": voice.attribution_name, "url": voice.attribution_url},
    }


def _print_table(rows: list[dict[str, Any]], default: str) -> None:
    lines = [("NAME", "LANGUAGE", "MODEL", "HERE", "DESCRIPTION")]
    for row in rows:
        here = "yes" if row["here"] else ("no" if row["installed"] else "never")
        mark = " (default)" if row["name"] == default else ""
        lines.append(
            (
                row["name"] + mark,
                ",".join(row["languages"]),
                row["model"],
                here,
                row["description"],
            )
        )
    widths = [max(len(line[column]) for line in lines) for column in range(4)]
    width = shutil.get_terminal_size((200, 24)).columns
    for *cells, last in lines:
        text = "  ".join(cell.ljust(size) for cell, size in zip(cells, widths, strict=True))
        print(f"{text}  {last}"[: max(width, 60)].rstrip())
