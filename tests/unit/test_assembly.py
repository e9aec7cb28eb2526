"""From settings to models and voices: who speaks what, and what is refused with which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from wyoming_pocket_tts.assembly import Assembly
from wyoming_pocket_tts.errors import ConfigError, VoiceNotFound
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.catalogue import Catalogue
from wyoming_pocket_tts.settings import ModelSettings, Settings, VoiceSettings
from wyoming_pocket_tts.sound.options import SoundChoice

CATALOGUE = Catalogue.load()
MODEL_YAML = "model.yaml"


@pytest.fixture
def community(tmp_path: Path) -> ModelSettings:
    """A community model's YAML: the English configuration under another name."""
    import dataclasses

    import yaml

    config = dataclasses.asdict(CATALOGUE.model("english").config)
    values = {key: value for key, value in config.items() if value is not None}
    path = tmp_path / MODEL_YAML
    path.write_text(yaml.safe_dump(_plain(values)))
    return ModelSettings(config=str(path), languages=("nl", "af"), load="first-use")


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def assemble(settings: Settings) -> Assembly:
    return Assembly(settings, CATALOGUE, Path)


def refusal(settings: Settings) -> str:
    with pytest.raises(ConfigError) as caught:
        assemble(settings)
    return str(caught.value)


def test_the_defaults_are_english_with_all_voices_of_the_catalogue() -> None:
    made = assemble(Settings())
    assert [entry.name for entry in made.entries] == ["english"]
    assert [voice.name for voice in made.book.voices] == [v.name for v in CATALOGUE.voices]
    assert made.book.default.name == "alba"
    assert made.book.languages == ("en",)
    assert made.book.default.native
    estelle = made.book.find("estelle")
    assert (estelle.native, estelle.languages) == (False, ("en",))
    assert "speaks English here" in estelle.description


def test_a_voice_speaks_its_own_language_where_that_model_is_loaded() -> None:
    book = assemble(Settings(languages=("english", "fr"))).book
    assert book.find("estelle").model == CATALOGUE.model_for_language("fr").name
    assert book.find("estelle").native
    assert book.find("alba").model == "english"
    assert book.find("giovanni").model == "english"
    assert book.choose(None, "fr", None).name == "estelle"
    assert book.choose(None, "en", None).name == "alba"
    assert book.choose(None, None, None).name == "alba"


def test_a_model_named_twice_is_loaded_once() -> None:
    made = assemble(Settings(languages=("english", "en")))
    assert [entry.name for entry in made.entries] == ["english"]


def test_the_chosen_default_voice_stays_it_for_its_language() -> None:
    book = assemble(Settings(languages=("english", "french"), default_voice="anna")).book
    assert book.choose(None, "en", None).name == "anna"
    assert book.choose(None, "fr", None).name == "estelle"


def test_the_settings_say_which_voice_speaks_a_language() -> None:
    book = assemble(Settings(default_voices={"en": "marius"})).book
    assert book.choose(None, "en", None).name == "marius"
    assert book.default.name == "alba"


def test_a_voice_of_ones_own_and_more_about_one_of_the_catalogue() -> None:
    settings = Settings(
        voices={
            "Grandma": VoiceSettings(
                source="/voices/g.safetensors", description="Grandma reads", aliases=("oma",)
            ),
            "kitchen": VoiceSettings(source="alba"),
            "marius": VoiceSettings(aliases=("door",), description="At the door"),
            "family": VoiceSettings(source="anna", speakers={"granny": "Grandma"}),
        }
    )
    book = assemble(settings).book
    names = [voice.name for voice in book.voices]
    assert names[:4] == ["Grandma", "kitchen", "marius", "family"]
    assert len(names) == len(set(names)) == len(CATALOGUE.voices) + 3
    grandma = book.find("OMA")
    assert (grandma.name, grandma.model, grandma.languages) == ("Grandma", "english", ("en",))
    assert book.find("kitchen").source == book.find("alba").source
    assert book.find("door").description == "At the door"
    assert book.choose("family", None, "granny").name == "Grandma"


def test_a_voice_of_the_settings_has_its_own_sound() -> None:
    voices = {
        "marius": VoiceSettings(speed=0.9, lead_silence_ms=200),
        "mine": VoiceSettings(source="/voices/mine.safetensors", volume_db=-3.0),
    }
    book = assemble(Settings(voices=voices)).book
    assert book.find("marius").sound == SoundChoice(speed=0.9, lead_silence_ms=200)
    assert book.find("mine").sound == SoundChoice(volume_db=-3.0)
    assert book.find("alba").sound == SoundChoice()


def test_a_community_model_speaks_its_own_voices(community: ModelSettings) -> None:
    settings = Settings(
        models={"mine": community},
        voices={"piet": VoiceSettings(source="/voices/piet.safetensors")},
    )
    made = assemble(settings)
    assert [(entry.name, entry.at_start) for entry in made.entries] == [("mine", False)]
    assert [voice.name for voice in made.book.voices] == ["piet"]
    assert made.book.find("piet").languages == ("nl", "af")


