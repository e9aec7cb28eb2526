"""The tiny model of `tests.tiny` as files: configuration, weights, tokenizer and a voice, on disk or on the hub's stand-in."""

from __future__ import annotations

import dataclasses
import functools
import io
from pathlib import Path

import sentencepiece
import torch
import yaml
from safetensors.torch import save

from tests import tiny
from tests.hub import Hub
from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.models.identity import model_identity
from wyoming_pocket_tts.models.voices import write_voice_state

CORPUS = [
    "the quick brown fox jumps over a lazy dog.",
    "hello, is the light in the kitchen on? the light is on, hello!",
    "there is the other light, and there is the kitchen.",
]


@functools.cache
def tokenizer_bytes() -> bytes:
    """A SentencePiece model with as many pieces as the tiny model has rows."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS * 5),
        model_writer=model,
        vocab_size=tiny.PIECES,
        minloglevel=2,
        num_threads=1,
    )
    return model.getvalue()


def weights(seed: int = 0, *, full: bool = True) -> dict[str, torch.Tensor]:
    """Weights that speak: no end for some frames, then one. `full` False: what the open file has in their place."""
    tensors = dict(tiny.weights(seed))
    if not full:
        tensors["flow_lm.speaker_proj_weight"] = torch.zeros_like(
            tensors["flow_lm.speaker_proj_weight"]
        )
    return tensors


@functools.cache
def weights_bytes(seed: int = 0, *, full: bool = True) -> bytes:
    return save(weights(seed, full=full))


def identity(seed: int = 0) -> str:
    return model_identity(weights(seed))


def config_on_disk(folder: Path, seed: int = 0) -> ModelConfig:
    """A model with one file of weights, as community models have; everything lies in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").write_bytes(weights_bytes(seed))
    (folder / "tokenizer.model").write_bytes(tokenizer_bytes())
    return _with_sources(
        str(folder / "tokenizer.model"), weights_path=str(folder / "model.safetensors")
    )


def yaml_on_disk(folder: Path, seed: int = 0) -> Path:
    """The same as a community model's YAML."""
    config = config_on_disk(folder, seed)
    path = folder / "model.yaml"
    path.write_text(yaml.safe_dump(plain(dataclasses.asdict(config))))
    return path


def config_on_hub(hub: Hub, name: str = "english", seed: int = 0) -> ModelConfig:
    """A model with an open file and a full one (of the same transformer) in the repositories that real ones are in."""
    opened = f"hf://kyutai/pocket-tts-without-voice-cloning/languages/{name}/model.safetensors"
    full = f"hf://kyutai/pocket-tts/languages/{name}/model.safetensors"
    tokenizer = f"hf://kyutai/pocket-tts-without-voice-cloning/languages/{name}/tokenizer.model"
    hub.add_source(opened, weights_bytes(seed, full=False))
    hub.add_source(full, weights_bytes(seed))
    hub.add_source(tokenizer, tokenizer_bytes())
    return _with_sources(tokenizer, weights_path=full, weights_path_without_voice_cloning=opened)


def write_voice(path: Path, seed: int = 0) -> Path:
    """A finished voice for the model of that seed."""
    write_voice_state(path, tiny.voice(), identity=identity(seed), model_name=f"tiny-{seed}")
    return path


def _with_sources(tokenizer: str, **sources: str) -> ModelConfig:
    config = tiny.config()
    table = dataclasses.replace(config.flow_lm.lookup_table, tokenizer_path=tokenizer)
    flow_lm = dataclasses.replace(config.flow_lm, lookup_table=table)
    return dataclasses.replace(config, flow_lm=flow_lm, **sources)


def plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if item is not None}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value
