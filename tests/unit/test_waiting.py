"""Waiting with a limit: no result, no time-out and no cancellation gets lost."""

from __future__ import annotations

import asyncio

import pytest

from wyoming_pocket_tts.waiting import within


async def test_result_error_and_limit() -> None:
    async def answer() -> int:
        return 7

    async def fail() -> int:
        raise KeyError("x")

    assert await within(answer(), 1) == 7
    assert await within(answer(), None) == 7
    with pytest.raises(KeyError):
        await within(fail(), 1)
    with pytest.raises(asyncio.TimeoutError):
        await within(asyncio.sleep(10), 0.01)


@pytest.mark.parametrize("keep", [True, False])
async def test_what_is_waited_for_is_kept_or_cancelled(keep: bool) -> None:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    with pytest.raises(asyncio.TimeoutError):
        await within(future, 0.01, keep=keep)
    assert future.cancelled() is not keep


async def test_cancellation_beside_a_result_that_is_there_is_not_lost() -> None:
    """Where `asyncio.wait_for` went on before Python 3.12."""
    done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    done.set_result(1)
    went_on = False

    async def wait() -> None:
        nonlocal went_on
        await within(done, 10, keep=True)
        went_on = True

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not went_on
