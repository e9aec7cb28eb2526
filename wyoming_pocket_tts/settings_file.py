"""Settings from a YAML file (or JSON, which is YAML) and from flags; flags win.

A mistake is reported against where it was made: the file and its key, or the flag. Relative paths in the file are relative to
the file's own folder, so that a server started elsewhere finds the same voices.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wyoming_pocket_tts.errors import ConfigError
from wyoming_pocket_tts.settings import DEFAULT_URI, Settings, is_file_source
from wyoming_pocket_tts.strict import load_dataclass
from wyoming_pocket_tts.yaml_file import read_yaml


@dataclass(frozen=True)
class FlagValue:
    """A flag the user gave.

    Attributes:
        flag: as typed, for error messages ("--slots").
        key: the path of the setting it replaces (("engine", "slots")).
        value: the setting's new value, of a type YAML could have given.
    """

    flag: str
    key: tuple[str, ...]
    value: object


def load_settings(
    path: Path | None, flags: Iterable[FlagValue] = (), below: Iterable[FlagValue] = ()
) -> Settings:
    """Reads the settings file, if any, and puts the flags over it.

    Args:
        path: the file.
        flags: win over the file.
        below: what the file wins over.

    Raises:
        ConfigError: naming the file and key, or the flag, and what is wrong.
    """
    flags = tuple(flags)
    values: Mapping[str, object] = {}
    if path is not None:
        values = read_mapping(path)
        values = _anchored(load_dataclass(Settings, values, str(path)), values, path.parent)
    merged: Mapping[str, object] = {}
    for flag in below:
        alone = _nested(flag.key, flag.value)
        load_dataclass(Settings, alone, flag.flag)
        merged = _merge(merged, alone)
    merged = _merge(merged, values)
    for flag in flags:
        # Each flag by itself first: its mistake is then not blamed on the file.
        alone = _nested(flag.key, flag.value)
        load_dataclass(Settings, alone, flag.flag)
        merged = _merge(merged, alone)
    source = " with ".join([*([str(path)] if path else []), *(flag.flag for flag in flags)])
    return load_dataclass(Settings, merged, source or "defaults")


def read_mapping(path: Path) -> dict[str, object]:
    """The mapping in a settings file; an empty file (or one of comments alone) is an empty mapping.

    A section whose keys are all commented out is empty in YAML: it stands for its defaults.

    Raises:
        ConfigError: when the file cannot be read, is not YAML or is no mapping.
    """
    values = read_yaml(path)
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise ConfigError(f"{path}: must be a mapping of keys, such as 'uri: {DEFAULT_URI}'")
    known = {field.name for field in dataclasses.fields(Settings)}
    given = {key: value for key, value in values.items() if value is not None or key not in known}
    voices = given.get("voices")
    if isinstance(voices, Mapping):
        given["voices"] = {name: {} if voice is None else voice for name, voice in voices.items()}
    return given


def _nested(key: tuple[str, ...], value: object) -> dict[str, object]:
    for name in reversed(key):
        value = {name: value}
    assert isinstance(value, dict)
    return value


def _merge(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    """Mappings are merged key by key; everything else, lists too, is replaced."""
    merged = dict(below)
    for name, value in above.items():
        old = merged.get(name)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            merged[name] = _merge(old, value)
        else:
            merged[name] = value
    return merged


def _anchored(settings: Settings, values: Mapping[str, object], folder: Path) -> dict[str, object]:
    """`values` with the relative paths in it made relative to `folder`."""
    anchored: dict[str, object] = {}
    if settings.cache_dir is not None:
        anchored["cache_dir"] = str(folder / settings.cache_dir)
    if settings.voices_dir is not None:
        anchored["voices_dir"] = str(folder / settings.voices_dir)
    if settings.text.dictionary is not None:
        anchored["text"] = {"dictionary": str(folder / settings.text.dictionary)}
    anchored["models"] = {
        name: {"config": _anchor(model.config, folder)} for name, model in settings.models.items()
    }
    anchored["voices"] = {
        name: {"source": _anchor(voice.source, folder)}
        for name, voice in settings.voices.items()
        if voice.source is not None and is_file_source(voice.source)
    }
    return _merge(values, anchored)


def _anchor(source: str, folder: Path) -> str:
    return source if "://" in source else str(folder / Path(source).expanduser())
