"""The library: what it gives, what it refuses, that threads share one engine, and that those who leave free their slots."""

from __future__ import annotations

import copy
import gc
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import torch

import wyoming_pocket_tts
from tests import tiny, tiny_files
from wyoming_pocket_tts import ModelState, TextOptions, TTSModel, errors, export_model_state
from wyoming_pocket_tts.engine.sequence import derive_seed
from wyoming_pocket_tts.models.voices import read_voice_metadata

TEXT = "The light is on. Hello, the quick brown fox jumps over the lazy dog. Is the kitchen there?"
FRAME = 640  # samples of the tiny model


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tts")


def load(home: Path, seed: int = 0, **options: Any) -> TTSModel:
    config = tiny_files.yaml_on_disk(home / f"model-{seed}", seed)
    # EOS at once, so that speech is short.
    chosen = {"eos_threshold": -1000.0, "tune": False, "cache_dir": home / "cache", **options}
    return TTSModel.load_model(config=config, **chosen)


@pytest.fixture(scope="module")
def model(home: Path) -> Iterator[TTSModel]:
    with load(home) as model:
        yield model


@pytest.fixture(scope="module")
def state(model: TTSModel, home: Path) -> ModelState:
    return model.get_state_for_audio_prompt(tiny_files.write_voice(home / "voice.safetensors"))


@pytest.fixture
def endless(model: TTSModel, monkeypatch: pytest.MonkeyPatch) -> TTSModel:
    """Speech that ends at its limit alone, after some seconds of sound for each segment."""
    monkeypatch.setattr(model, "eos_threshold", 1000.0)
    return model


def recording(path: Path, seconds: float = 2.0) -> Path:
    """Noise that swells and sinks: enough of a voice for those who judge recordings."""
    times = np.arange(int(8000 * seconds)) / 8000
    noise = np.random.default_rng(1).normal(0, 0.1, len(times))
    soundfile.write(path, (noise * (1.1 + np.sin(9 * times))).astype(np.float32) / 2, 8000)
    return path


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.01)


def busy(model: TTSModel) -> bool:
    return model._model.worker.engine.busy


# Loading


def test_names_are_imported_when_they_are_named() -> None:
    assert set(dir(wyoming_pocket_tts)) >= {"TTSModel", "export_model_state", "__version__"}
    with pytest.raises(AttributeError, match="no attribute 'TTSmodel'"):
        _ = wyoming_pocket_tts.TTSmodel  # type: ignore[attr-defined]


def test_what_a_model_says_of_itself(model: TTSModel) -> None:
    assert (model.sample_rate, model.device, model.name) == (8000, torch.device("cpu"), "model")
    assert model.config.mimi.sample_rate == 8000
    assert model.has_voice_cloning
    assert model.to("cpu") is model
    assert model.to(torch.device("cpu")) is model
    for device in ("cuda", "nonsense"):
        with pytest.raises(ValueError, match="CPU"):
            model.to(device)
    assert model.temp == model.config.default_temperature
    assert model.eval() is model
    assert model.origin is not None
    assert model.origin.suffix == ".yaml"
    assert not model.has_custom_weights
    assert model.sampler_decode_steps == 1
    model.sampler_decode_steps = 1
    with pytest.raises(ValueError, match="cannot be changed once a model is loaded; give it to lo"):
        model.sampler_decode_steps = 2
    for name in ("flow_lm", "mimi"):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match=f"no '{name}': its engine computes on plain"):
            getattr(model, name)
    assert model.default_voice == "hf://kyutai/tts-voices/alba-mackenna/casual.wav"


