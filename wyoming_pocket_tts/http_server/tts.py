"""POST /tts: a form with a text and a voice in, audio out as it is made. The form of the `pocket-tts` package's own server, and more."""

from __future__ import annotations

from aiohttp import web

from wyoming_pocket_tts.errors import InvalidRequest, NothingToSay
from wyoming_pocket_tts.http_server import fields
from wyoming_pocket_tts.http_server.answers import Refused
from wyoming_pocket_tts.http_server.formats import choose_format
from wyoming_pocket_tts.http_server.parts import Upload
from wyoming_pocket_tts.http_server.service import Desk, Service, service_of
from wyoming_pocket_tts.http_server.speaking import FileBody, answer_streaming, answer_whole
from wyoming_pocket_tts.speech import SpeechRequest
from wyoming_pocket_tts.voice_addresses import is_allowed


async def tts(request: web.Request) -> web.StreamResponse:
    """Fields: text, voice_url (a name, or an address where those are allowed), voice_wav (a recording), language, speed, seed, format,
    text_format, stream."""
    service = service_of(request)
    source = service.source
    async with fields.form(request) as form:
        speech = await _speech(service, form)
        chosen = choose_format(fields.text(form, "format") or "wav")
        stream = fields.flag(form, "stream", True)
    audio = source.check(speech)
    if stream:
        return await answer_streaming(request, speech, FileBody(chosen, audio))
    if chosen.name != "wav":
        raise InvalidRequest("'stream' can be false for 'wav' alone.")
    return await answer_whole(request, speech, audio)


async def _speech(service: Service, form: fields.Fields) -> SpeechRequest:
    text = fields.text(form, "text")
    if text is None:
        raise NothingToSay("The form needs a 'text' to speak.")
    language = fields.text(form, "language")
    return SpeechRequest(
        text=text,
        voice=await _voice(service, form, language),
        language=language,
        seed=fields.whole_number(form, "seed"),
        speed=fields.number(form, "speed"),
        text_format=_text_format(form),
        request_id=service.next_id(),
    )


def _text_format(form: fields.Fields) -> str | None:
    chosen = fields.text(form, "text_format")
    if chosen not in (None, "ssml"):
        raise InvalidRequest("'text_format' can be 'ssml'; leave it out for plain text.")
    return chosen


async def _voice(service: Service, form: fields.Fields, language: str | None) -> str | None:
    """The name of the voice that a form asks for, None where it asks for none."""
    name = fields.text(form, "voice_url") or fields.text(form, "voice")
    recording = await recording_in(form, "voice_wav")
    if name and recording:
        raise InvalidRequest("Give 'voice_url' or 'voice_wav', not both.")
    if recording:
        desk = desk_of(service)
        check_recording_size(service, recording)
        return (await desk.bring(recording, language)).name
    if name and "://" in name:
        _check_address(service, name)
        if service.desk is not None:
            return service.desk.call(name, language)
    return name


async def recording_in(form: fields.Fields, name: str) -> bytes:
    """The uploaded file of that name; empty where there is none."""
    value = form.get(name)
    if value is None or value == "":
        return b""
    if not isinstance(value, Upload):
        raise InvalidRequest(f"{name!r} must be a file (multipart/form-data).")
    return value.content


def desk_of(service: Service) -> Desk:
    """
    Raises:
        Refused: this server takes no recordings.
    """
    _ = service.source
    if service.desk is None or not service.options.max_upload_bytes:
        raise Refused("not-allowed", "This server takes no recordings (http.max_upload_mib is 0).")
    return service.desk


def check_recording_size(service: Service, recording: bytes) -> None:
    limit = service.options.max_upload_bytes
    if len(recording) > limit:
        raise Refused("too-large", f"The recording is larger than {limit // 1024 // 1024} MiB.")


def _check_address(service: Service, address: str) -> None:
    if not is_allowed(address, service.options.allowed_voice_urls):
        raise Refused(
            "voice-url-not-allowed",
            "This server does not fetch voices from that address. Give a voice's name (GET /v1/audio/voices lists them), or "
            "have the owner allow the address (http.allowed_voice_urls).",
        )
