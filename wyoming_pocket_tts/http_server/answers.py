"""Errors as answers: which status each has, and the JSON that goes with it.

    {"code": "voice-not-found", "message": "There is no voice 'ana' here. Did you mean 'anna'?"}

Below /v1 the same stands in an object "error", where OpenAI's clients look for it.
"""

from __future__ import annotations

import logging
from typing import Any

from aiohttp import web

from wyoming_pocket_tts.errors import CallerError, PocketTTSError, ServerError

_LOGGER = logging.getLogger(__name__)

# By `code`, so that errors of other parts of the program need not be known here.
_STATUS = {
    "invalid-request": 400,
    "empty-text": 400,
    "voice-url-not-allowed": 400,
    "consent-missing": 400,
    "unauthorized": 401,
    "not-allowed": 403,
    "voice-not-found": 404,
    "model-not-found": 404,
    "timeout": 408,
    "text-too-long": 413,
    "too-large": 413,
    "unsupported-media-type": 415,
    "audio-prompt-rejected": 422,
    "voice-unreachable": 502,
    "busy": 503,
    "model-unavailable": 503,
    "storage": 507,
}
_CODES = {404: "not-found", 405: "method-not-allowed", 413: "too-large"}
_RETRY_AFTER_S = "1"


class Refused(CallerError):
    """A request that HTTP itself refuses; the code is its own."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def status_of(error: PocketTTSError) -> int:
    """The HTTP status for an error of ours."""
    if error.code in _STATUS:
        return _STATUS[error.code]
    return 400 if isinstance(error, CallerError) else 500


def error_answer(request: web.Request, error: PocketTTSError) -> web.Response:
    """The whole answer to a request that failed before any audio."""
    status = status_of(error)
    headers = {"Retry-After": _RETRY_AFTER_S} if status == 503 else {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    if not isinstance(error, ServerError):
        _LOGGER.info("Request refused", extra={"path": request.path, "outcome": error.code})
    return _answer(request, status, error.code, str(error), headers)


def http_error_answer(request: web.Request, error: web.HTTPException) -> web.Response:
    """The same for what aiohttp refuses by itself."""
    messages = {
        404: "There is nothing at this path; docs/http.md lists what there is.",
        405: f"{request.method} is not possible here.",
        413: "The request is larger than this server takes.",
    }
    headers = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else {}
    code = _CODES.get(error.status, "invalid-request")
    message = messages.get(error.status, error.reason)
    return _answer(request, error.status, code, message, headers)


def error_object(request: web.Request, error: PocketTTSError) -> dict[str, Any]:
    """The JSON of an error, for answers that have begun."""
    return _body(request, status_of(error), error.code, str(error))


def _answer(
    request: web.Request, status: int, code: str, message: str, headers: dict[str, str]
) -> web.Response:
    return web.json_response(_body(request, status, code, message), status=status, headers=headers)


def _body(request: web.Request, status: int, code: str, message: str) -> dict[str, Any]:
    if not request.path.startswith("/v1/"):
        return {"code": code, "message": message}
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "code": code, "param": None}}
