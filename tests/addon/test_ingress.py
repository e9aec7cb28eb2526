"""The page behind Home Assistant's ingress: nobody but the Supervisor's proxy reaches it, and it is told what is wrong."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.protocol.fake_synthesizer import FakeSynthesizer
from tests.protocol.helpers import raw
from wyoming_pocket_tts.errors import ConfigError
from wyoming_pocket_tts.http_server import HttpOptions, HttpServer
from wyoming_pocket_tts.notices import Notices
from wyoming_pocket_tts.settings_file import FlagValue, load_settings
from wyoming_pocket_tts.wyoming_server import WyomingServer

INGRESS = {"X-Ingress-Path": "/api/hassio_ingress/abc", "X-Forwarded-For": "172.30.32.2"}


class Source(FakeSynthesizer):
    """What the HTTP server asks of a synthesizer besides."""

    default_voice = None
    active = 0
    figures = None

    def observe(self, observer: Any) -> None:
        pass


@contextlib.asynccontextmanager
async def serving(notices: Notices | None = None, **options: Any) -> AsyncIterator[str]:
    server = HttpServer(HttpOptions(**options), (notices or Notices()).texts)
    await server.start("127.0.0.1", 0)
    server.speak_with(Source())
    try:
        yield server.addresses[0]
    finally:
        await server.stop(0)


async def get(url: str, **headers: str) -> tuple[int, Any]:
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as response:
        is_json = response.content_type == "application/json"
        return response.status, await (response.json() if is_json else response.text())


@pytest.mark.parametrize("path", ["/", "/health", "/api/info", "/app.js"])
async def test_only_the_proxy_comes_in(path: str) -> None:
    async with serving(only_from=("172.30.32.2",)) as url:
        status, answer = await get(url + path, **INGRESS)  # its headers are anybody's to write
        assert status == 403
        assert "172.30.32.2" in answer["message"]
    async with serving(only_from=("127.0.0.1",)) as url:
        status, _ = await get(url + path, **INGRESS)
        assert status == 200


async def test_the_page_asks_for_its_files_by_relative_links() -> None:
    async with serving(only_from=("127.0.0.1",)) as url:
        _, page = await get(url + "/", **INGRESS)
    assert 'src="/' not in page
    assert 'href="/' not in page


async def test_what_is_wrong_is_told_to_the_page_and_to_describe() -> None:
    notices = Notices()
    async with serving(notices) as url:
        assert (await get(url + "/api/info"))[1]["notices"] == []
        notices.put("option", "Option voice: there is no voice 'ana'.")
        assert (await get(url + "/api/info"))[1]["notices"] == [
            "Option voice: there is no voice 'ana'."
        ]
    server = WyomingServer(FakeSynthesizer(), notices=notices.texts)
    await server.start("tcp://127.0.0.1:0")
    async with raw(server) as client:
        for wanted in ("Pocket TTS | Option voice: there is no voice 'ana'.", "Pocket TTS"):
            await client.event("describe")
            _, data, _ = await client.read_event()
            assert data["tts"][0]["description"] == wanted
            notices.clear("option")
    await server.stop(0)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"only_from: 'proxy' is no address"):
        load_settings(None, [FlagValue("--x", ("http", "only_from"), ["proxy"])])
