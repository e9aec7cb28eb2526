"""From a prepared prompt to a voice state: Mimi's encoder, then FlowLM over what it heard.

Built for one voice from a full checkpoint and dropped again. Always in float32, whatever kernels a running engine uses: a voice is
made once and kept, so it must not depend on the machine's fastest kernel of that day.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.flow_lm import FlowLM
from wyoming_pocket_tts.engine.mimi_encoder import MimiEncoder
from wyoming_pocket_tts.engine.signal import helpers
from wyoming_pocket_tts.engine.state import VoiceState


class VoiceEncoder:
    """What makes voices with one model's weights."""

    def __init__(self, config: ModelConfig, tensors: Mapping[str, Tensor]) -> None:
        """Builds it from a full checkpoint's tensors (canonical names, float32); Mimi's decoder half is not touched."""
        self._encoder = MimiEncoder(config.mimi, tensors)
        self._flow_lm = FlowLM(config, tensors)

    @torch.inference_mode()
    def encode(self, audio: Tensor) -> VoiceState:
        """Makes a voice state.

        Args:
            audio: [S] float32 at the model's sample rate, already ending on a pause.

        Raises:
            ValueError: for an empty prompt.
        """
        return make_voice(self._encoder, self._flow_lm, audio)


def make_voice(encoder: MimiEncoder, flow_lm: FlowLM, audio: Tensor) -> VoiceState:
    """The voice state of a prepared prompt [S], made with every processor's help.

    Raises:
        ValueError: for an empty prompt.
    """
    with helpers():
        rows = flow_lm.embed_voice(encoder.encode(audio))
        cache = flow_lm.new_cache(rows.shape[0])
        flow_lm.prefill(rows, cache)
        return cache.export()
