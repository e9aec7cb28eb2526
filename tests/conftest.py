"""What all tests share."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def _one_torch_thread() -> None:
    """Small models gain nothing from threads, and two test runs on one machine would fight for them."""
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)
