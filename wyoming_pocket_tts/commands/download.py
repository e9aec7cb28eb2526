"""`wyoming-pocket-tts download`: everything a server needs, ahead of time, so that it starts at once or offline."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wyoming_pocket_tts.commands import common
from wyoming_pocket_tts.errors import DownloadError, PocketTTSError, VoiceNotFound

if TYPE_CHECKING:
    from wyoming_pocket_tts.assembly import Assembly
    from wyoming_pocket_tts.engine.config import ModelConfig
    from wyoming_pocket_tts.models.book import Voice

_EPILOG = """\
examples:
  wyoming-pocket-tts download                   English and its default voice
  wyoming-pocket-tts download --language german --language french
  wyoming-pocket-tts download --language german --voice juergen --voice alba-de
  wyoming-pocket-tts download --all-voices --cache-dir /data
  HF_TOKEN=... wyoming-pocket-tts download --voice-cloning

What is there already is not fetched again; what broke off is continued.
--voice-cloning fetches the full weights, which are gated: accept the licence on
the model's page, then set HF_TOKEN to a token of that account.
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds `download` to the command line."""
    parser = common.make_parser(
        subparsers, "download", "fetch models and voices ahead of time", _EPILOG, "[flags]"
    )
    parser.set_defaults(run=run)
    common.add_server_flags(parser)
    add = parser.add_argument
    # Not `voice`: that is how `serve` calls its default voice.
    add(
        "--voice",
        dest="wanted_voices",
        metavar="NAME",
        action="append",
        help="this voice, not the default ones; repeatable",
    )
    add("--all-voices", action="store_true", help="every voice of these models")
    add("--voice-cloning", action="store_true", help="the full weights too (gated)")


def run(arguments: argparse.Namespace) -> int:
    """Fetches; goes on after a failure, so that one file that cannot be had keeps no other."""
    from wyoming_pocket_tts import cli
    from wyoming_pocket_tts.models.parts import fetch_part

    settings = common.server_settings(arguments)
    fetcher = common.make_fetcher(settings)
    made = common.assemble(settings, fetcher)
    voices = _voices(made, arguments)
    cloning = getattr(arguments, "voice_cloning", False)
    failure: PocketTTSError | None = None
    here: dict[Path, int] = {}
    unreachable = False
    for source, config in _sources(made, voices, cloning=cloning).items():
        if unreachable and source.startswith("hf://") and fetcher.cached(source) is None:
            continue  # told once, for all that would come from there
        try:
            path = fetch_part(config, source, fetcher.fetch) if config else fetcher.fetch(source)
            here[path] = path.stat().st_size
            print(f"{source}\n  {path}")
        except PocketTTSError as error:
            failure = failure or error
            cli.fail(error)
            if isinstance(error, DownloadError) and error.kind == "network":
                unreachable = unreachable or source.startswith("hf://")
    size_mb = sum(here.values()) / 1e6
    names = ", ".join(voice.name for voice in voices) or "none"
    print(f"{len(here)} files, {size_mb:.1f} MB; voices: {names}")
    if failure is not None:
        print("Not everything could be fetched; see above.", file=sys.stderr)
        return cli.exit_code(failure)
    return cli.EXIT_OK


def _voices(made: Assembly, arguments: argparse.Namespace) -> list[Voice]:
    """The voices that were asked for, or the default ones: the server's, and each language's."""
    wanted = getattr(arguments, "wanted_voices", None)
    if getattr(arguments, "all_voices", False):
        return list(made.book.voices)
    if wanted:
        return [_voice(made, name) for name in wanted]
    if not made.book.voices:
        return []
    voices = [made.book.default]
    voices += [made.book.choose(None, code, None) for code in made.book.languages]
    return list({voice.name: voice for voice in voices}.values())


def _voice(made: Assembly, name: str) -> Voice:
    """The voice of that name; where it is the catalogue's and no model of the catalogue is meant, the error says so."""
    from wyoming_pocket_tts.models.catalogue import Catalogue

    try:
        return made.book.find(name)
    except VoiceNotFound as error:
        catalogue = Catalogue.load()
        known = {voice.name for voice in catalogue.voices}
        if name.casefold() not in known or any(
            entry.name in catalogue.model_names for entry in made.entries
        ):
            raise
        models = ", ".join(entry.name for entry in made.entries)
        raise VoiceNotFound(
            f"The catalogue's voice {name!r} does not fit {models}: a voice state belongs to the weights "
            "it was made with. Add --language for it, or make a voice for this model from a recording (export-voice)."
        ) from error


def _sources(
    made: Assembly, voices: list[Voice], *, cloning: bool
) -> dict[str, ModelConfig | None]:
    """What to fetch, each once, in the order of its use, with the configuration that names it."""
    from wyoming_pocket_tts.models.availability import model_sources
    from wyoming_pocket_tts.models.checkpoint import weight_sources

    sources: dict[str, ModelConfig | None] = {}
    for entry in made.entries:
        sources.update(dict.fromkeys(model_sources(entry), entry.config))
    for voice in voices:
        sources.setdefault(voice.source, None)
    for entry in made.entries if cloning else ():
        for source in weight_sources(entry.config, voice_cloning=True):
            sources.setdefault(source, entry.config)
    return sources
