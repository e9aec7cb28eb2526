"""Trains FlowLM on the latents.

    python -m training.train_flow_lm --folder F --minutes 60

Without noise the flow head learns to be in the middle of what may come: at temperature 0, the one it speaks at, nothing else is heard. With noise
it learns by an energy score: of several samples for one row, the mean distance to the truth less half of their mean distance to one
another is smallest when they are distributed as the truth is. What a row reads is noisy, and later the model's own guesses and what it
said by itself (`training.rollouts`), because nothing better will be there when it speaks.

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
from training.features import PHASES, Basis
from training.flow_lm import Batch, FlowLM
from training.home import home_words, is_of_home
from training.loop import Average, Loop, add_arguments, average_gradients
from training.rollouts import WARMEST, Rollouts
from training.settings import VOICES, model_config
from training.vocabulary import Vocabulary

_LONGEST = 330
# Short utterances come first: which text a frame belongs to is learned on them sooner.
_SHORT = 90
_SHORT_UNTIL = 0.2
_HELD_OUT = 64  # utterances of each voice for validation
# Of latents that are read, the most, as a share of their spread.
_NOISE = 0.5
# Less of that for the last ones, which are phases: where they turn to is told by where they were.
_PHASE_NOISE = 0.5
# The sample without noise, which is what is heard at temperature 0, learns to be in the middle; those with noise, how far
# others may be from it.
_SAMPLES = 2
_SPREAD_WEIGHT = 0.3
_LENGTH_STEP = 16
# Of a batch's latents, those whose error counts: always as many, for the same reason.
_COUNTED = 0.64
_END_WEIGHT = 0.3
# Then what it is for has most of its time: all sentences of homes, of others so many; and no pieces but those that it will get.
_ALL_UNTIL, _OTHERS = 0.3, 0.2
# From this share of the time on it reads what it has guessed itself.
_OWN_FROM = 0.29
# Of a phase's error in the score. It cannot be foreseen: a pitch wrong by a hundredth turns it by a tenth of a circle.
_PHASE_WEIGHT = 0.3


class Utterances:
    """Texts and normalised latents of all voices."""

    def __init__(self, folder: Path, seed: int, rows: int = 0) -> None:
        self._rows = rows
        self._texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
        self._vocabulary = Vocabulary(folder, seed)
        self._random = np.random.default_rng(seed)
        self._latents = [Latents.load(folder, voice) for voice in VOICES]
        basis = Basis.load(folder)
        self.mean, self.std = basis.middle.astype(np.float32), basis.scale
        self.noise = torch.from_numpy(_NOISE * basis.spread / basis.scale)
        self.noise[-PHASES:] *= _PHASE_NOISE
        for latents in self._latents:
            latents.rows[:] = (latents.rows - self.mean) / self.std
        self.training: list[tuple[int, int]] = []
        self.held_out: list[tuple[int, int]] = []
        for voice, latents in enumerate(self._latents):
            count = len(latents.texts)
            pairs = [(voice, index) for index in range(count)]
            self.training += [pair for pair in pairs[:-_HELD_OUT] if self._length(pair) < _LONGEST]
            self.held_out += pairs[-_HELD_OUT:]
        known = home_words()
        self._of_homes = {pair for pair in self.training if is_of_home(self._text(pair), known)}

    def batches(self, limit: float, others: float = 1.0) -> list[list[tuple[int, int]]]:
        """Utterances of up to `limit` rows in random order, those of like length together.

        All that are of homes, and of the others this share.
        """
        chosen = [
            pair
            for pair in self.training
            if self._length(pair) < limit
            and (pair in self._of_homes or self._random.random() < others)
        ]
        self._random.shuffle(chosen)
        buckets: dict[int, list[tuple[int, int]]] = {}
        for pair in chosen:
            buckets.setdefault(_rounded(self._length(pair)), []).append(pair)
        batches = []
        for length, pairs in buckets.items():
            size = max(1, self._rows // length)
            # What is left over waits for the next round: batches of a length are all of one size.
            batches += [pairs[at : at + size] for at in range(0, len(pairs) - size + 1, size)]
        self._random.shuffle(batches)
        return batches

    def batch(self, chosen: list[tuple[int, int]], *, training: bool) -> Batch:
        """Puts utterances side by side."""
        tokens, latents, ends = [], [], []
        for voice, index in chosen:
            packed = self._latents[voice]
            text = self._text((voice, index))
            tokens.append(self._vocabulary.encode(text, training=training))
            latents.append(packed.rows[packed.starts[index] : packed.starts[index + 1]])
            ends.append(int(packed.ends[index]))
        return arrange([voice for voice, _ in chosen], tokens, latents, ends)

    def _text(self, pair: tuple[int, int]) -> str:
        text: str = self._texts[self._latents[pair[0]].texts[pair[1]]]
        return text

    def _length(self, pair: tuple[int, int]) -> int:
        """About how many rows an utterance takes."""
        packed = self._latents[pair[0]]
        frames = packed.starts[pair[1] + 1] - packed.starts[pair[1]]
        return int(frames) + len(self._texts[packed.texts[pair[1]]]) // 2


def _rounded(length: int) -> int:
    """A few lengths alone: code is made for each shape of a product, which takes longer than the product."""
    return -(-length // _LENGTH_STEP) * _LENGTH_STEP


def arrange(
    voices: list[int], tokens: list[list[int]], latents: list[np.ndarray], ends: list[int]
) -> Batch:
    """A batch of utterances: ids, normalised latents [T, latent] and the row at which speech is over, of each."""
    width = latents[0].shape[1]
    length = _rounded(max(len(ids) + len(rows) for ids, rows in zip(tokens, latents, strict=True)))
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
    weights = torch.ones(a.shape[-1])
    weights[-PHASES:] = _PHASE_WEIGHT
    return (((a - b) * weights).square().sum(-1) + 1e-6).sqrt()


def as_it_will_be(model: FlowLM, batch: Batch, noise: Tensor) -> Tensor:
    """Latents [B, N, latent] to be read: of some utterances a few, of others most are the model's own guesses.

    Guesses are made from the truth and, every other time, from such guesses once more.
    """
    share = torch.rand(len(batch.latents), 1).sqrt()
    latents = batch.latents
    for _ in range(1 + int(torch.randint(2, ()))):
        conditions = model(batch, model.shifted(batch, _noisy(latents, noise)))
        drawn = torch.randn_like(latents) * (WARMEST * torch.rand(len(latents), 1, 1)) ** 0.5
        guesses = model.sample(conditions, drawn)
        chosen = (torch.rand(latents.shape[:2]) < share) & batch.is_latent
        latents = torch.where(chosen[..., None], guesses, batch.latents)
    return latents


def losses(
    model: FlowLM, batch: Batch, noise: Tensor, *, own: bool, said: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Score, cross-entropy of the end, and (to be read, not learned) the mean square of the error without noise."""
    if said is not None:
        latents = said
    elif own:
        with torch.no_grad():
            latents = as_it_will_be(model, batch, noise)
    else:
        latents = batch.latents
    chosen = _some(batch.is_latent)
    conditions = model(batch, model.shifted(batch, _noisy(latents, noise))).flatten(0, 1)[chosen]
    truth = batch.latents.flatten(0, 1)[chosen]
    drawn = torch.randn(1 + _SAMPLES, *truth.shape)
    drawn[0] = 0
    middle, *samples = model.sample(conditions, drawn)
    end = functional.binary_cross_entropy_with_logits(
        model.end_logits(conditions), batch.is_over.flatten()[chosen].float()
    )
    with torch.no_grad():
        square = (middle - truth).square().mean()
    score = _distance(middle, truth).mean()
    return score + _SPREAD_WEIGHT * energy_score(torch.stack(samples), truth), end, square


