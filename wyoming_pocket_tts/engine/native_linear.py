"""Products by the native kernels: every weight is read once, in one stream, for all rows; a row's sums never depend on the rows beside it."""

from __future__ import annotations

import ctypes

import torch
from torch import Tensor
from torch.nn import functional

from wyoming_pocket_tts.engine import native
from wyoming_pocket_tts.engine.linear import Activation, Int8Weight, Linear, Weight, as_floats

# As in native/kernels.h.
_PAIR, _LINE = 2, 64
_ACTIVATIONS: dict[Activation, int] = {"none": 0, "gelu": 1, "silu": 2, "elu": 3}


class _Product(ctypes.Structure):
    """`wpt_linear` of native/kernels.h."""

    _fields_ = (
        ("weight", ctypes.c_void_p),
        ("scales", ctypes.c_void_p),
        ("bias", ctypes.c_void_p),
        ("inputs", ctypes.c_int64),
        ("outputs", ctypes.c_int64),
        ("activation", ctypes.c_int32),
    )


class NativeLinear(Linear):
    """float32. Rows of inputs may overlap, as windows of a convolution do: nothing is copied."""

    _function = "wpt_linear_float"

    def _pack(self, weight: Weight) -> None:
        floats = as_floats(weight)
        outputs, inputs = floats.shape
        panel = _library().wpt_panel(outputs)
        padded = functional.pad(floats, (0, 0, 0, -outputs % panel))
        panels = padded.view(-1, panel, inputs).transpose(1, 2).contiguous()
        self._keep(panels, None, outputs, inputs)

    def __call__(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        if x.shape[-1] != self._inputs or x.dtype != torch.float32:
            raise ValueError(
                f"inputs must be float32 [..., {self._inputs}], not {x.dtype} {tuple(x.shape)}"
            )
        y = x.new_empty((*x.shape[:-1], self._outputs))
        if x.stride(-1) != 1:
            x = x.contiguous()
        if x.dim() > 3:
            x = x.flatten(0, -3)
        batches, batch = (x.shape[0], x.stride(0)) if x.dim() == 3 else (1, 0)
        added = None if residual is None else residual.contiguous()
        failed = self._multiply(
            self._product,
            x.data_ptr(),
            batches,
            x.shape[-2],
            batch,
            x.stride(-2),
            native.address(added),
            y.data_ptr(),
        )
        if failed:
            raise MemoryError("no memory for a product")
        return y

    def _keep(self, weight: Tensor, scales: Tensor | None, outputs: int, inputs: int) -> None:
        """Remembers a weight in the order in which it is read."""
        self._multiply = getattr(_library(), self._function)
        self._outputs, self._inputs = outputs, inputs
        bias = None if self._bias is None else self._bias.contiguous()
        self._tensors = (weight, scales, bias)  # the structure does not keep them
        self._struct = _Product(
            weight.data_ptr(),
            native.address(scales),
            native.address(bias),
            inputs,
            outputs,
            _ACTIVATIONS[self._activation],
        )
        self._product = ctypes.addressof(self._struct)


class NativeInt8Linear(NativeLinear):
    """8-bit weights, and inputs in steps of each row's own size: as fine as sums of 32 bits allow (13 bits for 4096 inputs, 15 for 1024)."""

    _function = "wpt_linear_int8"

    def _pack(self, weight: Weight) -> None:
        small = weight if isinstance(weight, Int8Weight) else Int8Weight.quantise(weight)
        values, scales = small.values, small.scales
        outputs, inputs = values.shape
        odd = -outputs % _PAIR
        if odd or inputs % _LINE:
            values = functional.pad(values, (0, -inputs % _LINE, 0, odd))
            scales = functional.pad(scales, (0, odd))
        lines = values.view(values.shape[0] // _PAIR, _PAIR, -1, _LINE)
        self._keep(lines.transpose(1, 2).contiguous(), scales.contiguous(), outputs, inputs)


def native_activation(x: Tensor, activation: Activation) -> Tensor:
    """The activation of each value."""
    x = x.contiguous()
    y = torch.empty_like(x)
    _library().wpt_apply(_ACTIVATIONS[activation], x.data_ptr(), x.numel(), y.data_ptr())
    return y


def _library() -> ctypes.CDLL:
    library = native.library()
    if library is None:
        raise NotImplementedError("there are no native kernels")
    return library
