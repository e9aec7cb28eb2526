"""Which voice a request means: names, aliases, languages, speakers, defaults.

Knows no files and no network. Names from clients are looked up here and go no further.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from wyoming_pocket_tts.errors import ConfigError, VoiceNotFound, nearest, some
from wyoming_pocket_tts.sound.options import SoundChoice

GUEST_PREFIX = "guest:"


@dataclass(frozen=True)
class Voice:
    """A voice that one model speaks.

    Attributes:
        name: what clients ask for and see.
        model: name of the model that speaks it.
        source: where its voice state (or recording) comes from: a path, https:// or hf://.
        languages: language codes it is listed under.
        native: whether the model's language is the voice's own.
        description: for people.
        aliases: further names.
        speakers: speaker name -> name of the voice used instead.
        attribution_name, attribution_url: whose voice it is, and where its licence stands.
        version: another one for a source whose content has changed.
        sound: how it is to sound, where the server's own choice does not fit it.
        installed: whether it can be spoken: its files are here, or can be fetched.
        added: whether it was added over HTTP, and may be deleted there too.
    """

    name: str
    model: str
    source: str
    languages: tuple[str, ...]
    native: bool = True
    description: str = ""
    aliases: tuple[str, ...] = ()
    speakers: Mapping[str, str] = field(default_factory=dict)
    attribution_name: str = ""
    attribution_url: str = ""
    version: str = ""
    sound: SoundChoice = field(default_factory=SoundChoice)
    installed: bool = True
    added: bool = False

    @property
    def is_guest(self) -> bool:
        """Whether it came with a request; its name is for that client alone."""
        return self.name.startswith(GUEST_PREFIX)


class VoiceBook:
    """Voices in the order in which they are shown, and the rules for choosing one."""

    def __init__(
        self,
        voices: Iterable[Voice],
        default_voice: str | None = None,
        default_voices: Mapping[str, str] | None = None,
        *,
        growing: bool = False,
        stand_in: str | None = None,
        unusable: Collection[str] = (),
    ) -> None:
        """Builds the book.

        Args:
            voices: a name may occur once; of two equal aliases the first counts.
            default_voice: name or alias; None: the first voice.
            default_voices: language code -> name or alias.
            growing: voices come and go, so that one may be missing now: requests that need it are told so.
            stand_in: name of the voice that speaks while the default voice is missing or unusable; None: nobody does.
            unusable: names of voices that could not be had when they were last wanted.

        Raises:
            ConfigError: a name twice; unless growing: no voice at all, or a default that is no voice.

        Attributes:
            voices: in their order.
            missing: what is to be said of defaults that are no voice at the moment.
            wanted: the default voice that was asked for, if it is here; `default` may be its stand-in.
        """
        self.voices = tuple(voices)
        self.missing: tuple[str, ...] = ()
        self._growing = growing
        if not self.voices and not growing:
            raise ConfigError(
                "There is no voice: load a model that has some, or add one to `voices`."
            )
        self._by_name: dict[str, Voice] = {}
        for voice in self.voices:
            if self._by_name.setdefault(voice.name.casefold(), voice) is not voice:
                raise ConfigError(f"voices.{voice.name}: two voices have this name.")
        for voice in self.voices:
            for alias in voice.aliases:
                self._by_name.setdefault(alias.casefold(), voice)
        self._default = (
            next(iter(self.voices), None)
            if default_voice is None
            else self._configured("default_voice", default_voice)
        )
        self.wanted = self._default
        if stand_in is not None and (self.wanted is None or self.wanted.name in unusable):
            self._default = self.find(stand_in)
            self._tell_of_stand_in(default_voice or "")
        self._by_language = {
            _base(code): self._configured(f"default_voices.{code}", name)
            for code, name in (default_voices or {}).items()
        }

    @property
    def default(self) -> Voice:
        """The voice of requests that choose none.

        Raises:
            VoiceNotFound: it is missing at the moment.
        """
        if self._default is None:
            reason = self.missing[0] if self.missing else "There is no voice here yet."
            raise VoiceNotFound(f"{reason} Name another voice.")
        return self._default

    @property
    def languages(self) -> tuple[str, ...]:
        """All language codes, each once, in the order of the voices."""
        return tuple(dict.fromkeys(code for voice in self.voices for code in voice.languages))

    def find(self, name: str) -> Voice:
        """The voice of that name or alias.

        Raises:
            VoiceNotFound: naming the nearest names.
        """
        found = self._by_name.get(name.casefold())
        if found is None:
            raise VoiceNotFound(f"There is no voice {name[:100]!r} here.{self._hint(name)}")
        return found

    def choose(self, name: str | None, language: str | None, speaker: str | None) -> Voice:
        """The voice for a request: by name, else by language, else the default; then its speaker.

        Raises:
            VoiceNotFound: unknown name, language or speaker.
        """
        if name:
            voice = self.find(name)
        elif language:
            voice = self._for_language(language)
        else:
            voice = self.default
        if not speaker or speaker.casefold() == voice.name.casefold():
            return voice
        if speaker in voice.speakers:
            return self.find(voice.speakers[speaker])
        if voice.speakers:
            hint = nearest(speaker, voice.speakers) or f" Speakers: {some(voice.speakers)}."
            raise VoiceNotFound(f"Voice {voice.name!r} has no speaker {speaker[:100]!r}.{hint}")
        # A voice without speakers is its own only speaker; some clients name speakers as voices.
        try:
            return self.find(speaker)
        except VoiceNotFound:
            raise VoiceNotFound(
                f"Voice {voice.name!r} has no speakers, and there is no voice of the name of the speaker "
                f"{speaker[:100]!r}.{self._hint(speaker)}"
            ) from None

    def _hint(self, name: str) -> str:
        """The nearest names, or a few that there are."""
        names = [voice.name for voice in self.voices]
        return nearest(name, names) or (f" Voices: {some(names)}." if names else "")

    def _for_language(self, language: str) -> Voice:
        code = _base(language)
        chosen = self._by_language.get(code)
        if chosen is not None:
            return chosen
        if code in self._by_language:
            raise VoiceNotFound(f"The default voice for {code!r} is missing. Name another voice.")
        speaking = [
            voice for voice in self.voices if code in (_base(known) for known in voice.languages)
        ]
        if not speaking:
            known = ", ".join(self.languages)
            raise VoiceNotFound(f"No voice here speaks {language[:50]!r}. Languages: {known}.")
        if self._default is not None and self._default in speaking:
            return self._default
        return next((voice for voice in speaking if voice.native), speaking[0])

    def _tell_of_stand_in(self, name: str) -> None:
        reason = self.missing[0] if self.missing else f"Voice {name!r} cannot be used now."
        self.missing = (f"{reason} Voice {self.default.name!r} speaks in its place.",)

    def _configured(self, option: str, name: str) -> Voice | None:
        try:
            return self.find(name)
        except VoiceNotFound as error:
            if not self._growing:
                raise ConfigError(f"{option}: {error}") from error
            self.missing += (f"{option}: {error}",)
            return None


def _base(code: str) -> str:
    """ "pt" for "pt-BR", "pt_br"."""
    return code.replace("_", "-").split("-")[0].lower()
