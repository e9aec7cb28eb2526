"""Making a voice from a recording, once: the result is kept under a name that changes with everything it depends on.

The encoder and the speaker projection are in a model's full weights alone, which are often gated, while speech runs on the open ones. So the
full file is fetched when a voice is to be made and never instead of the open one; it is mapped, used and let go. A voice that is kept needs
neither.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

import torch

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.engine.voice_encoder import VoiceEncoder
from wyoming_pocket_tts.errors import ConfigError, DownloadError, ModelFileError, VoiceStateError
from wyoming_pocket_tts.models import memory
from wyoming_pocket_tts.models.checkpoint import Checkpoint, load_weights
from wyoming_pocket_tts.models.identity import model_identity
from wyoming_pocket_tts.models.voices import read_voice_state, write_voice_state
from wyoming_pocket_tts.prompt_sound import LOUDNESS, PREPARATION_VERSION, Loudness, prepare
from wyoming_pocket_tts.prompts import Recording, read_prompt

_LOGGER = logging.getLogger(__name__)

Fetch = Callable[[str], Path]

# Below the fetcher's own folder.
VOICES_FOLDER = "voices"


class VoiceCloner:
    """Makes voices and keeps them; may be used from several threads, and makes one at a time."""

    def __init__(self, fetch: Fetch, folder: Path, loudness: Loudness | None = LOUDNESS) -> None:
        """
        Args:
            fetch: gives the local file of a source; blocking.
            folder: where finished voices are kept; made when it is missing.
            loudness: what prompts are brought to; None leaves them as they are.
        """
        self._fetch = fetch
        self._folder = folder
        self._loudness = loudness
        self._making = threading.Lock()

    def voice(self, path: Path, name: str, config: ModelConfig, identity: str) -> VoiceState:
        """The voice of a recording, for a model that is loaded.

        Args:
            path: the recording.
            name: the model's.
            config: the model's.
            identity: of the weights that will speak with it.

        Raises:
            AudioPromptError: the recording cannot serve as a voice.
            DownloadError: the full weights are not to be had; says what to do.
            ModelFileError: they are not those of this model.
        """
        recording = read_prompt(path)
        kept = self._folder / self._file_name(recording, identity)
        state = _read_kept(kept, config, identity)
        if state is not None:
            return state
        with self._making:
            state = _read_kept(kept, config, identity)  # made while we waited
            if state is None:
                maker = VoiceMaker(name, config, self._fetch, self._loudness)
                if maker.identity != identity:
                    raise ModelFileError(
                        f"{config.weights_path}: these are not the weights that model {name!r} speaks with, and a voice "
                        "made with them would not fit. Update the model's configuration, so that both its files are of one release."
                    )
                state = maker.make(recording)
                self._keep(kept, state, identity, name)
                del maker
                memory.give_back()
        return state

    def is_kept(self, sha256: str) -> bool:
        """Whether a voice of that recording is here, for any model."""
        return any(self._folder.glob(f"{sha256}-*.safetensors"))

    def forget(self, sha256: str) -> None:
        """Drops what is kept of that recording, for all models."""
        for path in self._folder.glob(f"{sha256}-*.safetensors"):
            path.unlink(missing_ok=True)

    def _file_name(self, recording: Recording, identity: str) -> str:
        as_is = "-as-is" if self._loudness is None else ""
        model = identity.replace(":", "-")
        return f"{recording.sha256}-{model}-{PREPARATION_VERSION}{as_is}.safetensors"

    def _keep(self, path: Path, state: VoiceState, identity: str, name: str) -> None:
        try:
            write_voice_state(path, state, identity=identity, model_name=name)
        except VoiceStateError as error:
            _LOGGER.warning("A voice could not be kept and will be made again: %s", error)


class VoiceMaker:
    """Makes voices with a model's full weights, which stay mapped for as long as it is kept.

    Attributes:
        identity: of the weights.
    """

    def __init__(
        self, name: str, config: ModelConfig, fetch: Fetch, loudness: Loudness | None = LOUDNESS
    ) -> None:
        """Fetches and opens the weights; blocking.

        Args:
            name: the model's, for messages.
            config: names the full weights.
            fetch: gives the local file of a source; blocking.
            loudness: what prompts are brought to; None leaves them as they are.

        Raises:
            DownloadError: the full weights are not to be had; says what to do.
            ConfigError: the model has none.
            ModelFileError: they do not fit the configuration.
        """
        self._rate_hz = config.mimi.sample_rate
        self._loudness = loudness
        weights = _full_weights(name, config, fetch).weights
        self.identity = model_identity(weights)
        self._encoder = VoiceEncoder(config, weights)

    def make(self, recording: Recording) -> VoiceState:
        """The voice of a recording."""
        samples = prepare(recording.samples, recording.rate_hz, self._rate_hz, self._loudness)
        return self._encoder.encode(torch.from_numpy(samples))


def _full_weights(name: str, config: ModelConfig, fetch: Fetch) -> Checkpoint:
    needs = f"To make a voice from a recording, the full weights of model {name!r} are needed"
    rest = "Finished voices (those of the catalogue, .safetensors files) speak without them."
    try:
        return load_weights(config, fetch, voice_cloning=True)
    except DownloadError as error:
        how = " (with --voice-cloning)" if error.kind == "offline" else ""
        raise type(error)(
            f"{needs}, and they cannot be had: {error}{how} {rest}",
            source=error.source,
            kind=error.kind,
        ) from error
    except ConfigError as error:
        raise ConfigError(
            f"Model {name!r} makes no voices from recordings. {error} Finished voices speak all the same."
        ) from error


def _read_kept(path: Path, config: ModelConfig, identity: str) -> VoiceState | None:
    if not path.is_file():
        return None
    try:
        return read_voice_state(path, config, identity=identity)
    except VoiceStateError as error:
        _LOGGER.warning("A kept voice is made again: %s", error)
        return None
