"""y = activation(x @ weight.T + bias): the plain product and those by oneDNN in floating point.

A row's result must not depend on the rows beside it (ADR 0004): `PackedLinear` keeps away from the one kernel of oneDNN (a
single row) that sums in another order. Plain float32 products (MKL's) do depend on the number of rows; they are for machines
without the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

Activation = Literal["none", "gelu", "silu"]

# Rows that a packed layout is made for: between one decode step and a prefill.
PACKED_ROWS = 16
INT8_MAX = 127


@dataclass(frozen=True)
class Int8Weight:
    """A weight matrix in 8 bits.

    Attributes:
        values: [outputs, inputs] int8.
        scales: [outputs] float32; row i stands for values[i] * scales[i].
    """

    values: Tensor
    scales: Tensor

    @classmethod
    def quantise(cls, weight: Tensor) -> Int8Weight:
        """Symmetric, one scale per output row, as upstream's recipe does it."""
        scales = (weight.abs().amax(dim=1) / INT8_MAX).clamp_min(torch.finfo(torch.float32).eps)
        values = torch.round(weight / scales[:, None]).clamp_(-INT8_MAX, INT8_MAX)
        return cls(values.to(torch.int8), scales)

    def dequantise(self) -> Tensor:
        """[outputs, inputs] float32."""
        return self.values * self.scales[:, None]


Weight = Tensor | Int8Weight


class Linear:
    """y = activation(x @ weight.T + bias) over the last of at least two dimensions, in plain float32.

    Every other kernel is a subclass with the same call; `activation` is applied after the bias. `skewed` says that inputs
    come out of a GELU: they reach far above zero and little below.
    """

    def __init__(
        self, weight: Weight, bias: Tensor | None, activation: Activation, skewed: bool = False
    ) -> None:
        self._bias = bias
        self._activation = activation
        self._skewed = skewed
        self._pack(weight)

    def __call__(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        """The product, with `residual` added to it in the end where there is one."""
        y = self._activate(functional.linear(x, self._weight, self._bias))
        return y if residual is None else residual + y

    def _pack(self, weight: Weight) -> None:
        self._weight = as_floats(weight).contiguous()

    def _activate(self, y: Tensor) -> Tensor:
        if self._activation == "gelu":
            return functional.gelu(y, approximate="tanh")
        return functional.silu(y) if self._activation == "silu" else y


# The same for oneDNN: name, scalars and algorithm of what it does to the result while it is still in registers.
_EPILOGUES: dict[Activation, tuple[str, list[float], str]] = {
    "none": ("none", [], ""),
    "gelu": ("gelu", [], "tanh"),
    "silu": ("swish", [], ""),
}


class PackedLinear(Linear):
    """float32 by oneDNN, with the weight in the layout that its product likes best."""

    def _pack(self, weight: Weight) -> None:
        floats = as_floats(weight).contiguous()
        self._inputs = floats.shape[1]
        self._packed = torch.ops.mkldnn._reorder_linear_weight(floats, PACKED_ROWS)
        self._epilogue = _EPILOGUES[self._activation]

    def __call__(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        # One row alone would be summed in another order, and is no faster.
        alone = x.numel() == self._inputs
        y = self._multiply(torch.cat((x, x)))[:1] if alone else self._multiply(x)
        return y if residual is None else residual + y

    def _multiply(self, x: Tensor) -> Tensor:
        result: Tensor = torch.ops.mkldnn._linear_pointwise(
            x, self._packed, self._bias, *self._epilogue
        )
        return result


class Bf16Linear(Linear):
    """bfloat16 by oneDNN, packed; float32 outside."""

    def _pack(self, weight: Weight) -> None:
        self._packed = torch.ops.mkldnn._reorder_linear_weight(
            as_floats(weight).contiguous().bfloat16(), PACKED_ROWS
        )
        self._half_bias = None if self._bias is None else self._bias.bfloat16()

    def __call__(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        result: Tensor = torch.ops.mkldnn._linear_pointwise(
            x.bfloat16(), self._packed, self._half_bias, "none", [], ""
        )
        y = self._activate(result.float())
        return y if residual is None else residual + y


def as_floats(weight: Weight) -> Tensor:
    """The weight in float32."""
    return weight.dequantise() if isinstance(weight, Int8Weight) else weight
