"""8-bit weights on disk: made once, used again, made anew when they do not fit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import safetensors.torch
import torch

from tests import tiny, tiny_files
from tests.full_disk import full_disk
from wyoming_pocket_tts.engine.kernels import KernelPlan
from wyoming_pocket_tts.engine.layout import tensor_shapes
from wyoming_pocket_tts.engine.linear import Int8Weight
from wyoming_pocket_tts.engine.sequence import SequenceSpec
from wyoming_pocket_tts.errors import ModelFileError
from wyoming_pocket_tts.models import int8_cache, loading
from wyoming_pocket_tts.models.identity import model_identity
from wyoming_pocket_tts.models.int8_cache import Int8Tensors, is_quantised, quantised
from wyoming_pocket_tts.models.loading import EngineOptions, ModelEntry, load_model
from wyoming_pocket_tts.models.tensor_file import FileTensors, TensorFile
from wyoming_pocket_tts.models.tensor_names import Stored


@pytest.fixture
def weights(tmp_path: Path) -> FileTensors:
    return _weights(tmp_path / "model.safetensors", seed=0)


def _weights(path: Path, seed: int) -> FileTensors:
    safetensors.torch.save_file(tiny.weights(seed), path)
    file = TensorFile(path)
    return FileTensors({name: (file, Stored(name)) for name in tensor_shapes(tiny.config())})


def _kept(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_matrices_of_the_transformer_alone_are_quantised(
    weights: FileTensors, tmp_path: Path
) -> None:
    small = quantised(weights, tmp_path / "int8")
    assert set(small) == set(weights)
    for name in weights:
        got, exact = small[name], weights[name]
        if is_quantised(name):
            assert isinstance(got, Int8Weight)
            assert torch.allclose(got.dequantise(), exact, atol=float(got.scales.max()) / 1.9)
        else:
            assert isinstance(got, torch.Tensor)
            assert torch.equal(got, exact)
    assert sum(map(is_quantised, weights)) == 4 * tiny.config().flow_lm.transformer.num_layers
    assert small.identity == model_identity(tiny.weights())
    assert small.nbytes < weights.nbytes


def test_second_use_reads_the_file_and_no_float32_matrix(
    weights: FileTensors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "int8"
    quantised(weights, folder)
    (file,) = _kept(folder)
    before = file.stat().st_mtime_ns
    read = TensorFile.read

    def watch(self: TensorFile, key: str) -> torch.Tensor:
        assert not is_quantised(key)
        return read(self, key)

    monkeypatch.setattr(TensorFile, "read", watch)
    again = quantised(weights, folder)
    for name in again:
        again[name]
    assert file.stat().st_mtime_ns == before


def test_other_weights_under_the_same_name_are_noticed(tmp_path: Path) -> None:
    path, folder = tmp_path / "model.safetensors", tmp_path / "int8"
    first = quantised(_weights(path, seed=0), folder)
    other = _weights(path, seed=1)
    os.utime(path, ns=(1, 1))
    second = quantised(other, folder)
    assert first.identity != second.identity
    name = next(filter(is_quantised, other))
    small = second[name]
    assert isinstance(small, Int8Weight)
    assert torch.equal(small.values, Int8Weight.quantise(other[name]).values)
    assert len(_kept(folder)) == 1


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff" * 64])
def test_damaged_file_is_made_again(weights: FileTensors, tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "int8"
    quantised(weights, folder)
    (file,) = _kept(folder)
    whole = file.read_bytes()
    for broken in (content, whole[: len(whole) // 2]):
        file.write_bytes(broken)
        assert isinstance(quantised(weights, folder), Int8Tensors)
        assert len(file.read_bytes()) == len(whole)


def test_other_recipe_is_made_again(
    weights: FileTensors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "int8"
    quantised(weights, folder)
    monkeypatch.setattr(int8_cache, "_RECIPE", "another")
    quantised(weights, folder)
    assert any("another" in str(TensorFile(file).metadata) for file in _kept(folder))


def test_folder_that_cannot_be_written_says_what_to_do(
    weights: FileTensors, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(ModelFileError, match="8-bit weights cannot be kept"):
        quantised(weights, blocked / "int8")
    assert list(tmp_path.glob("**/*.part")) == []


def test_what_a_killed_process_left_is_cleared_away(weights: FileTensors, tmp_path: Path) -> None:
    folder = tmp_path / "int8"
    folder.mkdir()
    (folder / "tmpabc.part").write_bytes(bytes(1000))
    quantised(weights, folder)
    (file,) = _kept(folder)
    assert file.suffix == ".safetensors"


def test_a_model_speaks_alike_where_nothing_can_be_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    entry = ModelEntry("tiny", tiny_files.config_on_disk(tmp_path / "model"))
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    pcm = []
    for folder in (tmp_path / "kept", blocked):
        loaded = load_model(entry, EngineOptions(slots=1, quantize=True, tune=False), Path, folder)
        tokens = tuple(loaded.tokenizer.encode("the light is on."))
        spec = SequenceSpec(tokens, tiny.voice(), loaded.sampling(True), 3, 8)
        stream = loaded.worker.submit(spec)
        heard = b""
        while (frame := stream.next_frame()) is not None:
            heard += frame.tobytes()
        pcm.append(heard)
        loaded.worker.stop()
    assert len(pcm[0]) > 1000
    assert pcm[0] == pcm[1]
    assert "Model tiny speaks all the same" in caplog.text
    assert "cannot be kept there" in caplog.text


@pytest.mark.parametrize("here", [("int8", "int8-onednn"), ("int8-onednn",), ("int8-qnnpack",)])
def test_unmeasured_8_bits_are_of_the_first_kernel_that_is_here(
    monkeypatch: pytest.MonkeyPatch, here: tuple[str, ...]
) -> None:
    monkeypatch.setattr(loading, "available", lambda name: name in here)
    # Its heads are too narrow for native attention.
    config = tiny.config()
    assert loading._untuned(config, True) == KernelPlan(transformer=here[0])
    assert loading._untuned(config, False) == KernelPlan()
    monkeypatch.setattr(loading, "available", lambda name: False)
    assert loading._untuned(config, True) == KernelPlan()


def test_a_full_disk_is_told_and_leaves_nothing(weights: FileTensors, tmp_path: Path) -> None:
    with full_disk(4096), pytest.raises(ModelFileError, match=r"cannot be kept there .*space"):
        quantised(weights, tmp_path / "int8")
    assert not _kept(tmp_path / "int8")
