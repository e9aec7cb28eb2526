"""The page's own interface: what there is, and voices of one's own (bring a recording, keep it, delete it)."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from wyoming_pocket_tts.errors import InvalidRequest
from wyoming_pocket_tts.http_server import fields
from wyoming_pocket_tts.http_server.answers import Refused
from wyoming_pocket_tts.http_server.formats import formats
from wyoming_pocket_tts.http_server.service import Service, service_of
from wyoming_pocket_tts.http_server.tts import check_recording_size, desk_of, recording_in


async def info(request: web.Request) -> web.Response:
    """What the page needs to know, in one answer."""
    service = service_of(request)
    source = service.source
    default = source.default_voice
    return web.json_response(
        {
            "version": service.options.version,
            "notices": list(service.notices()),
            "default_voice": default.name if default is not None else None,
            "max_text_characters": service.options.max_text_characters,
            "max_upload_bytes": service.options.max_upload_bytes if service.desk else 0,
            "formats": list(formats()),
            "voices": [_voice(service, voice) for voice in source.voices()],
        }
    )


def _voice(service: Service, voice: Any) -> dict[str, Any]:
    return {
        "name": voice.name,
        "languages": list(voice.languages),
        "description": voice.description,
        "installed": voice.installed,
        "attribution": {"name": voice.attribution_name, "url": voice.attribution_url},
        "own": service.desk is not None and service.desk.added(voice.name),
    }


async def bring(request: web.Request) -> web.Response:
    """POST api/recordings: fields recording (a file), consent, language. The answer's name can be spoken with for half an hour."""
    service = service_of(request)
    desk = desk_of(service)
    async with fields.form(request) as form:
        if not fields.flag(form, "consent"):
            raise Refused(
                "consent-missing",
                "A voice needs the consent of the person whose it is: send consent=true once you have it.",
            )
        recording = await recording_in(form, "recording")
        language = fields.text(form, "language")
    if not recording:
        raise InvalidRequest("The form needs a file 'recording'.")
    check_recording_size(service, recording)
    guest = await desk.bring(recording, language)
    content = {
        "name": guest.name,
        "seconds": round(guest.seconds, 2),
        "languages": list(guest.languages),
    }
    return web.json_response(content, status=201)


async def keep(request: web.Request) -> web.Response:
    """POST api/recordings/{guest}/keep: {"name": "...", "description": "..."}."""
    desk = desk_of(service_of(request))
    body = await fields.json_object(request)
    name = fields.text(body, "name")
    if name is None:
        raise InvalidRequest("A voice that is kept needs a 'name'.")
    name = name.strip()
    description = fields.text(body, "description")
    if description is not None and len(description) > 200:
        raise InvalidRequest("'description' can have 200 characters.")
    await desk.keep(request.match_info["guest"], name, description)
    return web.json_response({"name": name}, status=201)


async def dismiss(request: web.Request) -> web.Response:
    """DELETE api/recordings/{guest}."""
    await desk_of(service_of(request)).dismiss(request.match_info["guest"])
    return web.Response(status=204)


async def delete(request: web.Request) -> web.Response:
    """DELETE api/voices/{name}."""
    await desk_of(service_of(request)).delete(request.match_info["name"])
    return web.Response(status=204)
