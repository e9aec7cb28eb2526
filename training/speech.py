"""The teacher's speech: flite reads the texts, and the sound is packed as one file per voice.

A text is read by one voice. Packed means: at the model's rate, voices equally loud, a short and equal silence before
speech and one after it (so that a model can learn where speech ends), whole frames.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import subprocess
import wave
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from training.settings import FRAME, SAMPLE_RATE_HZ, VOICES

Samples = npt.NDArray[np.float32]

LEAD_FRAMES = 1
TAIL_FRAMES = 6
# RMS over a whole utterance; about -23 dBFS, as the loudness of speech is often set.
_RMS = 0.07
_SPEECH_OVER_LOUDEST_DB = -42.0
_WINDOW_S = 0.01
# Utterances between two writings of a voice's files.
_BLOCK = 200


@dataclass(frozen=True)
class Packed:
    """Speech of a voice.

    Attributes:
        samples: int16, all utterances one after the other.
        starts: [N + 1], where each begins, in samples; whole frames.
        ends: [N], frames of each up to the end of speech; the rest is silence.
        texts: [N], indices into the texts.
    """

    samples: npt.NDArray[np.int16]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    texts: npt.NDArray[np.int64]

    @classmethod
    def load(cls, folder: Path, voice: str) -> Packed:
        """Reads what there is of a voice; the samples stay on disk."""
        table = np.load(folder / f"{voice}.npz")
        samples = np.memmap(folder / f"{voice}.pcm", np.int16, "r")
        return cls(samples, table["starts"], table["ends"], table["texts"])


def require_flite() -> None:
    """
    Raises:
        SystemExit: it is not installed; says how to get it.
    """
    if shutil.which("flite") is None:
        raise SystemExit("flite, the teacher, is not installed: apt-get install flite")


def read_aloud(text: str, voice: str) -> Samples:
    """What flite says: [S] float32 at the model's rate, as it comes."""
    run = subprocess.run(
        ["flite", "-voice", voice, "-t", text, "-o", "/dev/stdout"],
        check=True,
        stdout=subprocess.PIPE,
    )
    with wave.open(io.BytesIO(run.stdout)) as file:
        assert file.getframerate() == SAMPLE_RATE_HZ
    # The header of a stream holds no length.
    return np.frombuffer(run.stdout[44:], np.int16).astype(np.float32) / np.float32(32768)


def trim(samples: Samples) -> tuple[Samples, int]:
    """Speech with `LEAD_FRAMES` before and `TAIL_FRAMES` of silence after it, in whole frames.

    Returns:
        The samples, and the frame at which speech has ended.
    """
    window = round(_WINDOW_S * SAMPLE_RATE_HZ)
    total = np.cumsum(np.pad(samples.astype(np.float64) ** 2, (window, 0)))
    power = total[window:] - total[:-window]
    loud = np.nonzero(power > power.max() * 10 ** (_SPEECH_OVER_LOUDEST_DB / 10))[0]
    first, last = int(loud[0]), int(loud[-1]) + 1
    before = samples[max(0, first - LEAD_FRAMES * FRAME) : first]
    speech = np.concatenate(
        [np.zeros(LEAD_FRAMES * FRAME - len(before), np.float32), before, samples[first:last]]
    )
    frames = -(-len(speech) // FRAME)
    length = (frames + TAIL_FRAMES) * FRAME
    after = samples[last : last + length - len(speech)]
    fade = min(len(after), 2 * FRAME)
    after = after[:fade] * np.linspace(1, 0, fade, dtype=np.float32)
    whole = np.concatenate([speech, after, np.zeros(length - len(speech) - len(after), np.float32)])
    return whole, frames


def record(
    folder: Path, texts: Sequence[str], indices: Sequence[int], voice: str, workers: int
) -> None:
    """Has a voice read some of the texts and adds them to its files, block by block; goes on where it was stopped."""
    speak = partial(_utterance, voice=voice)
    starts, ends, done = [0], [], []
    gain = 0.0
    if (folder / f"{voice}.npz").exists():
        table = np.load(folder / f"{voice}.npz")
        starts, ends, done = (table[key].tolist() for key in ("starts", "ends", "texts"))
        gain = float(table["gain"])
    waiting = [index for index in indices if index not in set(done)]
    with ProcessPoolExecutor(workers) as pool, (folder / f"{voice}.pcm").open("ab") as file:
        file.truncate(2 * starts[-1])
        for first in range(0, len(waiting), _BLOCK):
            block = waiting[first : first + _BLOCK]
            spoken = list(pool.map(speak, [texts[index] for index in block], chunksize=8))
            if not gain:
                gain = _RMS / float(np.sqrt(np.mean([np.mean(pcm**2) for pcm, _ in spoken])))
            for (pcm, end), index in zip(spoken, block, strict=True):
                file.write((pcm * (gain * 32767)).clip(-32767, 32767).astype(np.int16).tobytes())
                starts.append(starts[-1] + len(pcm))
                ends.append(end)
                done.append(index)
            file.flush()
            partial_file = folder / f"{voice}.partial.npz"
            np.savez(partial_file, starts=starts, ends=ends, texts=done, gain=gain)
            os.replace(partial_file, folder / f"{voice}.npz")
            print(
                f"{voice}: {len(done)} utterances, {starts[-1] / SAMPLE_RATE_HZ / 3600:.2f} h",
                flush=True,
            )


def _utterance(text: str, voice: str) -> tuple[Samples, int]:
    return trim(read_aloud(text, voice))


def main() -> None:
    """Has every voice read its share of the texts."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument(
        "--folder", type=Path, required=True, help="has texts.json, gets the speech"
    )
    parser.add_argument("--texts-per-voice", type=int, default=8_000)
    parser.add_argument("--voices", default=",".join(VOICES))
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    require_flite()
    texts = json.loads((arguments.folder / "texts.json").read_text(encoding="utf-8"))
    for voice in arguments.voices.split(","):
        place = list(VOICES).index(voice)
        indices = range(place, len(texts), len(VOICES))[: arguments.texts_per_voice]
        record(arguments.folder, texts, indices, voice, arguments.workers)


if __name__ == "__main__":
    main()
