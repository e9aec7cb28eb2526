"""Mimi's encoder: a voice prompt's audio to latents, whole and without state. Needed for voice cloning alone.

Time-major, [T, C], as the decoder: it runs once per voice, on seconds of audio at a time.

Sources: Mimi (Moshi, arXiv 2410.00037), SEANet; layout and numbers as in `pocket-tts` 4.0.1.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from wyoming_pocket_tts.engine.config import MimiConfig, MimiTransformerConfig, SEANetConfig
from wyoming_pocket_tts.engine.kernels import EXACT, activation_of, make_linear, reads_windows
from wyoming_pocket_tts.engine.layers import (
    FeedForward,
    RotaryTable,
    Tensors,
    Weights,
    causal_mask,
    load_linear,
    load_norm,
    rotate,
    windows,
)
from wyoming_pocket_tts.engine.linear import Activation

# Frames of a piece that goes through the convolutions at a time.
_FRAMES = 2


class MimiEncoder:
    """The encoder half of the codec."""

    def __init__(self, config: MimiConfig, tensors: Tensors) -> None:
        """Builds the encoder from a checkpoint's tensors (`mimi.*`)."""
        weights = Weights(tensors, "mimi.")
        self.config = config
        self._convolutions = _seanet(config.seanet, weights.below("encoder.model"))
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
        # In pieces that stay in the caches: a whole prompt at 64 channels is 6 MB a second.
        memory: _Memory = {}
        pieces = []
        length = _FRAMES * self.config.frame_size
        for start in range(0, len(padded), length):
            x = padded[start : start + length, None]
            for layer in self._convolutions:
                x = layer(x, memory)
            pieces.append(x)
        x = self._transformer(torch.cat(pieces)).t()[None]
        stride = self.config.positions_per_frame
        x = functional.conv1d(
            functional.pad(x, (stride, 0), mode="replicate"), self._downsample, stride=stride
        )
        return x[0].t()


class _Conv:
    """Causal convolution over time-major rows, piece by piece, [T, C] -> [T / stride, C'], with `activation` applied to its inputs."""

    def __init__(
        self,
        weights: Weights,
        pad_mode: str,
        activation: Activation,
        stride: int = 1,
        dilation: int = 1,
    ) -> None:
        self._padding = (weights["weight"].shape[-1] - 1) * dilation + 1 - stride
        self._replicates = pad_mode == "replicate"
        self._activation = activation
        self._activate = activation_of(EXACT)
        self._convolve = _convolution(weights, stride, dilation)

    def __call__(self, x: Tensor, memory: _Memory) -> Tensor:
        if self._activation != "none":
            x = self._activate(x, self._activation)
        if self._padding:
            if self not in memory:
                before = x[:1] if self._replicates else torch.zeros_like(x[:1])
                memory[self] = before.expand(self._padding, -1)
            x = torch.cat([memory[self], x])
            memory[self] = x[-self._padding :].clone()
        return self._convolve(x)


def _convolution(weights: Weights, stride: int, dilation: int) -> Callable[[Tensor], Tensor]:
    """A convolution of rows that are padded already, [T', C] -> [T, C']."""
    weight, bias = weights["weight"], weights["bias"]
    if reads_windows(EXACT):
        product = make_linear(weight.transpose(1, 2).flatten(1), bias)
        width = weight.shape[-1]
        return lambda x: product(windows(x[None], width, dilation, stride))[0]
    # Windows would have to be copied: torch's own convolution is better.
    convolve = functools.partial(
        functional.conv1d, weight=weight, bias=bias, stride=stride, dilation=dilation
    )
    return lambda x: convolve(x.t()[None])[0].t()


class _Residual:
    """x + conv1(elu(convk(elu(x))))."""

    def __init__(self, weights: Weights, pad_mode: str, dilation: int) -> None:
        self._first = _Conv(weights.below("block.1.conv"), pad_mode, "elu", dilation=dilation)
        self._second = _Conv(weights.below("block.3.conv"), pad_mode, "elu")

    def __call__(self, x: Tensor, memory: _Memory) -> Tensor:
        return x + self._second(self._first(x, memory), memory)


# The rows that each convolution still needs of the pieces before.
_Memory = dict[_Conv, Tensor]


def _seanet(config: SEANetConfig, weights: Weights) -> list[_Conv | _Residual]:
    """The convolutions, in order; a piece's length must be divisible by all strides."""
    layers: list[_Conv | _Residual] = [_Conv(weights.below("0.conv"), config.pad_mode, "none")]
    index = 1
    for ratio in reversed(config.ratios):
        for block in range(config.n_residual_layers):
            below = weights.below(str(index))
            layers.append(_Residual(below, config.pad_mode, config.dilation_base**block))
            index += 1
        index += 1
        layers.append(_Conv(weights.below(f"{index}.conv"), config.pad_mode, "elu", stride=ratio))
        index += 1
    layers.append(_Conv(weights.below(f"{index + 1}.conv"), config.pad_mode, "elu"))
    return layers


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
