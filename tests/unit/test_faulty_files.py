"""The owner's files with every kind of slip in every place: the answer is one line that names file and key, never a traceback or a
machine that hangs."""

from __future__ import annotations

import asyncio
import dataclasses
import math
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import tiny_files
from tests.unit.test_config_file import VALUES, changed
from wyoming_pocket_tts import cli
from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.layout import tensor_shapes
from wyoming_pocket_tts.errors import ConfigError, FileMissing, PocketTTSError
from wyoming_pocket_tts.models.config_file import load_model_config
from wyoming_pocket_tts.models.download import Fetcher
from wyoming_pocket_tts.models.host import ModelHost
from wyoming_pocket_tts.models.loading import EngineOptions, ModelEntry, load_model
from wyoming_pocket_tts.models.sources import parse_source
from wyoming_pocket_tts.settings import ModelSettings, Settings, VoiceSettings
from wyoming_pocket_tts.strict import load_dataclass
from wyoming_pocket_tts.yaml_file import read_yaml

_DEEP: list[Any] = ["lol"]
for _ in range(30):
    _DEEP = [_DEEP] * 10

SLIPS = [
    *(None, True, "", "x", "\0", "~nobody-here/x", "x" * 100_000),
    *(0, -1, 7, 10**9, 10**400, 0xF**9000, 0.5, math.nan, math.inf, -math.inf),
    *([], {}, [0], [10**9], ["x"], [[]], {"x": 1}, {1: "x"}, {None: None}, {"": ""}),
    _DEEP,
]
# Keys of a model's YAML that VALUES leaves out.
OPTIONAL = [
    *("flow_lm.z_dim", "flow_lm.lookup_table.rank", "flow_lm.weights_path"),
    *(f"flow_lm.transformer.{key}" for key in ("attn_dim", "num_kv_heads", "dim_feedforward")),
    *("mimi.decoder_seanet", "mimi.decoder_transformer", "mimi.transformer.max_period"),
    *("weights_path_without_voice_cloning", "model_recommended_frames_after_eos"),
    *("default_temperature", "default_eos_threshold", "remove_semicolons"),
]


def attempt(cls: type, values: object) -> Any:
    """What was loaded, or the error's message, which begins with the file and fits a line."""
    try:
        return load_dataclass(cls, values, "file.yaml")
    except ConfigError as error:
        message = str(error)
    assert message.startswith("file.yaml: ")
    assert len(message) < 1000
    assert message.isprintable()
    return message


def keys_of(values: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in values.items():
        yield prefix + key
        if isinstance(value, dict) and key != "replace_characters":
            yield from keys_of(value, f"{prefix}{key}.")


@pytest.mark.parametrize("key", [*keys_of(VALUES), *OPTIONAL])
def test_slips_in_a_model(key: str) -> None:
    for slip in SLIPS:
        loaded = attempt(ModelConfig, changed(key, slip))
        if isinstance(loaded, ModelConfig):
            assert len(tensor_shapes(loaded)) < 50_000
        else:
            assert key.rpartition(".")[2] in loaded, loaded


SECTIONS = {
    "": Settings,
    "models.m": ModelSettings,
    "voices.v": VoiceSettings,
    **{
        name: hint
        for name, hint in typing.get_type_hints(Settings).items()
        if dataclasses.is_dataclass(hint)
    },
}


@pytest.mark.parametrize(
    "key",
    [
        f"{section}.{field.name}".lstrip(".")
        for section, cls in SECTIONS.items()
        for field in dataclasses.fields(cls)  # type: ignore[arg-type]
    ],
)
def test_slips_in_the_settings(key: str) -> None:
    for slip in SLIPS:
        values: Any = slip
        for name in reversed(key.split(".")):
            values = {name: values}
        if key.startswith("models.m."):
            values["models"]["m"].setdefault("config", "m.yaml")
        loaded = attempt(Settings, values)
        if isinstance(loaded, str):
            assert any(part in loaded for part in key.split(".")[-2:]), loaded


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("uri: {{ port }}", "line 1: a key must be plain text"),
        ("a: 1\n? [a, b]\n: 2", "line 2: a key must be plain text"),
        ("a: 2026-13-45", "line 1: '2026-13-45' is not the value it looks like"),
        ("a: !!int many", "'many' is not the value it looks like"),
        ("a: !!bool many", "'many' is not the value it looks like"),
        ("a: !!timestamp many", "'many' is not the value it looks like"),
        ("a: !!python/name:os.system", "could not determine a constructor"),
        ("a: *nothing", "undefined alias"),
        ("a: &a [*a", "expected"),
        ("{" * 5000, "nested too deeply"),
    ],
)
def test_what_yaml_stumbles_over(
    tmp_path: Path, content: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "server.yaml"
    path.write_text(content)
    with pytest.raises(ConfigError) as caught:
        read_yaml(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert cli.main(["voices", "--settings", str(path)]) == cli.EXIT_USAGE
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_json_may_write_a_character_as_two(tmp_path: Path) -> None:
    path = tmp_path / "server.json"
    path.write_text('{"voices": {"anna": {"description": "\\ud83d\\ude00 and \\ud83d"}}}')
    assert (
        read_yaml(path)["voices"]["anna"]["description"]
        == "\N{GRINNING FACE} and \N{REPLACEMENT CHARACTER}"
    )


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("flow_lm.transformer.num_heads", 0, "flow_lm.transformer: num_heads must be between 1"),
        ("flow_lm.transformer.num_layers", 10**9, "num_layers must be between 1 and 512"),
        ("mimi.seanet.ratios", [6, 0, 4], "mimi.seanet: ratios must be between 1 and 1024, not 0"),
        ("mimi.seanet.channels", 2, "mimi: only mono models"),
        ("mimi.transformer.input_dimension", 64, "mimi: seanet.dimension and transformer's"),
        ("flow_lm.dtype", "float128", "flow_lm.dtype: must be one of float32, bfloat16, float16"),
        ("mimi.dtype", "float8", "mimi.dtype: must be one of float32, bfloat16, float16"),
        ("replace_characters", {"ab": ""}, "replace_characters: 'ab' must be one character"),
        ("weights_path", "", "weights_path: An empty source"),
        ("flow_lm.lookup_table.tokenizer_path", "s3://x", "flow_lm.lookup_table.tokenizer_path: "),
    ],
)
def test_a_model_names_file_and_key(tmp_path: Path, key: str, value: Any, message: str) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(yaml.safe_dump(changed(key, value)))
    with pytest.raises(ConfigError) as caught:
        load_model_config(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "source", ["", " ", "a\0b", "~nobody-here/x", "s3://x", "hf://x", "https://[x", "https://x:y/z"]
)
def test_sources_that_are_none(source: str) -> None:
    with pytest.raises(ConfigError):
        parse_source(source)


