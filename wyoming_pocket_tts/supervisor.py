"""Tells Home Assistant's Supervisor that the server is there, so that Home Assistant offers it by itself.

Knows a token, a port and the Supervisor's address. What it minds: the address it gives is the container's IPv4 (a name would be looked up as IPv6
first, and hang where IPv6 is off); it tells at each start, since the address may be a new one; a Supervisor that is starting, slow or refuses is asked
again, ever more seldom, and nobody waits for it meanwhile.

Source: the developers' documentation of Home Assistant, "Supervisor API, discovery".
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import socket
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import aiohttp

from wyoming_pocket_tts.waiting import within

_LOGGER = logging.getLogger(__name__)

SUPERVISOR_URL = "http://supervisor"
_PAUSES_S = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
_TIMEOUT_S = 15.0
_MOST_ANSWER_BYTES = 65_536


class _Refused(Exception):
    """The Supervisor answered, and the answer was no."""


class SupervisorAnnouncer:
    """Announces a Wyoming server to the Supervisor until it has been heard."""

    def __init__(
        self,
        token: str | None,
        port: int,
        *,
        url: str = SUPERVISOR_URL,
        find_address: Callable[[str], str] | None = None,
        pauses_s: tuple[float, ...] = _PAUSES_S,
        timeout_s: float = _TIMEOUT_S,
    ) -> None:
        """
        Args:
            token: what the Supervisor gave this add-on; None: there is no Supervisor, which is said once.
            port: where the server listens.
            url: the Supervisor's.
            find_address: gives our address as seen by a host; blocking (for tests).
            pauses_s: between attempts; the last one is repeated.
            timeout_s: how long one attempt may take.
        """
        self._token = token
        self._port = port
        self._url = url.rstrip("/")
        self._find_address = find_address or container_address
        self._pauses_s = pauses_s
        self._timeout_s = timeout_s
        self._telling: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begins to tell, and returns at once."""
        if self._token is None:
            _LOGGER.warning(
                "There is no SUPERVISOR_TOKEN: Home Assistant is not told of this server. Add the integration 'Wyoming "
                "Protocol' by hand, with this machine's address and port %d.",
                self._port,
            )
        elif self._telling is None:
            self._telling = asyncio.create_task(self._tell(self._token))

    async def stop(self) -> None:
        """Gives up telling. What the Supervisor knows it keeps: the server will be back."""
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.wait((self._telling,))
            self._telling = None

    async def _tell(self, token: str) -> None:
        said = ""
        for pause_s in self._pauses():
            try:
                uri = await self._announce(token)
            except Exception as error:
                # Whatever it was: a server that is not announced still serves.
                reason = str(error) or type(error).__name__
                if isinstance(error, asyncio.TimeoutError):
                    reason = f"no answer within {self._timeout_s:g} s"
                level = logging.ERROR if isinstance(error, _Refused) else logging.WARNING
                _LOGGER.log(
                    level if reason != said else logging.DEBUG,
                    "The Supervisor was not told of this server: %s. Trying again in %g s; until then, add the integration "
                    "'Wyoming Protocol' by hand if it is not there yet.",
                    reason.rstrip("."),
                    pause_s,
                )
                said = reason
                await asyncio.sleep(pause_s)
            else:
                _LOGGER.info("Home Assistant is told of this server at %s", uri)
                return

    def _pauses(self) -> Iterator[float]:
        return itertools.chain(self._pauses_s, itertools.repeat(self._pauses_s[-1]))

    async def _announce(self, token: str) -> str:
        """One attempt; the URI that was announced."""
        host = urlsplit(self._url).hostname or ""
        address = await within(asyncio.to_thread(self._find_address, host), self._timeout_s)
        uri = f"tcp://{address}:{self._port}"
        timeout = aiohttp.ClientTimeout(total=self._timeout_s)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(
                f"{self._url}/discovery",
                json={"service": "wyoming", "config": {"uri": uri}},
                headers={"Authorization": f"Bearer {token}"},
                allow_redirects=False,
            ) as response,
        ):
            body = await response.content.read(_MOST_ANSWER_BYTES)
            if response.status != 200 or _result(body) != "ok":
                raise _Refused(f"it answered HTTP {response.status} {_message(body)}".strip())
        return uri


def container_address(host: str) -> str:
    """This container's IPv4 address as `host` sees it. Blocking; sends nothing but a look-up of the name.

    Raises:
        OSError: the name is not known, or there is no way to it.
    """
    peer = socket.getaddrinfo(host, 80, socket.AF_INET, socket.SOCK_DGRAM)[0][4]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(peer)
        return str(probe.getsockname()[0])


def _answer(body: bytes) -> dict[str, object]:
    try:
        answer = json.loads(body)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _result(body: bytes) -> object:
    return _answer(body).get("result")


def _message(body: bytes) -> str:
    """What the Supervisor says of its no, in short."""
    message = _answer(body).get("message")
    return f"({str(message)[:200]})" if message else ""