def test_the_starter_has_voices_of_its_own_and_no_others() -> None:
    alone = assemble(Settings(languages=("starter",))).book
    assert [voice.name for voice in alone.voices] == ["slt", "rms", "awb"]
    assert alone.default.name == alone.choose(None, "en", None).name == "slt"
    assert alone.find("rms-starter") == alone.find("rms-en") == alone.find("rms")
    both = assemble(Settings(languages=("english", "starter", "french"))).book
    assert both.default.name == both.choose(None, "en-GB", None).name == "alba"
    assert both.find("slt").model == "starter"
    assert {voice.model for voice in both.voices if voice.name.startswith("alba")} == {
        "english",
        "french",
    }
    # Whatever the order, English voices are for the model that speaks them.
    other = assemble(Settings(languages=("starter", "english"))).book
    assert other.default.name == "slt"
    assert other.find("alba").model == other.find("estelle").model == "english"


def test_a_voice_of_the_starter_may_be_renamed() -> None:
    voices = {"home": VoiceSettings(source="awb"), "slt": VoiceSettings(aliases=("lady",))}
    book = assemble(Settings(languages=("starter", "english"), voices=voices)).book
    assert book.find("home").source == book.find("awb").source
    assert book.find("lady").model == "starter"
    for languages, wanted in (
        (("english",), VoiceSettings(source="slt")),
        (("english", "starter"), VoiceSettings(source="slt", model="english")),
        (("english", "starter"), VoiceSettings(source="alba", model="starter")),
        (("starter",), VoiceSettings(source="alba")),
    ):
        refusal(Settings(languages=languages, voices={"home": wanted}))


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        (Settings(languages=("englsh",)), ["languages: 'englsh'", "'english'"]),
        (Settings(default_voice="albo"), ["default_voice", "'alba'"]),
        (Settings(default_voices={"en": "nobody"}), ["default_voices.en", "'nobody'"]),
        (
            Settings(voices={"anne": VoiceSettings()}),
            ["voices.anne.source", "'anna'", "needs a source"],
        ),
        (
            Settings(voices={"x": VoiceSettings(source="/x.safetensors", model="englisch")}),
            ["voices.x.model", "'english'"],
        ),
    ],
)
def test_a_name_that_means_nothing_is_refused_with_the_nearest(
    settings: Settings, parts: list[str]
) -> None:
    message = refusal(settings)
    for part in parts:
        assert part in message


def test_catalogue_voices_are_refused_for_a_community_model(community: ModelSettings) -> None:
    settings = Settings(
        models={"mine": community},
        languages=("english",),
        voices={"x": VoiceSettings(source="alba", model="mine")},
    )
    refused = "voices.x.model: the catalogue's voice 'alba' does not fit model 'mine'"
    assert refused in refusal(settings)
    without = Settings(models={"mine": community}, voices={"x": VoiceSettings(source="alba")})
    assert "no model that speaks it is loaded" in refusal(without)


def test_a_model_without_a_voice_is_refused(community: ModelSettings) -> None:
    assert "There is no voice" in refusal(Settings(models={"mine": community}))


def test_two_models_of_one_name_are_refused(community: ModelSettings) -> None:
    settings = Settings(languages=("en",), models={"english": community})
    assert "models.english: another model has this name" in refusal(settings)


# Several models


def test_every_pair_of_voice_and_model_has_a_name() -> None:
    settings = Settings(languages=("english", "german", "german_24l"))
    book = assemble(settings).book
    names = [voice.name for voice in book.voices]
    count = len(CATALOGUE.voices)
    assert names[:count] == [voice.name for voice in CATALOGUE.voices]
    assert len(names) == len(set(names)) == 3 * count
    pairs = {(voice.model, voice.source) for voice in book.voices}
    assert len(pairs) == 3 * count
    # Plain: the native model, else the first.
    assert (book.find("juergen").model, book.find("juergen").native) == ("german", True)
    assert (book.find("lola").model, book.find("lola").native) == ("english", False)
    # The others by language code, or by model where the language has one already.
    assert book.find("alba-de").model == "german"
    assert book.find("alba-de").languages == ("de",)
    assert not book.find("alba-de").native
    assert "speaks German here" in book.find("alba-de").description
    assert book.find("alba-german_24l").model == "german_24l"
    assert book.find("juergen-german_24l").native
    assert book.find("juergen-en").model == "english"
    # What is not listed by that name is understood all the same.
    for alias in ("alba-en", "ALBA-english", "alba-german", "juergen-de", "juergen-german"):
        assert alias not in names
        assert book.find(alias).model == {"en": "english", "sh": "english"}.get(
            alias[-2:], "german"
        )
    # Of the pairs, only those of the second German model are native.
    assert {voice.model for voice in book.voices[count:] if voice.native} == {"german_24l"}
    assert [voice.name for voice in assemble(settings).book.voices] == names


