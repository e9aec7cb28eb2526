"""What FlowLM makes of the teacher's speech, at the teacher's pace: so that the decoder learns to speak clearly from that, too.

    python -m training.tell --folder F --count 4000

For some utterances it writes what FlowLM says next after what it has said itself, a few times over, beginning with the teacher's: nearly
what it says when nobody tells it, but beside the teacher's sound.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from training.encode import Latents
from training.export import load_flow_lm
from training.flow_lm import Batch, FlowLM
from training.settings import VOICES
from training.train_flow_lm import Utterances

_TIMES = 3
_ROWS = 1_600


@dataclass(frozen=True)
class Told:
    """A voice's latents as FlowLM tells them.

    Attributes:
        rows: [T, latent] float32, the teacher's where FlowLM was not asked; not normalised.
        starts: where utterances begin that it was asked for.
    """

    rows: npt.NDArray[np.float32]
    starts: npt.NDArray[np.int64]

    @classmethod
    def load(cls, folder: Path, voice: str) -> Told | None:
        """Reads what `main` wrote, if it did."""
        path = folder / f"{voice}.told.npz"
        if not path.exists():
            return None
        table = np.load(path)
        return cls(table["rows"], table["starts"])


@torch.no_grad()
def tell(model: FlowLM, batch: Batch) -> Tensor:
    """Latents [B, N, latent], normalised, where `batch.is_latent`."""
    latents = batch.latents
    for _ in range(_TIMES):
        conditions = model(batch, model.shifted(batch, latents))
        latents = model.sample(conditions, torch.zeros_like(latents))
    return latents


def main() -> None:
    """Tells some utterances of each voice."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--count", type=int, default=4_000, help="utterances, about")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    utterances = Utterances(arguments.folder, 0, _ROWS)
    model = load_flow_lm(arguments.folder)
    latents = [Latents.load(arguments.folder, voice) for voice in VOICES]
    starts: list[list[int]] = [[] for _ in VOICES]
    for chosen in utterances.batches(np.inf, 0.1):
        batch = utterances.batch(chosen, training=False)
        made = tell(model, batch).numpy()
        for (voice, index), rows, mask in zip(chosen, made, batch.is_latent.numpy(), strict=True):
            first = int(latents[voice].starts[index])
            told = rows[mask] * utterances.std + utterances.mean
            latents[voice].rows[first : first + len(told)] = told
            starts[voice].append(first)
        if sum(map(len, starts)) >= arguments.count:
            break
    for voice, all_rows, begun in zip(VOICES, latents, starts, strict=True):
        np.savez(
            arguments.folder / f"{voice}.told.npz",
            rows=all_rows.rows,
            starts=np.array(begun, np.int64),
        )
        print(f"{voice}: {len(begun)} utterances")


if __name__ == "__main__":
    main()
