"""Weights from combined and split files; what does not fit is named tensor by tensor."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from tests.unit.test_config_file import VALUES
from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.layout import encoder_only, tensor_shapes
from wyoming_pocket_tts.errors import ConfigError, ModelFileError
from wyoming_pocket_tts.models.checkpoint import load_weights, weight_sources
from wyoming_pocket_tts.strict import load_dataclass

Weights = dict[str, torch.Tensor]


@pytest.fixture
def config() -> ModelConfig:
    values = {**VALUES, "weights_path": "full", "weights_path_without_voice_cloning": "open"}
    values["flow_lm"] = {**VALUES["flow_lm"], "insert_bos_before_voice": True}
    return load_dataclass(ModelConfig, values, "test")


@pytest.fixture
def weights(config: ModelConfig) -> Weights:
    generator = torch.Generator().manual_seed(1)
    return {
        name: torch.randn(shape, generator=generator)
        for name, shape in tensor_shapes(config).items()
    }


@pytest.fixture
def files(tmp_path: Path) -> Any:
    """Saves weights by source name; calling it again adds files. `fetch` knows them."""

    class Files:
        fetched: list[str]

        def __init__(self) -> None:
            self.fetched = []

        def save(self, name: str, tensors: Weights) -> Path:
            save_file({key: value.contiguous() for key, value in tensors.items()}, tmp_path / name)
            return tmp_path / name

        def fetch(self, source: str) -> Path:
            self.fetched.append(source)
            return tmp_path / source

    return Files()


def assert_same(loaded: Weights, expected: Weights) -> None:
    assert list(loaded) == list(expected)
    for name, tensor in expected.items():
        assert loaded[name].dtype == torch.float32
        torch.testing.assert_close(loaded[name], tensor, rtol=0, atol=0)


def test_a_combined_file(config: ModelConfig, weights: Weights, files: Any) -> None:
    files.save("full", weights)
    checkpoint = load_weights(config, files.fetch, voice_cloning=True)
    assert_same(checkpoint.weights, weights)
    assert checkpoint.has_voice_cloning
    assert checkpoint.sources == ("full",)


def test_the_open_file_is_taken_unless_cloning_is_asked_for(
    config: ModelConfig, weights: Weights, files: Any
) -> None:
    files.save("full", weights)
    files.save("open", {**weights, "flow_lm.speaker_proj_weight": torch.zeros(32, 32)})
    opened = load_weights(config, files.fetch)
    assert not opened.has_voice_cloning
    assert opened.sources == ("open",)
    assert opened.weights["flow_lm.speaker_proj_weight"].abs().sum() == 0
    full = load_weights(config, files.fetch, voice_cloning=True)
    assert full.has_voice_cloning
    assert files.fetched == ["open", "full"]
    # Without an open file the full one serves both.
    only = dataclasses.replace(config, weights_path_without_voice_cloning=None)
    assert load_weights(only, files.fetch).has_voice_cloning


def test_no_other_file_is_taken_when_the_wanted_one_fails(
    config: ModelConfig, weights: Weights, files: Any
) -> None:
    files.save("open", weights)

    def fetch(source: str) -> Path:
        files.fetched.append(source)
        raise PermissionError(source)

    with pytest.raises(PermissionError, match="full"):
        load_weights(config, fetch, voice_cloning=True)
    assert files.fetched == ["full"]


def test_without_the_encoder(config: ModelConfig, weights: Weights, files: Any) -> None:
    decoder = {name: tensor for name, tensor in weights.items() if not encoder_only(name)}
    assert len(decoder) < len(weights)
    for content in (weights, decoder):
        files.save("open", content)
        checkpoint = load_weights(config, files.fetch, encoder=False)
        assert_same(checkpoint.weights, decoder)
        assert not checkpoint.has_voice_cloning
    with pytest.raises(ModelFileError, match=r"mimi\.encoder\.model\.0\.conv\.weight: is missing"):
        load_weights(config, files.fetch)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_becomes_float32(
    config: ModelConfig, weights: Weights, files: Any, dtype: torch.dtype
) -> None:
    files.save("open", {name: tensor.to(dtype) for name, tensor in weights.items()})
    checkpoint = load_weights(config, files.fetch)
    assert_same(checkpoint.weights, {k: v.to(dtype).to(torch.float32) for k, v in weights.items()})


def training_flow_file(weights: Weights) -> Weights:
    """FlowLM's tensors under the names that training writes."""
    conditioner = "condition_provider.conditioners"
    names = {
        "conditioner.embed.weight": f"{conditioner}.transcript_in_segment.embed.weight",
        "speaker_proj_weight": f"{conditioner}.speaker_wavs.output_proj.weight",
        "bos_before_voice": "fuser.padding_value",
    }
    result = {
        f"{conditioner}.transcript_in_segment.learnt_padding": torch.zeros(3),
        f"{conditioner}.speaker_wavs.learnt_padding": torch.zeros(3),
        "flow.w_s_t.weight": torch.zeros(3),
        "num_ema_updates": torch.zeros(1, dtype=torch.int64),
    }
    for name, tensor in weights.items():
        if name.startswith("flow_lm."):
            key = name.removeprefix("flow_lm.")
            key = names.get(key, key).replace(".in_proj.weight", ".in_proj_weight")
            result[key] = tensor
    return result


