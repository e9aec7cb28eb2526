"""Recording on the page when things go otherwise than planned: two clicks, a lost microphone, a server that has forgotten."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests import recording
from tests.browser.test_page import Tones
from tests.http.helpers import running
from tests.protocol.helpers import until

if TYPE_CHECKING:
    from playwright.async_api import Page

_playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
expect = _playwright.expect

# The browser asks its user, who takes a while.
_ASKS = """() => {
    const devices = navigator.mediaDevices;
    const give = devices.getUserMedia.bind(devices);
    window.asked = 0;
    devices.getUserMedia = async (wanted) => {
        window.asked += 1;
        await new Promise((allow) => (window.allow = allow));
        return (window.stream = await give(wanted));
    };
}"""


async def test_a_second_click_while_the_microphone_is_being_asked_for(page: Page) -> None:
    async with running() as one:
        await page.goto(one.url)
        await page.evaluate(_ASKS)
        record = page.locator("#record")
        await record.click()
        await record.click()
        assert await page.evaluate("window.asked") == 1
        await expect(page.get_by_role("meter")).to_be_hidden()
        await page.evaluate("window.allow()")
        await expect(page.get_by_role("meter")).to_be_visible()
        await expect(record).to_have_text("Stop recording")
        await record.click()
        await expect(page.locator("#recording")).to_be_visible()
        assert await page.evaluate("window.stream.getTracks()[0].readyState") == "ended"


async def test_a_microphone_that_is_pulled_out_ends_the_recording(page: Page) -> None:
    async with running() as one:
        await page.goto(one.url)
        await page.evaluate(_ASKS)
        await page.locator("#record").click()
        await page.evaluate("window.allow()")
        await expect(page.locator("#record-time")).not_to_have_text("0.0 s")
        await page.evaluate("window.stream.getTracks()[0].dispatchEvent(new Event('ended'))")
        await expect(page.locator("#recording")).to_be_visible()
        await expect(page.locator("#record")).to_have_text("Record")


async def test_nothing_is_spoken_into_a_recording(page: Page) -> None:
    speech = Tones(delay_s=0.02)
    async with running(speech=speech) as one:
        await page.goto(one.url)
        await page.get_by_label("Text", exact=True).fill("A long story. " * 100)
        await page.get_by_role("button", name="Speak", exact=True).click()
        await expect(page.locator("#player")).to_have_attribute("data-state", "playing")
        await page.locator("#record").click()
        await expect(page.locator("#player")).to_have_attribute("data-state", "stopped")
        # A file that is chosen meanwhile takes the recording's place.
        await expect(page.get_by_role("meter")).to_be_visible()
        await page.locator("#file").set_input_files(recording.speech_file())
        await expect(page.get_by_role("meter")).to_be_hidden()
        await expect(page.locator("#checks")).to_contain_text("clear and loud enough")


async def _offer(page: Page, url: str) -> None:
    await page.goto(url)
    await page.get_by_label("Text", exact=True).fill("Hello")
    await page.locator("#file").set_input_files(recording.speech_file())
    await page.get_by_label("This is my voice").check()
    await page.get_by_role("button", name="Try it").click()
    await expect(page.locator("#player")).to_have_attribute("data-state", "done")


async def test_a_recording_that_the_server_has_forgotten(page: Page) -> None:
    async with running(speech=Tones()) as one:
        await _offer(page, one.url)
        assert len(one.desk.recordings) == 1
        one.desk.recordings.clear()
        one.speech.guests.clear()
        alert = page.get_by_role("alert")
        await page.get_by_role("button", name="Try it").click()
        await expect(alert).to_contain_text("There is no such voice any more.")
        # The next attempt brings it again.
        await page.get_by_role("button", name="Try it").click()
        await expect(alert).to_be_hidden()
        await expect(page.locator("#keep-form")).to_be_visible()
        assert len(one.desk.recordings) == 1


async def test_a_voice_is_kept_with_consent_and_for_the_chosen_language(page: Page) -> None:
    async with running(speech=Tones()) as one:
        languages: list[str | None] = []
        bring = one.desk.bring

        async def noted(content: bytes, language: str | None = None) -> object:
            languages.append(language)
            return await bring(content, language)

        one.desk.bring = noted  # type: ignore[method-assign, assignment]
        await _offer(page, one.url)
        await page.get_by_label("Name", exact=True).fill("Anna")
        keep = page.get_by_role("button", name="Keep this voice")
        await page.get_by_label("This is my voice").uncheck()
        await expect(keep).to_be_disabled()
        await page.get_by_label("This is my voice").check()
        await page.get_by_label("Language it will speak").select_option("de")
        await keep.click()
        await until(lambda: one.desk.kept == ["Anna"])
        assert languages == ["en", "de"]


async def test_one_that_is_discarded_while_it_is_sent_is_not_left_behind(page: Page) -> None:
    async with running(speech=Tones()) as one:
        go_on = asyncio.Event()
        bring = one.desk.bring

        async def slowly(content: bytes, language: str | None = None) -> object:
            await go_on.wait()
            return await bring(content, language)

        one.desk.bring = slowly  # type: ignore[method-assign, assignment]
        await page.goto(one.url)
        await page.locator("#file").set_input_files(recording.speech_file())
        await page.get_by_label("This is my voice").check()
        await page.get_by_role("button", name="Try it").click()
        await page.get_by_role("button", name="Discard").click()
        async with page.expect_request(lambda request: request.method == "DELETE"):
            go_on.set()
        await until(lambda: not one.desk.recordings)
        await expect(page.locator("#keep-form")).to_be_hidden()
        assert not one.speech.calls
