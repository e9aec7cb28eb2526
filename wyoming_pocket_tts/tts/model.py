"""`TTSModel`: a loaded model with one engine, for any number of threads.

A thin class: what it does stands in the modules beside it. Arguments and behaviour are those of the `pocket-tts` package, so that its
users' scripts run; where this differs, the docstrings say so.
"""

from __future__ import annotations

import functools
import itertools
import threading
import warnings
import weakref
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor

from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.models.download import Fetcher
from wyoming_pocket_tts.models.loading import EngineOptions, LoadedModel, load_model
from wyoming_pocket_tts.models.progress import ProgressCallback
from wyoming_pocket_tts.text.options import TextOptions
from wyoming_pocket_tts.tts.arguments import (
    MIN_TOKENS,
    check_stop,
    check_type,
    check_whole,
)
from wyoming_pocket_tts.tts.errors import ModelClosed, WrongArgument
from wyoming_pocket_tts.tts.finding import Found, find_model
from wyoming_pocket_tts.tts.likeness import ModuleLikeness
from wyoming_pocket_tts.tts.prompts import Prompts
from wyoming_pocket_tts.tts.sampling import check_sampling, sampling_of
from wyoming_pocket_tts.tts.speech import PartEnd, Speech
from wyoming_pocket_tts.tts.state import ModelState, voice_for
from wyoming_pocket_tts.tts.text import Texts

MAX_TOKENS = 50
MOST_STEPS = 1000

_SEEDS = 2**62


