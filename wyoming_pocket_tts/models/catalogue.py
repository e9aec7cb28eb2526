"""The catalogue: which models and voices there are, by name; it fetches nothing and loads no weights.

Both tables are data (`config/models.yaml`, `config/voices.yaml`); this module joins an architecture, the names of its parts and the text
keys of a model into the same `ModelConfig` that upstream's own configuration file gives.
"""

from __future__ import annotations

import dataclasses
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.errors import ConfigError, VoiceNotFound, nearest, some
from wyoming_pocket_tts.strict import load_dataclass
from wyoming_pocket_tts.yaml_file import read_yaml

# The keys of a model that are not passed on to its configuration as they are.
_OWN_KEYS = frozenset(
    {
        "language",
        "note",
        "flow_lm",
        "mimi",
        "weights",
        "open_weights",
        "tokenizer",
        "tokenizer_sentencepiece",
        "replace_characters",
    }
)
VOICE_COLLECTION_URL = "https://huggingface.co/kyutai/tts-voices"


@dataclass(frozen=True)
class CatalogueModel:
    """A released model.

    Attributes:
        name: its name in the catalogue, also that of its folder on the hub.
        language: English name of its language, in lower case.
        language_code: ISO 639-1 code of it.
        description: one line for people.
        config: the configuration, equal to upstream's file.
        tokenizer_sentencepiece: source of the vocabulary as a SentencePiece file, where `config` names a tokenizer.json.
    """

    name: str
    language: str
    language_code: str
    description: str
    config: ModelConfig
    tokenizer_sentencepiece: str | None = None

    def loading_config(self) -> ModelConfig:
        """The configuration to load by: it names the SentencePiece file, unless `tokenizers` is installed to read upstream's."""
        if self.tokenizer_sentencepiece is None or _has_tokenizers():
            return self.config
        table = dataclasses.replace(
            self.config.flow_lm.lookup_table,
            tokenizer="sentencepiece",
            tokenizer_path=self.tokenizer_sentencepiece,
        )
        flow_lm = dataclasses.replace(self.config.flow_lm, lookup_table=table)
        return dataclasses.replace(self.config, flow_lm=flow_lm)


@dataclass(frozen=True)
class CatalogueVoice:
    """A published voice.

    Attributes:
        name: what clients ask for.
        language: its own language, English name in lower case.
        language_code: ISO 639-1 code of it.
        audio: source of the recording.
        corpus: where the recording comes from, when known.
        attribution_url: page that states its licence.
    """

    name: str
    language: str
    language_code: str
    audio: str
    corpus: str | None
    attribution_url: str = VOICE_COLLECTION_URL

    @property
    def description(self) -> str:
        """For people: name, language, corpus."""
        person = self.name.replace("_", " ").title()
        corpus = f", {self.corpus}" if self.corpus else ""
        return f"{person}, {self.language.title()}{corpus}"


@dataclass(frozen=True)
class _Language:
    code: str
    model: str


@dataclass(frozen=True)
class _Sources:
    weights: str
    open_weights: str
    voice_states: str
    tokenizer: str


@dataclass(frozen=True)
class _ModelsFile:
    sources: _Sources
    voice_states: str
    languages: dict[str, _Language]
    flow_lm: dict[str, dict[str, Any]]
    mimi: dict[str, dict[str, Any]]
    replace_characters: dict[str, dict[str, str]]
    models: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class _Voice:
    language: str
    audio: str
    corpus: str | None = None


@dataclass(frozen=True)
class _VoicesFile:
    defaults: dict[str, str]
    voices: dict[str, _Voice]


