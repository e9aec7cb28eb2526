"""Whether a web server can be connected to at all: a quick question ahead of a library that would ask for half a minute.

    Reach().error("https://huggingface.co") -> None, or why not

Through a proxy, where the environment names one, as the libraries do. A connection alone is tried: nothing is sent.
"""

from __future__ import annotations

import socket
import threading
import time
import urllib.request
from urllib.parse import urlsplit

_TIMEOUT_S = 5.0
_REMEMBERED_S = 5.0
_PORTS = {"http": 80, "https": 443}


class Reach:
    """Asks, and remembers the answer for a few seconds: many files come one after another. May be used from several threads."""

    def __init__(self, timeout_s: float = _TIMEOUT_S, remembered_s: float = _REMEMBERED_S) -> None:
        self._timeout_s = timeout_s
        self._remembered_s = remembered_s
        self._lock = threading.Lock()
        self._answers: dict[tuple[str, int], tuple[float, OSError | None]] = {}

    def error(self, url: str) -> OSError | None:
        """Why there is no connection to the server of an address, or to the proxy in front of it; None: there is one."""
        address = _address(url)
        if address is None:
            return None  # whoever uses it will say what is wrong with it
        with self._lock:
            asked_at, answer = self._answers.get(address, (-self._remembered_s, None))
            if time.monotonic() - asked_at >= self._remembered_s:
                answer = self._try(address)
                self._answers[address] = (time.monotonic(), answer)
        return answer

    def _try(self, address: tuple[str, int]) -> OSError | None:
        try:
            socket.create_connection(address, timeout=self._timeout_s).close()
        except OSError as error:
            return error
        return None


def _address(url: str) -> tuple[str, int] | None:
    """Host and port that a request for an address connects to."""
    try:
        parts = urlsplit(url)
        proxies = urllib.request.getproxies()
        proxy = proxies.get(parts.scheme) or proxies.get("all")
        if proxy and not urllib.request.proxy_bypass(parts.hostname or ""):
            parts = urlsplit(proxy if "//" in proxy else f"//{proxy}", scheme="http")
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.hostname, port) if parts.hostname and port else None
