"""Who may come in: middleware for connections, web sites, tokens, and for errors on the way out.

A browser runs pages of strangers, and they can reach a server on its own machine. So requests that come from another site's page
are refused unless the owner allows that site, and a server on loopback answers to loopback's names alone (a stranger's name may
point there).
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler

from wyoming_pocket_tts.errors import InternalError, PocketTTSError
from wyoming_pocket_tts.http_server.answers import Refused, error_answer, http_error_answer
from wyoming_pocket_tts.http_server.service import Service, service_of

_LOGGER = logging.getLogger(__name__)

# The page has to be seen before a token can be entered, and health is for programs that know none.
_OPEN = ("/health", "/ws")
# Not to be kept from whoever looks after the server just because it is full.
_UNCOUNTED = ("/health", "/metrics")
# Where requests through Home Assistant's ingress come from.
_SUPERVISOR = ipaddress.ip_address("172.30.32.2")
_METHODS = "GET, HEAD, POST, DELETE, OPTIONS"


@web.middleware
async def errors_become_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    """The outermost: whatever goes wrong is answered in one form, unless an answer has begun."""
    try:
        return await handler(request)
    except PocketTTSError as error:
        return error_answer(request, error)
    except web.HTTPException as error:
        if error.status < 400:
            raise
        return http_error_answer(request, error)
    except (asyncio.CancelledError, ConnectionResetError):
        raise
    except Exception:
        _LOGGER.exception("A request failed", extra={"path": request.path})
        failure = InternalError("The request failed; the server's log has the details.")
        return error_answer(request, failure)


@web.middleware
async def only_the_welcome(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuses what comes from where it should not."""
    service = service_of(request)
    _check_peer(request, service)
    _check_host(request, service)
    origin = _check_origin(request, service)
    if origin is not None and request.method == "OPTIONS":
        response: web.StreamResponse = web.Response(status=204)
        response.headers["Access-Control-Allow-Methods"] = _METHODS
        response.headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
        response.headers["Access-Control-Max-Age"] = "600"
        if "Access-Control-Request-Private-Network" in request.headers:
            response.headers["Access-Control-Allow-Private-Network"] = "true"
        return response
    if not _check_token(request, service) or request.path in _UNCOUNTED:
        return await handler(request)
    with service.place():
        return await handler(request)


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """What every answer carries; signalled before its headers are sent."""
    service = service_of(request)
    headers = response.headers
    headers.setdefault("X-Content-Type-Options", "nosniff")
    headers.setdefault("Cache-Control", "no-store")
    headers["Referrer-Policy"] = "no-referrer"
    headers.add("Vary", "Origin")
    origin = request.headers.get("Origin")
    if origin in service.options.allow_origins:
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = "X-Request-Id, Retry-After"


def _check_peer(request: web.Request, service: Service) -> None:
    """By the connection's own address: headers that name another one are anybody's to write."""
    allowed = service.options.only_from
    if not allowed:
        return
    peer = _peer(request)
    if peer is None:
        raise Refused("not-allowed", "This server answers to known addresses alone.")
    if peer not in {ipaddress.ip_address(address) for address in allowed}:
        raise Refused(
            "not-allowed",
            f"This server answers to {', '.join(allowed)} alone, not to {peer} (http.only_from).",
        )


def _peer(request: web.Request) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        peer = ipaddress.ip_address((request.remote or "").partition("%")[0])
    except ValueError:
        return None
    return getattr(peer, "ipv4_mapped", None) or peer


def _is_proxy(request: web.Request, service: Service) -> bool:
    """Whether what it says of the page's address may be believed: the owner named it, or it is Home Assistant's Supervisor."""
    return bool(service.options.only_from) or _peer(request) == _SUPERVISOR


def _check_host(request: web.Request, service: Service) -> None:
    # No header is asked: the page behind such a name writes them as it likes.
    if not service.loopback:
        return
    name = _host_name(request.host)
    allowed = {_host_name(urlsplit(origin).netloc) for origin in service.options.allow_origins}
    if name in allowed or name == "localhost" or name.endswith(".localhost") or _is_address(name):
        return
    raise Refused(
        "not-allowed",
        f"This server listens on this machine alone and is not known as {name[:100]!r}. Behind a proxy, add its origin to "
        "http.allow_origins.",
    )


def _check_origin(request: web.Request, service: Service) -> str | None:
    """The origin of another site that may come in; None where there is none to tell from the server's own page."""
    origin = request.headers.get("Origin")
    if origin is None:
        # Some requests carry none; what a browser says of itself then tells them from a program's.
        if request.headers.get("Sec-Fetch-Site", "") == "cross-site" and not _is_visit(request):
            raise _foreign("another site's page")
        return None
    if origin in service.options.allow_origins:
        return origin
    if "X-Ingress-Path" in request.headers and _is_proxy(request, service):
        return None
    # "null" has no host, and is nobody's. A page cannot set X-Forwarded-Host for another site's server without asking it
    # first, and the answer to that is no.
    host = urlsplit(origin).netloc.lower()
    if host and host in (request.host.lower(), request.headers.get("X-Forwarded-Host", "").lower()):
        return None
    raise _foreign(origin[:100])


def _is_visit(request: web.Request) -> bool:
    """Whether somebody follows a link to the page."""
    return request.method == "GET" and request.headers.get("Sec-Fetch-Mode") == "navigate"


def _foreign(origin: str) -> Refused:
    return Refused(
        "not-allowed",
        f"Pages of {origin} may not use this server; its owner can add the site to http.allow_origins.",
    )


def _check_token(request: web.Request, service: Service) -> bool:
    """Whether the request is one of somebody who may do everything; others take no place of theirs."""
    token = service.options.token
    page = request.match_info.handler is not None and getattr(
        request.match_info.handler, "open_to_all", False
    )
    if token is None or token_fits(token, bearer(request)):
        return True
    if not page and request.path not in _OPEN and request.method != "OPTIONS":
        raise Refused("unauthorized", "This server needs a token: Authorization: Bearer TOKEN.")
    return False


def bearer(request: web.Request) -> str:
    """The token that a request shows, or ""."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def token_fits(token: str, shown: str) -> bool:
    return hmac.compare_digest(token.encode(), shown.encode("utf-8", "surrogateescape"))


def _host_name(host: str) -> str:
    """ "localhost" for "localhost:8000", "::1" for "[::1]:8000"."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower().rstrip(".")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
