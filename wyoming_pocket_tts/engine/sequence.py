"""A sequence: one segment of text being turned into frames, from waiting to its end.

Knows when a segment is over (end of speech, frames after it, runaway) and which noise it draws; knows no model and no other
sequence. Every sequence owns its random generator, so the same request gives the same samples alone and in a batch.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from typing import Protocol

import torch
from torch import Tensor

from wyoming_pocket_tts.engine.state import VoiceState

# The EOS logit of some voices crosses the threshold before speech has begun: ignored so long.
MIN_FRAMES_BEFORE_EOS = 6
# A segment of n tokens may take n / 3 + 2 seconds; more is a runaway. Both from `pocket-tts` 4.0.1.
_TOKENS_PER_SECOND = 3.0
_SPARE_SECONDS = 2.0
# A segment that nobody has heard yet is tried again so often with another seed when it runs away.
MAX_RETRIES = 2
# Odd constant of splitmix64: it spreads attempt numbers over all bits of a seed.
_SEED_STEP = 0x9E3779B97F4A7C15
_SEED_MASK = 0x7FFF_FFFF_FFFF_FFFF
_SEEDS_PER_SEGMENT = 16


def frame_limit(tokens: int, frame_rate_hz: float) -> int:
    """The most frames that a segment of so many tokens may take."""
    return math.ceil((tokens / _TOKENS_PER_SECOND + _SPARE_SECONDS) * frame_rate_hz)


def derive_seed(seed: int, index: int) -> int:
    """The seed of the `index`th part (segment, attempt) of something that has a seed itself."""
    return (seed + index * _SEED_STEP) & _SEED_MASK


def segment_seed(seed: int, segment: int) -> int:
    """The seed of a request's segment; each leaves room for its own further attempts."""
    return derive_seed(seed, segment * _SEEDS_PER_SEGMENT)


@dataclass(frozen=True)
class Sampling:
    """How latents are drawn and when speech ends.

    Attributes:
        temperature: variance of the noise.
        eos_threshold: a logit; speech ends where the EOS logit is above it.
        noise_clamp: noise is drawn within +- this; None for no limit.
        frames_after_eos: frames still delivered from the one on at which EOS fires.
    """

    temperature: float
    eos_threshold: float
    noise_clamp: float | None
    frames_after_eos: int


@dataclass(frozen=True)
class SequenceSpec:
    """What is to be generated.

    Attributes:
        tokens: ids of the prepared text.
        voice: the prefix; shared, never written to.
        sampling: see there.
        seed: of the first attempt.
        max_frames: the runaway limit.
        request: whose segment it is; requests share the slots fairly.
    """

    tokens: tuple[int, ...]
    voice: VoiceState
    sampling: Sampling
    seed: int
    max_frames: int
    request: str = ""

    @property
    def positions(self) -> int:
        """Cache positions it needs at most."""
        return self.voice.length + len(self.tokens) + self.max_frames


class End(enum.Enum):
    """Why a sequence ended."""

    EOS = "eos"
    RUNAWAY = "runaway"


@dataclass(frozen=True)
class SequenceResult:
    """How a sequence ended.

    Attributes:
        end: end of speech, or cut at the limit.
        frames: frames delivered.
        retries: earlier attempts that ran away unheard.
    """

    end: End
    frames: int
    retries: int


class FrameSink(Protocol):
    """Where a sequence's frames go; called by the engine's threads.

    A sequence may be begun anew as long as nobody has heard it. Attempts are counted from 0, and what still comes from an
    earlier one is to be ignored.
    """

    @property
    def urgent(self) -> bool:
        """Whether a listener waits for it now (False: it is generated ahead)."""

    def put(self, frame: Tensor, attempt: int) -> None:
        """Takes PCM [S] float32."""

    def restart(self) -> bool:
        """Forgets all frames and goes on to the next attempt; False, and nothing done, when some were taken already."""

    def finish(self, result: SequenceResult, attempt: int) -> None:
        """No more frames will come."""

    def fail(self, error: Exception) -> None:
        """No more frames will come, because of `error`."""


class Step(enum.Enum):
    """What one generated frame means for its sequence."""

    DELIVER = "deliver"
    DELIVER_AND_END = "deliver and end"
    END = "end"


@dataclass(eq=False)
class Sequence:
    """A sequence with its progress.

    Attributes:
        slot: while it runs; -1 otherwise.
        frames: latents made in this attempt.
        retries: attempts that ran away.
        attempt: counts every new beginning, also those for which the scheduler is the reason.
        dropped: cancelled or failed: nothing of it matters any more.
        latent: [latent width], the last one made.
    """

    spec: SequenceSpec
    sink: FrameSink
    slot: int = -1
    frames: int = 0
    retries: int = 0
    attempt: int = 0
    dropped: bool = False
    eos_frame: int | None = None
    latent: Tensor = field(default_factory=lambda: torch.empty(0))
    _generator: torch.Generator = field(default_factory=torch.Generator)

    def begin(self) -> None:
        """(Re)starts from nothing: the same attempt of the same spec always draws the same noise."""
        self.frames = 0
        self.eos_frame = None
        self._generator.manual_seed(derive_seed(self.spec.seed, self.retries))

    def restart(self) -> bool:
        """Gives the attempt up for another one, if nobody has heard any of it."""
        if not self.sink.restart():
            return False
        self.attempt += 1
        return True

    def fail(self, error: Exception) -> None:
        """Ends it with an error."""
        self.dropped = True
        self.sink.fail(error)

    def draw_noise(self, width: int) -> Tensor:
        """The next noise row, [width]."""
        sampling = self.spec.sampling
        std = math.sqrt(sampling.temperature)
        if sampling.noise_clamp is None:
            return torch.randn(width, generator=self._generator) * std
        if std == 0:
            return torch.zeros(width)
        # Inverse of the normal distribution's cumulative function, between the clamp's two quantiles.
        reach = math.erf(sampling.noise_clamp / std / math.sqrt(2))
        uniform = torch.rand(width, generator=self._generator).mul_(2).sub_(1)
        drawn = torch.erfinv(uniform * reach) * (std * math.sqrt(2))
        return drawn.clamp_(-sampling.noise_clamp, sampling.noise_clamp)

    def advance(self, eos_logit: float) -> Step:
        """Counts the frame just generated and says what becomes of it."""
        sampling = self.spec.sampling
        index = self.frames
        if (
            self.eos_frame is None
            and index >= MIN_FRAMES_BEFORE_EOS
            and eos_logit > sampling.eos_threshold
        ):
            self.eos_frame = index
        if self.eos_frame is not None and index >= self.eos_frame + sampling.frames_after_eos:
            return Step.END
        self.frames += 1
        if self.frames < self.spec.max_frames:
            return Step.DELIVER
        return Step.DELIVER_AND_END

    @property
    def ran_away(self) -> bool:
        """Whether the limit was reached without an end of speech."""
        return self.eos_frame is None and self.frames >= self.spec.max_frames

    def result(self) -> SequenceResult:
        """How it ended, once it has."""
        end = End.RUNAWAY if self.ran_away else End.EOS
        return SequenceResult(end, self.frames, self.retries)