@pytest.mark.parametrize(
    ("arguments", "error", "part"),
    [
        ({"language": "english", "config": "x.yaml"}, ValueError, "cannot both be given"),
        ({"language": "klingon"}, ValueError, "klingon"),
        ({"language": "englsh"}, ValueError, "Did you mean 'english'"),
        ({"checkpoint": "run.pt"}, ValueError, "safetensors"),
        ({"temp": -1.0}, ValueError, "temp must be between 0 and 10, not -1.0"),
        ({"eos_threshold": float("nan")}, ValueError, "eos_threshold"),
        ({"sampler_decode_steps": 0}, ValueError, "sampler_decode_steps"),
        ({"sampler_decode_steps": 1.0}, ValueError, "sampler_decode_steps must be a whole"),
        ({"slots": 0}, ValueError, "slots must be between 1 and 1000, not 0"),
        ({"slots": None}, ValueError, "slots must be a whole number"),
        ({"threads": "auto"}, ValueError, "threads must be a whole number"),
        ({"threads": 0}, ValueError, "threads"),
        ({"temp": "warm"}, ValueError, "temp must be a number, not 'warm'"),
        ({"language": 5}, ValueError, "language must be str"),
        ({"config": 5}, ValueError, "config must be str or Path"),
        ({"text_options": {}}, ValueError, "text_options must be TextOptions"),
        ({"config": "absent.yaml"}, errors.DownloadError, "absent.yaml"),
        ({"language": "fr", "offline": True}, errors.DownloadError, "downloads are switched off"),
    ],
)
def test_what_cannot_be_loaded(
    home: Path, arguments: dict[str, Any], error: type[Exception], part: str
) -> None:
    with pytest.raises(error, match=part) as caught:
        TTSModel.load_model(**{"cache_dir": home / "empty", **arguments})
    assert isinstance(caught.value, errors.PocketTTSError)


def test_the_old_name_of_decode_steps(home: Path) -> None:
    with pytest.warns(DeprecationWarning, match="sampler_decode_steps"):
        load(home, lsd_decode_steps=2).close()


def test_catalogue_models_know_their_voices(home: Path) -> None:
    from wyoming_pocket_tts.models.download import Fetcher
    from wyoming_pocket_tts.tts.finding import find_model

    found = find_model("fr", None, Fetcher(home / "cache"))
    assert (found.entry.language, found.default_voice) == ("fr", "estelle")
    assert len(found.voices) == 27
    assert f"/{found.entry.name}/" in found.voices["alba"]
    assert find_model(None, None, Fetcher(home / "cache")).default_voice == "alba"


# Speaking


def test_a_whole_text(model: TTSModel, state: ModelState) -> None:
    audio = model.generate_audio(state, TEXT, seed=1)
    assert (audio.dim(), audio.dtype, audio.requires_grad) == (1, torch.float32, False)
    assert len(audio) % FRAME == 0
    chunks = list(model.generate_audio_stream(state, TEXT, seed=1))
    assert all(chunk.shape == (FRAME,) for chunk in chunks)
    assert torch.equal(torch.cat(chunks), audio)
    assert not torch.equal(model.generate_audio(state, TEXT, seed=2), audio)


def test_seeds(model: TTSModel, state: ModelState) -> None:
    torch.manual_seed(5)
    first, second = (model.generate_audio(state, TEXT) for _ in range(2))
    assert not torch.equal(first, second)
    torch.manual_seed(5)
    assert torch.equal(model.generate_audio(state, TEXT), first)
    assert len(model.generate_audio(state, TEXT, seed=np.int64(2**62)))
    assert derive_seed(2**63 - 1, 1) >= 0


def test_frames_after_the_end(model: TTSModel, state: ModelState) -> None:
    def frames(text: str, **options: Any) -> int:
        return len(model.generate_audio(state, text, **options)) // FRAME

    # The end of speech counts from the seventh frame on.
    assert frames("hello") == 6 + 5
    assert frames("the quick brown fox jumps over") == 6 + 3
    assert frames("hello", frames_after_eos=0) == 6
    assert frames("hello", frames_after_eos=9) == 6 + 9


def test_text_is_cut_as_the_budget_says(model: TTSModel, state: ModelState) -> None:
    text = "The light. The fox. The dog."
    whole = model.speak(state, text).parts
    single = model.speak(state, text, max_tokens=5).parts
    assert (len(whole), len(single)) == (1, 3)
    assert all(part.tokens and part.short for part in single)