def training_mimi_file(weights: Weights, prefix: str, weight_norm: bool) -> Weights:
    """Mimi's tensors under the names that training writes."""
    result = {
        f"{prefix}quantizer.vq.layers.0._codebook.embedding": torch.zeros(3),
        f"{prefix}quantizer.rvq_first.vq._codebook.cluster_usage": torch.zeros(3),
        f"{prefix}quantizer.logvar_proj.weight": torch.zeros(3),
        "quantizer.logvar_param": torch.zeros(1),
        "wavlm_emb_downsample.conv.conv.weight": torch.zeros(3),
        "wavlm_input_resample.kernel": torch.zeros(3),
        "wavlm_proj.weight": torch.zeros(3),
    }
    for name, tensor in weights.items():
        if not name.startswith("mimi."):
            continue
        key = prefix + name.removeprefix("mimi.").replace(".in_proj.weight", ".in_proj_weight")
        key = key.replace("downsample.conv.conv.", "downsample.conv.conv.conv.")
        key = key.replace("upsample.convtr.convtr.", "upsample.convtr.convtr.convtr.")
        if "coder.model" in key:
            key = key.replace(".conv.", ".conv.conv.").replace(".convtr.", ".convtr.convtr.")
            if weight_norm and key.endswith(".weight"):
                norm = tensor.flatten(1).norm(dim=1).reshape(-1, 1, 1)
                result[f"{key}_g"] = norm
                result[f"{key}_v"] = tensor * 3
                continue
        result[key] = tensor
    return result


@pytest.mark.parametrize("prefix", ["", "model."])
@pytest.mark.parametrize("weight_norm", [False, True])
def test_split_files(
    config: ModelConfig, weights: Weights, files: Any, prefix: str, weight_norm: bool
) -> None:
    split = dataclasses.replace(
        config,
        weights_path=None,
        weights_path_without_voice_cloning=None,
        flow_lm=dataclasses.replace(config.flow_lm, weights_path="flow"),
        mimi=dataclasses.replace(config.mimi, weights_path="mimi"),
    )
    files.save("flow", training_flow_file(weights))
    files.save("mimi", training_mimi_file(weights, prefix, weight_norm))
    checkpoint = load_weights(split, files.fetch, voice_cloning=True)
    assert checkpoint.has_voice_cloning
    assert checkpoint.sources == ("flow", "mimi")
    assert list(checkpoint.weights) == list(weights)
    for name, tensor in weights.items():
        torch.testing.assert_close(checkpoint.weights[name], tensor, rtol=1e-5, atol=1e-6)
    if not weight_norm:
        assert_same(checkpoint.weights, weights)


