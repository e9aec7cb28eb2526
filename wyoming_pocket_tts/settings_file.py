"""Settings from a YAML file (or JSON, which is YAML) and from flags; flags win.

A mistake is reported against where it was made: the file and its key, or the flag. Relative paths in the file are relative to
the file's own folder, so that a server started elsewhere finds the same voices.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from wyoming_pocket_tts.errors import ConfigError
from wyoming_pocket_tts.settings import Settings
from wyoming_pocket_tts.strict import load_dataclass


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


def load_settings(path: Path | None, flags: Iterable[FlagValue] = ()) -> Settings:
    """Reads the settings file, if any, and puts the flags over it.

    Raises:
        ConfigError: naming the file and key, or the flag, and what is wrong.
    """
    flags = tuple(flags)
    values: Mapping[str, object] = {}
    if path is not None:
        values = read_mapping(path)
        values = _anchored(load_dataclass(Settings, values, str(path)), values, path.parent)
    merged: Mapping[str, object] = values
    for flag in flags:
        # Each flag by itself first: its mistake is then not blamed on the file.
        alone = _nested(flag.key, flag.value)
        load_dataclass(Settings, alone, flag.flag)
        merged = _merge(merged, alone)
    source = " with ".join([*([str(path)] if path else []), *(flag.flag for flag in flags)])
    return load_dataclass(Settings, merged, source or "defaults")


def read_mapping(path: Path) -> Mapping[str, object]:
    """The mapping in a YAML file; an empty file (or one of comments alone) is an empty mapping.

    Raises:
        ConfigError: when the file cannot be read, is not YAML, holds a key twice, or is no mapping.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    try:
        values = yaml.load(text, Loader=_UniqueKeyLoader)
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: is not valid YAML: {_one_line(error)}") from error
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise ConfigError(f"{path}: must be a mapping of keys, such as 'uri: tcp://0.0.0.0:10200'")
    return values


class _UniqueKeyLoader(yaml.SafeLoader):
    """PyYAML keeps the last of two equal keys without a word; here that is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key!r} stands there twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def _one_line(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or str(error)
    mark = getattr(error, "problem_mark", None)
    where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark is not None else ""
    return f"{' '.join(str(problem).split())}{where}"


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
    anchored["models"] = {
        name: {"config": _anchor(model.config, folder)} for name, model in settings.models.items()
    }
    anchored["voices"] = {
        name: {"source": _anchor(voice.source, folder)}
        for name, voice in settings.voices.items()
        if voice.source is not None and looks_like_path(voice.source)
    }
    return _merge(values, anchored)


def looks_like_path(source: str) -> bool:
    """Whether a voice's source is a file, not the name of a catalogue voice or an address."""
    return "://" not in source and ("/" in source or source.endswith(".safetensors"))


def _anchor(source: str, folder: Path) -> str:
    return source if "://" in source else str(folder / Path(source).expanduser())
