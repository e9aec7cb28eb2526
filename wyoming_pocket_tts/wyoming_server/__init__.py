"""The Wyoming protocol server: events in, `SpeechRequest`s to the synthesizer, audio events out.

    listen -> connection -> reader  (events <- bytes, goes on beside speaking)
                         -> speaker (requests in order, audio -> link)

It knows the synthesizer's interface and the types of `speech`, and nothing below them.
"""

from __future__ import annotations

from wyoming_pocket_tts.wyoming_server.options import WyomingOptions
from wyoming_pocket_tts.wyoming_server.server import WyomingServer

__all__ = ["WyomingOptions", "WyomingServer"]