class Catalogue:
    """All models and voices, in the order of the files."""

    def __init__(self, models_file: Path, voices_file: Path) -> None:
        self._source = str(models_file)
        self._tables = load_dataclass(_ModelsFile, read_yaml(models_file), self._source)
        self._voice_table = load_dataclass(_VoicesFile, read_yaml(voices_file), str(voices_file))
        self._models: dict[str, CatalogueModel] = {}
        self._voices = {
            name: CatalogueVoice(
                name=name,
                language=voice.language,
                language_code=self._tables.languages[voice.language].code,
                audio=voice.audio,
                corpus=voice.corpus,
            )
            for name, voice in self._voice_table.voices.items()
        }

    @classmethod
    def load(cls) -> Catalogue:
        """Reads the catalogue that comes with the package."""
        folder = config_folder()
        return cls(folder / "models.yaml", folder / "voices.yaml")

    @property
    def model_names(self) -> tuple[str, ...]:
        """Names of all models, in the order of the file."""
        return tuple(self._tables.models)

    @property
    def voices(self) -> tuple[CatalogueVoice, ...]:
        """All voices, in the order of the file."""
        return tuple(self._voices.values())

    @property
    def languages(self) -> dict[str, str]:
        """Language codes by English name."""
        return {name: language.code for name, language in self._tables.languages.items()}

    def model(self, name: str) -> CatalogueModel:
        """The model of that name.

        Raises:
            ConfigError: no such model; names the nearest ones.
        """
        if name not in self._tables.models:
            hint = nearest(name, self.model_names) or f" Known: {', '.join(self.model_names)}."
            raise ConfigError(f"There is no model {name!r} in the catalogue.{hint}")
        if name not in self._models:
            self._models[name] = self._build(name)
        return self._models[name]

    def model_for_language(self, language: str) -> CatalogueModel:
        """The model that speaks a language, given by English name or by code ("de", "de-AT").

        Raises:
            ConfigError: no model speaks it; names the languages there are.
        """
        wanted = language.lower().replace("_", "-")
        for name, entry in self._tables.languages.items():
            if wanted == name or wanted.split("-")[0] == entry.code:
                return self.model(entry.model)
        known = ", ".join(f"{name} ({code})" for name, code in self.languages.items())
        hint = nearest(language, self.languages)
        raise ConfigError(f"No model speaks {language!r}.{hint} Known languages: {known}.")

    def voice(self, name: str) -> CatalogueVoice:
        """The voice of that name.

        Raises:
            VoiceNotFound: no such voice; names the nearest ones.
        """
        if name not in self._voices:
            hint = nearest(name, self._voices) or f" Voices: {some(self._voices)}."
            raise VoiceNotFound(f"There is no voice {name!r} in the catalogue.{hint}")
        return self._voices[name]

    def default_voice(self, model: CatalogueModel) -> CatalogueVoice:
        """The voice native to the model's language."""
        defaults = self._voice_table.defaults
        return self._voices[defaults.get(model.language, defaults["other"])]

    def voice_state_source(self, model: CatalogueModel, voice: CatalogueVoice) -> str:
        """hf:// source of the finished voice for that model's weights."""
        return self._tables.sources.voice_states.format(
            model=model.name, voice=voice.name, revision=self._tables.voice_states
        )

    def _build(self, name: str) -> CatalogueModel:
        entry = self._tables.models[name]
        sources = self._tables.sources
        for key in ("language", "flow_lm", "mimi", "weights", "open_weights", "tokenizer"):
            if key not in entry:
                raise ConfigError(f"{self._source}: models.{name}.{key} is missing.")
        path, revision = entry["tokenizer"].split("@")
        flow_lm = _inherit(self._tables.flow_lm, entry["flow_lm"])
        flow_lm["lookup_table"] = {
            **flow_lm["lookup_table"],
            "tokenizer": "tokenizers" if path.endswith(".json") else "sentencepiece",
            "tokenizer_path": sources.tokenizer.format(path=path, revision=revision),
        }
        replace = entry.get("replace_characters")
        values = {
            **{key: value for key, value in entry.items() if key not in _OWN_KEYS},
            "flow_lm": flow_lm,
            "mimi": _inherit(self._tables.mimi, entry["mimi"]),
            "replace_characters": _inherit(self._tables.replace_characters, replace)
            if replace
            else {},
            "weights_path": sources.weights.format(model=name, revision=entry["weights"]),
            "weights_path_without_voice_cloning": sources.open_weights.format(
                model=name, revision=entry["open_weights"]
            ),
        }
        note = entry.get("note")
        language = entry["language"]
        second = entry.get("tokenizer_sentencepiece")
        if second is not None:
            path, revision = second.split("@")
            second = sources.tokenizer.format(path=path, revision=revision)
        return CatalogueModel(
            name=name,
            language=language,
            language_code=self._tables.languages[language].code,
            description=f"Pocket TTS, {language.title()}" + (f" ({note})" if note else ""),
            config=load_dataclass(ModelConfig, values, self._source, f"models.{name}"),
            tokenizer_sentencepiece=second,
        )


def config_folder() -> Path:
    """The folder with the package's own YAML files: inside the package, or beside it in a source tree.

    Raises:
        ConfigError: neither is there.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "config", package.parent / "config"):
        if (folder / "models.yaml").is_file():
            return folder
    raise ConfigError(f"{package / 'config'}: the catalogue is missing; reinstall the package.")


def _inherit(table: Mapping[str, Mapping[str, Any]], name: str) -> dict[str, Any]:
    """An entry of a section, laid over the one it is `like`."""
    entry = dict(table[name])
    parent = entry.pop("like", None)
    return _overlay(_inherit(table, parent), entry) if parent else entry


def _overlay(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in over.items():
        old = result.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        result[key] = _overlay(old, value) if both else value  # type: ignore[arg-type]
    return result


def _has_tokenizers() -> bool:
    return importlib.util.find_spec("tokenizers") is not None
