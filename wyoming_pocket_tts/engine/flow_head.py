"""The flow head: from the transformer's condition and noise to the next latent, in one or a few steps.

An MLP with adaptive layer norms. Its four kinds differ in what the head is told and how its output is used:
`lsd` (start and end time), `flow_matching` (time), `drifting` and `pointwise` (neither). Times take the same few values in
every step of every sequence, so their embeddings are folded into the condition's bias when the head is built.

Sources: the MLP of MAR (arXiv 2406.11838), Lagrangian self distillation (2505.18825), flow matching (2210.02747).
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from wyoming_pocket_tts.engine.config import FlowConfig
from wyoming_pocket_tts.engine.kernels import EXACT, make_linear
from wyoming_pocket_tts.engine.layers import Weights, load_linear, load_norm
from wyoming_pocket_tts.engine.norm import LayerNorm

_HEAD_NORM_EPS = 1e-6
_TIME_NORM_EPS = 1e-5


class FlowHead:
    """The flow head for a fixed number of decode steps."""

    def __init__(
        self, config: FlowConfig, weights: Weights, decode_steps: int, kernel: str = EXACT
    ) -> None:
        """Builds the head.

        Args:
            config: its sizes and kind.
            weights: the tensors below `flow_lm.flow_net`.
            decode_steps: N; drifting and pointwise heads always take one.
            kernel: of `engine.kernels`, for its larger products.

        Raises:
            ValueError: for fewer than one step.
        """
        if decode_steps < 1:
            raise ValueError(f"decode_steps must be at least 1, not {decode_steps}")
        self.type = config.type
        self.decode_steps = decode_steps if config.time_conditions else 1
        self._width = config.dim
        self._norm = LayerNorm(config.dim, _HEAD_NORM_EPS)
        condition = weights.below("cond_embed")
        self._condition = make_linear(condition["weight"], kernel=kernel)
        self._condition_bias = [
            condition["bias"] + _time_embedding(config, weights, step, self.decode_steps)
            for step in range(self.decode_steps)
        ]
        self._input = load_linear(weights.below("input_proj"))
        blocks = [weights.below(f"res_blocks.{index}") for index in range(config.depth)]
        self._blocks = [_ResidualBlock(block, kernel) for block in blocks]
        final = weights.below("final_layer")
        self._output = load_linear(final.below("linear"))
        # All modulations (shift, scale, gate per block; shift, scale at the end) read the same row.
        parts = [part.below("adaLN_modulation.1") for part in (*blocks, final)]
        self._modulation = make_linear(
            torch.cat([part["weight"] for part in parts]),
            torch.cat([part["bias"] for part in parts]),
            kernel,
            skewed=True,
        )

    def __call__(self, condition: Tensor, noise: Tensor) -> Tensor:
        """Draws the next latent.

        Args:
            condition: [B, condition width], the transformer's output row.
            noise: [B, latent width].

        Returns:
            [B, latent width], in normalised latent space.
        """
        embedded = self._condition(condition)
        x = noise
        if self.type == "drifting":
            return self._forward(embedded + self._condition_bias[0], x)
        for bias in self._condition_bias:
            x = x + self._forward(embedded + bias, x) / self.decode_steps
        return x

    def _forward(self, condition: Tensor, x: Tensor) -> Tensor:
        modulation = self._modulation(functional.silu(condition))
        pieces = torch.split(modulation, self._width, dim=-1)
        h = self._input(x)
        for index, block in enumerate(self._blocks):
            h = block(h, *pieces[3 * index : 3 * index + 3])
        shift, scale = pieces[-2:]
        return self._output(self._norm(h, scale, shift))


class _ResidualBlock:
    def __init__(self, weights: Weights, kernel: str) -> None:
        self._norm = load_norm(weights.below("in_ln"), _HEAD_NORM_EPS)
        self._first = load_linear(weights.below("mlp.0"), kernel, "silu")
        self._second = load_linear(weights.below("mlp.2"), kernel, skewed=True)

    def __call__(self, x: Tensor, shift: Tensor, scale: Tensor, gate: Tensor) -> Tensor:
        h = self._second(self._first(self._norm(x, scale, shift)))
        return torch.addcmul(x, gate, h)


def _time_embedding(config: FlowConfig, weights: Weights, step: int, steps: int) -> Tensor:
    """Mean of the time embeddings at one step: [dim], zeros for heads that are told no time."""
    times = (step / steps, (step + 1) / steps)[: config.time_conditions]
    total = torch.zeros(config.dim)
    for index, time in enumerate(times):
        total += _embed_time(weights.below(f"time_embed.{index}"), time)
    return total / max(1, len(times))


def _embed_time(weights: Weights, time: float) -> Tensor:
    """Embedding of one point in time: [dim].

    The closing norm divides by the root of the unbiased variance and does not subtract the mean.
    """
    angles = time * weights["freqs"]
    features = torch.cat([torch.cos(angles), torch.sin(angles)])[None]
    hidden = functional.silu(load_linear(weights.below("mlp.0"))(features))
    hidden = load_linear(weights.below("mlp.2"))(hidden)[0]
    alpha: Tensor = weights["mlp.3.alpha"]
    return hidden * (alpha * torch.rsqrt(hidden.var() + _TIME_NORM_EPS))
