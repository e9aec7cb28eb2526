"""What a client asks for: a request read from its events.

Knows neither sockets nor audio.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wyoming_pocket_tts.errors import PocketTTSError
from wyoming_pocket_tts.speech import SpeechRequest
from wyoming_pocket_tts.text_feed import TextFeed
from wyoming_pocket_tts.wyoming_server.events import BadEvent, Event, clean_text


@dataclass
class Job:
    """A request in its connection's queue.

    Attributes:
        request: what goes to the synthesizer.
        streamed: whether its answer ends with synthesize-stopped.
        feed: where its text arrives, when it is streamed.
        error: what it is answered with when its turn comes, in place of speech.
    """

    request: SpeechRequest
    streamed: bool = False
    feed: TextFeed | None = None
    error: PocketTTSError | None = None

    def close(self) -> None:
        """Frees the text, however the request ended."""
        if self.feed is not None:
            self.feed.close()


def string_field(data: dict[str, Any], key: str, where: str) -> str | None:
    """A field that may be missing or null but must else be a string.

    Raises:
        BadEvent: it is something else.
    """
    value = data.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadEvent(f"'{key}' of {where} must be a string.")
    return clean_text(value)


def text_field(event: Event) -> str:
    """The text that `synthesize` and `synthesize-chunk` must have.

    Raises:
        BadEvent: it is missing or no string.
    """
    text = string_field(event.data, "text", event.type)
    if text is None:
        raise BadEvent(f"{event.type} needs a 'text'.")
    return text


def plain_job(event: Event, request_id: str) -> Job:
    """The job of a `synthesize` outside a stream."""
    return Job(_request(event, text_field(event), request_id))


def streamed_job(event: Event, request_id: str) -> Job:
    """The job of a `synthesize-start`."""
    feed = TextFeed()
    return Job(_request(event, feed, request_id), streamed=True, feed=feed)


def _request(event: Event, text: str | TextFeed, request_id: str) -> SpeechRequest:
    voice = event.data.get("voice")
    if voice is None:
        voice = {}
    if not isinstance(voice, dict):
        raise BadEvent(f"'voice' of {event.type} must be a JSON object.")
    # An empty string chooses nothing: it is what a client sends whose form was left blank.
    return SpeechRequest(
        text=text,
        voice=string_field(voice, "name", "voice") or None,
        language=string_field(voice, "language", "voice") or None,
        speaker=string_field(voice, "speaker", "voice") or None,
        text_format=string_field(event.data, "text_format", event.type) or None,
        request_id=request_id,
    )
