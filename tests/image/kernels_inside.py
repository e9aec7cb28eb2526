"""Runs inside an image: every kernel that works there is right, and its rows do not depend on each other. A JSON line each."""

from __future__ import annotations

import json

import torch

from wyoming_pocket_tts.engine.kernels import KERNELS, available, make_linear


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
            noise = (got.double() - expected).square().sum().clamp_min(1e-300)
            worst_db = min(worst_db, float(10 * torch.log10(expected.square().sum() / noise)))
            for size in (1, 2, 4):
                parts = torch.cat([product(part) for part in rows.split(size)])
                independent &= torch.equal(parts, got)
    return {"kernel": name, "worst_db": round(worst_db, 1), "independent": independent}


for kernel in KERNELS:
    if available(kernel):
        print(json.dumps(check(kernel)), flush=True)
