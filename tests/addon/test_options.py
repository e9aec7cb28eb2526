"""The add-on's options: the schema Home Assistant shows, the translations, and the settings that they become, walked both ways."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from pathlib import Path, PurePosixPath
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
import yaml

from wyoming_pocket_tts import addon_options, machine, run_mark
from wyoming_pocket_tts.addon_options import AddonOptions, Reading
from wyoming_pocket_tts.models.catalogue import Catalogue
from wyoming_pocket_tts.settings import Settings
from wyoming_pocket_tts.settings_file import FlagValue
from wyoming_pocket_tts.sound.options import FASTEST, LOUDEST_DB, QUIETEST_DB, SLOWEST

ADDON = Path(__file__).parents[2] / "addon"
CONFIG: dict[str, Any] = yaml.safe_load((ADDON / "config.yaml").read_text(encoding="utf-8"))
SCHEMA: dict[str, Any] = CONFIG["schema"]
FIELDS = {field.name: field for field in dataclasses.fields(AddonOptions)}
TRANSLATIONS = sorted((ADDON / "translations").glob("*.yaml"))
TOKEN = "hf_" + "a1B2c3D4" * 4


@pytest.fixture(autouse=True)
def _plenty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that lacks nothing, whatever this one has."""
    monkeypatch.setattr(addon_options, "total_memory_mib", lambda: 8_000)
    monkeypatch.setattr(addon_options, "available_memory_mib", lambda: 8_000)
    monkeypatch.setattr(addon_options, "_NEEDED_DISK_MIB", 0)


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Path, ...]:
    return tuple(tmp_path / name for name in ("data", "config", "share"))


def read(tmp_path: Path, kept: tuple[Path, ...], *flags: FlagValue, **options: Any) -> Reading:
    """Reads options as the Supervisor writes them: all defaults of config.yaml, with folders that exist here."""
    values = {**CONFIG["options"], **options}
    for name in ("voices_dir", "cache_dir", "settings_file"):
        if isinstance(values.get(name), str):
            values[name] = re.sub(r"^/(data|config|share)\b", rf"{tmp_path}/\1", values[name])
    path = tmp_path / "options.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    return addon_options.read(path, flags, kept)


# Schema, defaults, translations and fields are one list


def test_schema_and_fields_name_the_same_options() -> None:
    assert list(SCHEMA) == list(FIELDS)


def test_an_option_has_a_default_unless_it_is_optional() -> None:
    optional = {name for name, kind in SCHEMA.items() if str(kind).endswith("?")}
    assert set(CONFIG["options"]) == set(SCHEMA) - optional


def test_the_defaults_of_the_config_are_those_of_the_fields() -> None:
    for name, field in FIELDS.items():
        shown = CONFIG["options"].get(name, "")
        shown = tuple(shown) if isinstance(shown, list) else shown
        assert shown == field.default, name


def test_lists_and_bounds_of_the_schema_are_those_of_the_fields() -> None:
    hints = get_type_hints(AddonOptions)
    for name, kind in SCHEMA.items():
        hint = hints[name]
        if isinstance(kind, list):
            (kind,) = kind
            hint = get_args(hint)[0]
        listed = re.fullmatch(r"list\((.+)\)", kind)
        if get_origin(hint) is Literal:
            assert listed, name
            assert tuple(listed[1].split("|")) == get_args(hint), name
        else:
            allowed = {"str", "password"} if hint is str else {hint.__name__}
            assert re.sub(r"\(.*|\?$", "", kind) in allowed, name
    assert SCHEMA["speech_rate"] == f"float({SLOWEST:g},{FASTEST:g})"
    assert SCHEMA["volume_db"] == f"float({QUIETEST_DB:g},{LOUDEST_DB:g})"


def test_the_languages_are_those_of_the_catalogue() -> None:
    (kind,) = SCHEMA["languages"]
    assert set(kind.removeprefix("list(").rstrip(")").split("|")) == set(Catalogue.load().languages)


