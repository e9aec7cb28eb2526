"""The page as people use it: typing, hearing, recording, keeping; errors; other languages; below another path."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import re
import struct
import wave
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import numpy as np
import pytest
import soundfile
from aiohttp import web

from tests import recording, tiny_files
from tests.http.helpers import FakeSpeech, Running, running
from tests.http.test_voices import whole
from tests.protocol.fake_synthesizer import voice_info
from wyoming_pocket_tts.errors import Busy, InternalError
from wyoming_pocket_tts.http_server import HttpOptions

if TYPE_CHECKING:
    from playwright.async_api import Page

_playwright = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
expect = _playwright.expect

SCREENSHOT = Path(__file__).parents[2] / "docs" / "page.png"


class Tones(FakeSpeech):
    """Speaks 80 ms for each character: tones that rise and fall, so that there is something to see."""

    def __init__(self, **choices: Any) -> None:
        super().__init__(samples=1920, **choices)
        self.hold_after: int | None = None
        self.go_on = asyncio.Event()

    async def generate_audio_stream(self, request: Any) -> AsyncIterator[Any]:
        count = 0
        async with contextlib.aclosing(super().generate_audio_stream(request)) as frames:  # type: ignore[type-var]
            async for frame in frames:
                if count == self.hold_after:
                    await self.go_on.wait()
                yield type(frame)(_tone(count), frame.format)
                count += 1


def _tone(place: int) -> bytes:
    at = np.arange(place * 1920, (place + 1) * 1920) / 24_000
    words = np.clip(np.sin(2 * np.pi * 0.45 * at) + 0.6, 0, 1)
    loud = words * (0.35 + 0.3 * np.sin(2 * np.pi * 2.3 * at) + 0.2 * np.sin(2 * np.pi * 5.1 * at))
    return (9000 * loud * np.sin(2 * np.pi * 180 * at)).astype("<i2").tobytes()


async def received(page: Page) -> float:
    return float(await page.locator("#player").get_attribute("data-received") or 0)


async def test_typing_speaking_and_hearing_it_before_it_is_made(page: Page) -> None:
    speech = Tones()
    speech.hold_after = 10
    async with running(speech=speech) as one:
        await page.goto(one.url)
        await expect(page.locator("#status")).to_have_text("Ready")
        await expect(page.get_by_role("button", name="Speak", exact=True)).to_be_disabled()
        await page.get_by_label("Text", exact=True).fill("The kettle is on.")
        await expect(page.locator("#count")).to_have_text("17 of 20,000 characters")
        await page.get_by_role("combobox", name="Voice").select_option("berta")
        await page.get_by_role("button", name="Speak", exact=True).click()
        # 0.8 s have arrived and are being heard; the rest is not made yet.
        await expect(page.locator("#player")).to_have_attribute("data-state", "playing")
        await expect(page.locator("#player")).to_have_attribute("data-received", "0.80")
        await expect(page.locator("#player")).to_have_attribute("data-complete", "false")
        await expect(page.locator("#first-audio")).to_have_text(_digits("ms"))
        await expect(page.get_by_role("button", name="Download")).to_be_disabled()
        assert speech.running == 1
        assert speech.calls[0].request.voice == "berta"
        assert await _painted(page) > 20
        speech.go_on.set()
        await expect(page.locator("#player")).to_have_attribute("data-state", "done")
        assert await received(page) == pytest.approx(17 * 0.08)
        await expect(page.locator("#length")).to_have_text("1.4 s")
        await expect(page.locator("#real-time")).to_have_text(_digits("×"))
        # The file is whole, and its header knows how long it is.
        async with page.expect_download() as downloading:
            await page.get_by_role("button", name="Download").click()
        download = await downloading.value
        assert download.suggested_filename == "berta - The kettle is on.wav"
        with wave.open(str(await download.path())) as wav:
            assert wav.getnframes() == 17 * 1920
            assert wav.readframes(1920) == _tone(0)
        await page.get_by_role("button", name="Play again").click()
        await expect(page.locator("#player")).to_have_attribute("data-state", "playing")
        assert len(speech.calls) == 1


def _digits(unit: str) -> Any:
    return re.compile(rf"^[\d.,]+ {unit}$")


async def _painted(page: Page) -> int:
    """How many columns of the waveform are not empty."""
    painted: int = await page.evaluate(
        """() => {
            const canvas = document.getElementById("wave");
            const all = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
            let count = 0;
            for (let x = 0; x < canvas.width; x++) {
                for (let y = 0; y < canvas.height; y++) {
                    const middle = Math.abs(y - canvas.height / 2) < 3;
                    if (!middle && all[4 * (y * canvas.width + x) + 3]) { count++; break; }
                }
            }
            return count;
        }"""
    )
    return painted


async def test_stop_frees_the_slot(page: Page) -> None:
    speech = Tones(delay_s=0.02)
    async with running(speech=speech) as one:
        await page.goto(one.url)
        await page.get_by_label("Text", exact=True).fill("A long story. " * 100)
        await page.get_by_role("button", name="Speak", exact=True).click()
        await expect(page.locator("#player")).to_have_attribute("data-state", "playing")
        await page.get_by_role("button", name="Stop", exact=True).click()
        await expect(page.locator("#player")).to_have_attribute("data-state", "stopped")
        await asyncio.wait_for(speech.calls[0].closed.wait(), 2)
        assert speech.calls[0].outcome == "cancelled"
        await expect(page.get_by_role("button", name="Speak", exact=True)).to_be_enabled()


async def test_by_keyboard_alone(page: Page) -> None:
    async with running(speech=Tones()) as one:
        await page.goto(one.url)
        await expect(page.locator("#status")).to_have_text("Ready")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")  # "Skip to the text"
        await page.keyboard.press("Tab")
        if await page.evaluate("document.activeElement.id") != "text":
            await page.locator("#text").focus()
        await page.keyboard.type("Hello")
        await page.keyboard.press("Control+Enter")
        await expect(page.locator("#player")).to_have_attribute("data-state", "done")
        reached = []
        for _ in range(12):
            await page.keyboard.press("Tab")
            reached.append(await page.evaluate("document.activeElement.id"))
        for name in ("language", "voice", "speed", "speak", "replay", "download", "record", "file"):
            assert name in reached


async def test_everything_has_a_name(page: Page) -> None:
    async with running() as one:
        await page.goto(one.url)
        await expect(page.locator("#voices li")).to_have_count(2)
        nameless = await page.evaluate(
            """() => [...document.querySelectorAll("button, input, select, textarea, canvas, audio, [role]")]
                .filter((one) => !one.closest("[hidden], dialog")
                    && !(one.getAttribute("aria-label") || one.labels?.length || one.textContent.trim()
                        || one.matches("[role=alert], [role=status]")))
                .map((one) => one.outerHTML)"""
        )
        assert nameless == []


async def test_the_list_of_voices(page: Page) -> None:
    speech = Tones()
    async with running(speech=speech) as one:
        await page.goto(one.url)
        await expect(page.locator("#voices li")).to_have_count(2)
        await page.get_by_role("combobox", name="Language", exact=True).select_option("de")
        await expect(page.locator("#voices li")).to_have_count(1)
        await expect(page.locator("#voices")).to_contain_text("German, French")
        await page.get_by_role("button", name="Play berta").click()
        await expect(page.locator("#player")).to_have_attribute("data-state", "playing")
        asked = speech.calls[0].request
        assert asked.voice == "berta"
        assert str(asked.text).startswith("Hallo!")
        await page.get_by_role("button", name="Stop", exact=True).click()


async def test_errors_are_told(page: Page) -> None:
    speech = Tones()
    async with running(speech=speech) as one:
        await page.goto(one.url)
        alert = page.get_by_role("alert")
        await page.get_by_label("Text", exact=True).fill("Hello")
        speech.failure = Busy("40 requests are being served already.")
        await page.get_by_role("button", name="Speak", exact=True).click()
        await expect(alert).to_contain_text("busy; try again in a moment. 40 requests")
        # One by one: a browser drops what it has not handed on yet when a connection breaks.
        speech.failure, speech.failure_after, speech.delay_s = InternalError("no more"), 3, 0.1
        await page.get_by_role("button", name="Speak", exact=True).click()
        await expect(alert).to_have_text("The speech broke off.")
        # What had come was played, and can be heard again.
        await expect(page.locator("#player")).to_have_attribute("data-state", "done")
        assert 0.08 <= await received(page) <= 0.24
        speech.failure, speech.delay_s = None, 0.0
        speech.voice_list = [voice_info("anna", "en")]
        await page.get_by_role("combobox", name="Voice").select_option("berta")
        await page.get_by_role("button", name="Speak", exact=True).click()
        await expect(alert).to_contain_text("There is no such voice any more.")
        await page.get_by_role("combobox", name="Voice").select_option("anna")
        await page.get_by_role("button", name="Speak", exact=True).click()
        await expect(page.locator("#player")).to_have_attribute("data-state", "done")
        await expect(alert).to_be_hidden()


async def test_it_waits_for_the_models(page: Page) -> None:
    async with running(ready=False) as one:
        await page.goto(one.url)
        await expect(page.locator("#status")).to_have_text("Loading the models …")
        one.server.speak_with(one.speech, one.desk)
        await expect(page.locator("#status")).to_have_text("Ready")
        await expect(page.locator("#voices li")).to_have_count(2)


async def test_the_token_is_asked_for(page: Page) -> None:
    async with running(HttpOptions(token="a secret token")) as one:
        await page.goto(one.url)
        for entered in ("wrong one", "a secret token"):
            await page.get_by_label("Token", exact=True).fill(entered)
            await page.get_by_role("button", name="Use it").click()
        await expect(page.locator("#status")).to_have_text("Ready")
        await page.get_by_label("Text", exact=True).fill("Hi")
        await page.get_by_role("button", name="Speak", exact=True).click()
        await expect(page.locator("#player")).to_have_attribute("data-state", "done")


async def test_where_nothing_may_be_kept(page: Page) -> None:
    """Browsers that block cookies throw when a page so much as asks for its storage."""
    await page.add_init_script(
        """for (const name of ["localStorage", "sessionStorage"]) {
            Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });
        }"""
    )
    async with running(HttpOptions(token="a secret token"), speech=Tones()) as one:
        await page.goto(one.url)
        await page.locator("#token").fill("a secret token")
        await page.keyboard.press("Enter")
        await expect(page.locator("#status")).to_have_text("Ready")
        await page.locator("#ui-language").select_option("de")
        await page.locator("#text").fill("Hi")
        await page.locator("#speak").click()
        # The token is not asked for again.
        await expect(page.locator("#player")).to_have_attribute("data-state", "done")


async def test_who_closes_the_question_for_the_token_is_asked_again(page: Page) -> None:
    async with running(HttpOptions(token="a secret token")) as one:
        await page.goto(one.url)
        await expect(page.locator("#token")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.locator("#token")).to_be_hidden()
        await expect(page.locator("#status")).to_have_text("This server needs a token")
        await page.locator("#text").click()
        await page.locator("#token").fill("a secret token")
        await page.keyboard.press("Enter")
        await expect(page.locator("#status")).to_have_text("Ready")


async def test_a_server_that_goes_away_and_comes_back(page: Page) -> None:
    async with running(speech=Tones()) as one:
        await page.goto(one.url)
        status = page.locator("#status")
        await expect(status).to_have_text("Ready")
        await page.route("**/*", lambda route: route.abort())
        await page.get_by_label("Text", exact=True).fill("Hi")
        await page.get_by_role("button", name="Speak", exact=True).click()
        await expect(page.get_by_role("alert")).to_have_text("The server cannot be reached.")
        await expect(status).to_have_text("The server cannot be reached")
        await page.unroute("**/*")
        await expect(status).to_have_text("Ready")
        await page.get_by_role("button", name="Speak", exact=True).click()
        await expect(page.locator("#player")).to_have_attribute("data-state", "done")


@pytest.mark.parametrize("code", ["de", "fr", "es", "it", "pt", "nl"])
async def test_other_languages(page: Page, code: str) -> None:
    async with running() as one:
        await page.goto(one.url)
        english = await page.locator("main").inner_text()
        await page.locator("#ui-language").select_option(code)
        assert await page.evaluate("document.documentElement.lang") == code
        assert await page.locator("main").inner_text() != english
        await expect(page.locator("#buffer-value")).to_have_text("0,0 s")
        missing = await page.evaluate(
            """async (code) => {
                const { STRINGS, SAMPLES } = await import("./strings.js");
                const lost = Object.keys(STRINGS.en).filter((key) => !STRINGS[code][key]);
                const more = Object.keys(STRINGS[code]).filter((key) => !STRINGS.en[key]);
                const holes = (text) => (text.match(/\\{\\w+\\}/g) ?? []).sort().join();
                const torn = Object.keys(STRINGS.en).filter((key) => holes(STRINGS.en[key]) !== holes(STRINGS[code][key] ?? ""));
                return [lost, more, torn, SAMPLES[code] ? [] : ["sample"]].flat();
            }""",
            code,
        )
        assert missing == []


# A voice of one's own, with a model that really clones


@pytest.fixture(scope="module")
def model_yaml(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_files.yaml_on_disk(tmp_path_factory.mktemp("model"))


async def test_record_try_name_keep_delete(page: Page, tmp_path: Path, model_yaml: Path) -> None:
    async with whole(tmp_path, model_yaml) as server:
        await page.goto(str(server.client._base_url))
        await page.get_by_role("button", name="Record").click()
        await expect(page.get_by_role("meter")).to_be_visible()
        loudest = -60.0
        for _ in range(25):
            await asyncio.sleep(0.1)
            level = await page.get_by_role("meter").get_attribute("aria-valuenow")
            loudest = max(loudest, float(level or -60))
        assert loudest > -40
        await page.get_by_role("button", name="Stop recording").click()
        await expect(page.locator("#checks li")).to_have_class("warn")
        await expect(page.locator("#checks")).to_contain_text("10 s or more make a better voice")
        attempt = page.get_by_role("button", name="Try it")
        await expect(attempt).to_be_disabled()
        await page.get_by_label("This is my voice").check()
        await attempt.click()
        await expect(page.locator("#player")).to_have_attribute("data-state", "done", timeout=20000)
        assert await received(page) > 0.2
        await page.get_by_label("Name", exact=True).fill("../evil")
        await page.get_by_role("button", name="Keep this voice").click()
        await expect(page.get_by_role("alert")).to_contain_text("letters, digits")
        await page.get_by_label("Name", exact=True).fill("Aunt Mary")
        await page.get_by_role("button", name="Keep this voice").click()
        await expect(page.locator("#voices [data-voice='Aunt Mary'] .badge")).to_have_text("yours")
        await expect(page.get_by_role("combobox", name="Voice")).to_have_value("Aunt Mary")
        await expect(page.locator("#recording")).to_be_hidden()
        kept = tmp_path / "cache" / "wyoming-pocket-tts" / "my-voices" / "Aunt Mary.wav"
        samples, rate = soundfile.read(kept)
        assert rate >= 16_000
        assert len(samples) / rate > 2
        page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.accept()))
        await page.get_by_role("button", name="Delete Aunt Mary").click()
        await expect(page.locator("#voices li")).to_have_count(1)
        assert not kept.exists()


@pytest.mark.parametrize(
    ("kind", "words", "usable"),
    [
        ("short", "Too short: 0.", False),
        ("silent", "Nobody can be heard", False),
        ("clipped", "Clipped:", False),
        ("noise", "0.0 s of speech; the rest is steady", False),
        ("quiet", "Too quiet", True),
        ("good", "clear and loud enough", True),
        ("text", "cannot read the file", True),
    ],
)
async def test_files_are_checked_before_they_are_sent(
    page: Page, tmp_path: Path, kind: str, words: str, usable: bool
) -> None:
    samples, rate = recording.speech(0.4 if kind == "short" else 14)
    gain = {"silent": 0.0, "quiet": 0.06, "clipped": 60.0}.get(kind, 1.0)
    if kind == "noise":
        samples = np.random.default_rng(1).normal(0, 0.1, len(samples)).astype(np.float32)
    path = tmp_path / "recording.wav"
    soundfile.write(path, np.clip(samples * gain, -1, 1), rate)
    if kind == "text":
        path.write_text("no audio")
    async with running() as one:
        await page.goto(one.url)
        await page.locator("#file").set_input_files(path)
        await expect(page.locator("#checks")).to_contain_text(words)
        await page.get_by_label("This is my voice").check()
        await expect(page.locator("#try")).to_be_enabled(enabled=usable)
        assert not one.desk.recordings


async def test_no_uploads_no_cloning(page: Page) -> None:
    async with running(desk=False) as one:
        await page.goto(one.url)
        await expect(page.locator("#status")).to_have_text("Ready")
        await expect(page.locator("#clone")).to_be_hidden()


# Below another path, as Home Assistant's ingress shows it


@contextlib.asynccontextmanager
async def ingress(one: Running, prefix: str) -> AsyncIterator[str]:
    """A proxy that passes on what lies below its prefix, in a frame of a page of its own."""

    async def forward(request: web.Request) -> web.StreamResponse:
        headers = {**request.headers, "X-Ingress-Path": prefix}
        headers.pop("Host")
        url = f"{one.url}/{request.match_info['rest']}"
        async with session.request(
            request.method, url, headers=headers, data=await request.read()
        ) as inner:
            response = web.StreamResponse(status=inner.status)
            for name in ("Content-Type", "Content-Security-Policy", "ETag"):
                if name in inner.headers:
                    response.headers[name] = inner.headers[name]
            await response.prepare(request)
            async for piece in inner.content.iter_any():
                await response.write(piece)
            return response

    async def frame(request: web.Request) -> web.Response:
        html = f'<iframe src="{prefix}/" style="width:900px;height:800px"></iframe>'
        return web.Response(text=html, content_type="text/html")

    app = web.Application()
    app.router.add_get("/", frame)
    app.router.add_route("*", prefix + "/{rest:.*}", forward)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    async with aiohttp.ClientSession() as session:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


async def test_below_another_path(page: Page) -> None:
    async with (
        running(HttpOptions(only_from=("127.0.0.1",)), speech=Tones()) as one,
        ingress(one, "/api/hassio_ingress/a1b2c3") as url,
    ):
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        await page.goto(url)
        inner = page.frame_locator("iframe")
        await expect(inner.locator("#status")).to_have_text("Ready")
        await inner.get_by_label("Text", exact=True).fill("Hello")
        await inner.get_by_role("button", name="Speak", exact=True).click()
        await expect(inner.locator("#player")).to_have_attribute("data-state", "done")
        assert len(asked) > 8
        assert all(
            "/api/hassio_ingress/a1b2c3/" in each for each in asked[1:] if "favicon" not in each
        )


# How it looks


async def test_on_a_phone_nothing_sticks_out(page: Page) -> None:
    await page.set_viewport_size({"width": 360, "height": 740})
    async with running() as one:
        await page.goto(one.url)
        await page.locator("#file").set_input_files(recording.speech_file())
        await expect(page.locator("#recording")).to_be_visible()
        for code in ("en", "de", "fr"):
            await page.locator("#ui-language").select_option(code)
            width = await page.evaluate("document.documentElement.scrollWidth")
            assert width <= 360
            small = await page.evaluate(
                """() => [...document.querySelectorAll("button, .button, select")]
                    .filter((one) => one.offsetParent && one.id !== "ui-language" && one.offsetHeight < 40)
                    .map((one) => one.id || one.className)"""
            )
            assert small == []


async def test_the_picture_of_the_page(page: Page) -> None:
    speech = Tones(delay_s=0.012)
    speech.voice_list = [
        voice_info("alba", "en"),
        voice_info("giovanni", "it"),
        voice_info("juergen", "de"),
        voice_info("estelle", "fr"),
        voice_info("rafael", "pt"),
    ]
    speech.voice_list = [_described(voice) for voice in speech.voice_list]
    async with running(HttpOptions(version="0.1.0"), speech=speech) as one:
        one.desk.kept.append("Aunt Mary")
        speech.voice_list.insert(0, _described(voice_info("Aunt Mary", "en")))
        await page.set_viewport_size({"width": 1280, "height": 860})
        await page.goto(one.url)
        text = "The kettle is on, and it is twenty past four. Shall I put the light on in the kitchen, or would you rather sit in the garden for a while?"
        await page.get_by_label("Text", exact=True).fill(text)
        await page.get_by_role("combobox", name="Voice").select_option("alba")
        await page.get_by_role("button", name="Speak", exact=True).click()
        await expect(page.locator("#player")).to_have_attribute("data-complete", "true")
        await asyncio.sleep(1.5)
        content = await page.screenshot()
        await page.emulate_media(color_scheme="dark")
        dark = await page.screenshot()
        assert dark != content
        await page.get_by_role("button", name="Stop", exact=True).click()
    width, height = struct.unpack(">II", content[16:24])
    assert (width, height) == (1280, 860)
    _save(content, dark)


def _described(voice: Any) -> Any:
    return dataclasses.replace(voice, description="", attribution_name="", attribution_url="")


def _save(light: bytes, dark: bytes) -> None:
    """Only when asked: a test run must not change the repository."""
    if os.environ.get("SAVE_PICTURES"):
        SCREENSHOT.write_bytes(light)
        (Path("/tmp") / "page-dark.png").write_bytes(dark)
