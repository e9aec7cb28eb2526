"""Where the server listens: tcp://, unix:// and stdio:// URIs turned into sockets and pipes.

Knows nothing of Wyoming.

- tcp://0.0.0.0:10200 listens on IPv4 alone, tcp://[::]:10200 and tcp://:10200 on IPv6 and IPv4 (a socket for each, so that it
  does not depend on the system's setting), tcp://name:10200 on all addresses of that name.
- unix:///run/pocket-tts.sock removes the file of a server that has died, and refuses where one is alive.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from wyoming_pocket_tts.errors import SetupError
from wyoming_pocket_tts.wyoming_server.link import Link

DEFAULT_PORT = 10200
_BACKLOG = 128
_PORT_TRIES = 20


@dataclass(frozen=True)
class Address:
    """A parsed URI: `scheme` is tcp (host "" means all addresses), unix (`path`) or stdio."""

    scheme: str
    host: str = ""
    port: int = 0
    path: str = ""


def parse_uri(uri: str) -> Address:
    """Reads a listening URI.

    Raises:
        SetupError: it cannot be understood; the message says how it should look.
    """
    hint = "as in tcp://0.0.0.0:10200, unix:///run/pocket-tts.sock or stdio://"
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise SetupError(f"The uri {uri!r} is wrong: {error}; write it {hint}.") from None
    if parts.scheme == "tcp":
        return Address("tcp", host.replace("*", ""), DEFAULT_PORT if port is None else port)
    if parts.scheme == "unix" and (parts.netloc or parts.path):
        return Address("unix", path=unquote(parts.netloc + parts.path))
    if parts.scheme == "stdio":
        return Address("stdio")
    raise SetupError(f"The uri {uri!r} is not one to listen on; write it {hint}.")


async def tcp_sockets(host: str, port: int) -> list[socket.socket]:
    """Bound sockets for a host, one for each of its addresses, all with the same port.

    Args:
        host: "" or "::" for all addresses of both families, else an address or a name.
        port: 0 lets the system choose one that is free in all families.

    Raises:
        SetupError: none can be bound; the message says why.
    """
    wildcard = host in ("", "::")
    hosts: list[tuple[socket.AddressFamily, str]]
    if wildcard:
        hosts = [(socket.AF_INET6, "::"), (socket.AF_INET, "0.0.0.0")]
    else:
        hosts = await _resolve(host)
    for attempt in range(_PORT_TRIES):
        try:
            return _bind_all(hosts, port, skip_missing=wildcard or len(hosts) > 1)
        except OSError as error:
            chosen_by_system = port == 0 and error.errno == errno.EADDRINUSE
            if not chosen_by_system or attempt == _PORT_TRIES - 1:
                advice = " Is another server running? Choose another port, or stop it."
                reason = f"{error.strerror or error}." + (
                    advice if error.errno == errno.EADDRINUSE else ""
                )
                raise SetupError(
                    f"Cannot listen on {tcp_uri(host or '::', port)}: {reason}"
                ) from error
    raise AssertionError("unreachable")


def tcp_uri(host: str, port: int) -> str:
    """tcp://host:port, with brackets where the host is an IPv6 address."""
    return f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"


async def _resolve(host: str) -> list[tuple[socket.AddressFamily, str]]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (OSError, UnicodeError) as error:
        raise SetupError(f"Cannot listen on {host!r}: the name is not known ({error}).") from error
    return list(dict.fromkeys((family, str(address[0])) for family, _, _, _, address in found))


def _bind_all(
    hosts: list[tuple[socket.AddressFamily, str]], port: int, *, skip_missing: bool
) -> list[socket.socket]:
    with contextlib.ExitStack() as undo:
        sockets: list[socket.socket] = []
        missing: OSError | None = None
        for family, address in hosts:
            try:
                bound = socket.create_server(
                    socket.getaddrinfo(address, port, family, socket.SOCK_STREAM)[0][4],
                    family=family,
                    backlog=_BACKLOG,
                )
            except OSError as error:
                # A family that the machine lacks does not keep the other from being served.
                absent = (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL)
                if not skip_missing or error.errno not in absent:
                    raise
                missing = error
                continue
            undo.callback(bound.close)
            bound.setblocking(False)
            sockets.append(bound)
            port = bound.getsockname()[1]
        if not sockets:
            raise missing or OSError(errno.EADDRNOTAVAIL, "no address")
        undo.pop_all()
    return sockets


def unix_socket(path: str, mode: int) -> socket.socket:
    """A bound socket file with these permissions; a dead server's file is replaced.

    Raises:
        SetupError: a living server or another file is in the way, or the directory cannot be written to.
    """
    where = f"unix://{path}"
    with contextlib.ExitStack() as undo:
        bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        undo.callback(bound.close)
        try:
            _remove_stale(path, where)
            bound.bind(path)
            # Before listening, so that nobody can connect whom the mode would keep out.
            os.chmod(path, mode)
        except OSError as error:
            raise SetupError(f"Cannot listen on {where}: {error.strerror or error}.") from error
        bound.setblocking(False)
        undo.pop_all()
    return bound


def _remove_stale(path: str, where: str) -> None:
    try:
        kind = os.stat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(kind):
        raise SetupError(f"Cannot listen on {where}: a file that is no socket is in the way.")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(path)
        except (ConnectionRefusedError, FileNotFoundError):
            Path(path).unlink(missing_ok=True)
            return
    raise SetupError(f"Cannot listen on {where}: another server is listening there.")


class _PipeEnd(asyncio.Protocol):
    """Hands what happens on standard input or output on to the link."""

    def __init__(self, link: Link, *, reads: bool) -> None:
        self._link = link
        self._reads = reads

    def data_received(self, data: bytes) -> None:
        self._link.data_received(data)

    def eof_received(self) -> None:
        self._link.eof_received()

    def pause_writing(self) -> None:
        self._link.pause_writing()

    def resume_writing(self) -> None:
        self._link.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._reads:
            self._link.eof_received()
        else:
            self._link.connection_lost(exc)


async def open_stdio(link: Link) -> None:
    """Attaches a link to standard input and output.

    Standard output is the protocol's alone from here on: what anything else prints goes to standard error.

    Raises:
        SetupError: one of the two is a regular file, which cannot be waited on.
    """
    sys.stdout.flush()
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    try:
        await attach_pipes(link, os.fdopen(os.dup(0), "rb", buffering=0), output)
    except (ValueError, OSError) as error:
        raise SetupError(
            f"stdio:// needs pipes, sockets or a terminal for input and output ({error}); "
            "for a file, write: cat events | wyoming-pocket-tts serve --uri stdio:// | cat > answers"
        ) from error


async def attach_pipes(link: Link, source: BinaryIO, sink: BinaryIO) -> None:
    """Attaches a link to the two ends of pipes, which it closes."""
    loop = asyncio.get_running_loop()
    write_transport, _ = await loop.connect_write_pipe(lambda: _PipeEnd(link, reads=False), sink)
    try:
        read_transport, _ = await loop.connect_read_pipe(lambda: _PipeEnd(link, reads=True), source)
    except BaseException:
        write_transport.abort()
        raise
    link.attach(write_transport, read_transport, "standard input")
