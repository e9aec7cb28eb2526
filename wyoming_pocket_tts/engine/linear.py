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

Activation = Literal["none", "gelu", "silu", "elu"]

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
    """y = activation(x @ weight.T + bias + residual) over the last of at least two dimensions, in plain float32.

    Every other kernel is a subclass with the same call. `skewed` says that inputs come out of a GELU: they reach far above zero
    and little below.
    """

    def __init__(
        self, weight: Weight, bias: Tensor | None, activation: Activation, skewed: bool = False
    ) -> None:
        self._bias = bias
        self._activation = activation
        self._skewed = skewed
        self._pack(weight)

    def __call__(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        """The product of x [..., T, inputs]; `residual` is as large as the result."""
        return self._finish(functional.linear(x, self._weight, self._bias), residual)

    def _pack(self, weight: Weight) -> None:
        self._weight = as_floats(weight).contiguous()

    def _finish(self, y: Tensor, residual: Tensor | None) -> Tensor:
        return self._activate(y if residual is None else residual + y)

    def _activate(self, y: Tensor) -> Tensor:
        return activate(y, self._activation)


def activate(x: Tensor, activation: Activation) -> Tensor:
    """The activation of each value."""
    if activation == "gelu":
        return functional.gelu(x, approximate="tanh")
    if activation == "silu":
        return functional.silu(x)
    if activation == "elu":
        # exp(x) - 1 below zero: torch's own takes more than twice as long to be as right near zero.
        below = x.clamp(max=0).exp_().sub_(1)
        return torch.maximum(below, x, out=below)
    return x


# Activations for oneDNN, which applies them to the result while it is still in registers: name, scalars and algorithm.
_EPILOGUES: dict[Activation, tuple[str, list[float], str]] = {
    "gelu": ("gelu", [], "tanh"),
    "silu": ("swish", [], ""),
}
_NO_EPILOGUE: tuple[str, list[float], str] = ("none", [], "")


class PackedLinear(Linear):
    """float32 by oneDNN, with the weight in the layout that its product likes best."""

    def _pack(self, weight: Weight) -> None:
        floats = as_floats(weight).contiguous()
        self._inputs = floats.shape[1]
        self._packed = torch.ops.mkldnn._reorder_linear_weight(floats, PACKED_ROWS)

    def __call__(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        epilogue = None if residual is not None else _EPILOGUES.get(self._activation)
        # One row alone would be summed in another order, and is no faster.
        alone = x.numel() == self._inputs
        y: Tensor = torch.ops.mkldnn._linear_pointwise(
            torch.cat((x, x)) if alone else x, self._packed, self._bias, *(epilogue or _NO_EPILOGUE)
        )
        y = y[:1] if alone else y
        return y if epilogue else self._finish(y, residual)


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
        return self._finish(result.float(), residual)


def as_floats(weight: Weight) -> Tensor:
    """The weight in float32."""
    return weight.dequantise() if isinstance(weight, Int8Weight) else weight
