"""What stands in the catalogue's two files, `config/models.yaml` and `config/voices.yaml`, as it stands there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LanguageRow:
    """A language.

    Attributes:
        code: ISO 639-1.
        model: which model speaks it when none is named.
    """

    code: str
    model: str


@dataclass(frozen=True)
class SourcePatterns:
    """Where the released models' files lie, with gaps for names and revisions."""

    weights: str
    open_weights: str
    voice_states: str
    tokenizer: str


@dataclass(frozen=True)
class PackagedRow:
    """A model in the package.

    Attributes:
        language: a key of `languages`.
        description: one line for people.
        attribution_name, attribution_url: whom its voices come from.
        voices: what people see of each of its voices; the first one is the default.
    """

    language: str
    description: str
    attribution_name: str
    attribution_url: str
    voices: dict[str, str]


@dataclass(frozen=True)
class ModelsFile:
    """All of models.yaml; sections whose entries refer to each other stay as they are, for `inherit`."""

    sources: SourcePatterns
    voice_states: str
    languages: dict[str, LanguageRow]
    packaged: dict[str, PackagedRow]
    flow_lm: dict[str, dict[str, Any]]
    mimi: dict[str, dict[str, Any]]
    replace_characters: dict[str, dict[str, str]]
    models: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class VoiceRow:
    """A voice of the collection."""

    language: str
    audio: str
    corpus: str | None = None


@dataclass(frozen=True)
class VoicesFile:
    """All of voices.yaml."""

    defaults: dict[str, str]
    voices: dict[str, VoiceRow]


def inherit(table: Mapping[str, Mapping[str, Any]], name: str) -> dict[str, Any]:
    """An entry of a section, laid over the one it is `like`."""
    entry = dict(table[name])
    parent = entry.pop("like", None)
    return _overlay(inherit(table, parent), entry) if parent else entry


def _overlay(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        result[key] = _overlay(old, value) if both else value  # type: ignore[arg-type]
    return result
