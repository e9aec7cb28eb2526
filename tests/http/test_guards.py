"""Who may come in: other web sites, tokens, names that point here, and what every answer carries."""

from __future__ import annotations

import asyncio
import contextlib

import aiohttp
import pytest

from tests.http.helpers import form, running
from tests.protocol.helpers import until
from wyoming_pocket_tts.http_server import HttpOptions


async def test_there_is_nothing_elsewhere() -> None:
    async with running() as one:
        for path in ("/nothing", "/v1/nothing", "/../etc/passwd", "/static/x", "/%2e%2e/app"):
            async with one.client.get(path) as response:
                assert response.status == 404, path
                told = await response.json()
                assert told.get("code", told.get("error", {}).get("code")) == "not-found"


async def test_methods_that_are_not_possible() -> None:
    async with running() as one:
        async with one.client.get("/tts") as response:
            assert response.status == 405
            assert "POST" in response.headers["Allow"]
            assert (await response.json())["code"] == "method-not-allowed"
        async with one.client.head("/tts") as response:
            assert response.status == 405
        async with one.client.head("/health") as response:
            assert response.status == 200
        async with one.client.options("/tts") as response:
            assert response.status == 204
            assert response.headers["Allow"] == "OPTIONS, POST"


SITE = "https://site.example"


@pytest.mark.parametrize(
    ("host", "options", "told"),
    [
        ("0.0.0.0", HttpOptions(), "may speak there, and add and delete voices: set http.token"),
        ("0.0.0.0", HttpOptions(max_upload_bytes=0), "may speak there: set http.token"),
        ("0.0.0.0", HttpOptions(token="open sesame"), ""),
        ("0.0.0.0", HttpOptions(only_from=("127.0.0.1",)), ""),
        ("127.0.0.1", HttpOptions(), ""),
    ],
)
async def test_an_open_door_is_told_in_the_log(
    host: str, options: HttpOptions, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(options, host=host) as one:
        warnings = [one.message for one in caplog.records if one.levelname == "WARNING"]
        assert len(warnings) == bool(told)
        assert all(told in line and one.server.addresses[0] in line for line in warnings)


async def test_pages_of_other_sites_are_kept_out() -> None:
    async with running() as one:
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": "http://localhost:1"},
            {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
        ):
            async with one.client.post("/tts", data=form(text="Hi"), headers=headers) as response:
                assert response.status == 403, headers
                assert (await response.json())["code"] == "not-allowed"
                assert "Access-Control-Allow-Origin" not in response.headers
            async with one.client.options("/tts", headers=headers) as response:
                assert "Access-Control-Allow-Origin" not in response.headers
        assert not one.speech.calls
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await one.client.ws_connect("/ws", origin="https://evil.example")


async def test_the_servers_own_page_and_a_followed_link_are_let_in() -> None:
    async with running() as one:
        port = one.server.port
        for headers in (
            {"Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"},
            {"Origin": "https://tts.example", "X-Forwarded-Host": "tts.example"},
        ):
            async with one.client.post("/tts", data=form(text="Hi"), headers=headers) as response:
                assert response.status == 200, headers
        link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        async with one.client.get("/", headers=link) as response:
            assert response.status == 200


async def test_sites_that_the_owner_allows() -> None:
    async with running(HttpOptions(allow_origins=(SITE,), token="open sesame")) as one:
        asking = {
            "Origin": SITE,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization",
            "Access-Control-Request-Private-Network": "true",
        }
        async with one.client.options("/tts", headers=asking) as response:
            assert response.status == 204
            assert response.headers["Access-Control-Allow-Origin"] == SITE
            assert "Authorization" in response.headers["Access-Control-Allow-Headers"]
            assert "POST" in response.headers["Access-Control-Allow-Methods"]
            assert response.headers["Access-Control-Allow-Private-Network"] == "true"
        headers = {"Origin": SITE, "Authorization": "Bearer open sesame"}
        async with one.client.post("/tts", data=form(text="Hi"), headers=headers) as response:
            assert response.status == 200
            assert response.headers["Access-Control-Allow-Origin"] == SITE
            assert response.headers["Vary"] == "Origin"
        async with one.client.post(
            "/tts", data=form(text="Hi"), headers={"Origin": SITE}
        ) as response:
            assert response.status == 401
            assert response.headers["Access-Control-Allow-Origin"] == SITE


async def test_a_name_that_was_made_to_point_here() -> None:
    async with running(HttpOptions(allow_origins=("https://tts.home.example",))) as one:
        for host, status in (
            ("evil.example:8000", 403),
            ("localhost.evil.example", 403),
            ("localhost:8000", 200),
            ("tts.localhost", 200),
            ("[::1]:8000", 200),
            ("127.0.0.1", 200),
            ("tts.home.example", 200),
        ):
            async with one.client.get("/api/info", headers={"Host": host}) as response:
                assert response.status == status, host


async def test_on_the_network_any_name_will_do() -> None:
    async with (
        running(host="0.0.0.0") as one,
        one.client.get("/api/info", headers={"Host": "nas.home.example"}) as response,
    ):
        assert response.status == 200


async def test_the_token() -> None:
    async with running(HttpOptions(token="a secret token")) as one:
        for path in ("/api/info", "/metrics", "/v1/models", "/v1/audio/voices"):
            for shown in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}):
                async with one.client.get(path, headers=shown) as response:
                    assert response.status == 401
                    assert response.headers["WWW-Authenticate"] == "Bearer"
            right = {"Authorization": "bearer a secret token"}
            async with one.client.get(path, headers=right) as response:
                assert response.status == 200
        for path in ("/health", "/", "/app.js", "/style.css"):
            async with one.client.get(path) as response:
                assert response.status == 200, path
        async with one.client.post("/tts", data=form(text="Hi")) as response:
            assert response.status == 401
        assert not one.speech.calls


