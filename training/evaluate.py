"""Measures the voices of a model on sentences of homes that were never trained on; `make voice-eval`.

Each voice reads all sentences alone in float32, alone with 8-bit weights, and four at a time; its teacher reads them too. A recogniser that
knows nothing of either writes down what it hears. One JSON line for each voice and way, one for each sentence, and a page for
eyes and ears.
"""

from __future__ import annotations

import argparse
import json
import wave
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from training.page import write_page
from training.recognition import Recogniser, word_errors
from training.settings import VOICES
from training.speech import read_aloud, require_flite, trim
from training.texts import evaluation_sentences, segments
from wyoming_pocket_tts.engine.sequence import End
from wyoming_pocket_tts.text.options import TextOptions
from wyoming_pocket_tts.tts.model import TTSModel
from wyoming_pocket_tts.tts.speech import PartEnd
from wyoming_pocket_tts.tts.state import ModelState

Samples = npt.NDArray[np.float32]

TEACHER = "teacher"
# How the model may be run: its name, 8-bit weights or not, sentences at a time.
WAYS = (("float32", False, 1), ("int8", True, 1), ("batch of 4", False, 4))
# What must hold.
MOST_ERRORS_OVER_TEACHER = 0.12
MOST_ERRORS_OVER_ALONE = 0.01
LONGEST = 1.3
LOUDEST_CLICK_DB = -50.0

_SEED = 11
_EDGE_S = 0.002
_TEACHER_TAIL_FRAMES = 6


@dataclass(frozen=True)
class Spoken:
    """A sentence as it was said.

    Attributes:
        samples: [S] float32.
        ended: every segment ended by itself.
        click_db: the loudest of the first and last 2 ms of all segments, relative to full scale.
    """

    samples: Samples
    ended: bool
    click_db: float


@dataclass(frozen=True)
class Line:
    """A sentence of a voice, measured."""

    voice: str
    way: str
    text: str
    heard: str
    errors: int
    words: int
    seconds: float
    length: float
    ended: bool
    click_db: float


def edges_db(parts: Iterable[Samples], rate_hz: int) -> float:
    """Level of the loudest sample where sound begins or ends, in dBFS.

    A click is what is there at once: speech grows from silence and goes back to it.
    """
    edge = round(_EDGE_S * rate_hz)
    peaks = [float(np.abs(np.r_[part[:edge], part[-edge:]]).max()) for part in parts if len(part)]
    return 20 * float(np.log10(max([*peaks, 1e-6])))


def speak(model: TTSModel, voice: ModelState, text: str) -> Spoken:
    """Says a sentence, written out as a server would: nothing tells it the language of a model that is only a file."""
    parts: list[Samples] = []
    frames: list[Samples] = []
    ended = True
    for piece in model.speak(voice, " ".join(segments(text)), seed=_SEED):
        if isinstance(piece, PartEnd):
            ended &= piece.result is None or piece.result.end is End.EOS
            parts.append(np.concatenate([*frames, np.zeros(0, np.float32)]))
            frames = []
        else:
            frames.append(piece)
    return Spoken(np.concatenate(parts), ended, edges_db(parts, model.sample_rate))


