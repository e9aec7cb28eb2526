"""Trains FlowLM on the latents.

    python -m training.train_flow_lm --folder F --minutes 60

The flow head learns by an energy score: of several samples for one row, the mean distance to the truth less half of their mean distance to
one another is smallest when they are distributed as the truth is. What a row reads is noisy, and later partly the model's own guesses,
because nothing better will be there when it speaks.

Sources: energy score (Gneiting and Raftery 2007); scheduled sampling (arXiv 1506.03099); Muon (Jordan 2024), as torch has it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from training.encode import Latents
from training.features import Basis
from training.flow_lm import Batch, FlowLM
from training.loop import Average, Loop, add_arguments
from training.settings import VOICES, model_config
from training.vocabulary import Vocabulary

_ROWS = 1_800  # of a batch, text and latents
_LONGEST = 330
# Short utterances come first: which text a frame belongs to is learned on them sooner.
_SHORT = 90
_SHORT_UNTIL = 0.2
_HELD_OUT = 64  # utterances of each voice for validation
# Of latents that are read, the most, as a share of their spread.
_NOISE = 0.6
# Less of that for the last ones, which are phases: where they turn to is told by where they were.
_PHASES, _PHASE_NOISE = 4, 0.5
_SAMPLES = 4
_END_WEIGHT = 0.3
# Share of rows that read the model's own guess, at the end of the training; it begins with none.
_OWN = 0.5
_OWN_FROM = 0.4


class Utterances:
    """Texts and normalised latents of all voices."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
        self._vocabulary = Vocabulary(folder, seed)
        self._random = np.random.default_rng(seed)
        self._latents = [Latents.load(folder, voice) for voice in VOICES]
        basis = Basis.load(folder)
        self.mean, self.std = basis.middle.astype(np.float32), basis.scale
        self.noise = torch.from_numpy(_NOISE * basis.spread / basis.scale)
        self.noise[-_PHASES:] *= _PHASE_NOISE
        for latents in self._latents:
            latents.rows[:] = (latents.rows - self.mean) / self.std
        self.training: list[tuple[int, int]] = []
        self.held_out: list[tuple[int, int]] = []
        for voice, latents in enumerate(self._latents):
            count = len(latents.texts)
            pairs = [(voice, index) for index in range(count)]
            self.training += [pair for pair in pairs[:-_HELD_OUT] if self._length(pair) < _LONGEST]
            self.held_out += pairs[-_HELD_OUT:]

    def batches(self, limit: float) -> list[list[tuple[int, int]]]:
        """One pass over utterances of up to `limit` rows in random order, those of like length together."""
        chosen = [pair for pair in self.training if self._length(pair) < limit]
        jitter = self._random.normal(0, 4, len(chosen))
        lengths = np.array([self._length(pair) for pair in chosen])
        batches: list[list[tuple[int, int]]] = [[]]
        longest = 0
        for place in np.argsort(lengths + jitter):
            longest = max(longest, int(lengths[place]))
            if longest * (len(batches[-1]) + 1) > _ROWS:
                batches.append([])
                longest = int(lengths[place])
            batches[-1].append(chosen[place])
        self._random.shuffle(batches)
        return batches

    def batch(self, chosen: list[tuple[int, int]], *, training: bool) -> Batch:
        """Puts utterances side by side."""
        tokens, latents, ends = [], [], []
        for voice, index in chosen:
            packed = self._latents[voice]
            text = self._texts[packed.texts[index]]
            tokens.append(self._vocabulary.encode(text, training=training))
            latents.append(packed.rows[packed.starts[index] : packed.starts[index + 1]])
            ends.append(int(packed.ends[index]))
        return arrange([voice for voice, _ in chosen], tokens, latents, ends)

    def _length(self, pair: tuple[int, int]) -> int:
        """About how many rows an utterance takes."""
        packed = self._latents[pair[0]]
        frames = packed.starts[pair[1] + 1] - packed.starts[pair[1]]
        return int(frames) + len(self._texts[packed.texts[pair[1]]]) // 2


def arrange(
    voices: list[int], tokens: list[list[int]], latents: list[np.ndarray], ends: list[int]
) -> Batch:
    """A batch of utterances: ids, normalised latents [T, latent] and the row at which speech is over, of each."""
    width = latents[0].shape[1]
    length = max(len(ids) + len(rows) for ids, rows in zip(tokens, latents, strict=True))
    shape = (len(voices), length)
    ids_, rows_ = np.zeros(shape, np.int64), np.zeros((*shape, width), np.float32)
    is_text, is_latent, is_over = (np.zeros(shape, bool) for _ in range(3))
    for place, (ids, rows, end) in enumerate(zip(tokens, latents, ends, strict=True)):
        first, last = len(ids), len(ids) + len(rows)
        ids_[place, :first] = ids
        is_text[place, :first] = True
        rows_[place, first:last] = rows
        is_latent[place, first:last] = True
        is_over[place, first + end : last] = True
    arrays = (np.array(voices), ids_, rows_, is_text, is_latent, is_over)
    return Batch(*(torch.from_numpy(array) for array in arrays))


