"""The starter: what comes with the package, that it is loaded like every other model, and where it speaks in place of English."""

from __future__ import annotations

import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from huggingface_hub import constants

import wyoming_pocket_tts
from wyoming_pocket_tts import cli
from wyoming_pocket_tts.engine.sequence import End, SequenceSpec, frame_limit
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.errors import AudioPromptError, ConfigError, DownloadError
from wyoming_pocket_tts.models.book import GUEST_PREFIX, Voice
from wyoming_pocket_tts.models.catalogue import STARTER, Catalogue
from wyoming_pocket_tts.models.download import Fetcher
from wyoming_pocket_tts.models.loading import EngineOptions, LoadedModel, ModelEntry, load_model
from wyoming_pocket_tts.models.voice_states import VoiceStates
from wyoming_pocket_tts.models.voices import read_voice_metadata, read_voice_state
from wyoming_pocket_tts.tts import TTSModel
from wyoming_pocket_tts.tts.errors import NoVoiceCloning, PromptNotFound

FOLDER = Path(wyoming_pocket_tts.__file__).parent / STARTER
CATALOGUE = Catalogue.load()
MODEL = CATALOGUE.model(STARTER)
SENTENCES = (
    "Hi.",
    "The kitchen light is on.",
    "Your train leaves in twenty minutes, and the battery of the motion sensor is empty.",
)


# What there is


def test_it_is_small_and_whole() -> None:
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    voices = [voice.name for voice in CATALOGUE.voices_of(MODEL)]
    assert len(voices) >= 3
    expected = {"model.yaml", "model.safetensors", "tokenizer.model"}
    assert set(sizes) == expected | {f"{voice}.safetensors" for voice in voices}
    assert sizes["model.safetensors"] <= 8_000_000
    assert sum(sizes.values()) <= 9_000_000


def test_everything_of_it_is_in_the_package() -> None:
    fetcher = Fetcher(Path("/nowhere"), offline=True)
    sources = [MODEL.config.flow_lm.lookup_table.tokenizer_path]
    sources += [MODEL.config.weights_path_without_voice_cloning or ""]
    sources += [CATALOGUE.voice_state_source(MODEL, voice) for voice in MODEL.own_voices]
    for source in sources:
        assert fetcher.fetch(source).parent == FOLDER


@pytest.fixture(scope="module")
def loaded() -> Iterator[LoadedModel]:
    model = load_model(ModelEntry(STARTER, MODEL.config), EngineOptions(slots=1), Path)
    yield model
    model.worker.stop()


@pytest.mark.parametrize("voice", [voice.name for voice in MODEL.own_voices])
def test_every_voice_was_made_with_these_weights_and_ends_by_itself(
    loaded: LoadedModel, voice: str
) -> None:
    path = FOLDER / f"{voice}.safetensors"
    assert read_voice_metadata(path).model_identity == loaded.identity
    state = read_voice_state(path, MODEL.config, identity=loaded.identity)
    for seed, sentence in enumerate(SENTENCES):
        tokens = tuple(loaded.tokenizer.encode(sentence))
        limit = frame_limit(len(tokens), MODEL.config.mimi.frame_rate)
        spec = SequenceSpec(tokens, state, loaded.sampling(False), seed, limit)
        stream = loaded.worker.submit(spec)
        while stream.next_frame() is not None:
            pass
        assert stream.result is not None
        assert stream.result.end is End.EOS


def test_it_clones_no_voice_and_takes_no_other(tmp_path: Path) -> None:
    with TTSModel.load_model(STARTER, tune=False, cache_dir=tmp_path, offline=True) as model:
        assert (model.name, model.language) == (STARTER, "en")
        assert model.default_voice == MODEL.own_voices[0].name
        assert not model.has_voice_cloning
        with pytest.raises(PromptNotFound, match=r"nobody.*Voices: slt, rms, awb"):
            model.get_state_for_audio_prompt("nobody")
        with pytest.raises(NoVoiceCloning, match="cannot clone voices"):
            model.get_state_for_audio_prompt(_recording(tmp_path))


