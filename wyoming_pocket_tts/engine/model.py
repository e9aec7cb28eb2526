"""A runnable model: FlowLM, the codec's decoder and, where it was loaded, the encoder for voice cloning.

Plain objects around tensors: nothing here has state that changes while it speaks, so one model serves any number of
sequences. State lives in `engine.state` and is passed in.
"""

from __future__ import annotations

import torch
from torch import Tensor

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.flow_lm import FlowLM
from wyoming_pocket_tts.engine.kernels import KernelPlan
from wyoming_pocket_tts.engine.layers import Tensors
from wyoming_pocket_tts.engine.mimi import MimiDecoder
from wyoming_pocket_tts.engine.mimi_encoder import MimiEncoder
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.engine.voice_encoder import make_voice

_PLAIN = KernelPlan()


class Model:
    """A model built from a configuration and a checkpoint's tensors (canonical names, float32)."""

    def __init__(
        self,
        config: ModelConfig,
        tensors: Tensors,
        decode_steps: int = 1,
        plan: KernelPlan = _PLAIN,
    ) -> None:
        """Packs the weights; `tensors` may be dropped afterwards.

        Args:
            config: the model's configuration.
            tensors: a checkpoint by canonical names.
            decode_steps: of the flow head, per frame.
            plan: which kernel does which part.
        """
        self.config = config
        self.flow_lm = FlowLM(config, tensors, decode_steps, plan)
        self.decoder = MimiDecoder(config, tensors, plan.codec)
        self.encoder = (
            MimiEncoder(config.mimi, tensors)
            if "mimi.downsample.conv.conv.weight" in tensors
            else None
        )

    @property
    def sample_rate_hz(self) -> int:
        """Rate of the sound it makes."""
        return self.config.mimi.sample_rate

    @property
    def frame_size(self) -> int:
        """Samples per frame."""
        return self.config.mimi.frame_size

    @torch.inference_mode()
    def encode_voice(self, audio: Tensor) -> VoiceState:
        """Makes a voice state from a prepared prompt.

        Args:
            audio: [S] float32 at the model's sample rate, already ending on a pause.

        Raises:
            RuntimeError: when the model was loaded without its encoder.
            ValueError: for an empty prompt.
        """
        if self.encoder is None:
            raise RuntimeError("this model was loaded without its encoder: it cannot clone voices")
        return make_voice(self.encoder, self.flow_lm, audio)
