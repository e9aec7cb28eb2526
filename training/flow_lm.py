"""FlowLM as a trainable module: whole sequences at once, under the engine's names, with its pointwise flow head.

A sequence is voice rows, text rows, latents. Row i of the latents reads the latent before it (the first: `bos_emb`) and tells the next one.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from training import layers
from training.parameters import Parameters
from wyoming_pocket_tts.engine.config import ModelConfig

# Rows of a voice, learned where another model's come from a recording.
VOICE_ROWS = 4
_HEAD_NORM_EPS = 1e-6


@dataclass(frozen=True)
class Batch:
    """Utterances side by side, short ones padded at their end.

    Attributes:
        voices: [B] which voice.
        tokens: [B, N] ids where `is_text`; N counts text and latents.
        latents: [B, N, latent], normalised, where `is_latent`: what each row is to tell.
        is_text, is_latent: [B, N].
        is_over: [B, N] whether speech has ended before the row's latent.
    """

    voices: Tensor
    tokens: Tensor
    latents: Tensor
    is_text: Tensor
    is_latent: Tensor
    is_over: Tensor


class FlowLM(Parameters):
    """Transformer, text table, EOS head and flow head; and the voices."""

    def __init__(self, config: ModelConfig, voices: int, seed: int) -> None:
        super().__init__(config, ("flow_lm.",), seed)
        assert config.flow_lm.flow.type == "pointwise"
        assert not config.flow_lm.insert_bos_before_voice
        assert config.flow_lm.z_dim is None
        assert config.flow_lm.lookup_table.rank is None
        self._config = config.flow_lm
        for name in ("flow_lm.emb_mean", "flow_lm.emb_std"):
            self[name].requires_grad_(False)
        self.voices = nn.Parameter(torch.randn(voices, VOICE_ROWS, config.mimi.encoder_width))

    def forward(self, batch: Batch, before: Tensor, dtype: torch.dtype = torch.bfloat16) -> Tensor:
        """Conditions [B, N, d_model], float32.

        Args:
            batch: the utterances.
            before: [B, N, latent], what each latent row reads; as `shifted` gives it.
            dtype: of the large products.
        """
        voice = functional.linear(self.voices[batch.voices], self["flow_lm.speaker_proj_weight"])
        text = functional.embedding(batch.tokens, self["flow_lm.conditioner.embed.weight"])
        latents = functional.linear(before, self["flow_lm.input_linear.weight"])
        rows = torch.where(batch.is_text[..., None], text, latents)
        x = torch.cat([voice, rows], 1).to(dtype)
        transformer = self._config.transformer
        for index in range(transformer.num_layers):
            x = self._layer(f"flow_lm.transformer.layers.{index}.", x)
        x = x[:, VOICE_ROWS:].float()
        return layers.layer_norm(x, self["flow_lm.out_norm.weight"], self["flow_lm.out_norm.bias"])

    def shifted(self, batch: Batch, latents: Tensor) -> Tensor:
        """[B, N, latent]: each row's predecessor, `bos_emb` for the first."""
        is_first = (
            batch.is_latent & ~layers.shift(batch.is_latent[..., None].float(), 1)[..., 0].bool()
        )
        before = layers.shift(latents, 1)
        return torch.where(is_first[..., None], self["flow_lm.bos_emb"], before)

    def end_logits(self, conditions: Tensor) -> Tensor:
        """[...]: over 0 where speech is over."""
        return functional.linear(
            conditions, self["flow_lm.out_eos.weight"], self["flow_lm.out_eos.bias"]
        )[..., 0]

    def sample(
        self, conditions: Tensor, noise: Tensor, dtype: torch.dtype = torch.bfloat16
    ) -> Tensor:
        """Latents [..., M, latent] from conditions [M, d_model] and noise [..., M, latent]."""
        prefix = "flow_lm.flow_net."
        h = self._linear(f"{prefix}input_proj", noise.to(dtype))
        told = functional.silu(self._linear(f"{prefix}cond_embed", conditions.to(dtype)))
        for index in range(self._config.flow.depth):
            block = f"{prefix}res_blocks.{index}."
            shift, scale, gate = self._linear(f"{block}adaLN_modulation.1", told).chunk(3, -1)
            y = layers.layer_norm(
                h, self[f"{block}in_ln.weight"], self[f"{block}in_ln.bias"], _HEAD_NORM_EPS
            )
            y = functional.silu(self._linear(f"{block}mlp.0", y * (1 + scale) + shift))
            h = h + gate * self._linear(f"{block}mlp.2", y)
        shift, scale = self._linear(f"{prefix}final_layer.adaLN_modulation.1", told).chunk(2, -1)
        y = layers.layer_norm(h, None, None, _HEAD_NORM_EPS) * (1 + scale) + shift
        return noise + self._linear(f"{prefix}final_layer.linear", y).float()

    def _layer(self, name: str, x: Tensor) -> Tensor:
        transformer = self._config.transformer
        h = layers.layer_norm(x, self[f"{name}norm1.weight"], self[f"{name}norm1.bias"])
        packed = layers.linear(h, self[f"{name}self_attn.in_proj.weight"])
        h = layers.attend(
            packed, transformer.num_heads, transformer.kv_heads, float(transformer.max_period)
        )
        x = x + layers.linear(h, self[f"{name}self_attn.out_proj.weight"])
        h = layers.layer_norm(x, self[f"{name}norm2.weight"], self[f"{name}norm2.bias"])
        h = layers.linear(h, self[f"{name}linear1.weight"])
        h = functional.gelu(h, approximate="tanh")
        return x + layers.linear(h, self[f"{name}linear2.weight"])

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return layers.linear(x, self[f"{name}.weight"], self[f"{name}.bias"])
