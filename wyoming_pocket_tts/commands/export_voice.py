"""`wyoming-pocket-tts export-voice`: recordings to finished voices, which speak without the full weights."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wyoming_pocket_tts.commands import common
from wyoming_pocket_tts.errors import ConfigError, PocketTTSError

if TYPE_CHECKING:
    from wyoming_pocket_tts.models.loading import ModelEntry
    from wyoming_pocket_tts.prompts import Recording
    from wyoming_pocket_tts.settings import Settings

_EPILOG = """\
examples:
  wyoming-pocket-tts export-voice anna.wav anna.safetensors
  wyoming-pocket-tts export-voice recordings/ voices/ --language german
  wyoming-pocket-tts export-voice hf://someone/voices/anna.flac voices/
  wyoming-pocket-tts export-voice anna.wav voices/ --config hf://who/m/nl.yaml

AUDIO is a file, a folder of files, https:// or hf://; OUT a .safetensors file
or a folder. Of each recording the first 30 s are used at most. A finished voice
belongs to the model it was made with. The full weights are needed, which are
gated: accept the licence on the model's page, then set HF_TOKEN.

Clone a voice only with its owner's consent. docs/voices.md says what else the
model's licence prohibits.
"""

_SUFFIX = ".safetensors"


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds `export-voice` to the command line."""
    parser = common.make_parser(
        subparsers, "export-voice", "make voices from recordings", _EPILOG, "AUDIO OUT [flags]"
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("audio", metavar="AUDIO", help="recording: wav, flac, mp3 or ogg")
    add("out", metavar="OUT", help="the voice's file, or a folder for it")
    which = parser.add_mutually_exclusive_group().add_argument
    which("--model", metavar="NAME", help="model that will speak it (default english)")
    which("--language", metavar="NAME", help="the same by language, e.g. german or de")
    which("--config", metavar="FILE", help="a community model's YAML: path or address")
    add("--keep-loudness", action="store_true", help="do not even the loudness out")
    add("-q", "--quiet", action="store_true", help="say nothing but errors")
    add("--offline", action="store_true", help="never use the network")
    common.add_cache_flag(parser)


def run(arguments: argparse.Namespace) -> int:
    """Makes the voices; a recording that is refused keeps no other one."""
    from wyoming_pocket_tts import cli
    from wyoming_pocket_tts.models.cloning import VoiceMaker
    from wyoming_pocket_tts.models.voices import write_voice_state
    from wyoming_pocket_tts.prompt_sound import LOUDNESS

    settings, entry_of = _settings(arguments)
    quiet = getattr(arguments, "quiet", False)
    fetcher = common.make_fetcher(settings, quiet=quiet)
    jobs = _jobs(arguments.audio, Path(arguments.out).expanduser())
    failure: PocketTTSError | None = None
    recordings: list[tuple[str, Path, Recording]] = []
    # All are read before the weights are fetched: a wrong recording is known at once.
    for source, out in jobs:
        try:
            recordings.append((source, out, _read(fetcher.fetch(source), source)))
        except PocketTTSError as error:
            failure = failure or error
            cli.fail(error)
    if recordings:
        entry = entry_of(fetcher.fetch)
        loudness = None if getattr(arguments, "keep_loudness", False) else LOUDNESS
        maker = VoiceMaker(entry.name, entry.config, fetcher.fetch, loudness)
        for source, out, recording in recordings:
            state = maker.make(recording)
            write_voice_state(out, state, identity=maker.identity, model_name=entry.name)
            if not quiet:
                print(f"{out}: {recording.seconds:.1f} s of {source}, for model {entry.name}")
    return cli.EXIT_OK if failure is None else cli.exit_code(failure)


def _settings(arguments: argparse.Namespace) -> tuple[Settings, Any]:
    """Settings for fetching, and a function from `fetch` to the model."""
    from wyoming_pocket_tts.settings import DEFAULT_LANGUAGE_MODEL, Settings

    cache_dir = getattr(arguments, "cache_dir", None)
    settings = Settings(
        cache_dir=Path(cache_dir).expanduser() if cache_dir else None,
        offline=getattr(arguments, "offline", False),
    )
    config = getattr(arguments, "config", None)
    if config is not None:
        return settings, lambda fetch: _community(config, fetch)
    name = getattr(arguments, "model", getattr(arguments, "language", DEFAULT_LANGUAGE_MODEL))
    return settings, lambda fetch: _released(name)


def _community(config: str, fetch: Any) -> ModelEntry:
    from wyoming_pocket_tts.commands.serve import model_name
    from wyoming_pocket_tts.models.config_file import load_model_config
    from wyoming_pocket_tts.models.loading import ModelEntry

    return ModelEntry(model_name(config), load_model_config(fetch(config)))


def _released(name: str) -> ModelEntry:
    from wyoming_pocket_tts.assembly import released_model
    from wyoming_pocket_tts.models.catalogue import Catalogue
    from wyoming_pocket_tts.models.loading import ModelEntry

    model = released_model(Catalogue.load(), name)
    return ModelEntry(model.name, model.config, model.language_code)


def _jobs(audio: str, out: Path) -> list[tuple[str, Path]]:
    """Source and target of each voice.

    Raises:
        ConfigError: the two do not go together.
    """
    from wyoming_pocket_tts.models.sources import LocalSource, parse_source
    from wyoming_pocket_tts.voices_folder import RECORDING_SUFFIXES

    source = parse_source(audio)
    if isinstance(source, LocalSource) and source.path.is_dir():
        if out.suffix == _SUFFIX or out.is_file():
            raise ConfigError(f"OUT: {out} must be a folder, as AUDIO is one.")
        files = sorted(
            path for path in source.path.iterdir() if path.suffix.lower() in RECORDING_SUFFIXES
        )
        if not files:
            raise ConfigError(f"AUDIO: {audio} holds no recordings (wav, flac, mp3, ogg).")
        jobs = [(str(path), out / f"{path.stem}{_SUFFIX}") for path in files]
        twice = {target for _, target in jobs if [t for _, t in jobs].count(target) > 1}
        if twice:
            raise ConfigError(f"AUDIO: two recordings would both become {min(twice).name}.")
        return jobs
    if out.suffix == _SUFFIX and not out.is_dir():
        return [(audio, out)]
    if out.suffix and not out.is_dir():
        # Most likely the two were swapped, and a recording would be lost.
        raise ConfigError(f"OUT: {out} must end in {_SUFFIX} or be a folder.")
    return [(audio, out / f"{Path(source.file_name).stem}{_SUFFIX}")]


def _read(path: Path, source: str) -> Recording:
    from wyoming_pocket_tts.prompts import read_prompt

    return read_prompt(path, called=source)