def _some(mask: Tensor) -> Tensor:
    """Places of the mask, drawn at random: `_COUNTED` of its size, a few of them twice should there be fewer."""
    places = mask.flatten().nonzero()[:, 0]
    places = places[torch.randperm(len(places))]
    return places.repeat(2)[: int(_COUNTED * mask.numel())]


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
    parser.add_argument(
        "--rollouts", type=float, default=0.0, help="share of steps on what it says by itself"
    )
    parser.add_argument("--rows", type=int, default=1_800, help="of a batch, text and latents")
    arguments = parser.parse_args()
    loop = Loop(arguments, "flow_lm")
    model = FlowLM(model_config(), len(VOICES), arguments.seed)
    steppers = optimisers(model, arguments.rate)
    saved = loop.resume()
    torch.manual_seed(loop.seed)
    utterances = Utterances(arguments.folder, loop.seed, arguments.rows)
    with torch.no_grad():
        model["flow_lm.emb_mean"].copy_(torch.from_numpy(utterances.mean))
        model["flow_lm.emb_std"].copy_(torch.from_numpy(utterances.std))
    average = Average(model)
    if saved is not None:
        model.load_state_dict(saved["model"])
        average.state = saved["average"]
        for stepper, state in zip(steppers, saved["optimisers"], strict=True):
            stepper.load_state_dict(state)

    def save() -> None:
        states = [stepper.state_dict() for stepper in steppers]
        loop.save(model=model.state_dict(), average=average.state, optimisers=states)

    # The same for all workers: a step of theirs is over when the last one is.
    random = np.random.default_rng(loop.step)
    rollouts = Rollouts(model, random)
    learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
    waiting: list[list[tuple[int, int]]] = []
    for done in loop.steps():
        if not waiting:
            limit = _SHORT if done < _SHORT_UNTIL else _LONGEST
            waiting = utterances.batches(limit, 1.0 if done < _ALL_UNTIL else _OTHERS)
        batch = utterances.batch(waiting.pop(), training=done < _ALL_UNTIL)
        said = None
        if done > _OWN_FROM and random.random() < arguments.rollouts:
            batch, said = rollouts.some(batch)
        score, end, square = losses(model, batch, utterances.noise, own=done > _OWN_FROM, said=said)
        torch.autograd.backward(score + _END_WEIGHT * end)
        average_gradients(learned, loop.workers)
        norm = nn.utils.clip_grad_norm_(learned, 1.0)
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
    batches = [utterances.batch(utterances.held_out[n::6], training=False) for n in range(6)]
    figures: dict[str, float] = {}
    for own, name in ((False, "held_out"), (True, "held_out_own")):
        parts = [losses(model, batch, none, own=own) for batch in batches]
        score, end, square = (float(torch.stack(part).mean()) for part in zip(*parts, strict=True))
        figures |= {f"{name}_score": score, f"{name}_end": end, f"{name}_square": square}
    model.load_state_dict(now)
    loop.write(**figures)


if __name__ == "__main__":
    main()
