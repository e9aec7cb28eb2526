"""The thread that owns the model, and the streams that lead out of it: the one bridge to asyncio.

Frames cross as numpy arrays, so that nobody on the event loop touches torch. A stream may be read by a coroutine or by
a thread; leaving it (`close`, or the end of an `async for` through its `finally`) frees its slot before the next step.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from wyoming_pocket_tts.engine import cores
from wyoming_pocket_tts.engine.engine import Engine
from wyoming_pocket_tts.engine.sequence import Sequence, SequenceResult, SequenceSpec

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Frame = NDArray[numpy.float32]

_LOGGER = logging.getLogger(__name__)

# The longest that FlowLM waits for the codec before it looks for new requests again.
_CODEC_WAIT_S = 0.02
# The most frames that FlowLM's thread decodes at a time.
_HELPING_FRAMES = 2


class EngineStopped(RuntimeError):
    """The engine was stopped before the sequence ended."""


class SegmentStream:
    """The frames of one segment, in order. One reader; read with `async for`, or `next_frame()` in a thread.

    Attributes:
        result: how the segment ended, once it has.
    """

    def __init__(self) -> None:
        self._cancel: Callable[[], object] = lambda: None
        self._changed = threading.Condition()
        self._frames: deque[Frame] = deque()
        self._attempt = 0
        self._taken = False
        self._ended = False
        self._closed = False
        self._error: Exception | None = None
        self._urgent = False
        self._wake: Callable[[], object] | None = None
        self.result: SequenceResult | None = None

    # The engine's side (FrameSink).

    @property
    def urgent(self) -> bool:
        """Whether a listener waits for this segment."""
        return self._urgent

    def put(self, frame: Tensor, attempt: int) -> None:
        """Takes a frame; one of a former attempt is dropped."""
        with self._changed:
            if not self._closed and attempt == self._attempt:
                # A copy: a row of a batch would keep the other rows' frames alive as well.
                self._frames.append(frame.numpy().copy())
                self._notify()

    def restart(self) -> bool:
        """Forgets what was generated, unless the reader has taken some of it already."""
        with self._changed:
            if self._taken:
                return False
            self._frames.clear()
            self._attempt += 1
            return True

    def finish(self, result: SequenceResult, attempt: int) -> None:
        """The segment has ended; no frame of this attempt follows."""
        with self._changed:
            if attempt == self._attempt:
                self.result = result
                self._ended = True
                self._notify()

    def fail(self, error: Exception) -> None:
        """The reader is to get this error."""
        with self._changed:
            self._error = error
            self._ended = True
            self._notify()

    # The reader's side.

    @property
    def buffered_frames(self) -> int:
        """Frames generated and not yet taken."""
        return len(self._frames)

    def make_urgent(self) -> None:
        """Says that a listener waits for this segment: it goes before those generated ahead."""
        self._urgent = True

    def __aiter__(self) -> SegmentStream:
        return self

    async def __anext__(self) -> Frame:
        self._urgent = True
        loop = asyncio.get_running_loop()
        while True:
            with self._changed:
                frame, ended = self._take()
                if frame is None and not ended:
                    changed = asyncio.Event()
                    self._wake = functools.partial(loop.call_soon_threadsafe, changed.set)
            if frame is not None:
                return frame
            if ended:
                raise StopAsyncIteration
            await changed.wait()

    def next_frame(self, timeout_s: float | None = None) -> Frame | None:
        """Waits, in a thread, for the next frame; None at the end.

        Raises:
            TimeoutError: none has come within `timeout_s`; nothing is lost.
        """
        self._urgent = True
        with self._changed:
            while True:
                frame, ended = self._take()
                if frame is not None or ended:
                    return frame
                if not self._changed.wait(timeout_s):
                    raise TimeoutError("no frame yet")

    def close(self) -> None:
        """Ends the sequence wherever it is; frames not yet taken are dropped. Any number of times."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            unfinished = not self._ended
            self._ended = True
            self._frames.clear()
            self._notify()
        if unfinished:
            self._cancel()

    def _take(self) -> tuple[Frame | None, bool]:
        """The next frame, or whether the stream has ended; raises what ended it."""
        if self._frames:
            self._taken = True
            return self._frames.popleft(), False
        if self._ended and self._error is not None:
            raise self._error
        return None, self._ended

    def _notify(self) -> None:
        self._changed.notify_all()
        if self._wake is not None:
            wake, self._wake = self._wake, None
            try:
                wake()
            except RuntimeError:
                _LOGGER.debug("A reader's event loop has closed")


