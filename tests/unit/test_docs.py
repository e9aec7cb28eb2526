"""Every Python example of the README and of docs/ runs, with a tiny model in the place of what would have to be downloaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests import tiny, tiny_files
from wyoming_pocket_tts.models.download import Fetcher
from wyoming_pocket_tts.models.loading import ModelEntry
from wyoming_pocket_tts.tts import model
from wyoming_pocket_tts.tts.finding import Found

ROOT = Path(__file__).parents[2]

# What marks an example of something else than the library, and the test that runs it.
ELSEWHERE = {
    "wyoming.client": "tests/unit/test_app.py",
    "from openai import": "tests/http/test_openai.py",
}


def examples() -> Iterator[Any]:
    """(file and line, source) of each."""
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, match.start()) + 1
            yield pytest.param(match[1], id=f"{path.relative_to(ROOT)}:{line}")


LIBRARY = [one for one in examples() if "from wyoming_pocket_tts import" in str(one.values[0])]
OTHERS = [one for one in examples() if one not in LIBRARY]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def _tiny(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def found(language: str | None, config: Any, fetcher: Fetcher) -> Found:
        files = cache / "tiny"
        entry = ModelEntry("tiny", tiny_files.config_on_disk(files), "en")
        voice = tiny_files.write_voice(files / "alba.safetensors")
        return Found(entry, "alba", {"alba": str(voice)})

    load = model.TTSModel.load_model
    monkeypatch.setattr(model, "find_model", found)
    monkeypatch.setattr(
        model.TTSModel,
        "load_model",
        lambda *given, **options: load(*given, **options, tune=False, cache_dir=cache),
    )
    monkeypatch.chdir(tmp_path)
    times = np.arange(24_000 * 2) / 24_000
    noise = np.random.default_rng(1).normal(0, 0.05, len(times)) * (1.1 + np.sin(9 * times))
    soundfile.write("anna.wav", noise, 24_000)


@pytest.mark.usefixtures("_tiny")
@pytest.mark.parametrize("source", LIBRARY)
def test_an_example_of_the_library_runs(source: str, tmp_path: Path) -> None:
    exec(compile(source, "example", "exec"), {"__name__": "__main__"})
    for path in tmp_path.glob("hello.wav"):
        audio, rate_hz = soundfile.read(path)
        assert rate_hz == tiny.config().mimi.sample_rate
        assert np.abs(audio).max() > 0.01
    assert ("anna.safetensors" in source) == (tmp_path / "anna.safetensors").exists()


@pytest.mark.parametrize("source", OTHERS)
def test_other_examples_are_run_by_another_test(source: str) -> None:
    tests = [test for mark, test in ELSEWHERE.items() if mark in source]
    assert tests, "name the test that runs this example in ELSEWHERE"
    assert all((ROOT / test).is_file() for test in tests)


def test_there_are_examples() -> None:
    assert len(LIBRARY) >= 7
    assert OTHERS
