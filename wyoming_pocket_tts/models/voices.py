"""Voice state files: upstream's safetensors layout, with a header that names the model they belong to.

Written so that `pocket-tts` reads them too; read whoever wrote them, in the legacy layout as well, and refused with the reason where
they do not fit. How a voice state is made is the engine's business, and where it lies the caller's.

Source: `models/model_state.py` of `pocket-tts` 4.0.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from wyoming_pocket_tts import __version__
from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.errors import VoiceStateError
from wyoming_pocket_tts.models.files import write_atomically

FORMAT_VERSION = 1

_MODULE = "transformer.layers.{layer}.self_attn"
_MODULE_PATTERN = re.compile(r"^transformer\.layers\.(\d+)\.self_attn$")
_FLOAT_TYPES = (torch.float32, torch.bfloat16, torch.float16)
_REMEDY = "Make the voice again from its recording, or fetch the file made for this model."


@dataclass(frozen=True)
class VoiceMetadata:
    """What the header of a voice state file says; nothing of it is known of files that others wrote.

    Attributes:
        model_identity: `models.identity.model_identity` of the weights it was made with.
        model_name: that model's name when it was made.
        created_by: program and version.
    """

    format_version: int | None = None
    model_identity: str | None = None
    model_name: str | None = None
    created_by: str | None = None


def write_voice_state(
    path: Path, state: VoiceState, *, identity: str | None = None, model_name: str | None = None
) -> None:
    """Writes a voice state; a reader sees the old file or the new one.

    Raises:
        VoiceStateError: the file cannot be written.
    """
    tensors: dict[str, Tensor] = {}
    for layer, (keys, values) in enumerate(zip(state.keys, state.values, strict=True)):
        module = _MODULE.format(layer=layer)
        tensors[f"{module}/cache"] = torch.stack((keys, values)).unsqueeze(1).contiguous()
        tensors[f"{module}/offset"] = torch.tensor([state.length], dtype=torch.int64)
        tensors[f"{module}/pad"] = torch.zeros(1, dtype=torch.int64)
    header = {
        "voice_state_format": str(FORMAT_VERSION),
        "frames": str(state.length),
        "created_by": f"wyoming-pocket-tts {__version__}",
    }
    if identity is not None:
        header["model_identity"] = identity
    if model_name is not None:
        header["model_name"] = model_name
    try:
        write_atomically(path, safetensors.torch.save(tensors, metadata=header))
    except OSError as error:
        raise VoiceStateError(f"{path}: cannot be written: {error.strerror or error}.") from error


def read_voice_state(path: Path, config: ModelConfig, *, identity: str | None = None) -> VoiceState:
    """Reads a voice state for a model.

    Args:
        path: the file.
        config: the model it is to be used with.
        identity: that model's, to be compared with the file's where it has one.

    Raises:
        VoiceStateError: unreadable, made for another model, damaged; says which.
    """
    with _open(path) as file:
        metadata = _metadata(file, path)
        if identity is not None and metadata.model_identity not in (None, identity):
            made_by = f" ({metadata.model_name})" if metadata.model_name else ""
            raise VoiceStateError(
                f"{path}: this voice was made with the weights of another model{made_by}. {_REMEDY}"
            )
        try:
            return _state(file, config)
        except _Unfit as error:
            raise VoiceStateError(f"{path}: {error}") from error


def is_voice_state(path: Path) -> bool:
    """Whether a file claims to be a voice state, by its name or by its first bytes; a recording has neither."""
    if path.suffix.lower() == ".safetensors":
        return True
    try:
        with path.open("rb") as file:
            # The length of the header in eight bytes, then its JSON.
            return file.read(9)[8:] == b"{"
    except OSError:
        return False


def read_voice_metadata(path: Path) -> VoiceMetadata:
    """Reads the header alone.

    Raises:
        VoiceStateError: not a safetensors file, or of a later format.
    """
    with _open(path) as file:
        return _metadata(file, path)


class _Unfit(Exception):
    """Why a file does not fit; the caller adds its name."""


def _open(path: Path) -> Any:
    try:
        return safetensors.safe_open(path, framework="pt", device="cpu")
    except OSError as error:
        raise VoiceStateError(f"{path}: cannot be read: {error.strerror or error}.") from error
    except safetensors.SafetensorError as error:
        raise VoiceStateError(f"{path}: is not a whole safetensors file ({error}).") from error


def _metadata(file: Any, path: Path) -> VoiceMetadata:
    header = file.metadata() or {}
    version = header.get("voice_state_format")
    if version is not None and (not version.isdigit() or int(version) > FORMAT_VERSION):
        made_by = header.get("created_by", "a later release")
        raise VoiceStateError(
            f"{path}: has voice state format {version}, made by {made_by}; this program knows up "
            f"to {FORMAT_VERSION}: update it. {_REMEDY}"
        )
    return VoiceMetadata(
        format_version=int(version) if version is not None else None,
        model_identity=header.get("model_identity"),
        model_name=header.get("model_name"),
        created_by=header.get("created_by"),
    )


def _state(file: Any, config: ModelConfig) -> VoiceState:
    layers = _by_layer(file)
    wanted = config.flow_lm.transformer.num_layers
    if set(layers) != set(range(wanted)):
        raise _Unfit(
            f"has {len(layers)} layers, the model has {wanted}: it was made for another model. {_REMEDY}"
        )
    keys, values = [], []
    lengths = set()
    for layer in range(wanted):
        cache, length = _layer(layers[layer], layer, config)
        lengths.add(length)
        keys.append(cache[0])
        values.append(cache[1])
    if len(lengths) != 1:
        raise _Unfit(f"its layers have different lengths ({sorted(lengths)}): it is damaged.")
    return VoiceState(keys=tuple(keys), values=tuple(values))


def _by_layer(file: Any) -> dict[int, dict[str, Tensor]]:
    """The fields of each layer."""
    layers: dict[int, dict[str, Tensor]] = {}
    for key, module, field in _keys(file):
        match = _MODULE_PATTERN.match(module)
        if match is None:
            raise _Unfit(f"holds {key!r}, which no voice state has.")
        layers.setdefault(int(match.group(1)), {})[field] = file.get_tensor(key)
    if not layers:
        raise _Unfit("holds no voice state.")
    return layers


def _keys(file: Any) -> Iterator[tuple[str, str, str]]:
    for key in file.keys():  # noqa: SIM118  # not a dict
        module, _, field = key.partition("/")
        yield key, module, field


def _layer(fields: dict[str, Tensor], layer: int, config: ModelConfig) -> tuple[Tensor, int]:
    """Keys and values [2, T, kv_heads, D] of one layer, float32, and T."""
    where = f"layer {layer}"
    cache = fields.get("cache")
    if cache is None:
        raise _Unfit(f"{where} has no cache: it is damaged.")
    transformer = config.flow_lm.transformer
    heads, width = transformer.kv_heads, transformer.head_width
    shape = list(cache.shape)
    if cache.ndim != 5 or shape[:2] != [2, 1] or shape[3:] != [heads, width]:
        raise _Unfit(
            f"{where} has a cache of shape {shape}, the model's is [2, 1, T, {heads}, {width}]: "
            f"it was made for another model. {_REMEDY}"
        )
    if cache.dtype not in _FLOAT_TYPES:
        raise _Unfit(f"{where} has a cache of {cache.dtype}, not of floating point numbers.")
    if "pad" in fields and bool((fields["pad"] != 0).any()):
        raise _Unfit(f"{where} has padding in front, as rows of a batch have; export it alone.")
    length = _length(fields, where)
    if not 0 < length <= shape[2]:
        raise _Unfit(f"{where} claims {length} positions, its cache has {shape[2]}: it is damaged.")
    used = cache[:, 0, :length].to(torch.float32, copy=True).contiguous()
    if not bool(torch.isfinite(used).all()):
        raise _Unfit(f"{where} holds values that are not finite: it is damaged.")
    return used, length


def _length(fields: dict[str, Tensor], where: str) -> int:
    """Positions in use: `offset`, or the length of `current_end` in files of older releases."""
    if "offset" in fields:
        offset = fields["offset"]
        if offset.numel() != 1 or offset.dtype.is_floating_point:
            raise _Unfit(f"{where} has an offset that is not one whole number: it is damaged.")
        return int(offset.reshape(-1)[0])
    if "current_end" in fields and fields["current_end"].ndim == 1:
        return int(fields["current_end"].shape[0])
    raise _Unfit(f"{where} says nothing of its length (offset or current_end): it is damaged.")
