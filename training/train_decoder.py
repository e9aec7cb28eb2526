"""Trains the codec's decoder: latents to waveform.

    python -m training.train_decoder --folder F --minutes 60

Several processes may share each step: the same command for each `--rank` of `--workers`, with a common `--meeting`. Latents get noise, so
that what FlowLM says is understood too; for the last part of its training there is better than noise, what FlowLM does say.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from training.codec import Decoder
from training.encode import Latents
from training.features import PHASES, Basis
from training.loop import Average, Loop, add_arguments, average_gradients
from training.losses import RESOLUTIONS, spectral_loss
from training.settings import FRAME, VOICES, model_config
from training.speech import Packed
from training.tell import Told

_CROP_FRAMES = 48
_FROM_START = 0.6
# Of each latent's spread.
_NOISE = 0.35
_UNSURE = 0.25
# Of crops those that are as FlowLM tells them, when it has been trained (`training.tell`).
_TOLD = 0.7
_FAVOUR = 6  # to one of each other voice
# Of four resolutions so many are drawn for each step.
_DRAWN_RESOLUTIONS = 2


class Crops:
    """Latents and their sound; many begin where an utterance does, as the decoder will."""

    def __init__(self, folder: Path, seed: int, favour: str | None = None) -> None:
        self._random = random.Random(seed)
        self._weights = [_FAVOUR if voice == favour else 1 for voice in VOICES]
        self._voices = [
            (Latents.load(folder, voice), Packed.load(folder, voice), Told.load(folder, voice))
            for voice in VOICES
        ]

    def batch(self, count: int) -> tuple[Tensor, Tensor]:
        """Latents [count, T, latent] and samples [count, S]."""
        rows, sounds = [], []
        for _ in range(count):
            latents, packed, told = self._random.choices(self._voices, self._weights)[0]
            last = int(latents.starts[-1]) - _CROP_FRAMES
            first = self._random.randrange(last)
            if self._random.random() < _FROM_START:
                first = min(last, int(self._random.choice(latents.starts)))
            source = latents.rows
            if told is not None and self._random.random() < _TOLD:
                first = min(last, int(self._random.choice(told.starts)))
                source = told.rows
            rows.append(source[first : first + _CROP_FRAMES])
            piece = packed.samples[first * FRAME : (first + _CROP_FRAMES) * FRAME]
            sounds.append(piece.astype(np.float32) / 32768)
        return torch.from_numpy(np.stack(rows)), torch.from_numpy(np.stack(sounds))


def train(arguments: argparse.Namespace) -> None:
    """One worker of a run."""
    loop = Loop(arguments, "decoder")
    decoder = Decoder(model_config(), arguments.seed)
    spread = torch.from_numpy(Basis.load(arguments.folder).spread)
    with torch.no_grad():
        decoder["mimi.quantizer.output_proj.weight"].div_(spread[:, None])
    parameters = list(decoder.parameters())
    optimiser = torch.optim.AdamW(parameters, arguments.rate, betas=(0.8, 0.99), weight_decay=1e-3)
    average = Average(decoder)
    saved = loop.resume()
    if saved is not None:
        decoder.load_state_dict(saved["model"])
        average.state = saved["average"]
        optimiser.load_state_dict(saved["optimiser"])

    def save() -> None:
        loop.save(
            model=decoder.state_dict(), average=average.state, optimiser=optimiser.state_dict()
        )

    torch.manual_seed(loop.seed)
    crops = Crops(arguments.folder, loop.seed, arguments.favour)
    chooser = random.Random(loop.seed)
    for done in loop.steps():
        for group in optimiser.param_groups:
            group["lr"] = loop.rate(done)
        latents, audio = crops.batch(arguments.batch)
        noise = torch.randn_like(latents) * spread * (torch.rand(len(latents), 1, 1) * _NOISE)
        # FlowLM is less sure of phases than of anything else, and what is unsure is small.
        sure = torch.where(torch.rand(len(latents)) < _UNSURE, torch.rand(len(latents)), 1.0)
        latents[..., -PHASES:] *= sure[:, None, None]
        made = decoder(latents + noise)
        resolutions = tuple(chooser.sample(RESOLUTIONS, _DRAWN_RESOLUTIONS))
        loss = spectral_loss(made, audio, resolutions)
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        average_gradients(parameters, loop.workers)
        norm = nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        average.update()
        loop.note(loss=loss.item(), norm=float(norm))
        if loop.saves_now:
            save()
    save()


def main() -> None:
    """Trains the decoder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    add_arguments(parser)
    parser.add_argument(
        "--favour",
        choices=VOICES,
        help="three crops in four are of this voice: the least clear one",
    )
    parser.add_argument("--batch", type=int, default=3, help="crops a step and worker")
    arguments = parser.parse_args()
    train(arguments)


if __name__ == "__main__":
    main()
