"""Differentiable layers, time-major, as the engine computes them; `tests/unit/test_training.py` holds the two against each other.

Convolutions are matrix products over rows side by side: in bfloat16 that is several times as fast on this kind of processor as
torch's own convolutions. Where inputs are bfloat16, products are too; weights are float32 outside.
"""

from __future__ import annotations

import math
from functools import cache

import torch
from torch import Tensor
from torch.nn import functional

from wyoming_pocket_tts.engine.layers import RotaryTable, causal_mask, rotate

NORM_EPS = 1e-5


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A product in the type of x."""
    return functional.linear(x, weight.to(x.dtype), None if bias is None else bias.to(x.dtype))


def layer_norm(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float = NORM_EPS
) -> Tensor:
    """Layer norm over the last dimension, in the type of x."""
    if weight is None or bias is None:
        return functional.layer_norm(x, x.shape[-1:], eps=eps)
    return functional.layer_norm(x, x.shape[-1:], weight.to(x.dtype), bias.to(x.dtype), eps)


def shift(x: Tensor, rows: int) -> Tensor:
    """x [B, T, C] later by so many rows; zeros come in."""
    return functional.pad(x, (0, 0, rows, 0))[:, : x.shape[1]] if rows else x


def convolve(x: Tensor, weight: Tensor, bias: Tensor, dilation: int = 1) -> Tensor:
    """Causal convolution, stride 1: [B, T, I] by [O, I, K] -> [B, T, O]."""
    outputs, inputs, taps = weight.shape
    if taps == 1:
        return linear(x, weight[:, :, 0], bias)
    if outputs < inputs:
        # Fewer values to be moved: first the products, then the shifts.
        parts = linear(x, weight.permute(2, 0, 1).reshape(taps * outputs, inputs))
        y = bias.to(x.dtype)
        for tap, part in enumerate(parts.chunk(taps, dim=-1)):
            y = y + shift(part, (taps - 1 - tap) * dilation)
        return y
    before = (taps - 1) * dilation
    padded = functional.pad(x, (0, 0, before, 0))
    windows = [padded[:, tap * dilation :][:, : x.shape[1]] for tap in range(taps)]
    return linear(torch.cat(windows, -1), weight.transpose(1, 2).reshape(outputs, -1), bias)


def convolve_up(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Transposed convolution, kernel 2s and stride s: [B, T, I] by [I, O, 2s] -> [B, T * s, O]."""
    inputs, outputs, taps = weight.shape
    stride = taps // 2
    pairs = torch.cat([x, shift(x, 1)], -1)
    stacked = torch.cat([weight[..., :stride], weight[..., stride:]])
    rows = stacked.permute(2, 1, 0).reshape(stride * outputs, 2 * inputs)
    return linear(pairs, rows, bias.repeat(stride)).reshape(x.shape[0], -1, outputs)


def stretch(x: Tensor, weight: Tensor) -> Tensor:
    """Depthwise transposed convolution, kernel 2s and stride s: [B, T, C] by [C, 1, 2s] -> [B, T * s, C]."""
    stride = weight.shape[-1] // 2
    taps = weight[:, 0].t().to(x.dtype)
    y = x[:, :, None] * taps[:stride] + shift(x, 1)[:, :, None] * taps[stride:]
    return y.reshape(x.shape[0], -1, x.shape[2])


@cache
def rotations(length: int, head_width: int, max_period: float) -> Tensor:
    """Turns by position and pair: [T, 1, D/2] complex64."""
    return RotaryTable(head_width, max_period, length).at(0, length)


def turn(heads: Tensor, max_period: float) -> Tensor:
    """Rotary positions; heads: [B, T, H, D]."""
    turned = rotate(heads.float(), rotations(heads.shape[1], heads.shape[-1], max_period))
    return turned.to(heads.dtype)


@cache
def window_mask(blocks: int, context: int) -> Tensor:
    """Which keys, of its block and the one before, each query must not see: [blocks, 1, context, 2 * context] bool."""
    distance = torch.arange(context)[:, None] + context - torch.arange(2 * context)
    mask = ((distance < 0) | (distance >= context)).repeat(blocks, 1, 1, 1)
    mask[0, ..., :context] = True  # nothing is before the first
    return mask


def attend(packed: Tensor, heads: int, kv_heads: int, max_period: float) -> Tensor:
    """Causal attention over packed queries, keys and values: [B, T, (H + 2 * kv) * D] -> [B, T, H * D]."""
    batch, length, _ = packed.shape
    split = packed.view(batch, length, heads + 2 * kv_heads, -1)
    turned = turn(split[:, :, : heads + kv_heads], max_period).transpose(1, 2)
    values = split[:, :, heads + kv_heads :].transpose(1, 2)
    keys = turned[:, heads:]
    if kv_heads != heads:
        keys, values = (part.repeat_interleave(heads // kv_heads, 1) for part in (keys, values))
    # By hand: for sequences as short as these, less than half the time of torch's fused attention.
    scores = torch.matmul(turned[:, :heads], keys.transpose(2, 3)).float()
    scores = scores / math.sqrt(keys.shape[-1]) + causal_mask(length, length)
    y = torch.matmul(scores.softmax(-1).to(values.dtype), values)
    return y.transpose(1, 2).reshape(batch, length, -1)


def attend_window(packed: Tensor, heads: int, max_period: float, context: int) -> Tensor:
    """Causal attention over the last `context` positions: [B, T, 3 * C] -> [B, T, C].

    In blocks of queries that see their own block of keys and the one before, so that its cost grows with T alone.
    """
    batch, length, width = packed.shape
    blocks = -(-length // context)
    packed = functional.pad(packed, (0, 0, 0, blocks * context - length))
    split = packed.view(batch, blocks * context, 3 * heads, -1)
    turned = turn(split[:, :, : 2 * heads], max_period)

    def cut(rows: Tensor) -> Tensor:
        return rows.reshape(batch, blocks, context, heads, -1).transpose(2, 3)

    def with_before(rows: Tensor) -> Tensor:
        own = cut(rows)
        before = torch.cat([torch.zeros_like(own[:, :1]), own[:, :-1]], 1)
        return torch.cat([before, own], 3).flatten(0, 2)

    queries = cut(turned[:, :, :heads]).flatten(0, 2)
    # By hand: for blocks as small as these, half the time of torch's fused attention.
    scores = torch.bmm(queries, with_before(turned[:, :, heads:]).transpose(1, 2)).float()
    scores = scores.view(batch, blocks, heads, context, -1) / math.sqrt(queries.shape[-1])
    scores = scores.masked_fill(window_mask(blocks, context), -math.inf).flatten(0, 2)
    y = torch.bmm(scores.softmax(-1).to(packed.dtype), with_before(split[:, :, 2 * heads :]))
    y = y.view(batch, blocks, heads, context, -1).transpose(2, 3).reshape(batch, -1, width // 3)
    return y[:, :length]
