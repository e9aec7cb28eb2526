"""Every model of the catalogue is built, loaded from a file and run: a small copy of each, with all that makes its code path its own.

Parity with the package is shown for each kind of model (`variants`); here none of the released ones is left out.
"""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from wyoming_pocket_tts.engine.config import (
    FlowLMConfig,
    MimiConfig,
    MimiTransformerConfig,
    ModelConfig,
    SEANetConfig,
)
from wyoming_pocket_tts.engine.engine import Engine
from wyoming_pocket_tts.engine.layout import encoder_only, tensor_shapes
from wyoming_pocket_tts.engine.model import Model
from wyoming_pocket_tts.engine.sequence import Sampling, Sequence, SequenceResult, SequenceSpec
from wyoming_pocket_tts.models.catalogue import STARTER, Catalogue
from wyoming_pocket_tts.models.checkpoint import load_weights

CATALOGUE = Catalogue.load()
RELEASED = [name for name in CATALOGUE.model_names if name != STARTER]
FRAMES = 3
# Widths of the copies; 8 keeps a head's width even.
HEAD, PIECES, LATENT = 8, 40, 8


def small(config: ModelConfig, file: Path) -> ModelConfig:
    """The same model with few layers and narrow ones, whose weights are one file."""
    mimi = _mimi(config.mimi)
    return dataclasses.replace(
        config,
        flow_lm=_flow_lm(config.flow_lm),
        mimi=mimi,
        weights_path=str(file),
        weights_path_without_voice_cloning=None,
    )


def _flow_lm(config: FlowLMConfig) -> FlowLMConfig:
    old = config.transformer
    attention = HEAD * old.num_heads
    width = attention if old.attn_dim is None else 48
    table = config.lookup_table
    return dataclasses.replace(
        config,
        z_dim=None if config.z_dim is None else 24,
        flow=dataclasses.replace(config.flow, dim=16, depth=min(config.flow.depth, 2)),
        transformer=dataclasses.replace(
            old,
            d_model=width,
            attn_dim=None if old.attn_dim is None else attention,
            num_layers=2,
            dim_feedforward=None if old.dim_feedforward is None else 40,
        ),
        lookup_table=dataclasses.replace(
            table, dim=width, n_bins=PIECES, rank=None if table.rank is None else 16
        ),
    )


def _mimi(config: MimiConfig) -> MimiConfig:
    encoder = HEAD * config.transformer.num_heads
    decoder = HEAD * config.decoder_attention.num_heads
    own = config.decoder_seanet is not None
    # The latents that a voice is made of: the quantizer's, or in the oldest model the encoder's.
    inner = encoder if config.inner_dim == config.seanet.dimension else LATENT
    return dataclasses.replace(
        config,
        seanet=_net(config.seanet, encoder),
        transformer=_attention(config.transformer, encoder),
        decoder_seanet=_net(config.decoder_net, decoder) if own else None,
        decoder_transformer=_attention(config.decoder_attention, decoder) if own else None,
        inner_dim=inner,
        outer_dim=decoder,
        quantizer=dataclasses.replace(config.quantizer, dimension=LATENT, output_dimension=decoder),
    )


def _net(config: SEANetConfig, width: int) -> SEANetConfig:
    return dataclasses.replace(config, dimension=width, n_filters=4)


def _attention(config: MimiTransformerConfig, width: int) -> MimiTransformerConfig:
    return dataclasses.replace(
        config,
        d_model=width,
        input_dimension=width,
        output_dimensions=(width,),
        num_layers=2,
        dim_feedforward=48,
        context=min(config.context, 60),
    )


def random_weights(config: ModelConfig) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    weights = {}
    for name, shape in tensor_shapes(config).items():
        tensor = torch.randn(shape, generator=generator)
        if name.endswith(("emb_std", "alpha", ".scale")) or "norm" in name:
            tensor = 1 + 0.1 * tensor
        elif len(shape) > 1:
            tensor *= math.prod(shape[1:]) ** -0.5
        weights[name] = tensor
    return weights


class Sound:
    """Keeps the frames of one sequence."""

    urgent = True

    def __init__(self) -> None:
        self.frames: list[torch.Tensor] = []
        self.result: SequenceResult | None = None

    def put(self, frame: torch.Tensor, attempt: int) -> None:
        self.frames.append(frame.clone())

    def restart(self) -> bool:
        return False

    def finish(self, result: SequenceResult, attempt: int) -> None:
        self.result = result

    def fail(self, error: Exception) -> None:
        raise error


class Watched(dict[str, torch.Tensor]):
    """Remembers which tensors were read."""

    def __init__(self, tensors: dict[str, torch.Tensor]) -> None:
        super().__init__(tensors)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> torch.Tensor:
        self.read.add(name)
        return super().__getitem__(name)


def speak(model: Model, audio: torch.Tensor) -> torch.Tensor:
    """Voice, prefill and a few decode steps, to sound."""
    sampling = Sampling(temperature=0.7, eos_threshold=1e9, noise_clamp=None, frames_after_eos=0)
    sound = Sound()
    engine = Engine(model, slots=1)
    voice = model.encode_voice(audio)
    engine.add(Sequence(SequenceSpec((1, 2, 3, 4), voice, sampling, 7, FRAMES), sound))
    while engine.busy:
        engine.step()
    assert sound.result is not None
    assert sound.result.frames == FRAMES
    return torch.cat(sound.frames)


def test_all_released_models_are_here() -> None:
    assert len(RELEASED) == 27
    configs = [CATALOGUE.model(name).config for name in RELEASED]
    assert {config.flow_lm.flow.type for config in configs} == {"lsd", "drifting", "pointwise"}
    assert any(config.mimi.decoder_seanet for config in configs)
    assert any(config.flow_lm.transformer.num_kv_heads for config in configs)


@pytest.mark.parametrize("name", RELEASED)
def test_a_model_builds_loads_and_runs(name: str, tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    released = CATALOGUE.model(name).config
    config = small(released, file)
    assert config.flow_lm.flow.type == released.flow_lm.flow.type
    assert config.mimi.frame_size == released.mimi.frame_size
    # The copy has the tensors of the first layers of the released model, under the same names.
    assert set(tensor_shapes(config)) <= set(tensor_shapes(released))
    save_file(random_weights(config), file)
    checkpoint = load_weights(config, Path, voice_cloning=True)
    assert checkpoint.has_voice_cloning
    weights = Watched(dict(checkpoint.weights))
    model = Model(config, weights)
    audio = 0.1 * torch.randn(24_000, generator=torch.Generator().manual_seed(2))
    samples = speak(model, audio)
    assert samples.shape == (FRAMES * released.mimi.frame_size,)
    assert bool(torch.isfinite(samples).all())
    assert float(samples.std()) > 0
    assert torch.equal(samples, speak(model, audio))
    # Nothing of the file is loaded in vain.
    assert weights.read == set(weights)
    # A server that clones no voices loads the rest alone.
    without = load_weights(config, Path, encoder=False).weights
    assert set(without) == {one for one in weights if not encoder_only(one)}
