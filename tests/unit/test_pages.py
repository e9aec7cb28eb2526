"""Huge pages: memory that is in use is moved, with what it holds; the rest is left alone."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path

import pytest
import torch

from wyoming_pocket_tts.engine import pages

MIB = 1 << 20

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="huge pages are Linux's")


def _in_huge_pages_mib() -> float:
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("AnonHugePages")) / 1024


def test_memory_in_use_is_moved_and_keeps_its_values() -> None:
    before = _in_huge_pages_mib()
    tensor = torch.arange(16 * MIB, dtype=torch.int32)
    expected = tensor.sum()
    if not pages.gather():
        pytest.skip("this kernel gives no huge pages to those who ask")
    # 64 MiB, of which the ends may not fill a huge page.
    assert _in_huge_pages_mib() - before >= 56
    assert tensor.sum() == expected


def test_memory_not_in_use_is_left_alone() -> None:
    # Not a tensor's: the allocator may give it memory that was used before.
    with mmap.mmap(-1, 64 * MIB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as block:
        view = torch.frombuffer(block, dtype=torch.uint8)
        address, nbytes = view.data_ptr(), view.nbytes
        first = -(-address // (2 * MIB)) * 2 * MIB
        inside = set(range(first, address + nbytes, 2 * MIB))
        assert not set(pages._full_pages(2 * MIB)) & inside
        view.fill_(1)
        assert len(set(pages._full_pages(2 * MIB)) & inside) >= len(inside) - 1
        del view


def test_a_system_without_huge_pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pages, "_HUGE_PAGE_FILE", tmp_path / "missing")
    assert pages.gather() == 0
    pages.prefer_huge(torch.empty(MIB))
