"""Random weights for a very small model that ends its segments when speech would, and is pleasant enough to hear.

Random weights alone would speak for one frame or for ever. So one attention head is not random: it looks at all positions alike and
counts. Text rows carry a mark in channel 0, and the head's value is 1 - k * mark, so the mean over all positions has the sign of

    latents so far + voice rows - (frames per token) * tokens - a constant

which goes through the residual stream in channels that nothing else writes to, and is read by the EOS head. The frames of a segment are thus
`FRAMES_PER_TOKEN` for each token and `EXTRA_FRAMES` besides, with the demo's voice of `VOICE_ROWS` rows.

Nothing here is learned; nothing here is needed to run a real model.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.layout import tensor_shapes

# The tokenizer of the demo has about two characters a token, speech about 15 characters a second.
FRAMES_PER_TOKEN = 1.7
EXTRA_FRAMES = 6
# Rows of the demo's voice state: the learned first row, and a second of "recording".
VOICE_ROWS = 13

# Channels of the residual stream with a purpose; each has its negative beside it, so that every row has zero mean and layer norm
# only scales it.
_MARK, _MINUS_MARK, _COUNT, _MINUS_COUNT = range(4)
_FREE = 4

Weights = dict[str, Tensor]


def random_weights(config: ModelConfig, seed: int) -> Weights:
    """A full checkpoint for a configuration with `insert_bos_before_voice` and without grouped queries."""
    generator = torch.Generator().manual_seed(seed)
    weights = {
        name: _random(name, shape, generator) for name, shape in tensor_shapes(config).items()
    }
    _keep_channels_free(config, weights)
    _mark_rows(config, weights)
    _count(config, weights)
    _soften(config, weights, generator)
    return weights


def set_loudness(config: ModelConfig, weights: Weights, samples: Tensor, rms: float) -> None:
    """Scales and centres the decoder's output, from a sample of it [S]; it is linear in its last layer."""
    name = f"mimi.decoder.model.{3 * len(config.mimi.decoder_net.ratios) + 2}.conv"
    mean = samples.mean()
    gain = rms / (samples - mean).square().mean().sqrt()
    weights[f"{name}.weight"] *= gain
    weights[f"{name}.bias"] = (weights[f"{name}.bias"] - mean) * gain


def _random(name: str, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    leaf = name.rsplit(".", 1)[-1]
    if leaf in ("bias", "emb_mean"):
        return torch.zeros(shape)
    if "norm" in name or "_ln." in name or leaf in ("emb_std", "alpha"):
        return torch.ones(shape)
    if leaf == "scale":  # layer scale
        return torch.full(shape, 0.5)
    inputs = math.prod(shape[1:]) if len(shape) > 1 else 1
    if "convtr" in name:
        inputs = 2 * shape[0]
    if "embed.weight" in name:
        inputs = 1
    return torch.randn(shape, generator=generator) / math.sqrt(inputs)


def _keep_channels_free(config: ModelConfig, weights: Weights) -> None:
    """Nothing random writes to the channels with a purpose, and everything that writes has zero mean over channels."""
    writers = ["flow_lm.input_linear.weight", "flow_lm.speaker_proj_weight"]
    readers = []
    for layer in range(config.flow_lm.transformer.num_layers):
        prefix = f"flow_lm.transformer.layers.{layer}."
        writers += [f"{prefix}self_attn.out_proj.weight", f"{prefix}linear2.weight"]
        readers += [f"{prefix}self_attn.in_proj.weight", f"{prefix}linear1.weight"]
    for name in writers:
        weights[name][:_FREE] = 0
        weights[name][_FREE:] -= weights[name][_FREE:].mean(dim=0)
    for name in readers:
        weights[name][:, :_FREE] = 0


def _mark_rows(config: ModelConfig, weights: Weights) -> None:
    """Rows of text and the first row of a voice, of unit variance, so that layer norm leaves the mark as it is."""
    width = config.flow_lm.transformer.d_model
    table = weights["flow_lm.conditioner.embed.weight"]
    table[:] = _marked(table, _text_mark(width))
    first = torch.ones(1, width)
    first[:, 1::2] = -1
    weights["flow_lm.bos_before_voice"] = _marked(first, _first_mark(width)).reshape(1, 1, width)


def _marked(rows: Tensor, mark: float) -> Tensor:
    rest = rows[:, _FREE:] - rows[:, _FREE:].mean(dim=1, keepdim=True)
    variance = rows.shape[1] - 2 * mark**2
    rest = rest * torch.sqrt(variance / rest.square().sum(dim=1, keepdim=True))
    marks = torch.zeros(rows.shape[0], _FREE)
    marks[:, _MARK], marks[:, _MINUS_MARK] = mark, -mark
    return torch.cat([marks, rest], dim=1)


def _first_mark(width: int) -> float:
    """As large as a row of unit variance can carry, nearly."""
    return 0.9 * math.sqrt(width / 2)


def _weight_of_mark(width: int) -> float:
    """k: the first row counts as minus all that goes before the first latent."""
    return (VOICE_ROWS + EXTRA_FRAMES) / _first_mark(width)


def _text_mark(width: int) -> float:
    return (1 + FRAMES_PER_TOKEN) / _weight_of_mark(width)


def _count(config: ModelConfig, weights: Weights) -> None:
    """The first head of the first layer, and the EOS head that reads it."""
    transformer = config.flow_lm.transformer
    width, head = transformer.attention_width, transformer.head_width
    prefix = "flow_lm.transformer.layers.0."
    packed = weights[f"{prefix}self_attn.in_proj.weight"]
    for start in (0, width, 2 * width):  # its queries and keys are zero: it attends to all alike
        packed[start : start + head] = 0
    # Channel `_COUNT` is zero in every row before the first layer; the norm's bias makes it 1.
    weights[f"{prefix}norm1.bias"][_COUNT] = 1
    packed[2 * width, _COUNT] = 1
    packed[2 * width, _MARK] = -_weight_of_mark(transformer.d_model)
    out = weights[f"{prefix}self_attn.out_proj.weight"]
    out[:, :head] = 0
    out[_COUNT, 0], out[_MINUS_COUNT, 0] = 1, -1
    eos = weights["flow_lm.out_eos.weight"]
    eos[:] = 0
    eos[0, _COUNT], eos[0, _MINUS_COUNT] = 100, -100


def _soften(config: ModelConfig, weights: Weights, generator: torch.Generator) -> None:
    """Makes the decoder's last stage interpolate: what is left is a buzz within the band of speech, not a hiss."""
    ratios = config.mimi.decoder_net.ratios
    name = f"mimi.decoder.model.{3 * len(ratios) - 1}.convtr.weight"
    inputs, outputs, kernel = weights[name].shape
    mix = torch.randn(inputs, outputs, 1, generator=generator) / math.sqrt(inputs)
    window = torch.hann_window(kernel + 1)[1:]
    weights[name] = mix * window * (ratios[-1] / window.sum())
