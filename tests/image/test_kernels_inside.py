"""The kernels of the other architecture, with its build of torch, as two of its processors (for one's own, tests/unit/test_kernels.py is enough)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.image.builder import ARCH, Image, run

pytestmark = pytest.mark.skipif(
    not os.environ.get("IMAGE_TEST") or ARCH != "arm64",
    reason="takes minutes: make image-test IMAGE_TEST_ARCH=arm64",
)

PROGRAM = Path(__file__).with_name("kernels_inside.py")
# dB that each class of accuracy promises.
PROMISED = {
    **dict.fromkeys(("float32", "float32-packed", "float32-native", "attention native"), 100),
    **dict.fromkeys(("bf16-packed", "attention native-bf16"), 40),
}
# Ours, and those that torch's build for ARM has in any case; qnnpack wants files of /sys that emulation lacks.
EXPECTED = {
    *("float32", "float32-packed", "int8-onednn", "float32-native", "int8-native"),
    *("attention native", "attention native-bf16"),
}


@pytest.mark.parametrize("processor", ["cortex-a72", "cortex-a76"])
def test_kernels_are_right(processor: str) -> None:
    with Image.built("server") as image:
        entering = ("chroot", str(image.root), "/usr/bin/env", "-i", *image.config["Env"])
        said = run(
            *(*entering, f"QEMU_CPU={processor}", "python3", "-"),
            input=PROGRAM.read_text(encoding="utf-8"),
            timeout_s=1800,
        )
    lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    print(f"\n[{ARCH}] {processor}: {lines}", flush=True)
    assert lines.pop(0) == {"native": True}
    found = {line["kernel"]: line for line in lines}
    assert set(found) >= EXPECTED
    for name, line in found.items():
        assert line["worst_db"] > PROMISED.get(name, 30), line
        # Where a kernel's rows share a scale, as qnnpack's do, they depend on each other.
        assert line["independent"] or name == "int8-qnnpack", line