class TTSModel(ModuleLikeness):
    """A model that speaks. Make one with `load_model`.

    Thread-safe: calls from several threads are generated together, as one batch, and each gets the samples it would get alone.

    Attributes:
        temp: variance of the noise; may be set between calls.
        noise_clamp: largest magnitude of the noise, None for no limit; likewise.
        eos_threshold: logit over which speech counts as ended; likewise.
        default_voice: what `get_state_for_audio_prompt` may be given where nobody chose.
    """

    def __init__(
        self, found: Found, model: LoadedModel, fetcher: Fetcher, text_options: TextOptions | None
    ) -> None:
        """Takes a loaded model; `load_model` is what users call."""
        sampling = model.sampling(short_text=False)
        self.temp: float = sampling.temperature
        self.noise_clamp: float | None = sampling.noise_clamp
        self.eos_threshold: float = sampling.eos_threshold
        self.default_voice = found.default_voice
        self._origin = found.origin
        self._model = model
        self._prompts = Prompts(found, model, fetcher)
        self._texts = Texts(model, text_options)
        self._calls = itertools.count()
        # When nobody holds the model any more; at the end of the program too, which a thread in mid product would not survive.
        self._stop_engine = weakref.finalize(model, model.worker.stop)

    @classmethod
    def load_model(
        cls,
        language: str | None = None,
        config: str | Path | None = None,
        temp: float | None = None,
        sampler_decode_steps: int | None = None,
        noise_clamp: float | None = None,
        eos_threshold: float | None = None,
        quantize: bool = False,
        checkpoint: str | Path | None = None,
        lsd_decode_steps: int | None = None,
        *,
        text_options: TextOptions | None = None,
        slots: int = 8,
        threads: int | None = None,
        tune: bool = True,
        cache_dir: str | Path | None = None,
        offline: bool = False,
        progress: ProgressCallback | None = None,
    ) -> TTSModel:
        """Loads a model, fetching its files the first time, and starts its engine.

        Args:
            language: a model of the catalogue ("english", "french_24l"), a language ("fr"), or "starter": the small
                model that comes with the package. None: English. Not together with `config`.
            config: a model's YAML: a path, https://... or hf://owner/repo/path@revision.
            temp, noise_clamp, eos_threshold: None is the model's own value.
            sampler_decode_steps: integration steps of the flow head per frame. None: 1, or 16 where the head is plain flow matching.
            quantize: 8-bit weights, where they are faster than float32 on this machine.
            checkpoint: refused: a training checkpoint is a pickle, and could run any code.
            lsd_decode_steps: the old name of `sampler_decode_steps`.
            text_options: how texts are read. None: as the package does it; `TextOptions()`: as the server does it, numbers, units,
                markup and all.
            slots: segments that are generated at the same time.
            threads: processor threads. None: what is measured to be fastest, once for each machine and model.
            tune: False skips that measurement.
            cache_dir: where downloads are kept; None: the hub's cache (HF_HOME).
            offline: never use the network.
            progress: told of downloads.

        Raises:
            WrongArgument: an argument makes no sense (a ValueError).
            DownloadError, ConfigError, ModelFileError: a file is not to be had, or does not fit.
        """
        if checkpoint is not None:
            raise WrongArgument(
                "checkpoint: training checkpoints (.pt) are not read; export the weights to safetensors and name them in a config."
            )
        if lsd_decode_steps is not None:
            warnings.warn(
                "lsd_decode_steps is now called sampler_decode_steps",
                DeprecationWarning,
                stacklevel=2,
            )
            sampler_decode_steps = lsd_decode_steps
        check_whole("slots", slots, 1, 1000)
        if threads is not None:
            check_whole("threads", threads, 1, 1000)
        if sampler_decode_steps is not None:
            check_whole("sampler_decode_steps", sampler_decode_steps, 1, MOST_STEPS)
        check_type("language", language, str)
        check_type("config", config, str, Path)
        check_type("cache_dir", cache_dir, str, Path)
        check_type("text_options", text_options, TextOptions)
        check_sampling(temp, noise_clamp, eos_threshold)
        folder = Path(cache_dir).expanduser() if cache_dir is not None else None
        fetcher = Fetcher(folder, offline=offline, progress=progress)
        found = find_model(language, config, fetcher)
        options = EngineOptions(
            slots=slots,
            decode_steps=sampler_decode_steps,
            quantize=quantize,
            threads=threads,
            tune=tune,
            temperature=temp,
            noise_clamp=noise_clamp,
            eos_threshold=eos_threshold,
        )
        model = load_model(found.entry, options, fetcher.fetch, fetcher.own_folder)
        try:
            return cls(found, model, fetcher, text_options)
        except BaseException:
            model.worker.stop()
            raise

    @property
    def sample_rate(self) -> int:
        """Samples per second."""
        return self._model.sample_rate_hz

    @property
    def config(self) -> ModelConfig:
        """The model's configuration; it cannot be changed."""
        return self._model.entry.config

    @property
    def name(self) -> str:
        """What the model is called."""
        return self._model.entry.name

    @property
    def language(self) -> str:
        """Code of the language it speaks; empty where that is unknown, as it is of a `config`."""
        return self._model.entry.language

    @functools.cached_property
    def has_voice_cloning(self) -> bool:
        """Whether recordings can become voices. The hub is asked once, if the full weights are not here; nothing is fetched."""
        return self._prompts.has_voice_cloning()

    def get_state_for_audio_prompt(
        self, audio_conditioning: str | Path | Tensor, truncate: bool = False
    ) -> ModelState:
        """Gets a voice.

        Args:
            audio_conditioning: the name of a voice ("alba"); a path, https:// or hf:// of a finished voice (.safetensors) or of a
                recording (wav, flac, mp3, ogg); or samples [channels, S] at the model's rate.
            truncate: use the first 30 s of a recording at most.

        Raises:
            PromptNotFound: neither a voice nor a file (a FileNotFoundError).
            PromptRefused: the recording is silent, too short, clipped, or no recording (a ValueError).
            NoVoiceCloning: a recording needs the full weights, which are not to be had (a ValueError).
            VoiceStateError: the finished voice belongs to another model, or is damaged.
        """
        if isinstance(audio_conditioning, Tensor):
            return self._prompts.from_samples(audio_conditioning, truncate=truncate)
        if not isinstance(audio_conditioning, (str, Path)):
            raise WrongArgument(
                f"A voice is a str, a Path or a tensor, not {type(audio_conditioning).__name__}."
            )
        return self._prompts.from_source(audio_conditioning, truncate=truncate)

    def generate_audio(
        self,
        model_state: ModelState | VoiceState,
        text_to_generate: str,
        max_tokens: int = MAX_TOKENS,
        frames_after_eos: int | None = None,
        copy_state: bool = True,
        *,
        seed: int | None = None,
        stop: threading.Event | None = None,
    ) -> Tensor:
        """Speaks a text; arguments and errors are those of `generate_audio_stream`.

        Returns:
            [S] float32 on the CPU, at `sample_rate`, around [-1, 1]. What there is by then, when it was stopped.
        """
        arguments = (text_to_generate, max_tokens, frames_after_eos, copy_state, stop)
        frames = list(self.generate_audio_stream(model_state, *arguments, seed=seed))
        return torch.cat(frames) if frames else torch.zeros(0)

    def generate_audio_stream(
        self,
        model_state: ModelState | VoiceState,
        text_to_generate: str,
        max_tokens: int = MAX_TOKENS,
        frames_after_eos: int | None = None,
        copy_state: bool = True,
        stop: threading.Event | None = None,
        *,
        seed: int | None = None,
    ) -> Iterator[Tensor]:
        """Speaks a text while it is being generated.

        Leaving the iterator early (`break`, `close`) ends the speech and frees its slots.

        Args:
            model_state: the voice; from this model.
            text_to_generate: any length; it is cut into segments.
            max_tokens: budget of a segment, 5 at least; above 50 the models begin to skip words.
            frames_after_eos: frames from the end of speech on. None: the model's choice, else 5 for short texts and 3.
            copy_state: accepted and ignored: states never change, so there is nothing to copy and nothing to save.
            stop: once set, no more frames come, from whichever thread it was set.
            seed: from 0 on; the same text, voice and seed give the same samples. None: drawn from torch's generator, so that `torch.manual_seed`
                makes a script repeatable.

        Yields:
            [S] float32, mostly the model's frame (80 ms; 40 ms of the starter).

        Raises:
            EmptyText: nothing to be spoken (a ValueError), at once and not with the first frame.
            WrongArgument: another argument makes no sense (a ValueError).
            WrongState: the voice is another model's (a ValueError).
            ModelClosed, SpeechFailed: both are RuntimeErrors.
        """
        speech = self.speak(
            model_state,
            text_to_generate,
            max_tokens=max_tokens,
            frames_after_eos=frames_after_eos,
            seed=seed,
            stop=stop,
        )
        return self._tensors(speech)

    def speak(
        self,
        model_state: ModelState | VoiceState,
        text: str,
        *,
        max_tokens: int = MAX_TOKENS,
        frames_after_eos: int | None = None,
        seed: int | None = None,
        stop: threading.Event | None = None,
    ) -> Speech:
        """The same, for those who want to know where segments end: frames as numpy arrays, and a `PartEnd` after each segment."""
        if not self._stop_engine.alive:
            raise ModelClosed("The model has been closed; load it again to speak.")
        max_tokens = check_whole("max_tokens", max_tokens, MIN_TOKENS)
        check_stop(stop)
        if seed is not None:
            seed = check_whole("seed", seed, 0)
        entry = self._model.entry
        voice = voice_for(model_state, entry.name, self._model.identity, entry.config)
        if seed is None:
            seed = int(torch.randint(_SEEDS, ()))
        sampling = sampling_of(
            self._model, self.temp, self.noise_clamp, self.eos_threshold, frames_after_eos
        )
        return Speech(
            self._model,
            voice,
            self._texts.parts(text, max_tokens),
            sampling,
            seed,
            request=f"call-{next(self._calls)}",
            stop=stop,
        )

    def close(self) -> None:
        """Stops the engine; what is still being spoken ends with `ModelClosed`. Any number of times."""
        self._stop_engine()

    def __enter__(self) -> TTSModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _tensors(self, speech: Speech) -> Iterator[Tensor]:
        for piece in speech:
            if not isinstance(piece, PartEnd):
                yield torch.from_numpy(piece)
            elif piece.part.pause_ms:
                yield torch.zeros(round(piece.part.pause_ms * self.sample_rate / 1000))
