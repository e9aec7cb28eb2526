"""Requests as the synthesizer speaks them: which text reaches the engine, and what is done to the sound that comes back.

The engine is a stand-in that hums 80 ms for each token; text front end, sound chain and synthesizer are the real ones.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from tests import tiny_files
from wyoming_pocket_tts import local_speech
from wyoming_pocket_tts.engine.sequence import End, Sampling, SequenceResult, SequenceSpec
from wyoming_pocket_tts.engine.worker import SegmentStream
from wyoming_pocket_tts.errors import ConfigError, InvalidRequest, NothingToSay
from wyoming_pocket_tts.models.book import Voice, VoiceBook
from wyoming_pocket_tts.settings import EngineSettings, ModelSettings, Settings, VoiceSettings
from wyoming_pocket_tts.sound.options import SoundChoice, SoundOptions
from wyoming_pocket_tts.synthesizer import SpeechRequest, Synthesizer, SynthesizerLimits
from wyoming_pocket_tts.text.dictionary import Dictionary
from wyoming_pocket_tts.text.estimate import EstimatedTokenizer
from wyoming_pocket_tts.text.options import TextOptions, TextRules
from wyoming_pocket_tts.text.raw import prepare_raw, split_raw

RATE_HZ = 8000
FRAME = 640
ANSWER = "The front door is open, and it is 21.5 °C. **Close it!** " * 4


class Tokenizer(EstimatedTokenizer):
    """Has no currency signs and no Greek."""

    def knows(self, character: str) -> bool:
        return character not in "€Ωπ\N{SNOWMAN}"


class Host:
    """One model, whose engine hums and keeps what it was given."""

    def __init__(self, language: str) -> None:
        self.texts: list[str] = []
        self.tokenizer = Tokenizer()
        entry = SimpleNamespace(
            language=language,
            config=SimpleNamespace(mimi=SimpleNamespace(sample_rate=RATE_HZ, frame_rate=12.5)),
        )
        self._model = SimpleNamespace(
            entry=entry,
            rules=TextRules(),
            tokenizer=self.tokenizer,
            worker=self,
            sample_rate_hz=RATE_HZ,
            sampling=lambda short: Sampling(0.7, -4.0, None, 3),
        )

    def submit(self, spec: SequenceSpec) -> SegmentStream:
        self.texts.append(self.tokenizer.decode(list(spec.tokens)))
        stream = SegmentStream()
        hum = 0.4 * torch.sin(
            torch.arange(FRAME * len(spec.tokens)) * (2 * torch.pi * 200 / RATE_HZ)
        )
        hum[-1] = 0
        for frame in hum.split(FRAME):
            stream.put(frame, 0)
        stream.finish(SequenceResult(End.EOS, len(spec.tokens), 0), 0)
        return stream

    def entry(self, name: str) -> Any:
        return self._model.entry

    def refused(self, voice: Voice) -> bool:
        return False

    @contextlib.asynccontextmanager
    async def use(self, voice: Voice) -> AsyncIterator[Any]:
        yield SimpleNamespace(model=self._model, voice=None)


def synthesizer(
    options: TextOptions | None = None, language: str = "en", tag: str = "en", **more: Any
) -> tuple[Synthesizer, Host]:
    host = Host(language)
    sound = more.pop("voice_sound", SoundChoice())
    voice = Voice("anna", "model", "x", (tag, "sv"), sound=sound)
    made = Synthesizer(
        host,  # type: ignore[arg-type]
        VoiceBook([voice]),
        options or TextOptions(),
        SynthesizerLimits(),
        seed=1,
        **more,
    )
    return made, host


async def speak(made: Synthesizer, text: Any, **fields: Any) -> np.ndarray:
    request = SpeechRequest(text, **fields)
    made.check(request)
    pcm = b"".join([frame.pcm async for frame in made.generate_audio_stream(request)])
    return np.frombuffer(pcm, "<i2")


async def pieces(text: str, size: int) -> AsyncIterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]


# Text


async def test_text_is_normalised_and_stripped_of_marks() -> None:
    made, host = synthesizer()
    await speak(made, "It is **21.5 °C** \N{SNOWMAN} at 22:05.")
    assert host.texts == ["It is twenty-one point five degrees Celsius at twenty-two oh five."]


async def test_a_text_format_that_is_not_known_is_plain_text_and_said_at_debug(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    text = '<break time="1s"/>Hello there.'
    heard = {}
    for text_format in (None, "text", "SSML", "application/ssml+xml", "no-ssml", "vnd.new"):
        made, _ = synthesizer()
        caplog.clear()
        heard[text_format] = len(await speak(made, text, text_format=text_format))
        unknown = text_format in ("no-ssml", "vnd.new")
        assert (f"Unknown text format '{text_format}'" in caplog.text) is unknown
    assert heard["SSML"] == heard["application/ssml+xml"] == heard[None] + RATE_HZ
    assert heard["text"] == heard["no-ssml"] == heard["vnd.new"] == heard[None]


@pytest.mark.parametrize("size", [1, 7, 50])
async def test_streamed_and_plain_text_are_cut_alike(size: int) -> None:
    plain, host = synthesizer()
    whole = await speak(plain, ANSWER)
    streamed, other = synthesizer()
    assert np.array_equal(await speak(streamed, pieces(ANSWER, size)), whole)
    assert other.texts == host.texts
    assert len(host.texts) > 2


async def test_raw_text_reaches_the_engine_as_the_package_makes_it() -> None:
    made, host = synthesizer(TextOptions(raw=True, max_tokens=20))
    await speak(made, ANSWER)
    rules, tokenizer = TextRules(), Tokenizer()
    parts = split_raw(ANSWER, rules, tokenizer.encode, tokenizer.decode, 20)
    assert host.texts == [prepare_raw(part, rules).text for part in parts]
    assert any("**" in text and "°C" in text for text in host.texts)


async def test_what_the_vocabulary_lacks_does_not_reach_the_engine() -> None:
    made, host = synthesizer(TextOptions(normalise=False))
    await speak(made, "It is π or Ω or é.")
    (text,) = host.texts
    assert "π" not in text
    assert "Ω" not in text
    assert text.endswith("or é.")


@pytest.mark.parametrize(
    ("model", "tag", "said"),
    [
        ("pt", "pt-PT", "Dezasseis graus."),
        ("pt", "pt-BR", "Dezesseis graus."),
        ("pt", "fr-CA", "Dezesseis graus."),  # the voice's tag is for another language
        ("pt", "PT_pt", "Dezasseis graus."),
        ("", "en", "16 graus."),
    ],
)
async def test_the_region_is_that_of_the_voice(model: str, tag: str, said: str) -> None:
    made, host = synthesizer(language=model, tag=tag)
    await speak(made, "16 graus.")
    assert host.texts == [said]


async def test_the_dictionary_holds_for_the_next_request_after_a_change(tmp_path: Path) -> None:
    path = tmp_path / "words.yaml"
    path.write_text("en: {Kyutai: Kew tie}")
    dictionary = Dictionary(path)
    made, host = synthesizer(dictionary=dictionary)
    await speak(made, "This is Kyutai.")
    path.write_text("en: {Kyutai: Q tie now}")
    dictionary.refresh()
    await speak(made, "This is Kyutai.")
    assert host.texts == ["This is Kew tie.", "This is Q tie now."]


async def test_ssml_by_request() -> None:
    made, host = synthesizer()
    text = "This comes first <break time='250ms'/> and this comes later."
    sound = await speak(made, text, text_format="ssml")
    assert host.texts == ["This comes first", "and this comes later."]
    first = FRAME * len(host.tokenizer.encode(host.texts[0]))
    assert not sound[first : first + 2000].any()
    assert sound[first - 19 : first - 1].all()
    assert sound[first + 2000 : first + 2020].any()


async def test_nothing_to_say_makes_no_sound() -> None:
    made, host = synthesizer(sound_options=SoundOptions(lead_silence_ms=100, tail_silence_ms=100))
    for text in ("", "...", "\N{SNOWMAN}", "** **"):
        with pytest.raises(NothingToSay):
            await speak(made, text)
    assert host.texts == []


# Sound


async def test_speech_is_untouched_where_nothing_is_chosen() -> None:
    made, host = synthesizer()
    sound = await speak(made, "The light is on.")
    wanted = 0.4 * np.sin(
        np.arange(len(sound), dtype=np.float32) * np.float32(2 * np.pi * 200 / RATE_HZ)
    )
    assert np.abs(sound / 32767 - wanted)[:-1].max() < 1e-3
    assert len(sound) == FRAME * len(host.tokenizer.encode(host.texts[0]))


async def test_server_voice_and_request_choose_the_sound() -> None:
    plain = len(await speak(synthesizer()[0], "The light is on."))
    server = {"sound_options": SoundOptions(speed=2.0, volume_db=-20)}
    assert len(await speak(synthesizer(**server)[0], "The light is on.")) == plain // 2
    voice = {**server, "voice_sound": SoundChoice(speed=0.5, tail_silence_ms=100)}
    made, _ = synthesizer(**voice)
    sound = await speak(made, "The light is on.")
    assert len(sound) == 2 * plain + RATE_HZ // 10
    assert np.abs(sound).max() == pytest.approx(0.04 * 32767, rel=0.01)
    sound = await speak(made, "The light is on.", speed=1.0, volume_db=-6.0)
    assert len(sound) == plain + RATE_HZ // 10
    assert np.abs(sound).max() == pytest.approx(0.4 * 32767 * 10 ** (-6 / 20), rel=0.01)


@pytest.mark.parametrize("fields", [{"speed": 3.0}, {"speed": float("nan")}, {"volume_db": 99.0}])
async def test_a_sound_that_cannot_be_had_is_refused(fields: dict[str, float]) -> None:
    made, host = synthesizer()
    request = dataclasses.replace(SpeechRequest("Hello."), **fields)  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match="must be between"):
        made.check(request)
    with pytest.raises(InvalidRequest, match="must be between"):
        await anext(made.generate_audio_stream(request))
    assert host.texts == []


# From the settings


async def test_settings_reach_the_speech(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dictionary (read again while the server runs), speed and a voice's silence, over a small real model."""
    monkeypatch.setattr(local_speech, "_DICTIONARY_EVERY_S", 0.02)
    words = tmp_path / "words.yaml"
    words.write_text("en: {x: light}")
    model = tiny_files.yaml_on_disk(tmp_path)
    state = tiny_files.write_voice(tmp_path / "bert.safetensors")
    chosen = Settings(
        models={"tiny": ModelSettings(config=str(model), languages=("en",))},
        voices={
            "bert": VoiceSettings(source=str(state)),
            "slow": VoiceSettings(source=str(state), speed=0.5, tail_silence_ms=100),
        },
        cache_dir=tmp_path / "cache",
        engine=EngineSettings(tune=False, quantize=False, threads=1, seed=3),
        text=TextOptions(dictionary=words),
        sound=SoundOptions(speed=2.0),
    )
    speech = local_speech.LocalSpeech(chosen)
    await speech.load()
    try:
        said = await speak(speech.synthesizer, "the x is on.")
        assert np.array_equal(said, await speak(speech.synthesizer, "the light is on."))
        slow = await speak(speech.synthesizer, "the x is on.", voice="slow")
        assert len(slow) == 4 * len(said) + 800
        words.write_text("en: {x: door}")
        door = await speak(speech.synthesizer, "the door is on.")
        for _ in range(200):
            await asyncio.sleep(0.02)
            said = await speak(speech.synthesizer, "the x is on.")
            if np.array_equal(said, door):
                break
        assert np.array_equal(said, door)
    finally:
        await speech.close()


async def test_a_dictionary_that_cannot_be_used_ends_the_start(tmp_path: Path) -> None:
    chosen = Settings(text=TextOptions(dictionary=tmp_path / "none.yaml"), cache_dir=tmp_path)
    speech = local_speech.LocalSpeech(chosen)
    with pytest.raises(ConfigError, match=r"none\.yaml"):
        await speech.load()
    await speech.close()
