"""What is in memory and at work, as figures for those who watch the server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HostFigures:
    """What is in memory and at work at this moment, for those who watch the server.

    Attributes:
        slots, slots_used: of all loaded models.
        segments_waiting: segments without a slot.
        models, models_bytes: loaded models, and their weights.
        voices, voices_bytes: voice states in memory.
        voice_hits, voice_misses: how often a voice's state was there when it was asked for, and how often not.
    """

    slots: int
    slots_used: int
    segments_waiting: int
    models: int
    models_bytes: int
    voices: int
    voices_bytes: int
    voice_hits: int
    voice_misses: int
