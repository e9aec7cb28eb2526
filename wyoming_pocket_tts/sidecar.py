"""What the YAML beside a file of the voices directory may say of its voice (`voices_folder` reads it). Knows no files."""

from __future__ import annotations

from dataclasses import dataclass

from wyoming_pocket_tts.settings_checks import check_languages, check_voice_name
from wyoming_pocket_tts.sound.options import SoundChoice


@dataclass(frozen=True)
class Sidecar:
    """What `<name>.yaml` may say of a voice.

    Attributes:
        description: what people see in a list; None: the name.
        language: code of the language that it speaks: chooses the model.
        languages: codes under which it is listed, instead of one `language`; empty: the model's.
        model: name of the model that speaks it; None: one for the language, else the first.
        aliases: further names that clients may use.
        speed, volume_db, lead_silence_ms, tail_silence_ms: how it is to sound, as in the settings.
        consent: when the speaker's consent was stated as the voice was added over HTTP; such a voice may be deleted there too.
    """

    description: str | None = None
    language: str | None = None
    languages: tuple[str, ...] = ()
    model: str | None = None
    aliases: tuple[str, ...] = ()
    speed: float | None = None
    volume_db: float | None = None
    lead_silence_ms: int | None = None
    tail_silence_ms: int | None = None
    consent: str | None = None

    def __post_init__(self) -> None:
        _ = self.sound  # raises for what cannot be done
        if self.language is not None and self.languages:
            raise ValueError("language and languages are both there; keep one")
        check_languages("language" if self.language else "languages", self.codes)
        for alias in self.aliases:
            check_voice_name("alias", alias)

    @property
    def sound(self) -> SoundChoice:
        """What of this voice's sound differs from the settings'."""
        return SoundChoice.of(self)

    @property
    def codes(self) -> tuple[str, ...]:
        """The languages it states, by either key."""
        return self.languages if self.language is None else (self.language,)
