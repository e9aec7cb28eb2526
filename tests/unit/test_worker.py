"""The engine's thread and the streams out of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from tests import tiny
from tests.unit.test_engine import NEVER, alone
from wyoming_pocket_tts.engine.engine import Engine
from wyoming_pocket_tts.engine.sequence import Sampling, SequenceSpec
from wyoming_pocket_tts.engine.worker import EngineStopped, EngineWorker, SegmentStream


@pytest.fixture
def worker() -> Iterator[EngineWorker]:
    worker = EngineWorker(Engine(tiny.model(), slots=2))
    worker.start()
    yield worker
    worker.stop()


def spec(seed: int = 0, max_frames: int = 20, tokens: tuple[int, ...] = (3, 7, 9)) -> SequenceSpec:
    return SequenceSpec(
        tokens, tiny.voice(), Sampling(0.3, NEVER, None, 2), seed, max_frames, str(seed)
    )


async def collect(stream: SegmentStream) -> torch.Tensor:
    return torch.from_numpy(np.concatenate([frame async for frame in stream]))


async def until(condition, seconds: float = 60.0) -> None:  # type: ignore[no-untyped-def]
    for _ in range(int(seconds * 100)):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("did not happen in time")


async def test_streams_of_a_batch_equal_the_sequences_alone(worker: EngineWorker) -> None:
    streams = [worker.submit(spec(seed)) for seed in range(5)]
    for seed, audio in enumerate(await asyncio.gather(*map(collect, streams))):
        assert torch.allclose(audio, alone(seed=seed), atol=1e-4)
        assert streams[seed].result is not None


def test_reading_in_a_thread(worker: EngineWorker) -> None:
    stream = worker.submit(spec(3))
    frames = []
    while (frame := stream.next_frame()) is not None:
        frames.append(frame)
    assert torch.allclose(torch.from_numpy(np.concatenate(frames)), alone(seed=3), atol=1e-4)


async def test_closing_frees_the_slots_for_those_who_wait(worker: EngineWorker) -> None:
    endless = [worker.submit(spec(seed, max_frames=100_000)) for seed in range(2)]
    for stream in endless:
        await anext(stream)
    waiting = worker.submit(spec(7))
    closed_while_queued = worker.submit(spec(8))
    closed_while_queued.close()
    endless[0].close()
    endless[0].close()
    assert torch.allclose(await collect(waiting), alone(seed=7), atol=1e-4)
    endless[1].close()
    await until(lambda: not worker.engine.busy)
    with pytest.raises(StopAsyncIteration):
        await anext(endless[0])


async def test_a_reader_that_does_not_read_holds_nobody_up(worker: EngineWorker) -> None:
    """Its own segment ends in its buffer, which the segment's limit bounds; the slot is then free."""
    unread = worker.submit(spec(1, max_frames=50))
    unread.make_urgent()
    assert torch.allclose(await collect(worker.submit(spec(2))), alone(seed=2), atol=1e-4)
    await until(lambda: not worker.engine.busy)
    assert unread.buffered_frames == 50
    assert len(await collect(unread)) == 50 * tiny.model().frame_size


async def test_error_of_one_sequence_reaches_its_reader_alone(worker: EngineWorker) -> None:
    bad = worker.submit(spec(0, tokens=(999,)))
    good = worker.submit(spec(5))
    with pytest.raises(IndexError):
        await collect(bad)
    assert torch.allclose(await collect(good), alone(seed=5), atol=1e-4)


async def test_fault_of_a_step_ends_what_runs_and_the_engine_lives_on(
    worker: EngineWorker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("broken step")

    flow_lm = worker.engine.model.flow_lm
    with monkeypatch.context() as patch:
        patch.setattr(flow_lm, "decode", broken)
        with pytest.raises(RuntimeError, match="broken step"):
            await collect(worker.submit(spec(1)))
    assert "A step of the engine failed" in caplog.text
    assert torch.allclose(await collect(worker.submit(spec(2))), alone(seed=2), atol=1e-4)


async def test_stop_ends_readers_with_an_error() -> None:
    worker = EngineWorker(Engine(tiny.model(), slots=1))
    worker.start()
    stream = worker.submit(spec(1, max_frames=100_000))
    await anext(stream)
    await asyncio.to_thread(worker.stop)
    worker.stop()
    with pytest.raises(EngineStopped):
        await collect(stream)
    with pytest.raises(EngineStopped):
        worker.submit(spec(2))
    assert not any(thread.name == "engine" for thread in threading.enumerate())


async def test_cancelled_reader_can_close(worker: EngineWorker) -> None:
    stream = worker.submit(spec(1, max_frames=100_000))
    reader = asyncio.create_task(collect(stream))
    await asyncio.sleep(0.02)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    stream.close()
    await until(lambda: not worker.engine.busy)
