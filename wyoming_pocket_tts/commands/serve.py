"""`wyoming-pocket-tts serve`: settings from a file and flags, the log, and the server."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wyoming_pocket_tts.commands import common
from wyoming_pocket_tts.errors import ConfigError, PocketTTSError, SetupError, VoiceNotFound
from wyoming_pocket_tts.http_settings import DEFAULT_PORT
from wyoming_pocket_tts.settings import DEFAULT_URI

if TYPE_CHECKING:
    from wyoming_pocket_tts.addon_options import Reading
    from wyoming_pocket_tts.settings_file import FlagValue

_LOGGER = logging.getLogger(__name__)

_EPILOG = """\
examples:
  wyoming-pocket-tts serve --language english --language french
  wyoming-pocket-tts serve --config dutch.yaml --voice anna.wav
"""

_MORE = "more (config/server.example.yaml tells what they do)"

# Flags that replace one setting, by their name in the parsed arguments.
_PLAIN_FLAGS: dict[str, tuple[str, ...]] = {
    "uri": ("uri",),
    "host": ("http", "host"),
    "port": ("http", "port"),
    "http": ("http", "enabled"),
    "wyoming": ("wyoming",),
    "cache_dir": ("cache_dir",),
    "voices_dir": ("voices_dir",),
    "load": ("load",),
    "offline": ("offline",),
    "slots": ("engine", "slots"),
    "threads": ("engine", "threads"),
    "quantize": ("engine", "quantize"),
    "seed": ("engine", "seed"),
    "temperature": ("engine", "temperature"),
    "decode_steps": ("engine", "decode_steps"),
    "eos_threshold": ("engine", "eos_threshold"),
    "frames_after_eos": ("engine", "frames_after_eos"),
    "speed": ("sound", "speed"),
    "raw_text": ("text", "raw"),
    "log_level": ("logging", "level"),
    "log_format": ("logging", "format"),
}


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds `serve` to the command line."""
    parser = subparsers.add_parser(
        "serve",
        help="run the server",
        epilog=_EPILOG,
        formatter_class=common.help_formatter(_MORE),
        usage="%(prog)s [flags]",
        allow_abbrev=False,
        # A flag that was not given leaves no value, so that it replaces nothing in the file.
        argument_default=argparse.SUPPRESS,
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("--settings", metavar="FILE", type=Path, help="settings in YAML; a flag wins over them")
    # For Home Assistant's Supervisor and those who try what it does: found out without it, see `cli.addon_options_file`.
    add("--addon", metavar="FILE", type=Path, nargs="?", const=True, help=argparse.SUPPRESS)
    add("--uri", help=f"Wyoming (default {DEFAULT_URI})")
    add("--host", help="HTTP: address (default localhost)")
    add("--port", metavar="N", type=int, help=f"HTTP: port (default {DEFAULT_PORT}, if free)")
    add("--no-http", dest="http", action="store_false", help="no HTTP: Wyoming alone")
    add("--no-wyoming", dest="wyoming", action="store_false", help="no Wyoming: HTTP alone")
    add("--language", metavar="NAME", action="append", help="model, e.g. french; repeatable")
    add("--config", metavar="FILE", action="append", help="a community model's YAML; repeatable")
    # Here and below, the second name is the one that users of wyoming-piper know.
    add("--default-voice", "--voice", metavar="VOICE", help="for who names none: name, file, URL")
    add("--voices-dir", metavar="DIR", help="a folder of recordings, each a voice")
    add(
        "--load",
        metavar="WHEN",
        choices=("start", "background", "first-use"),
        help="start (default), background or first-use",
    )
    add("--cache-dir", "--data-dir", metavar="DIR", help="where downloads are kept")
    add("--offline", action="store_true", help="no network for models and voices")
    add(
        "--zeroconf",
        metavar="NAME",
        nargs="?",
        const=True,
        help="announce on the network (default)",
    )
    add("--no-zeroconf", dest="zeroconf", action="store_false", help="do not announce")
    add("--reload", action="store_true", help="start anew when code or settings change")
    # Off is the default; users of the `pocket-tts` package may say so.
    add("--no-reload", dest="reload", action="store_const", help=argparse.SUPPRESS)
    add(
        "--debug",
        dest="log_level",
        action="store_const",
        const="debug",
        help="log level debug; shows spoken text",
    )
    more = parser.add_argument_group(_MORE).add_argument
    more("--slots", metavar="N", type=int, help="segments at the same time (default 8)")
    more(
        "--quantize",
        action=argparse.BooleanOptionalAction,
        help="8-bit weights where faster (default)",
    )
    more("--threads", metavar="N", type=_threads, help="CPU threads, or auto (default)")
    more("--seed", metavar="N", type=int, help="same text, same samples")
    more("--temperature", metavar="X", type=float, help="variance of the noise")
    more("--decode-steps", metavar="N", type=int, help="steps of the flow head per frame")
    more("--sampler-decode-steps", dest="decode_steps", type=int, help=argparse.SUPPRESS)
    more("--eos-threshold", metavar="X", type=float, help="logit over which speech has ended")
    more("--frames-after-eos", metavar="N", type=int, help="frames kept after that")
    more("--speed", metavar="X", type=float, help="0.5 to 2 times the model's speed")
    more("--raw-text", action="store_true", help="text as the pocket-tts package does it")
    levels = ("debug", "info", "warning", "error")
    more("--log-level", metavar="LEVEL", choices=levels, help=", ".join(levels))
    more("--log-format", metavar="FORMAT", help="text (default), json, a pattern")


def run(arguments: argparse.Namespace) -> int:
    """Serves until a signal ends it."""
    from wyoming_pocket_tts import cli, logs, settings_file

    if getattr(arguments, "reload", False):
        return _reload(arguments)
    # Before the server takes over the signals nothing is worth an orderly end. An exception would not do: some of what
    # is being imported catches all of them.
    _leave_on_signals(cli.EXIT_OK)
    options = cli.addon_options_file(getattr(arguments, "addon", None))
    addon = _as_addon(options, arguments) if options is not None else None
    settings = (
        addon.settings
        if addon is not None
        else settings_file.load_settings(
            getattr(arguments, "settings", None), flag_values(arguments)
        )
    )
    logs.configure(settings.logging.level, settings.logging.format, secrets=cli.secrets())
    # Only now: this brings in torch, which takes a second.
    from wyoming_pocket_tts import app

    try:
        code = _serve_addon(addon, options.parent) if addon and options else app.serve(settings)
    except PocketTTSError as error:
        # In the log's own format: whoever reads it as JSON must be able to read the reason for the end too.
        _LOGGER.error("%s", error, extra={"code": error.code})
        code = cli.exit_code(error)
    _leave_on_signals(code)
    app.leave_soon(code)
    return code


def _reload(arguments: argparse.Namespace) -> int:
    """Has the server run in a process of its own, and anew after each change of the code or the settings file."""
    from wyoming_pocket_tts import reloading

    flags = [word for word in arguments.words if word != "--reload"]
    files = [arguments.settings] if "settings" in arguments else []
    watch = reloading.Watch(Path(__file__).parents[1], files)
    return reloading.Reloader([sys.executable, "-m", "wyoming_pocket_tts", *flags], watch).run()


def _as_addon(options: Path, arguments: argparse.Namespace) -> Reading:
    """The add-on's options; the hub's token among them goes where the hub's library looks for it."""
    from wyoming_pocket_tts import addon_options, cli, run_mark

    if "settings" in arguments:
        raise ConfigError("--settings and --addon: the options name a settings file themselves")
    ended_badly = run_mark.ended_badly(options.parent)
    reading = addon_options.read(options, flag_values(arguments), ended_badly=ended_badly)
    if reading.token:
        cli.use_hub_token(reading.token)
    return reading


def _serve_addon(addon: Reading, folder: Path) -> int:
    """Serves as an add-on does; without the settings file where only the file keeps it from starting."""
    from wyoming_pocket_tts import addon_run, cli, run_mark
    from wyoming_pocket_tts.addon_options import wrong

    run = addon_run.AddonRun()
    for problem in addon.problems:
        run.tell(problem)
    with run_mark.marked(folder):
        try:
            return run.serve(addon.settings)
        except SetupError as error:
            if addon.without_file is None:
                raise
            run.tell(wrong(f"settings_file: {error}"))
        _leave_on_signals(cli.EXIT_OK)
        return run.serve(addon.without_file)


def _leave_on_signals(code: int) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os._exit(code))


