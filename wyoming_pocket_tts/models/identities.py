"""Which weights a finished voice was made with, and which model has them: as far as the files that are here already say.

Opens headers and reads samples of weights; fetches nothing, and loads nothing. What it cannot tell is None: the voice is then tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from wyoming_pocket_tts.errors import DownloadError, SetupError
from wyoming_pocket_tts.models.checkpoint import load_weights, weight_sources
from wyoming_pocket_tts.models.identity import model_identity
from wyoming_pocket_tts.models.loading import ModelEntry
from wyoming_pocket_tts.models.sources import HubSource, parse_source
from wyoming_pocket_tts.models.voices import VoiceMetadata, is_voice_state, read_voice_metadata


class Identities:
    """Answers for models and voices; a model's is worked out once, when its weights are here."""

    def __init__(self, cached: Callable[[str], Path | None]) -> None:
        """
        Args:
            cached: gives the local file of a source that is here already.
        """
        self._cached = cached
        self._known: dict[str, str | None] = {}

    def of_model(self, entry: ModelEntry) -> str | None:
        """The identity of a model's weights, None while they are not here (or cannot be read: loading will say so)."""
        if entry.name in self._known:
            return self._known[entry.name]
        try:
            sources = weight_sources(entry.config, voice_cloning=entry.voice_cloning)
            if any(self._cached(source) is None for source in sources):
                return None
            checkpoint = load_weights(
                entry.config,
                self._here,
                voice_cloning=entry.voice_cloning,
                encoder=entry.voice_cloning,
            )
            self._known[entry.name] = model_identity(checkpoint.weights)
        except (SetupError, OSError):
            self._known[entry.name] = None
        return self._known[entry.name]

    def of_voice(self, source: str) -> VoiceMetadata:
        """What a finished voice says of its model. Nothing for recordings, for what is not here, and for the hub's: those come with their model."""
        try:
            parsed = parse_source(source)
            path = None if isinstance(parsed, HubSource) else self._cached(source)
            if path is not None and path.is_file() and is_voice_state(path):
                return read_voice_metadata(path)
        except (SetupError, OSError):
            pass  # reading it will say what is wrong with it
        return VoiceMetadata()

    def fitting(self, source: str, entries: Iterable[ModelEntry]) -> ModelEntry | None:
        """The model that a finished voice was made with; None if that is not known, or is none of these."""
        wanted = self.of_voice(source).model_identity
        if wanted is None:
            return None
        return next((entry for entry in entries if self.of_model(entry) == wanted), None)

    def misfit(self, source: str, entry: ModelEntry) -> str:
        """Why a finished voice cannot be spoken by a model, or ""."""
        metadata = self.of_voice(source)
        model = self.of_model(entry) if metadata.model_identity is not None else None
        if model is None or metadata.model_identity == model:
            return ""
        made_by = f" ({metadata.model_name})" if metadata.model_name else ""
        return (
            f"{source}: this voice was made with the weights of another model{made_by}, not those of {entry.name}. "
            "Make it again from its recording, or load the model it was made with."
        )

    def _here(self, source: str) -> Path:
        path = self._cached(source)
        if path is None:
            raise DownloadError(f"{source}: is not here.", source=source, kind="offline")
        return path
