"""The fingerprint of a model's weights."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch

from wyoming_pocket_tts.engine.layout import tensor_shapes
from wyoming_pocket_tts.models.catalogue import Catalogue
from wyoming_pocket_tts.models.identity import model_identity

Weights = dict[str, torch.Tensor]


@pytest.fixture(scope="module")
def weights() -> Weights:
    config = Catalogue.load().model("english_2m_2026-10").config
    # Whole numbers, so that the pinned fingerprint is the same on every machine.
    return {
        name: (torch.arange(math.prod(shape)) * (index + 7) % 1009).float().reshape(shape)
        for index, (name, shape) in enumerate(tensor_shapes(config).items())
    }


def test_it_is_stable(weights: Weights) -> None:
    identity = model_identity(weights)
    assert identity == "transformer-1:e872814b4b3cbf39d18cd0fd26e695e6"
    shuffled = {name: weights[name].clone() for name in reversed(list(weights))}
    assert model_identity(shuffled) == identity


def test_the_open_file_has_the_identity_of_the_full_one(weights: Weights) -> None:
    opened = {
        name: tensor for name, tensor in weights.items() if not name.startswith("mimi.encoder")
    }
    opened["flow_lm.speaker_proj_weight"] = torch.zeros_like(weights["flow_lm.speaker_proj_weight"])
    assert model_identity(opened) == model_identity(weights)


def test_other_weights_have_another_one(weights: Weights) -> None:
    identity = model_identity(weights)
    for name, tensor in weights.items():
        if name.startswith("flow_lm.transformer."):
            assert model_identity({**weights, name: tensor * 1.0001 + 0.001}) != identity, name
    name = "flow_lm.transformer.layers.0.linear1.weight"
    reshaped = weights[name].reshape(weights[name].shape[::-1])
    assert model_identity({**weights, name: reshaped}) != identity
    fewer = {k: v for k, v in weights.items() if not k.startswith("flow_lm.transformer.layers.7.")}
    assert model_identity(fewer) != identity


def test_weights_without_a_transformer_have_none() -> None:
    with pytest.raises(ValueError, match="no FlowLM transformer"):
        model_identity({"mimi.upsample.convtr.convtr.weight": torch.zeros(1)})


def test_every_architecture_can_be_named() -> None:
    """Tensors shorter than the sample, and models of one layer."""
    config = Catalogue.load().model("english_7m_2026-10").config
    transformer = dataclasses.replace(config.flow_lm.transformer, num_layers=1)
    small = dataclasses.replace(
        config, flow_lm=dataclasses.replace(config.flow_lm, transformer=transformer)
    )
    tensors = {name: torch.zeros(shape) for name, shape in tensor_shapes(small).items()}
    assert model_identity(tensors).startswith("transformer-1:")
