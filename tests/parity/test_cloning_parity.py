"""Voices from recordings against the `pocket-tts` package: the same file, the same weights, the same voice."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
import torch
from pocket_tts.models.model_state import _import_model_state
from safetensors.torch import save_file

from tests import recording
from tests.parity.variants import assert_close, pair
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.models.cloning import VoiceMaker
from wyoming_pocket_tts.models.identity import model_identity
from wyoming_pocket_tts.models.voices import write_voice_state
from wyoming_pocket_tts.prompts import read_prompt


def assert_same(ours: VoiceState, theirs: dict[str, dict[str, torch.Tensor]]) -> None:
    assert len(ours.keys) == len(theirs)
    for layer, (keys, values) in enumerate(zip(ours.keys, ours.values, strict=True)):
        state = theirs[f"transformer.layers.{layer}.self_attn"]
        assert int(state["offset"]) == ours.length
        cache = state["cache"][:, 0, : ours.length]
        assert_close("voice state", keys, cache[0])
        assert_close("voice state", values, cache[1])


@pytest.mark.parametrize(
    ("variant", "seconds", "subtype"),
    [
        ("english-small", 5.03, "PCM_16"),
        ("english-small", 34.0, "PCM_16"),
        ("english_2m", 3.0, "PCM_24"),
        ("other-rates-small", 4.0, "PCM_16"),
        ("replicate-padding-small", 2.5, "PCM_24"),
    ],
)
def test_a_cloned_voice_is_the_packages(
    tmp_path: Path, variant: str, seconds: float, subtype: str
) -> None:
    both = pair(variant)
    rate_hz = both.config.mimi.sample_rate
    speech, from_hz = recording.speech(23)
    speech = np.concatenate((speech, speech))[: round(seconds * from_hz)]
    path = tmp_path / "prompt.wav"
    soundfile.write(path, soxr.resample(speech, from_hz, rate_hz), rate_hz, subtype=subtype)
    weights = tmp_path / "full.safetensors"
    save_file(both.weights, weights)
    config = dataclasses.replace(both.config, weights_path=str(weights))
    maker = VoiceMaker(variant, config, Path, loudness=None)
    ours = maker.make(read_prompt(path))
    assert maker.identity == model_identity(both.weights)
    with torch.no_grad():
        theirs = both.theirs.get_state_for_audio_prompt(path, truncate=True)
    assert_same(ours, theirs)
    # What is exported, the package reads.
    exported = tmp_path / "voice.safetensors"
    write_voice_state(exported, ours, identity=maker.identity, model_name=variant)
    assert_same(ours, _import_model_state(exported, torch.device("cpu")))
