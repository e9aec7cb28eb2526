"""FlowLM's attention in a decode step: one query of each of several rows, over the row's own cache.

Rows are never put into one call of attention: how many keys there are decides in which order they are summed, and a row's samples must
not depend on its company (ADR 0004).

Source: grouped-query attention (arXiv 2305.13245).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

from wyoming_pocket_tts.engine import native
from wyoming_pocket_tts.engine.config import FlowLMTransformerConfig
from wyoming_pocket_tts.engine.layers import rotate
from wyoming_pocket_tts.engine.state import FlowCache

# Of heads that the native kernel takes: a multiple, and the most.
_WIDTH_UNIT, _WIDEST = 32, 256


@dataclass(frozen=True)
class AttentionKind:
    """A way to attend, by name.

    Attributes:
        accuracy: what it keeps.
        dtype: of keys and values in the cache; bfloat16 is half the memory to read in every step.
        native: whether the native kernels do a decode step.
    """

    accuracy: Literal["exact", "bf16"]
    dtype: torch.dtype
    native: bool

    def available(self, config: FlowLMTransformerConfig) -> bool:
        """Whether it can be had here, for heads of this model."""
        if not self.native:
            return True
        width = config.head_width
        return native.library() is not None and width % _WIDTH_UNIT == 0 and width <= _WIDEST


ATTENTION: dict[str, AttentionKind] = {
    "exact": AttentionKind("exact", torch.float32, native=False),
    "bf16": AttentionKind("bf16", torch.bfloat16, native=False),
    "native": AttentionKind("exact", torch.float32, native=True),
    "native-bf16": AttentionKind("bf16", torch.bfloat16, native=True),
}


def attention_names(config: FlowLMTransformerConfig, allowed: Iterable[str]) -> list[str]:
    """Names of the kinds of these classes that come into question here, one a class, the most accurate first.

    The native ones where they are: float32 is to sound the same whatever was measured.
    """
    classes = set(allowed)
    native_ones = ATTENTION["native"].available(config)
    return [
        name
        for name, kind in ATTENTION.items()
        if kind.native == native_ones and kind.accuracy in classes
    ]


def split_heads(
    config: FlowLMTransformerConfig, packed: Tensor, rotations: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Rotated queries [T, H, D], rotated keys and plain values [T, kv_heads, D].

    Args:
        config: the transformer's.
        packed: [T, (H + 2 * kv_heads) * D], as the first product makes them.
        rotations: of the T positions, [T, 1, D/2] complex64.
    """
    heads, kv_heads = config.num_heads, config.kv_heads
    packed = packed.view(packed.shape[0], -1, config.head_width)
    turned = rotate(packed[:, : heads + kv_heads], rotations)
    return turned[:, :heads], turned[:, heads:], packed[:, heads + kv_heads :]


class StepAttention:
    """One decode step of several rows, layer by layer, by torch."""

    def __init__(
        self, config: FlowLMTransformerConfig, caches: Sequence[FlowCache], rotations: Tensor
    ) -> None:
        """For a step that appends one position to each cache.

        Args:
            config: the transformer's.
            caches: of the rows; whoever takes the step makes them longer afterwards.
            rotations: of the rows' positions, [B, 1, D/2] complex64.
        """
        self._config = config
        self._caches = caches
        self._rotations = rotations

    def __call__(self, layer: int, packed: Tensor) -> Tensor:
        """Appends keys and values and attends.

        Args:
            layer: its number.
            packed: queries, keys and values [B, (heads + 2 * kv_heads) * D] float32, not rotated.

        Returns:
            [B, heads * D] float32.
        """
        config = self._config
        queries, keys, values = split_heads(config, packed, self._rotations)
        # The query heads that share a key head are the "time" of one attention call, so that no
        # key is repeated: [B, kv_heads, group, D].
        group = config.num_heads // config.kv_heads
        queries = queries.reshape(-1, config.kv_heads, group, config.head_width)
        queries = queries.to(self._caches[0].keys.dtype)
        attended = []
        for row, kept in enumerate(self._caches):
            all_keys, all_values = kept.keys[layer], kept.values[layer]
            end = kept.length + 1
            all_keys[:, end - 1] = keys[row]
            all_values[:, end - 1] = values[row]
            attended.append(
                functional.scaled_dot_product_attention(
                    queries[row : row + 1], all_keys[None, :, :end], all_values[None, :, :end]
                )
            )
        rows = attended[0] if len(attended) == 1 else torch.cat(attended)
        return rows.reshape(len(self._caches), -1).float()


class _Shape(ctypes.Structure):
    """`wpt_attention` of native/kernels.h."""

    _fields_ = (
        ("heads", ctypes.c_int64),
        ("kv_heads", ctypes.c_int64),
        ("width", ctypes.c_int64),
        ("half", ctypes.c_int32),
    )


class _Kept(ctypes.Structure):
    """`wpt_cache` of native/kernels.h."""

    _fields_ = (
        ("keys", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("capacity", ctypes.c_int64),
        ("length", ctypes.c_int64),
    )


class NativeStepAttention(StepAttention):
    """The same by the native kernels: rotation, cache and attention of a layer in one call."""

    def __init__(
        self, config: FlowLMTransformerConfig, caches: Sequence[FlowCache], rotations: Tensor
    ) -> None:
        super().__init__(config, caches, rotations.contiguous())
        library = native.library()
        assert library is not None  # `AttentionKind.available`
        self._attend = library.wpt_attend
        self._shape = _shape(
            config.num_heads, config.kv_heads, config.head_width, caches[0].keys.dtype
        )
        if any(cache.length >= cache.capacity for cache in caches):
            raise ValueError("a cache has no room for another position")
        kept = [
            _Kept(cache.keys.data_ptr(), cache.values.data_ptr(), cache.capacity, cache.length)
            for cache in caches
        ]
        self._kept = (_Kept * len(kept))(*kept)

    def __call__(self, layer: int, packed: Tensor) -> Tensor:
        packed = packed.contiguous()
        rows = len(self._caches)
        out = packed.new_empty((rows, self._config.num_heads * self._config.head_width))
        failed = self._attend(
            ctypes.addressof(self._shape),
            layer,
            packed.data_ptr(),
            self._rotations.data_ptr(),
            ctypes.addressof(self._kept),
            rows,
            out.data_ptr(),
        )
        if failed:
            raise MemoryError("no memory for attention")
        return out


@cache
def _shape(heads: int, kv_heads: int, width: int, dtype: torch.dtype) -> _Shape:
    return _Shape(heads, kv_heads, width, dtype == torch.bfloat16)
