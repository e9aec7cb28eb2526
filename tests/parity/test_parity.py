"""The engine against the `pocket-tts` package, in one process, on the same random weights, with the same noise."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from pocket_tts.data.audio_utils import end_on_pause
from pocket_tts.models.model_state import _import_model_state, export_model_state
from pocket_tts.modules.stateful_module import increment_steps, init_states

from tests.parity.variants import VARIANTS, Pair, assert_close, pair
from wyoming_pocket_tts.engine.engine import Engine
from wyoming_pocket_tts.engine.layout import tensor_shapes
from wyoming_pocket_tts.engine.sequence import (
    Sampling,
    Sequence,
    SequenceResult,
    SequenceSpec,
    frame_limit,
)
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.models.voices import read_voice_state, write_voice_state

TEXT = "The kitchen light is now on."


@pytest.fixture(scope="module", params=[variant.id for variant in VARIANTS])
def both(request: pytest.FixtureRequest) -> Pair:
    return pair(request.param)


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


def _prompt(both: Pair) -> torch.Tensor:
    rate = both.config.mimi.sample_rate
    generator = torch.Generator().manual_seed(5)
    noise = torch.randn(int(1.6 * rate) + 77, generator=generator)
    return 0.1 * noise * torch.sin(torch.arange(len(noise)) * 9 / rate).abs()


def _their_state(both: Pair) -> dict[str, dict[str, torch.Tensor]]:
    return both.theirs.get_state_for_audio_prompt(_prompt(both)[None])


def _our_voice(both: Pair) -> VoiceState:
    prepared = end_on_pause(_prompt(both)[None], both.config.mimi.sample_rate)
    return both.ours.encode_voice(prepared[0])


def _cache_of(state: dict[str, dict[str, torch.Tensor]], layer: int, length: int) -> torch.Tensor:
    """[2, T, kv_heads, D]."""
    return state[f"transformer.layers.{layer}.self_attn"]["cache"][:, 0, :length]


def _assert_same_voice(ours: VoiceState, theirs: dict[str, dict[str, torch.Tensor]]) -> None:
    assert len(ours.keys) == len(theirs)
    for layer, (keys, values) in enumerate(zip(ours.keys, ours.values, strict=True)):
        expected = _cache_of(theirs, layer, ours.length)
        assert_close("voice state", keys, expected[0])
        assert_close("voice state", values, expected[1])


def test_checkpoint_layout(both: Pair) -> None:
    shapes = {name: tuple(tensor.shape) for name, tensor in both.weights.items()}
    assert shapes == tensor_shapes(both.config)


def test_encoder(both: Pair) -> None:
    audio = _prompt(both)
    assert both.ours.encoder is not None
    theirs = both.theirs.mimi.encode_to_latent(audio[None, None])[0]
    assert_close("encoder", both.ours.encoder.encode(audio), theirs)


def test_voice_state_from_audio(both: Pair) -> None:
    theirs = _their_state(both)
    ours = _our_voice(both)
    assert ours.length == int(theirs["transformer.layers.0.self_attn"]["offset"].item())
    _assert_same_voice(ours, theirs)


def test_voice_state_files_both_ways(both: Pair, tmp_path: Path) -> None:
    theirs, ours = _their_state(both), _our_voice(both)
    export_model_state(theirs, tmp_path / "theirs.safetensors")
    _assert_same_voice(read_voice_state(tmp_path / "theirs.safetensors", both.config), theirs)
    write_voice_state(tmp_path / "ours.safetensors", ours)
    imported = _import_model_state(tmp_path / "ours.safetensors", torch.device("cpu"))
    _assert_same_voice(ours, imported)
    for module, state in theirs.items():
        assert set(state) == set(imported[module])
        assert torch.equal(state["offset"], imported[module]["offset"])


def test_hidden_states_eos_and_latents(both: Pair) -> None:
    """Free-running for 40 frames: each side feeds on its own latents, with the same noise."""
    theirs, ours = both.theirs.flow_lm, both.ours.flow_lm
    tokens = theirs.conditioner.prepare(TEXT)
    state, voice = _their_state(both), _our_voice(both)
    frames = 40
    positions = voice.length + tokens.shape[1] + frames
    both.theirs._expand_kv_cache(state, positions)
    both.theirs._run_flow_lm_and_increment_step(model_state=state, text_tokens=tokens)
    cache = ours.new_cache()
    cache.start(voice, positions)
    ours.prefill(ours.embed_text(tokens[0].tolist()), cache)
    for layer in range(len(voice.keys)):
        mine = torch.stack([cache.keys[layer], cache.values[layer]]).transpose(1, 2)
        assert_close("hidden", mine[:, : cache.length], _cache_of(state, layer, cache.length))
    their_latent = torch.full((1, 1, theirs.ldim), float("nan"))
    our_latent = ours.bos[None]
    nothing = torch.zeros(1, 0, theirs.dim)
    for step in range(frames):
        shadow = copy.deepcopy(state) if step in (0, 1, frames - 1) else None
        condition, eos = ours.decode(our_latent, [cache])
        if shadow is not None:
            row = torch.where(torch.isnan(their_latent), theirs.bos_emb, their_latent)
            hidden = theirs.backbone(theirs.input_linear(row), nothing, row, shadow)[:, -1]
            assert_close("hidden", condition, hidden)
            assert_close("eos logit", eos, theirs.out_eos(hidden)[:, 0])
        torch.manual_seed(step)
        their_latent, _ = both.theirs._run_flow_lm_and_increment_step(
            model_state=state, backbone_input_latents=their_latent
        )
        torch.manual_seed(step)
        noise = torch.empty(1, theirs.ldim).normal_(0, both.theirs.temp**0.5)
        our_latent = ours.head(condition, noise)
        assert_close("latent", our_latent, their_latent[0])


def test_decoder_pcm(both: Pair) -> None:
    """Their decoder frame by frame, ours in calls of 1 to 4 frames, past the end of the ring."""
    frames = 60
    generator = torch.Generator().manual_seed(9)
    latents = torch.randn(1, frames, both.config.latent_width, generator=generator)
    mimi, steps = both.theirs.mimi, both.config.mimi.positions_per_frame
    state = init_states(mimi, 1, frames * steps)
    theirs = []
    for frame in latents.split(1, dim=1):
        denormalised = frame * both.theirs.flow_lm.emb_std + both.theirs.flow_lm.emb_mean
        theirs.append(mimi.decode_from_latent(denormalised, state)[0, 0])
        increment_steps(mimi, state, steps)
    decoder_state = both.ours.decoder.new_state(slots=3, frames=4)
    ours, done = [], 0
    for length in [1, 2, 4, 3, *[4] * 12, 2]:
        part = latents[:, done : done + length]
        ours.append(both.ours.decoder.decode(part, decoder_state, [1])[0])
        done += length
    assert done == frames
    assert_close("pcm", torch.cat(ours), torch.cat(theirs))


class _Collector:
    """A sink that keeps what it gets."""

    urgent = True

    def __init__(self) -> None:
        self.frames: list[torch.Tensor] = []
        self.result: SequenceResult | None = None

    def put(self, frame: torch.Tensor, attempt: int) -> None:
        self.frames.append(frame.clone())

    def restart(self) -> bool:
        return False

    def finish(self, result: SequenceResult, attempt: int) -> None:
        self.result = result

    def fail(self, error: Exception) -> None:
        raise error


@pytest.mark.parametrize("frames_after_eos", [0, 3])
def test_whole_utterance(
    both: Pair, monkeypatch: pytest.MonkeyPatch, frames_after_eos: int
) -> None:
    """`generate_audio` against the engine: prompting, noise, end of speech, frames after it, fade-in, limit."""
    tokens = both.theirs.flow_lm.conditioner.prepare(TEXT)[0].tolist()
    # Weights nobody trained give EOS logits of no meaning: a threshold among them lets speech end somewhere.
    logits = _eos_logits(both, tokens)
    threshold = sorted(logits[6:])[-4] - 1e-3
    spec = SequenceSpec(
        tuple(tokens),
        _our_voice(both),
        Sampling(both.theirs.temp, threshold, None, frames_after_eos),
        seed=11,
        max_frames=frame_limit(len(tokens), both.config.mimi.frame_rate),
    )
    engine, sink = Engine(both.ours, slots=2), _Collector()
    engine.add(Sequence(spec, sink))
    while engine.busy:
        engine.step()
    noise = Sequence(spec, _Collector())
    noise.begin()
    calls = 0

    def draw(tensor: torch.Tensor, mean: float = 0.0, std: float = 1.0) -> torch.Tensor:
        nonlocal calls
        calls += 1
        # The package also draws when it prompts, and throws that away.
        return tensor.copy_(noise.draw_noise(tensor.shape[-1])) if calls > 1 else tensor.zero_()

    monkeypatch.setattr(torch.nn.init, "normal_", draw)
    state = _their_state(both)
    calls = 0
    monkeypatch.setattr(both.theirs, "eos_threshold", threshold)
    theirs = both.theirs.generate_audio(state, TEXT, frames_after_eos=frames_after_eos)
    assert sink.result is not None
    assert 6 <= sink.result.frames <= spec.max_frames
    assert_close("pcm", torch.cat(sink.frames), theirs)


def _eos_logits(both: Pair, tokens: list[int]) -> list[float]:
    flow_lm = both.ours.flow_lm
    voice = _our_voice(both)
    cache = flow_lm.new_cache()
    cache.start(voice, voice.length + len(tokens) + 60)
    flow_lm.prefill(flow_lm.embed_text(tokens), cache)
    latent = flow_lm.bos[None]
    logits = []
    generator = torch.Generator().manual_seed(3)
    for _ in range(40):
        condition, eos = flow_lm.decode(latent, [cache])
        noise = torch.randn(latent.shape, generator=generator) * both.theirs.temp**0.5
        latent = flow_lm.head(condition, noise)
        logits.append(eos.item())
    return logits
