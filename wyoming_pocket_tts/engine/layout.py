"""Names and shapes of all tensors of a checkpoint, from the configuration alone.

The names are upstream's: what `pocket-tts` 4.0.1 writes into one combined safetensors file. Loading checks a file against
this list tensor by tensor, and the engine reads its weights by these names.
"""

from __future__ import annotations

from collections.abc import Iterator

from wyoming_pocket_tts.engine.config import (
    FlowLMConfig,
    MimiConfig,
    MimiTransformerConfig,
    ModelConfig,
    SEANetConfig,
)

# Width of the sinusoidal time features of a flow head: half cosines, half sines.
TIME_FEATURES = 256

Shape = tuple[int, ...]
Named = Iterator[tuple[str, Shape]]


def tensor_shapes(config: ModelConfig) -> dict[str, Shape]:
    """Shape of each tensor of a full checkpoint, by canonical name."""
    shapes = dict(_flow_lm(config.flow_lm, config.latent_width, config.mimi.encoder_width))
    shapes.update(_mimi(config.mimi))
    return shapes


def encoder_only(name: str) -> bool:
    """Whether a tensor serves voice cloning alone (Mimi's encoder half)."""
    return name.startswith(("mimi.encoder.", "mimi.encoder_transformer.", "mimi.downsample."))


def parameter_count(config: ModelConfig) -> int:
    """Number of values in a full checkpoint."""
    total = 0
    for shape in tensor_shapes(config).values():
        size = 1
        for length in shape:
            size *= length
        total += size
    return total


def _flow_lm(config: FlowLMConfig, latent: int, encoder_width: int) -> Named:
    prefix = "flow_lm."
    transformer = config.transformer
    width = transformer.d_model
    yield f"{prefix}bos_emb", (latent,)
    if config.insert_bos_before_voice:
        yield f"{prefix}bos_before_voice", (1, 1, width)
    yield f"{prefix}speaker_proj_weight", (width, encoder_width)
    yield f"{prefix}emb_std", (latent,)
    yield f"{prefix}emb_mean", (latent,)
    table = config.lookup_table
    yield f"{prefix}conditioner.embed.weight", (table.n_bins + 1, table.rank or table.dim)
    if table.rank is not None:
        yield f"{prefix}conditioner.proj.weight", (table.dim, table.rank)
    yield from _flow_head(f"{prefix}flow_net.", config, latent)
    yield f"{prefix}input_linear.weight", (width, latent)
    packed = transformer.attention_width + 2 * transformer.kv_heads * transformer.head_width
    for layer in range(transformer.num_layers):
        yield from _attention_block(
            f"{prefix}transformer.layers.{layer}.",
            width,
            packed,
            transformer.attention_width,
            transformer.feedforward_width,
        )
    yield f"{prefix}out_norm.weight", (width,)
    yield f"{prefix}out_norm.bias", (width,)
    if config.z_dim is not None:
        yield f"{prefix}z_proj.weight", (config.z_dim, width)
    yield f"{prefix}out_eos.weight", (1, config.condition_width)
    yield f"{prefix}out_eos.bias", (1,)