def test_there_is_a_translation_for_each_language_of_the_models() -> None:
    codes = set(Catalogue.load().languages.values())
    assert {path.stem for path in TRANSLATIONS} == {getattr(code, "code", code) for code in codes}


@pytest.mark.parametrize("path", TRANSLATIONS, ids=lambda path: path.stem)
def test_each_option_and_port_is_translated(path: Path) -> None:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(content) == {"configuration", "network"}
    assert list(content["configuration"]) == list(SCHEMA)
    for name, texts in content["configuration"].items():
        assert set(texts) == {"name", "description"}, name
        assert 2 < len(texts["name"]) < 50, name
        assert texts["description"].endswith("."), name
    assert set(content["network"]) == set(CONFIG["ports"])


def test_translations_are_not_copies() -> None:
    english = yaml.safe_load((ADDON / "translations" / "en.yaml").read_text(encoding="utf-8"))
    for path in TRANSLATIONS:
        if path.stem != "en":
            other = yaml.safe_load(path.read_text(encoding="utf-8"))
            for name, texts in english["configuration"].items():
                assert other["configuration"][name]["description"] != texts["description"], name


def test_each_option_is_explained_in_the_documentation() -> None:
    docs = (ADDON / "DOCS.md").read_text(encoding="utf-8")
    for name in SCHEMA:
        assert f"`{name}`" in docs, name


# Each option reaches the server


def changed(settings: Settings, others: Settings) -> dict[str, Any]:
    """Dotted key -> value of what differs."""
    found: dict[str, Any] = {}

    def walk(one: Any, other: Any, path: str) -> None:
        for field in dataclasses.fields(one):
            value, was = getattr(one, field.name), getattr(other, field.name)
            if dataclasses.is_dataclass(value) and type(value) is type(was):
                walk(value, was, f"{path}{field.name}.")
            elif value != was:
                found[f"{path}{field.name}"] = value

    walk(settings, others, "")
    return found


REACHES: dict[str, tuple[Any, dict[str, Any]]] = {
    "languages": (["german", "english"], {"languages": ("german", "english")}),
    "voice": ("alba", {"default_voice": "alba"}),
    "quality": ("full", {"engine.quantize": False}),
    "memory_mib": (900, {"limits.model_memory_mib": 900}),
    "speech_rate": (1.25, {"sound.speed": 1.25}),
    "volume_db": (-6, {"sound.volume_db": -6.0}),
    "log_level": ("debug", {"logging.level": "debug"}),
}


@pytest.mark.parametrize("name", REACHES)
def test_an_option_reaches_its_setting_and_no_other(
    tmp_path: Path, kept: tuple[Path, ...], name: str
) -> None:
    value, wanted = REACHES[name]
    usual = read(tmp_path, kept)
    chosen = read(tmp_path, kept, **{name: value})
    assert changed(chosen.settings, usual.settings) == wanted
    assert chosen.problems == ()


def test_folders_reach_the_server_and_are_made(tmp_path: Path, kept: tuple[Path, ...]) -> None:
    reading = read(tmp_path, kept, voices_dir="/share/voices", cache_dir="/share/cache")
    assert reading.settings.voices_dir == tmp_path / "share" / "voices"
    assert reading.settings.cache_dir == tmp_path / "share" / "cache"
    assert reading.settings.voices_dir.is_dir()
    assert reading.problems == ()


def test_the_small_quality_is_a_small_model_and_less_at_a_time(
    tmp_path: Path, kept: tuple[Path, ...]
) -> None:
    settings = read(tmp_path, kept, quality="small", languages=["english", "french"]).settings
    assert settings.languages == ("english_18m_2026-10", "french")
    assert settings.engine.slots == 2
    assert settings.engine.quantize
    assert set(settings.languages) <= set(Catalogue.load().model_names)


