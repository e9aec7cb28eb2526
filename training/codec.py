"""The codec's decoder as a trainable module, under the engine's names.

The engine's folds the latents' statistics in and keeps state between frames; this one sees whole crops at once, from a fresh
state. Otherwise they are the same function.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from training import layers
from training.parameters import Parameters
from wyoming_pocket_tts.engine.config import MimiTransformerConfig, ModelConfig, SEANetConfig

DECODER = ("mimi.decoder.", "mimi.decoder_transformer.", "mimi.quantizer.", "mimi.upsample.")


class Decoder(Parameters):
    """Latents [B, T, width], not normalised -> [B, S]."""

    def __init__(self, config: ModelConfig, seed: int) -> None:
        super().__init__(config, DECODER, seed)
        self._config = config.mimi

    def forward(self, latents: Tensor, dtype: torch.dtype = torch.bfloat16) -> Tensor:
        x = layers.linear(latents, self["mimi.quantizer.output_proj.weight"][:, :, 0])
        x = layers.stretch(x, self["mimi.upsample.convtr.convtr.weight"]).to(dtype)
        x = _transform(self, "mimi.decoder_transformer.", self._config.decoder_attention, x)
        return self._waveform(self._config.decoder_net, x)

    def _waveform(self, net: SEANetConfig, x: Tensor) -> Tensor:
        prefix = "mimi.decoder.model."
        x = _conv(self, f"{prefix}0.conv", x)
        index = 1
        for place, _ in enumerate(net.ratios):
            if place == len(net.ratios) - 1:
                x = x.float()  # rounding at the sample rate would be heard as hiss
            name = f"{prefix}{index + 1}.convtr"
            x = layers.convolve_up(functional.elu(x), self[f"{name}.weight"], self[f"{name}.bias"])
            index += 2
            for block in range(net.n_residual_layers):
                x = _residual(self, f"{prefix}{index}.block", x, net.dilation_base**block)
                index += 1
        return _conv(self, f"{prefix}{index + 1}.conv", functional.elu(x))[..., 0].float()


def _conv(weights: Parameters, name: str, x: Tensor, dilation: int = 1) -> Tensor:
    return layers.convolve(x, weights[f"{name}.weight"], weights[f"{name}.bias"], dilation)


def _residual(weights: Parameters, name: str, x: Tensor, dilation: int) -> Tensor:
    h = _conv(weights, f"{name}.1.conv", functional.elu(x), dilation)
    return x + _conv(weights, f"{name}.3.conv", functional.elu(h))


def _transform(
    weights: Parameters, prefix: str, config: MimiTransformerConfig, x: Tensor
) -> Tensor:
    for index in range(config.num_layers):
        name = f"{prefix}transformer.layers.{index}."
        h = layers.layer_norm(x, weights[f"{name}norm1.weight"], weights[f"{name}norm1.bias"])
        packed = layers.linear(h, weights[f"{name}self_attn.in_proj.weight"])
        h = layers.attend_window(packed, config.num_heads, config.max_period, config.context)
        h = layers.linear(h, weights[f"{name}self_attn.out_proj.weight"])
        x = x + weights[f"{name}layer_scale_1.scale"].to(x.dtype) * h
        h = layers.layer_norm(x, weights[f"{name}norm2.weight"], weights[f"{name}norm2.bias"])
        h = layers.linear(h, weights[f"{name}linear1.weight"])
        h = layers.linear(functional.gelu(h, approximate="tanh"), weights[f"{name}linear2.weight"])
        x = x + weights[f"{name}layer_scale_2.scale"].to(x.dtype) * h
    return x