def _flow_head(prefix: str, config: FlowLMConfig, latent: int) -> Named:
    width = config.flow.dim
    for index in range(config.flow.time_conditions):
        embedding = f"{prefix}time_embed.{index}."
        yield f"{embedding}freqs", (TIME_FEATURES // 2,)
        yield from _linear(f"{embedding}mlp.0", width, TIME_FEATURES)
        yield from _linear(f"{embedding}mlp.2", width, width)
        yield f"{embedding}mlp.3.alpha", (width,)
    yield from _linear(f"{prefix}cond_embed", width, config.condition_width)
    yield from _linear(f"{prefix}input_proj", width, latent)
    for index in range(config.flow.depth):
        block = f"{prefix}res_blocks.{index}."
        yield f"{block}in_ln.weight", (width,)
        yield f"{block}in_ln.bias", (width,)
        yield from _linear(f"{block}mlp.0", width, width)
        yield from _linear(f"{block}mlp.2", width, width)
        yield from _linear(f"{block}adaLN_modulation.1", 3 * width, width)
    yield from _linear(f"{prefix}final_layer.linear", latent, width)
    yield from _linear(f"{prefix}final_layer.adaLN_modulation.1", 2 * width, width)


def _attention_block(prefix: str, width: int, packed: int, attention: int, hidden: int) -> Named:
    yield f"{prefix}self_attn.in_proj.weight", (packed, width)
    yield f"{prefix}self_attn.out_proj.weight", (width, attention)
    for norm in ("norm1", "norm2"):
        yield f"{prefix}{norm}.weight", (width,)
        yield f"{prefix}{norm}.bias", (width,)
    yield f"{prefix}linear1.weight", (hidden, width)
    yield f"{prefix}linear2.weight", (width, hidden)


def _mimi(config: MimiConfig) -> Named:
    prefix = "mimi."
    stride = config.positions_per_frame
    encoder, decoder = config.seanet, config.decoder_net
    yield from _seanet_encoder(f"{prefix}encoder.model.", encoder)
    yield from _seanet_decoder(f"{prefix}decoder.model.", decoder)
    yield from _mimi_transformer(f"{prefix}encoder_transformer.", config.transformer)
    yield from _mimi_transformer(f"{prefix}decoder_transformer.", config.decoder_attention)
    quantizer = config.quantizer
    yield (
        f"{prefix}quantizer.output_proj.weight",
        (quantizer.output_dimension, quantizer.dimension, 1),
    )
    yield (
        f"{prefix}downsample.conv.conv.weight",
        (config.encoder_width, encoder.dimension, 2 * stride),
    )
    yield f"{prefix}upsample.convtr.convtr.weight", (decoder.dimension, 1, 2 * stride)


def _mimi_transformer(prefix: str, config: MimiTransformerConfig) -> Named:
    width = config.d_model
    if config.input_dimension != width:
        yield f"{prefix}input_proj.weight", (width, config.input_dimension)
    for layer in range(config.num_layers):
        block = f"{prefix}transformer.layers.{layer}."
        yield from _attention_block(block, width, 3 * width, width, config.dim_feedforward)
        yield f"{block}layer_scale_1.scale", (width,)
        yield f"{block}layer_scale_2.scale", (width,)
    for index, output in enumerate(config.output_dimensions):
        if output != width:
            yield f"{prefix}output_projs.{index}.weight", (output, width)


def _seanet_encoder(prefix: str, config: SEANetConfig) -> Named:
    """Layer numbers count activations too: conv, (blocks, ELU, strided conv) per ratio, ELU, conv."""
    channels = config.n_filters
    yield from _conv(f"{prefix}0.conv", channels, config.channels, config.kernel_size)
    index = 1
    for ratio in reversed(config.ratios):
        for _ in range(config.n_residual_layers):
            yield from _residual(f"{prefix}{index}.", channels, config)
            index += 1
        index += 1
        yield from _conv(f"{prefix}{index}.conv", 2 * channels, channels, 2 * ratio)
        index += 1
        channels *= 2
    index += 1
    yield from _conv(f"{prefix}{index}.conv", config.dimension, channels, config.last_kernel_size)


def _seanet_decoder(prefix: str, config: SEANetConfig) -> Named:
    """The mirror image: conv, (ELU, transposed conv, blocks) per ratio, ELU, conv."""
    channels = config.n_filters << len(config.ratios)
    yield from _conv(f"{prefix}0.conv", channels, config.dimension, config.kernel_size)
    index = 1
    for ratio in config.ratios:
        index += 1
        yield f"{prefix}{index}.convtr.weight", (channels, channels // 2, 2 * ratio)
        yield f"{prefix}{index}.convtr.bias", (channels // 2,)
        index += 1
        channels //= 2
        for _ in range(config.n_residual_layers):
            yield from _residual(f"{prefix}{index}.", channels, config)
            index += 1
    index += 1
    yield from _conv(
        f"{prefix}{index}.conv", config.channels, config.n_filters, config.last_kernel_size
    )


def _residual(prefix: str, channels: int, config: SEANetConfig) -> Named:
    hidden = channels // config.compress
    yield from _conv(f"{prefix}block.1.conv", hidden, channels, config.residual_kernel_size)
    yield from _conv(f"{prefix}block.3.conv", channels, hidden, 1)


def _conv(prefix: str, outputs: int, inputs: int, kernel: int) -> Named:
    yield f"{prefix}.weight", (outputs, inputs, kernel)
    yield f"{prefix}.bias", (outputs,)


def _linear(prefix: str, outputs: int, inputs: int) -> Named:
    yield f"{prefix}.weight", (outputs, inputs)
    yield f"{prefix}.bias", (outputs,)