def test_the_settings_file_wins_over_the_options(tmp_path: Path, kept: tuple[Path, ...]) -> None:
    extra = tmp_path / "config" / "extra.yaml"
    extra.parent.mkdir()
    extra.write_text("voices: {alba: {aliases: [kitchen]}}\nsound: {speed: 1.5}\n")
    reading = read(tmp_path, kept, settings_file="/config/extra.yaml", speech_rate=0.8, volume_db=3)
    assert reading.problems == ()
    assert reading.settings.sound.speed == 1.5
    assert reading.settings.sound.volume_db == 3
    assert reading.settings.voices["alba"].aliases == ("kitchen",)


def test_the_token_reaches_the_hub_and_no_setting(tmp_path: Path, kept: tuple[Path, ...]) -> None:
    reading = read(tmp_path, kept, huggingface_token=f" {TOKEN} ")
    assert reading.token == TOKEN
    assert TOKEN not in repr(reading.settings)
    assert TOKEN not in " ".join(reading.problems)


def test_nothing_is_left_out_of_these_tests() -> None:
    elsewhere = {"voices_dir", "cache_dir", "huggingface_token", "settings_file"}
    assert set(REACHES) | elsewhere == set(SCHEMA)


def test_what_the_add_on_fixes(tmp_path: Path, kept: tuple[Path, ...]) -> None:
    extra = tmp_path / "config" / "extra.yaml"
    extra.parent.mkdir()
    extra.write_text("zeroconf: {enabled: true}\nhttp: {host: localhost, port: 1, only_from: []}\n")
    settings = read(tmp_path, kept, settings_file="/config/extra.yaml").settings
    assert not settings.zeroconf.enabled
    assert settings.http.host == "0.0.0.0"
    assert settings.http.port == CONFIG.get("ingress_port", 8099)
    assert settings.http.only_from == ("172.30.32.2",)
    assert settings.uri == "tcp://:10200"
    assert f"{addon_options.WYOMING_PORT}/tcp" in CONFIG["ports"]
    assert settings.load == "background"


def test_flags_win(tmp_path: Path, kept: tuple[Path, ...]) -> None:
    flag = FlagValue("--uri", ("uri",), "tcp://127.0.0.1:0")
    assert read(tmp_path, kept, flag).settings.uri == "tcp://127.0.0.1:0"


# What is wrong is named, and the rest goes on


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"quality": "best"}, "Option quality: must be one of auto, small, full"),
        ({"languages": ["klingon"]}, "Option languages[0]: must be one of english"),
        ({"languages": "english"}, "Option languages: must be a list"),
        ({"speech_rate": "fast"}, "Option speech_rate: must be a number"),
        ({"speech_rate": 9}, "Option speech_rate: sound: speed must be between 0.5 and 2"),
        ({"volume_db": True}, "Option volume_db: must be a number"),
        ({"memory_mib": -1}, "Option memory_mib must be between"),
        ({"log_level": "verbose"}, "Option log_level: must be one of debug"),
        ({"voise": "alba"}, "Option voise: is not a known key. Did you mean 'voice'"),
        ({"settings_file": "/config/none.yaml"}, "Option settings_file: "),
    ],
)
def test_a_wrong_option_is_named_and_left_out(
    tmp_path: Path, kept: tuple[Path, ...], options: dict[str, Any], said: str
) -> None:
    usual = read(tmp_path, kept).settings
    reading = read(tmp_path, kept, **options)
    (problem,) = reading.problems
    assert said in problem, problem
    assert "Configuration tab" in problem
    assert reading.settings == usual


def test_the_other_options_stand(tmp_path: Path, kept: tuple[Path, ...]) -> None:
    reading = read(tmp_path, kept, quality="best", voice="alba", languages=["french"])
    assert len(reading.problems) == 1
    assert reading.settings.default_voice == "alba"
    assert reading.settings.languages == ("french",)


def test_a_wrong_token_is_not_shown(tmp_path: Path, kept: tuple[Path, ...]) -> None:
    reading = read(tmp_path, kept, huggingface_token=[TOKEN])
    assert len(reading.problems) == 1
    assert "huggingface_token" in reading.problems[0]
    assert TOKEN not in reading.problems[0]


