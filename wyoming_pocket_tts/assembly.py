"""From settings to what speaks: which models there may be, which voice each of them speaks, and the synthesizer over both.

It decides, from names and files, and loads nothing: that is `models.host`'s. Community models' configuration files are fetched here, since
without them nothing is known of a model; so this blocks, and is called in a thread.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from wyoming_pocket_tts.errors import ConfigError, DownloadError, VoiceNotFound, nearest
from wyoming_pocket_tts.models.book import Voice, VoiceBook
from wyoming_pocket_tts.models.catalogue import Catalogue, CatalogueModel, CatalogueVoice
from wyoming_pocket_tts.models.config_file import load_model_config
from wyoming_pocket_tts.models.identities import Identities
from wyoming_pocket_tts.models.loading import ModelEntry
from wyoming_pocket_tts.models.offer import Offer
from wyoming_pocket_tts.settings import Settings, VoiceSettings, is_file_source


class Assembly:
    """What the settings name.

    Attributes:
        entries: the models, in the order of the settings.
        book: the voices and the rules for choosing one, without those of the voices directory.
    """

    def __init__(
        self,
        settings: Settings,
        catalogue: Catalogue,
        fetch: Callable[[str], Path],
        speakable: Callable[[Voice, ModelEntry], bool] = lambda voice, entry: True,
        identities: Identities | None = None,
        *,
        voiceless: bool = False,
    ) -> None:
        """
        Args:
            settings: what the owner chose.
            catalogue: the released models and voices.
            fetch: gives the local file of a source; blocking.
            speakable: whether what a voice needs is here or can be fetched.
            identities: which weights finished voices were made with; None: nothing is known of that.
            voiceless: models without any voice will do.

        Raises:
            ConfigError: a name that means nothing, or a voice for a model that cannot speak it.
            DownloadError: a community model's configuration is not to be had.
        """
        self._settings = settings
        self._catalogue = catalogue
        self._identities = identities
        self._voiceless = voiceless
        # Models by the name the owner wrote ("en", "english"): a voice may refer to either.
        self._released = {
            name: released_model(catalogue, name) for name in settings.catalogue_models
        }
        self._community = {
            name: ModelEntry(
                name=name,
                config=load_model_config(_fetched(f"models.{name}.config", model.config, fetch)),
                language=model.languages[0] if model.languages else "",
                at_start=(model.load or settings.load) != "first-use",
            )
            for name, model in settings.models.items()
        }
        at_start = settings.load != "first-use"
        released = {model.name: _entry(model, at_start) for model in self._released.values()}
        self.entries = (*released.values(), *self._community.values())
        _refuse_twins(self.entries)
        self._offer = Offer(
            catalogue, tuple({model.name: model for model in self._released.values()}.values())
        )
        self._speakable = speakable
        self._fixed = self._voices()
        self._names = {
            name.casefold() for voice in self._fixed for name in (voice.name, *voice.aliases)
        }
        self.book = self.make_book()

    def make_book(self, found: Sequence[Voice] = (), unusable: Collection[str] = ()) -> VoiceBook:
        """The book of all voices.

        Args:
            found: those of the voices directory, which stand after the settings' and before the catalogue's.
            unusable: names of voices that could not be had when they were last wanted.

        Raises:
            ConfigError: a default that is no voice (unless there is a voices directory, where it may still appear, or models are not
                loaded before the server answers: then it answers whatever is wrong).
        """
        mine = len(self._settings.voices)
        voices = self._marked([*self._fixed[:mine], *found, *self._fixed[mine:]])
        lasting = self._settings.load != "start"
        return VoiceBook(
            voices,
            self._settings.default_voice or self._own_default(voices),
            self._default_voices(voices),
            growing=self._settings.voices_dir is not None
            or lasting
            or (self._voiceless and not voices),
            stand_in=self._own_default(voices, unusable) if lasting else None,
            unusable=unusable,
        )

    @property
    def own_voices(self) -> tuple[Voice, ...]:
        """Those of the settings."""
        return tuple(self._fixed[: len(self._settings.voices)])

    def is_taken(self, name: str) -> bool:
        """Whether a voice of the settings or of the catalogue answers to a name."""
        return name.casefold() in self._names

    def place(self, where: str, model: str | None, language: str | None) -> ModelEntry:
        """The model for a voice of one's own: that of the name, else that of the language, else the first one.

        Args:
            where: what to name in errors.
            model: as the owner wrote it, or None.
            language: a code, or None.

        Raises:
            ConfigError: there is no such model here.
        """
        if model is not None:
            return self._model(where, model)
        if language is None:
            return self.entries[0]
        base = language.replace("_", "-").split("-")[0]
        for entry in self.entries:
            if base in {code.replace("_", "-").split("-")[0] for code in self.languages(entry)}:
                return entry
        known = ", ".join(code for entry in self.entries for code in self.languages(entry))
        raise ConfigError(f"{where}: no model here speaks {language!r}. Languages: {known}.")

    def fitting(self, source: str) -> ModelEntry | None:
        """The model whose weights a finished voice was made with; None where that is not known, or is not here."""
        return self._identities.fitting(source, self.entries) if self._identities else None

    def _marked(self, voices: Sequence[Voice]) -> list[Voice]:
        """The voices, each with whether it can be spoken."""
        entries = {entry.name: entry for entry in self.entries}
        return [
            dataclasses.replace(voice, installed=self._speakable(voice, entries[voice.model]))
            for voice in voices
        ]

    def _voices(self) -> list[Voice]:
        """The owner's voices first, then the catalogue's."""
        mine = [self._configured(name, voice) for name, voice in self._settings.voices.items()]
        known = {voice.name: self._catalogue_name(voice.name) for voice in mine}
        plain = {voice.name: voice.model for voice in mine if known[voice.name] == voice.name}
        offered = [
            voice
            for voice in self._offer.voices(plain)
            # A voice of the owner's that has a catalogue voice's name stands for it, with all models.
            if voice.name not in known
            and not any(voice.name.startswith(f"{name}-") for name in known if known[name] != name)
        ]
        others = {voice.name.casefold() for voice in offered}
        for name, wanted in self._settings.voices.items():
            for alias in wanted.aliases:
                if alias.casefold() in others:
                    raise ConfigError(f"voices.{name}.aliases: {alias!r} is another voice already.")
        return mine + offered

    def _catalogue_name(self, name: str) -> str | None:
        """The catalogue voice that a voice of the settings is, None for one of the owner's own."""
        source = self._settings.voices[name].source or name
        return None if is_file_source(source) else source

    def _configured(self, name: str, wanted: VoiceSettings) -> Voice:
        """A voice of the settings: a catalogue voice under its own or another name, or a voice state file."""
        where = f"voices.{name}"
        source = wanted.source or name
        if is_file_source(source):
            if wanted.model:
                entry = self._model(where, wanted.model)
            else:
                entry = self.fitting(source) or self.entries[0]
            return Voice(
                name=name,
                model=entry.name,
                source=source,
                languages=wanted.languages or self.languages(entry),
                description=wanted.description or name,
                aliases=wanted.aliases,
                speakers=wanted.speakers,
                sound=wanted.sound,
            )
        try:
            known = self._catalogue.voice(source)
        except VoiceNotFound as error:
            hint = "" if wanted.source else " A voice of your own needs a source."
            raise ConfigError(f"{where}.source: {error}{hint}") from error
        model = self._released_model(where, known, wanted.model)
        voice = self._offer.voice(known, model)
        return Voice(
            name=name,
            model=voice.model,
            source=voice.source,
            languages=wanted.languages or voice.languages,
            native=voice.native,
            description=wanted.description or voice.description,
            aliases=(*wanted.aliases, *(self._offer.names(known, model) if name == source else ())),
            speakers=wanted.speakers,
            sound=wanted.sound,
            attribution_name=voice.attribution_name,
            attribution_url=voice.attribution_url,
        )

    def _released_model(
        self, where: str, voice: CatalogueVoice, name: str | None
    ) -> CatalogueModel:
        if name is None:
            native = self._offer.native_model(voice)
            if native is not None:
                return native
            raise ConfigError(
                f"{where}: {voice.name!r} is a voice of the catalogue, and no model that speaks it is loaded; add one to languages."
            )
        entry = self._model(f"{where}", name)
        for model in self._released.values():
            if model.name == entry.name and voice in self._catalogue.voices_of(model):
                return model
        raise ConfigError(
            f"{where}.model: the catalogue's voice {voice.name!r} does not fit model {name!r}: a voice state "
            "belongs to the weights it was made with. Give the path of a voice state made for this model."
        )

    def _model(self, where: str, name: str) -> ModelEntry:
        """The entry for a name as the owner wrote it."""
        if name in self._released:
            name = self._released[name].name
        for entry in self.entries:
            if entry.name == name:
                return entry
        known = [entry.name for entry in self.entries]
        hint = nearest(name, known) or f" Loaded: {', '.join(known)}."
        raise ConfigError(f"{where}.model: there is no model {name!r} here.{hint}")

    def languages(self, entry: ModelEntry) -> tuple[str, ...]:
        """Where a voice is listed that says nothing about it; Home Assistant drops a voice without a language."""
        chosen = self._settings.models.get(entry.name)
        if chosen is not None and chosen.languages:
            return chosen.languages
        return (entry.language or "en",)

    def _own_default(self, voices: list[Voice], unusable: Collection[str] = ()) -> str | None:
        """The default voice where the owner has chosen none, or where the chosen one cannot speak."""
        if self._released:
            first = next(iter(self._released.values()))
            name = self._catalogue.default_voice(first).name
            return self._offered(voices, name) if name not in unusable else None
        # Not the first one of all: a file that is dropped into the voices directory must not change it.
        return next((voice.name for voice in self._fixed if voice.name not in unusable), None)

    def _default_voices(self, voices: list[Voice]) -> dict[str, str]:
        """The native voice for each language; the owner's default voice stays it for its own languages."""
        defaults: dict[str, str] = {}
        chosen = self._settings.default_voice
        mine = next((voice for voice in voices if voice.name == chosen), None)
        for model in self._released.values():
            native = self._offered(voices, self._catalogue.default_voice(model).name)
            if native and not (mine and model.language_code in mine.languages):
                defaults.setdefault(model.language_code, native)
        return {**defaults, **self._settings.default_voices}

    @staticmethod
    def _offered(voices: list[Voice], name: str) -> str | None:
        return name if any(voice.name == name for voice in voices) else None


def released_model(catalogue: Catalogue, name: str) -> CatalogueModel:
    """A model by its catalogue name, or by its language's name or code."""
    try:
        return catalogue.find(name)
    except ConfigError:
        known = (*catalogue.model_names, *catalogue.languages.values())
        hint = nearest(name, known) or f" Known: {', '.join(catalogue.model_names)}."
        raise ConfigError(
            f"languages: {name!r} is neither a model of the catalogue nor a language.{hint}"
        ) from None


def _fetched(key: str, source: str, fetch: Callable[[str], Path]) -> Path:
    """The local file of a setting's source; an error names the setting."""
    try:
        return fetch(source)
    except (ConfigError, DownloadError) as error:
        raise error.at(key) from error


def _entry(model: CatalogueModel, at_start: bool) -> ModelEntry:
    return ModelEntry(
        name=model.name,
        config=model.loading_config(),
        language=model.language_code,
        at_start=at_start,
    )


def _refuse_twins(entries: tuple[ModelEntry, ...]) -> None:
    names: set[str] = set()
    for entry in entries:
        if entry.name in names:
            raise ConfigError(f"models.{entry.name}: another model has this name; choose another.")
        names.add(entry.name)
