"""A whole model from the stand-in of the hub: open and gated weights, tokenizer, voice, then offline."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from tests import tiny, tiny_files
from tests.hub import Hub
from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.errors import DownloadError
from wyoming_pocket_tts.models.catalogue import Catalogue
from wyoming_pocket_tts.models.checkpoint import load_weights
from wyoming_pocket_tts.models.download import Fetcher
from wyoming_pocket_tts.models.identity import model_identity
from wyoming_pocket_tts.models.tokenizer import load_tokenizer
from wyoming_pocket_tts.models.voices import read_voice_state


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with Hub() as running:
        running.gate("kyutai/pocket-tts", token="hf_right")
        yield running


@pytest.fixture
def config(hub: Hub, tmp_path: Path) -> ModelConfig:
    """The tiny model's sizes under the names and revisions of a catalogue model; the hub serves its files."""
    small = tiny.config()
    names = Catalogue.load().model("english_2m_2026-10").config
    hub.add_source(names.weights_path or "", tiny_files.weights_bytes())
    hub.add_source(names.weights_path_without_voice_cloning or "", tiny_files.weights_bytes())
    table = names.flow_lm.lookup_table
    hub.add_source(table.tokenizer_path, tiny_files.tokenizer_bytes())
    voice = tiny_files.write_voice(tmp_path / "voice.safetensors")
    hub.add_source(state_source(), voice.read_bytes())
    table = dataclasses.replace(
        small.flow_lm.lookup_table,
        tokenizer=table.tokenizer,
        tokenizer_path=table.tokenizer_path,
    )
    return dataclasses.replace(
        small,
        flow_lm=dataclasses.replace(small.flow_lm, lookup_table=table),
        weights_path=names.weights_path,
        weights_path_without_voice_cloning=names.weights_path_without_voice_cloning,
    )


def state_source() -> str:
    catalogue = Catalogue.load()
    return catalogue.voice_state_source(
        catalogue.model("english_2m_2026-10"), catalogue.voice("alba")
    )


def test_the_open_weights_speak_without_a_token(
    hub: Hub, config: ModelConfig, tmp_path: Path
) -> None:
    fetcher = Fetcher(tmp_path / "cache", endpoint=hub.url)
    checkpoint = load_weights(config, fetcher.fetch)
    assert not checkpoint.has_voice_cloning
    assert checkpoint.sources == (config.weights_path_without_voice_cloning,)
    table = config.flow_lm.lookup_table
    tokenizer = load_tokenizer(fetcher.fetch(table.tokenizer_path), table.n_bins, table.tokenizer)
    assert tokenizer.encode("Hello.")
    identity = model_identity(checkpoint.weights)
    state = read_voice_state(fetcher.fetch(state_source()), config, identity=identity)
    assert state.length > 1
    # Everything is here now: no network is needed any more, and none is used.
    hub.stop()
    offline = Fetcher(tmp_path / "cache", endpoint=hub.url, offline=True)
    for source in (*checkpoint.sources, table.tokenizer_path, state_source()):
        assert offline.fetch(source) == fetcher.cached(source)


def test_the_full_weights_need_the_licence(hub: Hub, config: ModelConfig, tmp_path: Path) -> None:
    fetcher = Fetcher(tmp_path / "cache", endpoint=hub.url)
    with pytest.raises(
        DownloadError, match=r"Accept the licence at .*/kyutai/pocket-tts"
    ) as caught:
        load_weights(config, fetcher.fetch, voice_cloning=True)
    assert caught.value.kind == "gated"
    # Nothing else was fetched in its place.
    assert fetcher.cached(config.weights_path_without_voice_cloning or "") is None
    granted = Fetcher(tmp_path / "cache", endpoint=hub.url, token="hf_right")
    full = load_weights(config, granted.fetch, voice_cloning=True)
    assert full.has_voice_cloning
    opened = load_weights(config, fetcher.fetch)
    assert model_identity(full.weights) == model_identity(opened.weights)
