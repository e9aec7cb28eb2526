"""A text-to-speech server for Home Assistant and other Wyoming clients, on its own Pocket TTS engine."""

from __future__ import annotations

__version__ = "0.1.0"
