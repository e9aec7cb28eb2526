"""The configuration of Mimi, the audio codec: the `mimi` section of a model's YAML.

Source: the `pocket-tts` 4.0.1 configuration schema.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from wyoming_pocket_tts.engine.bounds import MOST_LAYERS, WIDEST, DType, require, within

_MOST_SAMPLES = 1_000_000
# Positions of the transformer per frame.
_MOST_POSITIONS = 1024


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
        require(
            self.pad_mode in ("constant", "replicate"), "pad_mode must be constant or replicate"
        )
        within(self, 1, WIDEST, "dimension", "channels", "n_filters")
        within(self, 1, 1024, "kernel_size", "residual_kernel_size", "last_kernel_size")
        within(self, 1, 1024, "ratios", "dilation_base")
        within(self, 0, 64, "n_residual_layers")
        within(self, 1, self.n_filters, "compress")
        require(1 <= len(self.ratios) <= 16, "ratios must name 1 to 16 numbers")
        within(self, 1, _MOST_SAMPLES, "hop")
        require(
            self.n_filters << len(self.ratios) <= WIDEST,
            f"n_filters, doubled for each of the ratios, must not be over {WIDEST}",
        )
        # Frames that a convolution looks back; its memory is as long.
        require(
            self.dilation_base ** max(0, self.n_residual_layers - 1) <= 1024,
            "dilation_base and n_residual_layers are too large together",
        )

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
        require(len(self.output_dimensions) == 1, "output_dimensions must name exactly one width")
        within(self, 1, WIDEST, "d_model", "input_dimension", "output_dimensions", "num_heads")
        within(self, 1, WIDEST, "dim_feedforward")
        within(self, 1, MOST_LAYERS, "num_layers")
        within(self, 1, WIDEST, "context")
        within(self, 2, 1e9, "max_period")
        within(self, 0, 1000, "layer_scale")
        require(
            self.d_model % self.num_heads == 0 and self.head_width % 2 == 0,
            "d_model must divide into num_heads heads of an even width",
        )

    @property
    def head_width(self) -> int:
        """D: width of one head."""
        return self.d_model // self.num_heads


@dataclass(frozen=True)
class QuantizerConfig:
    """What is left of the quantizer: a projection of latents (`dimension`) to `output_dimension`."""

    dimension: int
    output_dimension: int

    def __post_init__(self) -> None:
        within(self, 1, WIDEST, "dimension", "output_dimension")


@dataclass(frozen=True)
class MimiConfig:
    """The audio codec. `decoder_*` replace the shared halves in the small models."""

    dtype: DType
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
        channels = {self.channels, self.seanet.channels, self.decoder_net.channels}
        require(channels == {1}, "only mono models (channels: 1) are supported")
        within(self, 1000, _MOST_SAMPLES, "sample_rate")
        within(self, 0.1, 1000, "frame_rate")
        within(self, 1, WIDEST, "inner_dim", "outer_dim")
        positions = self.sample_rate / self.seanet.hop / self.frame_rate
        require(
            positions == int(positions) and 1 < positions <= _MOST_POSITIONS,
            "sample_rate / (product of ratios) / frame_rate must be a whole number from 2 to "
            f"{_MOST_POSITIONS}",
        )
        require(
            self.decoder_net.hop == self.seanet.hop,
            "encoder and decoder ratios must have the same product",
        )
        upsampled = self.outer_dim or self.decoder_net.dimension
        require(
            upsampled == self.decoder_net.dimension == self.quantizer.output_dimension,
            "outer_dim, quantizer.output_dimension and the decoder's dimension must be equal",
        )
        for net, attention, prefix in (
            (self.seanet, self.transformer, ""),
            (self.decoder_net, self.decoder_attention, "decoder_"),
        ):
            require(
                attention.input_dimension == net.dimension == attention.output_dimensions[0],
                f"{prefix}seanet.dimension and {prefix}transformer's input_dimension and "
                "output_dimensions must be equal",
            )

    @property
    def decoder_net(self) -> SEANetConfig:
        """The network that makes sound: the decoder's own, or the shared one."""
        return self.decoder_seanet or self.seanet

    @property
    def decoder_attention(self) -> MimiTransformerConfig:
        """The transformer before it, likewise."""
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
