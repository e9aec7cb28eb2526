"""A headless Chromium with a fake microphone, and servers for it; all of it is skipped where there is no Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import soundfile

from tests import recording

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
]


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncIterator[Browser]:
    """The browser; its microphone hears a recording of speech."""
    if CHROMIUM is None:
        pytest.skip("no chromium here (make browser-test says what to install)")
    playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
    # A busy machine is no fault of the page.
    playwright.expect.set_options(timeout=20_000)
    heard = tmp_path / "heard.wav"
    samples, rate = recording.speech(10)
    soundfile.write(heard, samples, rate, subtype="PCM_16")
    async with playwright.async_playwright() as driver:
        started = await driver.chromium.launch(
            executable_path=CHROMIUM,
            args=[*_FLAGS, f"--use-file-for-fake-audio-capture={heard}"],
        )
        yield started
        await started.close()


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    """An English tab in which nothing may go wrong unseen."""
    context = await browser.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
    tab = await context.new_page()
    faults: list[str] = []
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on(
        "console",
        # What the server refuses is told to the console by the browser itself.
        lambda message: (
            faults.append(message.text)
            if message.type == "error" and "Failed to load resource" not in message.text
            else None
        ),
    )
    yield tab
    await context.close()
    assert not faults
