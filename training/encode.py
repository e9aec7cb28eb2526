"""Latents of all speech, which the decoder learns from and FlowLM learns to say.

The first call chooses the basis; later ones add what has been spoken since, on the same basis.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from training.features import Basis, log_spectra, pitch_range, pitch_rows
from training.settings import FRAME, VOICES
from training.speech import Packed

# Utterances of each voice that the basis is fitted on.
_FOR_BASIS = 400


@dataclass(frozen=True)
class Latents:
    """Latents of a voice.

    Attributes:
        rows: [T, latent] float32, all utterances one after the other, not normalised.
        starts: [N + 1], where each begins.
        ends: [N], rows of each up to the end of speech.
        texts: [N], indices into the texts.
    """

    rows: npt.NDArray[np.float32]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    texts: npt.NDArray[np.int64]

    @classmethod
    def load(cls, folder: Path, voice: str) -> Latents:
        """Reads what `main` wrote."""
        table = np.load(folder / f"{voice}.latents.npz")
        return cls(table["rows"], table["starts"], table["ends"], table["texts"])


def samples_of(packed: Packed, first: int, last: int) -> Tensor:
    """[S] float32 of utterances `first` to `last`."""
    piece = packed.samples[packed.starts[first] : packed.starts[last]]
    return torch.from_numpy(piece.astype(np.float32) / 32768)


def encode(packed: Packed, basis: Basis, limits: tuple[float, float]) -> Latents:
    """Encodes a voice."""
    rows = []
    for index in range(len(packed.texts)):
        samples = samples_of(packed, index, index + 1)
        rows.append(basis.latents(log_spectra(samples), pitch_rows(samples, limits)))
    return Latents(np.concatenate(rows), packed.starts // FRAME, packed.ends, packed.texts)


def choose_basis(folder: Path) -> tuple[Basis, dict[str, tuple[float, float]]]:
    """The basis and each voice's range of pitch, from some of its speech; chosen once."""
    samples = {}
    for voice in VOICES:
        packed = Packed.load(folder, voice)
        samples[voice] = samples_of(packed, 0, min(_FOR_BASIS, len(packed.texts)))
    limits = {voice: pitch_range(some) for voice, some in samples.items()}
    if (folder / "basis.npz").exists():
        return Basis.load(folder), limits
    spectra = np.concatenate([log_spectra(some) for some in samples.values()])
    pitches = np.concatenate([pitch_rows(some, limits[voice]) for voice, some in samples.items()])
    basis = Basis.fit(spectra, pitches)
    basis.save(folder)
    return basis, limits


def main() -> None:
    """Encodes all voices."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    basis, limits = choose_basis(arguments.folder)
    for voice in VOICES:
        made = encode(Packed.load(arguments.folder, voice), basis, limits[voice])
        np.savez(arguments.folder / f"{voice}.latents.npz", **vars(made))
        low, high = limits[voice]
        print(f"{voice}: {len(made.rows)} frames, pitch {low:.0f} to {high:.0f} Hz", flush=True)


if __name__ == "__main__":
    main()
