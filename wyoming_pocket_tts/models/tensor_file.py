"""Tensors read from safetensors files one at a time, each into memory of its own.

The `safetensors` package maps or reads a whole file, which then counts as memory of the process until the last tensor is gone. An engine
packs its weights into layouts of its own one after the other: read like this, the file and the packed weights are never in memory together.
The package still validates files (`models.checkpoint`); here only the positions it found valid are read.

Source: the safetensors format (a length, a JSON header, then the tensors' bytes).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from wyoming_pocket_tts.errors import ModelFileError
from wyoming_pocket_tts.models.tensor_names import Stored

_DTYPES = {"F32": torch.float32, "BF16": torch.bfloat16, "F16": torch.float16, "I8": torch.int8}


@dataclass(frozen=True)
class _Entry:
    dtype: torch.dtype
    shape: tuple[int, ...]
    begin: int
    end: int


class TensorFile:
    """A safetensors file's header; `read` reads one tensor."""

    def __init__(self, path: Path) -> None:
        """Reads the header.

        Raises:
            ModelFileError: it is none.
        """
        self.path = path
        try:
            with path.open("rb") as file:
                length = int.from_bytes(file.read(8), "little")
                header = json.loads(file.read(length))
            self.metadata: dict[str, str] = header.pop("__metadata__", {})
            self._entries = {
                key: _Entry(
                    _DTYPES[entry["dtype"]],
                    tuple(entry["shape"]),
                    *(8 + length + offset for offset in entry["data_offsets"]),
                )
                for key, entry in header.items()
                # Other dtypes are none that a model's tensors may have; `models.checkpoint` names them.
                if entry["dtype"] in _DTYPES
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError, MemoryError) as error:
            raise ModelFileError(f"{path}: is not a safetensors file ({error}).") from error

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def shape(self, key: str) -> tuple[int, ...]:
        """Shape of a tensor, from the header alone."""
        return self._entries[key].shape

    def read(self, key: str) -> Tensor:
        """One tensor, in its own dtype.

        Raises:
            ModelFileError: the file has become shorter.
        """
        entry = self._entries[key]
        return self._read(key, entry.begin, entry.end).reshape(entry.shape)

    def read_part(self, key: str, start: int, stop: int) -> Tensor:
        """Values `start` to `stop` of one tensor, counted flat: [stop - start] in its own dtype."""
        entry = self._entries[key]
        width = entry.dtype.itemsize
        return self._read(key, entry.begin + start * width, entry.begin + stop * width)

    def _read(self, key: str, begin: int, end: int) -> Tensor:
        content = bytearray(end - begin)
        dtype = self._entries[key].dtype
        with self.path.open("rb", buffering=0) as file:
            file.seek(begin)
            view, done = memoryview(content), 0
            while done < len(content):
                count = file.readinto(view[done:])
                if not count:
                    raise ModelFileError(f"{self.path}: {key}: the file ends too early.")
                done += count
        return torch.frombuffer(content, dtype=dtype) if content else torch.empty(0, dtype=dtype)


class FileTensors(Mapping[str, Tensor]):
    """A checkpoint by canonical names: each access reads the tensor anew, as float32."""

    def __init__(self, places: Mapping[str, tuple[TensorFile, Stored]]) -> None:
        self._places = dict(places)

    def __getitem__(self, name: str) -> Tensor:
        file, stored = self._places[name]
        tensor = file.read(stored.key).to(torch.float32)
        if stored.norm_key is None:
            return tensor
        length = file.read(stored.norm_key).to(torch.float32)
        norm: Tensor = torch.linalg.vector_norm(tensor.flatten(1), dim=1).reshape(length.shape)
        return tensor * (length / norm)

    def shape(self, name: str) -> tuple[int, ...]:
        """From the header alone."""
        file, stored = self._places[name]
        return file.shape(stored.key)

    def part(self, name: str, start: int, stop: int) -> Tensor:
        """Values `start` to `stop` of a tensor, counted flat, without reading the rest.

        Raises:
            ValueError: the tensor is stored with weight norm.
        """
        file, stored = self._places[name]
        if stored.norm_key is not None:
            raise ValueError(f"{name} is stored with weight norm: it can only be read whole")
        return file.read_part(stored.key, start, stop).to(torch.float32)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files it reads, each once."""
        return tuple(dict.fromkeys(file.path for file, _ in self._places.values()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def size_bytes(self, name: str) -> int:
        """Size of one tensor as float32."""
        return 4 * math.prod(self.shape(name))

    @property
    def nbytes(self) -> int:
        """Size of all tensors as float32."""
        return sum(map(self.size_bytes, self))
