"""How the segments of one call are sampled: the model's way, with what the user has chosen in its place."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from wyoming_pocket_tts.engine.sequence import Sampling
from wyoming_pocket_tts.models.loading import LoadedModel
from wyoming_pocket_tts.tts.arguments import check_number, check_whole
from wyoming_pocket_tts.tts.errors import WrongArgument


def check_sampling(
    temp: float | None = None,
    noise_clamp: float | None = None,
    eos_threshold: float | None = None,
    frames_after_eos: int | None = None,
    *,
    called: Callable[[str], str] = str,
) -> None:
    """Refuses what would fail in the engine, where others' speech would end with it; NaN too.

    Args:
        temp, noise_clamp, eos_threshold, frames_after_eos: as for `TTSModel`; None: the model's own.
        called: gives what to call an argument in errors.

    Raises:
        WrongArgument: names the value.
    """
    for name, value, low, high in (
        ("temp", temp, 0, 10),
        ("noise_clamp", noise_clamp, 0.01, 100),
        ("eos_threshold", eos_threshold, -1000, 1000),
    ):
        if value is not None:
            check_number(called(name), value, low, high)
    if frames_after_eos is not None:
        check_whole(called("frames_after_eos"), frames_after_eos, 0, 250)


def sampling_of(
    model: LoadedModel,
    temp: float,
    noise_clamp: float | None,
    eos_threshold: float,
    frames_after_eos: int | None,
) -> Callable[[bool], Sampling]:
    """A function from "is it a short text" to how it is sampled.

    Raises:
        WrongArgument: a value makes no sense.
    """
    for name, value in (("temp", temp), ("eos_threshold", eos_threshold)):
        if value is None:  # load_model takes it for the model's own
            raise WrongArgument(f"{name} must be a number, not None.")
    check_sampling(temp, noise_clamp, eos_threshold, frames_after_eos)

    def sampling(short_text: bool) -> Sampling:
        own = model.sampling(short_text)
        after = own.frames_after_eos if frames_after_eos is None else frames_after_eos
        return dataclasses.replace(
            own,
            temperature=temp,
            noise_clamp=noise_clamp,
            eos_threshold=eos_threshold,
            frames_after_eos=after,
        )

    return sampling
