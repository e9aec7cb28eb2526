"""Showing how far a download is."""

from __future__ import annotations

import io
import logging

import pytest

from wyoming_pocket_tts.models.progress import DownloadProgress, LoggedProgress, TerminalProgress

SOURCE = "hf://owner/repo/model.safetensors@main"


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_percent() -> None:
    assert DownloadProgress(SOURCE, 999, 1000).percent == 99
    assert DownloadProgress(SOURCE, 1000, 1000).percent == 100
    assert DownloadProgress(SOURCE, 5, None).percent is None
    assert DownloadProgress(SOURCE, 0, 0).percent is None
    assert DownloadProgress(SOURCE, 1000, 1000).finished
    assert not DownloadProgress(SOURCE, 999, 1000).finished
    assert not DownloadProgress(SOURCE, 999, None).finished


def test_the_log_has_a_line_every_few_seconds(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    clock = Clock()
    show = LoggedProgress(interval_s=5, clock=clock)
    for second in range(13):
        clock.now_s = 100 + second
        show(DownloadProgress(SOURCE, second * 2_000_000, 26_000_000))
    show(DownloadProgress(SOURCE, 26_000_000, 26_000_000))
    assert caplog.messages == [
        f"Downloading {SOURCE} (26.0 MB)",
        f"Downloading {SOURCE}: 38 % of 26.0 MB, 2.0 MB/s",
        f"Downloading {SOURCE}: 76 % of 26.0 MB, 2.0 MB/s",
        f"Downloaded {SOURCE} (26.0 MB)",
    ]


def test_the_log_without_a_size(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    clock = Clock()
    show = LoggedProgress(interval_s=5, clock=clock)
    show(DownloadProgress(SOURCE, 0, None))
    clock.now_s += 6
    show(DownloadProgress(SOURCE, 600_000, None))
    assert caplog.messages == [
        f"Downloading {SOURCE} (size unknown)",
        f"Downloading {SOURCE}: 600 kB, 100 kB/s",
    ]


def test_the_bar() -> None:
    clock = Clock()
    stream = io.StringIO()
    show = TerminalProgress(stream, clock=clock)
    show(DownloadProgress(SOURCE, 0, 2_000_000))
    show(DownloadProgress(SOURCE, 1, 2_000_000))  # too soon to draw again
    clock.now_s += 1
    show(DownloadProgress(SOURCE, 1_000_000, 2_000_000))
    show(DownloadProgress(SOURCE, 2_000_000, 2_000_000))
    lines = stream.getvalue().split("\r")
    assert [line.rstrip("\n").removesuffix("\033[K") for line in lines] == [
        "",
        f"model.safetensors [{'.' * 30}] 0 % of 2.0 MB",
        f"model.safetensors [{'#' * 15}{'.' * 15}] 50 % of 2.0 MB",
        f"model.safetensors [{'#' * 30}] 100 % of 2.0 MB",
    ]
    assert stream.getvalue().endswith("\n")
