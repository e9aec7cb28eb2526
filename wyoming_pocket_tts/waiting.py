"""Waiting for something with a limit, without losing a cancellation.

Before Python 3.12, `asyncio.wait_for` returns its result instead of raising when the waiting task is cancelled in the moment in which the
result is there; who was to stop then goes on for ever. So nothing here uses it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def within(work: Awaitable[T], seconds: float | None, *, keep: bool = False) -> T:
    """The result of `work`.

    Args:
        work: a coroutine or future.
        seconds: the longest wait; None for no limit.
        keep: leave `work` running when the wait is over or cancelled; otherwise it is cancelled.

    Raises:
        asyncio.TimeoutError: the wait is over.
    """
    future = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait({future}, timeout=seconds)
    except asyncio.CancelledError:
        if not keep:
            future.cancel()
        raise
    if done:
        return future.result()
    if not keep:
        future.cancel()
        await asyncio.wait({future})
    raise asyncio.TimeoutError
