"""The configuration of a Pocket TTS model, as upstream's YAML files state it.

Field names are upstream's keys, so that its files and community models load as they are; `models.config_file` reads the
YAML. Here is only what the numbers mean and which combinations are possible. Derived numbers (frame size, latent width,
head width) are properties, so that nothing else in the engine holds a constant of one particular model.

Source: the `pocket-tts` 4.0.1 configuration schema.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

FlowType = Literal["lsd", "flow_matching", "drifting", "pointwise"]

# How many time embeddings each kind of flow head has, and so how many times it is told at each call.
TIME_CONDITIONS: dict[str, int] = {"lsd": 2, "flow_matching": 1, "drifting": 0, "pointwise": 0}


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


@dataclass(frozen=True)
class FlowConfig:
    """The flow head: an MLP with adaptive layer norms, `depth` residual blocks of width `dim`."""

    dim: int
    depth: int
    type: FlowType = "lsd"

    def __post_init__(self) -> None:
        _require(self.dim > 0 and self.depth > 0, "flow.dim and flow.depth must be positive")

    @property
    def time_conditions(self) -> int:
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
        _require(
            self.attention_width % self.num_heads == 0 and self.head_width % 2 == 0,
            "attn_dim (or d_model) must divide into num_heads heads of an even width",
        )
        _require(self.num_heads % self.kv_heads == 0, "num_kv_heads must divide num_heads")

    @property
    def attention_width(self) -> int:
        return self.attn_dim or self.d_model

    @property
    def head_width(self) -> int:
        return self.attention_width // self.num_heads

    @property
    def kv_heads(self) -> int:
        return self.num_kv_heads or self.num_heads

    @property
    def feedforward_width(self) -> int:
        return self.dim_feedforward or self.d_model * self.hidden_scale


@dataclass(frozen=True)
class LookupTableConfig:
    """The text embedding: `n_bins` pieces and one padding row, `rank` wide with a projection when set."""

    dim: int
    n_bins: int
    tokenizer: str
    tokenizer_path: str
    rank: int | None = None


@dataclass(frozen=True)
class FlowLMConfig:
    """FlowLM: transformer, flow head and text table."""

    dtype: str
    flow: FlowConfig
    transformer: FlowLMTransformerConfig
    lookup_table: LookupTableConfig
    z_dim: int | None = None
    weights_path: str | None = None
    insert_bos_before_voice: bool = False

    def __post_init__(self) -> None:
        _require(
            self.lookup_table.dim == self.transformer.d_model,
            f"lookup_table.dim ({self.lookup_table.dim}) must equal transformer.d_model "
            f"({self.transformer.d_model})",
        )

    @property
    def condition_width(self) -> int:
        """Width of the row that the flow head and the EOS head read."""
        return self.z_dim or self.transformer.d_model


@dataclass(frozen=True)
class SEANetConfig:
    """One half (encoder or decoder) of Mimi's convolutional network."""

    dimension: int
    channels: int
    n_filters: int
    n_residual_layers: int
    ratios: tuple[int, ...]
    kernel_size: int
    residual_kernel_size: int
    last_kernel_size: int
    dilation_base: int
    pad_mode: str
    compress: int

    def __post_init__(self) -> None:
        _require(
            self.pad_mode in ("constant", "replicate"), "pad_mode must be constant or replicate"
        )
        _require(self.compress > 0 and bool(self.ratios), "compress and ratios must be set")

    @property
    def hop(self) -> int:
        """Samples per position of the transformer."""
        return math.prod(self.ratios)


@dataclass(frozen=True)
class MimiTransformerConfig:
    """A transformer of Mimi: windowed attention (`context` positions), layer scale on both branches."""

    d_model: int
    input_dimension: int
    output_dimensions: tuple[int, ...]
    num_heads: int
    num_layers: int
    layer_scale: float
    context: int
    dim_feedforward: int
    max_period: float = 10000.0

    def __post_init__(self) -> None:
        _require(len(self.output_dimensions) == 1, "output_dimensions must name exactly one width")
        _require(
            self.d_model % self.num_heads == 0 and self.head_width % 2 == 0,
            "d_model must divide into num_heads heads of an even width",
        )

    @property
    def head_width(self) -> int:
        return self.d_model // self.num_heads


@dataclass(frozen=True)
class QuantizerConfig:
    """What is left of the quantizer: a projection of latents (`dimension`) to `output_dimension`."""

    dimension: int
    output_dimension: int


@dataclass(frozen=True)
class MimiConfig:
    """The audio codec. `decoder_*` replace the shared halves in the small models."""

    dtype: str
    sample_rate: int
    channels: int
    frame_rate: float
    seanet: SEANetConfig
    transformer: MimiTransformerConfig
    quantizer: QuantizerConfig
    weights_path: str | None = None
    inner_dim: int | None = None
    outer_dim: int | None = None
    decoder_seanet: SEANetConfig | None = None
    decoder_transformer: MimiTransformerConfig | None = None

    def __post_init__(self) -> None:
        _require(self.channels == 1, "only mono models (channels: 1) are supported")
        _require(self.frame_rate > 0 and self.sample_rate > 0, "rates must be positive")
        positions = self.sample_rate / self.seanet.hop / self.frame_rate
        _require(
            positions == int(positions) and positions > 1,
            "sample_rate / (product of ratios) / frame_rate must be a whole number over 1",
        )
        _require(
            self.decoder_net.hop == self.seanet.hop,
            "encoder and decoder ratios must have the same product",
        )
        upsampled = self.outer_dim or self.decoder_net.dimension
        _require(
            upsampled == self.decoder_net.dimension == self.quantizer.output_dimension,
            "outer_dim, quantizer.output_dimension and the decoder's dimension must be equal",
        )

    @property
    def decoder_net(self) -> SEANetConfig:
        return self.decoder_seanet or self.seanet

    @property
    def decoder_attention(self) -> MimiTransformerConfig:
        return self.decoder_transformer or self.transformer

    @property
    def positions_per_frame(self) -> int:
        """Transformer positions per latent (16 in all released models)."""
        return int(self.sample_rate / self.seanet.hop / self.frame_rate)

    @property
    def frame_size(self) -> int:
        """Samples per latent frame (1920 in all released models)."""
        return self.positions_per_frame * self.seanet.hop

    @property
    def encoder_width(self) -> int:
        """Width of the encoder's output, which the speaker projection reads."""
        return self.inner_dim or self.seanet.dimension


@dataclass(frozen=True)
class ModelConfig:
    """A whole model: the root of upstream's YAML."""

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

    @property
    def latent_width(self) -> int:
        return self.mimi.quantizer.dimension
