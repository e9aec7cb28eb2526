"""Home Assistant's options for the add-on (/data/options.json) as settings of the server.

    options.json -> AddonOptions, each option strictly -> settings: flags > what the add-on fixes > the extra YAML file > the options

A wrong option is an error that names it, and what to do; the server starts without it all the same, for a home that has gone silent is
worse than one that speaks with a default. What was wrong stands in the log, in `describe` and on the page.

Source: the developers' documentation of Home Assistant, "Apps, configuration". `addon/config.yaml` has the same options.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from wyoming_pocket_tts.errors import ConfigError
from wyoming_pocket_tts.machine import available_memory_mib, total_memory_mib
from wyoming_pocket_tts.settings import Settings
from wyoming_pocket_tts.settings_file import FlagValue, load_settings
from wyoming_pocket_tts.strict import load_dataclass

OPTIONS_FILE = Path("/data/options.json")
# What of the container outlives a restart, besides /data: what addon/config.yaml maps.
MAPPED_FOLDERS = (Path("/config"), Path("/share"))
# The only machine from which Home Assistant's frontend reaches the page.
INGRESS_PEER = "172.30.32.2"
INGRESS_PORT = 8099
WYOMING_PORT = 10200

_MIB = 1024 * 1024
_LEAST_BUDGET_MIB = 256
# Memory to load and to run with one model, by quality: see docs/performance.md.
_NEEDED_MIB = {"auto": 550, "small": 350, "full": 750}
# A language's downloads and what is made of them.
_NEEDED_DISK_MIB = 600
_SMALL_ENGLISH = "english_18m_2026-10"
_SMALL_SLOTS = 2

Language = Literal["english", "french", "german", "spanish", "italian", "portuguese", "dutch"]


@dataclass(frozen=True)
class AddonOptions:
    """The options, with the defaults of addon/config.yaml.

    Attributes:
        languages: to be spoken; the first one's voice is the default.
        voice: of requests that name none; empty: the first language's own.
        quality: "auto": 8-bit weights where they are faster; "small": a smaller model where there is one, less at a time;
            "full": full precision.
        voices_dir: recordings and finished voices.
        huggingface_token: for the full weights, which make voices of recordings.
        memory_mib: memory for models; 0: half of what there is.
        speech_rate: 0.5 to 2.
        volume_db: decibels louder or quieter.
        cache_dir: where downloads are kept.
        log_level: as in the settings.
        settings_file: a YAML file with more settings, which win over these.
    """

    languages: tuple[Language, ...] = ("english",)
    voice: str = ""
    quality: Literal["auto", "small", "full"] = "auto"
    voices_dir: str = "/config/voices"
    huggingface_token: str = ""
    memory_mib: int = 0
    speech_rate: float = 1.0
    volume_db: float = 0.0
    cache_dir: str = "/data/cache"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    settings_file: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.memory_mib <= 65_536:
            raise ValueError("memory_mib must be between 0 (automatic) and 65536")


@dataclass(frozen=True)
class Reading:
    """What came of the options.

    Attributes:
        settings: of the server.
        token: for the hub; never to be logged.
        problems: what was wrong and what is done about it, a sentence or two each.
        without_file: the settings without the extra file, where there is one: it may name what cannot be had.
    """

    settings: Settings
    token: str
    problems: tuple[str, ...]
    without_file: Settings | None = None


def read(
    path: Path = OPTIONS_FILE,
    flags: Iterable[FlagValue] = (),
    kept: tuple[Path, ...] | None = None,
    *,
    ended_badly: bool = False,
) -> Reading:
    """Settings from the options, and everything that is wrong with them or with this machine.

    Args:
        path: the options.
        flags: from the command line; they win.
        kept: folders whose content outlives a restart; None: the one of the options, and those that the Supervisor maps.
        ended_badly: the run before was not ended in order.

    Raises:
        ConfigError: a flag is wrong.
    """
    problems: list[str] = []
    kept = kept or (path.parent, *MAPPED_FOLDERS)
    options = read_options(path, problems.append)
    values = [*_values(options), *_folders(options, kept, problems.append)]
    short = memory_shortage(options, ended_badly)
    if short and ended_badly:
        # Loaded at once, they would only have it ended again, and again.
        values.append(FlagValue("load", ("load",), "first-use"))
    # Every address of both families: Home Assistant may try either first.
    uri = FlagValue("the add-on", ("uri",), f"tcp://:{WYOMING_PORT}")
    below = [uri, *(value for value in values if _fits(value, problems.append))]
    above = [*_fixed(), *flags]
    plain = load_settings(None, above, below)
    settings = _with_file(options, above, below, problems.append) or plain
    problems += filter(None, (short, disk_shortage(options, settings.cache_dir)))
    return Reading(
        settings,
        options.huggingface_token.strip(),
        tuple(problems),
        plain if settings != plain else None,
    )


def read_options(path: Path, complain: Callable[[str], object]) -> AddonOptions:
    """The options of the file, with the default in place of each one that is wrong.

    Args:
        path: the file that the Supervisor writes.
        complain: is told of each wrong one.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        complain(f"{path} cannot be read: {error.strerror or error}. {_ALL_DEFAULTS}")
        return AddonOptions()
    except ValueError:
        complain(f"{path} is not valid JSON. {_ALL_DEFAULTS}")
        return AddonOptions()
    if not isinstance(found, dict):
        complain(f"{path} holds no options. {_ALL_DEFAULTS}")
        return AddonOptions()
    good: dict[str, object] = {}
    for name, value in found.items():
        if value is None:
            continue
        try:
            load_dataclass(AddonOptions, {name: value}, "option")
        except ConfigError as error:
            # The value of the token must not get into the log by its own mistake.
            reason = str(error) if name != "huggingface_token" else f"option: {name}: must be text"
            complain(wrong(reason))
        else:
            good[name] = value
    return load_dataclass(AddonOptions, good, "options")


