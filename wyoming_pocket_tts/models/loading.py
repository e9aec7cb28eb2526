"""Loading a model and starting its engine; blocking, so it is called in a thread.

It knows what a model consists of (configuration, weights, tokenizer, engine), not when one is needed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wyoming_pocket_tts.engine import pages
from wyoming_pocket_tts.engine.attention import ATTENTION, attention_names
from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.engine import Engine
from wyoming_pocket_tts.engine.kernels import EXACT as EXACT_KERNEL
from wyoming_pocket_tts.engine.kernels import KERNELS, KernelPlan, available
from wyoming_pocket_tts.engine.model import Model
from wyoming_pocket_tts.engine.sequence import Sampling
from wyoming_pocket_tts.engine.worker import EngineWorker, Split
from wyoming_pocket_tts.errors import ConfigError, ModelFileError
from wyoming_pocket_tts.models import memory
from wyoming_pocket_tts.models.checkpoint import load_weights
from wyoming_pocket_tts.models.identity import model_identity
from wyoming_pocket_tts.models.int8_cache import Int8Tensors, quantised
from wyoming_pocket_tts.models.parts import complaint, fetch_part
from wyoming_pocket_tts.models.tensor_file import FileTensors
from wyoming_pocket_tts.models.tokenizer import Tokenizer, load_tokenizer
from wyoming_pocket_tts.models.tuned import EXACT, QUANTISED, Tuned
from wyoming_pocket_tts.text.options import TextRules

_LOGGER = logging.getLogger(__name__)

# Frames from the end of speech on, where neither the owner nor the model says otherwise.
_FRAMES_AFTER_SHORT_TEXT = 5
_FRAMES_AFTER_TEXT = 3
# Decode steps where the owner says nothing: the distilled heads need one, plain flow matching at least 16.
_DECODE_STEPS = {"flow_matching": 16}


@dataclass(frozen=True)
class EngineOptions:
    """How speech is made; None stands for the model's own value.

    Attributes:
        slots: sequences that run at the same time.
        decode_steps: of the flow head, per frame.
        quantize: FlowLM's large matrices in 8 bits, where that is faster here.
        threads: processor threads to use; None: what is measured to be fastest.
        tune: measure once what is fastest here; False: packed kernels and a pipeline.
    """

    slots: int = 8
    decode_steps: int | None = None
    quantize: bool = False
    threads: int | None = None
    tune: bool = True
    temperature: float | None = None
    noise_clamp: float | None = None
    eos_threshold: float | None = None
    frames_after_eos: int | None = None


@dataclass(frozen=True)
class ModelEntry:
    """A model that may be loaded.

    Attributes:
        name: our name for it.
        config: its configuration, with resolvable sources.
        language: code of the language it speaks ("" if unknown).
        at_start: load before the server is ready.
        voice_cloning: load the full (often gated) weights with the encoder.
    """

    name: str
    config: ModelConfig
    language: str = ""
    at_start: bool = True
    voice_cloning: bool = False


@dataclass(frozen=True)
class LoadedModel:
    """A model that can speak."""

    entry: ModelEntry
    model: Model
    worker: EngineWorker
    tokenizer: Tokenizer
    identity: str
    options: EngineOptions
    rules: TextRules
    nbytes: int

    @property
    def sample_rate_hz(self) -> int:
        """Rate of the sound it makes."""
        return self.model.sample_rate_hz

    def count_tokens(self, text: str) -> int:
        """How many tokens a text is for this model."""
        return len(self.tokenizer.encode(text))

    def sampling(self, short_text: bool) -> Sampling:
        """How a segment is sampled; texts of up to four words get more frames after the end of speech."""
        config, options = self.entry.config, self.options
        by_length = _FRAMES_AFTER_SHORT_TEXT if short_text else _FRAMES_AFTER_TEXT
        return Sampling(
            temperature=_first(options.temperature, config.default_temperature),
            eos_threshold=_first(options.eos_threshold, config.default_eos_threshold),
            noise_clamp=options.noise_clamp,
            frames_after_eos=_first(
                options.frames_after_eos, config.model_recommended_frames_after_eos, by_length
            ),
        )


def load_model(
    entry: ModelEntry,
    options: EngineOptions,
    fetch: Callable[[str], Path],
    folder: Path | None = None,
) -> LoadedModel:
    """Loads weights and tokenizer and starts the engine's threads.

    Args:
        entry: the model.
        options: how it is to speak.
        fetch: gives the local file of a source; blocking.
        folder: where 8-bit weights and measurements are kept; None: nowhere, so nothing is quantised or measured.

    Raises:
        SetupError: a file is missing or does not fit.
    """
    config = entry.config
    table = config.flow_lm.lookup_table
    path = fetch_part(config, table.tokenizer_path, fetch)
    try:
        tokenizer = load_tokenizer(path, table.n_bins, table.tokenizer)
    except ConfigError as error:
        raise complaint(config, str(error)) from error
    checkpoint = load_weights(
        config, fetch, voice_cloning=entry.voice_cloning, encoder=entry.voice_cloning
    )
    quantize = options.quantize and folder is not None
    tuned = Tuned(folder, config, QUANTISED if quantize else EXACT) if folder else None
    plan = tuned.plan() if tuned and options.tune else _untuned(config, quantize)
    small = plan.transformer in KERNELS and KERNELS[plan.transformer].accuracy == "int8"
    if quantize and not small:
        why = "slower than float32" if options.tune else "not to be had"
        _LOGGER.info("Model %s: 8 bits are %s on this machine; float32 is used", entry.name, why)
    weights: FileTensors | Int8Tensors = checkpoint.weights
    if small and folder is not None:
        weights = _in_8_bits(entry.name, checkpoint.weights, folder / "int8")
    steps = options.decode_steps or _DECODE_STEPS.get(config.flow_lm.flow.type, 1)
    model = Model(config, weights, steps, plan)
    split = _split(options, tuned, model)
    worker = EngineWorker(Engine(model, options.slots), name=f"engine-{entry.name}", split=split)
    worker.start()
    identity = weights.identity if isinstance(weights, Int8Tensors) else model_identity(weights)
    # What reading and packing the weights took besides.
    memory.give_back()
    _LOGGER.debug("%d MiB of memory are in huge pages", pages.gather() >> 20)
    return LoadedModel(
        entry=entry,
        model=model,
        worker=worker,
        tokenizer=tokenizer,
        identity=identity,
        options=options,
        rules=TextRules(
            pad_with_spaces_for_short_inputs=config.pad_with_spaces_for_short_inputs,
            remove_semicolons=config.remove_semicolons,
            append_terminal_punctuation=config.append_terminal_punctuation,
            capitalize_first_letter=config.capitalize_first_letter,
            replace_characters=config.replace_characters,
        ),
        nbytes=weights.nbytes,
    )


def _in_8_bits(name: str, weights: FileTensors, folder: Path) -> FileTensors | Int8Tensors:
    """The weights as they are kept on the disk. Where it takes no file, as they are: the kernels then quantise them at each start."""
    try:
        return quantised(weights, folder)
    except ModelFileError as error:
        _LOGGER.warning(
            "Model %s speaks all the same, but needs more memory while it is loaded: %s",
            name,
            error,
        )
        return weights


def _untuned(config: ModelConfig, quantize: bool) -> KernelPlan:
    """A plan that is right everywhere and good in most places."""
    # Not every processor has each of them: fbgemm's is missing on ARM, and the native ones where there was no compiler.
    kernels = [name for name, kernel in KERNELS.items() if kernel.accuracy == "int8"]
    transformer = next(filter(available, kernels), EXACT_KERNEL) if quantize else EXACT_KERNEL
    usual, *smaller = attention_names(
        config.flow_lm.transformer, ("exact", "bf16") if quantize else ("exact",)
    )
    # Whether torch's bfloat16 is any faster must be measured.
    attention = smaller[0] if smaller and ATTENTION[usual].native else usual
    return KernelPlan(transformer, attention=attention)


def _split(options: EngineOptions, tuned: Tuned | None, model: Model) -> Split:
    if options.threads is not None:
        return Split(pipeline=options.threads > 1, threads=max(1, options.threads // 2))
    if tuned and options.tune:
        return tuned.split(model)
    return Split(pipeline=True, threads=1)


def _first(*values: float | int | None) -> int:
    for value in values:
        if value is not None:
            return value  # type: ignore[return-value]
    raise AssertionError("the last value must not be None")
