"""Reading a model's weights from safetensors files, checked tensor by tensor before any of them is read.

Which file is taken is the caller's choice, never a fallback: `voice_cloning` asks for the full file and for nothing else. Pickled
checkpoints are not read at all. The weights come as a mapping that reads a tensor when it is asked for (`models.tensor_file`).

Source: the files of `pocket-tts` 4.0.1 (`models.tensor_names` has the names).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.layout import encoder_only, tensor_shapes
from wyoming_pocket_tts.errors import ModelFileError
from wyoming_pocket_tts.models.parts import complaint, fetch_part
from wyoming_pocket_tts.models.tensor_file import FileTensors, TensorFile
from wyoming_pocket_tts.models.tensor_names import (
    Layout,
    Stored,
    combined_layout,
    flow_layout,
    mimi_layout,
)

Fetch = Callable[[str], Path]
Shapes = Mapping[str, tuple[int, ...]]

# As safetensors spells them; all become float32.
_FLOAT_TYPES = ("F32", "BF16", "F16")
_MOST_PROBLEMS = 10


@dataclass(frozen=True)
class Checkpoint:
    """A model's weights.

    Attributes:
        weights: float32 tensors by canonical name, with the shapes of `engine.layout.tensor_shapes`; each access reads the file.
        has_voice_cloning: whether a voice can be made from a recording: the full file was read, the encoder half included.
        sources: where the weights came from, as the configuration names it.
    """

    weights: FileTensors
    has_voice_cloning: bool
    sources: tuple[str, ...]


def load_weights(
    config: ModelConfig, fetch: Fetch, *, voice_cloning: bool = False, encoder: bool = True
) -> Checkpoint:
    """Loads all weights of a model.

    Args:
        config: names the files; its shapes must be theirs.
        fetch: gives the local file of a source (`models.download.Fetcher.fetch`); blocking.
        voice_cloning: read the full weights (often gated). False reads `weights_path_without_voice_cloning` where the configuration
            has one.
        encoder: also Mimi's encoder half, which only cloning needs.

    Raises:
        ConfigError: the configuration names no weights, or contradicts itself.
        ModelFileError: not safetensors, or tensors that do not fit; lists them.
        DownloadError: from `fetch`.
    """
    if voice_cloning and not encoder:
        raise ValueError("cloning a voice needs the encoder")
    shapes = tensor_shapes(config)
    if not encoder:
        shapes = {name: shape for name, shape in shapes.items() if not encoder_only(name)}
    bundle, is_open = _choose_bundle(config, voice_cloning)
    places: dict[str, tuple[TensorFile, Stored]] = {}
    sources: list[str] = []

    def read(source: str, part: Shapes, layout: Callable[[list[str]], Layout]) -> None:
        places.update(_read(fetch_part(config, source, fetch), part, layout))
        sources.append(source)

    flow = {name: shape for name, shape in shapes.items() if name.startswith("flow_lm.")}
    mimi = {name: shape for name, shape in shapes.items() if name.startswith("mimi.")}
    own_mimi = config.mimi.weights_path
    if bundle is not None:
        part = flow if own_mimi else shapes
        read(bundle, part, lambda keys: combined_layout(keys, without_mimi=own_mimi is not None))
    elif config.flow_lm.weights_path is not None:
        read(config.flow_lm.weights_path, flow, flow_layout)
    if own_mimi is not None:
        read(own_mimi, mimi, lambda keys: mimi_layout(keys, mimi))
    return Checkpoint(
        weights=FileTensors({name: places[name] for name in shapes}),
        has_voice_cloning=encoder and not is_open,
        sources=tuple(sources),
    )


def weight_sources(config: ModelConfig, *, voice_cloning: bool = False) -> tuple[str, ...]:
    """The sources that `load_weights` would fetch, in its order; for a download ahead of time.

    Raises:
        ConfigError: as `load_weights`.
    """
    bundle, _ = _choose_bundle(config, voice_cloning)
    candidates = (bundle or config.flow_lm.weights_path, config.mimi.weights_path)
    return tuple(source for source in candidates if source is not None)


def _choose_bundle(config: ModelConfig, voice_cloning: bool) -> tuple[str | None, bool]:
    """The combined file to read (None: split files), and whether it is the open one."""
    full, opened = config.weights_path, config.weights_path_without_voice_cloning
    flow, mimi = config.flow_lm.weights_path, config.mimi.weights_path
    if flow is not None and (full is not None or opened is not None):
        raise complaint(
            config, "The model has both weights_path and flow_lm.weights_path; keep one."
        )
    if flow is not None and mimi is None:
        raise complaint(config, "The model has flow_lm.weights_path but no mimi.weights_path.")
    if flow is not None:
        return None, False
    if voice_cloning and full is None and opened is not None:
        raise complaint(
            config,
            "The model has weights_path_without_voice_cloning alone: it cannot clone voices.",
        )
    if opened is not None and not voice_cloning:
        return opened, True
    if full is None:
        raise complaint(config, "The model's configuration names no weights: set weights_path.")
    return full, False


def _read(
    path: Path, shapes: Shapes, to_layout: Callable[[list[str]], Layout]
) -> dict[str, tuple[TensorFile, Stored]]:
    """Where the tensors lie, once all of them have been found to fit."""
    with ExitStack() as stack:
        try:
            file = stack.enter_context(safetensors.safe_open(path, framework="pt", device="cpu"))
            layout = to_layout(list(file.keys()))
        except OSError as error:
            raise ModelFileError(f"{path}: cannot be read: {error.strerror or error}.") from error
        except safetensors.SafetensorError as error:
            raise ModelFileError(
                f"{path}: is not a whole safetensors file ({error}). Weights are read from "
                "safetensors alone; if the file was copied or downloaded by hand, fetch it again."
            ) from error
        problems = _problems(file, layout, shapes)
        if problems:
            raise ModelFileError(_report(path, problems))
    opened = TensorFile(path)
    return {name: (opened, layout.tensors[name]) for name in shapes}


def _problems(file: Any, layout: Layout, shapes: Shapes) -> list[str]:
    """What is wrong with the file, one line a tensor; from its header alone."""
    problems = []
    for name, shape in shapes.items():
        stored = layout.tensors.get(name)
        if stored is None:
            problems.append(f"{name}: is missing")
            continue
        problems += _tensor_problems(file, name, stored, shape)
    for name, stored in layout.tensors.items():
        if name not in shapes and not encoder_only(name):
            problems.append(f"{stored.key}: is not part of this model")
    problems += [f"{key}: {reason}" for key, reason in layout.strangers.items()]
    return problems


def _tensor_problems(file: Any, name: str, stored: Stored, shape: tuple[int, ...]) -> list[str]:
    problems = []
    expected = {stored.key: shape}
    if stored.norm_key is not None:
        expected[stored.norm_key] = (shape[0], *(1 for _ in shape[1:]))
    for key, wanted in expected.items():
        called = name if key == name else f"{name} ({key})"
        view = file.get_slice(key)
        found = tuple(view.get_shape())
        if found != wanted:
            problems.append(f"{called}: has shape {list(found)}, must have {list(wanted)}")
        if view.get_dtype() not in _FLOAT_TYPES:
            kinds = ", ".join(_FLOAT_TYPES)
            problems.append(f"{called}: has dtype {view.get_dtype()}, must have one of {kinds}")
    return problems


def _report(path: Path, problems: list[str]) -> str:
    shown = problems[:_MOST_PROBLEMS]
    if len(problems) > len(shown):
        shown.append(f"and {len(problems) - len(shown)} more")
    lines = "".join(f"\n  {problem}" for problem in shown)
    return f"{path}: does not fit the model's configuration:{lines}"
