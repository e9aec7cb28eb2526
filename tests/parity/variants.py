"""The models that parity is shown for, and the tolerance, in one table.

Full-size copies where that is cheap, scaled-down ones where the code path is the same. `english_2m` is the one with a pointwise flow head and
needs no further variant of it. All 27 released models are built, loaded and run in `test_all_variants`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import torch
from pocket_tts.models.tts_model import TTSModel

from tests.parity.reference import SMALL_24L, SMALL_BASE, build
from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.model import Model

# Largest difference allowed, relative to the largest value compared (float32, one thread on each side).
TOLERANCE = {
    "encoder": 1e-5,
    "voice state": 1e-5,
    "hidden": 1e-5,
    "eos logit": 1e-5,
    "latent": 1e-4,
    "pcm": 1e-4,
}


@dataclass(frozen=True)
class Variant:
    """A model of the package, possibly changed."""

    id: str
    model: str
    changes: dict[str, Any] = field(default_factory=dict)
    decode_steps: int = 1


def _with(base: dict[str, Any], flow_lm: dict[str, Any], mimi: dict[str, Any]) -> dict[str, Any]:
    return {
        "flow_lm": {**base["flow_lm"], **flow_lm},
        "mimi": {**base["mimi"], **mimi},
    }


_FLOW_MATCHING = {"flow": {"dim": 48, "depth": 2, "type": "flow_matching"}}
_REPLICATE = {
    "seanet": {**SMALL_BASE["mimi"]["seanet"], "pad_mode": "replicate", "n_residual_layers": 2}
}
_SLOW_FRAMES = {"frame_rate": 25.0, "sample_rate": 16000, "seanet": {
    **SMALL_BASE["mimi"]["seanet"], "ratios": [5, 4, 4]}, "quantizer": {
    "dimension": 24, "output_dimension": 64}}  # fmt: skip

VARIANTS = [
    Variant("english", "english"),
    Variant("english-small", "english", SMALL_BASE),
    Variant("english-small-3-steps", "english", SMALL_BASE, decode_steps=3),
    Variant("english_2026-01", "english_2026-01"),
    Variant("24-layers-small", "english_2026-04_24l", SMALL_24L),
    Variant("drifting-small", "english_drifting_26-09", SMALL_BASE),
    Variant("flow_matching-small", "english", _with(SMALL_BASE, _FLOW_MATCHING, {}), 16),
    Variant("replicate-padding-small", "english", _with(SMALL_BASE, {}, _REPLICATE)),
    Variant("other-rates-small", "english", _with(SMALL_BASE, {}, _SLOW_FRAMES)),
    Variant("english_18m", "english_18m_2026-10"),
    Variant("english_7m", "english_7m_2026-10"),
    Variant("english_2m", "english_2m_2026-10"),
]


@dataclass(frozen=True)
class Pair:
    """The package's model and ours, on the same weights."""

    theirs: TTSModel
    ours: Model
    config: ModelConfig
    weights: dict[str, torch.Tensor]


@functools.lru_cache(maxsize=2)
def pair(variant_id: str) -> Pair:
    variant = next(one for one in VARIANTS if one.id == variant_id)
    theirs, config = build(variant.model, variant.changes, decode_steps=variant.decode_steps)
    weights = {name: tensor.clone() for name, tensor in theirs.state_dict().items()}
    return Pair(theirs, Model(config, weights, variant.decode_steps), config, weights)


def assert_close(kind: str, ours: torch.Tensor, theirs: torch.Tensor) -> None:
    """Fails with the numbers when two tensors differ by more than the table allows."""
    assert ours.shape == theirs.shape
    assert torch.isfinite(theirs).all()
    difference = (ours - theirs).abs().max().item()
    scale = max(1.0, theirs.abs().max().item())
    assert difference <= TOLERANCE[kind] * scale, (
        f"{kind}: differs by {difference:.2e} where values reach {scale:.2f}"
    )
