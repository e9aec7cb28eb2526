"""A FlowLM as a training begins with, for tests of the training."""

from __future__ import annotations

import functools

import torch

from training.flow_lm import FlowLM
from training.settings import VOICES, model_config


@functools.cache
def untrained_flow_lm() -> FlowLM:
    """Without the zeros that a training begins with: they would agree whatever they are multiplied by. Not to be changed."""
    model = FlowLM(model_config(), len(VOICES), seed=3)
    generator = torch.Generator().manual_seed(4)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad and not parameter.any():
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.05)
    return model
