"""Runs inside an image: the native kernels are there, and every kernel that works is right, its rows independent. A JSON line each."""

from __future__ import annotations

import json

import torch

from wyoming_pocket_tts.engine import native
from wyoming_pocket_tts.engine.attention import ATTENTION, NativeStepAttention, StepAttention
from wyoming_pocket_tts.engine.config import FlowLMTransformerConfig
from wyoming_pocket_tts.engine.kernels import KERNELS, available, make_linear
from wyoming_pocket_tts.engine.state import FlowCache


def decibels(got: torch.Tensor, expected: torch.Tensor) -> float:
    noise = (got.double() - expected).square().sum().clamp_min(1e-300)
    return float(10 * torch.log10(expected.double().square().sum() / noise))


def check(name: str) -> dict[str, object]:
    worst_db, independent = float("inf"), True
    for outputs, inputs in ((96, 64), (1024, 1024), (64, 4096)):
        generator = torch.Generator().manual_seed(outputs + inputs)
        weight = torch.randn(outputs, inputs, generator=generator) * inputs**-0.5
        bias = torch.randn(outputs, generator=generator)
        x = torch.randn(9, inputs, generator=generator)
        for skewed in (False, True):
            rows = torch.nn.functional.gelu(x) if skewed else x
            product = make_linear(weight, bias, name, skewed=skewed)
            got = product(rows)
            expected = rows.double() @ weight.double().t() + bias.double()
            worst_db = min(worst_db, decibels(got, expected))
            for size in (1, 2, 4):
                parts = torch.cat([product(part) for part in rows.split(size)])
                independent &= torch.equal(parts, got)
    return {"kernel": name, "worst_db": round(worst_db, 1), "independent": independent}


def attend(name: str, rows: list[int]) -> torch.Tensor:
    """A step of rows whose caches hold 0, 7, 14, ... positions; the same each time."""
    config = FlowLMTransformerConfig(1, 10000, 256, num_heads=4, num_layers=1, num_kv_heads=2)
    generator = torch.Generator().manual_seed(0)
    packed = torch.randn(4, 512, generator=generator)
    rotations = torch.polar(torch.ones(4, 1, 32), torch.randn(4, 1, 32, generator=generator))
    kept = torch.randn(2, 1, 2, 32, 64, generator=generator)
    caches = [FlowCache(config, 32, ATTENTION[name].dtype) for _ in rows]
    for row, cache in zip(rows, caches, strict=True):
        cache.keys.copy_(kept[0])
        cache.values.copy_(kept[1])
        cache.length = 7 * row
    kind = NativeStepAttention if ATTENTION[name].native else StepAttention
    return kind(config, caches, rotations[rows])(0, packed[rows])


def check_attention(name: str) -> dict[str, object]:
    got = attend(name, [0, 1, 2, 3])
    independent = torch.equal(torch.cat([attend(name, [row]) for row in range(4)]), got)
    worst_db = decibels(got, attend("exact", [0, 1, 2, 3]))
    return {
        "kernel": f"attention {name}",
        "worst_db": round(worst_db, 1),
        "independent": independent,
    }


print(json.dumps({"native": native.library() is not None}), flush=True)
if native.library() is not None:
    for attention in ("native", "native-bf16"):
        print(json.dumps(check_attention(attention)), flush=True)
for kernel in KERNELS:
    if available(kernel):
        print(json.dumps(check(kernel)), flush=True)
