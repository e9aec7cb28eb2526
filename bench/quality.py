"""What 8 bits cost: how far hidden states, latents and PCM are from float32 on the same inputs, ours beside the package's own int8.

Each step gets the latent and the noise of the float32 run, so that errors do not add up over frames and the sides stay comparable.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor

from bench.assets import assets, text_of
from bench.figures import Result
from bench.sides import OWN_FOLDER, Theirs
from wyoming_pocket_tts.engine.model import Model
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.models.checkpoint import load_weights
from wyoming_pocket_tts.models.config_file import load_model_config
from wyoming_pocket_tts.models.int8_cache import quantised
from wyoming_pocket_tts.models.tuned import QUANTISED, Tuned
from wyoming_pocket_tts.models.voices import read_voice_state

_FRAMES = 40


def quality() -> Iterator[Result]:
    """SNR in dB; the ratio is ours over theirs."""
    torch.set_num_threads(1)
    files = assets("english")
    config = load_model_config(files.config)
    weights = load_weights(config, Path, encoder=False).weights
    voice = read_voice_state(files.voice, config)
    exact = Model(config, weights)
    small = Model(
        config,
        quantised(weights, OWN_FOLDER / "int8"),
        plan=Tuned(OWN_FOLDER, config, QUANTISED).plan(),
    )
    theirs = Theirs(files, quantize=True)
    tokens = theirs.model.flow_lm.conditioner.prepare(text_of(25))
    generator = torch.Generator().manual_seed(1)
    width = config.latent_width
    noise = torch.randn(_FRAMES, 1, width, generator=generator) * 0.3**0.5
    with torch.inference_mode():
        reference = _run(exact, voice, tokens[0].tolist(), noise, None)
        mine = _run(small, voice, tokens[0].tolist(), noise, reference[1])
        other = _run_theirs(theirs, tokens, noise, reference[1])
    for name, expected, ours, others in zip(
        ("hidden states", "latents"), reference, mine, other, strict=True
    ):
        yield _decibels(name, expected, ours, others)
    with torch.inference_mode():
        pcm = [_decode(exact, latents) for latents in (reference[1], mine[1], other[1])]
    yield _decibels("PCM", *pcm)


def _decibels(name: str, expected: Tensor, ours: Tensor, theirs: Tensor) -> Result:
    mine, other = _snr_db(ours, expected), _snr_db(theirs, expected)
    return Result(f"SNR of int8 {name} against float32", "dB", mine, other, mine / other, 1.0, 1.0)


def _snr_db(got: Tensor, expected: Tensor) -> float:
    return float(10 * torch.log10(expected.square().sum() / (got - expected).square().sum()))


def _run(
    model: Model, voice: VoiceState, tokens: list[int], noise: Tensor, inputs: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Conditions and latents of each frame; `inputs` are the latents to feed, None the model's own."""
    flow_lm = model.flow_lm
    cache = flow_lm.new_cache()
    cache.start(voice, voice.length + len(tokens) + len(noise))
    flow_lm.prefill(flow_lm.embed_text(tokens), cache)
    latent = flow_lm.bos[None]
    conditions, latents = [], []
    for frame in range(len(noise)):
        condition, _ = flow_lm.decode(latent, [cache])
        made = flow_lm.head(condition, noise[frame])
        conditions.append(condition)
        latents.append(made)
        latent = made if inputs is None else inputs[frame : frame + 1]
    return torch.cat(conditions), torch.cat(latents)


def _run_theirs(
    theirs: Theirs, tokens: Tensor, noise: Tensor, inputs: Tensor
) -> tuple[Tensor, Tensor]:
    model, flow_lm = theirs.model, theirs.model.flow_lm
    state = copy.deepcopy(theirs.voice)
    model._expand_kv_cache(state, 400)
    model._run_flow_lm_and_increment_step(model_state=state, text_tokens=tokens)
    latent = torch.full((1, 1, flow_lm.ldim), float("nan"))
    nothing = torch.zeros(1, 0, flow_lm.dim)
    conditions, latents = [], []
    for frame in range(len(noise)):
        row = torch.where(torch.isnan(latent), flow_lm.bos_emb, latent)
        shadow = copy.deepcopy(state)
        hidden = flow_lm.backbone(flow_lm.input_linear(row), nothing, row, shadow)[:, -1]
        conditions.append(hidden)
        drawn = noise[frame]

        def draw(tensor: Tensor, drawn: Tensor = drawn, **_: float) -> Tensor:
            return tensor.copy_(drawn)

        original, torch.nn.init.normal_ = torch.nn.init.normal_, draw  # type: ignore[assignment]
        try:
            made, _ = model._run_flow_lm_and_increment_step(
                model_state=state, backbone_input_latents=latent
            )
        finally:
            torch.nn.init.normal_ = original
        latents.append(made[0])
        latent = inputs[None, frame : frame + 1]
    return torch.cat(conditions), torch.cat(latents)


def _decode(model: Model, latents: Tensor) -> Tensor:
    state = model.decoder.new_state(1, 1)
    frames = [model.decoder.decode(one[None, None], state, [0])[0] for one in latents]
    pcm = torch.cat(frames)
    # Weights that nobody trained give audio with a constant in it, which would look like signal.
    return pcm - pcm.mean()
