"""The configuration of a Pocket TTS model, as upstream's YAML files state it.

Field names are upstream's keys, so that its files and community models load as they are; `models.config_file` reads the
YAML. Here is only what the numbers mean, within which bounds they lie and which combinations are possible. Derived numbers (frame
size, latent width, head width) are properties, so that nothing else in the engine holds a constant of one particular model.

Source: the `pocket-tts` 4.0.1 configuration schema.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from wyoming_pocket_tts.engine.bounds import MOST_LAYERS, WIDEST, DType, require, within
from wyoming_pocket_tts.engine.mimi_config import (
    MimiConfig,
    MimiTransformerConfig,
    QuantizerConfig,
    SEANetConfig,
)

__all__ = [
    "FlowConfig",
    "FlowLMConfig",
    "FlowLMTransformerConfig",
    "FlowType",
    "LookupTableConfig",
    "MimiConfig",
    "MimiTransformerConfig",
    "ModelConfig",
    "QuantizerConfig",
    "SEANetConfig",
]

FlowType = Literal["lsd", "flow_matching", "drifting", "pointwise"]
_MOST_PIECES = 10_000_000
# How many time embeddings each kind of flow head has, and so how many times it is told at each call.
TIME_CONDITIONS: dict[str, int] = {"lsd": 2, "flow_matching": 1, "drifting": 0, "pointwise": 0}


@dataclass(frozen=True)
class FlowConfig:
    """The flow head: an MLP with adaptive layer norms, `depth` residual blocks of width `dim`."""

    dim: int
    depth: int
    type: FlowType = "lsd"

    def __post_init__(self) -> None:
        within(self, 1, WIDEST, "dim")
        within(self, 1, MOST_LAYERS, "depth")

    @property
    def time_conditions(self) -> int:
        """How many time embeddings the head has."""
        return TIME_CONDITIONS[self.type]


@dataclass(frozen=True)
class FlowLMTransformerConfig:
    """The causal transformer of FlowLM. Unset widths follow `d_model`."""

    hidden_scale: int
    max_period: int
    d_model: int
    num_heads: int
    num_layers: int
    attn_dim: int | None = None
    num_kv_heads: int | None = None
    dim_feedforward: int | None = None

    def __post_init__(self) -> None:
        within(self, 1, WIDEST, "d_model", "attn_dim", "dim_feedforward")
        within(self, 1, WIDEST, "num_heads", "num_kv_heads")
        within(self, 1, 64, "hidden_scale")
        within(self, 1, MOST_LAYERS, "num_layers")
        within(self, 2, 1e9, "max_period")
        require(
            self.attention_width % self.num_heads == 0 and self.head_width % 2 == 0,
            "attn_dim (or d_model) must divide into num_heads heads of an even width",
        )
        require(self.num_heads % self.kv_heads == 0, "num_kv_heads must divide num_heads")

    @property
    def attention_width(self) -> int:
        """Width of all query heads together."""
        return self.attn_dim or self.d_model

    @property
    def head_width(self) -> int:
        """D: width of one head."""
        return self.attention_width // self.num_heads

    @property
    def kv_heads(self) -> int:
        """Heads of keys and values; fewer than query heads with grouped queries."""
        return self.num_kv_heads or self.num_heads

    @property
    def feedforward_width(self) -> int:
        """Width between the two products of a feed-forward block."""
        return self.dim_feedforward or self.d_model * self.hidden_scale


@dataclass(frozen=True)
class LookupTableConfig:
    """The text embedding: `n_bins` pieces and one padding row, `rank` wide with a projection when set."""

    dim: int
    n_bins: int
    tokenizer: str
    tokenizer_path: str
    rank: int | None = None

    def __post_init__(self) -> None:
        within(self, 1, WIDEST, "dim", "rank")
        within(self, 1, _MOST_PIECES, "n_bins")


@dataclass(frozen=True)
class FlowLMConfig:
    """FlowLM: transformer, flow head and text table."""

    dtype: DType
    flow: FlowConfig
    transformer: FlowLMTransformerConfig
    lookup_table: LookupTableConfig
    z_dim: int | None = None
    weights_path: str | None = None
    insert_bos_before_voice: bool = False

    def __post_init__(self) -> None:
        within(self, 1, WIDEST, "z_dim")
        require(
            self.lookup_table.dim == self.transformer.d_model,
            f"lookup_table.dim ({self.lookup_table.dim}) must equal transformer.d_model "
            f"({self.transformer.d_model})",
        )

    @property
    def condition_width(self) -> int:
        """Width of the row that the flow head and the EOS head read."""
        return self.z_dim or self.transformer.d_model


@dataclass(frozen=True)
class ModelConfig:
    """A whole model: the root of upstream's YAML.

    Attributes:
        origin: the file it was read from, to be named in errors; no key of that file, and no part of what the model is.
    """

    flow_lm: FlowLMConfig
    mimi: MimiConfig
    weights_path: str | None = None
    weights_path_without_voice_cloning: str | None = None
    pad_with_spaces_for_short_inputs: bool = False
    remove_semicolons: bool = False
    append_terminal_punctuation: bool = True
    capitalize_first_letter: bool = True
    replace_characters: dict[str, str] = field(default_factory=dict)
    model_recommended_frames_after_eos: int | None = None
    default_temperature: float = 0.3
    default_eos_threshold: float = -4.0
    origin: str | None = field(default=None, compare=False, metadata={"key": False})

    def __post_init__(self) -> None:
        within(self, 0, 10, "default_temperature")
        within(self, -1000, 1000, "default_eos_threshold")
        within(self, 0, 250, "model_recommended_frames_after_eos")
        for character in self.replace_characters:
            require(len(character) == 1, f"replace_characters: {character!r} must be one character")

    @property
    def latent_width(self) -> int:
        """Values in a latent, which stands for one frame of sound."""
        return self.mimi.quantizer.dimension
