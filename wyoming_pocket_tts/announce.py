"""Zeroconf: tells Home Assistant on the local network that the server is there, and when it goes.

Knows a name, a port and the host that the server is bound to, and nothing else of it. To be started once the server listens:
Home Assistant asks `describe` at once, and gives up for good when nobody answers.

What it minds, since Home Assistant does: real addresses (never 0.0.0.0), the first of them not a link-local one; the same
instance name at each start, for a new one is a new device; a goodbye at the end.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import ipaddress
import logging
import re
import socket
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

import ifaddr
from zeroconf import Error as ZeroconfError
from zeroconf import IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

_log = logging.getLogger(__name__)

SERVICE_TYPE = "_wyoming._tcp.local."
POLL_S = 15.0
_MACHINE_ID_FILES = ("/etc/machine-id", "/var/lib/dbus/machine-id")
# Interfaces whose addresses nobody outside this machine can reach.
_INTERNAL = re.compile(r"docker|br-|veth|virbr|vnet|hassio|podman|cni|flannel|lxc|kube")
# A multicast address: asking the way to it names the address that this machine shows to its network. Nothing is sent.
_MDNS_ADDRESS = ("224.0.0.251", 5353)

FindAddresses = Callable[[str], Sequence[str]]


class ZeroconfAnnouncer:
    """Announces a Wyoming server while it runs.

    Args:
        name: the program's name; the instance name is made of it and of a number that stands for this machine and port.
        port: where the server listens.
        bind_host: the host it is bound to: an address, a name, or "", "0.0.0.0" or "::" for all addresses.
        poll_s: how often the addresses are looked at; a change is announced.
        find_addresses: gives the addresses to announce for a host (for tests).
        machine: what stands for this machine in the instance name (for tests).
    """

    def __init__(
        self,
        name: str,
        port: int,
        bind_host: str,
        *,
        poll_s: float = POLL_S,
        find_addresses: FindAddresses | None = None,
        machine: str | None = None,
    ) -> None:
        self._wanted_name = instance_name(name, port, machine or machine_id())
        self._port = port
        self._bind_host = bind_host
        self._poll_s = poll_s
        self._find_addresses = find_addresses or announced_addresses
        self._zeroconf: AsyncZeroconf | None = None
        self._info: AsyncServiceInfo | None = None
        self._addresses: list[str] = []
        self._watcher: asyncio.Task[None] | None = None

    @property
    def instance(self) -> str | None:
        """The instance name under which the server is announced; None while it is not."""
        return None if self._info is None else self._info.name.removesuffix(f".{SERVICE_TYPE}")

    async def start(self) -> None:
        """Announces the server and returns when that is done.

        Without a network it is announced once there is one. Raises nothing: a server that nobody announces still serves.
        """
        if self._watcher is None:
            await self._announce_changes()
            self._watcher = asyncio.get_running_loop().create_task(self._watch())

    async def stop(self) -> None:
        """Says goodbye and returns when that is sent."""
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.wait((self._watcher,))
            self._watcher = None
        zeroconf, info = self._zeroconf, self._info
        self._zeroconf = self._info = None
        self._addresses = []
        if zeroconf is None:
            return
        try:
            if info is not None:
                # The first await takes the service off the list, the second one sends the goodbye.
                await (await zeroconf.async_unregister_service(info))
        except (OSError, ZeroconfError) as error:
            _log.warning("Zeroconf: the goodbye was not sent: %s", error)
        finally:
            await zeroconf.async_close()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._poll_s)
            await self._announce_changes()

    async def _announce_changes(self) -> None:
        try:
            # In a thread, since a host given by its name has to be looked up.
            addresses = list(await asyncio.to_thread(self._find_addresses, self._bind_host))
            if addresses and addresses != self._addresses:
                await self._announce(addresses)
                self._addresses = addresses
                _log.info(
                    "Zeroconf: announced as %s at %s", self.instance, ", ".join(self._addresses)
                )
        except (OSError, ZeroconfError, RuntimeError, ValueError) as error:
            _log.warning(
                "Zeroconf: cannot announce (%s); trying again in %g s",
                str(error) or type(error).__name__,
                self._poll_s,
            )

    async def _announce(self, addresses: list[str]) -> None:
        if self._zeroconf is None:
            self._zeroconf = AsyncZeroconf(interfaces=addresses, ip_version=_ip_version(addresses))
        elif (rescan := getattr(self._zeroconf, "async_update_interfaces", None)) is not None:
            await rescan(addresses, _ip_version(addresses))
        if self._info is None:
            info = self._service_info(f"{self._wanted_name}.{SERVICE_TYPE}", addresses)
            # The first await finds a free name, the second one sends the announcements.
            announced = await self._zeroconf.async_register_service(info, allow_name_change=True)
            self._info = info
        else:
            info = self._service_info(self._info.name, addresses)
            announced = await self._zeroconf.async_update_service(info)
            self._info = info
        await announced

    def _service_info(self, name: str, addresses: list[str]) -> AsyncServiceInfo:
        return AsyncServiceInfo(
            SERVICE_TYPE,
            name,
            port=self._port,
            parsed_addresses=addresses,
            # A host name of our own, so that we never contradict the machine's own responder.
            server=f"{self._wanted_name}.local.",
        )


def instance_name(name: str, port: int, machine: str) -> str:
    """`name` and eight digits that stand for machine and port: the same at each start, and another one elsewhere.

    The port is part of it since Home Assistant does not follow a known name to a new port. The machine's id is only used
    hashed: it is not meant to be published.
    """
    digest = hashlib.sha256(f"wyoming-pocket-tts/{machine}/{port}".encode()).hexdigest()
    return f"{name}-{digest[:8]}"


def machine_id() -> str:
    """Something that stays the same for this installation: systemd's machine id, else a MAC address, else the host name."""
    for path in _MACHINE_ID_FILES:
        with contextlib.suppress(OSError):
            found = Path(path).read_text(encoding="ascii", errors="replace").strip()
            if found:
                return found
    node = uuid.getnode()
    made_up = node >> 40 & 1  # the multicast bit marks a number drawn at random
    return socket.gethostname() if made_up else f"{node:012x}"


