"""Reading a model's configuration file: upstream's YAML schema, strictly.

A community model is such a file with weights and a tokenizer of its own. What the keys mean is `engine.config`'s business; what can be wrong
with a file is said here, with the file's name and the key.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.errors import ConfigError
from wyoming_pocket_tts.models.sources import LocalSource, parse_source
from wyoming_pocket_tts.strict import load_dataclass
from wyoming_pocket_tts.yaml_file import read_yaml


def load_model_config(path: Path) -> ModelConfig:
    """Reads a model's YAML.

    A relative path in it is looked up beside the file first; one that is not there keeps its meaning, from the working directory, as
    upstream has it.

    Raises:
        ConfigError: unreadable, not YAML, unknown or missing key, wrong type, impossible combination.
    """
    config = load_dataclass(ModelConfig, read_yaml(path), str(path))
    return _beside(config, path)


def _beside(config: ModelConfig, path: Path) -> ModelConfig:
    """The same configuration with relative paths resolved to files that lie beside it."""

    def resolve(source: str | None, key: str) -> str | None:
        if source is None:
            return None
        try:
            parsed = parse_source(source)
        except ConfigError as error:
            raise error.at(f"{path}: {key}") from error
        if not isinstance(parsed, LocalSource) or parsed.path.is_absolute():
            return source
        near = path.parent / parsed.path
        return str(near.resolve()) if near.exists() else source

    flow_lm, mimi = config.flow_lm, config.mimi
    table = flow_lm.lookup_table
    tokenizer = (
        resolve(table.tokenizer_path, "flow_lm.lookup_table.tokenizer_path") or table.tokenizer_path
    )
    return dataclasses.replace(
        config,
        origin=str(path),
        flow_lm=dataclasses.replace(
            flow_lm,
            weights_path=resolve(flow_lm.weights_path, "flow_lm.weights_path"),
            lookup_table=dataclasses.replace(table, tokenizer_path=tokenizer),
        ),
        mimi=dataclasses.replace(
            mimi, weights_path=resolve(mimi.weights_path, "mimi.weights_path")
        ),
        weights_path=resolve(config.weights_path, "weights_path"),
        weights_path_without_voice_cloning=resolve(
            config.weights_path_without_voice_cloning, "weights_path_without_voice_cloning"
        ),
    )
