"""The demo model: made on the spot with random weights, so that a server can answer before anything was downloaded.

It makes sound, not words. Its files are an ordinary model's (a YAML, weights, a tokenizer, a voice state) and are loaded the ordinary
way; they are made once per version of this recipe, in a folder that appears as a whole or not at all.
"""

from __future__ import annotations

import copy
import io
import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
import yaml
from torch import Tensor

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.engine import Engine
from wyoming_pocket_tts.engine.model import Model
from wyoming_pocket_tts.engine.sequence import (
    Sampling,
    Sequence,
    SequenceResult,
    SequenceSpec,
    frame_limit,
)
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.errors import ModelFileError
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.config_file import load_model_config
from wyoming_pocket_tts.models.demo_weights import VOICE_ROWS, random_weights, set_loudness
from wyoming_pocket_tts.models.files import alone_in
from wyoming_pocket_tts.models.identity import model_identity
from wyoming_pocket_tts.models.loading import ModelEntry
from wyoming_pocket_tts.models.tokenizer import load_tokenizer
from wyoming_pocket_tts.models.voices import write_voice_state
from wyoming_pocket_tts.strict import load_dataclass

_LOGGER = logging.getLogger(__name__)

NAME = "demo"
DESCRIPTION = "Demo: sound, not words (random weights)"

# Part of the folder's name: raised whenever the recipe changes.
_VERSION = 1
_SEED = 20261
# About -23 dBFS: clearly heard, never loud.
_RMS = 0.07
_VOCABULARY_SIZE = 420
_CONFIG_FILE, _WEIGHTS_FILE = "model.yaml", "model.safetensors"
_TOKENIZER_FILE, _VOICE_FILE = "tokenizer.model", "demo.safetensors"

_CONFIG: dict[str, Any] = {
    "weights_path": _WEIGHTS_FILE,
    "default_temperature": 0.7,
    "default_eos_threshold": 0.0,
    "flow_lm": {
        "dtype": "float32",
        "insert_bos_before_voice": True,
        "flow": {"dim": 64, "depth": 2, "type": "drifting"},
        "transformer": {
            "d_model": 64,
            "num_heads": 4,
            "num_layers": 2,
            "hidden_scale": 2,
            "max_period": 10000,
        },
        "lookup_table": {
            "dim": 64,
            "n_bins": _VOCABULARY_SIZE,
            "tokenizer": "sentencepiece",
            "tokenizer_path": _TOKENIZER_FILE,
        },
    },
    "mimi": {
        "dtype": "float32",
        "sample_rate": 24000,
        "channels": 1,
        "frame_rate": 12.5,
        "inner_dim": 32,
        "outer_dim": 32,
        "quantizer": {"dimension": 32, "output_dimension": 32},
        "seanet": {
            "dimension": 32,
            "channels": 1,
            "n_filters": 8,
            "n_residual_layers": 1,
            "ratios": [6, 5, 4],
            "kernel_size": 7,
            "residual_kernel_size": 3,
            "last_kernel_size": 3,
            "dilation_base": 2,
            "pad_mode": "constant",
            "compress": 2,
        },
        "transformer": {
            "d_model": 32,
            "num_heads": 2,
            "num_layers": 1,
            "layer_scale": 0.01,
            "context": 50,
            "dim_feedforward": 64,
            "input_dimension": 32,
            "output_dimensions": [32],
        },
    },
}

# What its tokenizer learns its pieces from.
_SENTENCES = """\
The kitchen light is on, and the window in the living room is still open.
Good morning! It is seven o'clock, and the coffee is ready.
The washing machine has finished. Would you like me to start the dryer?
Tomorrow will be sunny in the morning, with some rain in the afternoon.
I have turned the heating down to nineteen degrees.
Somebody is at the front door; it looks like the postman with a parcel.
The timer for the pasta has ended.
There are three appointments today: the dentist, the garage and a dinner with friends.
Your train leaves in twenty minutes from platform four.
Sorry, I did not understand that. Could you say it again, please?
The battery of the motion sensor in the hall is nearly empty.
Playing quiet music in the bedroom until half past ten.
All the doors are locked and the alarm is switched on. Good night!
The garden has had enough water for this week.
What shall I add to the shopping list?
It is a beautiful evening; the moon rises at a quarter to nine.
The vacuum cleaner is stuck under the sofa again.
Nobody has been at home since noon, so I closed the blinds.
Energy is cheap right now: this is a good time to charge the car.
The oven has reached two hundred degrees. Put the bread in and I will watch the clock.
"""


