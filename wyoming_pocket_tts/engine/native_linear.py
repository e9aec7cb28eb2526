"""Products by the native kernels: every weight is read once, in one stream, for all rows; only the order of summation is fixed."""

from __future__ import annotations

import ctypes

from torch import Tensor
from torch.nn import functional

from wyoming_pocket_tts.engine import native
from wyoming_pocket_tts.engine.linear import Int8Weight, Linear, Weight, as_floats

# As in native/kernels.h: weights lie in pairs of outputs, 64 bytes of each in turn.
_PAIR, _LINE_BYTES = 2, 64
_ACTIVATIONS = {"none": 0, "gelu": 1, "silu": 2}


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
    """float32."""

    _function = "wpt_linear_float"

    def _pack(self, weight: Weight) -> None:
        self._lay_out(as_floats(weight), None)

    def __call__(self, x: Tensor, residual: Tensor | None = None) -> Tensor:
        x = x.contiguous()
        y = x.new_empty((*x.shape[:-1], self._outputs))
        added = None if residual is None else residual.contiguous()
        failed = self._multiply(
            self._product,
            x.data_ptr(),
            x.numel() // self._inputs,
            None if added is None else added.data_ptr(),
            y.data_ptr(),
        )
        if failed:
            raise MemoryError("no memory for a product")
        return y

    def _lay_out(self, weight: Tensor, scales: Tensor | None) -> None:
        """Keeps the weight [outputs, inputs] in the order in which it is read."""
        library = native.library()
        if library is None:
            raise NotImplementedError("there are no native kernels")
        self._multiply = getattr(library, self._function)
        self._outputs, self._inputs = weight.shape
        line = _LINE_BYTES // weight.element_size()
        if self._outputs % _PAIR or self._inputs % line:
            weight = functional.pad(weight, (0, -self._inputs % line, 0, -self._outputs % _PAIR))
        outputs, inputs = weight.shape
        pairs = weight.view(outputs // _PAIR, _PAIR, inputs // line, line)
        self._weight = pairs.transpose(1, 2).contiguous()
        # Whole pairs of scales too: those beyond the last output are read, and what they make is dropped.
        self._scales = None if scales is None else functional.pad(scales, (0, -len(scales) % _PAIR))
        self._kept_bias = None if self._bias is None else self._bias.contiguous()
        self._struct = _Product(
            self._weight.data_ptr(),
            None if self._scales is None else self._scales.data_ptr(),
            None if self._kept_bias is None else self._kept_bias.data_ptr(),
            self._inputs,
            self._outputs,
            _ACTIVATIONS[self._activation],
        )
        self._product = ctypes.addressof(self._struct)


class NativeInt8Linear(NativeLinear):
    """8-bit weights, and inputs in steps of each row's own size, 12 bits and more of them: as many as sums of 32 bits allow."""

    _function = "wpt_linear_int8"

    def _pack(self, weight: Weight) -> None:
        small = weight if isinstance(weight, Int8Weight) else Int8Weight.quantise(weight)
        self._lay_out(small.values, small.scales)
