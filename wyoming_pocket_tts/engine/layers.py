"""The few operations that all parts of the model are made of: linear maps, norms, rotary positions.

Every weight matrix of the model is used through a kernel of `engine.kernels`, also the convolutions (as products over
time-major rows).

Source: rotary positions as in RoFormer (arXiv 2104.09864), interleaved pairs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from wyoming_pocket_tts.engine.kernels import EXACT, make_linear
from wyoming_pocket_tts.engine.linear import Activation, Linear, Weight
from wyoming_pocket_tts.engine.norm import LayerNorm

NORM_EPS = 1e-5

# A checkpoint by canonical names; matrices of FlowLM's transformer may come quantised already.
Tensors = Mapping[str, Weight]


class Weights:
    """A view of a checkpoint's tensors below a prefix."""

    def __init__(self, tensors: Tensors, prefix: str = "") -> None:
        self._tensors = tensors
        self._prefix = prefix

    def __getitem__(self, name: str) -> Tensor:
        tensor = self.matrix(name)
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{self._prefix}{name} must not be quantised")
        return tensor

    def get(self, name: str) -> Tensor | None:
        """The tensor, or None where the model has none."""
        return self[name] if self._prefix + name in self._tensors else None

    def matrix(self, name: str) -> Weight:
        """The tensor, or the quantised weight that stands for it."""
        return self._tensors[self._prefix + name]

    def below(self, name: str) -> Weights:
        """The view of what lies below `name`."""
        return Weights(self._tensors, f"{self._prefix}{name}.")


def load_linear(
    weights: Weights,
    kernel: str = EXACT,
    activation: Activation = "none",
    *,
    skewed: bool = False,
) -> Linear:
    """A product by `weight` and, where there is one, `bias`."""
    weight, bias = weights.matrix("weight"), weights.get("bias")
    return make_linear(weight, bias, kernel, activation, skewed=skewed)


def load_norm(weights: Weights, eps: float = NORM_EPS) -> LayerNorm:
    """A layer norm with `weight` and `bias`."""
    weight = weights["weight"]
    return LayerNorm(weight.shape[0], eps, weight, weights["bias"])


class FeedForward:
    """Two linear maps with a tanh-approximated GELU between them."""

    def __init__(self, first: Linear, second: Linear) -> None:
        """`first` must apply the GELU itself (`activation="gelu"`)."""
        self._first = first
        self._second = second

    def __call__(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        """Both, and `residual` added in the end where there is one."""
        return self._second(self._first(x), residual)


class RotaryTable:
    """Rotations by position, as complex numbers, made once and grown when a longer sequence comes.

    `rotate` takes heads of width D as D/2 interleaved pairs (2i, 2i+1) and turns pair i at position p by
    p * max_period^(-2i/D).
    """

    def __init__(self, head_width: int, max_period: float, positions: int = 1024) -> None:
        half = torch.arange(head_width // 2, dtype=torch.float32)
        self._frequencies = torch.exp(half * (-math.log(max_period) * 2 / head_width))
        self._table = self._make(positions)

    def at(self, start: int, length: int) -> Tensor:
        """Rotations of `length` positions from `start`: [T, 1, D/2] complex64."""
        self._ensure(start + length)
        return self._table[start : start + length, None]

    def at_each(self, positions: list[int]) -> Tensor:
        """Rotations of single positions, one per row: [B, 1, D/2] complex64."""
        self._ensure(max(positions) + 1)
        return self._table[positions][:, None]

    def _ensure(self, positions: int) -> None:
        if positions > self._table.shape[0]:
            self._table = self._make(2 * positions)

    def _make(self, positions: int) -> Tensor:
        angles = torch.arange(positions, dtype=torch.float32)[:, None] * self._frequencies
        return torch.polar(torch.ones_like(angles), angles)


def rotate(heads: Tensor, rotations: Tensor) -> Tensor:
    """Turns each pair of each head.

    Args:
        heads: [..., H, D] float32.
        rotations: complex64, broadcastable to [..., H, D/2].

    Returns:
        [..., H, D] float32.
    """
    pairs = torch.view_as_complex(heads.reshape(*heads.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * rotations).flatten(-2)


def windows(x: Tensor, width: int, dilation: int = 1, stride: int = 1) -> Tensor:
    """The `width` rows that a convolution reads for each of its outputs, side by side.

    Neighbours are one piece of memory already, so their windows are views that overlap.

    Args:
        x: [B, T, C], with the rows before the first output's own.
        width: the convolution's kernel size.
        dilation: rows from one of a window to the next.
        stride: rows from one window to the next.

    Returns:
        [B, (T - (width - 1) * dilation - 1) // stride + 1, width * C].
    """
    if width == stride == 1:
        return x
    batch, length, channels = x.shape
    length = (length - (width - 1) * dilation - 1) // stride + 1
    if dilation == 1:
        x = x.contiguous()
        shape = (batch, length, width * channels)
        return x.as_strided(shape, (x.stride(0), stride * channels, 1))
    starts = range(0, width * dilation, dilation)
    ends = stride * (length - 1) + 1
    return torch.cat([x[:, start : start + ends : stride] for start in starts], dim=-1)


def causal_mask(queries: int, keys: int, context: int | None = None) -> Tensor:
    """Additive mask for `queries` at the end of `keys` positions: 0 where visible, -inf elsewhere.

    Args:
        queries: number of queries; the last one stands at the last key.
        keys: number of keys.
        context: how many positions, its own included, a query sees; None for all.

    Returns:
        [queries, keys] float32.
    """
    query = torch.arange(keys - queries, keys)[:, None]
    key = torch.arange(keys)[None]
    visible = key <= query
    if context is not None:
        visible &= query - key < context
    return torch.zeros(queries, keys).masked_fill_(~visible, -math.inf)
