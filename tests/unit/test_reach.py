"""Whether a server can be connected to: itself, or the proxy in front of it."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from wyoming_pocket_tts.models.reach import Reach


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def url(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_there_and_not_there(listener: socket.socket) -> None:
    assert Reach().error(f"{url(listener)}/some/path") is None
    address = url(listener)
    listener.close()
    assert isinstance(Reach().error(address), ConnectionRefusedError)


def test_the_answer_is_remembered_for_a_while(listener: socket.socket) -> None:
    remembering, forgetting = Reach(), Reach(remembered_s=0)
    address = url(listener)
    assert remembering.error(address) is forgetting.error(address) is None
    listener.close()
    assert remembering.error(address) is None
    assert forgetting.error(address) is not None


def test_through_a_proxy(listener: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    for proxy in (url(listener), url(listener).removeprefix("http://")):
        monkeypatch.setenv("https_proxy", proxy)
        assert Reach().error("https://hub.invalid") is None
    monkeypatch.setenv("no_proxy", "hub.invalid")
    monkeypatch.setattr(socket, "create_connection", _fail)
    assert isinstance(Reach().error("https://hub.invalid"), socket.gaierror)


def test_what_is_no_address_is_left_to_others() -> None:
    assert Reach().error("not an address") is Reach().error("http://a:b:c") is None


def _fail(address: tuple[str, int], timeout: float) -> socket.socket:
    assert address == ("hub.invalid", 443)
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