async def test_the_page_and_its_headers() -> None:
    async with running(HttpOptions(allow_origins=(SITE,))) as one:
        async with one.client.get("/") as response:
            assert response.content_type == "text/html"
            assert (
                "frame-ancestors 'self' https://site.example"
                in response.headers["Content-Security-Policy"]
            )
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            etag = response.headers["ETag"]
        async with one.client.get("/", headers={"If-None-Match": etag}) as response:
            assert response.status == 304
        async with one.client.get("/app.js") as response:
            assert response.content_type == "text/javascript"


INGRESS = {"X-Ingress-Path": "/api/hassio_ingress/abc"}


async def test_what_ingress_says_is_believed_of_a_proxy_alone() -> None:
    from_elsewhere = {**INGRESS, "Origin": "http://ha.local:8123"}
    for only_from, status in (((), 403), (("127.0.0.1",), 200)):
        async with (
            running(HttpOptions(only_from=only_from), host="0.0.0.0") as one,
            one.client.get("/api/info", headers=from_elsewhere) as response,
        ):
            assert response.status == status


@pytest.mark.parametrize("only_from", [(), ("127.0.0.1",)])
async def test_a_name_that_was_made_to_point_here_and_says_it_is_ingress(
    only_from: tuple[str, ...],
) -> None:
    headers = {**INGRESS, "Host": "evil.example:8000", "Origin": "http://evil.example:8000"}
    async with (
        running(HttpOptions(only_from=only_from)) as one,
        one.client.get("/api/info", headers=headers) as response,
    ):
        assert response.status == 403


async def test_only_as_many_requests_as_allowed() -> None:
    async with running(HttpOptions(max_connections=2)) as one:
        one.speech.gate.clear()
        held = [
            asyncio.create_task(one.client.post("/tts", data=form(text="Hi"))) for _ in range(2)
        ]
        await until(lambda: len(one.speech.calls) == 2)
        async with one.client.get("/api/info") as response:
            assert response.status == 503
            assert (await response.json())["code"] == "busy"
        for path in ("/health", "/metrics"):
            async with one.client.get(path) as response:
                assert response.status == 200, path
        one.speech.gate.set()
        for answer in await asyncio.gather(*held):
            await answer.read()
        async with one.client.get("/api/info") as response:
            assert response.status == 200


async def test_connections_that_ask_for_nothing_are_closed_and_take_no_place() -> None:
    async with running(HttpOptions(max_connections=1, head_s=0.3)) as one:
        held = [await asyncio.open_connection("127.0.0.1", one.server.port) for _ in range(3)]
        for _, writer in held:
            writer.write(b"POST /tts HTTP/1.1\r\nHost: localhost\r\nX-Slow")
        async with one.client.get("/api/info") as response:
            assert response.status == 200
        for reader, writer in held:
            assert await asyncio.wait_for(reader.read(), 5) == b""
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


async def test_too_many_idle_connections_are_closed_at_once() -> None:
    async with running(HttpOptions(max_connections=1, keep_s=60)) as one:
        held = [await asyncio.open_connection("127.0.0.1", one.server.port) for _ in range(6)]
        assert await asyncio.wait_for(held[0][0].read(), 5) == b""
        for _, writer in held:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


@pytest.mark.parametrize(
    ("allowed", "status"), [(("192.0.2.1",), 403), (("192.0.2.1", "127.0.0.1"), 200)]
)
async def test_machines_that_are_not_allowed(allowed: tuple[str, ...], status: int) -> None:
    forged = {"X-Forwarded-For": "192.0.2.1"}
    async with (
        running(HttpOptions(only_from=allowed)) as one,
        one.client.get("/", headers=forged) as response,
    ):
        assert response.status == status


async def test_bytes_that_are_no_http() -> None:
    async with running() as one:
        for data in (b"\x00\xff\x00\xff\r\n\r\n", b'{"type": "describe"}\n', b"GET\r\n\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", one.server.port)
            writer.write(data)
            writer.write_eof()
            await asyncio.wait_for(reader.read(), 5)
            writer.close()
            await writer.wait_closed()
        async with one.client.get("/health") as response:
            assert response.status == 200


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\x00\r\n\r\n",
        b"POST /tts HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nsecret\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"secret" * 12_000 + b"\r\n\r\n",
    ],
)
async def test_what_is_no_http_is_a_line_in_the_log(
    sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    async with running() as one:
        reader, writer = await asyncio.open_connection("127.0.0.1", one.server.port)
        writer.write(sent)
        with contextlib.suppress(ConnectionResetError):
            assert b" 400 " in await reader.readline()
        writer.close()
        await until(lambda: "What 127.0.0.1 sent is not HTTP, and was refused" in caplog.text)
    assert "secret" not in caplog.text
    assert {record.levelname for record in caplog.records} == {"INFO"}
