"""Weights in huge pages, on Linux.

A decode step reads every weight once, 85 MB in 8 bits. In pages of 4 KiB that is 20,000 addresses to look up in page tables, inside a virtual
machine by way of two tables each; in pages of 2 MiB it is 40. Most systems give huge pages only to programs that ask for them, and what asks
must be the allocator, or, as here, somebody who looks at the memory afterwards.

Does not know what the memory holds: whatever is large and in use is moved. Whether it worked changes nothing but speed, so nothing is raised.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from torch import Tensor

_HUGE_PAGE_FILE = Path("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size")
# Of madvise(2), the same on all architectures that torch is built for.
_ADVICE_HUGE_PAGE = 14
_ADVICE_COLLAPSE = 25
# How much of a huge page must be in use already: moving it is to take no memory.
_FULL = 15 / 16
# Where memory is scarce the kernel may have to make room page by page; starting up must not wait for long.
_LONGEST_S = 1.5


def gather() -> int:
    """Moves the process's large blocks of memory into huge pages, as far as they are in use.

    Returns:
        Bytes that are in huge pages now, of those looked at; 0 where the system has none or will not (Linux before 6.1).
    """
    if not sys.platform.startswith("linux"):
        return 0
    moved = 0
    try:
        size = int(_HUGE_PAGE_FILE.read_text())
        libc = ctypes.CDLL(None, use_errno=True)
        until = time.monotonic() + _LONGEST_S
        for address in _full_pages(size):
            if time.monotonic() > until:
                break
            if libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(size), _ADVICE_COLLAPSE) == 0:
                moved += size
    except (OSError, ValueError, AttributeError):
        return moved
    return moved


def prefer_huge(tensor: Tensor) -> None:
    """Has a tensor that nothing was written to yet take its memory in huge pages, where it covers some."""
    if not sys.platform.startswith("linux"):
        return
    try:
        size = int(_HUGE_PAGE_FILE.read_text())
        start = -(-tensor.data_ptr() // size) * size
        length = (tensor.data_ptr() + tensor.nbytes) // size * size - start
        if length > 0:
            libc = ctypes.CDLL(None)
            libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(length), _ADVICE_HUGE_PAGE)
    except (OSError, ValueError, AttributeError):
        return


def _full_pages(size: int) -> Iterator[int]:
    """Addresses of the huge pages' worth of private memory that are in use as a whole, or nearly."""
    page = os.sysconf("SC_PAGE_SIZE")
    enough = _FULL * (size // page)
    with open("/proc/self/pagemap", "rb", buffering=0) as pagemap:
        for start, end in _private_blocks(size):
            for address in range(start, end, size):
                pagemap.seek(address // page * 8)
                # The highest bit of each little-endian entry says that the page is present.
                highest = pagemap.read(size // page * 8)[7::8]
                if sum(byte >> 7 for byte in highest) >= enough:
                    yield address


def _private_blocks(size: int) -> list[tuple[int, int]]:
    """Anonymous writable memory, from and to, in whole huge pages."""
    blocks = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights, _, _, inode, *name = line.split()
        if rights == "rw-p" and inode == "0" and name in ([], ["[heap]"]):
            first, last = (int(address, 16) for address in span.split("-"))
            start, end = -(-first // size) * size, last // size * size
            if start < end:
                blocks.append((start, end))
    return blocks