def energy_score(samples: Tensor, truth: Tensor) -> Tensor:
    """Mean over rows; samples: [K, M, latent], truth: [M, latent]."""
    count = len(samples)
    error = _distance(samples, truth).mean()
    apart = _distance(samples[:, None], samples[None]).sum((0, 1)).mean() / (count * (count - 1))
    return error - 0.5 * apart


def _distance(a: Tensor, b: Tensor) -> Tensor:
    return ((a - b).square().sum(-1) + 1e-6).sqrt()


def losses(model: FlowLM, batch: Batch, own: float, noise: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Energy score, cross-entropy of the end, and (to be read, not learned) the mean square of the samples' mean error."""
    latents = batch.latents
    if own > 0:
        with torch.no_grad():
            conditions = model(batch, model.shifted(batch, _noisy(latents, noise)))
            guesses = model.sample(conditions, torch.randn_like(latents))
            chosen = torch.rand(latents.shape[:2]) < own * torch.rand(len(latents), 1) * 2
            latents = torch.where((chosen & batch.is_latent)[..., None], guesses, latents)
    conditions = model(batch, model.shifted(batch, _noisy(latents, noise)))[batch.is_latent]
    truth = batch.latents[batch.is_latent]
    drawn = torch.randn(_SAMPLES, *truth.shape)
    samples = model.sample(conditions, drawn)
    end = functional.binary_cross_entropy_with_logits(
        model.end_logits(conditions), batch.is_over[batch.is_latent].float()
    )
    with torch.no_grad():
        square = (samples.mean(0) - truth).square().mean()
    return energy_score(samples, truth), end, square


def _noisy(latents: Tensor, noise: Tensor) -> Tensor:
    return latents + torch.randn_like(latents) * (torch.rand(len(latents), 1, 1) * noise)


def optimisers(model: FlowLM, rate: float) -> list[torch.optim.Optimizer]:
    """Muon for the transformer's matrices, Adam for the rest."""
    matrices: list[nn.Parameter] = []
    rest: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            (matrices if "transformer" in name and parameter.dim() == 2 else rest).append(parameter)
    return [
        torch.optim.Muon(matrices, lr=rate, weight_decay=0.02, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(rest, rate, betas=(0.9, 0.98), weight_decay=0.01),
    ]


def main() -> None:
    """Trains FlowLM."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    add_arguments(parser)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    loop = Loop(arguments, "flow_lm")
    model = FlowLM(model_config(), len(VOICES), arguments.seed)
    steppers = optimisers(model, arguments.rate)
    saved = loop.resume()
    utterances = Utterances(arguments.folder, arguments.seed + loop.step)
    with torch.no_grad():
        model["flow_lm.emb_mean"].copy_(torch.from_numpy(utterances.mean))
        model["flow_lm.emb_std"].copy_(torch.from_numpy(utterances.std))
    average = Average(model)
    if saved is not None:
        model.load_state_dict(saved["model"])
        average.state = saved["average"]
        for stepper, state in zip(steppers, saved["optimisers"], strict=True):
            stepper.load_state_dict(state)
        torch.manual_seed(arguments.seed + loop.step)

    def save() -> None:
        states = [stepper.state_dict() for stepper in steppers]
        loop.save(model=model.state_dict(), average=average.state, optimisers=states)

    waiting: list[list[tuple[int, int]]] = []
    for done in loop.steps():
        if not waiting:
            waiting = utterances.batches(_SHORT if done < _SHORT_UNTIL else _LONGEST)
        batch = utterances.batch(waiting.pop(), training=True)
        own = _OWN * max(0.0, (done - _OWN_FROM) / (1 - _OWN_FROM))
        score, end, square = losses(model, batch, own, utterances.noise)
        torch.autograd.backward(score + _END_WEIGHT * end)
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for stepper in steppers:
            for group in stepper.param_groups:
                group["lr"] = loop.rate(done)
            stepper.step()
            stepper.zero_grad()
        average.update()
        loop.note(score=score.item(), end=end.item(), square=square.item(), norm=float(norm))
        if loop.saves_now:
            _validate(loop, model, average, utterances)
            save()
    save()


@torch.no_grad()
def _validate(loop: Loop, model: FlowLM, average: Average, utterances: Utterances) -> None:
    now = {key: value.clone() for key, value in model.state_dict().items()}
    model.load_state_dict(average.state)
    none = torch.zeros_like(utterances.noise)
    parts = [
        losses(model, utterances.batch(utterances.held_out[first::6], training=False), 0.0, none)
        for first in range(6)
    ]
    score, end, square = (float(torch.stack(part).mean()) for part in zip(*parts, strict=True))
    model.load_state_dict(now)
    loop.write(held_out_score=score, held_out_end=end, held_out_square=square)


if __name__ == "__main__":
    main()
