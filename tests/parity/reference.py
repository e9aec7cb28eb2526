"""The reference: `pocket-tts` with random weights, built from its own configuration files, scaled down where asked.

Its weights are re-drawn so that no part of the model hides another: layer scales of 0.01 or a speaker projection of zeros,
as a fresh model has them, would make a fault in an attention layer invisible.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import sentencepiece
import torch
import yaml
from pocket_tts.models.mimi import build_mimi
from pocket_tts.models.tts_model import TTSModel, stamp_state_names
from pocket_tts.utils.config import CONFIGS_DIR, Config

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.strict import load_dataclass

PIECES = 300

# Scaled-down copies keep the code path: number of layers, heads, groups, flow type, separate decoder.
SMALL_BASE: dict[str, Any] = {
    "flow_lm": {
        "transformer": {"d_model": 64, "num_heads": 4, "num_layers": 3},
        "flow": {"dim": 48, "depth": 2},
        "lookup_table": {"dim": 64},
    },
    "mimi": {
        "seanet": {"n_filters": 8, "dimension": 64},
        "transformer": {
            "d_model": 64,
            "num_heads": 4,
            "input_dimension": 64,
            "output_dimensions": [64],
            "dim_feedforward": 96,
            "context": 40,
        },
        "quantizer": {"output_dimension": 64},
        "outer_dim": 64,
    },
}
SMALL_24L: dict[str, Any] = {
    **SMALL_BASE,
    "flow_lm": {
        **SMALL_BASE["flow_lm"],
        "transformer": {"d_model": 64, "num_heads": 4, "num_layers": 24},
    },
}


@functools.cache
def tokenizer_path() -> str:
    """A small SentencePiece model with byte fallback, trained on the spot."""
    words = [
        "the kitchen light is now on", "good morning everyone", "it is twenty degrees outside",
        "the washing machine has finished", "hello world", "someone is at the front door",
        "Please close the window, it is raining.", "Battery low! Charge the vacuum cleaner?",
    ]  # fmt: skip
    folder = Path(tempfile.mkdtemp(prefix="reference-tokenizer-"))
    corpus = folder / "corpus.txt"
    corpus.write_text("\n".join(words * 20))
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus),
        model_prefix=str(folder / "tokenizer"),
        vocab_size=PIECES,
        byte_fallback=True,
        hard_vocab_limit=False,
        minloglevel=2,
        num_threads=1,
    )
    return str(folder / "tokenizer.model")


@functools.cache
def pieces() -> int:
    return int(sentencepiece.SentencePieceProcessor(model_file=tokenizer_path()).vocab_size())


def raw_config(name: str, changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """The package's YAML of a model, with `changes` merged in and the test's tokenizer."""
    values = yaml.safe_load((CONFIGS_DIR / f"{name}.yaml").read_text())
    _merge(values, changes or {})
    table = values["flow_lm"]["lookup_table"]
    table.update(n_bins=pieces(), tokenizer="sentencepiece", tokenizer_path=tokenizer_path())
    return values  # type: ignore[no-any-return]


def build(
    name: str, changes: dict[str, Any] | None = None, *, decode_steps: int = 1, seed: int = 0
) -> tuple[TTSModel, ModelConfig]:
    """The package's model with random weights, and our configuration of the same YAML."""
    values = raw_config(name, changes)
    config = Config(**values)
    torch.manual_seed(seed)
    model = TTSModel._from_pydantic_config(
        config, config.default_temperature, decode_steps, None, config.default_eos_threshold, None
    )
    width = config.mimi.inner_dim or config.mimi.seanet.dimension
    model.flow_lm.speaker_proj_weight = torch.nn.Parameter(
        torch.empty(config.flow_lm.transformer.d_model, width)
    )
    model.mimi = build_mimi(config.mimi)
    with torch.no_grad():
        for key, tensor in model.state_dict().items():
            _redraw(key, tensor)
    model.eval()
    stamp_state_names(model)
    return model, load_dataclass(ModelConfig, values, name)


def _redraw(key: str, tensor: torch.Tensor) -> None:
    if key.endswith("freqs"):
        return
    if key.endswith((".scale", "emb_std", "alpha")) or "norm" in key or "in_ln" in key:
        if key.endswith("bias"):
            tensor.normal_(0, 0.1)
        else:
            tensor.uniform_(0.5, 1.5)
    elif tensor.dim() >= 2 and "embed.weight" not in key and "bos" not in key:
        fan_in = tensor[0].numel()
        if "convtr" in key:
            fan_in = 2 * tensor.shape[0] if tensor.shape[1] > 1 else 2
        # The head's last product small: latents then stay near the noise, and the loop from latent to latent
        # does not amplify rounding, as it would with weights that nobody trained.
        gain = 0.02 if "final_layer.linear" in key else 1.0
        tensor.normal_(0, gain * fan_in**-0.5)
    else:
        tensor.normal_(0, 0.5 if "bos" in key or "embed" in key else 0.1)


def _merge(values: dict[str, Any], changes: dict[str, Any]) -> None:
    for key, change in changes.items():
        if isinstance(change, dict) and isinstance(values.get(key), dict):
            _merge(values[key], change)
        else:
            values[key] = change
