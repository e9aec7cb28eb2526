"""One script, run with the `pocket-tts` package and, after a change of the import, with ours: the same files, the same answers.

Without noise (temperature 0) both must make the same sound, sample by sample.
"""

from __future__ import annotations

import types
from pathlib import Path
from typing import Any

import numpy as np
import pocket_tts
import pytest
import soundfile
import soxr
import torch
import yaml
from safetensors.torch import save_file

import wyoming_pocket_tts
from tests import recording
from tests.parity.reference import SMALL_BASE, raw_config
from tests.parity.variants import assert_close, pair

VARIANT = "english-small"
TEXT = (
    "hello world; the kitchen light is now on. Please close the window, it is raining!\n"
    "It is 21.5 degrees outside, good morning everyone, someone is at the front door? Yes"
)

SCRIPT = """
import threading
import torch
from MODULE import TTSModel, export_model_state

answers = {}
model = TTSModel.load_model(
    config=config, temp=0.0, sampler_decode_steps=1, noise_clamp=None, eos_threshold=eos_threshold, quantize=False
)
model.to("cpu")
answers["about"] = (model.sample_rate, str(model.device), model.has_voice_cloning, model.config.mimi.frame_rate)

voice = model.get_state_for_audio_prompt(prompt, truncate=True)
export_model_state(voice, out + "/voice.safetensors")
again = model.get_state_for_audio_prompt(out + "/voice.safetensors")

answers["audio"] = model.generate_audio(voice, text)
answers["again"] = model.generate_audio(again, text, frames_after_eos=2, copy_state=True, max_tokens=20)
answers["short"] = model.generate_audio(model_state=voice, text_to_generate="hello")
chunks = list(model.generate_audio_stream(model_state=voice, text_to_generate=text, max_tokens=20))
answers["dims"] = {chunk.dim() for chunk in chunks}
answers["dtypes"] = {chunk.dtype for chunk in chunks}
answers["stream"] = torch.cat(chunks)

stop = threading.Event()
stopped = 0
for chunk in model.generate_audio_stream(voice, text, stop=stop):
    stopped += chunk.shape[0]
    stop.set()
answers["stopped early"] = 0 < stopped < len(answers["audio"])

samples = model.get_state_for_audio_prompt(tensor)
answers["tensor"] = model.generate_audio(samples, "hello world")

for name, call in {
    "empty": lambda: model.generate_audio(voice, "  "),
    "both": lambda: TTSModel.load_model(language="english", config=config),
    "no name": lambda: TTSModel.load_model(config=config).get_state_for_audio_prompt("alba"),
    "no file": lambda: model.get_state_for_audio_prompt("absent.wav"),
}.items():
    try:
        call()
    except (ValueError, FileNotFoundError) as error:
        answers[name] = True
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A model's YAML with weights, and a prompt, as both sides read them."""
    folder = tmp_path_factory.mktemp("library")
    both = pair(VARIANT)
    save_file(both.weights, folder / "model.safetensors")
    values = raw_config("english", SMALL_BASE)
    values.pop("weights_path_without_voice_cloning", None)
    values["weights_path"] = str(folder / "model.safetensors")
    (folder / "model.yaml").write_text(yaml.safe_dump(values))
    speech, from_hz = recording.speech(4)
    rate_hz = both.config.mimi.sample_rate
    samples = np.ascontiguousarray(soxr.resample(speech, from_hz, rate_hz))
    soundfile.write(folder / "prompt.wav", samples, rate_hz, subtype="PCM_16")
    return {
        "config": str(folder / "model.yaml"),
        "prompt": folder / "prompt.wav",
        "tensor": torch.from_numpy(samples)[None],
        "text": TEXT,
    }


def run(module: types.ModuleType, files: dict[str, Any], out: Path, **more: Any) -> dict[str, Any]:
    out.mkdir()
    namespace = {**files, **more, "out": str(out)}
    exec(compile(SCRIPT.replace("MODULE", module.__name__), "script", "exec"), namespace)
    answers = namespace["answers"]
    assert isinstance(answers, dict)
    return answers


# Speech ends at once, or somewhere.
@pytest.mark.parametrize("eos_threshold", [-1000.0, 1.0])
def test_a_script_works_after_changing_the_import(
    files: dict[str, Any],
    eos_threshold: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HOME", str(tmp_path / "hub"))
    with torch.no_grad():
        theirs = run(pocket_tts, files, tmp_path / "theirs", eos_threshold=eos_threshold)
    ours = run(wyoming_pocket_tts, files, tmp_path / "ours", eos_threshold=eos_threshold)
    assert set(ours) == set(theirs)
    for name, answer in theirs.items():
        if isinstance(answer, torch.Tensor):
            assert answer.abs().max() > 0.01
            assert_close("pcm", ours[name], answer)
        else:
            assert ours[name] == answer, name
    # Each reads the other's voice.
    model = wyoming_pocket_tts.TTSModel.load_model(config=files["config"], tune=False)
    states = [
        model.get_state_for_audio_prompt(tmp_path / side / "voice.safetensors")
        for side in ("ours", "theirs")
    ]
    for one, other in zip(*(state.voice.keys for state in states), strict=True):
        assert_close("voice state", one, other)
    their_model = pocket_tts.TTSModel.load_model(config=files["config"])
    assert their_model.get_state_for_audio_prompt(tmp_path / "ours" / "voice.safetensors")


def test_the_signatures_are_theirs() -> None:
    """Every argument that the package's users may name is there, in its order."""
    import inspect

    for name in (
        "load_model",
        "get_state_for_audio_prompt",
        "generate_audio",
        "generate_audio_stream",
    ):
        theirs = inspect.signature(getattr(pocket_tts.TTSModel, name)).parameters
        ours = inspect.signature(getattr(wyoming_pocket_tts.TTSModel, name)).parameters
        positional = [
            key for key, value in ours.items() if value.kind is value.POSITIONAL_OR_KEYWORD
        ]
        assert positional == list(theirs)
    assert list(inspect.signature(pocket_tts.export_model_state).parameters) == list(
        inspect.signature(wyoming_pocket_tts.export_model_state).parameters
    )
