"""The native kernels' loader: a library that does not fit is as good as none, and never an error."""

from __future__ import annotations

import ctypes
import logging
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from wyoming_pocket_tts.engine import native


@pytest.fixture(autouse=True)
def path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where the library is looked for; nothing is there yet."""
    place = tmp_path / "libkernels.so"
    monkeypatch.setattr(native, "PATH", place)
    monkeypatch.delenv("WYOMING_POCKET_TTS_NATIVE", raising=False)
    return place


def load() -> ctypes.CDLL | None:
    """As the first call in a process."""
    return native.library.__wrapped__()


def pretend(monkeypatch: pytest.MonkeyPatch, path: Path, **functions: Callable[[], int]) -> object:
    """A library of these functions, and whatever others are asked for."""
    path.touch()
    made = MagicMock(**functions) if functions else SimpleNamespace()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: made if name == str(path) else None)
    return made


def test_where_none_was_built_there_is_none(caplog: pytest.LogCaptureFixture) -> None:
    assert load() is None
    assert not caplog.records


def test_one_that_fits_is_used(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    made = pretend(monkeypatch, path, wpt_version=lambda: native.VERSION)
    assert load() is made


def test_one_of_another_version_is_not_used(
    monkeypatch: pytest.MonkeyPatch, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pretend(monkeypatch, path, wpt_version=lambda: native.VERSION + 1)
    assert load() is None
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert f"version {native.VERSION + 1}, not {native.VERSION}" in record.message


def test_one_that_tells_no_version_is_not_used(
    monkeypatch: pytest.MonkeyPatch, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pretend(monkeypatch, path)
    assert load() is None
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_a_file_that_is_no_library_is_told(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.write_bytes(b"for another processor")
    assert load() is None
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert str(path) in record.message


def test_the_environment_switches_it_off(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    made = pretend(monkeypatch, path, wpt_version=lambda: native.VERSION)
    monkeypatch.setenv("WYOMING_POCKET_TTS_NATIVE", "0")
    assert load() is None
    monkeypatch.setenv("WYOMING_POCKET_TTS_NATIVE", "1")
    assert load() is made


def test_the_sources_are_of_the_version_that_is_asked_for() -> None:
    """Both change together: else no build of the sources would ever be used."""
    sources = Path(native.__file__).parent.glob("*.c")
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    assert f"int wpt_version(void) {{ return {native.VERSION}; }}" in " ".join(text.split())
