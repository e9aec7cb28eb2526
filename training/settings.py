"""What all parts of the training share: the model's configuration and the teacher's voices."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.models.config_file import load_model_config

# flite makes 16 kHz: more would be nothing but work.
SAMPLE_RATE_HZ = 16_000
FRAME_RATE_HZ = 25.0
FRAME = int(SAMPLE_RATE_HZ / FRAME_RATE_HZ)

CONFIG_FILE = Path(__file__).with_name("model.yaml")
# The teacher's name of each voice.
VOICES = ("slt", "rms", "awb")


@cache
def model_config() -> ModelConfig:
    """The model that is trained."""
    return load_model_config(CONFIG_FILE)
