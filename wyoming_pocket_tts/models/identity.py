"""A fingerprint of the weights that a voice state belongs to.

A voice state is what one transformer made of a recording: with other weights it is noise that rarely ends. So the fingerprint
covers FlowLM's transformer and leaves out what differs between a model's full and open files (the speaker projection) and what a finished voice no
longer depends on (text table, flow head, codec). Not cryptographic proof of anything: it samples.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import torch
from torch import Tensor

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
        tensor = weights[name]
        flat = tensor.reshape(-1)
        middle = max(0, flat.numel() // 2 - _SAMPLE // 2)
        parts = (flat[:_SAMPLE], flat[middle : middle + _SAMPLE], flat[-_SAMPLE:])
        digest.update(f"{name}{list(tensor.shape)}".encode())
        digest.update(torch.cat(parts).to(torch.float32).numpy().astype("<f4").tobytes())
    return f"transformer-1:{digest.hexdigest()[:32]}"
