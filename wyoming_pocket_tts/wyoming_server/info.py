"""The answer to `describe`: our voices as a Wyoming `info` event, made once and kept as bytes.

What the owner should know of (a model that cannot be had, for example) stands in the description.

Home Assistant asks every 30 s, allows one second in older releases, and takes any change for news: so the bytes are the same
as long as the list of voices is. It shows neither speakers nor aliases: every choice has to be a voice of its own.

Source: the `wyoming` package 1.10, module `info` (not imported: it drags in audio code that we have no use for).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wyoming_pocket_tts.speech import VoiceInfo
from wyoming_pocket_tts.wyoming_server.events import encode_event
from wyoming_pocket_tts.wyoming_server.options import WyomingOptions

# What else an info event lists. A TTS server has none, but clients may expect the keys.
_OTHER_KINDS = ("asr", "handle", "intent", "wake", "mic", "snd")


class InfoCache:
    """Encodes `info`, again only when the voices or the notices have changed."""

    def __init__(
        self, options: WyomingOptions, notices: Callable[[], Sequence[str]] = tuple
    ) -> None:
        self._options = options
        self._notices = notices
        self._known: tuple[tuple[VoiceInfo, ...], tuple[str, ...]] | None = None
        self._encoded = b""

    def encoded(self, voices: Sequence[VoiceInfo]) -> bytes:
        """The whole `info` event for these voices, in their order."""
        current = (tuple(voices), tuple(self._notices()))
        if current != self._known:
            self._encoded = self._encode(*current)
            self._known = current
        return self._encoded

    def _encode(self, voices: tuple[VoiceInfo, ...], notices: tuple[str, ...]) -> bytes:
        options = self._options
        program = {
            "name": options.program,
            "attribution": {"name": options.attribution_name, "url": options.attribution_url},
            "installed": True,
            "description": " | ".join((options.description, *notices)),
            "version": options.version,
            "voices": [_voice(voice) for voice in voices],
            "supports_synthesize_streaming": True,
        }
        others: dict[str, Any] = {kind: [] for kind in _OTHER_KINDS}
        return encode_event("info", {"tts": [program], **others})


def _voice(voice: VoiceInfo) -> dict[str, Any]:
    return {
        "name": voice.name,
        "attribution": {"name": voice.attribution_name, "url": voice.attribution_url},
        "installed": voice.installed,
        "description": voice.description,
        "version": voice.version,
        "languages": list(voice.languages),
        "speakers": None,
    }
