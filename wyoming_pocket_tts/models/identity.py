"""A fingerprint of the weights that a voice state belongs to.

A voice state is what one transformer made of a recording: with other weights it is noise that rarely ends. So the fingerprint
covers FlowLM's transformer and leaves out what differs between a model's full and open files (the speaker projection) and what a finished voice no
longer depends on (text table, flow head, codec). Not cryptographic proof of anything: it samples.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping

import torch
from torch import Tensor

from wyoming_pocket_tts.models.tensor_file import FileTensors

_PREFIX = "flow_lm.transformer."
# Values taken at the begin, the middle and the end of each tensor: training changes all of them, and whole pages are
# cheap where the file is mapped.
_SAMPLE = 256


def model_identity(weights: Mapping[str, Tensor]) -> str:
    """A short, stable name for the weights of a model's transformer.

    Args:
        weights: float32 tensors by canonical name.

    Raises:
        ValueError: there is no transformer among them.
    """
    names = sorted(name for name in weights if name.startswith(_PREFIX))
    if not names:
        raise ValueError("no FlowLM transformer among the weights")
    digest = hashlib.sha256()
    for name in names:
        shape, parts = _samples(weights, name)
        digest.update(f"{name}{list(shape)}".encode())
        digest.update(torch.cat(parts).to(torch.float32).numpy().astype("<f4").tobytes())
    return f"transformer-1:{digest.hexdigest()[:32]}"


def _samples(weights: Mapping[str, Tensor], name: str) -> tuple[tuple[int, ...], list[Tensor]]:
    """A tensor's shape, and its values at the three places."""
    tensor = None if isinstance(weights, FileTensors) else weights[name].reshape(-1)
    shape = weights.shape(name) if isinstance(weights, FileTensors) else weights[name].shape
    size = math.prod(shape)
    middle = max(0, size // 2 - _SAMPLE // 2)
    places = [(0, _SAMPLE), (middle, middle + _SAMPLE), (max(0, size - _SAMPLE), size)]
    parts = []
    for start, stop in places:
        if isinstance(weights, FileTensors):
            parts.append(weights.part(name, start, min(stop, size)))
        else:
            assert tensor is not None
            parts.append(tensor[start:stop])
    return tuple(shape), parts
