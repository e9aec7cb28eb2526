"""A recording that is to become a voice: read, and judged before anything is made of it.

    wav, flac, mp3, ogg -> the first 30 s, mono -> refused with the reason, or taken

What kind of file it is, its content decides; names play no part. What is done to the sound afterwards stands in `prompt_sound`.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from wyoming_pocket_tts.errors import AudioPromptError
from wyoming_pocket_tts.prompt_sound import (
    FRAME_S,
    Powers,
    Samples,
    active_frames,
    centred,
    decibels,
    frame_powers,
    loudest,
)
from wyoming_pocket_tts.speech_check import speech_frames

if TYPE_CHECKING:
    import soundfile

MAX_FILE_BYTES = 256 * 1024 * 1024
MAX_PROMPT_S = 30.0
MIN_SPEECH_S = 1.0

_FORMATS = ("WAV", "WAVEX", "RF64", "W64", "AIFF", "FLAC", "MP3", "OGG")
_LOSSY_SUBTYPES = ("MPEG", "VORBIS", "OPUS")
_RATES_HZ = (4_000, 768_000)
_MOST_CHANNELS = 64

# Flat tops: this many samples in a row at full scale, and their share of the samples in which somebody speaks. Recordings that are
# merely loud touch full scale one sample at a time.
_FLAT_SAMPLES = 3
_CLIPPED_SHARE = 0.005
FULL_SCALE = 0.999
_FULL_SCALE_LOSSY = 0.99

# Under a tenth of the power that unrelated channels would have together, a mix is what is left of channels that cancel.
_CANCELLED_SHARE = 0.1


@dataclass(frozen=True)
class Recording:
    """The part of a file that is used.

    Attributes:
        samples: [S] float32, mono.
        rate_hz: samples per second.
        sha256: of the whole file, in hexadecimal.
    """

    samples: Samples
    rate_hz: int
    sha256: str

    @property
    def seconds(self) -> float:
        """How long it is."""
        return len(self.samples) / self.rate_hz


def read_prompt(path: Path, *, called: str | None = None) -> Recording:
    """Reads a recording and sees whether it can serve as a voice.

    Args:
        path: the file.
        called: its name in messages; the path when None.

    Raises:
        AudioPromptError: unreadable, not audio, too big, silent, under 1 s of speech, no speech but noise, or clipped; says which and what to do.
    """
    where = called or str(path)
    try:
        with path.open("rb") as file:
            sha256 = _digest(file, where)
            file.seek(0)
            return _read(file, sha256, where)
    except OSError as error:
        raise AudioPromptError(f"{where}: cannot be read: {error.strerror or error}.") from error


def _digest(file: BinaryIO, where: str) -> str:
    """SHA-256 of the file, unless it is too big."""
    digest, size = hashlib.sha256(), 0
    while block := file.read(1024 * 1024):
        size += len(block)
        if size > MAX_FILE_BYTES:
            raise AudioPromptError(
                f"{where}: is larger than {MAX_FILE_BYTES // 1024 // 1024} MiB. At most "
                f"{MAX_PROMPT_S:.0f} s of a recording are used: cut a part out of it."
            )
        digest.update(block)
    if not size:
        raise AudioPromptError(f"{where}: is empty.")
    return digest.hexdigest()


def _read(file: BinaryIO, sha256: str, where: str) -> Recording:
    import soundfile

    try:
        with soundfile.SoundFile(_Nameless(file)) as sound:
            _check_header(sound, where)
            frames = math.ceil(MAX_PROMPT_S * sound.samplerate)
            by_channel = sound.read(frames, dtype="float32", always_2d=True)
            rate_hz, full_scale = sound.samplerate, _full_scale(sound.subtype)
    except soundfile.SoundFileError as error:
        raise AudioPromptError(
            f"{where}: is not a recording that can be read ({_reason(error)}). Give wav, flac, mp3 or "
            "ogg; other formats (m4a, aac, wma, webm) can be converted to one of them."
        ) from error
    if not np.isfinite(by_channel).all():
        raise AudioPromptError(f"{where}: holds samples that are not numbers: it is damaged.")
    return Recording(judged(by_channel, rate_hz, full_scale, where), rate_hz, sha256)


def judged(by_channel: Samples, rate_hz: int, full_scale: float, where: str) -> Samples:
    """Samples that can serve as a voice, as one channel.

    Args:
        by_channel: [S, channels] float32, finite.
        rate_hz: of the samples.
        full_scale: the magnitude that a clipped sample reaches at least.
        where: what to call them in messages.

    Returns:
        [S] float32.

    Raises:
        AudioPromptError: silent, under 1 s of speech, no speech but noise, or clipped.
    """
    samples = mono(by_channel)
    # Judged without its constant part; taken as it is, since preparation may be switched off.
    sound_alone = centred(samples)
    power = frame_powers(sound_alone, rate_hz)
    active = active_frames(power)
    _check_active(power, active, sound_alone, rate_hz, where)
    _check_clipping(by_channel, active, rate_hz, full_scale, where)
    _check_speech(active, sound_alone, rate_hz, where)
    return samples


class _Nameless:
    """A file without its name, from which the library would guess: ".raw" has it take any bytes for samples."""

    def __init__(self, file: BinaryIO) -> None:
        self.read, self.seek, self.tell = file.read, file.seek, file.tell


def _check_header(sound: soundfile.SoundFile, where: str) -> None:
    if sound.format not in _FORMATS:
        raise AudioPromptError(
            f"{where}: is a {sound.format} file, which is not taken. Give wav, flac, mp3 or ogg."
        )
    low, high = _RATES_HZ
    if not low <= sound.samplerate <= high or sound.channels > _MOST_CHANNELS:
        raise AudioPromptError(
            f"{where}: has {sound.channels} channels of {sound.samplerate} samples a second; at most "
            f"{_MOST_CHANNELS} channels of {low} to {high} are taken."
        )


def mono(by_channel: Samples) -> Samples:
    """The mean of the channels, or the loudest one where they cancel each other: one microphone of two was wired the wrong way round.

    Args:
        by_channel: [S, channels] float32.

    Returns:
        [S] float32.
    """
    mixed = np.ascontiguousarray(by_channel.mean(axis=1), dtype=np.float32)
    if not len(mixed):
        return mixed
    powers = np.square(centred(by_channel), dtype=np.float64).mean(axis=0)
    # What channels that have nothing to do with each other would give.
    unrelated = powers.sum() / by_channel.shape[1] ** 2
    if np.square(centred(mixed), dtype=np.float64).mean() >= _CANCELLED_SHARE * unrelated:
        return mixed
    return np.ascontiguousarray(by_channel[:, int(powers.argmax())])


def _check_active(
    power: Powers,
    active: NDArray[np.bool_],
    samples: Samples,
    rate_hz: int,
    where: str,
) -> None:
    length_s = len(samples) / rate_hz
    used = f"the {length_s:.1f} s used of it"
    if not active.any():
        level = f", {decibels(loudest(power)):.0f} dBFS at most" if samples.any() else ""
        raise AudioPromptError(
            f"{where}: {used} are silent{level}. Record it again, nearer to the microphone."
        )
    speech_s = float(active.sum()) * FRAME_S
    # Frames are counted: a hair under the limit is rounding.
    if speech_s < MIN_SPEECH_S - FRAME_S / 2:
        raise AudioPromptError(
            f"{where}: {used} hold {speech_s:.1f} s of speech; {MIN_SPEECH_S:.0f} s is the least, 10 s or more "
            "make a better voice."
        )


def _check_speech(active: NDArray[np.bool_], samples: Samples, rate_hz: int, where: str) -> None:
    speech_s = float(speech_frames(samples, rate_hz, active).sum()) * FRAME_S
    if speech_s < MIN_SPEECH_S - FRAME_S / 2:
        raise AudioPromptError(
            f"{where}: the {len(samples) / rate_hz:.1f} s used of it hold {speech_s:.1f} s of speech; the rest is steady, "
            f"as noise, a hum or a tone is. Record somebody speaking, for {MIN_SPEECH_S:.0f} s at least, in a quiet room."
        )


def _check_clipping(
    by_channel: Samples, active: NDArray[np.bool_], rate_hz: int, full_scale: float, where: str
) -> None:
    spoken = float(active.sum()) * FRAME_S * rate_hz
    worst = max(_flat_samples(channel, full_scale) for channel in by_channel.T) / spoken
    if worst > _CLIPPED_SHARE:
        raise AudioPromptError(
            f"{where}: is clipped: {100 * worst:.1f} % of its samples are cut off at full scale. Record it "
            "again with the microphone's level turned down."
        )


def _flat_samples(channel: Samples, full_scale: float) -> int:
    """Samples in runs of at least `_FLAT_SAMPLES` at full scale."""
    at_top = np.concatenate(([0], (np.abs(channel) >= full_scale).astype(np.int8), [0]))
    edges = np.flatnonzero(np.diff(at_top))
    lengths = edges[1::2] - edges[::2]
    return int(lengths[lengths >= _FLAT_SAMPLES].sum())


def _full_scale(subtype: str) -> float:
    """The magnitude that a clipped sample reaches at least; lossy codecs bend flat tops a little."""
    if subtype.startswith(_LOSSY_SUBTYPES):
        return _FULL_SCALE_LOSSY
    # 127/128 is the highest that 8 bits hold; log formats have their top step well under 1.
    coarse = {"PCM_U8": 0.99, "PCM_S8": 0.99, "ULAW": 0.98, "ALAW": 0.98}
    return coarse.get(subtype, FULL_SCALE)


def _reason(error: Exception) -> str:
    """The library's words without its address of the file object."""
    return str(getattr(error, "error_string", None) or error).strip().rstrip(".")
