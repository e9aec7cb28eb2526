"""Which voice a request means, and what is said when it means none."""

from __future__ import annotations

import pytest

from wyoming_pocket_tts.errors import VoiceNotFound
from wyoming_pocket_tts.models.book import Voice, VoiceBook
from wyoming_pocket_tts.models.catalogue import Catalogue


def book(*names: str, **speakers: str) -> VoiceBook:
    return VoiceBook(Voice(name, "m", "x", ("en",), speakers=speakers) for name in names)


def refusal(voices: VoiceBook, name: str | None, speaker: str | None = None) -> str:
    with pytest.raises(VoiceNotFound) as caught:
        voices.choose(name, None, speaker)
    return str(caught.value)


def test_an_unknown_voice_names_the_nearest_ones_or_some() -> None:
    assert refusal(book("alba", "anna"), "albo").endswith("here. Did you mean 'alba'?")
    assert refusal(book("alba", "anna"), "zz").endswith("here. Voices: alba, anna.")
    many = book(*(f"voice {number}" for number in range(29)))
    assert refusal(many, "qq").endswith(
        "Voices: voice 0, voice 1, voice 2, voice 3, voice 4 and 24 more."
    )
    assert refusal(VoiceBook([], growing=True), "zz") == "There is no voice 'zz' here."
    with pytest.raises(VoiceNotFound, match=r"'zzz' in the catalogue\. Voices: .* more\."):
        Catalogue.load().voice("zzz")


def test_an_unknown_speaker_is_named_with_its_voice() -> None:
    assert refusal(book("demo"), "demo", "zz") == (
        "Voice 'demo' has no speakers, and there is no voice of the name of the speaker 'zz'. Voices: demo."
    )
    assert refusal(book("demo", "anna"), "demo", "ana").endswith("Did you mean 'anna'?")
    family = book("home", mum="home")
    assert refusal(family, "home", "mun") == (
        "Voice 'home' has no speaker 'mun'. Did you mean 'mum'?"
    )
    assert refusal(family, "home", "zz") == "Voice 'home' has no speaker 'zz'. Speakers: mum."


def test_a_speaker_may_be_another_voice() -> None:
    voices = book("demo", "anna")
    assert voices.choose("demo", None, "ANNA").name == "anna"
    assert voices.choose("demo", None, "demo").name == "demo"
