"""What a server says is heard: each voice, numbers and units, texts in pieces, several listeners, other speeds, pauses."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from wyoming.tts import Synthesize, SynthesizeVoice

from tests.protocol.helpers import client, home_assistant_stream, pcm, read_until, send
from tests.protocol.real_server import RealServer
from tests.speech.hearing import ENOUGH, Ear, Sound

SENTENCES = (
    "Tomorrow will be sunny with some rain in the afternoon.",
    "The washing machine has finished.",
    "Your train leaves in twenty minutes.",
    "The garage door is still open.",
    "There are three windows open in the living room.",
)
# As an automation writes it, and as it must sound.
WRITTEN = {
    "It is **21.5 °C** in the kitchen.": "It is twenty one point five degrees Celsius in the kitchen.",
    "The train leaves in 20 min.": "The train leaves in twenty minutes.",
    "The battery is at 45 %.": "The battery is at forty five percent.",
    "Dinner is at 7:30.": "Dinner is at seven thirty.",
    "Set the heating to 19 °C.": "Set the heating to nineteen degrees Celsius.",
}


async def speak(
    server: RealServer, text: str, voice: str = "rms", *, streamed: bool = False
) -> Sound:
    """Has a text spoken, in one piece or in pieces of three characters."""
    async with client(server) as wyoming:  # type: ignore[arg-type]
        if streamed:
            pieces = (text[i : i + 3] for i in range(0, len(text), 3))
            await send(wyoming, *home_assistant_stream(*pieces, voice=voice))
            events = await read_until(wyoming, "synthesize-stopped")
        else:
            await send(wyoming, Synthesize(text, voice=SynthesizeVoice(name=voice)))
            events = await read_until(wyoming, "audio-stop")
    start: Any = next(event for event in events if event.type == "audio-start")
    return Sound.of_pcm(pcm(events), start.data["rate"])


@pytest.mark.parametrize("voice", ["slt", "rms", "awb"])
async def test_every_voice_is_understood(server: RealServer, ear: Ear, voice: str) -> None:
    share, report = ear.share([(text, await speak(server, text, voice)) for text in SENTENCES])
    assert share >= ENOUGH, report


async def test_what_is_heard_is_what_was_said(server: RealServer, ear: Ear) -> None:
    """A text is not heard in the sound of another one: that the share is high means something."""
    others = (*SENTENCES[1:], SENTENCES[0])
    spoken = [
        (text, await speak(server, other)) for text, other in zip(SENTENCES, others, strict=True)
    ]
    share, report = ear.share(spoken)
    assert share <= ENOUGH / 2, report


async def test_numbers_and_units_are_said_as_a_person_would(server: RealServer, ear: Ear) -> None:
    spoken = [(said, await speak(server, text)) for text, said in WRITTEN.items()]
    share, report = ear.share(spoken)
    assert share >= ENOUGH, report


async def test_a_text_in_pieces_is_said_as_a_whole(server: RealServer, ear: Ear) -> None:
    """Cut within words and numbers, as a language model's answer arrives."""
    sound = await speak(server, " ".join(WRITTEN), streamed=True)
    share, report = ear.share([(" ".join(WRITTEN.values()), sound)])
    assert share >= ENOUGH, report


async def test_each_of_several_listeners_hears_its_own_text(server: RealServer, ear: Ear) -> None:
    sounds = await asyncio.gather(*(speak(server, text) for text in SENTENCES))
    share, report = ear.share(zip(SENTENCES, sounds, strict=True))
    assert share >= ENOUGH, report


@pytest.mark.parametrize(("voice", "speed"), [("slow", 0.75), ("fast", 1.3)])
async def test_another_speed_is_another_length_and_understood(
    server: RealServer, ear: Ear, voice: str, speed: float
) -> None:
    spoken = [(text, await speak(server, text, voice)) for text in SENTENCES]
    plain_s = sum([(await speak(server, text)).seconds for text in SENTENCES])
    assert sum(sound.seconds for _, sound in spoken) == pytest.approx(plain_s / speed, rel=0.03)
    share, report = ear.share(spoken)
    assert share >= ENOUGH, report


async def test_a_pause_is_as_long_as_was_asked_for_and_takes_no_word_away(
    server: RealServer, ear: Ear
) -> None:
    first, second = SENTENCES[1], SENTENCES[3]
    plain = await speak(server, f"{first} {second}")
    paused = await speak(server, f'<speak>{first} <break time="1500ms"/> {second}</speak>')
    assert max(plain.silences_s()) < 1.0
    assert 1.5 <= max(paused.silences_s()) < 2.5
    share, report = ear.share([(f"{first} {second}", paused)])
    assert share >= ENOUGH, report
