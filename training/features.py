"""From speech to latents: the shape of its spectrum and its pitch, in 32 numbers for each 40 ms.

Where a codec would learn its encoder, this one is given: four log mel spectra of a frame (160 numbers) are brought to a few by their principal
components, and pitch, voicing and the phase of the fundamental are added. So a FlowLM can be trained while the decoder still learns, and
what it has to predict is smooth. The price is that no voice can be cloned: there is no encoder for recordings.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from training.losses import mel_bands
from training.settings import FRAME, SAMPLE_RATE_HZ, model_config

Rows = npt.NDArray[np.float32]

_WINDOW = 512
_SPECTRA = 4  # a frame
_BANDS = 40
_FLOOR = 0.03
_PITCHES = 2  # a frame
_PITCH_WINDOW = 640
PHASES = 4  # the last numbers of a latent
_LOWEST_HZ, _HIGHEST_HZ = 60.0, 400.0
_PITCH_BAND_HZ = 900.0
_MIDDLE_HZ = 140.0
# Weights of log2 pitch and of voicing beside log10 magnitudes: about what a listener minds.
_PITCH_WEIGHT, _VOICING_WEIGHT, _PHASE_WEIGHT = 4.0, 2.0, 3.0
_VOICED = 0.55


@dataclass(frozen=True)
class Basis:
    """How features become latents.

    Attributes:
        mean: [160] of log spectra.
        components: [160, latent - 7], orthonormal.
        middle: [latent] and
        spread: [latent]: mean and standard deviation of latents.
    """

    mean: Rows
    components: Rows
    middle: Rows
    spread: Rows

    @classmethod
    def fit(cls, spectra: Rows, pitches: Rows) -> Basis:
        """Principal components of spectra [T, 160]; pitches [T, 7]."""
        mean = spectra.mean(0)
        covariance = np.cov((spectra - mean).T)
        values, vectors = np.linalg.eigh(covariance)
        count = model_config().latent_width - pitches.shape[1]
        components = vectors[:, ::-1][:, :count].astype(np.float32)
        kept = values[::-1][:count].sum() / values.sum()
        print(f"{count} components keep {100 * kept:.1f} % of the variance of spectra")
        latents = np.concatenate([(spectra - mean) @ components, pitches], 1)
        return cls(mean, components, latents.mean(0), latents.std(0))

    def latents(self, spectra: Rows, pitches: Rows) -> Rows:
        """[T, latent]."""
        return np.concatenate([(spectra - self.mean) @ self.components, pitches], 1)

    @property
    def scale(self) -> Rows:
        """[latent] by which FlowLM's latents are divided: between no change and equal spread of all.

        Equal spread would have what hardly varies matter as much as the rest.
        """
        return np.asarray(np.sqrt(self.spread * self.spread.max()), np.float32)

    def save(self, folder: Path) -> None:
        """Writes it beside the data."""
        np.savez(folder / "basis.npz", **vars(self))

    @classmethod
    def load(cls, folder: Path) -> Basis:
        """Reads it."""
        table = np.load(folder / "basis.npz")
        return cls(**{key: table[key] for key in table.files})


def log_spectra(samples: Tensor) -> Rows:
    """[S] in whole frames -> [T, 160]: log10 of mel magnitudes at the middle of each 10 ms."""
    hop = FRAME // _SPECTRA
    side = _WINDOW // 2 - hop // 2
    windows = torch.nn.functional.pad(samples, (side, side)).unfold(0, _WINDOW, hop)
    magnitudes = torch.fft.rfft(windows * torch.hann_window(_WINDOW)).abs()
    mel = (magnitudes @ mel_bands(_WINDOW, _BANDS) + _FLOOR).log10()
    return np.asarray(mel.reshape(-1, _SPECTRA * _BANDS).numpy())


def pitch(samples: Tensor, lowest_hz: float, highest_hz: float) -> tuple[Tensor, Tensor]:
    """Pitch in Hz and voicing (0 to 1) twice a frame, by autocorrelation: [2 T] each.

    Source: the correction for the window is Boersma's (1993).
    """
    hop = FRAME // _PITCHES
    side = _PITCH_WINDOW // 2 - hop // 2
    windows = torch.nn.functional.pad(samples, (side, side)).unfold(0, _PITCH_WINDOW, hop)
    shape = torch.hann_window(_PITCH_WINDOW)
    size = 2 * _PITCH_WINDOW
    spectrum = torch.fft.rfft((windows - windows.mean(1, keepdim=True)) * shape, size)
    frequencies = torch.linspace(0, SAMPLE_RATE_HZ / 2, size // 2 + 1)
    low = (1 - ((frequencies - _PITCH_BAND_HZ) / 200).clamp(0, 1)) * (frequencies > 50)
    correlation = torch.fft.irfft((spectrum.abs() * low).square())
    of_shape = torch.fft.irfft(torch.fft.rfft(shape, size).abs().square())
    first, last = int(SAMPLE_RATE_HZ / highest_hz), int(SAMPLE_RATE_HZ / lowest_hz)
    normal = correlation[:, first - 1 : last + 2] / (correlation[:, :1] + 1e-3)
    normal = normal / (of_shape[first - 1 : last + 2] / of_shape[0])
    # A little in favour of short lags: multiples of the period fit as well as the period.
    favour = 1 - 0.05 * torch.linspace(0, 1, normal.shape[1])
    best = (normal * favour)[:, 1:-1].argmax(1) + 1
    rows = torch.arange(len(best))
    left, middle, right = normal[rows, best - 1], normal[rows, best], normal[rows, best + 1]
    curve = left - 2 * middle + right
    offset = torch.where(curve < -1e-6, (left - right) / (2 * curve.clamp(max=-1e-6)), 0.0)
    lag = first - 1 + best + offset.clamp(-1, 1)
    return SAMPLE_RATE_HZ / lag, middle.clamp(0, 1)


def pitch_range(samples: Tensor) -> tuple[float, float]:
    """Where a voice's pitch lies, from some of its speech [S]."""
    hertz, voicing = pitch(samples, _LOWEST_HZ, _HIGHEST_HZ)
    middle = float(hertz[voicing > 0.8].median())
    return max(_LOWEST_HZ, 0.55 * middle), min(_HIGHEST_HZ, 1.8 * middle)


