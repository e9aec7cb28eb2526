"""Matrix products: one weight, several ways to multiply by it.

A kernel packs a weight once, at load, and multiplies by it from then on. Which of them is fastest depends on the machine, so they
stand behind one interface, each with the accuracy it keeps:

    exact    float32 products; only the order of summation differs (over 100 dB against the reference)
    bf16     weights and inputs rounded to bfloat16 (about 40 dB)
    int8     weights in 8 bits with a scale per output row, inputs in 8 bits with a scale per row (over 30 dB)

A row's result must not depend on the rows beside it: then a request gives the same samples alone and in company, to the last
bit. So inputs are never quantised with a scale that rows share, and `PackedLinear` keeps away from the one kernel of oneDNN
(a single row) that sums in another order. Plain float32 products (MKL's) do depend on the number of rows; they are for
machines without the others.

What they are made of differs between releases of torch and between processors: `available` tries each of them once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

Accuracy = Literal["exact", "bf16", "int8"]
Activation = Literal["none", "gelu"]

# Rows that a packed layout is made for: between one decode step and a prefill.
_PACKED_ROWS = 16
_INT8_MAX = 127
# What comes out of a GELU is held to reach at most this many times less far below zero than above.
_SKEW = 4
# A row of zeros has no largest value to be divided by.
_SMALLEST = 1e-12

# In a plan: the exact kernel to use on this machine.
EXACT = "exact"


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
        scales = (weight.abs().amax(dim=1) / _INT8_MAX).clamp_min(torch.finfo(torch.float32).eps)
        values = torch.round(weight / scales[:, None]).clamp_(-_INT8_MAX, _INT8_MAX)
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

    def __call__(self, x: Tensor) -> Tensor:
        return self._activate(functional.linear(x, self._weight, self._bias))

    def _pack(self, weight: Weight) -> None:
        self._weight = _floats(weight).contiguous()

    def _activate(self, y: Tensor) -> Tensor:
        return functional.gelu(y, approximate="tanh") if self._activation == "gelu" else y


class PackedLinear(Linear):
    """float32 by oneDNN, with the weight in the layout that its product likes best."""

    def _pack(self, weight: Weight) -> None:
        floats = _floats(weight).contiguous()
        self._inputs = floats.shape[1]
        self._packed = torch.ops.mkldnn._reorder_linear_weight(floats, _PACKED_ROWS)
        # Name, scalars and algorithm of what oneDNN does to the result while it is still in registers.
        gelu = self._activation == "gelu"
        self._epilogue: tuple[str, list[float], str] = (
            ("gelu", [], "tanh") if gelu else ("none", [], "")
        )

    def __call__(self, x: Tensor) -> Tensor:
        if x.numel() == self._inputs:
            # One row alone would be summed in another order, and is no faster.
            return self._multiply(torch.cat((x, x)))[:1]
        return self._multiply(x)

    def _multiply(self, x: Tensor) -> Tensor:
        result: Tensor = torch.ops.mkldnn._linear_pointwise(
            x, self._packed, self._bias, *self._epilogue
        )
        return result


class Bf16Linear(Linear):
    """bfloat16 by oneDNN, packed; float32 outside."""

    def _pack(self, weight: Weight) -> None:
        self._packed = torch.ops.mkldnn._reorder_linear_weight(
            _floats(weight).contiguous().bfloat16(), _PACKED_ROWS
        )
        self._half_bias = None if self._bias is None else self._bias.bfloat16()

    def __call__(self, x: Tensor) -> Tensor:
        result: Tensor = torch.ops.mkldnn._linear_pointwise(
            x.bfloat16(), self._packed, self._half_bias, "none", [], ""
        )
        return self._activate(result.float())


class Int8Linear(Linear):
    """8-bit weights by fbgemm (x86-64), inputs quantised row by row."""

    engine: str = "fbgemm"

    def _pack(self, weight: Weight) -> None:
        small = weight if isinstance(weight, Int8Weight) else Int8Weight.quantise(weight)
        zeros = torch.zeros(len(small.scales), dtype=torch.int64)
        before = torch.backends.quantized.engine
        with warnings.catch_warnings():
            # torch means to replace its quantised tensors; `available` notices when it has.
            warnings.simplefilter("ignore")
            torch.backends.quantized.engine = self.engine
            try:
                quantised = torch._make_per_channel_quantized_tensor(
                    small.values.contiguous(), small.scales, zeros, 0
                )
                # The bias is added outside: inside it would be scaled with the row.
                self._packed = torch.ops.quantized.linear_prepack(quantised, None)
            finally:
                torch.backends.quantized.engine = before

    def __call__(self, x: Tensor) -> Tensor:
        if self._skewed:
            low, high = torch.aminmax(x, dim=-1, keepdim=True)
            largest = torch.maximum(high, low.mul_(-_SKEW))
        else:
            largest = x.abs().amax(dim=-1, keepdim=True)
        largest.clamp_min_(_SMALLEST)
        y = self._multiply(x / largest)
        y = y * largest if self._bias is None else torch.addcmul(self._bias, y, largest)
        return self._activate(y)

    def _multiply(self, x: Tensor) -> Tensor:
        """The product for rows that reach from -1 (skewed ones: -1 / _SKEW) to 1 at most."""
        levels = 2 * _INT8_MAX + 1 if _full_range_is_safe() else _INT8_MAX
        lowest = 1 / _SKEW if self._skewed else 1.0
        step = (1 + lowest) / levels
        product: Tensor = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(
            x, step, round(lowest / step), self._packed
        )
        return product


class OneDnnInt8Linear(Int8Linear):
    """8-bit weights by oneDNN, which also has kernels for ARM. Its input scale is shared by all rows, nearly equal as they
    have been made."""

    engine = "onednn"

    def _multiply(self, x: Tensor) -> Tensor:
        product: Tensor = torch.ops.quantized.linear_dynamic(x, self._packed, False)
        return product


class QnnpackInt8Linear(OneDnnInt8Linear):
    """The same by qnnpack, on ARM."""

    engine = "qnnpack"


@dataclass(frozen=True)
class Kernel:
    """A way to multiply, by name.

    Attributes:
        accuracy: what it keeps.
        make: packs a weight.
    """

    name: str
    accuracy: Accuracy
    make: Callable[[Weight, Tensor | None, Activation, bool], Linear]


KERNELS: dict[str, Kernel] = {
    kernel.name: kernel
    for kernel in (
        Kernel("float32", "exact", Linear),
        Kernel("float32-packed", "exact", PackedLinear),
        Kernel("bf16-packed", "bf16", Bf16Linear),
        Kernel("int8", "int8", Int8Linear),
        Kernel("int8-onednn", "int8", OneDnnInt8Linear),
        Kernel("int8-qnnpack", "int8", QnnpackInt8Linear),
    )
}


@cache
def available(name: str) -> bool:
    """Whether a kernel works here: a small product is made with it and compared."""
    generator = torch.Generator().manual_seed(0)
    weight = torch.randn(48, 32, generator=generator)
    bias = torch.randn(48, generator=generator)
    x = torch.randn(3, 32, generator=generator)
    try:
        got = KERNELS[name].make(weight, bias, "gelu", False)(x)
    except (RuntimeError, AttributeError, NotImplementedError):
        return False
    expected = Linear(weight, bias, "gelu")(x)
    error = (got - expected).norm() / expected.norm()
    # 25 dB: far below what each class promises, far above what a wrong product gives.
    return bool(error < 0.056)


@cache
def _full_range_is_safe() -> bool:
    """Whether fbgemm's inputs may use all 8 bits.

    Processors without VNNI add pairs of products in 16 bits, which saturate when both are large; there the inputs are held
    to 7 bits, at the price of 6 dB.
    """
    small = Int8Weight(torch.full((32, 64), _INT8_MAX, dtype=torch.int8), torch.ones(32))
    packed = Int8Linear(small, None, "none")._packed
    x = torch.ones(1, 64)
    y = torch.ops.quantized.linear_with_input_q_dq_qweight_dq_output_fp32(
        x, 1 / _INT8_MAX, _INT8_MAX + 1, packed
    )
    return bool(torch.allclose(y, x @ small.dequantise().t(), rtol=0.01))


def exact_kernel() -> str:
    """The exact kernel to use here: the packed one where there is one, for its speed and because its rows are independent."""
    return "float32-packed" if available("float32-packed") else "float32"


def make_linear(
    weight: Weight,
    bias: Tensor | None = None,
    kernel: str = EXACT,
    activation: Activation = "none",
    *,
    skewed: bool = False,
) -> Linear:
    """A product by one of `KERNELS`; `EXACT` is the exact one to use here."""
    name = exact_kernel() if kernel == EXACT else kernel
    return KERNELS[name].make(weight, bias, activation, skewed)


@dataclass(frozen=True)
class KernelPlan:
    """Which kernel does which part of the model. Parts not named are too small to matter and stay exact.

    Attributes:
        transformer: FlowLM's attention and feed-forward products.
        head: the flow head.
        codec: Mimi's decoder.
    """

    transformer: str = EXACT
    head: str = EXACT
    codec: str = EXACT


def _floats(weight: Weight) -> Tensor:
    return weight.dequantise() if isinstance(weight, Int8Weight) else weight