def test_the_state_is_never_changed(model: TTSModel, state: ModelState) -> None:
    before = copy.deepcopy(state)
    first = model.generate_audio(state, TEXT, copy_state=False, seed=1)
    assert torch.equal(model.generate_audio(state, TEXT, copy_state=False, seed=1), first)
    for mine, theirs in zip(state.voice.keys, before.voice.keys, strict=True):
        assert torch.equal(mine, theirs)
    assert torch.equal(model.generate_audio(state.voice, TEXT, seed=1), first)


def test_values_may_be_set_between_calls(
    model: TTSModel, state: ModelState, monkeypatch: pytest.MonkeyPatch
) -> None:
    audio = model.generate_audio(state, TEXT, seed=1)
    monkeypatch.setattr(model, "temp", 0.0)
    quiet = model.generate_audio(state, TEXT, seed=1)
    assert not torch.equal(quiet, audio)
    assert torch.equal(model.generate_audio(state, TEXT, seed=2), quiet)
    for wrong in (-1.0, "warm", None):
        monkeypatch.setattr(model, "temp", wrong)
        with pytest.raises(ValueError, match="temp must be"):
            model.generate_audio(state, TEXT)
    monkeypatch.setattr(model, "temp", 0.3)
    monkeypatch.setattr(model, "noise_clamp", 0.1)
    assert not torch.equal(model.generate_audio(state, TEXT, seed=1), audio)


@pytest.mark.parametrize(
    ("text", "options", "part"),
    [
        ("", {}, "empty"),
        (" \n", {}, "empty"),
        (None, {}, "must be a str"),
        ("hello", {"frames_after_eos": -1}, "frames_after_eos"),
        ("hello", {"frames_after_eos": 1.5}, "frames_after_eos must be a whole number"),
        ("hello", {"seed": -1}, "seed must be at least 0, not -1"),
        ("hello", {"seed": 1.5}, "seed must be a whole number"),
        ("hello", {"seed": "x"}, r"seed must be a whole number \(int\), not 'x' \(str\)"),
        ("hello", {"seed": 2**63}, "seed"),
        ("hello", {"max_tokens": 4}, "max_tokens must be at least 5, not 4"),
        ("hello", {"max_tokens": None}, "max_tokens must be a whole number"),
        ("hello", {"max_tokens": True}, "max_tokens must be a whole number"),
        ("hello", {"stop": 3}, "stop must be a threading.Event"),
    ],
)
def test_what_cannot_be_said(
    model: TTSModel, state: ModelState, text: Any, options: dict[str, Any], part: str
) -> None:
    for method in (model.generate_audio, model.generate_audio_stream):
        with pytest.raises(ValueError, match=part) as caught:
            method(state, text, **options)
        assert isinstance(caught.value, errors.CallerError)


def test_half_characters_do_no_harm(model: TTSModel, state: ModelState) -> None:
    assert len(model.generate_audio(state, "hello \ud83d there"))


def test_the_servers_way_with_text(home: Path, state: ModelState) -> None:
    dictionary = home / "dictionary.yaml"
    dictionary.write_text('"*": {HA: the house}\n')
    options = TextOptions(dictionary=dictionary, paragraph_pause_ms=400)
    text = "HA is in the kitchen.\n\nThe light is on."
    with load(home, text_options=options) as model:
        said = model.speak(state, text)
        assert said.parts[0].tokens == tuple(
            model._model.tokenizer.encode("The house is in the kitchen.")
        )
        assert said.parts[0].pause_ms == 400
        chunks = list(model.generate_audio_stream(state, text, seed=1))
        (pause,) = [chunk for chunk in chunks if not chunk.any()]
        assert len(pause) == 3200
        with pytest.raises(ValueError, match="nothing that can be spoken"):
            model.generate_audio(state, "...")
        with pytest.raises(ValueError, match="max_tokens"):
            model.generate_audio(state, "hello", max_tokens=2)
    with load(home, text_options=TextOptions(raw=True)) as raw:
        assert len(raw.speak(state, text).parts) == 1


