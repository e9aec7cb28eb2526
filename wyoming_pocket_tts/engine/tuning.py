"""Which kernels, threads and split are fastest here: a short measurement on the shapes of a model.

What is measured is the engine's own code with weights of zeros (no kernel's speed depends on the values) and two layers where
the model has more. Nothing here knows where an answer is kept (`models.tuned`).
"""

from __future__ import annotations

import dataclasses
import functools
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import torch

from wyoming_pocket_tts.engine import cores as fast_cores
from wyoming_pocket_tts.engine import pages
from wyoming_pocket_tts.engine.attention import attention_names
from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.engine import Engine
from wyoming_pocket_tts.engine.flow_lm import FlowLM
from wyoming_pocket_tts.engine.kernels import (
    EXACT,
    KERNELS,
    Accuracy,
    KernelPlan,
    available,
)
from wyoming_pocket_tts.engine.layout import Shape, tensor_shapes
from wyoming_pocket_tts.engine.linear import Weight
from wyoming_pocket_tts.engine.mimi import MimiDecoder
from wyoming_pocket_tts.engine.model import Model
from wyoming_pocket_tts.engine.sequence import MIN_FRAMES_BEFORE_EOS, Sampling, SequenceSpec
from wyoming_pocket_tts.engine.state import FlowCache, VoiceState
from wyoming_pocket_tts.engine.worker import EngineWorker, Split

# Rows of FlowLM's products and how much they count: steps of one and of four listeners as often as they occur, and a prefill three times,
# because a listener waits for it.
_FLOW_ROWS = {1: 100, 4: 30}
_PREFILL_ROWS, _PREFILL_TIMES = 30, 6
# Frames per call of the codec, and how often.
_CODEC_FRAMES = {1: 30, 4: 20}
_LAYERS = 2
_REPEATS = 7
_TRIAL_FRAMES = 24
# Trials of each split, in turns, and how much of the best one's time rules one out at once.
_TRIALS, _HOPELESS = 4, 2.0
_VOICE_ROWS = 125
# Positions behind a step: a voice, a text and some seconds of speech.
_STEP_POSITIONS = 256
_NEVER = 1e9
# How much of the usual split's time another one may take to be preferred.
_CLEARLY = 0.8


@dataclass(frozen=True)
class Measurement:
    """One figure of the tuning, for people.

    Attributes:
        what: what was measured, and whether it is a cost: the times of several calls, each weighted with how often it occurs. Costs
            are there to be compared with each other; nothing takes that long.
        milliseconds: the time, or the cost.
    """

    what: str
    milliseconds: float


