"""Matrix products: one weight, several ways to multiply by it.

A kernel packs a weight once, at load, and multiplies by it from then on. Which of them is fastest depends on the machine, so they
stand behind one interface, each with the accuracy it keeps:

    exact    float32 products; only the order of summation differs (over 100 dB against the reference)
    bf16     weights and inputs rounded to bfloat16 (about 40 dB)
    int8     weights in 8 bits with a scale per output row, inputs in 8 bits or more with a scale per row (over 30 dB)

What they are made of differs between releases of torch and between processors: `available` tries each of them once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Literal

import torch
from torch import Tensor

from wyoming_pocket_tts.engine.int8_linear import (
    Int8Linear,
    OneDnnInt8Linear,
    QnnpackInt8Linear,
)
from wyoming_pocket_tts.engine.linear import (
    Activation,
    Bf16Linear,
    Linear,
    PackedLinear,
    Weight,
    activate,
)
from wyoming_pocket_tts.engine.native_linear import (
    NativeInt8Linear,
    NativeLinear,
    native_activation,
)

Accuracy = Literal["exact", "bf16", "int8"]

# In a plan: the exact kernel to use on this machine.
EXACT = "exact"

# Exact kernels whose rows do not depend on each other, the usual one first.
_INDEPENDENT = ("float32-native", "float32-packed")


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
        Kernel("float32-native", "exact", NativeLinear),
        Kernel("int8-native", "int8", NativeInt8Linear),
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


def exact_kernel() -> str:
    """The exact kernel to use here: one whose rows are independent, and which is fast, where there is one."""
    return next((name for name in _INDEPENDENT if available(name)), "float32")


def make_linear(
    weight: Weight,
    bias: Tensor | None = None,
    kernel: str = EXACT,
    activation: Activation = "none",
    *,
    skewed: bool = False,
) -> Linear:
    """A product by one of `KERNELS`; `EXACT` is the exact one to use here."""
    return _kernel(kernel).make(weight, bias, activation, skewed)


def _kernel(name: str) -> Kernel:
    """The kernel that a plan means."""
    return KERNELS[exact_kernel() if name == EXACT else name]


def reads_windows(kernel: str) -> bool:
    """Whether an exact kernel takes rows that overlap as they are; others are given copies."""
    return _kernel(kernel).make is NativeLinear


def activation_of(kernel: str) -> Callable[[Tensor, Activation], Tensor]:
    """What applies an activation alone, beside products of this kernel."""
    return native_activation if reads_windows(kernel) else activate


@dataclass(frozen=True)
class KernelPlan:
    """Which kernel does which part of the model. Parts not named are too small to matter and stay exact.

    Attributes:
        transformer: FlowLM's attention and feed-forward products.
        head: the flow head.
        codec: Mimi's decoder.
        attention: FlowLM's keys and values, one of `attention.ATTENTION`.
    """

    transformer: str = EXACT
    head: str = EXACT
    codec: str = EXACT
    attention: str = EXACT
