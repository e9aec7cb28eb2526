"""Strict loading of frozen dataclasses from mappings, as YAML gives them.

Unknown keys, missing keys and wrong types are `ConfigError`s that name the file, the key's path and, for an unknown
key, the nearest known one. A bool is not an int, an int is a float, a list becomes a tuple. Values are not range-checked here: a
dataclass does that in `__post_init__` with `ValueError`, to which file and path are added. A field with the metadata
`{"key": False}` is none that a file may set.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from wyoming_pocket_tts.errors import ConfigError, nearest

T = TypeVar("T")

# Of what stands in a file, in an error.
_MOST_CHARACTERS = 80
_LONGEST_REASON = 400
# No count or size needs more than 64 bits, and Python refuses to print much larger ones.
_TOO_LARGE = 2**63


def load_dataclass(cls: type[T], values: object, source: str, path: str = "") -> T:
    """Builds `cls` from a mapping.

    Args:
        cls: a dataclass whose fields are scalars, tuples, dicts, Literals, Paths, unions or dataclasses.
        values: the mapping, usually from a YAML file.
        source: the file or option the values come from, for error messages.
        path: the dotted key that leads to `values` ("" at the root).

    Raises:
        ConfigError: naming source, key and what is wrong with it.
    """
    if not isinstance(values, Mapping):
        raise _error(source, path, f"must be a mapping of keys, not {_kind(values)}")
    fields = {
        field.name: field
        for field in dataclasses.fields(cls)  # type: ignore[arg-type]
        if field.init and field.metadata.get("key", True)
    }
    for key in values:
        if key not in fields:
            name = _short(key)
            hint = nearest(name, fields) or f" Known keys: {', '.join(sorted(fields))}."
            raise _error(source, _join(path, name), f"is not a known key.{hint}")
    hints = get_type_hints(cls)
    arguments: dict[str, Any] = {}
    for name, field in fields.items():
        if name in values:
            arguments[name] = _convert(hints[name], values[name], source, _join(path, name))
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise _error(source, _join(path, name), "is missing and has no default")
    try:
        return cls(**arguments)
    except ValueError as error:
        raise _error(source, path, _short(error, _LONGEST_REASON)) from error


def _convert(hint: Any, value: object, source: str, path: str) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _convert_union(get_args(hint), value, source, path)
    if origin is Literal:
        if value in get_args(hint) and not isinstance(value, bool):
            return value
        known = [str(choice) for choice in get_args(hint)]
        hint_text = nearest(value, known) if isinstance(value, str) else ""
        raise _error(
            source, path, f"must be one of {', '.join(known)}, not {_kind(value)}.{hint_text}"
        )
    if origin is tuple:
        return _convert_tuple(get_args(hint), value, source, path)
    if origin in (dict, Mapping) or origin is typing.get_origin(Mapping[str, str]):
        if not isinstance(value, Mapping):
            raise _error(source, path, f"must be a mapping, not {_kind(value)}")
        key_hint, value_hint = get_args(hint)
        return {
            _convert(key_hint, key, source, path): _convert(
                value_hint, item, source, _join(path, _short(key))
            )
            for key, item in value.items()
        }
    if dataclasses.is_dataclass(hint):
        return load_dataclass(typing.cast(type, hint), value, source, path)
    return _convert_scalar(hint, value, source, path)


def _convert_union(choices: tuple[Any, ...], value: object, source: str, path: str) -> Any:
    if value is None and type(None) in choices:
        return None
    rest = [choice for choice in choices if choice is not type(None)]
    failure: ConfigError | None = None
    for choice in rest:
        try:
            return _convert(choice, value, source, path)
        except ConfigError as error:
            failure = failure or error
    assert failure is not None
    raise failure


def _convert_tuple(items: tuple[Any, ...], value: object, source: str, path: str) -> Any:
    if not isinstance(value, (list, tuple)):
        raise _error(source, path, f"must be a list, not {_kind(value)}")
    return tuple(
        _convert(items[0], item, source, f"{path}[{index}]") for index, item in enumerate(value)
    )


def _convert_scalar(hint: Any, value: object, source: str, path: str) -> Any:
    if hint is Any or hint is object:
        return value
    if hint is Path and isinstance(value, str) and value:
        return _path(value, source, path)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise _error(source, path, "is too large") from None
    if hint is int and isinstance(value, int) and abs(value) >= _TOO_LARGE:
        raise _error(source, path, "is too large")
    is_wanted = isinstance(hint, type) and isinstance(value, hint)
    if is_wanted and (hint is bool or not isinstance(value, bool)):
        return value
    wanted = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    wanted[Path] = "a path"
    raise _error(source, path, f"must be {wanted.get(hint, hint)}, not {_kind(value)}")


def _path(value: str, source: str, path: str) -> Path:
    if "\0" in value:
        raise _error(source, path, f"must be a path, not {_short(value)!r}")
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise _error(source, path, f"{_short(value)!r} names the home of nobody here") from None


def _kind(value: object) -> str:
    if value is None:
        return "empty"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, (list, tuple)):
        return "a list"
    shown = repr(_short(value)) if isinstance(value, str) else _short(value)
    return f"{shown} ({type(value).__name__})"


def _short(value: object, most: int = _MOST_CHARACTERS) -> str:
    try:
        text = str(value)
    except ValueError:  # more digits than Python prints
        return "a very long number"
    return text if len(text) <= most else f"{text[:most]}..."


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _error(source: str, path: str, message: str) -> ConfigError:
    return ConfigError(f"{source}: {path}: {message}" if path else f"{source}: {message}")
