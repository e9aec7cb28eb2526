"""What a `TTSModel` of the `pocket-tts` package has because it is a torch module; scripts written for it ask for these.

Source of the names: `models/tts_model.py` of `pocket-tts` 4.0.1.
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn, TypeVar

import torch

from wyoming_pocket_tts.models.loading import LoadedModel
from wyoming_pocket_tts.tts.arguments import check_device
from wyoming_pocket_tts.tts.errors import WrongArgument

_CPU = torch.device("cpu")
_Model = TypeVar("_Model", bound="ModuleLikeness")


class ModuleLikeness:
    """The part of `TTSModel` that is there for those scripts."""

    _model: LoadedModel
    _origin: Path | None

    @property
    def device(self) -> torch.device:
        """Always the CPU."""
        return _CPU

    @property
    def origin(self) -> Path | None:
        """The `config` that the model was loaded from; None for a model of the catalogue."""
        return self._origin

    @property
    def has_custom_weights(self) -> bool:
        """Whether a training checkpoint was put over the weights: never, since none are read."""
        return False

    @property
    def sampler_decode_steps(self) -> int:
        """Steps of the flow head per frame. They are built in when the model is loaded.

        Raises:
            WrongArgument: it is set to another value.
        """
        return self._model.model.flow_lm.head.decode_steps

    @sampler_decode_steps.setter
    def sampler_decode_steps(self, steps: int) -> None:
        if steps != self.sampler_decode_steps:
            raise WrongArgument(
                f"sampler_decode_steps is {self.sampler_decode_steps} and cannot be changed once a model is loaded; "
                "give it to load_model."
            )

    @property
    def flow_lm(self) -> NoReturn:
        """There is none: see the error."""
        raise AttributeError(_no_module("flow_lm"))

    @property
    def mimi(self) -> NoReturn:
        """There is none: see the error."""
        raise AttributeError(_no_module("mimi"))

    def eval(self: _Model) -> _Model:
        """Itself: it is never in training."""
        return self

    def to(self: _Model, device: str | torch.device) -> _Model:
        """Stays where it is.

        Raises:
            WrongArgument: any device but the CPU.
        """
        check_device(device)
        return self


def _no_module(name: str) -> str:
    return (
        f"This model has no {name!r}: its engine computes on plain tensors in threads of its own, and has no torch modules to hand out. "
        "What speaks is generate_audio; what describes the model is config."
    )
