"""What a voice is to users of the library: an opaque, immutable state that belongs to one model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.models.voices import write_voice_state
from wyoming_pocket_tts.tts.errors import WrongArgument, WrongState


@dataclass(frozen=True, eq=False)
class ModelState:
    """A voice, ready to speak. It never changes, so any number of threads may speak with it.

    Attributes:
        voice: keys and values of every layer.
        model_name: of the model that it was made for.
        model_identity: of that model's weights; None: unknown, as of files that other programs wrote.
    """

    voice: VoiceState
    model_name: str
    model_identity: str | None = None

    def __repr__(self) -> str:
        return f"ModelState(model_name={self.model_name!r}, {self.nbytes / 2**20:.1f} MiB)"

    @property
    def nbytes(self) -> int:
        """Memory of the voice's keys and values."""
        return self.voice.nbytes


def export_model_state(model_state: ModelState | VoiceState, dest: str | Path) -> None:
    """Writes a voice to a .safetensors file, which `get_state_for_audio_prompt` reads, here and in `pocket-tts`.

    Raises:
        VoiceStateError: the file cannot be written.
    """
    path = Path(dest).expanduser()
    if isinstance(model_state, VoiceState):
        write_voice_state(path, model_state)
    elif isinstance(model_state, ModelState):
        write_voice_state(
            path,
            model_state.voice,
            identity=model_state.model_identity,
            model_name=model_state.model_name,
        )
    else:
        raise _no_state(model_state)


def voice_for(model_state: object, name: str, identity: str, config: ModelConfig) -> VoiceState:
    """The voice of a state, once it has been found to fit a model.

    Args:
        model_state: what a user gave.
        name: the model's.
        identity: of the weights that are to speak.
        config: the model's.

    Raises:
        WrongArgument: it is no state.
        WrongState: it belongs to another model.
    """
    known = None
    if isinstance(model_state, ModelState):
        voice, known = model_state.voice, model_state.model_identity
    elif isinstance(model_state, VoiceState):
        voice = model_state
    else:
        raise _no_state(model_state)
    transformer = config.flow_lm.transformer
    fits = len(voice.keys) == transformer.num_layers and voice.keys[0].shape[1:] == (
        transformer.kv_heads,
        transformer.head_width,
    )
    if not fits or known not in (None, identity):
        made_for = f" ({model_state.model_name})" if isinstance(model_state, ModelState) else ""
        raise WrongState(
            f"This voice was made for another model{made_for} than {name!r}; get it from this model's get_state_for_audio_prompt."
        )
    return voice


def _no_state(given: object) -> WrongArgument:
    return WrongArgument(
        f"model_state must come from get_state_for_audio_prompt, it is {type(given).__name__}."
    )
