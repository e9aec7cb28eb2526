"""The native kernels beside products (those: test_kernels.py), against torch; and what a thread that lends itself may not change."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import get_args

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from wyoming_pocket_tts.engine import native
from wyoming_pocket_tts.engine.attention import ATTENTION, NativeStepAttention, StepAttention
from wyoming_pocket_tts.engine.config import FlowLMTransformerConfig
from wyoming_pocket_tts.engine.kernels import make_linear
from wyoming_pocket_tts.engine.linear import Activation, activate
from wyoming_pocket_tts.engine.native_linear import native_activation
from wyoming_pocket_tts.engine.norm import LayerNorm
from wyoming_pocket_tts.engine.signal import Signal
from wyoming_pocket_tts.engine.state import FlowCache

pytestmark = pytest.mark.skipif(native.library() is None, reason="there are no native kernels here")

# Before the step; they differ, so the rows' caches are of different lengths.
LENGTHS = (0, 3, 21)


def noise(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def snr_db(got: Tensor, expected: Tensor) -> float:
    error = (got.double() - expected.double()).square().sum().clamp_min(1e-300)
    return float(10 * torch.log10(expected.double().square().sum() / error))


def attend(
    name: str, config: FlowLMTransformerConfig, rows: range
) -> tuple[Tensor, list[FlowCache]]:
    """A step of some rows in the second layer; what is kept, too."""
    kind = ATTENTION[name]
    caches = []
    for row in rows:
        cache = FlowCache(config, 32, kind.dtype)
        cache.keys.copy_(noise(*cache.keys.shape, seed=row))
        cache.values.copy_(noise(*cache.values.shape, seed=10 + row))
        cache.length = LENGTHS[row]
        caches.append(cache)
    angles = noise(len(LENGTHS), 1, config.head_width // 2, seed=20)[rows.start : rows.stop]
    rotations = torch.polar(torch.ones_like(angles), angles)
    heads = config.num_heads + 2 * config.kv_heads
    packed = noise(len(LENGTHS), heads * config.head_width, seed=30)[rows.start : rows.stop]
    step = (NativeStepAttention if kind.native else StepAttention)(config, caches, rotations)
    return step(1, packed), caches


@pytest.mark.parametrize("width", [32, 64, 256])
@pytest.mark.parametrize("kv_heads", [1, 2, 4])
@pytest.mark.parametrize(("name", "promised_db"), [("native", 100), ("native-bf16", 40)])
def test_attention(name: str, promised_db: float, kv_heads: int, width: int) -> None:
    config = FlowLMTransformerConfig(
        hidden_scale=1, max_period=10000, d_model=4 * width, num_heads=4, num_layers=2, num_kv_heads=kv_heads
    )  # fmt: skip
    rows = range(len(LENGTHS))
    expected, _ = attend("exact", config, rows)
    got, caches = attend(name, config, rows)
    assert snr_db(got, expected) > promised_db
    for row in rows:
        alone, (cache,) = attend(name, config, range(row, row + 1))
        assert torch.equal(alone[0], got[row])
        assert torch.equal(cache.keys, caches[row].keys)
    # Rounded to the same sixteen bits as by torch.
    exactly, same = attend("exact", config, rows)[1], caches
    for one, other in zip(exactly, same, strict=True):
        assert torch.equal(one.values.to(other.values.dtype), other.values)
        assert torch.allclose(one.keys, other.keys.float(), rtol=0.01, atol=1e-5)


@pytest.mark.parametrize("width", [8, 32, 41, 1024])
@pytest.mark.parametrize("modulated", [False, True])
@pytest.mark.parametrize("affine", [False, True])
def test_layer_norm(affine: bool, modulated: bool, width: int) -> None:
    x = noise(5, width) * 3 + 1
    weight, bias = (noise(width, seed=1), noise(width, seed=2)) if affine else (None, None)
    scale, shift = noise(5, 2 * width, seed=3).chunk(2, dim=-1) if modulated else (None, None)
    expected = functional.layer_norm(
        x.double(),
        (width,),
        None if weight is None else weight.double(),
        None if bias is None else bias.double(),
        1e-5,
    )
    if scale is not None and shift is not None:
        expected = expected * (1 + scale.double()) + shift.double()
    assert snr_db(LayerNorm(width, 1e-5, weight, bias)(x, scale, shift), expected) > 110


@pytest.mark.parametrize("count", [1, 7, 64, 20_001])
@pytest.mark.parametrize("activation", get_args(Activation))
def test_activations(activation: Activation, count: int) -> None:
    x = noise(count) * 10
    assert torch.allclose(native_activation(x, activation), activate(x, activation), atol=2e-6)


@pytest.mark.parametrize("activation", get_args(Activation))
def test_what_is_not_a_number_stays_none(activation: Activation) -> None:
    assert native_activation(torch.full((9,), torch.nan), activation).isnan().all()
    for kernel in ("float32-native", "int8-native"):
        x = noise(2, 64)
        x[0, 5] = torch.nan
        y = make_linear(noise(64, 64), None, kernel, activation)(x)
        assert y[0].isnan().all()
        assert not y[1].isnan().any()


@pytest.mark.parametrize("kernel", ["float32-native", "int8-native"])
def test_a_thread_that_lends_itself_changes_nothing(kernel: str) -> None:
    product = make_linear(noise(1536, 512), noise(1536), kernel, "gelu")
    x = noise(9, 512)
    alone = product(x)
    done, begun = Signal(), threading.Event()

    def lend() -> bool:
        begun.set()
        return done.lend(60)

    with ThreadPoolExecutor(1) as other:
        lent = other.submit(lend)
        begun.wait()
        results = [product(x) for _ in range(200)]
        done.set()
        assert lent.result()
    assert all(torch.equal(result, alone) for result in results)
