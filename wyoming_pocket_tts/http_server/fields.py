"""What a request's body says: forms and JSON, read within limits, and fields of the right kind."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import AsyncIterator, Mapping
from typing import Any

from aiohttp import ClientPayloadError, web
from aiohttp.http_exceptions import HttpProcessingError

from wyoming_pocket_tts.errors import InvalidRequest
from wyoming_pocket_tts.http_server.answers import Refused
from wyoming_pocket_tts.http_server.parts import PartsReader, in_time, too_large
from wyoming_pocket_tts.http_server.service import service_of

_FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")
# What reading a form can end with when somebody made it wrong: of aiohttp, of decoding, and its warnings where those are errors.
_DAMAGED = (
    ValueError,
    LookupError,
    AssertionError,
    RuntimeError,
    RuntimeWarning,
    HttpProcessingError,
    ClientPayloadError,
    web.RequestPayloadError,
)

Fields = Mapping[str, Any]


@contextlib.asynccontextmanager
async def form(request: web.Request) -> AsyncIterator[Fields]:
    """The fields of a form; files among them as `Upload`.

    Raises:
        Refused: it is no form, too large, or does not come.
        InvalidRequest: it is damaged.
    """
    if request.content_type not in _FORMS:
        raise Refused("unsupported-media-type", f"Send a form ({' or '.join(_FORMS)}).")
    options = service_of(request).options
    has_parts = request.content_type == _FORMS[0]
    limit = options.max_body_bytes + (options.max_upload_bytes if has_parts else 0)
    if (request.content_length or 0) > limit:
        raise too_large(limit)
    async with contextlib.AsyncExitStack() as room:
        try:
            if has_parts:
                found: Fields = await PartsReader(request, room).read()
            else:
                whole = request.clone(client_max_size=limit)
                found = await in_time(whole.post(), options.form_s)
        except web.HTTPRequestEntityTooLarge as error:
            raise too_large(limit) from error
        except _DAMAGED as error:
            raise InvalidRequest("The form is damaged and cannot be read.") from error
        yield found


async def json_object(request: web.Request) -> dict[str, Any]:
    """The JSON object that is the body.

    Raises:
        Refused: it is something else, too large, or does not come.
        InvalidRequest: it is damaged.
    """
    if request.content_type != "application/json":
        raise Refused("unsupported-media-type", "Send JSON (Content-Type: application/json).")
    options = service_of(request).options
    limit = options.max_body_bytes
    try:
        body = await in_time(request.clone(client_max_size=limit).read(), options.form_s)
        value = json.loads(body.decode("utf-8"))
    except web.HTTPRequestEntityTooLarge as error:
        raise too_large(limit) from error
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("The body is not JSON in UTF-8.") from error
    if not isinstance(value, dict):
        raise InvalidRequest("The body must be a JSON object.")
    return value


def text(fields: Fields, name: str) -> str | None:
    """A field that is text; None where it is missing or blank: forms send what was left empty.

    Raises:
        InvalidRequest: it is something else.
    """
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidRequest(f"{name!r} must be text.")
    # JSON can hold halves of characters, which no encoder takes.
    clean = value.encode("utf-8", "replace").decode("utf-8")
    return clean if clean.strip() else None


def number(fields: Fields, name: str) -> float | None:
    """A field that is a number, or text that says one."""
    value = fields.get(name)
    if value is None or value == "":
        return None
    try:
        if isinstance(value, bool):
            raise ValueError
        found = float(value)
        if not math.isfinite(found):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise InvalidRequest(f"{name!r} must be a number.") from None
    return found


def whole_number(fields: Fields, name: str) -> int | None:
    """A field that is a whole number from 0 to 2^63 - 1."""
    value = fields.get(name)
    if value is None or value == "":
        return None
    try:
        found = int(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else -1
    except ValueError:
        found = -1
    if not 0 <= found < 2**63:
        raise InvalidRequest(f"{name!r} must be a whole number, 0 or more.")
    return found


def flag(fields: Fields, name: str, default: bool = False) -> bool:
    """A field that is yes or no."""
    value = fields.get(name)
    if value is None or value == "":
        return default
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "yes", "on", "1"):
        return True
    if isinstance(value, str) and value.lower() in ("false", "no", "off", "0"):
        return False
    raise InvalidRequest(f"{name!r} must be true or false.")
