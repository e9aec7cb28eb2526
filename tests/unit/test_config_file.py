"""Reading a model's YAML: what is wrong is said with the file's and the key's name."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from wyoming_pocket_tts.errors import ConfigError
from wyoming_pocket_tts.models.config_file import load_model_config

VALUES: dict[str, Any] = {
    "weights_path": "hf://owner/repo/model.safetensors@main",
    "replace_characters": {"’": "'"},
    "flow_lm": {
        "dtype": "float32",
        "flow": {"dim": 32, "depth": 1, "type": "drifting"},
        "transformer": {
            "d_model": 32,
            "hidden_scale": 2,
            "max_period": 10000,
            "num_heads": 2,
            "num_layers": 1,
        },
        "lookup_table": {
            "dim": 32,
            "n_bins": 100,
            "tokenizer": "sentencepiece",
            "tokenizer_path": "tokenizer.model",
        },
    },
    "mimi": {
        "dtype": "float32",
        "sample_rate": 24000,
        "channels": 1,
        "frame_rate": 12.5,
        "inner_dim": 32,
        "outer_dim": 32,
        "seanet": {
            "dimension": 32,
            "channels": 1,
            "n_filters": 4,
            "n_residual_layers": 1,
            "ratios": [6, 5, 4],
            "kernel_size": 7,
            "residual_kernel_size": 3,
            "last_kernel_size": 3,
            "dilation_base": 2,
            "pad_mode": "constant",
            "compress": 2,
        },
        "transformer": {
            "d_model": 32,
            "num_heads": 2,
            "num_layers": 1,
            "layer_scale": 0.01,
            "context": 50,
            "dim_feedforward": 64,
            "input_dimension": 32,
            "output_dimensions": [32],
        },
        "quantizer": {"dimension": 32, "output_dimension": 32},
    },
}


def write(folder: Path, values: Any) -> Path:
    path = folder / "model.yaml"
    path.write_text(yaml.safe_dump(values, allow_unicode=True), encoding="utf-8")
    return path


def changed(key: str, value: Any) -> dict[str, Any]:
    """VALUES with the dotted `key` set, or removed for `...`."""
    values = copy.deepcopy(VALUES)
    *parents, last = key.split(".")
    place = values
    for parent in parents:
        place = place[parent]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return values


def test_a_good_file_loads(tmp_path: Path) -> None:
    config = load_model_config(write(tmp_path, VALUES))
    assert config.weights_path == "hf://owner/repo/model.safetensors@main"
    assert config.flow_lm.flow.type == "drifting"
    assert config.mimi.seanet.ratios == (6, 5, 4)
    assert config.replace_characters == {"’": "'"}
    assert config.default_temperature == 0.3


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("colour", 1, r"model\.yaml: colour: is not a known key"),
        ("flow_lm.flow.dept", 2, r"flow_lm\.flow\.dept: .*Did you mean 'depth'"),
        ("flow_lm.flow.dim", ..., r"flow_lm\.flow\.dim: is missing"),
        ("mimi", ..., r"mimi: is missing"),
        ("flow_lm.flow.dim", "32", r"flow_lm\.flow\.dim: must be a whole number, not '32'"),
        ("flow_lm.flow.dim", True, r"flow_lm\.flow\.dim: must be a whole number"),
        ("flow_lm.flow.type", "lds", r"flow_lm\.flow\.type: must be one of .*'lsd'"),
        ("mimi.seanet.ratios", 6, r"mimi\.seanet\.ratios: must be a list"),
        ("mimi.seanet.ratios", [6, "x"], r"mimi\.seanet\.ratios\[1\]: must be a whole number"),
        ("mimi.transformer.num_heads", 5, r"mimi\.transformer: d_model must divide"),
        ("flow_lm.lookup_table.dim", 31, r"flow_lm: lookup_table\.dim \(31\) must equal"),
        ("flow_lm", None, r"flow_lm: must be a mapping of keys, not empty"),
        ("weights_path", "s3://x/y", r"unknown kind of source s3://"),
    ],
)
def test_faults_name_file_and_key(tmp_path: Path, key: str, value: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_model_config(write(tmp_path, changed(key, value)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: [1, 2\nb: 3\n", r"model\.yaml: is not valid YAML: line 2"),
        (b"\xff\xfe\x00", r"model\.yaml: is not a text file in UTF-8"),
        (b"just text", r"model\.yaml: must be a mapping"),
        (b"", r"model\.yaml: must be a mapping of keys, not empty"),
        (b"!!python/object/apply:os.system ['true']", r"model\.yaml: is not valid YAML"),
    ],
)
def test_what_is_not_yaml(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "model.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        load_model_config(path)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"missing\.yaml: cannot be read: No such file"):
        load_model_config(tmp_path / "missing.yaml")
    with pytest.raises(ConfigError, match=r"cannot be read: Is a directory"):
        load_model_config(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX paths")
def test_paths_beside_the_file(tmp_path: Path) -> None:
    values = changed("weights_path", "model.safetensors")
    values["mimi"]["weights_path"] = "/elsewhere/mimi.safetensors"
    values["flow_lm"]["weights_path"] = "not/there.safetensors"
    (tmp_path / "model.safetensors").touch()
    (tmp_path / "tokenizer.model").touch()
    config = load_model_config(write(tmp_path, values))
    assert config.weights_path == str((tmp_path / "model.safetensors").resolve())
    assert config.flow_lm.lookup_table.tokenizer_path == str(
        (tmp_path / "tokenizer.model").resolve()
    )
    assert config.mimi.weights_path == "/elsewhere/mimi.safetensors"
    assert config.flow_lm.weights_path == "not/there.safetensors"
