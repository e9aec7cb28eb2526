"""From what a user names to what is loaded: a model's entry, and the voices that go with it. Loads nothing itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wyoming_pocket_tts.errors import ConfigError
from wyoming_pocket_tts.models.catalogue import Catalogue, CatalogueModel
from wyoming_pocket_tts.models.config_file import load_model_config
from wyoming_pocket_tts.models.download import Fetcher
from wyoming_pocket_tts.models.loading import ModelEntry
from wyoming_pocket_tts.models.sources import parse_source
from wyoming_pocket_tts.tts.errors import WrongArgument

DEFAULT_LANGUAGE = "english"


@dataclass(frozen=True)
class Found:
    """A model that can be loaded.

    Attributes:
        entry: the model.
        default_voice: what to give to `get_state_for_audio_prompt` where nobody chose.
        voices: name of a voice -> source of its finished state for this model.
        recordings: name of a voice of the catalogue -> source of its recording, of which any model can make a voice.
        origin: the community model's YAML, as it was given.
    """

    entry: ModelEntry
    default_voice: str
    voices: Mapping[str, str]
    recordings: Mapping[str, str] = field(default_factory=dict)
    origin: Path | None = None


def find_model(language: str | None, config: str | Path | None, fetcher: Fetcher) -> Found:
    """The model that was asked for.

    Args:
        language: a model of the catalogue, a language by name or code; None: English, unless there is a `config`.
        config: a community model's YAML: path, https:// or hf://.
        fetcher: fetches that YAML.

    Raises:
        WrongArgument: both were given, or the language is unknown.
        ConfigError, DownloadError: the YAML is not to be had, or wrong.
    """
    if config is not None and language is not None:
        raise WrongArgument("language and config cannot both be given; choose one of them.")
    catalogue = Catalogue.load()
    recordings = {voice.name: voice.audio for voice in catalogue.voices if voice.audio}
    if config is not None:
        name = Path(parse_source(str(config)).file_name).stem
        entry = ModelEntry(name, load_model_config(fetcher.fetch(str(config))))
        # Finished voices fit the released models alone; the recording behind one fits every model.
        return Found(entry, recordings["alba"], {}, recordings, Path(config))
    model = _released(catalogue, language or DEFAULT_LANGUAGE)
    entry = ModelEntry(model.name, model.loading_config(), model.language_code)
    voices = {
        voice.name: catalogue.voice_state_source(model, voice)
        for voice in catalogue.voices_of(model)
    }
    # A model with voices of its own makes none of recordings.
    usable = {} if model.own_voices else recordings
    return Found(entry, catalogue.default_voice(model).name, voices, usable)


def _released(catalogue: Catalogue, language: str) -> CatalogueModel:
    try:
        return catalogue.find(language)
    except ConfigError as error:
        models = ", ".join(catalogue.model_names)
        raise WrongArgument(f"{error} Models: {models}.") from error