def test_split_files_as_upstream_reads_them(
    config: ModelConfig, weights: Weights, files: Any
) -> None:
    loading = pytest.importorskip("pocket_tts.utils.weights_loading")
    flow = loading.get_flow_lm_state_dict(files.save("flow", training_flow_file(weights)))
    mimi = loading.get_mimi_state_dict(
        files.save("mimi", training_mimi_file(weights, "", weight_norm=True))
    )
    theirs = {f"flow_lm.{k}": v for k, v in flow.items()} | {
        f"mimi.{k}": v for k, v in mimi.items()
    }
    split = dataclasses.replace(
        config,
        weights_path=None,
        weights_path_without_voice_cloning=None,
        flow_lm=dataclasses.replace(config.flow_lm, weights_path="flow"),
        mimi=dataclasses.replace(config.mimi, weights_path="mimi"),
    )
    ours = load_weights(split, files.fetch).weights
    assert set(ours) == set(theirs)
    for name, tensor in theirs.items():
        torch.testing.assert_close(ours[name], tensor, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("style", ["training", "combined", "canonical"])
def test_a_mimi_file_replaces_the_bundles_mimi(
    config: ModelConfig, weights: Weights, files: Any, style: str
) -> None:
    other = {name: tensor + 1 for name, tensor in weights.items()}
    expected = {k: other[k] if k.startswith("mimi.") else v for k, v in weights.items()}
    if style == "training":
        files.save("mimi", training_mimi_file(other, "model.", weight_norm=False))
    elif style == "combined":
        files.save("mimi", other)
    else:
        files.save("mimi", {k[5:]: v for k, v in other.items() if k.startswith("mimi.")})
    files.save("full", weights)
    both = dataclasses.replace(
        config,
        weights_path_without_voice_cloning=None,
        mimi=dataclasses.replace(config.mimi, weights_path="mimi"),
    )
    checkpoint = load_weights(both, files.fetch)
    assert_same(checkpoint.weights, expected)
    assert checkpoint.sources == ("full", "mimi") == weight_sources(both)
    # A bundle without any Mimi will do as well.
    files.save("full", {k: v for k, v in weights.items() if k.startswith("flow_lm.")})
    assert_same(load_weights(both, files.fetch).weights, expected)


def test_what_does_not_fit_is_listed(config: ModelConfig, weights: Weights, files: Any) -> None:
    del weights["flow_lm.bos_emb"]
    weights["flow_lm.out_norm.weight"] = torch.zeros(33)
    weights["flow_lm.out_norm.bias"] = torch.zeros(32, dtype=torch.int64)
    weights["flow_lm.emb_std"] = torch.zeros(32, dtype=torch.float64)
    weights["flow_lm.extra"] = torch.zeros(1)
    files.save("open", weights)
    with pytest.raises(ModelFileError) as caught:
        load_weights(config, files.fetch)
    message = str(caught.value)
    assert "open: does not fit the model's configuration:" in message
    assert sorted(line.strip() for line in message.splitlines()[1:]) == [
        "flow_lm.bos_emb: is missing",
        "flow_lm.emb_std: has dtype F64, must have one of F32, BF16, F16",
        "flow_lm.extra: is not part of this model",
        "flow_lm.out_norm.bias: has dtype I64, must have one of F32, BF16, F16",
        "flow_lm.out_norm.weight: has shape [33], must have [32]",
    ]


def test_a_long_list_is_cut(config: ModelConfig, files: Any) -> None:
    files.save("open", {"something": torch.zeros(1)})
    with pytest.raises(ModelFileError) as caught:
        load_weights(config, files.fetch)
    lines = str(caught.value).splitlines()
    assert len(lines) == 12
    assert lines[-1].strip() == f"and {len(tensor_shapes(config)) + 1 - 10} more"


def test_half_a_weight_norm_pair(config: ModelConfig, weights: Weights, files: Any) -> None:
    content = training_mimi_file(weights, "", weight_norm=True)
    del content["decoder.model.0.conv.conv.weight_v"]
    del content["encoder.model.0.conv.conv.weight_g"]
    files.save("mimi", content)
    files.save("full", weights)
    both = dataclasses.replace(
        config,
        weights_path_without_voice_cloning=None,
        mimi=dataclasses.replace(config.mimi, weights_path="mimi"),
    )
    with pytest.raises(ModelFileError) as caught:
        load_weights(both, files.fetch)
    message = str(caught.value)
    assert "decoder.model.0.conv.conv.weight_g: has no weight_v beside it" in message
    assert "mimi.decoder.model.0.conv.weight: is missing" in message
    assert "encoder.model.0.conv.conv.weight_v: has no weight_g beside it" in message


def test_what_is_no_whole_safetensors_file(
    config: ModelConfig, weights: Weights, files: Any, tmp_path: Path
) -> None:
    path = files.save("open", weights)
    content = path.read_bytes()
    for broken in (content[: len(content) // 2], content[:5], b"", b"\x80\x02pickle" * 9):
        path.write_bytes(broken)
        with pytest.raises(ModelFileError, match=r"open: is not a whole safetensors file .*alone"):
            load_weights(config, files.fetch)
    torch.save({"model": weights}, path)
    with pytest.raises(ModelFileError, match=r"is not a whole safetensors file"):
        load_weights(config, files.fetch)
    path.unlink()
    with pytest.raises(ModelFileError, match=r"open: cannot be read"):
        load_weights(config, files.fetch)


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ({}, "names no weights"),
        ({"flow": "f"}, "no mimi.weights_path"),
        ({"mimi": "m"}, "names no weights"),
        ({"flow": "f", "mimi": "m", "full": "w"}, "both weights_path and flow_lm.weights_path"),
        ({"open": "o", "cloning": True}, "cannot clone voices"),
    ],
)
def test_contradictions(config: ModelConfig, paths: dict[str, Any], message: str) -> None:
    changed = dataclasses.replace(
        config,
        weights_path=paths.get("full"),
        weights_path_without_voice_cloning=paths.get("open"),
        flow_lm=dataclasses.replace(config.flow_lm, weights_path=paths.get("flow")),
        mimi=dataclasses.replace(config.mimi, weights_path=paths.get("mimi")),
    )
    with pytest.raises(ConfigError, match=message):
        load_weights(changed, Path, voice_cloning=paths.get("cloning", False))


def test_the_test_model_is_small(config: ModelConfig) -> None:
    assert sum(math.prod(shape) for shape in tensor_shapes(config).values()) < 200_000
