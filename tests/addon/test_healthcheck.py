"""The health check, against a server with a stand-in for speech, and against what is none."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest

from tests.protocol.fake_synthesizer import FakeSynthesizer
from wyoming_pocket_tts import healthcheck
from wyoming_pocket_tts.wyoming_server import WyomingServer


async def check(*arguments: str) -> int:
    return await asyncio.to_thread(healthcheck.main, list(arguments))


async def test_a_server_that_answers_is_healthy(capsys: pytest.CaptureFixture[str]) -> None:
    server = WyomingServer(FakeSynthesizer())
    await server.start("tcp://127.0.0.1:0")
    assert await check(f"tcp://127.0.0.1:{server.port}") == 0
    assert "voices" in capsys.readouterr().out
    assert await check(f"tcp://127.0.0.1:{server.port}", "--speak", "Hello there.") == 0
    assert "bytes of audio" in capsys.readouterr().out
    await server.stop(0)


async def test_nothing_there_is_unhealthy(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    assert await check(f"tcp://127.0.0.1:{port}") == 1
    assert "refused" in capsys.readouterr().err


@pytest.fixture
def other_server() -> Iterator[int]:
    """Says something that is no Wyoming, to one client."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            client, _ = server.accept()
            with client:
                client.recv(1000)
                client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        yield server.getsockname()[1]
        thread.join(5)


async def test_another_kind_of_server_is_unhealthy(
    other_server: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await check(f"tcp://127.0.0.1:{other_server}") == 1
    assert f"tcp://127.0.0.1:{other_server}: " in capsys.readouterr().err


async def test_a_silent_server_is_waited_for_as_long_as_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        uri = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        assert await check(uri, "--timeout", "0.05") == 1
    assert "timed out" in capsys.readouterr().err


@pytest.mark.parametrize("uri", ["http://127.0.0.1:1", "tcp://127.0.0.1", "nonsense"])
async def test_a_wrong_uri_is_told(uri: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert await check(uri) == 1
    assert "tcp://host:port" in capsys.readouterr().err
