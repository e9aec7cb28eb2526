"""What was measured to be fastest on this machine, remembered.

An answer belongs to a processor, a release of torch, the shapes of a model and the accuracy that was asked for; when one of them
changes, it is measured again. The file may be deleted at any time.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from wyoming_pocket_tts.engine import cores, native
from wyoming_pocket_tts.engine.attention import ATTENTION
from wyoming_pocket_tts.engine.config import FlowLMTransformerConfig, ModelConfig
from wyoming_pocket_tts.engine.kernels import EXACT as EXACT_KERNEL
from wyoming_pocket_tts.engine.kernels import KERNELS, Accuracy, KernelPlan, available
from wyoming_pocket_tts.engine.layout import tensor_shapes
from wyoming_pocket_tts.engine.model import Model
from wyoming_pocket_tts.engine.tuning import (
    Measurement,
    choose_kernels,
    choose_split,
)
from wyoming_pocket_tts.engine.worker import Split
from wyoming_pocket_tts.models.files import write_atomically

_LOGGER = logging.getLogger(__name__)

# Changes whenever the engine's code has changed so that old answers mean nothing.
_VERSION = 5
_FILE = "tuning.json"

Report = Callable[[Measurement], None]


@dataclass(frozen=True)
class Classes:
    """Accuracy classes that may be used.

    Attributes:
        transformer: for FlowLM's attention and feed-forward products.
        head: for the flow head.
        codec: for Mimi's decoder.
        attention: for FlowLM's keys and values.
    """

    transformer: tuple[Accuracy, ...]
    head: tuple[Accuracy, ...]
    codec: tuple[Accuracy, ...]
    attention: tuple[Accuracy, ...]


EXACT = Classes(("exact",), ("exact",), ("exact",), ("exact",))
QUANTISED = Classes(("exact", "int8"), ("exact", "int8"), ("exact",), ("exact", "bf16"))


class Tuned:
    """The answers for one model on this machine."""

    def __init__(self, folder: Path | None, config: ModelConfig, classes: Classes) -> None:
        """Reads what is known.

        Args:
            folder: where the answers are kept; None: they are not.
            config: the model's.
            classes: accuracy that was asked for.
        """
        self._path = None if folder is None else folder / _FILE
        self._config = config
        self._classes = classes
        self._key = _key(config, classes)
        self._known = self._read().get(self._key, {})

    def plan(self, report: Report | None = None) -> KernelPlan:
        """The kernels, measured now if they are not known."""
        known = self._known.get("plan")
        if isinstance(known, dict) and _is_possible(known, self._config.flow_lm.transformer):
            return KernelPlan(**known)
        started = time.monotonic()
        plan = choose_kernels(
            self._config, **dataclasses.asdict(self._classes), report=report or _debug
        )
        _LOGGER.info("Measured the kernels once (%.1f s): %s", time.monotonic() - started, plan)
        self._remember("plan", dataclasses.asdict(plan))
        return plan

    def split(self, model: Model, report: Report | None = None) -> Split:
        """Pipeline and threads, measured now with the loaded model if they are not known."""
        known = self._known.get("split")
        if isinstance(known, dict) and set(known) == {"pipeline", "threads"}:
            return Split(bool(known["pipeline"]), max(1, int(known["threads"])))
        split = choose_split(model, report or _debug)
        _LOGGER.info("Measured the threads once: %s", split)
        self._remember("split", dataclasses.asdict(split))
        return split

    def forget(self) -> None:
        """Has the next question measured anew."""
        self._known = {}

    def _remember(self, what: str, answer: dict[str, Any]) -> None:
        self._known = {**self._known, what: answer}
        if self._path is None:
            return
        everything = {**self._read(), self._key: self._known}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, json.dumps(everything, indent=1).encode())
        except OSError as error:
            _LOGGER.warning(
                "%s cannot be written (%s): measured again next time", self._path, error
            )

    def _read(self) -> dict[str, dict[str, Any]]:
        if self._path is None:
            return {}
        try:
            content = json.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}


def _is_possible(known: dict[str, str], transformer: FlowLMTransformerConfig) -> bool:
    """Whether this is a plan, and this machine has all of it."""
    return set(known) == {field.name for field in dataclasses.fields(KernelPlan)} and all(
        name in ATTENTION and ATTENTION[name].available(transformer)
        if part == "attention"
        else name == EXACT_KERNEL or (name in KERNELS and available(name))
        for part, name in known.items()
    )


def machine_identity() -> str:
    """Processor, cores that may be used, torch, and whether there are native kernels."""
    kernels = "torch" if native.library() is None else f"native {native.VERSION}, torch"
    return f"{platform.machine()}/{_processor()}/{cores.count()}/{kernels} {torch.__version__}"


def _processor() -> str:
    """The processor's name, as the system tells it (ARM tells a part number)."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    wanted = ("model name", "CPU implementer", "CPU part", "flags", "Features")
    found = {line.split(":", 1)[0].strip(): line for line in lines}
    told = "\n".join(found[key] for key in wanted if key in found)
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def _key(config: ModelConfig, classes: Classes) -> str:
    shapes = repr(sorted(tensor_shapes(config).items())) + repr(config.mimi.decoder_attention)
    told = f"{_VERSION}\n{machine_identity()}\n{shapes}\n{classes}"
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def _debug(measurement: Measurement) -> None:
    _LOGGER.debug("%s: %.2f ms", measurement.what, measurement.milliseconds)
