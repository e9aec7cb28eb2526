"""Mimi's decoder: latents to PCM, several streams and several frames in one call.

Everything is time-major, [B, T, C], and every convolution is one matrix product over rows: a convolution reads its
last k rows side by side, a transposed convolution with kernel 2s and stride s reads the last two rows and writes s rows
(so its memory is one input row, and nothing has to be overlapped and added). Attention has a window, so its memory is a
ring buffer and a frame costs the same however long the stream is.

Does not know: where latents come from, or that text exists.

Sources: Mimi (Moshi, arXiv 2410.00037), SEANet; layout and numbers as in `pocket-tts` 4.0.1.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from wyoming_pocket_tts.engine.config import ModelConfig, SEANetConfig
from wyoming_pocket_tts.engine.kernels import EXACT, make_linear
from wyoming_pocket_tts.engine.layers import Tensors, Weights
from wyoming_pocket_tts.engine.mimi_transformer import MimiTransformer
from wyoming_pocket_tts.engine.state import DecoderState, Rows


class MimiDecoder:
    """The decoder half of the codec, with the model's latent statistics folded into its first product."""

    def __init__(self, config: ModelConfig, tensors: Tensors, kernel: str = EXACT) -> None:
        """Builds the decoder from a checkpoint's tensors (`mimi.*`, `flow_lm.emb_*`)."""
        self.config = config.mimi
        weights = Weights(tensors, "mimi.")
        projection = weights["quantizer.output_proj.weight"][:, :, 0]
        # latent * std + mean, then the projection: one product with a bias.
        statistics = Weights(tensors, "flow_lm.")
        std, mean = statistics["emb_std"], statistics["emb_mean"]
        self._input = make_linear(projection * std, projection @ mean)
        self._upsample = _Upsample(weights["upsample.convtr.convtr.weight"])
        self._transformer = MimiTransformer(
            self.config.decoder_attention, weights.below("decoder_transformer"), kernel
        )
        self._layers = _seanet_layers(
            self.config.decoder_net, weights.below("decoder.model"), kernel
        )

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
        return _elu(x)


def _elu(x: Tensor) -> Tensor:
    """x where it is positive, else exp(x) - 1: torch's own takes more than twice as long to be as right near zero."""
    below = x.clamp(max=0).exp_().sub_(1)
    return torch.maximum(below, x, out=below)


class _Conv(_Layer):
    """Causal convolution, stride 1: [B, T, C] -> [B, T, C']."""

    def __init__(
        self,
        weights: Weights,
        dilation: int = 1,
        replicate: bool = False,
        kernel: str = EXACT,
    ) -> None:
        weight = weights["weight"]
        outputs, inputs, self._kernel = weight.shape
        self._dilation = dilation
        self._replicate = replicate
        bias = weights["bias"]
        # Rows side by side and one product, or the products of single rows, added up: whichever moves less memory.
        self._adds = self._kernel > 1 and outputs < inputs
        if self._adds:
            rows = weight.permute(2, 0, 1).reshape(-1, inputs)
            bias = torch.cat([torch.zeros((self._kernel - 1) * outputs), bias])
        else:
            rows = weight.transpose(1, 2).reshape(outputs, -1)
        self._product = make_linear(rows, bias, kernel)
        self.histories = (((self._kernel - 1) * dilation, inputs),)

    def __call__(self, x: Tensor, memory: _History) -> Tensor:
        length = x.shape[1]
        joined = memory.extend(x, self._replicate)
        if self._kernel == 1:
            return self._product(joined)
        starts = range(0, self._kernel * self._dilation, self._dilation)
        if self._adds:
            taps = self._product(joined).chunk(self._kernel, dim=-1)
            first, *others = (tap[:, s : s + length] for s, tap in zip(starts, taps, strict=True))
            y = first + others[0]
            for other in others[1:]:
                y.add_(other)
            return y
        return self._product(torch.cat([joined[:, s : s + length] for s in starts], dim=-1))


class _TransposedConv(_Layer):
    """Transposed convolution, kernel 2s and stride s: [B, T, C] -> [B, T * s, C']."""

    def __init__(self, weights: Weights, stride: int, kernel: str = EXACT) -> None:
        weight = weights["weight"]
        inputs, self._outputs, taps = weight.shape
        if taps != 2 * stride:
            raise ValueError(f"transposed convolution: kernel {taps} is not 2 x {stride}")
        # Output row t*s + j takes weight j + s of the row before and weight j of its own row.
        newest, before = weight[..., :stride], weight[..., stride:]
        stacked = torch.cat([before, newest]).permute(2, 1, 0).reshape(stride * self._outputs, -1)
        self._product = make_linear(stacked, weights["bias"].repeat(stride), kernel)
        self.histories = ((1, inputs),)

    def __call__(self, x: Tensor, memory: _History) -> Tensor:
        batch, length, _ = x.shape
        joined = memory.extend(x)
        y = self._product(torch.cat([joined[:, :length], joined[:, 1:]], dim=-1))
        return y.view(batch, -1, self._outputs)


class _Residual(_Layer):
    """x + conv1(elu(convk(elu(x))))."""

    def __init__(self, weights: Weights, dilation: int, replicate: bool, kernel: str) -> None:
        self._first = _Conv(weights.below("block.1.conv"), dilation, replicate, kernel)
        self._second = _Conv(weights.below("block.3.conv"), 1, replicate, kernel)
        self.histories = (*self._first.histories, *self._second.histories)

    def __call__(self, x: Tensor, memory: _History) -> Tensor:
        h = self._first(_elu(x), memory)
        return self._second(_elu(h), memory).add_(x)


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


def _seanet_layers(config: SEANetConfig, weights: Weights, kernel: str) -> list[_Layer]:
    replicate = config.pad_mode == "replicate"
    layers: list[_Layer] = [_Conv(weights.below("0.conv"), 1, replicate, kernel)]
    index = 1
    for ratio in config.ratios:
        layers += [_Elu(), _TransposedConv(weights.below(f"{index + 1}.convtr"), ratio, kernel)]
        index += 2
        for block in range(config.n_residual_layers):
            dilation = config.dilation_base**block
            layers.append(_Residual(weights.below(str(index)), dilation, replicate, kernel))
            index += 1
    layers += [_Elu(), _Conv(weights.below(f"{index + 1}.conv"), 1, replicate, kernel)]
    return layers
