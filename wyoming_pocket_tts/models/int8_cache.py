"""FlowLM's large matrices in 8 bits, quantised once and kept on disk.

With them a start neither reads nor holds the float32 matrices: a quarter of the reading, and no moment with both in memory. What
is not quantised is read from the model's own file.

The file names what it was made from. One that does not fit (another model file, another recipe, damaged) is made again.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import safetensors
import safetensors.torch
from torch import Tensor

from wyoming_pocket_tts.engine.linear import Int8Weight, Weight
from wyoming_pocket_tts.errors import ModelFileError
from wyoming_pocket_tts.models.files import alone_in
from wyoming_pocket_tts.models.identity import model_identity
from wyoming_pocket_tts.models.tensor_file import FileTensors, TensorFile

_LOGGER = logging.getLogger(__name__)

# Changes whenever what is quantised, or how, changes.
_RECIPE = "per-row-symmetric-1"
_QUANTISED = re.compile(
    r"flow_lm\.transformer\.layers\.\d+\.(self_attn\.(in|out)_proj|linear[12])\.weight"
)
_VALUES, _SCALES = ".int8", ".scales"
_PART = ".part"


def is_quantised(name: str) -> bool:
    """Whether the recipe quantises a tensor: attention and feed-forward matrices of FlowLM, as upstream's does."""
    return _QUANTISED.fullmatch(name) is not None


class Int8Tensors(Mapping[str, Weight]):
    """A checkpoint whose large matrices come in 8 bits; each access reads the file.

    Attributes:
        identity: of the float32 weights (`models.identity`).
    """

    def __init__(self, small: TensorFile, rest: FileTensors) -> None:
        self._small = small
        self._rest = rest
        self.identity = small.metadata["model_identity"]

    def __getitem__(self, name: str) -> Weight:
        if name + _VALUES not in self._small:
            return self._rest[name]
        return Int8Weight(self._small.read(name + _VALUES), self._small.read(name + _SCALES))

    def __iter__(self) -> Iterator[str]:
        return iter(self._rest)

    def __len__(self) -> int:
        return len(self._rest)

    @property
    def nbytes(self) -> int:
        """Size of all tensors, the quantised ones as such."""
        quantised = sum(self._rest.size_bytes(name) for name in self._rest if is_quantised(name))
        return self._rest.nbytes - quantised * 3 // 4


def quantised(weights: FileTensors, folder: Path) -> Int8Tensors:
    """The checkpoint with its large matrices in 8 bits, from the kept file or made now.

    Args:
        weights: the float32 checkpoint.
        folder: where the file is kept; created if needed.

    Raises:
        ModelFileError: the model's file cannot be read, or the new file cannot be written.
    """
    source = _source(weights)
    name = hashlib.sha256(f"{weights.files[0]}\n{_RECIPE}".encode()).hexdigest()[:32]
    path = folder / f"{name}.safetensors"
    kept = _open(path, source, weights) or _make(path, source, weights)
    if kept is None:
        raise ModelFileError(f"{path}: was written and does not read back; is the disk damaged?")
    return Int8Tensors(kept, weights)


def _source(weights: FileTensors) -> str:
    """What the float32 files are recognised by, without reading them: place, size, time."""
    parts = []
    for path in weights.files:
        status = path.stat()
        parts.append(f"{path.resolve()}:{status.st_size}:{status.st_mtime_ns}")
    return "|".join(parts)


def _open(path: Path, source: str, weights: FileTensors) -> TensorFile | None:
    """The kept file, if it is there and fits."""
    if not path.is_file():
        return None
    try:
        with safetensors.safe_open(path, framework="pt"):
            kept = TensorFile(path)
    except (safetensors.SafetensorError, OSError, ModelFileError) as error:
        _LOGGER.warning("%s is damaged (%s); making it again", path, error)
        return None
    wanted = {"source": source, "recipe": _RECIPE}
    if any(kept.metadata.get(key) != value for key, value in wanted.items()):
        return None
    for name in filter(is_quantised, weights):
        if name + _VALUES not in kept or kept.shape(name + _VALUES) != weights.shape(name):
            return None
    return kept


def _make(path: Path, source: str, weights: FileTensors) -> TensorFile | None:
    """The new file; None if it does not read back."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with alone_in(path.parent) as alone:
            for leftover in path.parent.glob(f"*{_PART}") if alone else ():
                leftover.unlink(missing_ok=True)  # of a process that was killed
            kept = _open(path, source, weights)  # made by another process meanwhile?
            if kept is None:
                _write(path, source, weights)
            return kept or _open(path, source, weights)
    except (OSError, safetensors.SafetensorError) as error:
        # The latter is how safetensors reports a full disk.
        raise ModelFileError(
            f"{path}: the 8-bit weights cannot be kept there ({error}); free some space, choose another cache folder, or switch "
            "quantisation off."
        ) from error


def _write(path: Path, source: str, weights: FileTensors) -> None:
    tensors: dict[str, Tensor] = {}
    for name in filter(is_quantised, weights):
        small = Int8Weight.quantise(weights[name])
        tensors[name + _VALUES] = small.values
        tensors[name + _SCALES] = small.scales
    header = {"source": source, "recipe": _RECIPE, "model_identity": model_identity(weights)}
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=_PART)
    os.close(handle)
    try:
        safetensors.torch.save_file(tensors, temporary, metadata=header)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    _LOGGER.info("Quantised the model's weights once; they are kept in %s", path)
