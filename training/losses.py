"""What the codec is trained on: short-time spectra at several resolutions, on a linear and a mel scale.

Source: multi-resolution spectral losses as in Parallel WaveGAN (arXiv 1910.11480) and EnCodec (2210.13438).
"""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

from training.settings import SAMPLE_RATE_HZ

# Window lengths in samples; the hop is a quarter of each.
RESOLUTIONS = (256, 512, 1024, 2048)
_BANDS = {256: 20, 512: 40, 1024: 80, 2048: 80}
_MEL_FLOOR = 1e-4
_FLOOR = 1e-3


def spectral_loss(
    made: Tensor, wanted: Tensor, resolutions: tuple[int, ...] = RESOLUTIONS
) -> Tensor:
    """Mean distance of magnitudes; [B, S] each."""
    total = torch.zeros(())
    for window in resolutions:
        ours = _magnitudes(made, window)
        with torch.no_grad():
            theirs = _magnitudes(wanted, window)
        bands = mel_bands(window, _BANDS[window])
        with torch.no_grad():
            their_mel = (theirs @ bands + _MEL_FLOOR).log10()
            their_log = (theirs + _FLOOR).log10()
            energy = theirs.square().sum((1, 2)).sqrt() + _FLOOR
        mel = ((ours @ bands + _MEL_FLOOR).log10() - their_mel).abs().mean()
        log = ((ours + _FLOOR).log10() - their_log).abs().mean()
        convergence = ((ours - theirs).square().sum((1, 2)).sqrt() / energy).mean()
        total = total + 2 * mel + 0.5 * log + 0.5 * convergence
    return total / len(resolutions)


def _magnitudes(samples: Tensor, window: int) -> Tensor:
    """[B, frames, window / 2 + 1], those of samples in -1..1."""
    frames = samples.unfold(-1, window, window // 4)
    spectrum = torch.fft.rfft(frames * _hann(window))
    return (torch.view_as_real(spectrum).square().sum(-1) + 1e-9).sqrt()


@cache
def _hann(window: int) -> Tensor:
    return torch.hann_window(window)


@cache
def mel_bands(window: int, bands: int) -> Tensor:
    """Triangular filters from 40 Hz to half the rate: [window / 2 + 1, bands]."""
    low, high = _mel(torch.tensor(40.0)), _mel(torch.tensor(SAMPLE_RATE_HZ / 2))
    edges = 700 * (10 ** (torch.linspace(float(low), float(high), bands + 2) / 2595) - 1)
    frequencies = torch.linspace(0, SAMPLE_RATE_HZ / 2, window // 2 + 1)[:, None]
    rising = (frequencies - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - frequencies) / (edges[2:] - edges[1:-1])
    return torch.minimum(rising, falling).clamp_min(0)


def _mel(hertz: Tensor) -> Tensor:
    return 2595 * torch.log10(1 + hertz / 700)
