"""Zeroconf on the loopback interface alone: what another machine would see of our announcement."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from zeroconf import ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from wyoming_pocket_tts import announce
from wyoming_pocket_tts.announce import (
    SERVICE_TYPE,
    ZeroconfAnnouncer,
    announced_addresses,
    instance_name,
    machine_id,
)


@dataclass
class Seen:
    """What a listener has seen: (change, instance)."""

    zeroconf: AsyncZeroconf
    changes: list[tuple[str, str]]

    async def until(self, change: str, instance: str) -> None:
        deadline_s = asyncio.get_running_loop().time() + 60
        while (change, f"{instance}.{SERVICE_TYPE}") not in self.changes:
            assert asyncio.get_running_loop().time() < deadline_s, self.changes
            await asyncio.sleep(0.01)

    async def info(self, instance: str) -> AsyncServiceInfo:
        info = AsyncServiceInfo(SERVICE_TYPE, f"{instance}.{SERVICE_TYPE}")
        assert await info.async_request(self.zeroconf.zeroconf, 2000)
        return info


@contextlib.asynccontextmanager
async def listening() -> AsyncIterator[Seen]:
    zeroconf = AsyncZeroconf(interfaces=["127.0.0.1"])
    seen = Seen(zeroconf, [])

    def changed(
        zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        seen.changes.append((state_change.name, name))

    browser = AsyncServiceBrowser(zeroconf.zeroconf, SERVICE_TYPE, handlers=[changed])
    try:
        yield seen
    finally:
        await browser.async_cancel()
        await zeroconf.async_close()


def _announcer(machine: str, port: int = 10200, **options: object) -> ZeroconfAnnouncer:
    return ZeroconfAnnouncer("pocket-tts", port, "127.0.0.1", machine=machine, **options)  # type: ignore[arg-type]


async def test_announcement_and_goodbye() -> None:
    announcer = _announcer("one", 10333)
    instance = instance_name("pocket-tts", 10333, "one")
    async with listening() as seen:
        assert announcer.instance is None
        await announcer.start()
        try:
            assert announcer.instance == instance
            await seen.until("Added", instance)
            info = await seen.info(instance)
            assert info.port == 10333
            assert info.parsed_addresses() == ["127.0.0.1"]
        finally:
            await announcer.stop()
        assert announcer.instance is None
        await seen.until("Removed", instance)
        await announcer.stop()


async def test_a_name_that_is_taken_is_changed() -> None:
    first, names = _announcer("two"), []
    await first.start()
    try:
        # The first one has half a second to answer that the name is taken: on a machine with much else to do it may miss it.
        while len(names) < 5 and f"{first.instance}-2" not in names:
            second = _announcer("two")
            await second.start()
            names.append(second.instance)
            await second.stop()
        assert names[-1] == f"{first.instance}-2"
    finally:
        await first.stop()


async def test_changed_addresses_are_announced_under_the_same_name() -> None:
    addresses = ["127.0.0.1"]
    announcer = _announcer("three", poll_s=0.05, find_addresses=lambda host: list(addresses))
    async with listening() as seen:
        await announcer.start()
        try:
            instance = announcer.instance
            assert instance is not None
            await seen.until("Added", instance)
            addresses.append("127.0.0.2")
            await seen.until("Updated", instance)
            info = await seen.info(instance)
            assert sorted(info.parsed_addresses()) == ["127.0.0.1", "127.0.0.2"]
            assert ("Removed", f"{instance}.{SERVICE_TYPE}") not in seen.changes
            assert announcer.instance == instance
        finally:
            await announcer.stop()


async def test_without_a_network_it_waits_for_one() -> None:
    addresses: list[str] = []
    failures = [OSError("no network")]

    def find(host: str) -> list[str]:
        if failures:
            raise failures.pop()
        return addresses

    announcer = _announcer("four", poll_s=0.02, find_addresses=find)
    await announcer.start()
    try:
        await asyncio.sleep(0.05)
        assert announcer.instance is None
        addresses.append("127.0.0.1")
        for _ in range(500):
            await asyncio.sleep(0.01)
            if announcer.instance is not None:
                break
        assert announcer.instance == instance_name("pocket-tts", 10200, "four")
    finally:
        await announcer.stop()


async def test_stop_before_start_and_after_a_failure() -> None:
    def find(host: str) -> list[str]:
        raise OSError("no network")

    announcer = _announcer("five", find_addresses=find)
    await announcer.stop()
    await announcer.start()
    await announcer.stop()


def test_instance_names_are_stable_and_unique() -> None:
    name = instance_name("pocket-tts", 10200, "machine")
    assert name == "pocket-tts-f1f01496"
    assert len({name, instance_name("pocket-tts", 10201, "machine")}) == 2
    assert len({name, instance_name("pocket-tts", 10200, "another")}) == 2
    assert machine_id() == machine_id() != ""


def test_machine_id_without_systemd(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announce, "_MACHINE_ID_FILES", ("/does/not/exist",))
    monkeypatch.setattr("uuid.getnode", lambda: 0x02FC00000001)
    assert machine_id() == "02fc00000001"
    monkeypatch.setattr("uuid.getnode", lambda: 0x03FC00000001)
    assert machine_id() == socket.gethostname()


@pytest.fixture
def adapters(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    found = {
        "lo": ["127.0.0.1", ("::1", 0, 0)],
        "docker0": ["172.17.0.1", ("fe80::1", 0, 4)],
        "wlan0": [("fe80::2", 0, 3), "169.254.1.1", ("2001:db8::2", 0, 0), "192.168.7.2"],
        "eth0": [("fd00::1", 0, 0), "192.168.1.2"],
    }
    monkeypatch.setattr(
        "ifaddr.get_adapters",
        lambda: [
            SimpleNamespace(name=name, ips=[SimpleNamespace(ip=ip) for ip in ips])
            for name, ips in found.items()
        ],
    )
    monkeypatch.setattr(announce, "_outward_address", lambda: "192.168.1.2")
    return iter(())


@pytest.mark.usefixtures("adapters")
def test_wildcards_stand_for_the_addresses_of_real_interfaces() -> None:
    ipv4 = ["192.168.1.2", "192.168.7.2"]
    everything = [*ipv4, "2001:db8::2", "fd00::1", "169.254.1.1", "fe80::2"]
    for host in ("", "*", "::", "[::]"):
        assert announced_addresses(host) == everything
    assert announced_addresses("0.0.0.0") == [*ipv4, "169.254.1.1"]


@pytest.mark.usefixtures("adapters")
def test_a_server_bound_to_one_address_is_announced_there_alone() -> None:
    assert announced_addresses("192.168.7.2") == ["192.168.7.2"]
    assert announced_addresses("127.0.0.1") == ["127.0.0.1"]
    assert announced_addresses("[::1]") == ["::1"]
    assert "127.0.0.1" in announced_addresses("localhost")


def test_the_machine_itself() -> None:
    for address in announced_addresses(""):
        assert address not in ("0.0.0.0", "::", "127.0.0.1", "::1")
