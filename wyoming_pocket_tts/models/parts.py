"""The files that a model's configuration names: which key names which, and fetching them so that a failure says so.

A source alone ("nope.model: there is no such file") does not tell its owner where it is written; the configuration's own file and the key do.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.errors import ConfigError, DownloadError


def source_keys(config: ModelConfig) -> dict[str, str]:
    """Each source that a configuration names -> the key that names it."""
    named = {
        "weights_path": config.weights_path,
        "weights_path_without_voice_cloning": config.weights_path_without_voice_cloning,
        "flow_lm.weights_path": config.flow_lm.weights_path,
        "flow_lm.lookup_table.tokenizer_path": config.flow_lm.lookup_table.tokenizer_path,
        "mimi.weights_path": config.mimi.weights_path,
    }
    return {source: key for key, source in named.items() if source is not None}


def fetch_part(config: ModelConfig, source: str, fetch: Callable[[str], Path]) -> Path:
    """The local file of one of a model's sources; blocking.

    Args:
        config: names the source.
        source: as it stands in `config`.
        fetch: gives the local file of a source.

    Raises:
        DownloadError, ConfigError: from `fetch`, with the configuration's file and the key where they are known.
    """
    try:
        return fetch(source)
    except (DownloadError, ConfigError) as error:
        key = source_keys(config).get(source)
        if config.origin is None or key is None:
            raise
        raise error.at(f"{config.origin}: {key}") from error


def complaint(config: ModelConfig, message: str) -> ConfigError:
    """What is wrong with a configuration, with its file where that is known."""
    return ConfigError(f"{config.origin}: {message}" if config.origin else message)