def flag_values(arguments: argparse.Namespace) -> Iterator[FlagValue]:
    """The flags that were given, as settings."""
    from wyoming_pocket_tts.settings_file import FlagValue

    given = vars(arguments)
    for name, key in _PLAIN_FLAGS.items():
        if name in given:
            value = given[name]
            flag = f"--no-{name}" if name in ("http", "wyoming") else f"--{name.replace('_', '-')}"
            yield FlagValue(flag, key, str(value) if isinstance(value, Path) else value)
    if "default_voice" in given:
        yield from _default_voice(given["default_voice"])
    if "language" in given:
        yield FlagValue("--language", ("languages",), list(dict.fromkeys(given["language"])))
    if not given.get("http", True) and not given.get("wyoming", True):
        raise ConfigError("--no-http and --no-wyoming leave nothing to serve")
    configs: dict[str, str] = {}
    for config in given.get("config", ()):
        name = model_name(config)
        if configs.setdefault(name, config) != config:
            raise ConfigError(
                f"--config: {config} and {configs[name]} would both be model {name!r}; name them in a settings file"
            )
        yield FlagValue("--config", ("models", name, "config"), config)
    if "zeroconf" in given:
        announce = given["zeroconf"]
        yield FlagValue(
            "--zeroconf" if announce else "--no-zeroconf",
            ("zeroconf", "enabled"),
            announce is not False,
        )
        if isinstance(announce, str):
            yield FlagValue("--zeroconf", ("zeroconf", "name"), announce)


def _default_voice(voice: str) -> Iterator[FlagValue]:
    """A name, or a file or address, which becomes a voice under the file's name."""
    from wyoming_pocket_tts.models.sources import LocalSource, parse_source
    from wyoming_pocket_tts.settings import is_file_source
    from wyoming_pocket_tts.settings_file import FlagValue

    flag = "--default-voice"
    if is_file_source(voice):
        source = parse_source(voice)
        if isinstance(source, LocalSource):
            if not source.path.is_file():
                raise VoiceNotFound(f"{flag}: {voice}: there is no such file.")
            voice = str(source.path)
        name = Path(source.file_name).stem.strip()
        yield FlagValue(flag, ("voices", name, "source"), voice)
        voice = name
    yield FlagValue(flag, ("default_voice",), voice)


def _threads(text: str) -> int | str:
    if text == "auto":
        return text
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor 'auto'") from None


def model_name(config: str) -> str:
    """A model's name from where its YAML lies: the file's stem, without folders, revision and query."""
    path = config.partition("?")[0].rstrip("/")
    last = path.rpartition("/")[2]
    if path.startswith("hf://"):
        last = last.partition("@")[0]
    stem = last.removesuffix(".yaml").removesuffix(".yml")
    return "".join(
        char if char.isascii() and (char.isalnum() or char in "_.-") else "-" for char in stem
    ).lstrip("_.-")
