"""Products: each kernel keeps what its class promises, and its rows are independent."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from tests import tiny
from tests.decibels import snr_db
from wyoming_pocket_tts.engine.attention import ATTENTION
from wyoming_pocket_tts.engine.kernels import (
    KERNELS,
    KernelPlan,
    available,
    exact_kernel,
    make_linear,
)
from wyoming_pocket_tts.engine.linear import Int8Weight
from wyoming_pocket_tts.engine.model import Model
from wyoming_pocket_tts.engine.state import VoiceState

# dB against a float64 product of the same inputs.
PROMISED = {"exact": 100.0, "bf16": 40.0, "int8": 30.0}
# Kernels whose rows do not depend on the rows beside them.
INDEPENDENT = ["float32-packed", "float32-native", "int8-native", "int8", "int8-onednn"]
SHAPES = [(96, 64), (1024, 1024), (64, 4096), (1, 192)]


def _inputs(outputs: int, inputs: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(outputs + inputs)
    weight = torch.randn(outputs, inputs, generator=generator) * inputs**-0.5
    bias = torch.randn(outputs, generator=generator)
    return weight, bias, torch.randn(9, inputs, generator=generator)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", KERNELS)
def test_accuracy(name: str, shape: tuple[int, int]) -> None:
    if not available(name):
        pytest.skip(f"{name} is not available here")
    weight, bias, x = _inputs(*shape)
    for used in (None, bias):
        got = make_linear(weight, used, name)(x)
        expected = x.double() @ weight.double().t() + (0 if used is None else used.double())
        assert got.shape == expected.shape
        assert snr_db(got, expected) > PROMISED[KERNELS[name].accuracy]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("activation", ["none", "gelu"])
@pytest.mark.parametrize("name", INDEPENDENT)
def test_rows_are_independent(name: str, activation: str, shape: tuple[int, int]) -> None:
    if not available(name):
        pytest.skip(f"{name} is not available here")
    weight, bias, x = _inputs(*shape)
    # One row far louder than the others: a scale that rows share would drown them.
    x[3] *= 50
    product = make_linear(weight, bias, name, activation)  # type: ignore[arg-type]
    together = product(x)
    for rows in (1, 2, 3, 4):
        parts = [product(part) for part in x.split(rows)]
        assert torch.equal(torch.cat(parts), together)
    assert torch.equal(product(x[None, :4]), together[None, :4])


def test_gelu_is_applied_after_the_bias() -> None:
    weight, bias, x = _inputs(96, 64)
    expected = torch.nn.functional.gelu(x @ weight.t() + bias, approximate="tanh")
    for name in (exact_kernel(), "float32"):
        assert torch.allclose(make_linear(weight, bias, name, "gelu")(x), expected, atol=1e-5)


def test_quantised_weight_is_used_as_it_is() -> None:
    weight, _, x = _inputs(96, 64)
    small = Int8Weight.quantise(weight)
    assert small.values.dtype == torch.int8
    assert (small.dequantise() - weight).abs().max() <= small.scales.max() / 2 * 1.001
    exact = make_linear(small, None, "float32")(x)
    assert torch.allclose(exact, x @ small.dequantise().t(), atol=1e-5)
    if available("int8"):
        assert torch.equal(
            make_linear(small, None, "int8")(x), make_linear(weight, None, "int8")(x)
        )


@pytest.mark.parametrize("name", ["int8-native", "int8", "int8-onednn"])
@pytest.mark.parametrize("skewed", [False, True])
def test_rows_and_weights_of_zeros(name: str, skewed: bool) -> None:
    if not available(name):
        pytest.skip(f"{name} is not available here")
    product = make_linear(torch.zeros(32, 32), torch.ones(32), name, skewed=skewed)
    assert torch.equal(product(torch.zeros(2, 32)), torch.ones(2, 32))


@pytest.mark.parametrize("name", ["bf16", "native-bf16"])
@torch.inference_mode()
def test_attention_in_bfloat16_is_as_near_as_its_class_promises(name: str) -> None:
    """Prefill and steps, on the same inputs; with a cache of half the size."""
    # Heads as wide as the native kernels want them.
    transformer = dataclasses.replace(tiny.config().flow_lm.transformer, attn_dim=128)
    flow_lm = dataclasses.replace(tiny.config().flow_lm, transformer=transformer)
    config = dataclasses.replace(tiny.config(), flow_lm=flow_lm)
    if not ATTENTION[name].available(transformer):
        pytest.skip(f"{name} is not available here")
    weights = tiny.weights_of(config)
    plans = (KernelPlan(), KernelPlan(attention=name))
    exact, small = (Model(config, weights, plan=plan).flow_lm for plan in plans)
    generator = torch.Generator().manual_seed(4)
    keys = torch.randn(9, transformer.kv_heads, transformer.head_width, generator=generator)
    layers = (keys,) * transformer.num_layers
    voice = VoiceState(layers, layers)
    caches = exact.new_cache(), small.new_cache()
    found = []
    for flow_lm, cache in zip((exact, small), caches, strict=True):
        generator = torch.Generator().manual_seed(5)
        cache.start(voice, voice.length + 40)
        conditions = [flow_lm.begin((3, 1, 2), cache)[0]]
        for _ in range(20):
            latents = torch.randn(1, flow_lm.bos.shape[0], generator=generator)
            conditions.append(flow_lm.decode(latents, [cache])[0])
        found.append(torch.cat(conditions))
    assert caches[1].nbytes * 2 == caches[0].nbytes
    error = (found[1] - found[0]).norm() / found[0].norm()
    assert 1e-6 < error < 10 ** (-30 / 20)
    assert caches[1].export().keys[0].dtype == torch.float32
