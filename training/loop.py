"""What every training loop does besides learning: threads, pauses, checkpoints, schedule, a log.

A run is over after so many minutes of processor time, whatever else the machine does. It goes on where its checkpoint left off.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

_PAUSE_S = 1.0
_WARM_UP_STEPS = 200


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of all trainings."""
    parser.add_argument("--folder", type=Path, required=True, help="data and checkpoints")
    parser.add_argument(
        "--minutes",
        type=float,
        required=True,
        help="of processor time a thread, resumed ones included",
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=1e-3, help="highest learning rate")
    parser.add_argument(
        "--hold", type=float, default=0.5, help="share of the time before the rate falls"
    )
    parser.add_argument("--save-every", type=int, default=250, help="steps between checkpoints")
    parser.add_argument("--workers", type=int, default=1, help="processes that share each step")
    parser.add_argument("--rank", type=int, default=0, help="which of them this is")
    parser.add_argument(
        "--meeting", help="a file that is not there yet, where they find each other"
    )
    parser.add_argument("--pause-while", type=Path, help="do nothing while this file exists")


class Loop:
    """A training run.

    Attributes:
        step: steps done.
        seconds: of processor time a thread.
    """

    def __init__(self, arguments: argparse.Namespace, name: str) -> None:
        torch.set_num_threads(arguments.threads)
        self.workers = arguments.workers
        if self.workers > 1:
            dist.init_process_group(
                "gloo",
                init_method=f"file://{arguments.meeting}",
                rank=arguments.rank,
                world_size=self.workers,
            )
        self._arguments = arguments
        self._path = arguments.folder / f"{name}.pt"
        self._log = arguments.folder / f"{name}.jsonl"
        self._rank = arguments.rank
        self.step = 0
        self.seconds = 0.0
        self._means: dict[str, float] = {}

    def resume(self) -> dict[str, Any] | None:
        """The last checkpoint, if there is one."""
        if not self._path.exists():
            return None
        saved: dict[str, Any] = torch.load(self._path, weights_only=True)
        self.step, self.seconds = saved["step"], saved["seconds"]
        return saved

    @property
    def seed(self) -> int:
        """Another one for each worker, and for each time the run goes on."""
        arguments = self._arguments
        return int(arguments.seed * 1_000_003 + self.step * self.workers + arguments.rank)

    def steps(self) -> Iterator[float]:
        """Yields the share of the time that is over, once a step."""
        while self.seconds < self._arguments.minutes * 60:
            self._pause()
            begun = time.process_time()
            yield self.seconds / (self._arguments.minutes * 60)
            self.step += 1
            self.seconds += (time.process_time() - begun) / self._arguments.threads

    def rate(self, done: float) -> float:
        """The learning rate: warm-up, a plateau, then half a cosine down to a fiftieth."""
        hold = self._arguments.hold
        falling = 0.0 if done < hold else (done - hold) / (1 - hold)
        factor = 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * falling))
        return float(self._arguments.rate * factor * min(1, (self.step + 1) / _WARM_UP_STEPS))

    def note(self, **values: float) -> None:
        """Keeps running means; every 50 steps they are logged."""
        for key, value in values.items():
            self._means[key] = 0.98 * self._means.get(key, value) + 0.02 * value
        if self._rank == 0 and self.step % 50 == 0:
            self.write(**self._means)

    def write(self, **values: float) -> None:
        """A line in the log."""
        line = {"step": self.step, "seconds": round(self.seconds)}
        line |= {key: round(value, 5) for key, value in values.items()}  # type: ignore[misc]
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    @property
    def saves_now(self) -> bool:
        """Whether a checkpoint is due."""
        return bool(self._rank == 0 and self.step % self._arguments.save_every == 0)

    def save(self, **state: Any) -> None:
        """Writes a checkpoint, if this is the first worker; a reader sees the old one or the new one."""
        if self._rank > 0:
            return
        partial = self._path.with_suffix(".partial")
        torch.save({"step": self.step, "seconds": self.seconds, **state}, partial)
        os.replace(partial, self._path)

    def _pause(self) -> None:
        path = self._arguments.pause_while
        while path is not None and path.exists():
            time.sleep(_PAUSE_S)


class Average:
    """A running mean of parameters: better than the parameters of any one step."""

    def __init__(self, module: nn.Module, decay: float = 0.999) -> None:
        self._decay = decay
        self._module = module
        self.state = {key: value.detach().clone() for key, value in module.state_dict().items()}
        self._updates = 0

    @torch.no_grad()
    def update(self) -> None:
        """Takes the parameters as they are now."""
        self._updates += 1
        decay = min(self._decay, self._updates / (self._updates + 10))
        for key, value in self._module.state_dict().items():
            self.state[key].lerp_(value, 1 - decay)


def average_gradients(parameters: list[nn.Parameter], workers: int) -> None:
    """Makes the gradients of all workers the same: their mean. Each worker must have the same ones."""
    if workers == 1:
        return
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    dist.all_reduce(flat)
    flat /= workers
    parts = torch.split(flat, [gradient.numel() for gradient in gradients])
    for gradient, part in zip(gradients, parts, strict=True):
        gradient.copy_(part.view_as(gradient))
