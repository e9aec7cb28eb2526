"""Speech as OpenAI's clients ask for it: POST /v1/audio/speech, GET /v1/models, GET /v1/audio/voices.

Source: the API reference of OpenAI's speech endpoint. What it has and we do not: `instructions`, `aac`, and its own voices' names, which the
owner may give to voices as aliases.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from aiohttp import web

from wyoming_pocket_tts.errors import InvalidRequest, NothingToSay, PocketTTSError
from wyoming_pocket_tts.http_server import fields
from wyoming_pocket_tts.http_server.answers import Refused, error_object
from wyoming_pocket_tts.http_server.formats import choose_format
from wyoming_pocket_tts.http_server.service import Service, service_of
from wyoming_pocket_tts.http_server.speaking import FileBody, answer_streaming
from wyoming_pocket_tts.speech import SpeechRequest

_MODEL = "pocket-tts"
# What clients send that let nobody choose a model.
_THEIR_MODELS = ("tts-1", "tts-1-hd", "gpt-4o-mini-tts")
_THEIR_SLOWEST, _THEIR_FASTEST = 0.25, 4.0
# The synthesizer's.
SLOWEST, FASTEST = 0.5, 2.0
# Models have no age here; clients want a number.
_CREATED = 1_735_689_600


async def speech(request: web.Request) -> web.StreamResponse:
    """Fields: model, input, voice, response_format (mp3 unless said), speed, stream_format; language and seed besides."""
    service = service_of(request)
    source = service.source
    body = await fields.json_object(request)
    _check_model(service, fields.text(body, "model"))
    text = fields.text(body, "input")
    if text is None:
        raise NothingToSay("'input' must be the text to speak.")
    chosen = choose_format(fields.text(body, "response_format") or "mp3")
    way = fields.text(body, "stream_format") or "audio"
    if way not in ("audio", "sse"):
        raise InvalidRequest("'stream_format' must be 'audio' or 'sse'.")
    asked = SpeechRequest(
        text=text,
        voice=_voice(body),
        language=fields.text(body, "language"),
        speed=_speed(body),
        seed=fields.whole_number(body, "seed"),
        request_id=service.next_id(),
    )
    file = FileBody(chosen, source.check(asked))
    return await answer_streaming(request, asked, EventBody(file) if way == "sse" else file)


def _speed(body: dict[str, Any]) -> float | None:
    """Their range is wider than ours; what lies beyond ours becomes the nearest that can be had."""
    speed = fields.number(body, "speed")
    if speed is None or not _THEIR_SLOWEST <= speed <= _THEIR_FASTEST:
        return speed
    return min(max(speed, SLOWEST), FASTEST)


def _voice(body: dict[str, Any]) -> str | None:
    voice = body.get("voice")
    # Their voices have a name, or are {"id": "..."}.
    name = fields.text(voice, "id") if isinstance(voice, dict) else fields.text(body, "voice")
    if name and "://" in name:
        raise Refused("voice-url-not-allowed", "'voice' is the name of a voice.")
    return name


def _check_model(service: Service, name: str | None) -> None:
    if name is None or name in (_MODEL, *_THEIR_MODELS, *service.models):
        return
    known = ", ".join((_MODEL, *service.models))
    raise Refused("model-not-found", f"There is no model {name[:100]!r} here; there are {known}.")


class EventBody:
    """The file in pieces, each an event of a stream of server-sent events."""

    content_type = "text/event-stream"

    def __init__(self, file: FileBody) -> None:
        self._file = file

    async def begin(self) -> bytes:
        return _delta(await self._file.begin())

    async def add(self, pcm: bytes) -> bytes:
        return _delta(await self._file.add(pcm))

    async def end(self) -> bytes:
        # Tokens are what OpenAI charges by; nothing is charged here.
        usage = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
        return _delta(await self._file.end()) + _event(
            {"type": "speech.audio.done", "usage": usage}
        )

    def failed(self, request: web.Request, error: PocketTTSError) -> bytes | None:
        return _event({"type": "error", **error_object(request, error)})


def _delta(audio: bytes) -> bytes:
    if not audio:
        return b""
    return _event({"type": "speech.audio.delta", "audio": base64.b64encode(audio).decode()})


def _event(content: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(content).encode() + b"\n\n"


async def models(request: web.Request) -> web.Response:
    """The one model that all are, and each by its name."""
    service = service_of(request)
    return web.json_response(
        {"object": "list", "data": [_model(name) for name in (_MODEL, *service.models)]}
    )


async def model(request: web.Request) -> web.Response:
    """One of them."""
    name = request.match_info["name"]
    _check_model(service_of(request), name)
    return web.json_response(_model(name))


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": _CREATED, "owned_by": "kyutai"}


async def voices(request: web.Request) -> web.Response:
    """The voices that can be asked for."""
    source = service_of(request).source
    default = source.default_voice
    return web.json_response(
        {
            "object": "list",
            "voices": [
                {
                    "id": voice.name,
                    "name": voice.name,
                    "description": voice.description,
                    "languages": list(voice.languages),
                    "default": default is not None and default.name == voice.name,
                }
                for voice in source.voices()
                if voice.installed
            ],
        }
    )