class Zeros(Mapping[str, Weight]):
    """A checkpoint of zeros, made as it is asked for: no kernel's speed depends on the values."""

    def __init__(self, shapes: Mapping[str, Shape]) -> None:
        self._shapes = shapes

    def __getitem__(self, name: str) -> Weight:
        return torch.zeros(self._shapes[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)


def candidates(allowed: Iterable[Accuracy]) -> list[str]:
    """Names of the kernels of these classes that come into question here.

    Of the exact ones there is one: float32 is to sound the same whatever was measured.
    """
    classes = set(allowed)
    names = [EXACT] if "exact" in classes else []
    others = classes - {"exact"}
    return names + [
        name for name, one in KERNELS.items() if one.accuracy in others and available(name)
    ]


@torch.inference_mode()
def choose_kernels(
    config: ModelConfig,
    transformer: Iterable[Accuracy],
    head: Iterable[Accuracy],
    codec: Iterable[Accuracy],
    attention: Iterable[Accuracy],
    report: Callable[[Measurement], None] = lambda _: None,
) -> KernelPlan:
    """The fastest kernel for each part.

    Args:
        config: the model's.
        transformer: accuracy classes allowed for FlowLM's attention and feed-forward products.
        head: those allowed for the flow head.
        codec: those allowed for Mimi's decoder.
        attention: those allowed for FlowLM's keys and values.
        report: is given every figure.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        small = _few_layers(config)
        zeros = Zeros(tensor_shapes(small))

        voice = blank_voice(small)

        def flow(plan: KernelPlan) -> _Works:
            return _flow_works(FlowLM(small, zeros, 1, plan), voice)

        def fastest(part: str, names: list[str], works: Callable[[str], _Works]) -> str:
            if len(names) == 1:
                return names[0]
            costs = _costs_ms({name: works(name) for name in names})
            for name, cost in costs.items():
                report(Measurement(f"{part}, weighted cost with {name}", cost))
            return min(costs, key=costs.__getitem__)

        best = fastest(
            "FlowLM", candidates(transformer), lambda name: flow(KernelPlan(transformer=name))
        )
        best_head = fastest(
            "flow head", candidates(head), lambda name: flow(KernelPlan(best, head=name))
        )
        best_codec = fastest(
            "codec", candidates(codec), lambda name: _codec_works(MimiDecoder(small, zeros, name))
        )
        best_attention = fastest(
            "attention",
            attention_names(small.flow_lm.transformer, attention),
            lambda name: flow(KernelPlan(best, best_head, attention=name)),
        )
        return KernelPlan(best, best_head, best_codec, best_attention)
    finally:
        torch.set_num_threads(before)


def choose_split(model: Model, report: Callable[[Measurement], None] = lambda _: None) -> Split:
    """Pipeline and thread count with which one listener is served fastest.

    More threads than one make a pipeline slower wherever its halves compete for the same cores. What else runs on the machine
    while this measures must not decide for good: another split than the usual one (a pipeline of single threads) has to be
    clearly faster.
    """
    cores = fast_cores.count()
    usual = Split(pipeline=cores >= 2, threads=1)
    others = [Split(pipeline=False, threads=1)] if usual.pipeline else []
    if cores >= 2:
        others.append(Split(pipeline=False, threads=min(cores, 4)))
    if cores >= 4:
        others.append(Split(pipeline=True, threads=2))
    figures = dict.fromkeys((usual, *others), math.inf)
    for attempt in range(_TRIALS):
        for split, shortest in figures.items():
            # Threads that get into each other's way can be slower by orders of magnitude: no need to know by how many.
            hopeless = _HOPELESS * min(figures.values())
            if attempt == 0 or shortest < hopeless:
                figures[split] = min(shortest, _trial_ms(model, split, hopeless))
    for split, shortest in figures.items():
        name = f"{'pipeline' if split.pipeline else 'one thread'}, {split.threads} intra-op"
        report(Measurement(f"time of a whole frame, {name}", shortest))
    best = min(figures, key=figures.__getitem__)
    return best if figures[best] < _CLEARLY * figures[usual] else usual


def blank_voice(config: ModelConfig) -> VoiceState:
    """A voice state of zeros, as long as one from 10 s of audio."""
    transformer = config.flow_lm.transformer
    heads = torch.zeros(_VOICE_ROWS, transformer.kv_heads, transformer.head_width)
    return VoiceState((heads,) * transformer.num_layers, (heads,) * transformer.num_layers)


def _few_layers(config: ModelConfig) -> ModelConfig:
    transformer = config.flow_lm.transformer
    few = dataclasses.replace(transformer, num_layers=min(_LAYERS, transformer.num_layers))
    flow_lm = dataclasses.replace(config.flow_lm, transformer=few)
    return dataclasses.replace(config, flow_lm=flow_lm)


# What is measured of one candidate, each with how often it occurs.
_Works = list[tuple[int, Callable[[], object]]]


def _flow_works(model: FlowLM, voice: VoiceState) -> _Works:
    """Decode steps and prefills."""
    works: _Works = []
    for rows, times in _FLOW_ROWS.items():
        caches = [model.new_cache() for _ in range(rows)]
        for cache in caches:
            cache.start(voice, _STEP_POSITIONS + 1)
        latents = model.bos.expand(rows, -1).contiguous()

        def step(caches: list[FlowCache] = caches, latents: torch.Tensor = latents) -> None:
            for cache in caches:
                cache.length = _STEP_POSITIONS
            condition, _ = model.decode(latents, caches)
            model.head(condition, latents)

        works.append((times, step))
    prefilled = model.new_cache()
    prefilled.start(voice, _VOICE_ROWS + 2 * _PREFILL_ROWS)
    text = model.embed_text([0] * _PREFILL_ROWS)

    def prefill() -> None:
        prefilled.length = _VOICE_ROWS
        model.prefill(text, prefilled)

    return [*works, (_PREFILL_TIMES, prefill)]


def _codec_works(decoder: MimiDecoder) -> _Works:
    works: _Works = []
    width = decoder.config.quantizer.dimension
    for frames, times in _CODEC_FRAMES.items():
        state = decoder.new_state(1, frames)
        latents = torch.zeros(1, frames, width)
        works.append((times, functools.partial(decoder.decode, latents, state, [0])))
    return works


def _costs_ms(candidates: Mapping[str, _Works]) -> dict[str, float]:
    """Weighted time of each candidate's work.

    The candidates take turns and the shortest time counts, so that what else runs on the machine hits all of them, or none.
    """
    pages.gather()
    costs = dict.fromkeys(candidates, 0.0)
    for row in zip(*candidates.values(), strict=True):
        shortest = dict.fromkeys(candidates, math.inf)
        for attempt in range(_REPEATS + 1):
            for name, (_, work) in zip(candidates, row, strict=True):
                started = time.perf_counter()
                work()
                if attempt:  # the first one warms up
                    shortest[name] = min(shortest[name], 1000 * (time.perf_counter() - started))
        for name, (times, _) in zip(candidates, row, strict=True):
            costs[name] += times * shortest[name]
    return costs


def _trial_ms(model: Model, split: Split, hopeless_ms: float) -> float:
    """Milliseconds per frame of one listener, through the engine's own threads; given up over `hopeless_ms`."""
    spec = SequenceSpec(
        tokens=(0,) * 10,
        voice=blank_voice(model.config),
        # Over the threshold from the first counted frame on: it ends by itself, as a runaway would not.
        sampling=Sampling(0.3, -_NEVER, None, _TRIAL_FRAMES - MIN_FRAMES_BEFORE_EOS),
        seed=0,
        max_frames=2 * _TRIAL_FRAMES,
    )
    worker = EngineWorker(Engine(model, 1), "tuning", split=split)
    worker.start()
    try:
        started = time.perf_counter()
        stream = worker.submit(spec)
        while stream.next_frame() is not None:
            if 1000 * (time.perf_counter() - started) / _TRIAL_FRAMES > hopeless_ms:
                stream.close()
        return 1000 * (time.perf_counter() - started) / _TRIAL_FRAMES
    finally:
        worker.stop()
