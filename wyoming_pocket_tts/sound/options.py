"""How speech is to sound: what an installation, a voice and a request may choose.

The narrower choice wins: request, then voice, then server. Imports no numpy, so that settings can be read without it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

SLOWEST, FASTEST = 0.5, 2.0
QUIETEST_DB, LOUDEST_DB = -40.0, 20.0
MAX_SILENCE_MS = 10_000


@dataclass(frozen=True)
class SoundOptions:
    """What is chosen in the end.

    Attributes:
        speed: how many times as fast as the model speaks, without a change of pitch.
        volume_db: decibels louder (or, below 0, quieter) than the model speaks; what would go beyond full scale is limited.
        lead_silence_ms: silence before the first word.
        tail_silence_ms: silence after the last word.
    """

    speed: float = 1.0
    volume_db: float = 0.0
    lead_silence_ms: int = 0
    tail_silence_ms: int = 0

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True)
class SoundChoice:
    """What a voice or a request chooses of it; None leaves the wider choice."""

    speed: float | None = None
    volume_db: float | None = None
    lead_silence_ms: int | None = None
    tail_silence_ms: int | None = None

    def __post_init__(self) -> None:
        _check(self)

    @classmethod
    def of(cls, holder: object) -> SoundChoice:
        """The choice of something that has fields of these names."""
        return cls(**{field.name: getattr(holder, field.name) for field in dataclasses.fields(cls)})

    def over(self, options: SoundOptions) -> SoundOptions:
        """`options` with what is chosen here in their place."""
        chosen = {name: value for name, value in vars(self).items() if value is not None}
        return dataclasses.replace(options, **chosen) if chosen else options


def _check(options: SoundOptions | SoundChoice) -> None:
    """Raises ValueError for what cannot be done; NaN cannot either."""
    for name, lowest, highest in (
        ("speed", SLOWEST, FASTEST),
        ("volume_db", QUIETEST_DB, LOUDEST_DB),
        ("lead_silence_ms", 0, MAX_SILENCE_MS),
        ("tail_silence_ms", 0, MAX_SILENCE_MS),
    ):
        value = getattr(options, name)
        if value is not None and not lowest <= value <= highest:
            raise ValueError(f"{name} must be between {lowest:g} and {highest:g}, not {value}")
