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
from wyoming_pocket_tts.engine.kernels import EXACT, activation_of, make_linear
from wyoming_pocket_tts.engine.layers import Tensors, Weights, windows
from wyoming_pocket_tts.engine.linear import Activation
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


class _Conv(_Layer):
    """Causal convolution, stride 1: [B, T, C] -> [B, T, C']."""

    def __init__(
        self,
        weights: Weights,
        dilation: int = 1,
        replicate: bool = False,
        kernel: str = EXACT,
        activation: Activation = "none",
    ) -> None:
        weight = weights["weight"]
        outputs, inputs, self._kernel = weight.shape
        self._dilation = dilation
        self._replicate = replicate
        rows = weight.transpose(1, 2).reshape(outputs, -1)
        self._product = make_linear(rows, weights["bias"], kernel, activation)
        self.histories = (((self._kernel - 1) * dilation, inputs),)

    def __call__(self, x: Tensor, memory: _History, residual: Tensor | None = None) -> Tensor:
        joined = memory.extend(x, self._replicate)
        return self._product(windows(joined, self._kernel, self._dilation), residual)


class _TransposedConv(_Layer):
    """Transposed convolution, kernel 2s and stride s: [B, T, C] -> [B, T * s, C']."""

    def __init__(
        self, weights: Weights, stride: int, kernel: str = EXACT, activation: Activation = "none"
    ) -> None:
        weight = weights["weight"]
        inputs, self._outputs, taps = weight.shape
        if taps != 2 * stride:
            raise ValueError(f"transposed convolution: kernel {taps} is not 2 x {stride}")
        # Output row t*s + j takes weight j + s of the row before and weight j of its own row.
        newest, before = weight[..., :stride], weight[..., stride:]
        stacked = torch.cat([before, newest]).permute(2, 1, 0).reshape(stride * self._outputs, -1)
        self._product = make_linear(stacked, weights["bias"].repeat(stride), kernel, activation)
        self.histories = ((1, inputs),)

    def __call__(self, x: Tensor, memory: _History) -> Tensor:
        y = self._product(windows(memory.extend(x), 2))
        return y.view(x.shape[0], -1, self._outputs)


class _Residual(_Layer):
    """x + conv1(elu(convk(elu(x)))), and the `activation` of it."""

    def __init__(
        self,
        weights: Weights,
        dilation: int,
        replicate: bool,
        kernel: str,
        activation: Activation,
    ) -> None:
        first, second = weights.below("block.1.conv"), weights.below("block.3.conv")
        self._elu = activation_of(kernel)
        self._first = _Conv(first, dilation, replicate, kernel, "elu")
        self._second = _Conv(second, 1, replicate, kernel, activation)
        self.histories = (*self._first.histories, *self._second.histories)

    def __call__(self, x: Tensor, memory: _History) -> Tensor:
        return self._second(self._first(self._elu(x, "elu"), memory), memory, x)


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
    """The layers; each ELU between them is applied by the layer before it."""
    replicate = config.pad_mode == "replicate"
    layers: list[_Layer] = [_Conv(weights.below("0.conv"), 1, replicate, kernel, "elu")]
    index = 1
    for ratio in config.ratios:
        # Of the transposed convolution and of each block, "elu" for the last of them.
        activations: list[Activation] = ["none" for _ in range(config.n_residual_layers)]
        activations.append("elu")
        layers.append(
            _TransposedConv(weights.below(f"{index + 1}.convtr"), ratio, kernel, activations[0])
        )
        index += 2
        for block, activation in enumerate(activations[1:]):
            dilation = config.dilation_base**block
            below = weights.below(str(index))
            layers.append(_Residual(below, dilation, replicate, kernel, activation))
            index += 1
    layers.append(_Conv(weights.below(f"{index + 1}.conv"), 1, replicate, kernel))
    return layers