@pytest.mark.parametrize("content", [None, "{", "[]", "", "\xff\xfe"])
def test_options_that_cannot_be_read_are_the_defaults(
    tmp_path: Path, kept: tuple[Path, ...], content: str | None
) -> None:
    path = tmp_path / "options.json"
    if content is not None:
        path.write_bytes(content.encode("latin-1"))
    problems: list[str] = []
    assert addon_options.read_options(path, problems.append) == AddonOptions()
    assert "defaults" in problems[0]


def test_a_broken_settings_file_is_named_with_its_line(
    tmp_path: Path, kept: tuple[Path, ...]
) -> None:
    extra = tmp_path / "config" / "extra.yaml"
    extra.parent.mkdir()
    extra.write_text("sound:\n  speed: 1\n  pitch: 2\n")
    reading = read(tmp_path, kept, settings_file="/config/extra.yaml", voice="alba")
    assert "extra.yaml: sound.pitch: is not a known key" in reading.problems[0]
    assert reading.settings.default_voice == "alba"


@pytest.mark.parametrize("name", ["voices_dir", "cache_dir"])
def test_a_folder_that_would_be_lost_is_refused(
    tmp_path: Path, kept: tuple[Path, ...], name: str
) -> None:
    reading = read(tmp_path, kept, **{name: "/home/me/voices"})
    assert f"Option {name}: /home/me/voices is lost at each update" in reading.problems[0]
    assert reading.settings.cache_dir == tmp_path / "data" / "cache"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, kept: tuple[Path, ...]) -> None:
    (tmp_path / "share").write_text("a file")
    reading = read(tmp_path, kept, voices_dir="/share/voices")
    assert "share/voices cannot be made: Not a directory" in reading.problems[0]
    assert reading.settings.voices_dir is None


