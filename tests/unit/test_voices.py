"""Voice state files: written and read, upstream's way too; what does not fit is refused with the reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.unit.test_config_file import VALUES
from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.errors import VoiceStateError
from wyoming_pocket_tts.models.voices import (
    VoiceMetadata,
    read_voice_metadata,
    read_voice_state,
    write_voice_state,
)
from wyoming_pocket_tts.strict import load_dataclass

FRAMES = 7
LAYERS = 2
Tensors = dict[str, torch.Tensor]


@pytest.fixture
def config() -> ModelConfig:
    transformer = {**VALUES["flow_lm"]["transformer"], "num_layers": LAYERS}
    flow_lm = {**VALUES["flow_lm"], "transformer": transformer}
    return load_dataclass(ModelConfig, {**VALUES, "flow_lm": flow_lm}, "test")


@pytest.fixture
def state(config: ModelConfig) -> VoiceState:
    generator = torch.Generator().manual_seed(2)
    shape = (FRAMES, config.flow_lm.transformer.kv_heads, config.flow_lm.transformer.head_width)
    keys = tuple(torch.randn(shape, generator=generator) for _ in range(LAYERS))
    values = tuple(torch.randn(shape, generator=generator) for _ in range(LAYERS))
    return VoiceState(keys, values)


def assert_equal(found: VoiceState, expected: VoiceState) -> None:
    assert found.length == expected.length
    for ours, theirs in zip(
        (*found.keys, *found.values), (*expected.keys, *expected.values), strict=True
    ):
        assert ours.dtype == torch.float32
        torch.testing.assert_close(ours, theirs, rtol=0, atol=0)


def test_what_is_written_is_read(config: ModelConfig, state: VoiceState, tmp_path: Path) -> None:
    path = tmp_path / "voices" / "alba.safetensors"
    write_voice_state(path, state, identity="transformer-1:abc", model_name="english")
    assert_equal(read_voice_state(path, config, identity="transformer-1:abc"), state)
    assert_equal(read_voice_state(path, config), state)
    metadata = read_voice_metadata(path)
    assert metadata.format_version == 1
    assert metadata.model_identity == "transformer-1:abc"
    assert metadata.model_name == "english"
    assert (metadata.created_by or "").startswith("wyoming-pocket-tts ")
    # Written beside and moved: nothing else stays in the folder.
    assert list(path.parent.iterdir()) == [path]


def test_the_layout_is_upstreams(state: VoiceState, tmp_path: Path) -> None:
    path = tmp_path / "voice.safetensors"
    write_voice_state(path, state)
    tensors = load_file(path)
    assert set(tensors) == {
        f"transformer.layers.{layer}.self_attn/{field}"
        for layer in range(LAYERS)
        for field in ("cache", "offset", "pad")
    }
    cache = tensors["transformer.layers.1.self_attn/cache"]
    assert cache.shape == (2, 1, FRAMES, 2, 16)
    torch.testing.assert_close(cache[0, 0], state.keys[1])
    torch.testing.assert_close(cache[1, 0], state.values[1])
    offset = tensors["transformer.layers.0.self_attn/offset"]
    assert offset.dtype == torch.int64
    assert offset.tolist() == [FRAMES]
    assert tensors["transformer.layers.0.self_attn/pad"].tolist() == [0]


def test_upstream_reads_ours_and_we_read_upstreams(
    config: ModelConfig, state: VoiceState, tmp_path: Path
) -> None:
    model_state = pytest.importorskip("pocket_tts.models.model_state")
    ours = tmp_path / "ours.safetensors"
    write_voice_state(ours, state, identity="x", model_name="english")
    imported = model_state._import_model_state(ours, torch.device("cpu"))
    assert set(imported["transformer.layers.0.self_attn"]) == {"cache", "offset", "pad"}
    theirs = tmp_path / "theirs.safetensors"
    model_state.export_model_state(imported, theirs)
    assert read_voice_metadata(theirs) == VoiceMetadata()
    assert_equal(read_voice_state(theirs, config, identity="anything"), state)


def change(tmp_path: Path, state: VoiceState, edit: Callable[[Tensors], object]) -> Path:
    """A written voice state whose tensors `edit` changed."""
    path = tmp_path / "voice.safetensors"
    write_voice_state(path, state)
    tensors = load_file(path)
    edit(tensors)
    save_file({key: value.clone() for key, value in tensors.items()}, path)
    return path


FIRST = "transformer.layers.0.self_attn"
SECOND = "transformer.layers.1.self_attn"


def test_the_legacy_layout(config: ModelConfig, state: VoiceState, tmp_path: Path) -> None:
    def edit(tensors: Tensors) -> None:
        for module in (FIRST, SECOND):
            del tensors[f"{module}/offset"], tensors[f"{module}/pad"]
            tensors[f"{module}/current_end"] = torch.zeros(FRAMES)

    assert_equal(read_voice_state(change(tmp_path, state, edit), config), state)


def test_a_cache_longer_than_its_content_is_cut(
    config: ModelConfig, state: VoiceState, tmp_path: Path
) -> None:
    def edit(tensors: Tensors) -> None:
        for module in (FIRST, SECOND):
            unused = torch.full((2, 1, 40, 2, 16), float("nan"))
            tensors[f"{module}/cache"] = torch.cat((tensors[f"{module}/cache"], unused), dim=2)

    assert_equal(read_voice_state(change(tmp_path, state, edit), config), state)


def test_half_precision_is_accepted(config: ModelConfig, state: VoiceState, tmp_path: Path) -> None:
    def edit(tensors: Tensors) -> None:
        for module in (FIRST, SECOND):
            tensors[f"{module}/cache"] = tensors[f"{module}/cache"].to(torch.bfloat16)

    read = read_voice_state(change(tmp_path, state, edit), config)
    torch.testing.assert_close(read.keys[0], state.keys[0], rtol=1e-2, atol=1e-2)


def _drop_layer(tensors: Tensors) -> None:
    for field in ("cache", "offset", "pad"):
        del tensors[f"{SECOND}/{field}"]


def _add_layer(tensors: Tensors) -> None:
    for field in ("cache", "offset", "pad"):
        tensors[f"transformer.layers.2.self_attn/{field}"] = tensors[f"{SECOND}/{field}"]


def _set(key: str, value: torch.Tensor) -> Callable[[Tensors], None]:
    def edit(tensors: Tensors) -> None:
        tensors[key] = value

    return edit


def _spoil(tensors: Tensors) -> None:
    tensors[f"{SECOND}/cache"][1, 0, 3, 0, 0] = float("inf")


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (_drop_layer, "has 1 layers, the model has 2: it was made for another model"),
        (_add_layer, "has 3 layers, the model has 2"),
        (_spoil, "layer 1 holds values that are not finite"),
        (_set(f"{FIRST}/cache", torch.zeros(2, 1, 7, 4, 8)), r"layer 0 .*\[2, 1, 7, 4, 8\], the"),
        (_set(f"{FIRST}/cache", torch.zeros(2, 2, 7, 2, 16)), r"layer 0 .*\[2, 2, 7, 2, 16\]"),
        (_set(f"{FIRST}/cache", torch.zeros(3)), r"layer 0 .*shape \[3\]"),
        (
            _set(f"{FIRST}/cache", torch.zeros(2, 1, 7, 2, 16, dtype=torch.int8)),
            "layer 0 has a cache of torch.int8",
        ),
        (_set(f"{FIRST}/offset", torch.tensor([8])), "layer 0 claims 8 positions, .* has 7"),
        (_set(f"{FIRST}/offset", torch.tensor([0])), "layer 0 claims 0 positions"),
        (_set(f"{FIRST}/offset", torch.tensor([-1])), "layer 0 claims -1 positions"),
        (_set(f"{FIRST}/offset", torch.tensor([5])), r"different lengths \(\[5, 7\]\)"),
        (_set(f"{FIRST}/offset", torch.tensor([1, 2])), "layer 0 .* not one whole number"),
        (_set(f"{FIRST}/pad", torch.tensor([2])), "layer 0 has padding in front"),
        (lambda tensors: tensors.pop(f"{FIRST}/cache"), "layer 0 has no cache"),
        (lambda tensors: tensors.pop(f"{FIRST}/offset"), "layer 0 says nothing of its length"),
        (_set("flow_lm.emb_std", torch.zeros(3)), "holds 'flow_lm.emb_std', which no voice state"),
        (lambda tensors: tensors.clear(), "holds no voice state"),
    ],
)
def test_what_does_not_fit_is_refused(
    config: ModelConfig,
    state: VoiceState,
    tmp_path: Path,
    edit: Callable[[Tensors], object],
    reason: str,
) -> None:
    path = change(tmp_path, state, edit)
    with pytest.raises(VoiceStateError, match=rf"voice\.safetensors: .*{reason}"):
        read_voice_state(path, config)


def test_a_voice_of_other_weights_is_refused(
    config: ModelConfig, state: VoiceState, tmp_path: Path
) -> None:
    path = tmp_path / "voice.safetensors"
    write_voice_state(path, state, identity="transformer-1:abc", model_name="french")
    with pytest.raises(VoiceStateError, match=r"weights of another model \(french\)\. Make the"):
        read_voice_state(path, config, identity="transformer-1:def")


def test_a_later_format_is_refused(config: ModelConfig, state: VoiceState, tmp_path: Path) -> None:
    path = tmp_path / "voice.safetensors"
    write_voice_state(path, state)
    save_file(load_file(path), path, metadata={"voice_state_format": "2", "created_by": "x 9"})
    with pytest.raises(VoiceStateError, match=r"format 2, made by x 9; .* up to 1: update it"):
        read_voice_state(path, config)


def test_what_is_no_safetensors_file(
    config: ModelConfig, state: VoiceState, tmp_path: Path
) -> None:
    path = tmp_path / "voice.safetensors"
    write_voice_state(path, state)
    content = path.read_bytes()
    for broken in (b"RIFF....WAVE", b"", content[:-10]):
        path.write_bytes(broken)
        with pytest.raises(VoiceStateError, match="is not a whole safetensors file"):
            read_voice_state(path, config)
    with pytest.raises(VoiceStateError, match="cannot be read"):
        read_voice_state(tmp_path / "missing.safetensors", config)


def test_a_failed_write_leaves_the_old_file(
    state: VoiceState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "voice.safetensors"
    write_voice_state(path, state)
    before = path.read_bytes()

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(VoiceStateError, match=r"cannot be written: No space left"):
        write_voice_state(path, state)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
