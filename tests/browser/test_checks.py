"""What the page tells of a recording before it is sent is what the server will say of it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import soxr
from numpy.typing import NDArray

from tests import recording
from tests.http.helpers import running
from tests.unit.test_speech_check import RATE, SOUNDS, noise
from wyoming_pocket_tts.errors import AudioPromptError
from wyoming_pocket_tts.prompts import FULL_SCALE, judged

if TYPE_CHECKING:
    from playwright.async_api import Page

Samples = NDArray[np.float32]

# In the order in which the server looks for them.
REFUSALS = {
    "checkSilent": "are silent",
    "checkShort": "s is the least",
    "checkClipped": "is clipped",
    "checkSteady": "the rest is steady",
}


def speech(seconds: float, gain: float = 1.0) -> Samples:
    return gain * recording.speech(seconds)[0]


def stereo(left: Samples, right: Samples) -> Samples:
    return np.stack((left, right), axis=1)


def silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE), dtype=np.float32)


RECORDINGS: dict[str, Callable[[], NDArray[Any]]] = {
    **SOUNDS,
    "speech": lambda: speech(5),
    "speech, faint": lambda: speech(5, 0.02),
    "speech, too short": lambda: speech(0.8),
    "speech among noise": lambda: speech(5) + 0.003 * noise(5 * RATE),
    "speech after half a minute": lambda: np.concatenate((silence(31), speech(5))),
    "speech, then long noise": lambda: np.concatenate((speech(4), 0.02 * noise(20 * RATE))),
    "a word in noise": lambda: np.concatenate((speech(0.8), 0.1 * noise(5 * RATE))),
    "clipped": lambda: np.clip(speech(5, 60.0), -1, 1),
    "one clipped side": lambda: stereo(speech(4), np.clip(speech(4, 30.0), -1, 1)),
    "both sides": lambda: stereo(speech(4), speech(4, 0.5)),
    "a silent side": lambda: stereo(speech(4), silence(4)),
    "sides that cancel each other": lambda: stereo(speech(4, 0.5), speech(4, -0.5)),
    "nothing": lambda: silence(3),
    "nothing at all": lambda: silence(0),
    "a constant": lambda: silence(3) + 0.1,
    "speech on a constant": lambda: speech(4, 0.3) + 0.1,
    "a click": lambda: np.concatenate((silence(1), np.full(20, 0.9), silence(1))),
}

_CHECK = """async ([channels, rate, fullScale]) => {
    const { check } = await import("./checks.js");
    const samples = channels.map((text) => {
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        return new Float32Array(bytes.buffer);
    });
    return check(samples, rate, fullScale).filter((one) => one.level === "bad").map((one) => one.key);
}"""


def refused(by_channel: Samples, rate_hz: int) -> str | None:
    """What the server refuses a recording for, as the page calls it."""
    used = by_channel[: 30 * rate_hz]
    try:
        judged(used, rate_hz, FULL_SCALE, "It")
    except AudioPromptError as error:
        return next(key for key, words in REFUSALS.items() if words in str(error))
    return None


async def told(page: Page, by_channel: Samples, rate_hz: int) -> str | None:
    """The first thing for which the page says that a recording cannot be used."""
    channels = [base64.b64encode(one.tobytes()).decode() for one in by_channel.T]
    found = await page.evaluate(_CHECK, [channels, rate_hz, FULL_SCALE])
    return next((key for key in REFUSALS if key in found), None)


async def test_the_page_judges_as_the_server_does(page: Page) -> None:
    seen = set()
    async with running() as one:
        await page.goto(one.url)
        for name, make in RECORDINGS.items():
            samples = np.asarray(make(), dtype=np.float32)
            by_channel = samples if samples.ndim == 2 else samples[:, None]
            verdict = refused(by_channel, RATE)
            assert await told(page, by_channel, RATE) == verdict, name
            seen.add(verdict)
    assert seen == {None, *REFUSALS}


@pytest.mark.parametrize("rate_hz", [44_100, 48_000])
async def test_at_the_rates_of_browsers(page: Page, rate_hz: int) -> None:
    async with running() as one:
        await page.goto(one.url)
        for made in (speech(5), 0.1 * noise(5 * RATE), SOUNDS["a chord"]()):
            samples = np.ascontiguousarray(soxr.resample(made, RATE, rate_hz), dtype=np.float32)
            verdict = refused(samples[:, None], rate_hz)
            assert await told(page, samples[:, None], rate_hz) == verdict
