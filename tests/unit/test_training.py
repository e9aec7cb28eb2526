"""The training modules are the engine's functions; what is measured of speech is counted right."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.untrained import untrained_flow_lm
from training.codec import Decoder
from training.evaluate import Line, complaints, edges_db, speak, summary
from training.export import write_model
from training.features import Basis, log_spectra, pitch, pitch_rows
from training.flow_lm import FlowLM
from training.losses import spectral_loss
from training.page import png
from training.recognition import word_errors
from training.settings import FRAME, SAMPLE_RATE_HZ, VOICES, model_config
from training.texts import evaluation_sentences, segments
from training.train_flow_lm import arrange, energy_score
from training.vocabulary import train_vocabulary
from wyoming_pocket_tts.engine.flow_head import FlowHead
from wyoming_pocket_tts.engine.flow_lm import FlowLM as EngineFlowLM
from wyoming_pocket_tts.engine.layers import Weights
from wyoming_pocket_tts.engine.mimi import MimiDecoder
from wyoming_pocket_tts.models.checkpoint import load_weights
from wyoming_pocket_tts.models.config_file import load_model_config
from wyoming_pocket_tts.models.tokenizer import load_tokenizer
from wyoming_pocket_tts.models.voices import read_voice_state
from wyoming_pocket_tts.tts.speech import PartEnd

CONFIG = model_config()
WIDTH = CONFIG.latent_width
CLOSE = {"rtol": 1e-4, "atol": 1e-5}


@pytest.fixture
def flow_lm() -> FlowLM:
    return untrained_flow_lm()


@torch.no_grad()
def test_the_decoder_is_the_engines_frame_by_frame() -> None:
    decoder = Decoder(CONFIG, seed=2)
    generator = torch.Generator().manual_seed(1)
    latents = torch.randn(1, 30, WIDTH, generator=generator)
    mean, std = torch.randn(WIDTH, generator=generator), torch.rand(WIDTH, generator=generator) + 1
    statistics = {"flow_lm.emb_mean": mean, "flow_lm.emb_std": std}
    engine = MimiDecoder(CONFIG, {**decoder.tensors(), **statistics})
    state = engine.new_state(1)
    frames = [engine.decode(latents[:, i : i + 1], state, [0]) for i in range(30)]
    made = decoder(latents * std + mean, torch.float32)
    torch.testing.assert_close(made, torch.cat(frames, 1), **CLOSE)


@torch.no_grad()
def test_flow_lm_is_the_engines_step_by_step(flow_lm: FlowLM) -> None:
    """Of two utterances of different lengths, so that padding is known to be harmless."""
    generator = np.random.default_rng(5)
    tokens = [[5, 9, 7], [3, 8, 30, 31, 32, 33]]
    latents = [generator.normal(size=(rows, WIDTH)).astype(np.float32) for rows in (9, 4)]
    batch = arrange([2, 0], tokens, latents, [7, 3])
    conditions = flow_lm(batch, flow_lm.shifted(batch, batch.latents), torch.float32)
    ends = flow_lm.end_logits(conditions)
    engine = EngineFlowLM(CONFIG, flow_lm.tensors())
    for row, (ids, rows) in enumerate(zip(tokens, latents, strict=True)):
        cache = engine.new_cache(64)
        engine.prefill(engine.embed_voice(flow_lm.voices[batch.voices[row]]), cache)
        engine.prefill(engine.embed_text(ids), cache)
        before = [engine.bos, *torch.from_numpy(rows)[:-1]]
        for index, latent in enumerate(before):
            condition, end = engine.decode(latent[None], [cache])
            place = len(ids) + index
            torch.testing.assert_close(condition[0], conditions[row, place], **CLOSE)
            torch.testing.assert_close(end[0], ends[row, place], **CLOSE)
    assert batch.is_over.sum(1).tolist() == [2, 1]
    assert batch.is_latent.sum(1).tolist() == [9, 4]


@torch.no_grad()
def test_the_flow_head_is_the_engines(flow_lm: FlowLM) -> None:
    generator = torch.Generator().manual_seed(6)
    condition = torch.randn(5, CONFIG.flow_lm.condition_width, generator=generator)
    noise = torch.randn(5, WIDTH, generator=generator)
    head = FlowHead(CONFIG.flow_lm.flow, Weights(flow_lm.tensors(), "flow_lm.flow_net."), 1)
    torch.testing.assert_close(
        flow_lm.sample(condition, noise, torch.float32), head(condition, noise), **CLOSE
    )


def test_an_exported_model_is_read_like_any_other(flow_lm: FlowLM, tmp_path: Path) -> None:
    tokenizer = tmp_path / "made.model"
    pieces = CONFIG.flow_lm.lookup_table.n_bins
    train_vocabulary([*evaluation_sentences(), *_spellings()], tokenizer, pieces)
    tensors = {**flow_lm.tensors(), **Decoder(CONFIG, 1).tensors()}
    out = tmp_path / "starter"
    write_model(out, tensors, flow_lm.voices.detach(), tokenizer)
    config = load_model_config(out / "model.yaml")
    weights = load_weights(config, Path, encoder=False).weights
    name = "flow_lm.transformer.layers.0.linear1.weight"
    torch.testing.assert_close(weights[name], tensors[name], rtol=1e-3, atol=1e-4)
    assert (out / "model.safetensors").stat().st_size < 8_000_000
    state = read_voice_state(out / f"{VOICES[1]}.safetensors", config)
    assert state.length == flow_lm.voices.shape[1]
    vocabulary = load_tokenizer(tmp_path / "starter/tokenizer.model", pieces)
    assert vocabulary.encode("The Kitchen") == vocabulary.encode("the kitchen")


def _spellings() -> list[str]:
    """Every letter, often enough to be a piece."""
    return [
        f"{a}{b}{c}." for a in "abcdefghijklmnopqrstuvwxyz" for b in "aeiouy" for c in "dlmnrst"
    ]


def test_the_energy_score_is_least_for_the_truths_own_distribution() -> None:
    generator = torch.Generator().manual_seed(7)

    def score(spread: float, offset: float) -> float:
        truth = torch.randn(4000, 8, generator=generator)
        samples = torch.randn(4, 4000, 8, generator=generator) * spread + offset
        return float(energy_score(samples, truth))

    assert score(1.0, 0.0) < min(score(0.5, 0.0), score(1.5, 0.0), score(1.0, 0.5))


def test_the_spectral_loss_knows_a_wrong_pitch_from_a_wrong_phase() -> None:
    time = torch.arange(16000) / 16000
    tone = torch.sin(2 * torch.pi * 200 * time)[None] * 0.3
    moved = torch.sin(2 * torch.pi * 200 * time + 1)[None] * 0.3
    higher = torch.sin(2 * torch.pi * 240 * time)[None] * 0.3
    assert spectral_loss(tone, tone) < 1e-4
    assert spectral_loss(moved, tone) < 0.2 * spectral_loss(higher, tone)


def test_pitch_is_found_and_carried_over_what_has_none() -> None:
    time = torch.arange(50 * FRAME) / SAMPLE_RATE_HZ
    harmonics = torch.stack([torch.sin(2 * torch.pi * 120 * n * time) / n for n in range(1, 20)])
    sound = 0.1 * harmonics.sum(0)
    sound[20 * FRAME : 30 * FRAME] = 0
    hertz, voicing = pitch(sound, 60, 300)
    voiced = torch.cat([hertz[4:36], hertz[64:96]])
    torch.testing.assert_close(voiced, torch.full_like(voiced, 120), rtol=0.01, atol=0)
    assert voicing[44:56].max() < 0.1
    assert voicing[4:36].min() > 0.9
    rows = pitch_rows(sound, (60, 300))
    assert rows.shape == (50, 7)
    assert np.ptp(rows[2:48, 0]) < 0.1
    # 120 Hz is 4.8 turns a frame; the phase of a sine is a quarter of a turn behind a cosine's.
    phase = np.arctan2(rows[2:18, 4], rows[2:18, 3]) / (2 * np.pi)
    expected = 4.8 * np.arange(3, 19) - 0.25
    assert np.abs((phase - expected + 0.5) % 1 - 0.5).max() < 0.02
    advance = np.arctan2(rows[3:18, 6], rows[3:18, 5]) / (2 * np.pi)
    assert np.abs((advance - 4.8 + 0.5) % 1 - 0.5).max() < 0.02
    assert np.abs(rows[22:28, 3:]).max() < 0.1


def test_a_basis_keeps_what_matters_and_scales_it() -> None:
    generator = np.random.default_rng(8)
    noise = torch.from_numpy(generator.normal(size=200 * FRAME).astype(np.float32))
    swell = torch.linspace(0, 0.3, 200 * FRAME) * torch.sin(torch.arange(200 * FRAME) / 5000) ** 2
    spectra = log_spectra(noise * swell)
    assert spectra.shape == (200, 160)
    pitches = generator.normal(size=(200, 7)).astype(np.float32)
    basis = Basis.fit(spectra, pitches)
    latents = basis.latents(spectra, pitches)
    restored = latents[:, :-7] @ basis.components.T + basis.mean
    assert np.mean((restored - spectra) ** 2) < 0.1 * spectra.var()
    assert latents.shape[1] == WIDTH
    assert np.all(np.diff(basis.spread[:-7]) < 1e-3)
    assert np.all(basis.scale >= basis.spread - 1e-4)


def test_word_errors_are_counted() -> None:
    assert word_errors("The kitchen light is on.", "the kitchen light is on") == (0, 5)
    assert word_errors("the light is on", "a light on now") == (3, 4)
    assert word_errors("twenty-one degrees", "twenty one degrees") == (0, 3)
    assert word_errors("yes", "") == (1, 1)


def test_a_click_is_what_is_loud_at_an_edge() -> None:
    speech = np.sin(np.arange(8000) / 10).astype(np.float32) * np.hanning(8000).astype(np.float32)
    assert edges_db([speech], 16000) < -60
    assert edges_db([speech, np.full(50, 0.1, np.float32)], 16000) == pytest.approx(-20, abs=0.1)
    assert edges_db([], 16000) == pytest.approx(-120)


def test_a_model_without_a_language_is_given_words_not_digits() -> None:
    class Model:
        sample_rate = 16_000

        def speak(self, voice: object, text: str, *, seed: int) -> list[object]:
            said.append(text)
            return [np.zeros(10, np.float32), PartEnd(None, None)]  # type: ignore[arg-type]

    said: list[str] = []
    speak(Model(), None, "It is 21.5 °C. The dryer needs 25 minutes.")  # type: ignore[arg-type]
    assert said[0].startswith("It is twenty-one point five degrees Celsius.")
    assert "twenty-five minutes" in said[0]
    assert not any(character.isdigit() for character in said[0])


def test_what_does_not_hold_is_named() -> None:
    def line(way: str, errors: int, **other: Any) -> Line:
        figures = {"seconds": 2.0, "length": 1.1, "ended": True, "click_db": -70.0} | other
        return Line("slt", way, "a text", "heard", errors, 100, **figures)

    def found(*lines: Line) -> list[str]:
        ways = dict.fromkeys(one.way for one in lines)
        return list(complaints([summary([o for o in lines if o.way == way]) for way in ways]))

    teacher = line("teacher", 10)
    assert found(teacher, line("float32", 20), line("int8", 21)) == []
    assert found(teacher, line("float32", 23)) == [
        "slt, float32: word error rate 13.0 points over the teacher's"
    ]
    assert found(teacher, line("float32", 12), line("int8", 14)) == [
        "slt, int8: word error rate 2.0 points over float32 alone"
    ]
    faults = found(teacher, line("float32", 10), line("float32", 10, length=1.4, ended=False))
    assert faults == [
        "slt, float32: 1 sentences did not end by themselves",
        "slt, float32: a sentence of 1.4 times the teacher's length",
    ]
    assert found(teacher, line("float32", 10, click_db=-45.0)) == [
        "slt, float32: a click of -45.0 dBFS"
    ]


def test_a_picture_is_a_png() -> None:
    data = png(np.arange(12, dtype=np.uint8).reshape(3, 4) * 20)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (4, 3)
    assert b"IDAT" in data
    assert data[-8:-4] == b"IEND"


def test_texts_are_what_the_front_end_makes_of_them() -> None:
    assert list(segments("It is 21.5 °C in the kitchen.")) == [
        "It is twenty-one point five degrees Celsius in the kitchen."
    ]
    assert len(evaluation_sentences()) == 200
