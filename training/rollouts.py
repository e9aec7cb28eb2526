"""What FlowLM says by itself, and what it should have said next: the last lesson of its training.

Told each latent by the teacher it never sees its own mistakes, and its own timing. So it speaks freely, through the engine; each latent is
put beside the teacher's latent that is most like it, in order; and what it has to say next is what follows that one.

Source: learning from an expert in the states that the learner gets into (DAgger, arXiv 1011.0686); the alignment is dynamic time warping.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from training.features import PHASES
from training.flow_lm import Batch, FlowLM
from training.settings import model_config
from wyoming_pocket_tts.engine.flow_lm import FlowLM as EngineFlowLM

Rows = npt.NDArray[np.float32]

# Rows of the teacher from one latent to the next: stands still, goes on, leaves one out. The odd ones cost a little.
_STEPS = (1, 0, 2)
_STEP_COST = (0.0, 0.3, 0.3)
_FAR = 1e9
# Temperature of what it says, at most: what it is heard at, and a little above.
WARMEST = 0.1
# Steps for which the weights that speak are kept: packing them takes time too.
_KEPT = 20
# Batches that are kept, and how many of those asked for are spoken anew.
_REMEMBERED, _FRESH = 24, 0.3


class Rollouts:
    """Has a model speak, now and then: what it said a few steps ago is nearly what it would say now."""

    def __init__(self, model: FlowLM, random: np.random.Generator) -> None:
        self._model = model
        self._random = random
        self._engine: EngineFlowLM | None = None
        self._age = 0
        self._said: deque[tuple[Batch, Tensor]] = deque(maxlen=_REMEMBERED)

    def some(self, batch: Batch) -> tuple[Batch, Tensor]:
        """A batch, with what was said to it: this one, or one of the last."""
        if len(self._said) < _REMEMBERED or self._random.random() < _FRESH:
            said = self.speak(batch)
            self._said.append((follow(batch, said), said))
            return self._said[-1]
        return self._said[self._random.integers(len(self._said))]

    @torch.no_grad()
    def speak(self, batch: Batch) -> Tensor:
        """Latents [B, N, latent] where `batch.is_latent`: as many as the teacher's, said freely."""
        if self._engine is None or self._age == _KEPT:
            self._engine = EngineFlowLM(model_config(), self._model.tensors())
            self._age = 0
        self._age += 1
        engine = self._engine
        lengths = batch.is_latent.sum(1)
        temperature = float(torch.rand(())) * WARMEST
        made = torch.zeros_like(batch.latents)
        rows = sorted(range(len(lengths)), key=lambda row: -int(lengths[row]))
        caches, conditions = {}, []
        for row in rows:
            caches[row] = cache = engine.new_cache(batch.tokens.shape[1] + 16)
            voice = self._model.voices[batch.voices[row]].detach()
            engine.prefill(engine.embed_voice(voice), cache)
            conditions.append(
                engine.begin(batch.tokens[row][batch.is_text[row]].tolist(), cache)[0]
            )
        condition = torch.cat(conditions)
        first = batch.is_text.sum(1)
        for index in range(int(lengths.max())):
            noise = torch.randn(len(rows), made.shape[-1]) * temperature**0.5
            latents = engine.head(condition, noise)
            for row, latent in zip(rows, latents, strict=True):
                made[row, first[row] + index] = latent
            going_on = sum(int(lengths[row]) > index + 1 for row in rows)
            rows = rows[:going_on]
            if rows:
                condition, _ = engine.decode(latents[:going_on], [caches[row] for row in rows])
        return made


def follow(batch: Batch, said: Tensor) -> Batch:
    """The batch with what should follow each latent that was said, instead of what the teacher said at that time."""
    latents, is_over = batch.latents.clone(), batch.is_over.clone()
    for row in range(len(said)):
        mask = batch.is_latent[row]
        teacher = batch.latents[row][mask]
        over = batch.is_over[row][mask]
        places = torch.from_numpy(align(said[row][mask].numpy(), teacher.numpy()))
        following = torch.cat([torch.zeros(1, dtype=torch.int64), places[:-1] + 1])
        following = following.clamp(max=len(teacher) - 1)
        latents[row][mask] = teacher[following]
        is_over[row][mask] = over[following]
    return Batch(batch.voices, batch.tokens, latents, batch.is_text, batch.is_latent, is_over)


def align(said: Rows, teacher: Rows) -> npt.NDArray[np.int64]:
    """Which of the teacher's rows each one that was said is like, in order: [T] from [T, latent] and [U, latent]."""
    a, b = said[:, :-PHASES], teacher[:, :-PHASES]
    distance = np.square(a[:, None] - b[None]).sum(-1)
    cost = np.full(len(b), _FAR)
    cost[:2] = distance[0, :2]
    came = np.zeros((len(a), len(b)), np.int64)
    columns = np.arange(len(b))
    for row in range(1, len(a)):
        ways = [
            np.concatenate([np.full(step, _FAR), cost])[: len(b)] + extra
            for step, extra in zip(_STEPS, _STEP_COST, strict=True)
        ]
        best = np.argmin(ways, 0)
        came[row] = np.asarray(_STEPS)[best]
        cost = np.asarray(ways)[best, columns] + distance[row]
    places = np.empty(len(a), np.int64)
    places[-1] = int(np.argmin(cost))
    for row in range(len(a) - 1, 0, -1):
        places[row - 1] = places[row] - came[row, places[row]]
    return places
