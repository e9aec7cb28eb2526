"""From what a user calls a voice (a name, a file, an address, samples) to its state for a loaded model; blocking.

Recordings are taken as they are, as the `pocket-tts` package takes them: their loudness is not evened out. A finished voice is kept, so that
the same file costs the encoding once.
"""

from __future__ import annotations

import logging
import math
from pathlib import Path

import numpy as np
import soundfile
import torch
from torch import Tensor

from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.errors import (
    AudioPromptError,
    ConfigError,
    DownloadError,
    ModelFileError,
    nearest,
)
from wyoming_pocket_tts.models.checkpoint import weight_sources
from wyoming_pocket_tts.models.cloning import VOICES_FOLDER, VoiceCloner, VoiceMaker
from wyoming_pocket_tts.models.download import Fetcher
from wyoming_pocket_tts.models.loading import LoadedModel
from wyoming_pocket_tts.models.sources import LocalSource, parse_source
from wyoming_pocket_tts.models.voices import (
    is_voice_state,
    read_voice_metadata,
    read_voice_state,
)
from wyoming_pocket_tts.prompts import (
    FULL_SCALE,
    MAX_PROMPT_S,
    Recording,
    judged,
    mono,
    read_prompt,
)
from wyoming_pocket_tts.tts.errors import NoVoiceCloning, PromptNotFound, PromptRefused
from wyoming_pocket_tts.tts.finding import Found
from wyoming_pocket_tts.tts.state import ModelState

_LOGGER = logging.getLogger(__name__)


class Prompts:
    """Makes states for one model; may be used from several threads."""

    def __init__(self, found: Found, model: LoadedModel, fetcher: Fetcher) -> None:
        """
        Args:
            found: knows the names of voices.
            model: the one that will speak.
            fetcher: for voices, and for the full weights where a recording is given.
        """
        self._found = found
        self._model = model
        self._fetcher = fetcher
        folder = fetcher.own_folder / VOICES_FOLDER
        self._cloner = VoiceCloner(fetcher.fetch, folder, loudness=None)

    def has_voice_cloning(self) -> bool:
        """Whether recordings can become voices: the full weights are here, or the hub would hand them out. Fetches nothing."""
        try:
            sources = weight_sources(self._found.entry.config, voice_cloning=True)
        except ConfigError:
            return False
        return all(self._fetcher.obtainable(source) for source in sources)

    def from_source(self, source: str | Path, *, truncate: bool) -> ModelState:
        """The state of a voice's name, a finished voice or a recording; names go first.

        Args:
            source: a `Path` is never a name.
            truncate: of a recording, use the first 30 s at most.

        Raises:
            PromptNotFound, PromptRefused, NoVoiceCloning, VoiceStateError, DownloadError: it cannot be had; says why.
        """
        text = str(source)
        if isinstance(source, str):
            text = self._found.voices.get(text, text)
        path = self._fetch(text)
        config, name, identity = (
            self._model.entry.config,
            self._model.entry.name,
            self._model.identity,
        )
        if is_voice_state(path):
            voice = read_voice_state(path, config, identity=identity)
            return ModelState(voice, name, read_voice_metadata(path).model_identity)
        try:
            recording = read_prompt(path, called=text)
            if not truncate and recording.seconds >= MAX_PROMPT_S:
                return self.from_recording(_whole(path, recording))
            return self._state(self._cloner.voice(path, name, config, identity))
        except AudioPromptError as error:
            raise PromptRefused(str(error)) from error
        except (DownloadError, ConfigError) as error:
            raise _no_cloning(error) from error

    def from_samples(self, audio: Tensor, *, truncate: bool) -> ModelState:
        """The state of samples.

        Args:
            audio: [channels, S] or [S], at the model's sample rate.
            truncate: use the first 30 s at most.

        Raises:
            PromptRefused: empty, not finite or of another shape; silent, too short, or clipped.
            NoVoiceCloning: the full weights are not to be had.
        """
        if audio.dim() not in (1, 2) or not audio.numel():
            raise PromptRefused(
                f"An audio prompt must be a tensor [channels, samples], not of shape {list(audio.shape)}."
            )
        channels = audio.detach().to("cpu", torch.float32).reshape(-1, audio.shape[-1])
        if not bool(torch.isfinite(channels).all()):
            raise PromptRefused("The audio prompt holds samples that are not finite numbers.")
        rate_hz = self._model.sample_rate_hz
        most = math.ceil(MAX_PROMPT_S * rate_hz)
        by_channel = np.ascontiguousarray(channels[:, : most if truncate else None].numpy().T)
        # As of files, the beginning is judged, and an exact copy of what a file held makes the same voice.
        try:
            judged(by_channel[:most], rate_hz, FULL_SCALE, "The audio prompt")
        except AudioPromptError as error:
            raise PromptRefused(str(error)) from error
        return self.from_recording(Recording(mono(by_channel), rate_hz, ""))

    def from_recording(self, recording: Recording) -> ModelState:
        """The state of a recording that is kept nowhere."""
        name, config = self._model.entry.name, self._model.entry.config
        try:
            maker = VoiceMaker(name, config, self._fetcher.fetch, None)
        except (DownloadError, ConfigError) as error:
            raise _no_cloning(error) from error
        if maker.identity != self._model.identity:
            raise ModelFileError(
                f"{config.weights_path}: these are not the weights that model {name!r} speaks with; update its configuration."
            )
        return self._state(maker.make(recording))

    def _state(self, voice: VoiceState) -> ModelState:
        return ModelState(voice, self._model.entry.name, self._model.identity)

    def _fetch(self, text: str) -> Path:
        """The file of a source; what is neither a file nor a name is told with the names that are near."""
        parsed = parse_source(text)
        if not isinstance(parsed, LocalSource) or parsed.path.is_file():
            return self._fetcher.fetch(text)
        if text in self._found.recordings:
            raise PromptNotFound(
                f"{text!r} is a finished voice of the released models, and does not fit model {self._model.entry.name!r}. "
                f"Give its recording instead: {self._found.recordings[text]}."
            )
        if parsed.path.is_dir():
            raise PromptNotFound(f"{text}: is a folder; give one file of it.")
        hint = nearest(text, self._found.voices) or (
            f" Voices: {', '.join(self._found.voices)}." if self._found.voices else ""
        )
        raise PromptNotFound(
            f"{text}: there is neither such a file nor a voice of that name.{hint}"
        )


def _whole(path: Path, recording: Recording) -> Recording:
    """The recording to its end, which `read_prompt` has seen the beginning of."""
    samples, rate_hz = soundfile.read(path, dtype="float32", always_2d=True)
    seconds = len(samples) / rate_hz
    if seconds > MAX_PROMPT_S:
        _LOGGER.info(
            "%s: all %.0f s are used as the voice; truncate=True uses %.0f s, which speaks faster",
            *(path, seconds, MAX_PROMPT_S),
        )
    return Recording(mono(samples), rate_hz, recording.sha256)


def _no_cloning(error: DownloadError | ConfigError) -> NoVoiceCloning:
    source = error.source if isinstance(error, DownloadError) else ""
    kind = error.kind if isinstance(error, DownloadError) else "not-found"
    return NoVoiceCloning(str(error), source=source, kind=kind)
