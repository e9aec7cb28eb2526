"""The native kernels against torch, in float64 where it matters; what needs them is skipped where no compiler was."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import torch
from torch import Tensor

from tests import tiny
from tests.decibels import snr_db
from wyoming_pocket_tts.engine import cores, native
from wyoming_pocket_tts.engine.attention import ATTENTION, NativeStepAttention, StepAttention
from wyoming_pocket_tts.engine.config import FlowLMTransformerConfig
from wyoming_pocket_tts.engine.kernels import KernelPlan, make_linear
from wyoming_pocket_tts.engine.layers import RotaryTable
from wyoming_pocket_tts.engine.linear import Activation, activate
from wyoming_pocket_tts.engine.native_linear import native_activation
from wyoming_pocket_tts.engine.norm import LayerNorm
from wyoming_pocket_tts.engine.signal import Signal, helpers
from wyoming_pocket_tts.engine.state import FlowCache

pytestmark = pytest.mark.skipif(native.library() is None, reason="no native kernels here")

# Outputs and inputs: whole panels and lines, and rests of both; fewer outputs than a panel is made for.
SHAPES = [(64, 128), (48, 64), (37, 100), (17, 7), (3, 192), (1, 33)]
ROWS = [1, 2, 3, 4, 5, 7, 50]


def attention_config(width: int, kv_heads: int) -> FlowLMTransformerConfig:
    """Four heads of this width, which may share keys."""
    return FlowLMTransformerConfig(
        hidden_scale=2, max_period=10000, d_model=64, num_heads=4, num_layers=2,
        attn_dim=4 * width, num_kv_heads=kv_heads,
    )  # fmt: skip


def random(*shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, generator=generator)


@pytest.mark.parametrize("activation", ["none", "gelu", "silu", "elu"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("name", "promised"), [("float32-native", 100), ("int8-native", 30)])
def test_products(
    name: str, promised: float, shape: tuple[int, int], activation: Activation
) -> None:
    outputs, inputs = shape
    weight, bias = random(outputs, inputs) * inputs**-0.5, random(outputs)
    product = make_linear(weight, bias, name, activation)
    for rows in ROWS:
        x, residual = random(rows, inputs), random(rows, outputs)
        plain = x.double() @ weight.double().t() + bias
        assert snr_db(product(x), activate(plain.clone(), activation)) > promised
        added = activate(plain + residual, activation)
        assert snr_db(product(x, residual), added) > promised
        assert torch.equal(torch.cat([product(row[None]) for row in x]), product(x))


@pytest.mark.parametrize("shape", [(48, 96), (2, 96)])
@pytest.mark.parametrize("name", ["float32-native", "int8-native"])
def test_rows_that_overlap_are_read_where_they_lie(name: str, shape: tuple[int, int]) -> None:
    """Windows of three rows, of two streams, in one tensor."""
    product = make_linear(random(*shape), random(shape[0]), name)
    joined = random(2, 22, 32)
    windows = joined.as_strided((2, 20, 96), (22 * 32, 32, 1))
    assert torch.equal(product(windows), product(windows.contiguous()))
    strided = joined[0].as_strided((10, 96), (64, 1))
    assert torch.equal(product(strided), product(strided.contiguous()))
    turned = random(96, 5).t()
    assert torch.equal(product(turned), product(turned.contiguous()))


@pytest.mark.parametrize("name", ["float32-native", "int8-native"])
def test_what_cannot_be_multiplied_is_refused(name: str) -> None:
    product = make_linear(random(48, 32), None, name)
    assert product(random(0, 32)).shape == (0, 48)
    for wrong in (random(2, 31), random(2, 32).double()):
        with pytest.raises(ValueError, match="inputs must be float32"):
            product(wrong)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("place", [0, 95, 99])
@pytest.mark.parametrize("activation", ["none", "gelu", "silu", "elu"])
@pytest.mark.parametrize("name", ["float32-native", "int8-native"])
def test_what_is_not_a_number_is_not_hidden(
    name: str, activation: Activation, place: int, value: float
) -> None:
    """The engine ends a sequence whose latent is not finite; its neighbours go on."""
    x = random(3, 100)
    x[1, place] = value
    # Weights of both signs: an infinite input makes infinite sums of both, and activations flatten one of them.
    y = make_linear(random(64, 100), None, name, activation)(x)
    assert torch.isfinite(y[[0, 2]]).all()
    assert not torch.isfinite(y[1]).all()


@pytest.mark.parametrize("activation", ["none", "gelu", "silu", "elu"])
@pytest.mark.parametrize("count", [1, 31, 32, 8192, 20_001])
def test_activations(activation: Activation, count: int) -> None:
    x = 8 * random(count)
    got = native_activation(x, activation)
    assert (got - activate(x.double(), activation)).abs().max() < 2e-6
    extremes = torch.tensor([-200.0, -90.0, -1e-6, -0.0, 0.0, 1e-6, 90.0, 200.0])
    wanted = activate(extremes.double(), activation)
    assert torch.allclose(native_activation(extremes, activation).double(), wanted, atol=1e-7)


@pytest.mark.parametrize("width", [32, 112, 1024])
def test_norms(width: int) -> None:
    x, weight, bias = 3 * random(4, width) + 5, random(width), random(width)
    modulation = random(4, 3 * width)
    shift, scale = modulation[:, :width], modulation[:, width : 2 * width]
    plain = torch.nn.functional.layer_norm(
        x.double(), (width,), weight.double(), bias.double(), 1e-5
    )
    norm = LayerNorm(width, 1e-5, weight, bias)
    assert snr_db(norm(x), plain) > 110
    assert snr_db(norm(x, scale, shift), plain * (1 + scale) + shift) > 110
    bare = torch.nn.functional.layer_norm(x.double(), (width,), eps=1e-6)
    assert snr_db(LayerNorm(width, 1e-6)(x), bare) > 110
    assert torch.equal(torch.cat([norm(row[None]) for row in x]), norm(x))
    with pytest.raises(ValueError, match="not parts of one tensor"):
        norm(x, scale, random(4, width))
    with pytest.raises(ValueError, match="belong together"):
        norm(x, scale)


@pytest.mark.parametrize("name", ["native", "native-bf16"])
@pytest.mark.parametrize("position", [0, 1, 30, 200])
@pytest.mark.parametrize(("width", "kv_heads"), [(64, 2), (64, 4), (32, 1), (96, 2), (256, 2)])
@torch.inference_mode()
def test_a_step_of_attention(name: str, position: int, width: int, kv_heads: int) -> None:
    """Against torch's, over a cache of the same type; alone and in company."""
    config = attention_config(width, kv_heads)
    kind = ATTENTION[name]
    assert kind.available(config)
    caches = [FlowCache(config, 256, kind.dtype) for _ in range(3)]
    for cache, length in zip(caches, (position, 5, 77), strict=True):
        cache.length = length
        for kept in (cache.keys, cache.values):
            kept[:, :, :length] = random(*kept[:, :, :length].shape).to(kind.dtype)
    rotations = RotaryTable(config.head_width, 10000).at_each([cache.length for cache in caches])
    packed = random(3, (config.num_heads + 2 * config.kv_heads) * config.head_width)
    got = NativeStepAttention(config, caches, rotations)(1, packed)
    kept = [cache.keys.clone() for cache in caches]
    alone = [
        NativeStepAttention(config, [cache], rotations[row : row + 1])(1, packed[row : row + 1])
        for row, cache in enumerate(caches)
    ]
    assert torch.equal(torch.cat(alone), got)
    exact = [FlowCache(config, 256) for _ in caches]
    for cache, other in zip(exact, caches, strict=True):
        cache.length = other.length
        cache.keys[:], cache.values[:] = other.keys, other.values
    expected = StepAttention(config, exact, rotations)(1, packed)
    assert snr_db(got, expected) > (110 if kind.accuracy == "exact" else 40)
    for before, other in zip(kept, exact, strict=True):
        tolerance = 1e-6 if kind.accuracy == "exact" else 0.02
        assert torch.allclose(before.float(), other.keys, atol=tolerance)


