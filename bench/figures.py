"""The figures. Each measures both sides in turn in one process (or in one child process a side) and takes medians."""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.assets import assets, text_of
from bench.sides import Ours, Theirs, first_audio_s, in_threads, speak, together

TEN_SECONDS = 24  # tokens


@dataclass(frozen=True)
class Result:
    """One line of the output; `ratio` says how many times better ours is."""

    figure: str
    unit: str
    ours: float
    theirs: float
    ratio: float
    at_least: float
    aim: float


def _speed(name: str, ours: float, theirs: float, at_least: float, aim: float) -> Result:
    """Of two speeds in x real time."""
    return Result(name, "x real time", ours, theirs, ours / theirs, at_least, aim)


def _cost(name: str, unit: str, ours: float, theirs: float, at_least: float, aim: float) -> Result:
    """Of two times or sizes."""
    return Result(name, unit, ours, theirs, theirs / ours, at_least, aim)


def _alternating(
    ours: Callable[[], float], theirs: Callable[[], float], rounds: int
) -> tuple[float, float]:
    """Medians of both sides, measured in turn so that the machine's moods hit both."""
    ours(), theirs()
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def _x_real_time(side: object, text: str) -> float:
    seconds, audio = speak(side, text)
    return audio / seconds


def streams(quantize: bool) -> Iterator[Result]:
    """One stream, and four together against one after the other."""
    kind = "int8" if quantize else "float32"
    files, text = assets("english"), text_of(TEN_SECONDS)
    theirs, ours = Theirs(files, quantize=quantize), Ours(files, quantize=quantize)
    mine, other = _alternating(
        lambda: _x_real_time(ours, text), lambda: _x_real_time(theirs, text), 7
    )
    yield _speed(f"one stream, {kind}", mine, other, *((2.2, 3.0) if quantize else (1.5, 2.0)))

    def four() -> float:
        seconds, audio = together(ours, text, 4)
        return audio / seconds

    mine, other = _alternating(four, lambda: _x_real_time(theirs, text), 5)
    yield _speed(
        f"four streams together, {kind}", mine, other, *((3.5, 5.0) if quantize else (3.0, 4.0))
    )
    ours.close()


