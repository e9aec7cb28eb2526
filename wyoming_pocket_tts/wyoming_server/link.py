"""A connection as bytes: writing with back-pressure, noticing that the peer has gone, and the three ways to end.

Knows nothing of events. It is an asyncio protocol and not a stream, since a stream hides what matters here:

- After a peer's FIN asyncio no longer looks at a socket, so the reset that tells a closed peer from one that has only
  ended its sending (and still wants its audio) goes unseen. `poll` without any events of its own reports just that.
- A slow peer is told from a dead one by the bytes it takes, not by the time that sending takes.
- A TCP reset is the one end that no client takes for a good one.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket
import struct
from collections.abc import Callable
from typing import Protocol

from wyoming_pocket_tts.wyoming_server.options import WyomingOptions

_LOOK_INTERVAL_S = 0.05
_KEEPALIVE_S = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}
_UNSENT_BYTES = 131_072


class LinkOwner(Protocol):
    """Who is told what happens on a link. None of these may raise or wait."""

    def link_opened(self) -> None:
        """The link can be written to."""

    def link_data(self, data: bytes) -> None:
        """The peer sent this."""

    def link_drained(self) -> None:
        """Unsent bytes are few again."""

    def link_eof(self) -> None:
        """The peer will send no more; it may still read."""

    def link_lost(self) -> None:
        """The link is gone, whoever ended it. Comes once, last."""


class Link(asyncio.Protocol):
    """One peer's socket, or its pair of pipes."""

    def __init__(self, owner: LinkOwner, options: WyomingOptions) -> None:
        self.peer = "?"
        self.eof = False
        self.finishing = False
        self.lost = False
        self._owner = owner
        self._options = options
        self._loop = asyncio.get_running_loop()
        self._sink: asyncio.WriteTransport | None = None
        self._source: asyncio.ReadTransport | None = None
        self._socket: socket.socket | None = None
        self._poll: select.poll | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self.written_bytes = 0
        self._taken_bytes = 0
        self._taken_at_s = 0.0
        self._ends_badly = False
        self._aborted = False
        self._timers: dict[str, asyncio.TimerHandle] = {}

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._socket = transport.get_extra_info("socket")
        if self._socket is not None:
            _tune(self._socket)
            self._poll = select.poll()
            self._poll.register(self._socket.fileno(), 0)
        self.attach(transport, transport, _peer_name(transport))

    def attach(
        self, sink: asyncio.WriteTransport, source: asyncio.ReadTransport, peer: str
    ) -> None:
        """Begins work on transports that are connected. `connection_made` does it for a socket."""
        self._sink, self._source, self.peer = sink, source, peer
        if self.lost:  # a pipe can break before the other one is there
            sink.close()
            source.close()
            return
        high = self._options.write_buffer_bytes
        sink.set_write_buffer_limits(high=high, low=high // 4)
        self._taken_at_s = self._loop.time()
        self._set_timer("look", _LOOK_INTERVAL_S, self._look)
        self._owner.link_opened()

    def data_received(self, data: bytes) -> None:
        if not self.finishing:
            self._owner.link_data(data)

    def eof_received(self) -> bool:
        if not self.eof:
            self.eof = True
            if not self.finishing:
                self._owner.link_eof()
            elif not self._ends_badly:
                self._close()
        return True  # the transport stays open for what is still to be written

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()
        self._owner.link_drained()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.lost:
            return
        self.lost = True
        for timer in self._timers.values():
            timer.cancel()
        self._writable.set()
        for transport in (self._sink, self._source):
            if transport is not None:
                transport.close()
        self._owner.link_lost()

    # What the owner calls.

    @property
    def unsent_bytes(self) -> int:
        """Written, but not yet taken by the system."""
        return self._sink.get_write_buffer_size() if self._sink is not None else 0

    def write(self, data: bytes) -> None:
        """Sends a whole event. Never waits; on a link that has ended or is ending it does nothing."""
        if self._sink is not None and not self.finishing and not self._sink.is_closing():
            if self.unsent_bytes == 0:
                self._taken_at_s = self._loop.time()
            self.written_bytes += len(data)
            self._sink.write(data)

    async def drain(self) -> None:
        """Waits until the peer has taken enough. Always lets other tasks run once."""
        if self._writable.is_set():
            await asyncio.sleep(0)
        else:
            await self._writable.wait()

    def pause_reading(self) -> None:
        """Leaves further bytes with the system. A peer's FIN is not seen meanwhile."""
        if self._source is not None and not self._source.is_closing():
            self._source.pause_reading()

    def resume_reading(self) -> None:
        """Takes up reading again."""
        if self._source is not None and not self._source.is_closing():
            self._source.resume_reading()

    def finish(self) -> None:
        """Ends well: all that was written goes out, then FIN; the peer gets a moment to close first.

        Closing with unread bytes would make the system send a reset, which can destroy what the peer has not read yet: so
        they are read and dropped meanwhile.
        """
        if self.finishing or self._sink is None:
            return
        self.finishing = True
        if self.eof or not self._sink.can_write_eof():
            self._close()
            return
        with contextlib.suppress(OSError):
            self._sink.write_eof()
        self.resume_reading()
        self._set_timer("end", self._options.error_linger_s, self._close)

    def finish_with_reset(self, after_s: float) -> None:
        """Ends badly, on purpose, after a time in which the peer can read what was written and close."""
        if not self.finishing:
            self.finishing = self._ends_badly = True
            self.resume_reading()
            self._set_timer("end", after_s, self.reset)

    def reset(self) -> None:
        """Ends at once with a TCP reset. Where there is none (unix sockets, pipes) it is a plain close."""
        self.finishing = True
        if self._socket is not None and self._socket.family in (socket.AF_INET, socket.AF_INET6):
            with contextlib.suppress(OSError):
                linger = struct.pack("ii", 1, 0)
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._abort()

    # Inside.

    def _close(self) -> None:
        if self._sink is not None:
            self._sink.close()  # what is unsent still goes out; `_look` goes on watching it

    def _abort(self) -> None:
        if self._sink is not None and not self._aborted and not self.lost:
            self._aborted = True
            self._sink.abort()

    def _set_timer(self, name: str, after_s: float, action: Callable[[], None]) -> None:
        previous = self._timers.get(name)
        if previous is not None:
            previous.cancel()
        self._timers[name] = self._loop.call_later(after_s, action)

    def _look(self) -> None:
        """Every 50 ms: is the peer still there, and does it take what it is sent?"""
        if self.lost:
            return
        self._set_timer("look", _LOOK_INTERVAL_S, self._look)
        if self._poll is not None and self._poll.poll(0):
            self._abort()
            return
        unsent, now_s = self.unsent_bytes, self._loop.time()
        taken = self.written_bytes - unsent
        if unsent == 0 or taken != self._taken_bytes:
            self._taken_bytes, self._taken_at_s = taken, now_s
        elif now_s - self._taken_at_s > self._options.stalled_client_s:
            self.reset()


def _tune(connected: socket.socket) -> None:
    if connected.family not in (socket.AF_INET, socket.AF_INET6):
        return
    settings = [
        (socket.IPPROTO_TCP, "TCP_NODELAY", 1),
        (socket.SOL_SOCKET, "SO_KEEPALIVE", 1),
        # Without it the system takes megabytes, a minute of audio, for a peer that reads nothing.
        (socket.IPPROTO_TCP, "TCP_NOTSENT_LOWAT", _UNSENT_BYTES),
        *((socket.IPPROTO_TCP, name, value) for name, value in _KEEPALIVE_S.items()),
    ]
    for level, name, value in settings:
        option = getattr(socket, name, None)
        if option is not None:
            with contextlib.suppress(OSError):
                connected.setsockopt(level, option, value)


def _peer_name(transport: asyncio.BaseTransport) -> str:
    peer = transport.get_extra_info("peername")
    return f"{peer[0]} port {peer[1]}" if isinstance(peer, tuple) else "local client"
