"""The catalogue against upstream's own configuration files and against the published tensor tables."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.layout import tensor_shapes
from wyoming_pocket_tts.errors import ConfigError, VoiceNotFound
from wyoming_pocket_tts.models import catalogue as module
from wyoming_pocket_tts.models.catalogue import STARTER, Catalogue
from wyoming_pocket_tts.models.config_file import load_model_config
from wyoming_pocket_tts.models.sources import HubSource, parse_source

# Values in a full checkpoint, published with each model's tensor list.
PARAMETERS = {
    "english": 109502146,
    "english_2026-01": 117856962,
    "english_2m_2026-10": 11671934,
}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.load()


def upstream_configs() -> dict[str, Path]:
    pocket_tts = pytest.importorskip("pocket_tts")
    folder = Path(pocket_tts.__file__).parent / "config"
    return {path.stem: path for path in folder.glob("*.yaml")}


def test_every_model_is_configured_as_upstream_does(catalogue: Catalogue) -> None:
    files = upstream_configs()
    assert set(catalogue.model_names) == {*files, STARTER}
    for name, path in files.items():
        assert catalogue.model(name).config == load_model_config(path), name


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameter_counts(catalogue: Catalogue, name: str) -> None:
    shapes = tensor_shapes(catalogue.model(name).config)
    assert sum(math.prod(shape) for shape in shapes.values()) == PARAMETERS[name]


def test_every_model_has_a_layout(catalogue: Catalogue) -> None:
    for name in catalogue.model_names:
        shapes = tensor_shapes(catalogue.model(name).config)
        assert len(shapes) > 150, name


def test_sources_of_a_model(catalogue: Catalogue) -> None:
    model = catalogue.model("french")
    assert model.language_code == "fr"
    assert parse_source(model.config.weights_path or "") == HubSource(
        repo="kyutai/pocket-tts",
        path="languages/french/model.safetensors",
        revision="3e82814a68665eec246ff649b14c71331f955c06",
    )
    for name in set(catalogue.model_names) - {STARTER}:
        config = catalogue.model(name).config
        for text in (config.weights_path, config.weights_path_without_voice_cloning):
            assert isinstance(parse_source(text or ""), HubSource)
        assert isinstance(parse_source(config.flow_lm.lookup_table.tokenizer_path), HubSource)


def test_sentencepiece_file_is_preferred_without_the_tokenizers_package(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = catalogue.model("english")
    monkeypatch.setattr(module, "_has_tokenizers", lambda: False)
    table = model.loading_config().flow_lm.lookup_table
    assert table.tokenizer == "sentencepiece"
    assert table.tokenizer_path.startswith("hf://kyutai/pocket-tts-without-voice-cloning/")
    assert "/tokenizer.model@" in table.tokenizer_path
    assert _without_tokenizer(model.loading_config()) == _without_tokenizer(model.config)
    # A model that has a tokenizer.json alone keeps it.
    assert catalogue.model("dutch").loading_config() == catalogue.model("dutch").config
    monkeypatch.setattr(module, "_has_tokenizers", lambda: True)
    assert model.loading_config() == model.config


def _without_tokenizer(config: ModelConfig) -> ModelConfig:
    table = dataclasses.replace(config.flow_lm.lookup_table, tokenizer="", tokenizer_path="")
    return dataclasses.replace(
        config, flow_lm=dataclasses.replace(config.flow_lm, lookup_table=table)
    )


def test_voices_and_their_languages(catalogue: Catalogue) -> None:
    voices = {voice.name: voice for voice in catalogue.voices}
    assert len(voices) == 27
    assert {voice.language_code for voice in voices.values()} == {
        "en",
        "fr",
        "de",
        "pt",
        "it",
        "es",
        "nl",
    }
    assert voices["alba"].description == "Alba, English, Alba Mackenna"
    assert voices["anna"].description == "Anna, English, VCTK, speaker p228"
    assert voices["bill_boerst"].description == "Bill Boerst, English, Voice Zero"
    assert voices["juergen"].description == "Juergen, German"
    for voice in voices.values():
        assert isinstance(parse_source(voice.audio or ""), HubSource)


def test_voices_are_upstreams() -> None:
    utils = pytest.importorskip("pocket_tts.utils.utils")
    ours = {voice.name: voice.audio for voice in Catalogue.load().voices}
    assert ours == utils._ORIGINS_OF_PREDEFINED_VOICES


def test_voice_state_source_is_upstreams(catalogue: Catalogue) -> None:
    utils = pytest.importorskip("pocket_tts.utils.utils")
    source = catalogue.voice_state_source(catalogue.model("german"), catalogue.voice("juergen"))
    assert source == utils.get_predefined_voice("german", "juergen")


@pytest.mark.parametrize(
    ("model", "voice"),
    [
        ("english", "alba"),
        ("english_7m_2026-10", "alba"),
        ("italian", "giovanni"),
        ("spanish_24l", "lola"),
        ("german", "juergen"),
        ("portuguese", "rafael"),
        ("french_24l", "estelle"),
        ("dutch", "daan"),
    ],
)
def test_default_voice_is_native(catalogue: Catalogue, model: str, voice: str) -> None:
    found = catalogue.model(model)
    assert catalogue.default_voice(found).name == voice
    assert catalogue.default_voice(found).language == found.language


@pytest.mark.parametrize(
    ("language", "model"),
    [("en", "english"), ("de_AT", "german"), ("pt-BR", "portuguese"), ("Dutch", "dutch")],
)
def test_model_by_language(catalogue: Catalogue, language: str, model: str) -> None:
    assert catalogue.model_for_language(language).name == model


def test_unknown_names_are_answered_with_the_nearest(catalogue: Catalogue) -> None:
    with pytest.raises(ConfigError, match=r"no model 'germn' .*Did you mean 'german'"):
        catalogue.model("germn")
    with pytest.raises(VoiceNotFound, match=r"no voice 'Albs' .*'alba'"):
        catalogue.voice("Albs")
    with pytest.raises(ConfigError, match=r"No model speaks 'ja'.*english \(en\)"):
        catalogue.model_for_language("ja")


def test_a_wrong_catalogue_names_file_and_key(tmp_path: Path) -> None:
    folder = module.config_folder()
    models = tmp_path / "models.yaml"
    text = (folder / "models.yaml").read_text(encoding="utf-8")
    models.write_text(text.replace("    mimi: tiny\n", "    mimi: tiny\n    colour: red\n"))
    broken = Catalogue(models, folder / "voices.yaml")
    with pytest.raises(ConfigError, match=r"models\.yaml: models\.english_2m_2026-10\.colour"):
        broken.model("english_2m_2026-10")