def memory_shortage(options: AddonOptions, ended_badly: bool = False) -> str:
    """What is to be said of the memory that is free; "" where it will do."""
    free_mib, needed_mib = available_memory_mib(), _NEEDED_MIB[options.quality]
    if free_mib is None or free_mib >= needed_mib:
        return ""
    short = f"Only {free_mib} MiB of memory are free, and a model needs about {needed_mib} MiB"
    if ended_badly:
        short += (
            ". The run before was ended by the system, probably for that, so a model is loaded when something is to be said, and not "
            "before."
        )
    else:
        short += ": the add-on may be ended by the system."
    small = "" if options.quality == "small" else ", or choose the quality 'small'"
    return f"{short} Stop other add-ons{small}."


def disk_shortage(options: AddonOptions, cache_dir: Path | None) -> str:
    """What is to be said of the room for downloads; "" where it will do, or they are here."""
    if cache_dir is None or (cache_dir / "hub").exists():
        return ""
    try:
        disk_mib = shutil.disk_usage(_existing(cache_dir)).free // _MIB
    except OSError:
        return ""
    needed_mib = _NEEDED_DISK_MIB * max(1, len(options.languages))
    if disk_mib >= needed_mib:
        return ""
    return (
        f"The disk of {cache_dir} has {disk_mib} MiB left, and the models need about {needed_mib} MiB: make room (old "
        "backups are a good start), or choose another cache_dir."
    )


