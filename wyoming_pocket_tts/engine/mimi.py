"""Mimi's decoder: latents to PCM, several streams and several frames in one call.

Everything is time-major, [B, T, C], and every convolution is one matrix product over rows: a convolution reads its
last k rows side by side, a transposed convolution with kernel 2s and stride s reads the last two rows and writes s rows
(so its memory is one input row, and nothing has to be overlapped and added). Attention has a window, so its memory is a
ring buffer and a frame costs the same however long the stream is.

Does not know: where latents come from, or that text exists.

Sources: Mimi (Moshi, arXiv 2410.00037), SEANet; layout and numbers as in `pocket-tts` 4.0.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from wyoming_pocket_tts.engine.config import MimiTransformerConfig, ModelConfig, SEANetConfig
from wyoming_pocket_tts.engine.layers import (
    FeedForward,
    LayerNorm,
    Linear,
    RotaryTable,
    Weights,
    rotate,
)
from wyoming_pocket_tts.engine.state import DecoderState

# Rows of a state tensor: a slice where the slots stand side by side (no copy), else their numbers.
Rows = slice | Tensor


class MimiDecoder:
    """The decoder half of the codec, with the model's latent statistics folded into its first product."""

    def __init__(self, config: ModelConfig, tensors: Mapping[str, Tensor]) -> None:
        """Builds the decoder from a checkpoint's tensors (`mimi.*`, `flow_lm.emb_*`)."""
        self.config = config.mimi
        weights = Weights(tensors, "mimi.")
        projection = weights["quantizer.output_proj.weight"][:, :, 0]
        # latent * std + mean, then the projection: one product with a bias.
        std, mean = tensors["flow_lm.emb_std"], tensors["flow_lm.emb_mean"]
        self._input = Linear(projection * std, projection @ mean)
        self._upsample = _Upsample(weights["upsample.convtr.convtr.weight"])
        self._transformer = _Transformer(
            self.config.decoder_attention, weights.below("decoder_transformer")
        )
        self._layers = _seanet_layers(self.config.decoder_net, weights.below("decoder.model"))

    def new_state(self, slots: int, frames: int = 1) -> DecoderState:
        """Zero-filled state for `slots` streams and calls of at most `frames` frames."""
        history = [self._upsample.history]
        for layer in self._layers:
            history.extend(layer.histories)
        return DecoderState(self.config, slots, history, frames)

    def decode(self, latents: Tensor, state: DecoderState, slots: Sequence[int]) -> Tensor:
        """Decodes the next frames of several streams.

        Args:
            latents: [B, T, latent width], normalised.
            state: where the streams left off; it moves on by T frames.
            slots: the slot of each row.

        Returns:
            PCM [B, T * frame size] float32, around [-1, 1].
        """
        rows = _rows(slots)
        memory = _History(state.history, rows, [state.positions[slot] == 0 for slot in slots])
        x = self._upsample(self._input(latents), memory)
        x = self._transformer(x, state, slots)
        for layer in self._layers:
            x = layer(x, memory)
        for slot in slots:
            state.positions[slot] += latents.shape[1] * self.config.positions_per_frame
        return x[..., 0]


def _rows(slots: Sequence[int]) -> Rows:
    first = slots[0]
    if list(slots) == list(range(first, first + len(slots))):
        return slice(first, first + len(slots))
    return torch.tensor(list(slots), dtype=torch.int64)


class _History:
    """Hands each convolution its own rows of the state, in the order in which the decoder runs."""

    def __init__(self, tensors: list[Tensor], rows: Rows, fresh: list[bool]) -> None:
        self._tensors = tensors
        self._rows = rows
        self._next = 0
        self.fresh = fresh

    def extend(self, x: Tensor, replicate: bool = False) -> Tensor:
        """The kept rows followed by x, along time; keeps the newest rows for the next call."""
        tensor = self._tensors[self._next]
        self._next += 1
        kept = tensor.shape[1]
        if kept == 0:
            return x
        before = tensor[self._rows]
        if replicate and any(self.fresh):
            fresh = torch.tensor(self.fresh)[:, None, None]
            before = torch.where(fresh, x[:, :1], before)
        joined = torch.cat([before, x], dim=1)
        tensor[self._rows] = joined[:, -kept:]
        return joined


class _Layer:
    """A step of the decoder; `histories` lists (rows, channels) that its convolutions keep."""

    histories: tuple[tuple[int, int], ...] = ()

    def __call__(self, x: Tensor, memory: _History) -> Tensor:
        raise NotImplementedError


class _Elu(_Layer):
    def __call__(self, x: Tensor, memory: _History) -> Tensor:
        return functional.elu(x)


class _Conv(_Layer):
    """Causal convolution, stride 1: [B, T, C] -> [B, T, C']."""

    def __init__(self, weights: Weights, dilation: int = 1, replicate: bool = False) -> None:
        weight = weights["weight"]
        outputs, inputs, self._kernel = weight.shape
        self._dilation = dilation
        self._replicate = replicate
        self._product = Linear(weight.transpose(1, 2).reshape(outputs, -1), weights["bias"])
        self.histories = (((self._kernel - 1) * dilation, inputs),)

    def __call__(self, x: Tensor, memory: _History) -> Tensor:
        length = x.shape[1]
        joined = memory.extend(x, self._replicate)
        if self._kernel == 1:
            return self._product(joined)
        starts = range(0, self._kernel * self._dilation, self._dilation)
        return self._product(torch.cat([joined[:, s : s + length] for s in starts], dim=-1))


