"""`wyoming-pocket-tts generate`: a text to a sound file, to standard output, or to the loudspeaker."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from wyoming_pocket_tts.commands import common
from wyoming_pocket_tts.errors import ConfigError, DownloadError, InvalidRequest

if TYPE_CHECKING:
    from wyoming_pocket_tts.output import Output
    from wyoming_pocket_tts.tts import TTSModel
    from wyoming_pocket_tts.tts.speech import Speech
    from wyoming_pocket_tts.tts.state import ModelState

_EPILOG = """\
examples:
  wyoming-pocket-tts generate --text "Hello world." --voice anna.wav
  wyoming-pocket-tts generate --text-file book.txt --output-path book.mp3
  echo Bonjour | wyoming-pocket-tts generate --language french --text - --play
  wyoming-pocket-tts generate -q --text Hello --output-path - | aplay
  wyoming-pocket-tts generate --language starter --text "Without a download."
"""

_MORE = "more (docs/python.md tells what they do)"

_OUTPUT = "./tts_output.wav"
_SECONDS_OF_A_LONG_TEXT = 4
_BAR_WIDTH = 30

# What is said where nobody says what.
_TEXTS = {
    "en": "Good morning! This is what I sound like, on a computer of your own and without a cloud.",
    "fr": "Bonjour ! Voici ma voix, sur votre propre ordinateur et sans aucun nuage.",
    "de": "Guten Morgen! So klinge ich, auf deinem eigenen Rechner und ganz ohne Cloud.",
    "pt": "Bom dia! É assim que eu soo, no seu próprio computador e sem nenhuma nuvem.",
    "it": "Buongiorno! Ecco la mia voce, sul tuo computer e senza nessun cloud.",
    "es": "¡Buenos días! Así sueno yo, en tu propio ordenador y sin ninguna nube.",
    "nl": "Goedemorgen! Zo klink ik, op je eigen computer en zonder cloud.",
}


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds `generate` to the command line."""
    parser = common.make_parser(
        subparsers, "generate", "speak a text to a file or a loudspeaker", _EPILOG, "[flags]", _MORE
    )
    # A value that was not given is None here: there is no settings file that it could replace.
    parser.argument_default = None
    parser.set_defaults(run=run)
    text = parser.add_mutually_exclusive_group().add_argument
    text("--text", help="what to say; - reads standard input")
    text("--text-file", metavar="FILE", type=Path, help="a file with it, in UTF-8")
    add = parser.add_argument
    add("--voice", metavar="VOICE", help="name, file or address (default: the language's)")
    add("--output-path", metavar="FILE", help="wav, flac, ogg, opus or mp3; - is stdout")
    add("--play", action="store_true", help="to the loudspeaker, while it is being made")
    which = parser.add_mutually_exclusive_group().add_argument
    which("--language", metavar="NAME", help="model or language (default english)")
    which("--config", metavar="FILE", help="a community model's YAML: path or address")
    add("--seed", metavar="N", type=int, help="the same text then gives the same samples")
    add("--speed", metavar="X", type=float, default=1.0, help="0.5 to 2 (default 1)")
    add("--raw-text", action="store_true", help="text as the pocket-tts package does it")
    add("-q", "--quiet", action="store_true", help="say nothing but errors")
    add("--offline", action="store_true", help="never use the network")
    common.add_cache_flag(parser)
    more = parser.add_argument_group(_MORE).add_argument
    more("--temperature", metavar="X", type=float, help="variance of the noise")
    more("--noise-clamp", metavar="X", type=float, help="largest magnitude of the noise")
    more("--sampler-decode-steps", metavar="N", type=int, help="of the flow head, per frame")
    more("--lsd-decode-steps", metavar="N", type=int, help=argparse.SUPPRESS)
    more("--eos-threshold", metavar="X", type=float, help="logit over which speech has ended")
    more("--frames-after-eos", metavar="N", type=int, help="frames kept after that")
    more("--max-tokens", metavar="N", type=int, default=50, help="in one segment (default 50)")
    more("--quantize", action="store_true", default=False, help="8-bit weights where faster")
    more("--no-quantize", dest="quantize", action="store_false", help=argparse.SUPPRESS)
    more("--device", metavar="NAME", default="cpu", help="cpu; there is no other")
    more("--checkpoint", metavar="FILE", help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    """Speaks."""
    from wyoming_pocket_tts import cli
    from wyoming_pocket_tts.sound.options import SoundOptions

    if arguments.lsd_decode_steps is not None:
        arguments.sampler_decode_steps = arguments.lsd_decode_steps
        if not arguments.quiet:
            print("--lsd-decode-steps is now --sampler-decode-steps", file=sys.stderr)
    # All that can be wrong without a model is found before one is loaded, or downloaded.
    text = _text(arguments)
    try:
        sound = SoundOptions(speed=arguments.speed)
    except ValueError as error:
        raise ConfigError(f"--speed: {error}.") from error
    open_outputs, where = _outputs(arguments)
    _check(arguments)
    model, state = _speaker(arguments)
    with model:
        started = time.monotonic()
        speech = model.speak(
            state,
            _TEXTS.get(model.language, _TEXTS["en"]) if text is None else text,
            max_tokens=arguments.max_tokens,
            frames_after_eos=arguments.frames_after_eos,
            seed=arguments.seed,
        )
        told = None if arguments.quiet else sys.stderr
        watch = _Watch(speech, started, model.sample_rate, told)
        try:
            _send(watch.pcm(sound), lambda: open_outputs(model.sample_rate))
        except KeyboardInterrupt:
            if watch.seconds and not arguments.quiet:
                print(f"{where}: unfinished, {watch.seconds:.1f} s of sound", file=sys.stderr)
            raise
    if not arguments.quiet:
        print(f"{where}: {watch.summary()}", file=sys.stderr)
    return cli.EXIT_OK


def _send(pieces: Iterator[bytes], open_outputs: Callable[[], Iterator[Output]]) -> None:
    """Writes to all outputs, opened with the first piece and closed whatever happens."""
    outputs: list[Output] = []
    with contextlib.ExitStack() as stack:
        stack.callback(pieces.close)  # type: ignore[attr-defined]
        for pcm in pieces:
            if not outputs:
                for output in open_outputs():
                    outputs.append(output)
                    stack.callback(output.close)
            for output in outputs:
                output.write(pcm)


def _text(arguments: argparse.Namespace) -> str | None:
    """What to say; None: nobody said."""
    if arguments.text == "-" or str(arguments.text_file) == "-":
        text = common.read_standard_input()
        where = "standard input"
    elif arguments.text_file is not None:
        where = str(arguments.text_file)
        try:
            text = arguments.text_file.expanduser().read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise ConfigError(
                f"--text-file: {where} cannot be read: {error.strerror or error}."
            ) from error
    elif arguments.text is None:
        return None
    else:
        text, where = arguments.text, "--text"
    if not text.strip():
        raise InvalidRequest(f"{where}: holds no text.")
    return text.removeprefix("\ufeff")


def _check(arguments: argparse.Namespace) -> None:
    """Refuses what no model could do, by the names of the flags."""
    from wyoming_pocket_tts.tts.arguments import MIN_TOKENS, check_device, check_whole
    from wyoming_pocket_tts.tts.model import MOST_STEPS
    from wyoming_pocket_tts.tts.sampling import check_sampling

    check_device(arguments.device)
    check_sampling(
        arguments.temperature,
        arguments.noise_clamp,
        arguments.eos_threshold,
        arguments.frames_after_eos,
        called=lambda name: "--" + {"temp": "temperature"}.get(name, name).replace("_", "-"),
    )
    check_whole("--max-tokens", arguments.max_tokens, MIN_TOKENS)
    if arguments.seed is not None:
        check_whole("--seed", arguments.seed, 0)
    if arguments.sampler_decode_steps is not None:
        check_whole("--sampler-decode-steps", arguments.sampler_decode_steps, 1, MOST_STEPS)


def _outputs(arguments: argparse.Namespace) -> tuple[Callable[[int], Iterator[Output]], str]:
    """What opens the outputs for a sample rate, and what to call them."""
    from wyoming_pocket_tts import output

    wanted = arguments.output_path
    player = output.find_player() if arguments.play else None
    path: Path | None = None
    if wanted is None and player is None:
        wanted = _OUTPUT
    if wanted == "-":
        if sys.stdout.isatty():
            raise ConfigError("--output-path: standard output is a terminal; send it somewhere.")
    elif wanted is not None:
        path = Path(wanted).expanduser()
        output.check_path(path)

    def opened(rate_hz: int) -> Iterator[Output]:
        if player is not None:
            yield output.Player(player, rate_hz)
        if wanted == "-":
            yield output.StandardOutput(sys.stdout.buffer, rate_hz, "standard output")
        elif path is not None:
            yield output.open_file(path, rate_hz)

    return opened, "played" if wanted is None else "standard output" if wanted == "-" else wanted


def _speaker(arguments: argparse.Namespace) -> tuple[TTSModel, ModelState]:
    """The model and the voice that were asked for.

    Where nobody asked for any, and there is no way to fetch the default ones, those that come with the package: it says so, even
    where it is to be quiet. What was asked for by name is never replaced.
    """
    from wyoming_pocket_tts.models.catalogue import STARTER

    try:
        return _load(arguments, arguments.language)
    except DownloadError as error:
        named = arguments.language or arguments.config or arguments.voice
        if named or error.kind not in ("network", "offline"):
            raise
        print(f"English is not here, so the small starter voice speaks: {error}", file=sys.stderr)
    return _load(arguments, STARTER)


def _load(arguments: argparse.Namespace, language: str | None) -> tuple[TTSModel, ModelState]:
    """A loaded model and a voice of it."""
    progress = common.set_up_log(quiet=arguments.quiet)
    from wyoming_pocket_tts.text.options import TextOptions
    from wyoming_pocket_tts.tts import TTSModel

    model = TTSModel.load_model(
        language=language,
        config=arguments.config,
        temp=arguments.temperature,
        sampler_decode_steps=arguments.sampler_decode_steps,
        noise_clamp=arguments.noise_clamp,
        eos_threshold=arguments.eos_threshold,
        quantize=arguments.quantize,
        checkpoint=arguments.checkpoint,
        text_options=TextOptions(raw=arguments.raw_text),
        cache_dir=arguments.cache_dir,
        offline=arguments.offline,
        progress=progress,
    )
    try:
        return model, model.get_state_for_audio_prompt(arguments.voice or model.default_voice)
    except BaseException:
        model.close()
        raise


class _Watch:
    """Speech to PCM, with an eye on the clock and a bar for those who wait for a long text."""

    def __init__(self, speech: Speech, started: float, rate_hz: int, stream: TextIO | None) -> None:
        self._speech = speech
        self._started = started
        self._rate_hz = rate_hz
        self._stream = stream if stream is not None and stream.isatty() else None
        self._first_s = 0.0
        self._samples = 0
        self._characters = 0
        self._total = max(1, sum(part.characters for part in speech.parts))

    def pcm(self, sound: Any) -> Iterator[bytes]:
        """The sound, piece by piece."""
        from wyoming_pocket_tts.sound.chain import SoundChain
        from wyoming_pocket_tts.tts.speech import PartEnd

        chain = SoundChain(sound, self._rate_hz)
        try:
            for piece in self._speech:
                if isinstance(piece, PartEnd):
                    self._characters += piece.part.characters
                    yield from self._count(chain.end_segment(piece.part.pause_ms))
                else:
                    yield from self._count(chain.add(piece))
            yield from self._count(chain.end())
        finally:
            self._draw("")

    @property
    def seconds(self) -> float:
        """How much sound there was."""
        return self._samples / self._rate_hz

    def summary(self) -> str:
        seconds = self.seconds
        speed = seconds / max(time.monotonic() - self._started, 1e-6)
        first_ms = 1000 * self._first_s
        return f"{seconds:.1f} s of sound, first audio after {first_ms:.0f} ms, {speed:.1f} x real time"

    def _count(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for pcm in pieces:
            if not self._samples:
                self._first_s = time.monotonic() - self._started
            self._samples += len(pcm) // 2
            yield pcm
        if time.monotonic() - self._started > _SECONDS_OF_A_LONG_TEXT:
            share = self._characters / self._total
            bar = "#" * int(_BAR_WIDTH * share)
            seconds = self._samples / self._rate_hz
            self._draw(f"speaking [{bar:.<{_BAR_WIDTH}}] {share:.0%}, {seconds:.0f} s of sound")

    def _draw(self, line: str) -> None:
        if self._stream is not None:
            self._stream.write(f"\r{line}\033[K")
            self._stream.flush()
