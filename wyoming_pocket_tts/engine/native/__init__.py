"""The engine's hot loops in C, where the package was built with a compiler; torch does their work where it was not."""

from __future__ import annotations

import ctypes
import functools
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

_LOGGER = logging.getLogger(__name__)

# What `wpt_version` of kernels.c says: a library built of other sources would be called with the wrong arguments.
VERSION = 1

PATH = Path(__file__).with_name("libkernels.so")


@functools.cache
def library() -> ctypes.CDLL | None:
    """The library beside this file, loaded once.

    Returns:
        None where none was built, where it does not fit (another processor's, another version's), and where WYOMING_POCKET_TTS_NATIVE is 0 in
        the environment, for comparisons. Never an error: torch's kernels do everything then, slower.
    """
    if os.environ.get("WYOMING_POCKET_TTS_NATIVE") == "0":
        _LOGGER.debug("Native kernels are switched off")
        return None
    if not PATH.exists():
        _LOGGER.debug("Native kernels were not built")
        return None
    try:
        found = ctypes.CDLL(str(PATH))
        version = found.wpt_version()
        if version == VERSION:
            _declare(found)
    except (OSError, AttributeError) as error:
        _LOGGER.warning("Native kernels cannot be used, so torch's are: %s", error)
        return None
    if version != VERSION:
        _LOGGER.warning(
            "Native kernels are of version %d, not %d, so torch's are used: install anew to build them",
            version,
            VERSION,
        )
        return None
    return found


def address(tensor: Tensor | None) -> int | None:
    """Where a tensor's values are, for a function that takes NULL for none."""
    return None if tensor is None else tensor.data_ptr()


def _declare(found: ctypes.CDLL) -> None:
    """Tells the functions' arguments, as in kernels.c and lend.c."""
    pointer, count = ctypes.c_void_p, ctypes.c_int64
    for product in (found.wpt_linear_int8, found.wpt_linear_float):
        product.argtypes = (pointer, pointer, count, count, count, count, pointer, pointer)
    found.wpt_panel.argtypes = (count,)
    found.wpt_panel.restype = count
    found.wpt_attend.argtypes = (pointer, count, pointer, pointer, pointer, count, pointer)
    found.wpt_layer_norm.argtypes = (pointer, pointer, count, pointer, pointer, count, pointer)
    found.wpt_layer_norm.restype = None
    found.wpt_lend.argtypes = (pointer, ctypes.c_double)
    found.wpt_lend.restype = None
    found.wpt_apply.argtypes = (ctypes.c_int32, pointer, count, pointer)
    found.wpt_apply.restype = None
