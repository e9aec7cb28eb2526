"""The answer to `describe`: our voices as a Wyoming `info` event, made once and kept as bytes.

Home Assistant asks every 30 s, allows one second in older releases, and takes any change for news: so the bytes are the same
as long as the list of voices is. It shows neither speakers nor aliases: every choice has to be a voice of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from wyoming.info import Attribution, Info, TtsProgram, TtsVoice

from wyoming_pocket_tts.synthesizer import VoiceInfo
from wyoming_pocket_tts.wyoming_events import encode_event
from wyoming_pocket_tts.wyoming_options import WyomingOptions


class InfoCache:
    """Encodes `info`, again only when the voices have changed."""

    def __init__(self, options: WyomingOptions) -> None:
        self._options = options
        self._voices: tuple[VoiceInfo, ...] | None = None
        self._encoded = b""

    def encoded(self, voices: Sequence[VoiceInfo]) -> bytes:
        """The whole `info` event for these voices, in their order."""
        current = tuple(voices)
        if current != self._voices:
            self._encoded = self._encode(current)
            self._voices = current
        return self._encoded

    def _encode(self, voices: tuple[VoiceInfo, ...]) -> bytes:
        options = self._options
        program = TtsProgram(
            name=options.program,
            attribution=Attribution(options.attribution_name, options.attribution_url),
            installed=True,
            description=options.description,
            version=options.version,
            voices=[_voice(voice) for voice in voices],
            supports_synthesize_streaming=True,
        )
        event = Info(tts=[program]).event()
        return encode_event(event.type, event.data)


def _voice(voice: VoiceInfo) -> TtsVoice:
    return TtsVoice(
        name=voice.name,
        attribution=Attribution(voice.attribution_name, voice.attribution_url),
        installed=voice.installed,
        description=voice.description,
        version=voice.version,
        languages=list(voice.languages),
    )
