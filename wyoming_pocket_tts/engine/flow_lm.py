"""FlowLM: the causal transformer that turns voice and text into latents, one per frame.

It prefills one row (voice or text) or decodes one step of several rows at once. Each row has its own cache and its own
position, so rows may join and leave between any two steps.

Does not know: tokens beyond their ids, when a sequence ends, audio.

Source: CALM (arXiv 2509.06926); layout and numbers as in `pocket-tts` 4.0.1.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from wyoming_pocket_tts.engine.attention import (
    ATTENTION,
    NativeStepAttention,
    StepAttention,
    split_heads,
)
from wyoming_pocket_tts.engine.config import FlowLMTransformerConfig, ModelConfig
from wyoming_pocket_tts.engine.flow_head import FlowHead
from wyoming_pocket_tts.engine.kernels import KernelPlan
from wyoming_pocket_tts.engine.layers import (
    FeedForward,
    RotaryTable,
    Tensors,
    Weights,
    causal_mask,
    load_linear,
    load_norm,
)
from wyoming_pocket_tts.engine.state import FlowCache

_PLAIN = KernelPlan()


class FlowLM:
    """The language model with its text table, EOS head and flow head."""

    def __init__(
        self,
        config: ModelConfig,
        tensors: Tensors,
        decode_steps: int = 1,
        plan: KernelPlan = _PLAIN,
    ) -> None:
        """Builds the model from a checkpoint's tensors (`flow_lm.*`).

        Raises:
            ValueError: the plan's attention cannot be had here, or not for heads of this width.
        """
        weights = Weights(tensors, "flow_lm.")
        self.config = config.flow_lm
        transformer = config.flow_lm.transformer
        self.bos = weights["bos_emb"]
        self._bos_before_voice = (
            weights["bos_before_voice"].reshape(1, -1)
            if config.flow_lm.insert_bos_before_voice
            else None
        )
        self._speaker = weights["speaker_proj_weight"]
        self._embedding = weights["conditioner.embed.weight"]
        self._text_projection = (
            load_linear(weights.below("conditioner.proj"))
            if config.flow_lm.lookup_table.rank is not None
            else None
        )
        self._input = load_linear(weights.below("input_linear"))
        self._layers = [
            _Layer(
                transformer, weights.below(f"transformer.layers.{index}"), index, plan.transformer
            )
            for index in range(transformer.num_layers)
        ]
        self._attention = ATTENTION[plan.attention]
        if not self._attention.available(transformer):
            raise ValueError(f"attention {plan.attention!r} cannot be had here for this model")
        self._rotary = RotaryTable(transformer.head_width, float(transformer.max_period))
        self._norm = load_norm(weights.below("out_norm"))
        self._condition = (
            load_linear(weights.below("z_proj")) if config.flow_lm.z_dim is not None else None
        )
        self._eos = load_linear(weights.below("out_eos"))
        self.head = FlowHead(
            config.flow_lm.flow, weights.below("flow_net"), decode_steps, plan.head
        )

    def new_cache(self, capacity: int = 0) -> FlowCache:
        """An empty cache with room for `capacity` positions; it grows when a sequence starts."""
        return FlowCache(self.config.transformer, capacity, self._attention.dtype)

    def embed_text(self, tokens: Sequence[int]) -> Tensor:
        """Rows for token ids: [T, d_model].

        Raises:
            IndexError: for an id outside the table.
        """
        ids = torch.tensor(list(tokens), dtype=torch.int64)
        rows = functional.embedding(ids, self._embedding)
        return rows if self._text_projection is None else self._text_projection(rows)

    def embed_voice(self, latents: Tensor) -> Tensor:
        """Rows for a voice prompt: [T, encoder width] -> [T or T + 1, d_model]."""
        rows = functional.linear(latents, self._speaker)
        if self._bos_before_voice is None:
            return rows
        return torch.cat([self._bos_before_voice, rows])

    def prefill(self, rows: Tensor, cache: FlowCache) -> Tensor:
        """Runs rows [T, d_model] through the transformer and appends them to a cache.

        Returns:
            The hidden rows before the closing norm, [T, d_model] (for tests; decoding does not need them).
        """
        start, length = cache.length, rows.shape[0]
        rotations = self._rotary.at(start, length)
        # Torch attends in the type of its inputs; bfloat16 pays where the processor multiplies it itself.
        native = self._attention.native
        mask = causal_mask(length, start + length).to(torch.float32 if native else cache.keys.dtype)
        x = rows
        for layer in self._layers:
            x = layer.prefill(x, cache, rotations, mask)
        cache.length = start + length
        return x

    def begin(self, tokens: Sequence[int], cache: FlowCache) -> tuple[Tensor, Tensor]:
        """Prefills a text and takes the first step with it: the row of the beginning is known, so the weights are read once.

        Args:
            tokens: T ids; an empty text is allowed.
            cache: holds the voice; grows by T + 1 positions.

        Returns:
            The condition [1, condition width] and the EOS logit [1] of the first step.

        Raises:
            IndexError: for an id outside the table.
        """
        rows = torch.cat([self.embed_text(tokens), self._input(self.bos[None])])
        return self._conclude(self.prefill(rows, cache)[-1:])

    def decode(self, latents: Tensor, caches: Sequence[FlowCache]) -> tuple[Tensor, Tensor]:
        """One step of several sequences.

        Args:
            latents: [B, latent width], the latent just produced per row (`bos` at first).
            caches: the cache of each row; each grows by one position.

        Returns:
            The conditions [B, condition width] and the EOS logits [B].
        """
        rotations = self._rotary.at_each([cache.length for cache in caches])
        kind = NativeStepAttention if self._attention.native else StepAttention
        attention = kind(self.config.transformer, caches, rotations)
        x = self._input(latents)
        for layer in self._layers:
            x = layer.decode(x, attention)
        for cache in caches:
            cache.length += 1
        return self._conclude(x)

    def _conclude(self, x: Tensor) -> tuple[Tensor, Tensor]:
        condition = self._norm(x)
        if self._condition is not None:
            condition = self._condition(condition)
        return condition, self._eos(condition)[:, 0]


class _Layer:
    """A pre-norm transformer layer with grouped-query attention."""

    def __init__(
        self, config: FlowLMTransformerConfig, weights: Weights, index: int, kernel: str
    ) -> None:
        self._index = index
        self._config = config
        self._qkv = load_linear(weights.below("self_attn.in_proj"), kernel)
        self._out = load_linear(weights.below("self_attn.out_proj"), kernel)
        self._norm1 = load_norm(weights.below("norm1"))
        self._norm2 = load_norm(weights.below("norm2"))
        self._feedforward = FeedForward(
            load_linear(weights.below("linear1"), kernel, "gelu"),
            load_linear(weights.below("linear2"), kernel, skewed=True),
        )

    def prefill(self, x: Tensor, cache: FlowCache, rotations: Tensor, mask: Tensor) -> Tensor:
        queries, keys, values = split_heads(self._config, self._qkv(self._norm1(x)), rotations)
        start, end = cache.length, cache.length + x.shape[0]
        all_keys, all_values = cache.keys[self._index], cache.values[self._index]
        all_keys[:, start:end] = keys.transpose(0, 1)
        all_values[:, start:end] = values.transpose(0, 1)
        attended = functional.scaled_dot_product_attention(
            queries.transpose(0, 1)[None].to(mask.dtype),
            all_keys[None, :, :end].to(mask.dtype),
            all_values[None, :, :end].to(mask.dtype),
            mask,
            enable_gqa=self._config.num_heads > self._config.kv_heads,
        )
        return self._finish(x, attended[0].transpose(0, 1).flatten(1).float())

    def decode(self, x: Tensor, attention: StepAttention) -> Tensor:
        return self._finish(x, attention(self._index, self._qkv(self._norm1(x))))

    def _finish(self, x: Tensor, attended: Tensor) -> Tensor:
        x = self._out(attended, x)
        return self._feedforward(self._norm2(x), x)
