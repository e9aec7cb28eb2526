"""How fast a model's architecture runs on this machine: what `bench` prints. Weights are zeros, so nothing is downloaded.

Speech of a fixed length is made through the engine's own threads, as a server does it; tokenizing and the network are left out.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wyoming_pocket_tts.engine import pages
from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.engine import Engine
from wyoming_pocket_tts.engine.kernels import KernelPlan
from wyoming_pocket_tts.engine.layout import parameter_count, tensor_shapes
from wyoming_pocket_tts.engine.model import Model
from wyoming_pocket_tts.engine.sequence import Sampling, SequenceSpec, frame_limit
from wyoming_pocket_tts.engine.tuning import Measurement, Zeros, blank_voice
from wyoming_pocket_tts.engine.worker import EngineWorker, Split
from wyoming_pocket_tts.models.tuned import EXACT, QUANTISED, Tuned, machine_identity

_TOKENS = 24  # 10 s of audio in the released models
_NEVER = 1e9
_MIB = 1024


@dataclass(frozen=True)
class Figures:
    """What was measured.

    Attributes:
        machine: processor, cores, torch.
        plan, split: what was chosen (and measured, if it was not known).
        x_real_time: seconds of audio per second, one listener.
        together: the same in sum, by number of listeners.
        first_audio_ms: from handing the text over to the first frame.
        step_ms: milliseconds per frame, one listener.
        peak_mib: memory of the process at its highest, as far as the system tells.
    """

    machine: str
    parameters: int
    plan: KernelPlan
    split: Split
    x_real_time: float
    together: dict[int, float]
    first_audio_ms: float
    peak_mib: float


def run(
    config: ModelConfig,
    *,
    quantize: bool,
    folder: Path | None,
    again: bool,
    rounds: int,
    report: Callable[[Measurement], None],
) -> Figures:
    """Measures.

    Args:
        config: the architecture.
        quantize: 8-bit matrices where they are faster.
        folder: where a server keeps its measurements; they are used, and made if missing.
        again: measure kernels and threads even if they are known.
        rounds: of each figure; the median counts.
        report: is given every figure of the choice of kernels and threads.
    """
    tuned = Tuned(folder, config, QUANTISED if quantize else EXACT)
    if again:
        tuned.forget()
    plan = tuned.plan(report)
    model = Model(config, Zeros(tensor_shapes(config)), plan=plan)
    pages.gather()
    split = tuned.split(model, report)
    worker = EngineWorker(Engine(model, slots=8), "bench", split=split)
    worker.start()
    try:
        bench = _Bench(worker, config)
        bench.listen(0)
        first = [bench.first_audio_s() for _ in range(rounds)]
        speeds = {
            listeners: statistics.median(bench.x_real_time(listeners) for _ in range(rounds))
            for listeners in (1, 2, 4)
        }
    finally:
        worker.stop()
    return Figures(
        machine=machine_identity(),
        parameters=parameter_count(config),
        plan=plan,
        split=split,
        x_real_time=speeds.pop(1),
        together=speeds,
        first_audio_ms=1000 * statistics.median(first),
        peak_mib=peak_memory_mib(),
    )


def peak_memory_mib() -> float:
    """The process's memory at its highest; 0 where the system does not tell."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / _MIB for line in lines if line.startswith("VmHWM")), 0.0)


class _Bench:
    def __init__(self, worker: EngineWorker, config: ModelConfig) -> None:
        self._worker = worker
        self._voice = blank_voice(config)
        self._frames = frame_limit(_TOKENS, config.mimi.frame_rate)
        self._frame_s = config.mimi.frame_size / config.mimi.sample_rate

    def listen(self, seed: int) -> float:
        """Takes all frames of one text; seconds to the first."""
        spec = SequenceSpec(
            tokens=(0,) * _TOKENS,
            voice=self._voice,
            # Over the threshold from the first frame that counts on: it ends there and then, as no runaway would.
            sampling=Sampling(0.3, -_NEVER, None, self._frames),
            seed=seed,
            max_frames=self._frames + 1,
        )
        started, first = time.perf_counter(), 0.0
        stream = self._worker.submit(spec)
        while stream.next_frame() is not None:
            first = first or time.perf_counter() - started
        return first

    def first_audio_s(self) -> float:
        return self.listen(0)

    def x_real_time(self, listeners: int) -> float:
        threads = [threading.Thread(target=self.listen, args=(seed,)) for seed in range(listeners)]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return listeners * self._frames * self._frame_s / (time.perf_counter() - started)