def first_audio() -> Iterator[Result]:
    """25 tokens, voice state loaded; and of a fifth listener while four are being served."""
    files, text = assets("english"), text_of(25)
    theirs, ours = Theirs(files, quantize=True), Ours(files, quantize=True)
    mine, other = _alternating(
        lambda: 1000 * first_audio_s(ours, text), lambda: 1000 * first_audio_s(theirs, text), 11
    )
    yield _cost("first audio, int8, 25 tokens", "ms", mine, other, 2.0, 3.0)

    def fifth() -> float:
        """Joins four that have begun, at a moment that differs from round to round."""
        started = threading.Barrier(5)

        def listen(number: int) -> None:
            for index, _ in enumerate(ours.frames(text, seed=number)):
                if index == 3:
                    started.wait()

        threads = [threading.Thread(target=listen, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        started.wait()
        seconds = first_audio_s(ours, text)
        for thread in threads:
            thread.join()
        return 1000 * seconds

    loaded, idle = _alternating(fifth, lambda: 1000 * first_audio_s(ours, text), 11)
    yield Result(
        "first audio of a fifth request while four play, int8 (theirs: ours when idle)",
        "ms", loaded, idle, idle / loaded, 1 / 3, 1 / 2,
    )  # fmt: skip
    ours.close()


def long_text() -> Iterator[Result]:
    """60 s of text for one client: segments of one request in a batch."""
    import asyncio

    files = assets("english")
    # One segment each on both sides: 17 s three times, and 10 s.
    text = " ".join(text_of(tokens) for tokens in (44, 45, 46, 22))
    theirs = Theirs(files, quantize=True)
    from bench.server import OneModel

    async def measure() -> tuple[float, float]:
        server = OneModel(files)
        mine, others = [], []
        try:
            for _ in range(4):
                mine.append(await server.x_real_time(text))
                others.append(_x_real_time(theirs, text))
        finally:
            await server.close()
        return statistics.median(mine[1:]), statistics.median(others[1:])

    mine, other = asyncio.run(measure())
    yield _speed("a request of 60 s of text, int8, one client", mine, other, 2.5, 4.0)


def small_models() -> Iterator[Result]:
    """The small models, float32, one stream."""
    text = text_of(TEN_SECONDS)
    for size in ("18m", "7m", "2m"):
        files = assets(f"english_{size}_2026-10")
        theirs, ours = Theirs(files, quantize=False), Ours(files, quantize=False)
        # Bound before the next model replaces them.
        mine, other = _alternating(
            lambda ours=ours: _x_real_time(ours, text),  # type: ignore[misc]
            lambda theirs=theirs: _x_real_time(theirs, text),  # type: ignore[misc]
            7,
        )
        ours.close()
        yield _speed(f"english_{size}, one stream, float32", mine, other, 2.0, 3.0)


def late_frames() -> Iterator[Result]:
    """Whether a frame costs the same late in an utterance."""
    import torch

    from wyoming_pocket_tts.engine.engine import Engine
    from wyoming_pocket_tts.engine.sequence import Sampling, Sequence, SequenceSpec

    torch.set_num_threads(1)
    ours = Ours(assets("english"), quantize=True)

    class Sink:
        urgent = True

        def put(self, frame: object, attempt: int) -> None: ...

        def finish(self, result: object, attempt: int) -> None: ...

        def restart(self) -> bool:
            return False

        def fail(self, error: Exception) -> None:
            raise error

    early, late = [], []
    for seed in range(5):
        engine = Engine(ours.model.model, 1)
        spec = SequenceSpec((1,) * 25, ours.voice, Sampling(0.3, 1e9, None, 0), seed, 460)
        engine.add(Sequence(spec, Sink()))  # type: ignore[arg-type]
        for frame in range(440):
            started = time.perf_counter()
            engine.step()
            seconds = time.perf_counter() - started
            if 30 <= frame < 70:
                early.append(1000 * seconds)
            elif 380 <= frame < 420:
                late.append(1000 * seconds)
    ours.close()
    yield _cost(
        "cost of frame 400 (theirs: ours of frame 50)", "ms",
        statistics.median(late), statistics.median(early), 1 / 1.1, 1 / 1.02,
    )  # fmt: skip


def voice_state() -> Iterator[Result]:
    """A voice from 10 s of audio."""
    import torch

    from wyoming_pocket_tts.engine.model import Model
    from wyoming_pocket_tts.models.checkpoint import load_weights
    from wyoming_pocket_tts.models.config_file import load_model_config

    files = assets("english")
    theirs = Theirs(files, quantize=False)
    config = load_model_config(files.config)
    weights = load_weights(config, Path, voice_cloning=True).weights
    model = Model(config, weights)
    audio = 0.1 * torch.randn(10 * 24000)

    def timed(work: Callable[[], object]) -> float:
        started = time.perf_counter()
        work()
        return 1000 * (time.perf_counter() - started)

    def encode() -> object:
        torch.set_num_threads(2)
        try:
            return model.encode_voice(audio)
        finally:
            torch.set_num_threads(1)

    mine, other = _alternating(
        lambda: timed(encode),
        lambda: timed(lambda: theirs.model.get_state_for_audio_prompt(audio[None])),
        5,
    )
    yield _cost("voice state from 10 s of audio", "ms", mine, other, 1 / 0.6, 1 / 0.4)


def processes() -> Iterator[Result]:
    """Peak memory, and time from the start of a process to its first audio; weights cached on both sides."""
    assets("english")

    def child(side: str) -> tuple[float, float]:
        started = time.perf_counter()
        command = [sys.executable, "-m", "bench.child", side]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            process.stdout.readline()
            first = time.perf_counter() - started
            return first, float(process.stdout.readline())

    child("ours")  # measures kernels and quantises once
    pairs = [(child("ours"), child("theirs")) for _ in range(5)]
    times = [[one[0] for one in side] for side in zip(*pairs, strict=True)]
    sizes = [[one[1] for one in side] for side in zip(*pairs, strict=True)]
    yield _cost(
        "peak memory, int8, ready and speaking", "MiB",
        statistics.median(sizes[0]), statistics.median(sizes[1]), 1 / 0.45, 3.0,
    )  # fmt: skip
    yield _cost(
        "process start to first audio, int8", "s",
        statistics.median(times[0]), statistics.median(times[1]), 2.0, 1 / 0.35,
    )  # fmt: skip


def long_lived() -> Iterator[Result]:
    """Memory over 500 requests of all lengths: its growth, by the last 400 of them."""
    ours = Ours(assets("english"), quantize=True)
    chance = random.Random(1)
    # Shorter sentences cannot be had of every length.
    texts = [text_of(tokens) for tokens in range(8, 28)]
    numbers = iter(range(500))
    lock = threading.Lock()

    def listen(_: int) -> None:
        while True:
            with lock:
                number = next(numbers, None)
                frames, text = chance.randint(3, 30), chance.choice(texts)
                if number == 100:
                    sizes.append(_resident_mib())
            if number is None:
                return
            for index, _samples in enumerate(ours.frames(text, number)):
                if index == frames:  # goes away, as listeners do
                    break

    sizes: list[float] = []
    in_threads(listen, 4)
    sizes.append(_resident_mib())
    ours.close()
    early, late = sizes
    yield _cost(
        f"memory after 500 requests, int8 (theirs: ours after 100); {(late - early) / 4:+.2f} MiB per 100 requests",
        "MiB", late, early, 0.98, 1.0,
    )  # fmt: skip


def _resident_mib() -> float:
    status = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) / 1024


def quality() -> Iterator[Result]:
    """What int8 costs, ours beside theirs."""
    from bench import quality

    return quality.quality()


FIGURES: dict[str, Callable[[], Iterator[Result]]] = {
    "int8": lambda: streams(True),
    "float32": lambda: streams(False),
    "first-audio": first_audio,
    "long-text": long_text,
    "small-models": small_models,
    "late-frames": late_frames,
    "voice-state": voice_state,
    "processes": processes,
    "long-lived": long_lived,
    "quality": quality,
}
