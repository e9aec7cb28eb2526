"""Which voices of the catalogue the loaded models offer, and under which names.

A voice can be spoken by every released model: by that of its own language as it is, by others with an accent. Each pair of voice and model has
a name of its own, since clients choose voices by name alone:

    estelle        by the model of her language where it is loaded, else by the first model
    estelle-de     by the German model
    estelle-german_24l   by a second German model

The name with the language code, and that with the model's name, are understood for every pair. A model that comes with voices of its own
speaks those, and nobody else does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.catalogue import Catalogue, CatalogueModel, CatalogueVoice


class Offer:
    """The catalogue's voices for some of its models, in a stable order."""

    def __init__(self, catalogue: Catalogue, models: Sequence[CatalogueModel]) -> None:
        """
        Args:
            catalogue: all voices.
            models: those that may be used; the first one speaks what has no model of its own.
        """
        self._catalogue = catalogue
        self._models = tuple(models)

    def native_model(self, voice: CatalogueVoice) -> CatalogueModel | None:
        """The first model of the voice's own language, else the first one that speaks it, if any."""
        able = [model for model in self._models if voice in self._catalogue.voices_of(model)]
        matching = (model for model in able if model.language == voice.language)
        return next(matching, able[0] if able else None)

    def voices(self, plain: Mapping[str, str]) -> Iterator[Voice]:
        """All pairs: each voice by its plain name, then the others model by model.

        Args:
            plain: name of a voice -> name of the model that speaks it by its plain name, where the owner chose one.
        """
        others: dict[str, list[Voice]] = {model.name: [] for model in self._models}
        known = [voice for model in self._models for voice in self._catalogue.voices_of(model)]
        for voice in dict.fromkeys(known):
            native = self.native_model(voice)
            chosen = plain.get(voice.name, native.name if native else None)
            for model in self._models:
                if voice not in self._catalogue.voices_of(model):
                    continue
                if model.name == chosen:
                    yield self.voice(voice, model)
                else:
                    others[model.name].append(self.voice(voice, model, plain=False))
        for voices in others.values():
            yield from voices

    def voice(self, voice: CatalogueVoice, model: CatalogueModel, *, plain: bool = True) -> Voice:
        """One pair; `plain`: by the voice's own name."""
        native = voice.language == model.language
        accent = "" if native else f"; speaks {model.language.title()} here"
        names = self.names(voice, model)
        return Voice(
            name=voice.name if plain else names[0],
            model=model.name,
            source=self._catalogue.voice_state_source(model, voice),
            languages=(model.language_code,),
            native=native,
            description=voice.description + accent,
            aliases=names if plain else names[1:],
            attribution_name=voice.corpus or "Kyutai",
            attribution_url=voice.attribution_url,
        )

    def names(self, voice: CatalogueVoice, model: CatalogueModel) -> tuple[str, ...]:
        """What a pair is called besides the plain name, the name it is listed under first."""
        by_name = f"{voice.name}-{model.name}"
        first = next(one for one in self._models if one.language_code == model.language_code)
        by_code = f"{voice.name}-{model.language_code}"
        return (by_code, by_name) if first.name == model.name else (by_name,)