def announced_addresses(bind_host: str) -> list[str]:
    """The addresses at which a server bound to `bind_host` can be reached, the best one first.

    For a wildcard: those of all real interfaces, IPv4 before IPv6, link-local ones last; neither loopback nor networks that
    exist only within this machine.
    """
    host = bind_host.strip("[]")
    if host not in ("", "*", "::", "0.0.0.0"):
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        return sorted(dict.fromkeys(str(each[4][0]) for each in found), key=_rank)
    outward = _outward_address()
    addresses = [
        address
        for adapter in ifaddr.get_adapters()
        if not _INTERNAL.match(adapter.name)
        for each in adapter.ips
        for address in [each.ip if isinstance(each.ip, str) else each.ip[0]]
        if _is_reachable(address) and (host != "0.0.0.0" or ":" not in address)
    ]
    return sorted(
        dict.fromkeys(addresses), key=lambda address: (*_rank(address), address != outward)
    )


def _is_reachable(address: str) -> bool:
    parsed = ipaddress.ip_address(address)
    return not (parsed.is_loopback or parsed.is_unspecified or parsed.is_multicast)


def _rank(address: str) -> tuple[bool, bool]:
    parsed = ipaddress.ip_address(address.partition("%")[0])
    return parsed.is_link_local, parsed.version == 6


def _outward_address() -> str:
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(_MDNS_ADDRESS)
            return str(probe.getsockname()[0])
    except OSError:
        return ""


def _ip_version(addresses: Sequence[str]) -> IPVersion:
    versions = {6 if ":" in address else 4 for address in addresses}
    if versions == {4}:
        return IPVersion.V4Only
    return IPVersion.V6Only if versions == {6} else IPVersion.All