def pitch_rows(samples: Tensor, limits: tuple[float, float]) -> Rows:
    """[S] -> [T, 7]: log2 of the pitch, carried on where there is no voice; voicing twice; phase, and how far it has come."""
    hertz, voicing = pitch(samples, *limits)
    octaves = (hertz / _MIDDLE_HZ).log2().numpy()
    voiced = np.nonzero(voicing.numpy() > _VOICED)[0]
    if len(voiced):
        octaves = np.interp(np.arange(len(octaves)), voiced, octaves[voiced])
    phase = _phase(samples, torch.from_numpy(octaves).float(), voicing)
    before = torch.cat([phase[:1] * 0, phase[:-1]])
    advance = phase * before.conj()
    turns = torch.view_as_real(torch.stack([phase, advance], 1)).flatten(1)
    parts = [
        _PITCH_WEIGHT * octaves.reshape(-1, _PITCHES).mean(1, keepdims=True),
        _VOICING_WEIGHT * voicing.numpy().reshape(-1, _PITCHES),
        _PHASE_WEIGHT * turns.numpy(),
    ]
    return np.asarray(np.concatenate(parts, 1), np.float32)


def _phase(samples: Tensor, octaves: Tensor, voicing: Tensor) -> Tensor:
    """The fundamental's phase at the end of each frame, as a point in the unit circle, nearer to 0 the less voice: [T] complex.

    Without it the decoder would have to begin each frame of a vowel at a phase of its own.
    """
    window = _PITCH_WINDOW

    def between(values: Tensor) -> Tensor:
        """At the ends of frames, from both sides."""
        last = values[_PITCHES - 1 :: _PITCHES]
        following = torch.cat([values[_PITCHES::_PITCHES], values[-1:]])
        return (last + following) / 2

    hertz = _MIDDLE_HZ * 2 ** between(octaves)
    windows = torch.nn.functional.pad(samples[FRAME - window // 2 :], (0, window // 2))
    windows = windows.unfold(0, window, FRAME) * torch.hann_window(window)
    time = torch.arange(-window // 2, window // 2) / SAMPLE_RATE_HZ
    turning = torch.polar(torch.ones(()), -2 * torch.pi * hertz[:, None] * time)
    point = (windows * turning).sum(1)
    strength = ((between(voicing) - 0.4) / 0.4).clamp(0, 1)
    return strength * point / (point.abs() + 1e-6)
