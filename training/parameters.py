"""Trainable parameters under the names and with the shapes that the engine's layout gives them.

So a checkpoint of training is a checkpoint of the model, and no second list of names exists.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.layout import tensor_shapes

_LAYER_SCALE = 0.1
_EMBEDDING_STD = 0.5


class Parameters(nn.Module):
    """Some tensors of a model, by canonical name."""

    def __init__(self, config: ModelConfig, prefixes: tuple[str, ...], seed: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        for name, shape in tensor_shapes(config).items():
            if name.startswith(prefixes):
                self.register_parameter(_key(name), nn.Parameter(_initial(name, shape, generator)))

    def __getitem__(self, name: str) -> Tensor:
        parameter = self._parameters[_key(name)]
        assert parameter is not None
        return parameter

    def names(self) -> Iterable[str]:
        """Canonical names."""
        return [key.replace("|", ".") for key in self._parameters if "|" in key]

    def tensors(self) -> dict[str, Tensor]:
        """Copies by canonical name, float32."""
        return {name: self[name].detach().clone() for name in self.names()}

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Takes what is there of `tensors`.

        Raises:
            RuntimeError: another shape.
        """
        with torch.no_grad():
            for name in self.names():
                if name in tensors:
                    self[name].copy_(tensors[name])


def _key(name: str) -> str:
    return name.replace(".", "|")


def _initial(name: str, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    leaf = name.rsplit(".", 1)[-1]
    zero_start = "adaLN_modulation" in name or "final_layer.linear" in name
    if leaf in ("bias", "emb_mean") or zero_start:
        return torch.zeros(shape)
    if "norm" in name or "_ln." in name or leaf == "emb_std":
        return torch.ones(shape)
    if leaf == "scale":
        return torch.full(shape, _LAYER_SCALE)
    if "embed.weight" in name:
        return torch.randn(shape, generator=generator) * _EMBEDDING_STD
    inputs = math.prod(shape[1:]) if len(shape) > 1 else shape[0]
    if "convtr" in name:
        inputs = 2 * (shape[0] if shape[1] > 1 else 1)
    std = 1 / math.sqrt(inputs)
    if name.startswith("flow_lm.") and name.endswith(("out_proj.weight", "linear2.weight")):
        std *= 0.3  # sums over layers begin small
    return torch.randn(shape, generator=generator) * std
