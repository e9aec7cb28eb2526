"""The page's files, read once at the start: no path from a request ever reaches the file system."""

from __future__ import annotations

import hashlib
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

from wyoming_pocket_tts.http_server.service import service_of

FOLDER = Path(__file__).parents[1] / "web"

_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


def add_page(router: web.UrlDispatcher, folder: Path = FOLDER) -> None:
    """A route for each file, and / for the page itself."""
    for path in sorted(folder.iterdir()):
        if path.suffix in _TYPES:
            handler = _handler(path.read_bytes(), _TYPES[path.suffix])
            router.add_get(f"/{path.name}", handler)
            if path.name == "index.html":
                router.add_get("/", handler)


def _handler(content: bytes, content_type: str) -> Handler:
    etag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'

    async def handler(request: web.Request) -> web.Response:
        headers = {"ETag": etag, "Cache-Control": "no-cache"}
        if content_type == "text/html":
            headers["Content-Security-Policy"] = _policy(service_of(request).options.allow_origins)
        if request.headers.get("If-None-Match") == etag:
            return web.Response(status=304, headers=headers)
        return web.Response(
            body=content, content_type=content_type, charset="utf-8", headers=headers
        )

    # Seen without a token: it holds nothing of the owner's, and asks for the token where one is needed.
    handler.open_to_all = True  # type: ignore[attr-defined]
    return handler


def _policy(frames: tuple[str, ...]) -> str:
    """The page needs nothing from elsewhere; Home Assistant shows it in a frame of its own origin."""
    ancestors = " ".join(("'self'", *frames))
    return (
        "default-src 'self'; media-src 'self' blob:; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
        f"frame-ancestors {ancestors}"
    )
