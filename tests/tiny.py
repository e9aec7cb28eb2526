"""A model of a few thousand random weights, for tests of everything around the arithmetic."""

from __future__ import annotations

import functools

import torch

from wyoming_pocket_tts.engine.config import (
    FlowConfig,
    FlowLMConfig,
    FlowLMTransformerConfig,
    LookupTableConfig,
    MimiConfig,
    MimiTransformerConfig,
    ModelConfig,
    QuantizerConfig,
    SEANetConfig,
)
from wyoming_pocket_tts.engine.kernels import KernelPlan
from wyoming_pocket_tts.engine.layout import tensor_shapes
from wyoming_pocket_tts.engine.model import Model
from wyoming_pocket_tts.engine.state import VoiceState

PIECES = 40
_PLAN = KernelPlan()


def config() -> ModelConfig:
    """Grouped-query attention, a ring shorter than a short sentence, 8 kHz, frames of 80 ms.

    Widths are multiples of 32, as the released models' are: torch's vectorised functions then leave no rest to their
    scalar versions, which round differently, and a row's result does not depend on its place in a batch.
    """
    return ModelConfig(
        flow_lm=FlowLMConfig(
            dtype="float32",
            flow=FlowConfig(dim=32, depth=2),
            transformer=FlowLMTransformerConfig(
                hidden_scale=2, max_period=10000, d_model=32, num_heads=4, num_layers=2,
                attn_dim=32, num_kv_heads=2,
            ),
            lookup_table=LookupTableConfig(
                dim=32, n_bins=PIECES, tokenizer="sentencepiece", tokenizer_path="none"
            ),
            insert_bos_before_voice=True,
        ),
        mimi=MimiConfig(
            dtype="float32", sample_rate=8000, channels=1, frame_rate=12.5, inner_dim=8, outer_dim=16,
            seanet=SEANetConfig(
                dimension=16, channels=1, n_filters=4, n_residual_layers=1, ratios=(5, 4, 2),
                kernel_size=3, residual_kernel_size=3, last_kernel_size=3, dilation_base=2,
                pad_mode="constant", compress=2,
            ),
            transformer=MimiTransformerConfig(
                d_model=16, input_dimension=16, output_dimensions=(16,), num_heads=2, num_layers=2,
                layer_scale=0.01, context=30, dim_feedforward=32,
            ),
            quantizer=QuantizerConfig(dimension=8, output_dimension=16),
        ),
    )  # fmt: skip


@functools.cache
def weights(seed: int = 0) -> dict[str, torch.Tensor]:
    return weights_of(config(), seed)


def weights_of(other: ModelConfig, seed: int = 0) -> dict[str, torch.Tensor]:
    """Of another model."""
    generator = torch.Generator().manual_seed(seed)
    tensors = {}
    for name, shape in tensor_shapes(other).items():
        if "norm" in name and name.endswith("weight"):
            tensors[name] = torch.ones(shape)
        else:
            fan_in = max(1, torch.Size(shape[1:]).numel()) if len(shape) > 1 else 4
            gain = 0.1 if "final_layer.linear" in name else 1.0
            tensors[name] = torch.randn(shape, generator=generator) * gain * fan_in**-0.5
    return tensors


@functools.cache
def model(plan: KernelPlan = _PLAN) -> Model:
    return Model(config(), weights(), plan=plan)


@functools.cache
def voice(seed: int = 1, seconds: float = 0.7) -> VoiceState:
    audio = torch.randn(int(8000 * seconds), generator=torch.Generator().manual_seed(seed))
    return model().encode_voice(0.1 * audio)