# Together, and leaving


def test_threads_are_batched_and_change_nothing(model: TTSModel, state: ModelState) -> None:
    alone = [model.generate_audio(state, TEXT, seed=seed) for seed in range(6)]
    together: dict[int, torch.Tensor] = {}

    def speak(seed: int) -> None:
        together[seed] = model.generate_audio(state, TEXT, seed=seed)

    steps, latents = _counted(model)
    threads = [threading.Thread(target=speak, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    for seed, audio in enumerate(alone):
        assert torch.equal(together[seed], audio)
    now_steps, now_latents = _counted(model)
    # More rows than steps: some steps served several of them.
    assert now_steps - steps < now_latents - latents


def _counted(model: TTSModel) -> tuple[int, int]:
    counters = model._model.worker.engine.counters
    return counters.steps, counters.latents


@pytest.mark.parametrize("leave", ["close", "forget"])
def test_an_abandoned_stream_frees_its_slots(
    endless: TTSModel, state: ModelState, leave: str
) -> None:
    stream = endless.generate_audio_stream(state, 20 * TEXT)
    next(stream)
    assert busy(endless)
    if leave == "close":
        stream.close()  # type: ignore[attr-defined]
    del stream
    gc.collect()
    until(lambda: not busy(endless))


def test_a_stream_that_nobody_begins_takes_no_slot(endless: TTSModel, state: ModelState) -> None:
    streams = [endless.generate_audio_stream(state, TEXT) for _ in range(20)]
    assert not busy(endless)
    assert len(streams) == 20


def test_stopping_from_another_thread(endless: TTSModel, state: ModelState) -> None:
    stop = threading.Event()
    frames = []
    for frame in endless.generate_audio_stream(state, 20 * TEXT, stop=stop):
        frames.append(frame)
        if len(frames) == 3:
            threading.Thread(target=stop.set).start()
            assert stop.wait(5)
    assert len(frames) == 3
    until(lambda: not busy(endless))
    # Stopped before it began, there is nothing.
    assert endless.generate_audio(state, TEXT, stop=stop).shape == (0,)


def test_stopping_while_all_slots_are_taken(home: Path, state: ModelState) -> None:
    with load(home, eos_threshold=1000.0, slots=1) as model:
        first = model.generate_audio_stream(state, 20 * TEXT)
        next(first)
        stop = threading.Event()
        threading.Timer(0.1, stop.set).start()
        waited = list(model.generate_audio_stream(state, 20 * TEXT, stop=stop))
        assert len(waited) < 200
        assert len(next(first)) == FRAME


def test_closing(home: Path, state: ModelState) -> None:
    model = load(home, eos_threshold=1000.0)
    stream = model.generate_audio_stream(state, 20 * TEXT)
    next(stream)
    model.close()
    model.close()
    with pytest.raises(RuntimeError, match="has been closed"):
        list(stream)
    with pytest.raises(errors.ModelUnavailable, match="has been closed"):
        model.generate_audio(state, TEXT)


def test_a_model_that_nobody_holds_leaves_no_thread(home: Path, state: ModelState) -> None:
    model = load(home)
    worker = weakref.ref(model._model.worker)
    threads = model._model.worker._threads
    speech = model.speak(state, TEXT)
    del model
    gc.collect()
    # The speech holds it.
    assert sum(1 for _ in speech)
    del speech
    gc.collect()
    assert worker() is None or not any(thread.is_alive() for thread in threads)


def test_a_program_may_end_in_mid_speech(home: Path, state: ModelState) -> None:
    config = tiny_files.yaml_on_disk(home / "model-0")
    program = (
        "from wyoming_pocket_tts import TTSModel\n"
        f"model = TTSModel.load_model(config={str(config)!r}, eos_threshold=1000, tune=False, cache_dir={str(home / 'cache')!r})\n"
        f"voice = model.get_state_for_audio_prompt({str(home / 'voice.safetensors')!r})\n"
        f"stream = model.generate_audio_stream(voice, {20 * TEXT!r})\n"
        "print(len(next(stream)))\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert (told.returncode, told.stdout, told.stderr) == (0, f"{FRAME}\n", "")


def test_a_fault_of_the_engine(
    model: TTSModel, state: ModelState, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("broken step")

    with monkeypatch.context() as patch:
        patch.setattr(model._model.model.flow_lm, "decode", broken)
        with pytest.raises(RuntimeError, match="broken step") as caught:
            model.generate_audio(state, TEXT)
        assert isinstance(caught.value, errors.InternalError)
    assert len(model.generate_audio(state, TEXT))


# Voices


def test_a_voice_is_exported_and_read_again(
    model: TTSModel, state: ModelState, tmp_path: Path
) -> None:
    path = tmp_path / "mine.safetensors"
    export_model_state(state, str(path))
    assert read_voice_metadata(path).model_identity == tiny_files.identity()
    again = model.get_state_for_audio_prompt(str(path))
    assert again.model_identity == state.model_identity
    audio = model.generate_audio(state, TEXT, seed=1)
    assert torch.equal(model.generate_audio(again, TEXT, seed=1), audio)
    # A voice alone says nothing of its model.
    export_model_state(tiny.voice(), path)
    assert model.get_state_for_audio_prompt(path).model_identity is None
    with pytest.raises(ValueError, match="it is dict"):
        export_model_state({}, path)  # type: ignore[arg-type]


def test_a_recording_is_made_a_voice_once(model: TTSModel, home: Path, tmp_path: Path) -> None:
    path = recording(tmp_path / "anna.wav")
    made = model.get_state_for_audio_prompt(str(path))
    kept = list((home / "cache" / "wyoming-pocket-tts" / "voices").glob("*-as-is.safetensors"))
    assert len(kept) == 1
    before = kept[0].stat().st_mtime_ns
    again = model.get_state_for_audio_prompt(path, truncate=True)
    assert kept[0].stat().st_mtime_ns == before
    assert torch.equal(made.voice.keys[0], again.voice.keys[0])
    # The same samples, given as such.
    samples = torch.from_numpy(soundfile.read(path, dtype="float32")[0])
    for given in (samples, samples[None], samples.expand(2, -1).double()):
        voice = model.get_state_for_audio_prompt(given).voice
        assert torch.allclose(voice.keys[1], made.voice.keys[1], atol=1e-5)


def test_long_recordings(model: TTSModel, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = recording(tmp_path / "long.wav", 32.0)
    with caplog.at_level("INFO"):
        whole = model.get_state_for_audio_prompt(path)
    assert "all 32 s are used" in caplog.text
    cut = model.get_state_for_audio_prompt(path, truncate=True)
    assert whole.voice.length - cut.voice.length == 25
    samples = torch.from_numpy(soundfile.read(path, dtype="float32")[0])
    assert model.get_state_for_audio_prompt(samples, truncate=True).voice.length == cut.voice.length
    assert model.get_state_for_audio_prompt(samples).voice.length == whole.voice.length


@pytest.mark.parametrize("seconds", [2.0, 31.0])
def test_channels_that_cancel_each_other(model: TTSModel, tmp_path: Path, seconds: float) -> None:
    """Whatever is used of it, and however it is given, a microphone that was wired the wrong way round is heard."""
    one_side = recording(tmp_path / "one.wav", seconds)
    samples, rate_hz = soundfile.read(one_side, dtype="float32")
    both = np.stack((samples, -samples), axis=1)
    soundfile.write(tmp_path / "both.wav", both, rate_hz)
    wanted = model.get_state_for_audio_prompt(one_side).voice
    for given in (tmp_path / "both.wav", torch.from_numpy(both.T)):
        voice = model.get_state_for_audio_prompt(given).voice
        assert voice.length == wanted.length
        assert torch.allclose(voice.keys[1], wanted.keys[1], atol=1e-4)


@pytest.mark.parametrize("shape", [(), (0,), (1, 2, 3)])
def test_tensors_that_are_no_recording(model: TTSModel, shape: tuple[int, ...]) -> None:
    for truncate in (False, True):
        with pytest.raises(
            ValueError, match=r"must be a tensor \[channels, samples\], not of shap"
        ):
            model.get_state_for_audio_prompt(torch.zeros(shape), truncate=truncate)


def test_a_state_is_shown_in_a_line(state: ModelState) -> None:
    assert repr(state) == "ModelState(model_name='model', 0.0 MiB)"


@pytest.mark.parametrize(
    ("source", "error", "part"),
    [
        ("nobody", FileNotFoundError, "neither such a file nor a voice"),
        (Path("nobody.wav"), FileNotFoundError, "nobody.wav"),
        ("alba", FileNotFoundError, "Give its recording instead: hf://kyutai"),
        (".", FileNotFoundError, "is a folder"),
        ("ftp://x/y.wav", errors.ConfigError, "ftp://"),
        (3, ValueError, "not int"),
        (torch.zeros(0), ValueError, "shape \\[0\\]"),
        (torch.zeros(1, 1, 9), ValueError, "shape \\[1, 1, 9\\]"),
        (torch.full((1, 8000), float("nan")), ValueError, "not finite"),
        (torch.zeros(1, 48_000), ValueError, "The audio prompt: .* are silent"),
        (torch.ones(1, 48_000), ValueError, "silent"),
        (torch.randn(1, 800), ValueError, "The audio prompt: .* hold 0.1 s"),
    ],
)
def test_what_is_no_voice(model: TTSModel, source: Any, error: type[Exception], part: str) -> None:
    with pytest.raises(error, match=part) as caught:
        model.get_state_for_audio_prompt(source)
    assert isinstance(caught.value, errors.PocketTTSError)


def test_a_recording_that_is_refused(model: TTSModel, tmp_path: Path) -> None:
    silent = tmp_path / "silent.wav"
    soundfile.write(silent, np.zeros(16000), 8000)
    with pytest.raises(ValueError, match="silent") as caught:
        model.get_state_for_audio_prompt(silent)
    assert isinstance(caught.value, errors.AudioPromptError)


def test_voices_of_another_model(model: TTSModel, state: ModelState, home: Path) -> None:
    with load(home, seed=3) as other:
        with pytest.raises(ValueError, match=r"made for another model \(model\)"):
            other.generate_audio(state, TEXT)
        with pytest.raises(errors.VoiceStateError, match="weights of another model"):
            other.get_state_for_audio_prompt(home / "voice.safetensors")
    for wrong in ({}, None, "alba"):
        with pytest.raises(ValueError, match="get_state_for_audio_prompt"):
            model.generate_audio(wrong, TEXT)  # type: ignore[arg-type]


def test_without_the_full_weights(home: Path, tmp_path: Path) -> None:
    """A model that names an open file, and a full one that is not to be had."""
    import yaml

    config = tiny_files.yaml_on_disk(tmp_path / "model")
    values = yaml.safe_load(config.read_text())
    values["weights_path_without_voice_cloning"] = values["weights_path"]
    values["weights_path"] = "hf://someone/gated/model.safetensors"
    config.write_text(yaml.safe_dump(values))
    with TTSModel.load_model(
        config=config, tune=False, cache_dir=home / "cache", offline=True
    ) as model:
        assert not model.has_voice_cloning
        path = recording(tmp_path / "bert.wav", 3.0)
        for prompt in (path, torch.from_numpy(soundfile.read(path, dtype="float32")[0])):
            with pytest.raises(ValueError, match="full weights of model 'model' are needed"):
                model.get_state_for_audio_prompt(prompt)
        finished = tiny_files.write_voice(tmp_path / "voice.safetensors")
        assert len(model.generate_audio(model.get_state_for_audio_prompt(finished), "hello"))