class _TransposedConv(_Layer):
    """Transposed convolution, kernel 2s and stride s: [B, T, C] -> [B, T * s, C']."""

    def __init__(self, weights: Weights, stride: int) -> None:
        weight = weights["weight"]
        inputs, self._outputs, kernel = weight.shape
        if kernel != 2 * stride:
            raise ValueError(f"transposed convolution: kernel {kernel} is not 2 x {stride}")
        # Output row t*s + j takes weight j + s of the row before and weight j of its own row.
        newest, before = weight[..., :stride], weight[..., stride:]
        stacked = torch.cat([before, newest]).permute(2, 1, 0).reshape(stride * self._outputs, -1)
        self._product = Linear(stacked, weights["bias"].repeat(stride))
        self.histories = ((1, inputs),)

    def __call__(self, x: Tensor, memory: _History) -> Tensor:
        batch, length, _ = x.shape
        joined = memory.extend(x)
        y = self._product(torch.cat([joined[:, :length], joined[:, 1:]], dim=-1))
        return y.view(batch, -1, self._outputs)


class _Residual(_Layer):
    """x + conv1(elu(convk(elu(x))))."""

    def __init__(self, weights: Weights, dilation: int, replicate: bool) -> None:
        self._first = _Conv(weights.below("block.1.conv"), dilation, replicate)
        self._second = _Conv(weights.below("block.3.conv"), 1, replicate)
        self.histories = (*self._first.histories, *self._second.histories)

    def __call__(self, x: Tensor, memory: _History) -> Tensor:
        h = self._first(functional.elu(x), memory)
        return x + self._second(functional.elu(h), memory)


class _Upsample:
    """Depthwise transposed convolution without bias, kernel 2s and stride s."""

    def __init__(self, weight: Tensor) -> None:
        channels, _, kernel = weight.shape
        stride = kernel // 2
        taps = weight[:, 0].t().contiguous()
        self._newest, self._before = taps[:stride], taps[stride:]
        self.history = (1, channels)

    def __call__(self, x: Tensor, memory: _History) -> Tensor:
        batch, length, channels = x.shape
        joined = memory.extend(x)[:, :, None]
        y = joined[:, 1:] * self._newest + joined[:, :length] * self._before
        return y.view(batch, -1, channels)


def _seanet_layers(config: SEANetConfig, weights: Weights) -> list[_Layer]:
    replicate = config.pad_mode == "replicate"
    layers: list[_Layer] = [_Conv(weights.below("0.conv"), 1, replicate)]
    index = 1
    for ratio in config.ratios:
        layers += [_Elu(), _TransposedConv(weights.below(f"{index + 1}.convtr"), ratio)]
        index += 2
        for block in range(config.n_residual_layers):
            dilation = config.dilation_base**block
            layers.append(_Residual(weights.below(str(index)), dilation, replicate))
            index += 1
    layers += [_Elu(), _Conv(weights.below(f"{index + 1}.conv"), 1, replicate)]
    return layers


class _Transformer:
    """Windowed causal transformer over the upsampled latents."""

    def __init__(self, config: MimiTransformerConfig, weights: Weights) -> None:
        self._context = config.context
        width = config.d_model
        self._input = (
            Linear.load(weights.below("input_proj")) if config.input_dimension != width else None
        )
        self._output = (
            Linear.load(weights.below("output_projs.0"))
            if config.output_dimensions[0] != width
            else None
        )
        self._layers = [
            _TransformerLayer(config, weights.below(f"transformer.layers.{index}"), index)
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
        """Additive mask [T, min(start + T, R)] for queries start.. over ring places.

        Once the ring is full it depends on where in the ring the newest position lies, so there are only
        2 R / (positions per frame) masks for each T, and they are kept.
        """
        full = start + length >= ring
        key = (start % ring + (ring if full else 0), length, ring)
        if key not in self._masks:
            end = start + length
            place = torch.arange(min(end, ring))
            # The position that each ring place holds after this call's positions are written.
            position = end - 1 - (end - 1 - place) % ring
            query = torch.arange(start, end)[:, None]
            visible = (position <= query) & (query - position < self._context)
            mask = torch.zeros(length, len(place)).masked_fill_(~visible, float("-inf"))
            self._masks[key] = mask
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


class _TransformerLayer:
    """Pre-norm layer; its layer scales are folded into the products before them."""

    def __init__(self, config: MimiTransformerConfig, weights: Weights, index: int) -> None:
        self._index = index
        self._heads = config.num_heads
        self._width = config.head_width
        scale1, scale2 = weights["layer_scale_1.scale"], weights["layer_scale_2.scale"]
        self._qkv = Linear.load(weights.below("self_attn.in_proj"))
        self._out = Linear(weights["self_attn.out_proj.weight"] * scale1[:, None])
        self._norm1 = LayerNorm(weights.below("norm1"))
        self._norm2 = LayerNorm(weights.below("norm2"))
        self._feedforward = FeedForward(
            Linear.load(weights.below("linear1")),
            Linear(weights["linear2.weight"] * scale2[:, None]),
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
            seen = place.mask.shape[1]
            attended.append(
                functional.scaled_dot_product_attention(
                    turned[row : row + 1, : self._heads],
                    all_keys[None, :, :seen],
                    all_values[None, :, :seen],
                    place.mask,
                )
            )
        rows = attended[0] if batch == 1 else torch.cat(attended)
        x = x + self._out(rows.transpose(1, 2).reshape(batch, length, -1))
        return x + self._feedforward(self._norm2(x))
