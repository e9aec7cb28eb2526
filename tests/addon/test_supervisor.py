"""Telling the Supervisor, against a stand-in of it: refusals, silence, restarts, and that nobody waits."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import pytest
from aiohttp import web

from tests.protocol.helpers import until
from wyoming_pocket_tts.supervisor import SupervisorAnnouncer, container_address
from wyoming_pocket_tts.waiting import within

TOKEN = "the-token-of-this-add-on"
Answer = Callable[[], Awaitable[web.Response]]


async def ok() -> web.Response:
    return web.json_response({"result": "ok", "data": {"uuid": "1"}})


async def starting() -> web.Response:
    return web.json_response(
        {"result": "error", "message": "System is not ready with state: startup"}, status=400
    )


async def forbidden() -> web.Response:
    return web.Response(status=403, text="403: Forbidden")


async def gateway() -> web.Response:
    return web.Response(status=502, text="<html>Bad gateway</html>")


async def nonsense() -> web.Response:
    return web.Response(text="[1, 2")


async def silence() -> web.Response:
    await asyncio.sleep(60)
    raise AssertionError("unreachable")


@dataclass
class StandIn:
    """A Supervisor that answers what it is told to; the last answer is repeated."""

    answers: list[Answer]
    port: int = 0
    asked: list[dict[str, object]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)

    async def discovery(self, request: web.Request) -> web.Response:
        self.asked.append(await request.json())
        self.tokens.append(request.headers.get("Authorization", ""))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return await answer()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[StandIn]:
        app = web.Application()
        app.router.add_post("/discovery", self.discovery)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self.port)
        await site.start()
        assert site._server is not None
        self.port = site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
        try:
            yield self
        finally:
            await runner.cleanup()

    def announcer(self, token: str | None = TOKEN, **changes: float) -> SupervisorAnnouncer:
        return SupervisorAnnouncer(
            token,
            10200,
            url=f"http://127.0.0.1:{self.port}",
            find_address=lambda host: "172.30.33.7",
            pauses_s=(0.01, 0.02),
            timeout_s=changes.get("timeout_s", 5.0),
        )


def told(caplog: pytest.LogCaptureFixture) -> bool:
    return any("Home Assistant is told" in line for line in caplog.messages)


@pytest.fixture(autouse=True)
def _log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "wyoming_pocket_tts")


async def test_the_container_is_announced_by_its_ipv4(caplog: pytest.LogCaptureFixture) -> None:
    async with StandIn([ok]).running() as supervisor:
        announcer = supervisor.announcer()
        await announcer.start()
        await until(lambda: told(caplog))
        await announcer.stop()
    assert supervisor.asked == [
        {"service": "wyoming", "config": {"uri": "tcp://172.30.33.7:10200"}}
    ]
    assert supervisor.tokens == [f"Bearer {TOKEN}"]
    assert "tcp://172.30.33.7:10200" in caplog.text
    assert TOKEN not in caplog.text


async def test_it_is_told_again_at_each_start(caplog: pytest.LogCaptureFixture) -> None:
    async with StandIn([ok]).running() as supervisor:
        for starts in (1, 2):
            caplog.clear()
            announcer = supervisor.announcer()
            await announcer.start()
            await until(lambda: told(caplog))
            await announcer.stop()
            assert len(supervisor.asked) == starts


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (starting, "HTTP 400 (System is not ready with state: startup)"),
        (forbidden, "HTTP 403"),
        (gateway, "HTTP 502"),
        (nonsense, "HTTP 200"),
    ],
)
async def test_after_a_refusal_it_is_asked_again(
    caplog: pytest.LogCaptureFixture, answer: Answer, reason: str
) -> None:
    async with StandIn([answer, answer, answer, ok]).running() as supervisor:
        announcer = supervisor.announcer()
        await announcer.start()
        await until(lambda: told(caplog))
        await announcer.stop()
    assert len(supervisor.asked) == 4
    refusals = [line for line in caplog.messages if reason in line]
    # Once, however often it was refused for the same reason, and with what to do.
    assert len(refusals) == 1
    assert "Wyoming Protocol" in refusals[0]


async def test_a_silent_supervisor_is_asked_again(caplog: pytest.LogCaptureFixture) -> None:
    async with StandIn([silence, ok]).running() as supervisor:
        announcer = supervisor.announcer(timeout_s=0.2)
        await announcer.start()
        await until(lambda: told(caplog))
        await announcer.stop()
    assert "no answer within 0.2 s" in caplog.text


async def test_a_supervisor_that_comes_later_is_told(caplog: pytest.LogCaptureFixture) -> None:
    supervisor = StandIn([ok])
    async with supervisor.running():
        pass  # now it has a port, and is gone
    announcer = supervisor.announcer()
    await announcer.start()
    await until(lambda: "was not told" in caplog.text)
    async with supervisor.running():
        await until(lambda: told(caplog))
        await announcer.stop()


async def test_start_waits_for_nothing_and_stop_ends_it() -> None:
    async with StandIn([silence]).running() as supervisor:
        announcer = supervisor.announcer()
        await within(announcer.start(), 5)
        await until(lambda: supervisor.asked)
        await within(announcer.stop(), 5)


async def test_an_address_that_cannot_be_found_is_no_end(caplog: pytest.LogCaptureFixture) -> None:
    tries: list[str] = []

    def find(host: str) -> str:
        tries.append(host)
        if len(tries) < 3:
            raise OSError("Name or service not known")
        return "172.30.33.7"

    async with StandIn([ok]).running() as supervisor:
        url = f"http://127.0.0.1:{supervisor.port}"
        announcer = SupervisorAnnouncer(TOKEN, 10200, url=url, find_address=find, pauses_s=(0.01,))
        await announcer.start()
        await until(lambda: told(caplog))
        await announcer.stop()
    assert tries == ["127.0.0.1"] * 3
    assert "Name or service not known" in caplog.text


async def test_without_a_token_the_log_says_what_to_do(caplog: pytest.LogCaptureFixture) -> None:
    async with StandIn([ok]).running() as supervisor:
        announcer = supervisor.announcer(token=None)
        await announcer.start()
        await announcer.stop()
    assert supervisor.asked == []
    assert "SUPERVISOR_TOKEN" in caplog.text
    assert "10200" in caplog.text


async def test_a_huge_answer_is_not_read_to_its_end(caplog: pytest.LogCaptureFixture) -> None:
    async def huge() -> web.Response:
        return web.Response(text=json.dumps({"result": "error", "message": "x" * 1_000_000}))

    async with StandIn([huge, ok]).running() as supervisor:
        announcer = supervisor.announcer()
        await announcer.start()
        await until(lambda: told(caplog))
        await announcer.stop()
    assert all(len(line) < 1000 for line in caplog.messages)


def test_the_address_is_that_of_the_way_to_the_host() -> None:
    assert container_address("127.0.0.1") == "127.0.0.1"
    with pytest.raises(OSError, match=r"."):
        container_address("no-such-host.invalid")
