"""The Wyoming server: listens, admits connections, and ends them all when it stops.

    Synthesize -> Connection -> Responder -> synthesizer.generate_audio_stream(SpeechRequest) -> AudioChunk

`events` reads and writes events, `connection` is the state machine of one client, `responder` turns
frames into events, `link` is the socket. None knows more of speech than the synthesizer's three methods.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from wyoming_pocket_tts.errors import Busy
from wyoming_pocket_tts.waiting import within
from wyoming_pocket_tts.wyoming_server.connection import Connection
from wyoming_pocket_tts.wyoming_server.events import ShuttingDown
from wyoming_pocket_tts.wyoming_server.info import InfoCache
from wyoming_pocket_tts.wyoming_server.link import Link
from wyoming_pocket_tts.wyoming_server.listen import (
    open_stdio,
    parse_uri,
    tcp_sockets,
    tcp_uri,
    unix_socket,
)
from wyoming_pocket_tts.wyoming_server.options import WyomingOptions
from wyoming_pocket_tts.wyoming_server.responder import SpeechSource

_log = logging.getLogger(__name__)

# How long `stop` waits for cancelled requests to come to their end.
_LAST_WAIT_S = 1.0


class WyomingServer:
    """Answers Wyoming clients with a synthesizer's speech.

    Args:
        synthesizer: who speaks; its `voices` may change at any time.
        options: names and limits.
        notices: gives what the owner should know of, for `describe`.

    Attributes:
        addresses: the URIs on which it listens, with the ports that were chosen.
        port: the first TCP port, or None.
    """

    def __init__(
        self,
        synthesizer: SpeechSource,
        options: WyomingOptions | None = None,
        notices: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self.addresses: list[str] = []
        self.port: int | None = None
        self._synthesizer = synthesizer
        self._options = options or WyomingOptions()
        self._info_cache = InfoCache(self._options, notices)
        self._servers: list[asyncio.Server] = []
        self._socket_files: list[tuple[str, int]] = []
        self._connections: set[Connection] = set()
        self._waiters: set[asyncio.Task[None]] = set()
        self._made = 0
        self._stopping = False
        self._closed = asyncio.Event()
        self._all_ended = asyncio.Event()
        self._all_ended.set()

    async def start(self, uri: str) -> None:
        """Listens on `uri` (see `listen`). May be called for several.

        Raises:
            SetupError: it cannot listen there; the message names the URI and the reason.
        """
        address = parse_uri(uri)
        if address.scheme == "stdio":
            await open_stdio(self._connect())
            self.addresses.append("stdio://")
        elif address.scheme == "unix":
            await self._serve_unix(address.path)
        else:
            await self._serve_tcp(address.host, address.port)
        _log.info("Listening on %s", ", ".join(self.addresses))

    async def wait_closed(self) -> None:
        """Returns once there is nobody left to serve: for stdio://, when its client has gone; else after `stop`."""
        await self._closed.wait()

    async def stop(self, grace_s: float = 5.0) -> None:
        """Stops listening, lets what is being spoken end within the grace time, then ends it with an error.

        Nothing of this server runs any more when it returns.
        """
        self._stopping = True
        self._stop_listening()
        for connection in list(self._connections):
            connection.stop_when_done()
        linger_s = min(self._options.error_linger_s, grace_s / 2)
        await self._wait_for_connections(grace_s - linger_s)
        for connection in list(self._connections):
            connection.fail(ShuttingDown("The server is shutting down."), linger_s)
        await self._wait_for_connections(linger_s)
        for connection in list(self._connections):
            connection.link.reset()
        await self._all_ended.wait()
        if self._waiters:
            _, running = await asyncio.wait(list(self._waiters), timeout=_LAST_WAIT_S)
            if running:
                _log.warning("%d requests did not end when they were cancelled", len(running))
        self._closed.set()

    def info(self) -> bytes:
        """The encoded `info` event."""
        return self._info_cache.encoded(self._synthesizer.voices())

    # Listening.

    async def _serve_tcp(self, host: str, port: int) -> None:
        for bound in await tcp_sockets(host, port):
            server = await asyncio.get_running_loop().create_server(self._connect, sock=bound)
            self._servers.append(server)
            name = bound.getsockname()
            self.addresses.append(tcp_uri(str(name[0]), int(name[1])))
            self.port = self.port or int(name[1])

    async def _serve_unix(self, path: str) -> None:
        bound = unix_socket(path, self._options.unix_mode)
        self._socket_files.append((path, os.stat(path).st_ino))
        server = await asyncio.get_running_loop().create_unix_server(self._connect, sock=bound)
        self._servers.append(server)
        self.addresses.append(f"unix://{path}")

    def _stop_listening(self) -> None:
        for server in self._servers:
            server.close()
        self._servers.clear()
        for path, inode in self._socket_files:
            with contextlib.suppress(OSError):
                if os.stat(path).st_ino == inode:
                    Path(path).unlink()
        self._socket_files.clear()

    # Connections.

    def _connect(self) -> Link:
        self._made += 1
        connection = Connection(
            self._synthesizer,
            self.info,
            self._options,
            f"w{self._made}",
            opened=self._admit,
            ended=self._forget,
        )
        return connection.link

    def _admit(self, connection: Connection) -> None:
        """Decides what a new connection may do: speak, be answered `describe` and `ping` alone, or nothing."""
        options = self._options
        self._connections.add(connection)
        self._all_ended.clear()
        _log.debug("%s connected", connection.link.peer)
        if self._stopping:
            connection.fail(ShuttingDown("The server is shutting down."))
            return
        staying = [each for each in self._connections if not each.link.finishing]
        if len(staying) <= options.max_connections or self._evict(staying, connection):
            return
        connection.may_speak = False
        busy = Busy(f"The server has its {options.max_connections} connections; try again later.")
        if len(staying) > options.max_connections + options.reserve_connections:
            connection.fail(busy)
        else:
            asyncio.get_running_loop().call_later(
                options.reserve_connection_s, connection.fail, busy
            )

    def _evict(self, staying: list[Connection], newcomer: Connection) -> bool:
        """Ends the connection that has been idle for longest, if it was for long enough."""
        latest_s = asyncio.get_running_loop().time() - self._options.evict_idle_s
        idle = [
            each
            for each in staying
            if each is not newcomer and each.idle and each.last_active_s <= latest_s
        ]
        if not idle:
            return False
        min(idle, key=lambda each: each.last_active_s).link.finish()
        return True

    def _forget(self, connection: Connection) -> None:
        _log.debug("%s has gone", connection.link.peer)
        waiter = asyncio.get_running_loop().create_task(connection.wait())
        self._waiters.add(waiter)
        waiter.add_done_callback(self._waiters.discard)
        self._connections.discard(connection)
        if not self._connections:
            self._all_ended.set()
            if not self._servers:
                self._closed.set()

    async def _wait_for_connections(self, timeout_s: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await within(self._all_ended.wait(), max(0.0, timeout_s))