@dataclass(frozen=True)
class Split:
    """How the engine uses the processor.

    Attributes:
        pipeline: the codec has a thread of its own.
        threads: intra-operation threads of each engine thread.
    """

    pipeline: bool
    threads: int


_ONE_THREAD_EACH = Split(pipeline=True, threads=1)


class EngineWorker:
    """Runs an engine: FlowLM in a thread of its own and, in a pipeline, the codec in a second one."""

    def __init__(
        self, engine: Engine, name: str = "engine", *, split: Split = _ONE_THREAD_EACH
    ) -> None:
        """Not started yet.

        Args:
            engine: nobody else may use it.
            name: of the threads.
            split: how the processor is used.
        """
        self.engine = engine
        self._split = split
        self._commands: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._state = threading.Lock()
        self._stopped = False
        self._threads = [threading.Thread(target=self._run, name=name, daemon=True)]
        if split.pipeline:
            codec = threading.Thread(target=self._run_codec, name=f"{name}-codec", daemon=True)
            self._threads.append(codec)

    def start(self) -> None:
        """Starts the threads."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Ends the threads after the step they are in; what still runs or waits fails with `EngineStopped`."""
        with self._state:
            if self._stopped:
                return
            self._stopped = True
            self._commands.put(None)
        self.engine.codec.pushed.set()
        for thread in self._threads:
            # Whatever drops the last reference to a model may do it in any thread.
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join()
        self.engine.codec.abandon(EngineStopped("the engine has been stopped"))

    def submit(self, spec: SequenceSpec) -> SegmentStream:
        """Queues a segment.

        Raises:
            EngineStopped: after `stop`.
        """
        stream = SegmentStream()
        sequence = Sequence(spec, stream)
        stream._cancel = functools.partial(
            self._post, functools.partial(self.engine.cancel, sequence)
        )
        if not self._post(functools.partial(self.engine.add, sequence)):
            raise EngineStopped("the engine has been stopped")
        return stream

    def _post(self, command: Callable[[], None]) -> bool:
        """Has the thread carry out a command before its next step; False after `stop`."""
        with self._state:
            if not self._stopped:
                self._commands.put(command)
            return not self._stopped

    def _run(self) -> None:
        cores.stay_on_fast()
        torch.set_num_threads(self._split.threads)
        try:
            with torch.inference_mode():
                while self._take_commands():
                    self._step()
        finally:
            self.engine.fail_all(EngineStopped("the engine has been stopped"))

    def _run_codec(self) -> None:
        cores.stay_on_fast()
        torch.set_num_threads(self._split.threads)
        codec = self.engine.codec
        while not self._stopped:
            # While FlowLM is at work there will be something soon; the more so if it is helped.
            waited = codec.pushed.lend() if self.engine.busy else codec.pushed.wait()
            while waited and codec.run_once():
                pass

    def _take_commands(self) -> bool:
        """Carries out what has been asked for, waiting when there is nothing else to do; False to stop."""
        while True:
            try:
                command = self._commands.get(block=not self.engine.busy)
            except queue.Empty:
                return True
            if command is None:
                return False
            command()

    def _step(self) -> None:
        codec = self.engine.codec
        try:
            if not self._split.pipeline:
                self.engine.step()
                return
            codec.taken.clear()
            stepped = self.engine.step_flow_lm()
            if codec.decode_first():
                return
            # Where everybody is far enough ahead of the codec, it is helped, in short calls: a request may come any time.
            if not stepped and not codec.help(_HELPING_FRAMES):
                codec.taken.lend(_CODEC_WAIT_S)
        except Exception as error:
            _LOGGER.exception("A step of the engine failed; all its sequences are ended")
            self.engine.fail_all(error)