def memory_budget_mib(chosen_mib: int) -> int:
    """Memory for models: as chosen, else half of the machine's."""
    if chosen_mib:
        return chosen_mib
    total_mib = total_memory_mib()
    return max(_LEAST_BUDGET_MIB, (total_mib or 2 * _LEAST_BUDGET_MIB) // 2)


_WHERE = "Change it in the add-on's Configuration tab."
_ALL_DEFAULTS = "All options have their defaults: save them once in the add-on's Configuration tab."


def wrong(reason: str) -> str:
    """A complaint about an option, from the error about it."""
    reason = reason.removeprefix("option: ").rstrip(".")
    return f"Option {reason}. The server starts without it. {_WHERE}"


def _values(options: AddonOptions) -> list[FlagValue]:
    """The options that are settings by another name."""
    small = options.quality == "small"
    languages = [
        _SMALL_ENGLISH if small and name == "english" else name
        for name in dict.fromkeys(options.languages or ("english",))
    ]
    values = [
        FlagValue("languages", ("languages",), languages),
        FlagValue("quality", ("engine", "quantize"), options.quality != "full"),
        FlagValue("speech_rate", ("sound", "speed"), options.speech_rate),
        FlagValue("volume_db", ("sound", "volume_db"), options.volume_db),
        FlagValue("log_level", ("logging", "level"), options.log_level),
        FlagValue(
            "memory_mib", ("limits", "model_memory_mib"), memory_budget_mib(options.memory_mib)
        ),
        # The server answers while models come: Home Assistant is to find it, whatever the network does.
        FlagValue("load", ("load",), "background"),
    ]
    if small:
        values.append(FlagValue("quality", ("engine", "slots"), _SMALL_SLOTS))
    if options.voice.strip():
        values.append(FlagValue("voice", ("default_voice",), options.voice.strip()))
    return values


def _folders(
    options: AddonOptions, kept: tuple[Path, ...], complain: Callable[[str], object]
) -> list[FlagValue]:
    """The folders of the options, made where they are not there; one that cannot be used is left out."""
    defaults = AddonOptions()
    values = []
    for name, needs in (("voices_dir", os.R_OK | os.X_OK), ("cache_dir", os.W_OK | os.X_OK)):
        folder = Path(getattr(options, name).strip() or getattr(defaults, name))
        trouble = _trouble(folder, needs, kept)
        if trouble:
            complain(wrong(f"{name}: {trouble}"))
            if name == "voices_dir":
                continue
            folder = kept[0] / "cache"
        values.append(FlagValue(name, (name,), str(folder)))
    return values


def _trouble(folder: Path, needs: int, kept: tuple[Path, ...]) -> str:
    """Why a folder cannot be used, or ""."""
    if not any(folder == root or root in folder.parents for root in kept):
        roots = ", ".join(f"{root}/" for root in kept)
        return f"{folder} is lost at each update; choose a folder below {roots}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"{folder} cannot be made: {error.strerror or error}"
    if not os.access(folder, needs):
        return f"{folder} cannot be {'read' if needs & os.R_OK else 'written to'}; look at its permissions"
    return ""


def _fixed() -> list[FlagValue]:
    """What the add-on does not leave to anybody: Home Assistant expects it there."""
    return [
        FlagValue("the add-on", ("zeroconf", "enabled"), False),
        FlagValue("the add-on", ("http", "host"), "0.0.0.0"),
        FlagValue("the add-on", ("http", "port"), INGRESS_PORT),
        FlagValue("the add-on", ("http", "only_from"), [INGRESS_PEER]),
    ]


def _fits(value: FlagValue, complain: Callable[[str], object]) -> bool:
    """Whether an option's value is one that the setting may have."""
    try:
        load_settings(None, [dataclasses.replace(value, flag="option")])
    except ConfigError as error:
        complain(wrong(f"{value.flag}: {str(error).removeprefix('option: ')}"))
        return False
    return True


def _with_file(
    options: AddonOptions,
    above: list[FlagValue],
    below: list[FlagValue],
    complain: Callable[[str], object],
) -> Settings | None:
    """The settings with the extra file; None where there is none, or it is wrong."""
    path = options.settings_file.strip()
    if not path:
        return None
    try:
        return load_settings(Path(path), above, below)
    except ConfigError as error:
        complain(wrong(f"settings_file: {error}"))
        return None


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    return next(one for one in (folder, *folder.parents) if one.exists())
