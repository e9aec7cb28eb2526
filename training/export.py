"""Writes what was trained as a model of the format: weights, vocabulary, voices, configuration.

    python -m training.export --folder F --out wyoming_pocket_tts/starter

The weights are float16 and hold no encoder: the model speaks with the voices it has, and clones none.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import safetensors.torch
import torch
from torch import Tensor

from training.codec import Decoder
from training.flow_lm import FlowLM
from training.settings import CONFIG_FILE, VOICES, model_config
from training.train_flow_lm import Utterances
from training.vocabulary import FILE as TOKENIZER_FILE
from wyoming_pocket_tts.engine.flow_lm import FlowLM as EngineFlowLM
from wyoming_pocket_tts.engine.layout import encoder_only, tensor_shapes
from wyoming_pocket_tts.models.identity import model_identity
from wyoming_pocket_tts.models.voices import write_voice_state

NAME = "starter"
WEIGHTS_FILE = "model.safetensors"
# Of speech rows and of rows after it, those that may lie on the wrong side when the end's threshold is chosen.
_EARLY, _LATE = 0.0005, 0.02
_BATCH = 32


def load_decoder(folder: Path) -> Decoder:
    """The decoder of the newest checkpoint."""
    decoder = Decoder(model_config(), 0)
    decoder.load_state_dict(torch.load(folder / "decoder.pt", weights_only=True)["average"])
    return decoder


def load_flow_lm(folder: Path) -> FlowLM:
    """FlowLM of the newest checkpoint."""
    model = FlowLM(model_config(), len(VOICES), 0)
    model.load_state_dict(torch.load(folder / "flow_lm.pt", weights_only=True)["average"])
    return model


@torch.no_grad()
def end_logits(model: FlowLM, utterances: Utterances) -> tuple[Tensor, Tensor]:
    """End logits of held-out speech: of rows within speech, and the highest of each utterance after it."""
    within, after = [], []
    for first in range(0, len(utterances.held_out), _BATCH):
        batch = utterances.batch(utterances.held_out[first : first + _BATCH], training=False)
        logits = model.end_logits(model(batch, model.shifted(batch, batch.latents)))
        # The last row of speech may well be called its end.
        nearly = batch.is_over.roll(-1, 1) & batch.is_latent
        within.append(logits[batch.is_latent & ~batch.is_over & ~nearly])
        after.append(logits.masked_fill(~batch.is_over, -torch.inf).amax(1))
    return torch.cat(within), torch.cat(after)


def calibrate_end(model: FlowLM, utterances: Utterances) -> float:
    """Shifts the end's bias so that the configuration's threshold lies between speech and what follows; returns the shift."""
    within, after = end_logits(model, utterances)
    low, high = within.quantile(1 - _EARLY), after.quantile(_LATE)
    threshold = model_config().default_eos_threshold
    shift = threshold - float(low + high) / 2
    with torch.no_grad():
        model["flow_lm.out_eos.bias"].add_(shift)
    print(f"end of speech: speech up to {low:.2f}, after it from {high:.2f}; bias {shift:+.2f}")
    return shift


def write_model(out: Path, tensors: dict[str, Tensor], latents: Tensor, tokenizer: Path) -> None:
    """Writes all files of a model.

    Args:
        out: the folder.
        tensors: by canonical name.
        latents: [voices, T, latent] from which each voice is made.
        tokenizer: the SentencePiece model.
    """
    out.mkdir(parents=True, exist_ok=True)
    config = model_config()
    wanted = [name for name in tensor_shapes(config) if not encoder_only(name)]
    half = {name: tensors[name].to(torch.float16).contiguous() for name in wanted}
    (out / WEIGHTS_FILE).write_bytes(safetensors.torch.save(half))
    # Voices are made with the weights as they will be read.
    read = {name: tensor.float() for name, tensor in half.items()}
    engine = EngineFlowLM(config, read)
    identity = model_identity(read)
    with torch.inference_mode():
        for voice, prompt in zip(VOICES, latents, strict=True):
            rows = engine.embed_voice(prompt)
            cache = engine.new_cache(len(rows))
            engine.prefill(rows, cache)
            write_voice_state(
                out / f"{voice}.safetensors", cache.export(), identity=identity, model_name=NAME
            )
    shutil.copyfile(tokenizer, out / TOKENIZER_FILE)
    shutil.copyfile(CONFIG_FILE, out / CONFIG_FILE.name)


def main() -> None:
    """Exports the newest checkpoints."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    model = load_flow_lm(arguments.folder)
    calibrate_end(model, Utterances(arguments.folder, 0))
    tensors = {**model.tensors(), **load_decoder(arguments.folder).tensors()}
    write_model(arguments.out, tensors, model.voices.detach(), arguments.folder / TOKENIZER_FILE)
    size = (arguments.out / WEIGHTS_FILE).stat().st_size
    print(f"{arguments.out}: weights of {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
