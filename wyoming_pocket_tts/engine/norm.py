"""Layer norms, plain and modulated (adaptive, as in DiT: arXiv 2212.09748)."""

from __future__ import annotations

import ctypes

import torch
from torch import Tensor
from torch.nn import functional

from wyoming_pocket_tts.engine import native


class _Norm(ctypes.Structure):
    """`wpt_norm` of native/kernels.h."""

    _fields_ = (
        ("weight", ctypes.c_void_p),
        ("bias", ctypes.c_void_p),
        ("width", ctypes.c_int64),
        ("eps", ctypes.c_float),
    )


class LayerNorm:
    """Layer norm over the last dimension: by the native kernels where they are, else by torch. Rows are independent either way."""

    def __init__(
        self, width: int, eps: float, weight: Tensor | None = None, bias: Tensor | None = None
    ) -> None:
        """With both weight and bias [width], or with neither."""
        self._width = width
        self._eps = eps
        self._weight = None if weight is None else weight.contiguous()
        self._bias = None if bias is None else bias.contiguous()
        self._library = native.library()
        self._struct = _Norm(native.address(self._weight), native.address(self._bias), width, eps)

    def __call__(
        self, x: Tensor, scale: Tensor | None = None, shift: Tensor | None = None
    ) -> Tensor:
        """The norm of each row, then times 1 + scale and plus shift where they are given.

        Args:
            x: [..., width].
            scale, shift: [B, width] for x of the same shape; parts of one tensor with rows of the same stride.
        """
        if (scale is None) != (shift is None):
            raise ValueError("scale and shift belong together")
        if self._library is None:
            y = functional.layer_norm(x, (self._width,), self._weight, self._bias, self._eps)
            return y if scale is None or shift is None else torch.addcmul(shift, y, 1 + scale)
        x = x.contiguous()
        y = torch.empty_like(x)
        between = 0 if scale is None else scale.stride(0)
        if shift is not None and (shift.stride(0) != between or shift.stride(-1) != 1):
            raise ValueError("scale and shift are not parts of one tensor")
        self._library.wpt_layer_norm(
            ctypes.addressof(self._struct),
            x.data_ptr(),
            x.numel() // self._width,
            native.address(scale),
            native.address(shift),
            between,
            y.data_ptr(),
        )
        return y