def demo_model(folder: Path) -> tuple[ModelEntry, Voice]:
    """The demo model and its voice, made in a folder of their own below `folder` when they are not there.

    Blocking: the first time takes about a second.

    Raises:
        ModelFileError: the folder cannot be written.
    """
    home = folder / f"demo-{_VERSION}"
    if not _is_complete(home):
        try:
            _make(home)
        except (OSError, safetensors.SafetensorError) as error:
            # The latter is how safetensors reports a full disk.
            reason = getattr(error, "strerror", None) or error
            raise ModelFileError(f"{home}: the demo model cannot be made: {reason}.") from error
    _LOGGER.warning("The demo model makes sound, not words: its weights are random")
    entry = ModelEntry(name=NAME, config=load_model_config(home / _CONFIG_FILE), language="en")
    voice = Voice(
        name=NAME,
        model=NAME,
        source=str(home / _VOICE_FILE),
        languages=("en",),
        description=DESCRIPTION,
    )
    return entry, voice


def _is_complete(home: Path) -> bool:
    files = (_CONFIG_FILE, _WEIGHTS_FILE, _TOKENIZER_FILE, _VOICE_FILE)
    return all((home / name).is_file() for name in files)


def _make(home: Path) -> None:
    """Fills a temporary folder, then gives it its name."""
    home.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{home.name}-"
    with alone_in(home.parent) as alone:
        for leftover in home.parent.glob(f"{prefix}*") if alone else ():
            shutil.rmtree(leftover, ignore_errors=True)
        if _is_complete(home):  # meanwhile, by another process
            return
        with tempfile.TemporaryDirectory(prefix=prefix, dir=home.parent) as name:
            made = Path(name) / home.name
            made.mkdir()
            _fill(made)
            if home.exists() and not _is_complete(home):
                shutil.rmtree(home)
            try:
                os.replace(made, home)
            except OSError:
                if not _is_complete(home):  # else another process was faster, with the same files
                    raise
    _LOGGER.info("Made the demo model in %s", home)


def _fill(folder: Path) -> None:
    (folder / _TOKENIZER_FILE).write_bytes(_train_tokenizer())
    values = copy.deepcopy(_CONFIG)
    config = load_dataclass(ModelConfig, values, NAME)
    weights = random_weights(config, _SEED)
    voice = _voice(Model(config, weights))
    tokens = load_tokenizer(folder / _TOKENIZER_FILE, _VOCABULARY_SIZE).encode(
        _SENTENCES.splitlines()[0]
    )
    set_loudness(config, weights, _speak(Model(config, weights), voice, tokens), _RMS)
    safetensors.torch.save_file(weights, folder / _WEIGHTS_FILE)
    write_voice_state(
        folder / _VOICE_FILE, voice, identity=model_identity(weights), model_name=NAME
    )
    (folder / _CONFIG_FILE).write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")


def _train_tokenizer() -> bytes:
    import sentencepiece

    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=iter(_SENTENCES.splitlines()),
        model_writer=written,
        vocab_size=_VOCABULARY_SIZE,
        model_type="unigram",
        byte_fallback=True,
        normalization_rule_name="identity",
        num_threads=1,
        minloglevel=2,
    )
    return written.getvalue()


@torch.inference_mode()
def _voice(model: Model) -> VoiceState:
    """A voice of random latents, where another's come from a recording."""
    generator = torch.Generator().manual_seed(_SEED)
    latents = torch.randn(VOICE_ROWS - 1, model.config.mimi.encoder_width, generator=generator)
    rows = model.flow_lm.embed_voice(latents)
    cache = model.flow_lm.new_cache(rows.shape[0])
    model.flow_lm.prefill(rows, cache)
    return cache.export()


def _speak(model: Model, voice: VoiceState, tokens: list[int]) -> Tensor:
    """What the model says to some tokens: [S]."""
    config = model.config
    sink = _Frames()
    sampling = Sampling(config.default_temperature, config.default_eos_threshold, None, 3)
    limit = frame_limit(len(tokens), config.mimi.frame_rate)
    engine = Engine(model, slots=1)
    engine.add(Sequence(SequenceSpec(tuple(tokens), voice, sampling, _SEED, limit), sink))
    while engine.busy:
        engine.step()
    return torch.cat(sink.frames)


class _Frames:
    """Keeps all frames."""

    urgent = False

    def __init__(self) -> None:
        self.frames: list[Tensor] = []

    def put(self, frame: Tensor, attempt: int) -> None:
        self.frames.append(frame)

    def restart(self) -> bool:
        return False

    def finish(self, result: SequenceResult, attempt: int) -> None:
        pass

    def fail(self, error: Exception) -> None:
        raise error
