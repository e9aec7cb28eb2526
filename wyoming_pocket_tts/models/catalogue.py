"""The catalogue: which models and voices there are, by name; it fetches nothing and loads no weights.

Both tables are data (`config/models.yaml`, `config/voices.yaml`); this module joins an architecture, the names of its parts and the text
keys of a model into the same `ModelConfig` that upstream's own configuration file gives.
"""

from __future__ import annotations

import dataclasses
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.errors import ConfigError, VoiceNotFound, nearest, some
from wyoming_pocket_tts.models.catalogue_file import ModelsFile, VoicesFile, inherit
from wyoming_pocket_tts.models.config_file import load_model_config
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
# The model that comes with the package: it needs no download.
STARTER = "starter"
_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class CatalogueModel:
    """A released model, or the one that comes with the package.

    Attributes:
        name: its name in the catalogue, also that of its folder (on the hub, in the package).
        language: English name of its language, in lower case.
        language_code: ISO 639-1 code of it.
        description: one line for people.
        config: the configuration, equal to upstream's file.
        tokenizer_sentencepiece: source of the vocabulary as a SentencePiece file, where `config` names a tokenizer.json.
        own_voices: voices that it alone speaks, and the only ones it does; empty: it speaks those of the collection.
    """

    name: str
    language: str
    language_code: str
    description: str
    config: ModelConfig
    tokenizer_sentencepiece: str | None = None
    own_voices: tuple[CatalogueVoice, ...] = ()

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
    """A published voice, or one that comes with the package.

    Attributes:
        name: what clients ask for.
        language: its own language, English name in lower case.
        language_code: ISO 639-1 code of it.
        audio: source of the recording; None: there is none, only what one model knows of it.
        corpus: where the recording comes from, when known.
        attribution_url: page that states its licence.
        about: one line for people; empty: made of the name and the corpus.
    """

    name: str
    language: str
    language_code: str
    audio: str | None
    corpus: str | None
    attribution_url: str = VOICE_COLLECTION_URL
    about: str = ""

    @property
    def description(self) -> str:
        """For people: name, language, corpus."""
        if self.about:
            return self.about
        person = self.name.replace("_", " ").title()
        corpus = f", {self.corpus}" if self.corpus else ""
        return f"{person}, {self.language.title()}{corpus}"


class Catalogue:
    """All models and voices, in the order of the files."""

    def __init__(self, models_file: Path, voices_file: Path) -> None:
        self._source = str(models_file)
        self._tables = load_dataclass(ModelsFile, read_yaml(models_file), self._source)
        self._voice_table = load_dataclass(VoicesFile, read_yaml(voices_file), str(voices_file))
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
        return (*self._tables.models, *self._tables.packaged)

    @property
    def voices(self) -> tuple[CatalogueVoice, ...]:
        """The collection: what every released model speaks, in the order of the file."""
        return tuple(self._voices.values())

    @property
    def packaged_voices(self) -> tuple[CatalogueVoice, ...]:
        """The voices of the models in the package."""
        models = (self.model(name) for name in self._tables.packaged)
        return tuple(voice for model in models for voice in model.own_voices)

    def voices_of(self, model: CatalogueModel) -> tuple[CatalogueVoice, ...]:
        """The voices that a model speaks."""
        return model.own_voices or self.voices

    @property
    def languages(self) -> dict[str, str]:
        """Language codes by English name."""
        return {name: language.code for name, language in self._tables.languages.items()}

    def model(self, name: str) -> CatalogueModel:
        """The model of that name.

        Raises:
            ConfigError: no such model; names the nearest ones.
        """
        if name not in self.model_names:
            hint = nearest(name, self.model_names) or f" Known: {', '.join(self.model_names)}."
            raise ConfigError(f"There is no model {name!r} in the catalogue.{hint}")
        if name not in self._models:
            packaged = name in self._tables.packaged
            self._models[name] = self._packaged(name) if packaged else self._build(name)
        return self._models[name]

    def find(self, name: str) -> CatalogueModel:
        """A model by its own name, or by the name or code of its language.

        Raises:
            ConfigError: as `model_for_language`.
        """
        return self.model(name) if name in self.model_names else self.model_for_language(name)

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
        voices = {**{voice.name: voice for voice in self.packaged_voices}, **self._voices}
        if name not in voices:
            hint = nearest(name, voices) or f" Voices: {some(self._voices)}."
            raise VoiceNotFound(f"There is no voice {name!r} in the catalogue.{hint}")
        return voices[name]

    def default_voice(self, model: CatalogueModel) -> CatalogueVoice:
        """The voice native to the model's language."""
        if model.own_voices:
            return model.own_voices[0]
        defaults = self._voice_table.defaults
        return self._voices[defaults.get(model.language, defaults["other"])]

    def voice_state_source(self, model: CatalogueModel, voice: CatalogueVoice) -> str:
        """Source of the finished voice for that model's weights."""
        if model.own_voices:
            return str(_PACKAGE / model.name / f"{voice.name}.safetensors")
        return self._tables.sources.voice_states.format(
            model=model.name, voice=voice.name, revision=self._tables.voice_states
        )

    def _packaged(self, name: str) -> CatalogueModel:
        """A model whose files lie in the package, in a folder of its name."""
        entry = self._tables.packaged[name]
        code = self._tables.languages[entry.language].code
        return CatalogueModel(
            name=name,
            language=entry.language,
            language_code=code,
            description=entry.description,
            config=load_model_config(_PACKAGE / name / "model.yaml"),
            own_voices=tuple(
                CatalogueVoice(
                    name=voice,
                    language=entry.language,
                    language_code=code,
                    audio=None,
                    corpus=entry.attribution_name,
                    attribution_url=entry.attribution_url,
                    about=about,
                )
                for voice, about in entry.voices.items()
            ),
        )

    def _build(self, name: str) -> CatalogueModel:
        entry = self._tables.models[name]
        sources = self._tables.sources
        for key in ("language", "flow_lm", "mimi", "weights", "open_weights", "tokenizer"):
            if key not in entry:
                raise ConfigError(f"{self._source}: models.{name}.{key} is missing.")
        path, revision = entry["tokenizer"].split("@")
        flow_lm = inherit(self._tables.flow_lm, entry["flow_lm"])
        flow_lm["lookup_table"] = {
            **flow_lm["lookup_table"],
            "tokenizer": "tokenizers" if path.endswith(".json") else "sentencepiece",
            "tokenizer_path": sources.tokenizer.format(path=path, revision=revision),
        }
        replace = entry.get("replace_characters")
        values = {
            **{key: value for key, value in entry.items() if key not in _OWN_KEYS},
            "flow_lm": flow_lm,
            "mimi": inherit(self._tables.mimi, entry["mimi"]),
            "replace_characters": inherit(self._tables.replace_characters, replace)
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


def _has_tokenizers() -> bool:
    return importlib.util.find_spec("tokenizers") is not None