def test_all_languages_at_once() -> None:
    book = assemble(Settings(languages=tuple(CATALOGUE.languages))).book
    assert len(book.voices) == 7 * len(CATALOGUE.voices)
    assert book.languages == tuple(dict.fromkeys(voice.languages[0] for voice in book.voices))
    for language, code in CATALOGUE.languages.items():
        native = CATALOGUE.default_voice(CATALOGUE.model_for_language(language))
        chosen = book.choose(None, code, None)
        assert chosen.name == native.name
        assert chosen.native


def test_a_voice_the_owner_moved_to_another_model_keeps_its_other_names() -> None:
    settings = Settings(
        languages=("english", "french"), voices={"alba": VoiceSettings(model="french")}
    )
    book = assemble(settings).book
    assert book.find("alba").model == "french"
    assert book.find("alba-fr") is book.find("alba")
    assert book.find("alba-en").model == "english"
    assert len(book.voices) == 2 * len(CATALOGUE.voices)


def test_a_voice_of_ones_own_hides_that_of_the_catalogue_in_all_languages() -> None:
    settings = Settings(
        languages=("english", "french"), voices={"anna": VoiceSettings(source="anna.wav")}
    )
    book = assemble(settings).book
    assert book.find("anna").source == "anna.wav"
    for name in ("anna-fr", "anna-en"):
        with pytest.raises(VoiceNotFound):
            book.find(name)


def test_an_alias_that_is_another_voice_is_refused() -> None:
    settings = Settings(voices={"g": VoiceSettings(source="g.wav", aliases=("Alba",))})
    assert "voices.g.aliases: 'Alba' is another voice already" in refusal(settings)


def test_what_cannot_be_spoken_is_marked() -> None:
    made = Assembly(
        Settings(), CATALOGUE, Path, speakable=lambda voice, _: voice.name.startswith("a")
    )
    marked = {voice.name: voice.installed for voice in made.book.voices}
    assert marked["alba"]
    assert not marked["marius"]


# The voices directory


def found(name: str, model: str = "english") -> Voice:
    return Voice(name=name, model=model, source=f"/voices/{name}.wav", languages=("en",))


def test_voices_that_were_found_stand_between_the_owners_and_the_catalogues() -> None:
    settings = Settings(
        voices={"mine": VoiceSettings(source="/m.safetensors")}, voices_dir=Path("/voices")
    )
    made = assemble(settings)
    names = [voice.name for voice in made.make_book([found("x"), found("y")]).voices]
    assert names[:4] == ["mine", "x", "y", CATALOGUE.voices[0].name]
    assert made.is_taken("MINE")
    assert made.is_taken("alba-en")
    assert not made.is_taken("x")


def test_a_default_voice_may_come_and_go_with_its_file() -> None:
    settings = Settings(default_voice="x", default_voices={"en": "y"}, voices_dir=Path("/voices"))
    made = assemble(settings)
    assert [message.split(":")[0] for message in made.book.missing] == [
        "default_voice",
        "default_voices.en",
    ]
    for name, language in ((None, None), (None, "en")):
        with pytest.raises(VoiceNotFound, match="Name another voice"):
            made.book.choose(name, language, None)
    assert made.book.choose("alba", None, None).name == "alba"
    there = made.make_book([found("x"), found("y")])
    assert not there.missing
    assert there.choose(None, None, None).name == "x"
    assert there.choose(None, "en", None).name == "y"


def test_where_a_voice_that_was_found_belongs(community: ModelSettings) -> None:
    settings = Settings(languages=("english", "fr"), models={"mine": community})
    made = assemble(settings)
    assert made.place("a.yaml", None, None).name == "english"
    assert made.place("a.yaml", None, "fr-CA").name == "french"
    assert made.place("a.yaml", None, "af").name == "mine"
    assert made.place("a.yaml", "mine", "fr").name == "mine"
    assert made.place("a.yaml", "fr", None).name == "french"
    with pytest.raises(ConfigError, match=r"a\.yaml\.model: there is no model 'frensh' here"):
        made.place("a.yaml", "frensh", None)
    with pytest.raises(
        ConfigError, match=r"a\.yaml: no model here speaks 'it'\. Languages: en, fr"
    ):
        made.place("a.yaml", None, "it")


def test_a_voice_that_was_found_does_not_become_the_default(community: ModelSettings) -> None:
    voices = {"piet": VoiceSettings(source="/voices/piet.safetensors")}
    made = assemble(Settings(models={"mine": community}, voices=voices, voices_dir=Path("/voices")))
    assert made.make_book([found("aaa", "mine")]).default.name == "piet"


def test_a_community_model_may_wait_for_its_first_voice(community: ModelSettings) -> None:
    made = assemble(Settings(models={"mine": community}, voices_dir=Path("/voices")))
    assert made.book.voices == ()
    with pytest.raises(VoiceNotFound, match="no voice here yet"):
        made.book.choose(None, None, None)