def teacher_says(text: str, voice: str) -> Samples:
    """The teacher, with as much silence around as the model has."""
    made = []
    for part in segments(text):
        samples, end = trim(read_aloud(part, voice))
        made.append(samples[: len(samples) * (end + 2) // (end + _TEACHER_TAIL_FRAMES)])
    return np.concatenate(made)


def measured(
    voice: str, way: str, text: str, spoken: Spoken, rate_hz: int, teacher_s: float, heard: str
) -> Line:
    """Puts a sentence's figures together."""
    errors, words = word_errors(" ".join(segments(text)), heard)
    seconds = len(spoken.samples) / rate_hz
    return Line(
        voice, way, text, heard, errors, words, round(seconds, 3), round(seconds / teacher_s, 3),
        spoken.ended, round(spoken.click_db, 1),
    )  # fmt: skip


def summary(lines: list[Line]) -> dict[str, object]:
    """The figures of one voice and way."""
    lengths = [line.length for line in lines]
    return {
        "voice": lines[0].voice,
        "way": lines[0].way,
        "sentences": len(lines),
        "word_error_rate": sum(line.errors for line in lines) / sum(line.words for line in lines),
        "not_ended": sum(not line.ended for line in lines),
        "length_mean": float(np.mean(lengths)),
        "length_most": max(lengths),
        "click_db": max(line.click_db for line in lines),
    }


def complaints(summaries: list[dict[str, object]]) -> Iterator[str]:
    """What does not hold."""
    rates = {(s["voice"], s["way"]): float(str(s["word_error_rate"])) for s in summaries}
    for figures in summaries:
        voice, way = figures["voice"], figures["way"]
        if way == TEACHER:
            continue
        name, rate = f"{voice}, {way}", rates[voice, way]
        over = rate - rates[voice, TEACHER]
        if over > MOST_ERRORS_OVER_TEACHER:
            yield f"{name}: word error rate {100 * over:.1f} points over the teacher's"
        alone = rates.get((voice, WAYS[0][0]), rate)
        if rate - alone > MOST_ERRORS_OVER_ALONE:
            yield f"{name}: word error rate {100 * (rate - alone):.1f} points over float32 alone"
        if figures["not_ended"]:
            yield f"{name}: {figures['not_ended']} sentences did not end by themselves"
        if float(str(figures["length_most"])) > LONGEST:
            yield f"{name}: a sentence of {figures['length_most']} times the teacher's length"
        if float(str(figures["click_db"])) > LOUDEST_CLICK_DB:
            yield f"{name}: a click of {figures['click_db']} dBFS"


class Evaluation:
    """Runs it all; keeps what was heard, as the same samples are heard the same."""

    def __init__(self, config: Path, out: Path, texts: list[str]) -> None:
        self._config = config
        self._out = out
        self._texts = texts
        self._recogniser = Recogniser()
        self._heard: dict[bytes, str] = {}
        self._teachers: dict[tuple[str, str], float] = {}

    def teacher(self, voice: str) -> Iterator[Line]:
        """The teacher's own lines."""
        for index, text in enumerate(self._texts):
            samples = teacher_says(text, voice)
            seconds = len(samples) / 16_000
            self._teachers[voice, text] = seconds
            self._keep(voice, TEACHER, index, samples, 16_000)
            heard = self._hear(samples, 16_000)
            yield measured(
                voice, TEACHER, text, Spoken(samples, True, -120.0), 16_000, seconds, heard
            )

    def ours(
        self, voices: Iterable[str], way: str, quantize: bool, together: int
    ) -> Iterator[Line]:
        """The model's lines, run in one of the ways."""
        with TTSModel.load_model(
            config=self._config,
            quantize=quantize,
            text_options=TextOptions(),
            tune=False,
            threads=1,
            offline=True,
        ) as model:
            for voice in voices:
                state = model.get_state_for_audio_prompt(
                    self._config.with_name(f"{voice}.safetensors")
                )
                with ThreadPoolExecutor(together) as pool:
                    spoken = list(pool.map(lambda text: speak(model, state, text), self._texts))  # noqa: B023
                for index, (text, said) in enumerate(zip(self._texts, spoken, strict=True)):
                    self._keep(voice, way, index, said.samples, model.sample_rate)
                    heard = self._hear(said.samples, model.sample_rate)
                    teacher_s = self._teachers[voice, text]
                    yield measured(voice, way, text, said, model.sample_rate, teacher_s, heard)

    def _hear(self, samples: Samples, rate_hz: int) -> str:
        key = samples.tobytes()
        if key not in self._heard:
            self._heard[key] = self._recogniser.hear(samples, rate_hz)
        return self._heard[key]

    def _keep(self, voice: str, way: str, index: int, samples: Samples, rate_hz: int) -> None:
        path = wav_path(self._out, voice, way, index)
        path.parent.mkdir(parents=True, exist_ok=True)
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(rate_hz)
            file.writeframes((samples * 32767).clip(-32767, 32767).astype("<i2").tobytes())


def wav_path(out: Path, voice: str, way: str, index: int) -> Path:
    """Where a sentence's sound is kept."""
    return out / "wav" / f"{voice}-{way.replace(' ', '-')}" / f"{index:03d}.wav"


def main() -> int:
    """Measures a model's voices; fails where a line is not held."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument(
        "--config", type=Path, default=Path("wyoming_pocket_tts/starter/model.yaml")
    )
    parser.add_argument("--out", type=Path, default=Path("build/voice-eval"))
    parser.add_argument("--count", type=int, help="sentences; all of them by default")
    parser.add_argument("--voices", default=",".join(VOICES))
    parser.add_argument("--ways", default=",".join(name for name, *_ in WAYS))
    arguments = parser.parse_args()
    require_flite()
    texts = evaluation_sentences()
    texts = texts[:: max(1, len(texts) // (arguments.count or len(texts)))]
    voices = arguments.voices.split(",")
    evaluation = Evaluation(arguments.config, arguments.out, texts)
    lines = [line for voice in voices for line in evaluation.teacher(voice)]
    for way, quantize, together in WAYS:
        if way in arguments.ways.split(","):
            lines += evaluation.ours(voices, way, quantize, together)
    groups = dict.fromkeys((line.voice, line.way) for line in lines)
    summaries = [
        summary([line for line in lines if (line.voice, line.way) == group]) for group in groups
    ]
    with (arguments.out / "sentences.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(line)) + "\n" for line in lines)
    with (arguments.out / "summary.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(figures) + "\n" for figures in summaries)
    for figures in summaries:
        print(json.dumps(figures))
    write_page(arguments.out, texts, summaries, lines)
    print(f"{arguments.out / 'index.html'}: spectrograms, and what to listen to")
    failed = list(complaints(summaries))
    print("\n".join(failed) if failed else "All lines are held.")
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
