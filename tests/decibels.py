"""How near a result is to what was expected."""

from __future__ import annotations

import torch
from torch import Tensor


def snr_db(got: Tensor, expected: Tensor) -> float:
    """Signal to noise; very large where both are the same."""
    noise = (got.double() - expected.double()).square().sum().clamp_min(1e-300)
    return float(10 * torch.log10(expected.double().square().sum() / noise))
