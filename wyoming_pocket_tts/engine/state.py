"""What changes while the model speaks, as typed, zero-filled tensors that are passed in and never hidden.

Zero-filled, not NaN: attention multiplies masked values by zero, and 0 x NaN is NaN.

Letters: S slots, L layers, H heads, T time, D head width, C channels, R ring positions.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from wyoming_pocket_tts.engine.config import FlowLMTransformerConfig, MimiConfig
from wyoming_pocket_tts.engine.pages import prefer_huge

# A slot's cache grows in steps of so many positions, so that sequences of many lengths use few sizes.
_CACHE_STEP = 128

# Rows of a state tensor: a slice where they stand side by side (no copy), else their numbers.
Rows = slice | Tensor


@dataclass(frozen=True)
class VoiceState:
    """The attention prefix of a voice: what FlowLM remembers of the reference audio.

    Attributes:
        keys: per layer [T, kv_heads, D] float32, after rotation.
        values: per layer [T, kv_heads, D] float32.
    """

    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]

    @property
    def length(self) -> int:
        """Positions of the prefix (T)."""
        return int(self.keys[0].shape[0])

    @property
    def nbytes(self) -> int:
        """Memory of all layers."""
        return sum(tensor.nbytes for tensor in (*self.keys, *self.values))


class FlowCache:
    """Keys and values of one sequence in FlowLM: full causal attention, so one entry per position.

    Attributes:
        keys, values: [L, kv_heads, capacity, D], all of one type.
        length: positions in use.
    """

    def __init__(
        self,
        config: FlowLMTransformerConfig,
        capacity: int = 0,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self._config = config
        self._dtype = dtype
        self.length = 0
        self._allocate(capacity)

    @property
    def capacity(self) -> int:
        """Positions there is room for."""
        return int(self.keys.shape[2])

    @property
    def nbytes(self) -> int:
        """Memory, used or not."""
        return self.keys.nbytes + self.values.nbytes

    def start(self, voice: VoiceState, positions: int) -> None:
        """Forgets what was there, makes room for `positions` in all and copies the voice prefix in."""
        if positions > self.capacity:
            self._allocate(-(-positions // _CACHE_STEP) * _CACHE_STEP)
        self.length = voice.length
        for layer, (keys, values) in enumerate(zip(voice.keys, voice.values, strict=True)):
            self.keys[layer, :, : voice.length] = keys.transpose(0, 1)
            self.values[layer, :, : voice.length] = values.transpose(0, 1)

    def export(self) -> VoiceState:
        """A copy of the whole cache as a voice state."""
        keys = self.keys[:, :, : self.length].transpose(1, 2)
        values = self.values[:, :, : self.length].transpose(1, 2)
        return VoiceState(
            tuple(_copied(layer) for layer in keys),
            tuple(_copied(layer) for layer in values),
        )

    def _allocate(self, capacity: int) -> None:
        config = self._config
        shape = (config.num_layers, config.kv_heads, capacity, config.head_width)
        # The old tensors go first: two generations at once would double the peak.
        self.keys = torch.empty(0, 0, 0, 0)
        self.values = torch.empty(0, 0, 0, 0)
        self.keys = torch.zeros(shape, dtype=self._dtype)
        self.values = torch.zeros(shape, dtype=self._dtype)
        # Attention reads all of it in every step; the pages come when it is first written to.
        prefer_huge(self.keys)
        prefer_huge(self.values)


class DecoderState:
    """The Mimi decoder's memory for S slots.

    Attributes:
        history: per convolution (in the order of the decoder) the input rows it still needs, [S, rows, C].
        keys, values: ring buffers of the transformer, [L, S, H, R, D].
        positions: per slot, how many transformer positions it has seen (host integers).
        ring: R, a multiple of the positions per frame, so that one frame never wraps.
    """

    def __init__(
        self, config: MimiConfig, slots: int, history: list[tuple[int, int]], frames: int
    ) -> None:
        """Zero-filled state.

        Args:
            config: the codec's configuration.
            slots: S.
            history: rows and channels that each convolution keeps.
            frames: the most frames that one call will decode.
        """
        attention = config.decoder_attention
        step = config.positions_per_frame
        # The oldest query of a call of `frames` frames must still see its whole context after the
        # newest position has been written.
        self.ring = -(-(attention.context + step * frames - 1) // step) * step
        self.positions = [0] * slots
        self.history = [torch.zeros(slots, rows, channels) for rows, channels in history]
        shape = (attention.num_layers, slots, attention.num_heads, self.ring, attention.head_width)
        self.keys = torch.zeros(shape)
        self.values = torch.zeros(shape)

    @property
    def nbytes(self) -> int:
        """Memory of all slots."""
        rows = sum(tensor.nbytes for tensor in self.history)
        return rows + self.keys.nbytes + self.values.nbytes

    def ensure(self, slots: int) -> None:
        """Makes room for at least so many slots; those there are keep what they hold.

        Most homes never speak in eight rooms at once, and a slot of the base model is 2.6 MB.
        """
        more = slots - len(self.positions)
        if more <= 0:
            return
        self.positions += [0] * more
        self.history = [_grown(tensor, 0, more) for tensor in self.history]
        self.keys = _grown(self.keys, 1, more)
        self.values = _grown(self.values, 1, more)

    def reset(self, slot: int) -> None:
        """Makes a slot as good as new: a reused slot remembers nothing.

        The ring needs no clearing: positions that were not written since are masked by `positions`. It is cleared all
        the same where a stale non-finite value could survive a mask (0 x inf is NaN).
        """
        self.positions[slot] = 0
        for tensor in self.history:
            tensor[slot] = 0
        self.keys[:, slot] = 0
        self.values[:, slot] = 0


def _copied(tensor: Tensor) -> Tensor:
    return tensor.to(torch.float32, copy=True, memory_format=torch.contiguous_format)


def _grown(tensor: Tensor, dim: int, more: int) -> Tensor:
    """The tensor with `more` zeros at the end of a dimension."""
    shape = list(tensor.shape)
    shape[dim] = more
    return torch.cat((tensor, torch.zeros(shape)), dim)
