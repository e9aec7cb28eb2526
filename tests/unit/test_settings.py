"""The settings: defaults, the file, flags over it, and what an error says."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
import yaml

from wyoming_pocket_tts.errors import ConfigError
from wyoming_pocket_tts.settings import Settings
from wyoming_pocket_tts.settings_file import FlagValue, load_settings
from wyoming_pocket_tts.sound.options import SoundChoice

EXAMPLE = Path(__file__).parents[2] / "config" / "server.example.yaml"


def load(tmp_path: Path, text: str, *flags: FlagValue) -> Settings:
    path = tmp_path / "server.yaml"
    path.write_text(text, encoding="utf-8")
    return load_settings(path, flags)


def failure(tmp_path: Path, text: str, *flags: FlagValue) -> str:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text, *flags)
    return str(caught.value)


# The example


def sections() -> dict[str, type]:
    """Section name -> its dataclass; "" is the root."""
    found = {
        field.name: type(getattr(Settings(), field.name))
        for field in dataclasses.fields(Settings)
        if dataclasses.is_dataclass(getattr(Settings(), field.name))
    }
    return {"": Settings, **found}


def uncommented_defaults(text: str) -> str:
    """The example with every `# key: value` that is a key of its section in force; prose stays a comment."""
    lines, section = [], ""
    for line in text.splitlines():
        heading = re.match(r"(\w+):", line)
        if heading:
            section = heading[1] if heading[1] in sections() else ""
        commented = re.match(r"( *)# (\w+):( |$)", line)
        if commented:
            where = section if commented[1] else ""
            if commented[2] in {field.name for field in dataclasses.fields(sections()[where])}:
                line = line.replace("# ", "", 1)
        lines.append(line)
    return "\n".join(lines)


def test_the_example_as_it_is_changes_nothing() -> None:
    assert load_settings(EXAMPLE) == Settings()


def test_every_key_is_in_the_example_with_its_default(tmp_path: Path) -> None:
    text = uncommented_defaults(EXAMPLE.read_text())
    values = yaml.safe_load(text)
    for section, cls in sections().items():
        shown = values[section] if section else values
        assert set(shown) == {field.name for field in dataclasses.fields(cls)}, section
    assert load(tmp_path, text) == Settings()


def test_the_longer_examples_load(tmp_path: Path) -> None:
    text = re.sub(r"^## ", "", EXAMPLE.read_text(), flags=re.MULTILINE)
    settings = load(tmp_path, text)
    assert set(settings.models) == {"my-model"}
    assert set(settings.voices) == {"alba", "anna", "family"}
    assert settings.voices["family"].speakers == {"mum": "anna", "dad": "charles"}
    assert settings.voices["family"].sound == SoundChoice(speed=1.1)
    assert settings.default_voices == {"en": "alba", "fr": "estelle"}


# The file


def test_an_empty_file_and_empty_sections_are_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path, "") == Settings()
    assert load(tmp_path, "limits:\nengine:\nvoices:\nlanguages:\n") == Settings()


def test_a_voice_without_keys_is_the_catalogue_voice_of_that_name(tmp_path: Path) -> None:
    assert load(tmp_path, "voices: {alba: }").voices["alba"].source is None


def test_json_is_read_too(tmp_path: Path) -> None:
    settings = load(tmp_path, '{"engine": {"slots": 2}, "zeroconf": {"enabled": false}}')
    assert settings.engine.slots == 2
    assert not settings.zeroconf.enabled


def test_relative_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        """
        cache_dir: cache
        voices_dir: my-voices
        text: {dictionary: words.yaml, markup: false}
        models:
          here: {config: models/here.yaml}
          away: {config: "hf://someone/model/away.yaml@main"}
        voices:
          anna: {source: voices/anna.safetensors}
          ben: {source: ben.safetensors}
          gus: {source: gus.wav}
          cleo: {source: alba}
          dora: {source: "https://example.org/dora.safetensors"}
          else: {source: /data/else.safetensors}
        """,
    )
    assert settings.cache_dir == tmp_path / "cache"
    assert settings.voices_dir == tmp_path / "my-voices"
    assert settings.text.dictionary == tmp_path / "words.yaml"
    assert not settings.text.markup
    assert settings.models["here"].config == str(tmp_path / "models/here.yaml")
    assert settings.models["away"].config == "hf://someone/model/away.yaml@main"
    sources = {name: voice.source for name, voice in settings.voices.items()}
    assert sources == {
        "anna": str(tmp_path / "voices/anna.safetensors"),
        "ben": str(tmp_path / "ben.safetensors"),
        "gus": str(tmp_path / "gus.wav"),
        "cleo": "alba",
        "dora": "https://example.org/dora.safetensors",
        "else": "/data/else.safetensors",
    }


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("engin: {slots: 2}", ["server.yaml: engin: is not a known key", "'engine'"]),
        ("engine: {slot: 2}", ["server.yaml: engine.slot: is not a known key", "'slots'"]),
        ("voices: {anna: {sorce: x}}", ["voices.anna.sorce", "'source'"]),
        ("engine: {slots: many}", ["engine.slots: must be a whole number", "'many'"]),
        ("engine: {slots: true}", ["engine.slots", "True"]),
        ("engine: {slots: 0}", ["engine: slots must be between 1 and 256, not 0"]),
        ("engine: {temperature: -1}", ["engine: temperature must be between 0 and 10, not -1.0"]),
        ("engine: {temperature: .nan}", ["temperature must be between 0 and 10, not nan"]),
        ("engine: {seed: -5}", ["seed must be between 0"]),
        ("limits: {max_text_characters: 0}", ["limits: max_text_characters must be between 1"]),
        ("limits: {stop_s: 1000}", ["limits: stop_s must be between 0 and 60, not 1000.0"]),
        ("text: {max_tokens: 1}", ["server.yaml: text: max_tokens"]),
        ("text: {text_format: smsl}", ["text: text_format must be one of text,", "'smsl'"]),
        ("text: {dictionary: 5}", ["server.yaml: text.dictionary: must be a path"]),
        ("text: {normalize: false}", ["text.normalize: is not a known key", "'normalise'"]),
        ("sound: {speed: 2.5}", ["sound: speed must be between 0.5 and 2, not 2.5"]),
        ("sound: {volume: 3}", ["sound.volume: is not a known key", "'volume_db'"]),
        ("sound: {tail_silence_ms: 0.5}", ["sound.tail_silence_ms: must be a whole number"]),
        ("voices: {a: {speed: 0}}", ["voices.a: speed must be between 0.5 and 2, not 0.0"]),
        ("logging: {level: infos}", ["logging.level: must be one of debug, info", "'info'"]),
        ("uri: udp://x:1", ["uri 'udp://x:1' must be tcp://host:port"]),
        ("uri: tcp://localhost", ["needs a port"]),
        ("uri: tcp://localhost:70000", ["needs a port from 0 to 65535"]),
        ("uri: unix://", ["names no socket"]),
        ("languages: english", ["languages: must be a list"]),
        ("languages: [../x]", ["model name '../x'"]),
        ("languages: [en]\nmodels: {en: {config: a.yaml}}", ["models.en", "rename"]),
        ("models: {a: {}}", ["models.a.config: is missing"]),
        ("models: {a: {config: x, load: later}}", ["models.a.load: must be one of start"]),
        ("models: {a: {config: x, languages: [English]}}", ["models.a", "'English'", "pt-BR"]),
        ("default_voices: {french: estelle}", ["'french' is not a language code"]),
        ('voices: {" x": {}}', ["voice name ' x'"]),
        ("voices: {a: {aliases: [b]}, b: {}}", ["voices.a.aliases: 'b' already means voice 'b'"]),
        ("voices: {a: {}, A: {}}", ["upper and lower case"]),
        ("zeroconf: {name: " + "x" * 64 + "}", ["zeroconf: name 'xxx", "1 to 50"]),
        ("zeroconf: {name: a.b}", ["zeroconf: name 'a.b'", "without a dot"]),
        ("offline: 1", ["offline: must be true or false"]),
        ("uri: a\nuri: b", ["line 2", "key 'uri' stands there twice"]),
        ("engine: {slots: 2", ["is not valid YAML", "line 1"]),
        ("- a\n- b", ["must be a mapping of keys"]),
    ],
)
def test_an_error_names_the_file_the_key_and_what_is_wrong(
    tmp_path: Path, text: str, parts: list[str]
) -> None:
    message = failure(tmp_path, text)
    assert message.startswith(str(tmp_path / "server.yaml"))
    for part in parts:
        assert part in message


def test_a_file_that_is_not_there_and_one_that_is_not_text(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.yaml: cannot be read: No such file"):
        load_settings(tmp_path / "absent.yaml")
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not a text file in UTF-8"):
        load_settings(binary)


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    assert load(tmp_path, "\ufeffoffline: true").offline


# Flags


def test_flags_win_over_the_file_key_by_key(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        "engine: {slots: 2, seed: 7}\nlanguages: [french, german]",
        FlagValue("--slots", ("engine", "slots"), 4),
        FlagValue("--language", ("languages",), ["dutch"]),
    )
    assert (settings.engine.slots, settings.engine.seed) == (4, 7)
    assert settings.languages == ("dutch",)


def test_a_wrong_flag_is_blamed_on_the_flag(tmp_path: Path) -> None:
    message = failure(tmp_path, "offline: true", FlagValue("--slots", ("engine", "slots"), 0))
    assert message.startswith("--slots: ")


def test_what_is_wrong_only_together_names_both(tmp_path: Path) -> None:
    flag = FlagValue("--language", ("languages",), ["mine"])
    message = failure(tmp_path, "models: {mine: {config: a.yaml}}", flag)
    assert "server.yaml with --language: models.mine" in message


def test_relative_paths_of_flags_stay_relative_to_the_working_directory(tmp_path: Path) -> None:
    settings = load(tmp_path, "", FlagValue("--cache-dir", ("cache_dir",), "cache"))
    assert settings.cache_dir == Path("cache")


# Which models


def test_english_is_spoken_unless_something_else_was_chosen(tmp_path: Path) -> None:
    assert Settings().catalogue_models == ("english",)
    assert load(tmp_path, "models: {mine: {config: a.yaml}}").catalogue_models == ()
