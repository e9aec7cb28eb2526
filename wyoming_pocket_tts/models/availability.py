"""Whether a voice can be spoken: what it needs is here, or can be fetched on its first use. Looks, and fetches nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from wyoming_pocket_tts.errors import AudioPromptError, ConfigError
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.checkpoint import weight_sources
from wyoming_pocket_tts.models.cloning import VoiceCloner
from wyoming_pocket_tts.models.identities import Identities
from wyoming_pocket_tts.models.loading import ModelEntry
from wyoming_pocket_tts.models.sources import LocalSource, parse_source
from wyoming_pocket_tts.models.voices import is_voice_state
from wyoming_pocket_tts.prompts import read_prompt

_LOGGER = logging.getLogger(__name__)


class Availability:
    """Answers for voices and models; a model's files are looked for once.

    Attributes:
        identities: which weights voices were made with.
    """

    def __init__(
        self, cached: Callable[[str], Path | None], cloner: VoiceCloner, *, offline: bool
    ) -> None:
        """
        Args:
            cached: gives the local file of a source that is here already.
            cloner: knows the voices that were made from recordings.
            offline: nothing can be fetched.
        """
        self._cached = cached
        self._cloner = cloner
        self._offline = offline
        self._models: dict[str, bool] = {}
        self._told: set[str] = set()
        self.identities = Identities(cached)

    def voice(self, voice: Voice, entry: ModelEntry) -> bool:
        """Whether a voice can be spoken by a model."""
        source = parse_source(voice.source)
        if isinstance(source, LocalSource) and not source.path.is_file():
            return False
        misfit = self.identities.misfit(voice.source, entry)
        if misfit:
            if misfit not in self._told:
                _LOGGER.warning("Voice %s cannot be used: %s", voice.name, misfit)
            self._told.add(misfit)
            return False
        return not self._offline or (self.model_is_here(entry) and self.voice_is_here(voice, entry))

    def model_is_here(self, entry: ModelEntry) -> bool:
        """Whether all that a model needs to speak has been fetched."""
        if entry.name not in self._models:
            self._models[entry.name] = self._all(model_sources(entry))
        return self._models[entry.name]

    def voice_is_here(self, voice: Voice, entry: ModelEntry) -> bool:
        """Whether a voice's file has been fetched, and for a recording also that the voice can be made of it."""
        path = self._cached(voice.source)
        if path is None or is_voice_state(path):
            return path is not None
        try:
            if self._cloner.is_kept(read_prompt(path).sha256):
                return True
            return self._all(weight_sources(entry.config, voice_cloning=True))
        except (AudioPromptError, ConfigError):
            return False

    def _all(self, sources: Iterable[str]) -> bool:
        return all(self._cached(source) is not None for source in sources)


def model_sources(entry: ModelEntry) -> tuple[str, ...]:
    """What a model needs to speak: weights and tokenizer."""
    weights = weight_sources(entry.config, voice_cloning=entry.voice_cloning)
    return (*weights, entry.config.flow_lm.lookup_table.tokenizer_path)
