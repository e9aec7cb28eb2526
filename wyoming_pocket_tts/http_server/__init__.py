"""Speech over HTTP: the page, /tts, an interface for OpenAI's clients, a websocket, health and metrics."""

from __future__ import annotations

from wyoming_pocket_tts.http_server.options import HttpOptions
from wyoming_pocket_tts.http_server.server import HttpServer

__all__ = ["HttpOptions", "HttpServer"]