async def test_a_recording_that_came_with_a_request_is_refused_for_good() -> None:
    """Not as something that may be there in a second."""

    def read(*_: object) -> VoiceState:
        raise ConfigError(
            "/srv/model.yaml: The model has open weights alone: it cannot clone voices."
        )

    guest = Voice(f"{GUEST_PREFIX}1", STARTER, "a.wav", ("en",))
    with pytest.raises(
        AudioPromptError, match=r"^Model 'starter' makes no voices from recordings\.$"
    ):
        await VoiceStates(read, 0).get(guest, None, None)  # type: ignore[arg-type]


def _recording(folder: Path) -> Path:
    path = folder / "anna.wav"
    times = np.arange(48_000) / 24_000
    noise = np.random.default_rng(1).normal(0, 0.05, len(times)) * (1.1 + np.sin(9 * times))
    soundfile.write(path, noise, 24_000)
    return path


# In place of English


@pytest.fixture
def generate(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Any:
    """Runs the command where there is no hub and nothing is cached: its code, and what it printed to standard error."""
    load = TTSModel.load_model
    monkeypatch.setattr(TTSModel, "load_model", lambda **options: load(**options, tune=False))
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str]:
        code = cli.main(["generate", "-q", "--text", "Hello.", *arguments, "--cache-dir", "cache"])
        return code, capfd.readouterr().err

    return run


@pytest.mark.parametrize(
    ("flags", "why"),
    [([], "the hub cannot be reached"), (["--offline"], "downloads are switched off")],
)
def test_it_speaks_where_english_is_not_to_be_had_and_says_so(
    generate: Any, flags: list[str], why: str
) -> None:
    code, said = generate(*flags)
    assert code == cli.EXIT_OK
    (line,) = said.splitlines()
    assert line.startswith("English is not here, so the small starter voice speaks: hf://kyutai/")
    assert why in line
    with wave.open("tts_output.wav") as wav:
        assert wav.getframerate() == MODEL.config.mimi.sample_rate
        assert wav.getnframes()


@pytest.mark.parametrize(
    "flags",
    [
        ["--language", "english"],
        ["--language", "fr"],
        ["--voice", "alba"],
        ["--voice", "slt"],
        ["--config", "hf://somebody/model/model.yaml"],
    ],
)
def test_it_never_speaks_in_place_of_what_was_asked_for(generate: Any, flags: list[str]) -> None:
    code, said = generate(*flags)
    assert code == cli.EXIT_UNAVAILABLE
    assert "starter" not in said
    assert not Path("tts_output.wav").exists()


@pytest.mark.parametrize("kind", ["gated", "not-found", "corrupt", "storage"])
def test_other_faults_are_told_as_they_are(
    generate: Any, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    def load_model(**_: Any) -> TTSModel:
        raise DownloadError("hf://a/b/c: no.", source="hf://a/b/c", kind=kind)

    monkeypatch.setattr(TTSModel, "load_model", load_model)
    assert generate() == (cli.EXIT_UNAVAILABLE, "wyoming-pocket-tts: hf://a/b/c: no.\n")


def test_it_speaks_where_the_default_voice_alone_is_missing(
    generate: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = TTSModel.get_state_for_audio_prompt

    def load_model(**options: Any) -> TTSModel:
        return load(**{**options, "language": STARTER})

    def prompt(self: TTSModel, voice: Any) -> Any:
        asked.append(voice)
        if len(asked) == 1:
            raise DownloadError("hf://a/alba: no.", source="hf://a/alba", kind="network")
        return ask(self, voice)

    asked: list[str] = []
    load = TTSModel.load_model
    monkeypatch.setattr(TTSModel, "load_model", load_model)
    monkeypatch.setattr(TTSModel, "get_state_for_audio_prompt", prompt)
    code, said = generate()
    assert code == cli.EXIT_OK
    assert "the small starter voice speaks: hf://a/alba: no." in said