# Files that are named and are not there


def community(folder: Path, key: str, value: Any) -> Path:
    """The tiny model's YAML with one key changed."""
    path = tiny_files.yaml_on_disk(folder)
    values = yaml.safe_load(path.read_text())
    place = values
    *parents, last = key.split(".")
    for parent in parents:
        place = place[parent]
    place[last] = value
    path.write_text(yaml.safe_dump(values))
    return path


def start(path: Path) -> None:
    entry = ModelEntry("m", load_model_config(path))
    load_model(entry, EngineOptions(tune=False), Fetcher(path.parent / "cache").fetch)


@pytest.mark.parametrize(
    ("key", "value", "code", "message"),
    [
        ("weights_path", "nope.safetensors", 3, "weights_path: nope.safetensors: there is no such"),
        (
            "flow_lm.lookup_table.tokenizer_path",
            "nope.model",
            3,
            "flow_lm.lookup_table.tokenizer_path: nope.model: there is no such file",
        ),
        (
            "flow_lm.lookup_table.tokenizer",
            "spm",
            2,
            "flow_lm.lookup_table.tokenizer: 'spm' is unknown",
        ),
        ("flow_lm.weights_path", "x.safetensors", 2, "both weights_path and flow_lm.weights_path"),
        ("flow_lm.transformer.num_heads", 0, 2, "flow_lm.transformer: num_heads must be between"),
    ],
)
def test_a_start_names_the_models_file_and_key(
    tmp_path: Path, key: str, value: Any, code: int, message: str
) -> None:
    path = community(tmp_path, key, value)
    with pytest.raises(PocketTTSError) as caught:
        start(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    assert cli.exit_code(caught.value) == code


def test_a_host_names_them_too(tmp_path: Path) -> None:
    path = community(tmp_path, "weights_path", "nope.safetensors")
    entry = ModelEntry("m", load_model_config(path))
    host = ModelHost([entry], EngineOptions(tune=False), Fetcher(tmp_path / "cache").fetch)
    with pytest.raises(FileMissing, match=r"model\.yaml: weights_path: nope\.safetensors: there"):
        asyncio.run(host.load_at_start())


def test_commands_name_them_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = community(tmp_path, "weights_path", "nope.safetensors")
    cache = ["--cache-dir", str(tmp_path / "cache")]
    assert cli.main(["download", "--config", str(path), *cache]) == cli.EXIT_UNAVAILABLE
    assert f"{path}: weights_path: nope.safetensors: there is no such" in capsys.readouterr().err
    settings = tmp_path / "server.yaml"
    voice = tiny_files.write_voice(tmp_path / "bert.safetensors")
    settings.write_text(f"models: {{m: {{config: {path}}}}}\nvoices: {{bert: {{source: {voice}}}}}")
    assert cli.main(["download", "--settings", str(settings), *cache]) == cli.EXIT_UNAVAILABLE
    assert f"{path}: weights_path: nope.safetensors: there is no such" in capsys.readouterr().err
    settings.write_text("models: {m: {config: nothere.yaml}}")
    assert cli.main(["voices", "--settings", str(settings), *cache]) == cli.EXIT_UNAVAILABLE
    error = capsys.readouterr().err
    assert f"models.m.config: {tmp_path / 'nothere.yaml'}: there is no such file" in error


def test_a_models_file_cannot_say_where_it_came_from(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="origin: is not a known key"):
        load_model_config(community(tmp_path, "origin", "elsewhere"))
