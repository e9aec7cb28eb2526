"""A real recording of people speaking, which a package on the index ships: fetched once, never committed.

    samples, rate_hz = recording.speech()

Half a minute of a telephone conversation, 16 kHz, mono. Tests that ask for it are skipped where it cannot be had.
"""

from __future__ import annotations

import functools
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

_PACKAGE = "pyannote.audio==3.3.2"
_MEMBER = "pyannote/audio/sample/sample.wav"
_CACHE = Path(__file__).resolve().parent.parent / ".cache" / "tests"


@functools.cache
def speech_file() -> Path:
    """The recording; skips the test that asks when it cannot be fetched."""
    path = _CACHE / "speech.wav"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        _fetch(path)
    return path


def speech(seconds: float = 30.0) -> tuple[NDArray[np.float32], int]:
    """The first seconds of it, from where somebody speaks: samples [S] float32, and their rate."""
    samples, rate_hz = soundfile.read(speech_file(), dtype="float32")
    start = 7 * rate_hz  # before it, the line is being opened
    return samples[start : start + round(seconds * rate_hz)], rate_hz


def _fetch(path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
    ]
    result = subprocess.run(
        [*command, "--dest", str(path.parent), _PACKAGE], capture_output=True, text=True
    )
    wheels = list(path.parent.glob("pyannote*.whl"))
    if result.returncode or not wheels:
        pytest.skip(f"no recording of speech: {_PACKAGE} cannot be fetched: {result.stderr[-300:]}")
    with zipfile.ZipFile(wheels[0]) as wheel:
        part = path.with_suffix(".part")
        part.write_bytes(wheel.read(_MEMBER))
        part.replace(path)
    wheels[0].unlink()
