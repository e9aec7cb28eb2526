"""What is learned from what FlowLM said by itself: said as the engine says it, and followed by what follows in the teacher's speech."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.untrained import untrained_flow_lm
from training import rollouts
from training.rollouts import Rollouts, align, follow
from training.settings import model_config
from training.tell import tell
from training.train_flow_lm import arrange

WIDTH = model_config().latent_width
TOKENS = [[5, 9, 7], [3, 8, 30, 31, 32, 33]]


def _speech(rows: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, WIDTH)).astype(np.float32)


def test_rows_are_found_where_they_are_like_the_teachers() -> None:
    teacher = _speech(10)
    said = teacher[[0, 1, 2, 2, 3, 5, 6, 7]] + 0.1 * _speech(8, 2)
    assert align(said, teacher).tolist() == [0, 1, 2, 2, 3, 5, 6, 7]


def test_phases_do_not_decide() -> None:
    teacher = _speech(6)
    said = teacher.copy()
    said[:, -rollouts.PHASES :] = teacher[::-1, -rollouts.PHASES :]
    assert align(said, teacher).tolist() == list(range(6))


def test_what_follows_is_what_followed_the_teachers() -> None:
    batch = arrange([0, 1], TOKENS, [_speech(9), _speech(7, 2)], [7, 4])
    same = follow(batch, batch.latents)
    assert torch.equal(same.latents, batch.latents)
    assert torch.equal(same.is_over, batch.is_over)
    slow = batch.latents.clone()
    first = len(TOKENS[0])
    slow[0, first + 3 : first + 9] = batch.latents[0, first + 2 : first + 8]  # a row behind
    late = follow(batch, slow)
    assert torch.equal(late.latents[0, first + 4 :][:5], batch.latents[0, first + 3 :][:5])
    assert late.is_over[0].sum() == batch.is_over[0].sum() - 1
    assert torch.equal(late.latents[1], batch.latents[1])


@torch.no_grad()
def test_it_speaks_as_it_would_if_told_what_it_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollouts, "WARMEST", 0.0)
    model = untrained_flow_lm()
    batch = arrange([2, 0], TOKENS, [_speech(5), _speech(9, 2)], [3, 7])
    said = Rollouts(model, np.random.default_rng(0)).speak(batch)
    conditions = model(batch, model.shifted(batch, said), torch.float32)
    again = model.sample(conditions, torch.zeros_like(said), torch.float32)
    mask = batch.is_latent[..., None]
    torch.testing.assert_close(said * mask, again * mask, rtol=1e-3, atol=1e-4)
    assert not (said * ~mask).any()


@torch.no_grad()
def test_what_is_told_begins_as_if_nobody_had_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Told three times over, the first three latents are what it says by itself; only then does the teacher's beginning show."""
    monkeypatch.setattr(rollouts, "WARMEST", 0.0)
    model = untrained_flow_lm()
    batch = arrange([2], TOKENS[:1], [_speech(9)], [7])
    said = Rollouts(model, np.random.default_rng(0)).speak(batch)[batch.is_latent]
    told = tell(model, batch)[batch.is_latent]
    assert (told[:3] - said[:3]).norm() < 0.05 * said[:3].norm()
    assert (told[3:] - said[3:]).norm() > 0.1 * said[3:].norm()


def test_what_was_said_is_used_again() -> None:
    model = untrained_flow_lm()
    batch = arrange([1], TOKENS[:1], [_speech(4)], [3])
    speaker = Rollouts(model, np.random.default_rng(0))
    many = [speaker.some(batch)[1] for _ in range(100)]
    assert 24 < len({id(said) for said in many}) < 80
