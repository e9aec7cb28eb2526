"""Mimi's encoder: a voice prompt's audio to latents, whole and without state. Needed for voice cloning alone.

Channel-major, [1, C, T], with torch's own convolutions: it runs once per voice, on seconds of audio at a time.

Sources: Mimi (Moshi, arXiv 2410.00037), SEANet; layout and numbers as in `pocket-tts` 4.0.1.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from wyoming_pocket_tts.engine.config import MimiConfig, MimiTransformerConfig
from wyoming_pocket_tts.engine.layers import (
    FeedForward,
    RotaryTable,
    Tensors,
    Weights,
    causal_mask,
    load_linear,
    load_norm,
    rotate,
)


class MimiEncoder:
    """The encoder half of the codec."""

    def __init__(self, config: MimiConfig, tensors: Tensors) -> None:
        """Builds the encoder from a checkpoint's tensors (`mimi.*`)."""
        weights = Weights(tensors, "mimi.")
        self.config = config
        self._seanet = weights.below("encoder.model")
        self._transformer = _Transformer(config.transformer, weights.below("encoder_transformer"))
        self._downsample = weights["downsample.conv.conv.weight"]

    def encode(self, audio: Tensor) -> Tensor:
        """Encodes a prompt.

        Args:
            audio: [S] float32 at the model's sample rate. Its end is padded with zeros to a whole frame.

        Returns:
            Latents [ceil(S / frame size), encoder width].

        Raises:
            ValueError: for no samples at all.
        """
        samples = audio.shape[-1]
        if audio.dim() != 1 or samples == 0:
            raise ValueError(f"audio must be a row of samples, not of shape {tuple(audio.shape)}")
        padded = functional.pad(audio, (0, -samples % self.config.frame_size))
        x = self._convolve(padded[None, None])
        x = self._transformer(x[0].t()).t()[None]
        stride = self.config.positions_per_frame
        x = functional.conv1d(
            functional.pad(x, (stride, 0), mode="replicate"), self._downsample, stride=stride
        )
        return x[0].t()

    def _convolve(self, x: Tensor) -> Tensor:
        config = self.config.seanet
        x = self._conv(x, "0.conv")
        index = 1
        for ratio in reversed(config.ratios):
            for block in range(config.n_residual_layers):
                h = self._conv(
                    functional.elu(x),
                    f"{index}.block.1.conv",
                    dilation=config.dilation_base**block,
                )
                x = x + self._conv(functional.elu(h), f"{index}.block.3.conv")
                index += 1
            index += 1
            x = self._conv(functional.elu(x), f"{index}.conv", stride=ratio)
            index += 1
        return self._conv(functional.elu(x), f"{index + 1}.conv")

    def _conv(self, x: Tensor, name: str, *, stride: int = 1, dilation: int = 1) -> Tensor:
        """Causal convolution: (k - 1) * dilation + 1 - stride values of padding on the left."""
        weights = self._seanet.below(name)
        weight = weights["weight"]
        padding = (weight.shape[-1] - 1) * dilation + 1 - stride
        if padding:
            x = functional.pad(x, (padding, 0), mode=self.config.seanet.pad_mode)
        return functional.conv1d(x, weight, weights["bias"], stride=stride, dilation=dilation)


class _Transformer:
    """Windowed causal transformer over a whole sequence [T, C]."""

    def __init__(self, config: MimiTransformerConfig, weights: Weights) -> None:
        self._context = config.context
        width = config.d_model
        self._input = (
            load_linear(weights.below("input_proj")) if config.input_dimension != width else None
        )
        self._output = (
            load_linear(weights.below("output_projs.0"))
            if config.output_dimensions[0] != width
            else None
        )
        self._layers = [
            _Layer(config, weights.below(f"transformer.layers.{index}"))
            for index in range(config.num_layers)
        ]
        self._rotary = RotaryTable(config.head_width, config.max_period)

    def __call__(self, x: Tensor) -> Tensor:
        if self._input is not None:
            x = self._input(x)
        rotations = self._rotary.at(0, x.shape[0])
        for layer in self._layers:
            x = layer(x, rotations)
        return x if self._output is None else self._output(x)


class _Layer:
    def __init__(self, config: MimiTransformerConfig, weights: Weights) -> None:
        self._heads = config.num_heads
        self._width = config.head_width
        self._context = config.context
        self._qkv = load_linear(weights.below("self_attn.in_proj"))
        self._out = load_linear(weights.below("self_attn.out_proj"))
        self._norm1 = load_norm(weights.below("norm1"))
        self._norm2 = load_norm(weights.below("norm2"))
        self._scale1 = weights["layer_scale_1.scale"]
        self._scale2 = weights["layer_scale_2.scale"]
        self._feedforward = FeedForward(
            load_linear(weights.below("linear1"), activation="gelu"),
            load_linear(weights.below("linear2")),
        )

    def __call__(self, x: Tensor, rotations: Tensor) -> Tensor:
        x = x + self._scale1 * self._out(self._attend(self._norm1(x), rotations))
        return x + self._scale2 * self._feedforward(self._norm2(x))

    def _attend(self, x: Tensor, rotations: Tensor) -> Tensor:
        """Attention in blocks of queries: a window needs no T x T mask."""
        heads = self._heads
        packed = self._qkv(x).view(x.shape[0], 3 * heads, self._width)
        turned = rotate(packed[:, : 2 * heads], rotations).transpose(0, 1)
        queries, keys = turned[:heads], turned[heads:]
        values = packed[:, 2 * heads :].transpose(0, 1)
        blocks = []
        for start in range(0, x.shape[0], self._context):
            end = min(start + self._context, x.shape[0])
            first = max(0, start - self._context + 1)
            blocks.append(
                functional.scaled_dot_product_attention(
                    queries[None, :, start:end],
                    keys[None, :, first:end],
                    values[None, :, first:end],
                    causal_mask(end - start, end - first, self._context),
                )[0]
            )
        return torch.cat(blocks, dim=1).transpose(0, 1).flatten(1)
