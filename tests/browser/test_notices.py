"""What the owner should know of is on the page, and goes when it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.http.helpers import FakeDesk, FakeSpeech
from wyoming_pocket_tts.http_server import HttpServer
from wyoming_pocket_tts.notices import Notices

if TYPE_CHECKING:
    from playwright.async_api import Page

_playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
expect = _playwright.expect


async def test_notices_come_and_go(page: Page) -> None:
    notices = Notices()
    notices.put("option", "Option voice: there is no voice <b>'ana'</b>.")
    server = HttpServer(notices=notices.texts)
    await server.start("127.0.0.1", 0)
    speech = FakeSpeech()
    server.speak_with(speech, FakeDesk(speech), ("english",))
    try:
        await page.goto(server.addresses[0])
        shown = page.locator("#notices li")
        await expect(shown).to_have_text(["Option voice: there is no voice <b>'ana'</b>."])
        notices.clear("option")
        await expect(page.locator("#notices")).to_be_hidden(timeout=15_000)
    finally:
        await server.stop(1.5)


async def test_what_has_not_changed_is_left_alone(page: Page) -> None:
    notices = Notices()
    notices.put("option", "Option voice: there is no voice 'ana'.")
    server = HttpServer(notices=notices.texts)
    await server.start("127.0.0.1", 0)
    speech = FakeSpeech()
    server.speak_with(speech, FakeDesk(speech), ("english",))
    refresh = "async () => (await import('./app.js')).refresh()"
    try:
        await page.goto(server.addresses[0])
        await expect(page.locator("#notices li")).to_have_count(1)
        await page.get_by_role("button", name="Play berta").focus()
        await page.evaluate(
            "() => document.querySelectorAll('li').forEach((li) => (li.seen = true))"
        )
        await page.evaluate(refresh)
        # Whoever goes through the list by keyboard stays where they are.
        assert (
            await page.evaluate("document.activeElement.getAttribute('aria-label')") == "Play berta"
        )
        assert await page.evaluate("[...document.querySelectorAll('li')].every((li) => li.seen)")
        speech.voice_list = speech.voice_list[:1]
        await page.evaluate(refresh)
        await expect(page.locator("#voices li")).to_have_count(1)
    finally:
        await server.stop(1.5)