def test_a_folder_that_cannot_be_read_is_named(
    tmp_path: Path, kept: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    # For root everything can be read, and tests may run as root.
    monkeypatch.setattr(os, "access", lambda path, mode: "voices" not in str(path))
    reading = read(tmp_path, kept)
    assert "cannot be read; look at its permissions" in reading.problems[0]
    assert reading.settings.voices_dir is None


def test_the_settings_without_the_file_are_kept_ready(
    tmp_path: Path, kept: tuple[Path, ...]
) -> None:
    extra = tmp_path / "config" / "extra.yaml"
    extra.parent.mkdir()
    extra.write_text("sound: {speed: 1.5}\n")
    reading = read(tmp_path, kept, settings_file="/config/extra.yaml", volume_db=3)
    assert reading.without_file is not None
    assert changed(reading.settings, reading.without_file) == {"sound.speed": 1.5}
    assert read(tmp_path, kept).without_file is None


# What the machine lacks


def test_too_little_memory_is_told_with_what_to_do(
    tmp_path: Path, kept: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addon_options, "available_memory_mib", lambda: 300)
    (problem,) = read(tmp_path, kept).problems
    assert "300 MiB" in problem
    assert "'small'" in problem


def test_after_an_end_for_want_of_memory_nothing_is_loaded_at_the_start(
    tmp_path: Path, kept: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would be ended again and again, and could not say why."""
    path = tmp_path / "options.json"
    path.write_text("{}")
    monkeypatch.setattr(addon_options, "available_memory_mib", lambda: 300)
    assert addon_options.read(path, (), kept).settings.load == "background"
    reading = addon_options.read(path, (), kept, ended_badly=True)
    assert reading.settings.load == "first-use"
    assert "The run before was ended by the system" in reading.problems[-1]
    assert "'small'" in reading.problems[-1]
    # With enough memory it was something else.
    monkeypatch.setattr(addon_options, "available_memory_mib", lambda: 8_000)
    assert addon_options.read(path, (), kept, ended_badly=True).settings.load == "background"


def test_a_run_leaves_its_mark_until_it_has_ended_in_order(tmp_path: Path) -> None:
    assert not run_mark.ended_badly(tmp_path)
    with run_mark.marked(tmp_path):
        assert run_mark.ended_badly(tmp_path)
    assert not run_mark.ended_badly(tmp_path)
    with run_mark.marked(tmp_path / "nowhere"):
        pass


def test_a_full_disk_is_told_before_the_download(
    tmp_path: Path, kept: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addon_options, "_NEEDED_DISK_MIB", 10**9)
    (problem,) = read(tmp_path, kept).problems
    assert "make room" in problem
    (tmp_path / "data" / "cache" / "hub").mkdir()
    assert read(tmp_path, kept).problems == ()  # the models are there already


def test_the_memory_budget_is_half_of_the_machine_unless_chosen() -> None:
    assert addon_options.memory_budget_mib(0) == 4_000
    assert addon_options.memory_budget_mib(600) == 600


def test_memory_is_known_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    total, free = machine.total_memory_mib(), machine.available_memory_mib()
    assert total is not None
    assert free is not None
    assert free > 0
    assert total > 0


# The manifest


def test_the_manifest_holds_what_the_supervisor_wants() -> None:
    assert CONFIG["arch"] == ["amd64", "aarch64"]
    assert CONFIG["discovery"] == ["wyoming"]
    assert CONFIG["ingress"] is True
    assert CONFIG.get("ingress_port", 8099) == addon_options.INGRESS_PORT
    assert "{arch}" not in CONFIG["image"]
    assert {entry["type"] for entry in CONFIG["map"]} == {"share", "addon_config"}
    profile = (ADDON / "apparmor.txt").read_text(encoding="utf-8")
    assert f"profile {CONFIG['slug']} " in profile
    repository = yaml.safe_load((ADDON.parent / "repository.yaml").read_text(encoding="utf-8"))
    assert set(repository) == {"name", "url", "maintainer"}


@pytest.mark.parametrize("cache", ["cache", "models"])
def test_backups_leave_out_what_can_be_had_again_and_nothing_else(cache: str) -> None:
    """The Supervisor matches each file and folder by the end of its path, and leaves out a folder with all that is in it."""

    def left_out(name: str) -> bool:
        path = PurePosixPath("/data") / name
        patterns = CONFIG["backup_exclude"]
        return any(one.match(pattern) for one in (path, *path.parents) for pattern in patterns)

    for name in (
        "hub/models--kyutai--pocket-tts/blobs/0a1b",
        "xet/https___cas/chunk-cache/0a",
        "wyoming-pocket-tts/https/0a/model.safetensors",
        "wyoming-pocket-tts/int8/0a.safetensors",
    ):
        assert left_out(f"{cache}/{name}"), name
    for name in (
        "options.json",
        f"{cache}/wyoming-pocket-tts/voices/0a.safetensors",
        f"{cache}/wyoming-pocket-tts/my-voices/anna.wav",
        "voices/hub.wav",
    ):
        assert not left_out(name), name


def test_types_of_the_schema_are_those_that_the_supervisor_knows() -> None:
    """One that it does not know makes the add-on vanish from the store, without a word."""
    known = re.compile(
        r"(bool|email|url|port|str|password|(int|float)(\(-?[\d.]*,-?[\d.]*\))?|list\(.+\)|match\(.+\))\??"
    )
    for name, kind in SCHEMA.items():
        for element in kind if isinstance(kind, list) else [kind]:
            assert known.fullmatch(element), f"{name}: {element}"
    assert None not in CONFIG.values()
    # The add-on linter complains of what is the default anyway.
    assert not {"boot", "init", "ingress_port"} & set(CONFIG)


def test_pictures_are_of_the_size_that_is_shown() -> None:
    for name, width, height in (("icon.png", 128, 128), ("logo.png", 250, 100)):
        data = (ADDON / name).read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        assert (int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")) == (
            width,
            height,
        )