def test_attention_of_heads_that_are_too_narrow_is_refused() -> None:
    assert not ATTENTION["native"].available(tiny.config().flow_lm.transformer)
    with pytest.raises(ValueError, match="attention 'native' cannot be had here"):
        tiny.model(plan=KernelPlan(attention="native"))


def test_whoever_waits_helps_and_changes_nothing() -> None:
    """With a helper, and with a waiting thread that is asked back at any time, every product is the same."""
    product = make_linear(random(512, 256), random(512), "float32-native")
    small = make_linear(random(512, 256), None, "int8-native")
    x = random(70, 256)
    alone = product(x), small(x)
    asked_back = Signal()
    ended = threading.Event()

    def wait() -> None:
        while not ended.is_set():
            asked_back.lend()
            asked_back.clear()

    waiting = threading.Thread(target=wait)
    waiting.start()
    try:
        with helpers():
            for _ in range(200):
                asked_back.set()
                assert torch.equal(product(x), alone[0])
                assert torch.equal(small(x), alone[1])
    finally:
        ended.set()
        asked_back.set()
        waiting.join()


def test_two_that_share_at_the_same_time_are_both_served() -> None:
    product = make_linear(random(512, 256), random(512), "float32-native")
    x = random(70, 256)
    alone = product(x)
    wrong = []

    def work() -> None:
        for _ in range(100):
            if not torch.equal(product(x), alone):
                wrong.append(1)

    with helpers():
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_pieces_are_really_taken_by_others() -> None:
    library = native.library()
    assert library is not None
    seen: set[int] = set()

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
    def piece(_: int, __: int) -> None:
        seen.add(threading.get_ident())
        time.sleep(0.001)

    until = time.monotonic() + 60
    with helpers():
        while len(seen) < 2 and time.monotonic() < until:
            library.wpt_share(piece, None, ctypes.c_int64(4))
    assert len(seen) == 2 or cores.count() == 1


def test_lending_ends_when_it_is_told_or_the_time_is_up() -> None:
    signal = Signal()
    assert not signal.lend(0.01)
    signal.set()
    assert signal.lend(60)
    signal.clear()
    assert not signal.lend(0.01)


def test_a_model_is_the_same_with_them_and_without() -> None:
    """The whole of it, torch's kernels against these."""
    usual, plain = tiny.model(), tiny.model(plan=KernelPlan(*["float32-packed"] * 3))
    latents = random(1, 12, usual.config.latent_width)
    with torch.inference_mode():
        pcm = [
            model.decoder.decode(latents, model.decoder.new_state(1, 12), [0])
            for model in (usual, plain)
        ]
    assert snr_db(pcm[0], pcm[1]) > 100


def test_everything_works_without_them() -> None:
    """Tests of the engine, in a process that has none."""
    tests = ["tests/unit/test_engine.py", "tests/unit/test_kernels.py", "tests/unit/test_worker.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        env={**os.environ, "WYOMING_POCKET_TTS_NATIVE": "0"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
