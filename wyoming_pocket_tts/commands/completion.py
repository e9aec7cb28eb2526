"""`wyoming-pocket-tts completion`: the script with which a shell completes commands, flags, models and voices."""

from __future__ import annotations

import argparse
from typing import Any

from wyoming_pocket_tts.commands import common
from wyoming_pocket_tts.completion import SHELLS, script

_EPILOG = """\
examples:
  source <(wyoming-pocket-tts completion bash)      in ~/.bashrc
  source <(wyoming-pocket-tts completion zsh)       in ~/.zshrc, after compinit
  wyoming-pocket-tts completion fish | source       in config.fish
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds `completion` to the command line."""
    parser = common.make_parser(
        subparsers, "completion", "print a completion script for a shell", _EPILOG, "SHELL"
    )
    parser.set_defaults(run=run)
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    """Prints the script."""
    from wyoming_pocket_tts import cli
    from wyoming_pocket_tts.models.catalogue import Catalogue

    catalogue = Catalogue.load()
    models = (*catalogue.model_names, *catalogue.languages)
    voices = [voice.name for voice in (*catalogue.voices, *catalogue.packaged_voices)]
    names = {
        "--language": list(dict.fromkeys(models)),
        "--model": catalogue.model_names,
        "--voice": voices,
        "--default-voice": voices,
    }
    print(script(arguments.shell, cli.build_parser(), names), end="")
    return cli.EXIT_OK
