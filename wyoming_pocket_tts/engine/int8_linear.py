"""Products with weights in 8 bits and inputs in 8 bits, by three libraries.

Inputs are never quantised with a scale that rows share (ADR 0004): each row is counted in steps of its own size, the product is
made of small integers, and its rows are multiplied by their steps afterwards.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import torch
from torch import Tensor

from wyoming_pocket_tts.engine.linear import INT8_MAX, PACKED_ROWS, Int8Weight, Linear, Weight

# What comes out of a GELU is held to reach at most this many times less far below zero than above.
_SKEW = 4
# 2 * sqrt(2 / pi) and 0.044715 times as much: the tanh-approximated GELU's two factors (arXiv 1606.08415).
_GELU_1 = torch.tensor(2 * math.sqrt(2 / math.pi))
_GELU_3 = 2 * math.sqrt(2 / math.pi) * 0.044715
# A row of zeros has no scale to be divided by.
_SMALLEST = torch.tensor(1e-14)

# What `_full_range_is_safe` has found out.
_SAFE: dict[type[Int8Linear], bool] = {}


class Int8Linear(Linear):
    """8-bit weights by fbgemm (x86-64), inputs quantised row by row."""

    # The least number that stands for an input.
    _lowest = 0

    def _pack(self, weight: Weight) -> None:
        below = 1 / _SKEW if self._skewed else 1.0
        self._step = (1 + below) / self._levels()
        self._zero = self._lowest + round(below / self._step)
        self._prepack(weight if isinstance(weight, Int8Weight) else Int8Weight.quantise(weight))

    def __call__(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        if self._skewed:
            # Not `aminmax`, which takes ten times as long as both.
            low, high = x.amin(dim=-1, keepdim=True), x.amax(dim=-1, keepdim=True)
            largest = torch.maximum(high, low.mul_(-_SKEW))
        else:
            largest = x.abs().amax(dim=-1, keepdim=True)
        scale = torch.add(_SMALLEST, largest, alpha=self._step)
        y = self._multiply(x / scale)
        y = y.mul_(scale) if self._bias is None else torch.addcmul(self._bias, y, scale)
        return self._finish(y, residual)

    def _activate(self, y: Tensor) -> Tensor:
        if self._activation != "gelu":
            return super()._activate(y)
        # The tanh-approximated GELU, y * (1 + tanh(u)) / 2 = y * sigmoid(2 * u), in half of its time.
        twice_u = torch.addcmul(_GELU_1, y, y, value=_GELU_3).mul_(y)
        return twice_u.sigmoid_().mul_(y)

    def _levels(self) -> int:
        """Steps between the least and the largest input."""
        return 2 * INT8_MAX if _full_range_is_safe(type(self)) else INT8_MAX

    def _prepack(self, small: Int8Weight) -> None:
        # The bias is added outside: inside it would be scaled with the row.
        self._packed = _quantised_tensor_pack(small, "fbgemm")

    def _multiply(self, steps: Tensor) -> Tensor:
        """The product of rows that are counted in steps around zero."""
        product: Tensor = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(
            steps, 1.0, self._zero, self._packed
        )
        return product


class OneDnnInt8Linear(Int8Linear):
    """8-bit weights by oneDNN, which knows AMX, VNNI and ARM; inputs quantised row by row."""

    _lowest = -INT8_MAX

    def _prepack(self, small: Int8Weight) -> None:
        self._scales = small.scales
        self._zeros = torch.zeros(len(small.scales), dtype=torch.int64)
        self._packed = torch.ops.onednn.qlinear_prepack(
            small.values.contiguous(), [PACKED_ROWS, small.values.shape[1]]
        )

    def _multiply(self, steps: Tensor) -> Tensor:
        numbers = (steps.add_(self._zero) if self._zero else steps).round_().to(torch.int8)
        # A scale of one: another would be multiplied in before or after the weights' ones, depending on the number of rows.
        product: Tensor = torch.ops.onednn.qlinear_pointwise.default(
            *(numbers, 1.0, self._zero, self._packed, self._scales, self._zeros, None),
            *(1.0, 0, torch.float32, "none", [], ""),
        )
        return product


class QnnpackInt8Linear(Int8Linear):
    """8-bit weights by qnnpack, on ARM. Its input scale is shared by all rows, nearly equal as they have been made."""

    def _levels(self) -> int:
        return 2 * INT8_MAX

    def _prepack(self, small: Int8Weight) -> None:
        self._packed = _quantised_tensor_pack(small, "qnnpack")

    def _multiply(self, steps: Tensor) -> Tensor:
        product: Tensor = torch.ops.quantized.linear_dynamic(steps, self._packed, False)
        return product


def _quantised_tensor_pack(small: Int8Weight, engine: str) -> Any:
    """The weight as the operators of `torch.ops.quantized` want it."""
    zeros = torch.zeros(len(small.scales), dtype=torch.int64)
    before = torch.backends.quantized.engine
    with warnings.catch_warnings():
        # torch means to replace its quantised tensors; `available` notices when it has.
        warnings.simplefilter("ignore")
        torch.backends.quantized.engine = engine
        try:
            quantised = torch._make_per_channel_quantized_tensor(
                small.values.contiguous(), small.scales, zeros, 0
            )
            return torch.ops.quantized.linear_prepack(quantised, None)
        finally:
            torch.backends.quantized.engine = before


def _full_range_is_safe(kernel: type[Int8Linear]) -> bool:
    """Whether a kernel's inputs may use all 8 bits.

    Processors without VNNI add pairs of products in 16 bits, which saturate when both are large; there the inputs are held
    to 7 bits, at the price of 6 dB.
    """
    if kernel not in _SAFE:

        class FullRange(kernel):  # type: ignore[misc, valid-type]
            def _levels(self) -> int:
                return 2 * INT8_MAX

        small = Int8Weight(torch.full((32, 64), INT8_MAX, dtype=torch.int8), torch.ones(32))
        x = torch.ones(1, 64)
        y = FullRange(small, None, "none")(x)
        _SAFE[kernel] = torch.allclose(y, x @ small.dequantise().t(), rtol=0.01)
    return _SAFE[kernel]
