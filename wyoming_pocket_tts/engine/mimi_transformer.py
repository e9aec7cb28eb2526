"""The transformer of Mimi's decoder: windowed attention over ring buffers, several streams at their own positions.

Source: Mimi (Moshi, arXiv 2410.00037); layout and numbers as in `pocket-tts` 4.0.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from wyoming_pocket_tts.engine.config import MimiTransformerConfig
from wyoming_pocket_tts.engine.kernels import make_linear
from wyoming_pocket_tts.engine.layers import (
    FeedForward,
    RotaryTable,
    Weights,
    load_linear,
    load_norm,
    rotate,
)
from wyoming_pocket_tts.engine.state import DecoderState, Rows


class MimiTransformer:
    """Windowed causal transformer over the upsampled latents."""

    def __init__(self, config: MimiTransformerConfig, weights: Weights, kernel: str) -> None:
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
            _Layer(config, weights.below(f"transformer.layers.{index}"), index, kernel)
            for index in range(config.num_layers)
        ]
        self._rotary = RotaryTable(config.head_width, config.max_period, positions=4096)
        self._masks: dict[tuple[int, int, int], Tensor] = {}

    def __call__(self, x: Tensor, state: DecoderState, slots: Sequence[int]) -> Tensor:
        """[B, T, C] -> [B, T, C']; positions T of each row follow those that its slot has seen."""
        length = x.shape[1]
        places = [_Place.of(state, slot, length, self._mask) for slot in slots]
        rotations = torch.stack([self._rotary.at(place.start, length) for place in places])
        if self._input is not None:
            x = self._input(x)
        for layer in self._layers:
            x = layer(x, state, places, rotations)
        return x if self._output is None else self._output(x)

    def _mask(self, start: int, length: int, ring: int) -> Tensor:
        """Additive mask [T, R] for queries from position `start` on, over all places of the ring.

        Also over those that nothing was written to yet: with another number of keys the sums of attention would run in
        another order, and the same stream cut into other calls would differ in its last bits. Once the ring is full the mask
        depends on where in the ring the newest position lies, so there are only 2 R / (positions per frame) masks for each T,
        and they are kept.
        """
        key = (start if start < ring else ring + start % ring, length, ring)
        if key not in self._masks:
            end = start + length
            place = torch.arange(ring)
            # The position that each ring place holds after this call's positions are written; negative: none yet.
            position = end - 1 - (end - 1 - place) % ring
            query = torch.arange(start, end)[:, None]
            visible = (position >= 0) & (position <= query) & (query - position < self._context)
            self._masks[key] = torch.zeros(length, ring).masked_fill_(~visible, float("-inf"))
        return self._masks[key]


class _Place:
    """Where a row's new positions go in its ring, and what they may see."""

    def __init__(self, slot: int, start: int, write: Rows, mask: Tensor) -> None:
        self.slot = slot
        self.start = start
        self.write = write
        self.mask = mask

    @classmethod
    def of(
        cls,
        state: DecoderState,
        slot: int,
        length: int,
        make_mask: Callable[[int, int, int], Tensor],
    ) -> _Place:
        start = state.positions[slot]
        first = start % state.ring
        write: Rows = slice(first, first + length)
        if first + length > state.ring:
            write = torch.arange(start, start + length) % state.ring
        return cls(slot, start, write, make_mask(start, length, state.ring))


class _Layer:
    """Pre-norm layer; its layer scales are folded into the products before them."""

    def __init__(
        self, config: MimiTransformerConfig, weights: Weights, index: int, kernel: str
    ) -> None:
        self._index = index
        self._heads = config.num_heads
        self._width = config.head_width
        scale1, scale2 = weights["layer_scale_1.scale"], weights["layer_scale_2.scale"]
        self._qkv = load_linear(weights.below("self_attn.in_proj"), kernel)
        self._out = make_linear(
            weights["self_attn.out_proj.weight"] * scale1[:, None], kernel=kernel
        )
        self._norm1 = load_norm(weights.below("norm1"))
        self._norm2 = load_norm(weights.below("norm2"))
        self._feedforward = FeedForward(
            load_linear(weights.below("linear1"), kernel, "gelu"),
            make_linear(weights["linear2.weight"] * scale2[:, None], kernel=kernel),
        )

    def __call__(
        self, x: Tensor, state: DecoderState, places: Sequence[_Place], rotations: Tensor
    ) -> Tensor:
        batch, length, _ = x.shape
        packed = self._qkv(self._norm1(x)).view(batch, length, 3 * self._heads, self._width)
        turned = rotate(packed[:, :, : 2 * self._heads], rotations).transpose(1, 2)
        values = packed[:, :, 2 * self._heads :].transpose(1, 2)
        attended = []
        for row, place in enumerate(places):
            all_keys = state.keys[self._index, place.slot]
            all_values = state.values[self._index, place.slot]
            all_keys[:, place.write] = turned[row, self._heads :]
            all_values[:, place.write] = values[row]
            attended.append(
                functional.scaled_dot_product_attention(
                    turned[row : row + 1, : self._heads],
                    all_keys[None],
                    all_values[None],
                    place.mask,
                )
            )
        rows = attended[0] if batch == 1 else torch.cat(attended)
        x = self._out(rows.transpose(1, 2).reshape(batch, length, -1), x)
        return self._feedforward(self._norm2(x), x)
