"""Where the sound of a command goes: a WAV or another kind of file, standard output, a player.

All take 16-bit mono PCM in pieces as it comes. What a file's kind is, its suffix says. Nothing is opened before the first sound, so that a model
that cannot be loaded costs nobody the file that was there.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from wyoming_pocket_tts.audio import wav_header
from wyoming_pocket_tts.errors import ConfigError

# Suffix -> format and subtype, as libsndfile calls them.
_ENCODED = {
    ".flac": ("FLAC", "PCM_16"),
    ".ogg": ("OGG", "VORBIS"),
    ".opus": ("OGG", "OPUS"),
    ".mp3": ("MP3", "MPEG_LAYER_III"),
}
# Programs that play a WAV from their standard input and leave at its end, the best first.
_PLAYERS = {
    "aplay": ("-q", "-"),
    "ffplay": ("-nodisp", "-autoexit", "-loglevel", "error", "-"),
    "mpv": ("--no-terminal", "--no-video", "-"),
    "play": ("-q", "-t", "wav", "-"),
}


class Output(Protocol):
    """Somewhere for sound to go; `write` any number of times, then `close`, also after an error."""

    def write(self, pcm: bytes) -> None:
        """Takes the next piece.

        Args:
            pcm: whole samples, 16-bit little-endian, mono, at the rate that the output was opened with.

        Raises:
            ConfigError: it takes no more (a full disk, a player that ended); says which and why.
            BrokenPipeError: who reads standard output has had enough.
        """

    def close(self) -> None:
        """There is no more, or somebody has had enough: what was written is a playable whole from here on.

        Raises:
            ConfigError: the end could not be written, or the player could not play.
        """


def check_path(path: Path) -> None:
    """Refuses a path that cannot be written, before anything else is done.

    Args:
        path: what the user gave; pipes and devices may have any name.

    Raises:
        ConfigError: an unknown kind of file, a folder, a folder that is not there.
    """
    if path.is_dir():
        raise ConfigError(f"--output-path: {path} is a folder; name a file in it.")
    suffix = path.suffix.lower()
    if suffix != ".wav" and suffix not in _ENCODED and not _is_device(path):
        kinds = ", ".join((".wav", *_ENCODED))
        raise ConfigError(
            f"--output-path: {path}: the name must end with the kind of file, one of {kinds}."
        )
    if not path.parent.is_dir():
        raise ConfigError(f"--output-path: there is no folder {path.parent}.")


def open_file(path: Path, rate_hz: int) -> Output:
    """A file of the kind that its suffix says; what was there is replaced.

    Args:
        path: that `check_path` has taken.
        rate_hz: samples per second of what will be written.

    Raises:
        ConfigError: it cannot be written.
    """
    try:
        if path.suffix.lower() in _ENCODED:
            return EncodedFile(path, rate_hz)
        file = path.open("wb")
    except OSError as error:
        raise _unwritable(path, error) from error
    return Wav(file, rate_hz, str(path))


class Wav:
    """WAV to a file, whose header is put right at the end, or to a pipe, whose header leaves the length open."""

    def __init__(self, file: BinaryIO, rate_hz: int, name: str) -> None:
        """
        Args:
            file: closed by `close`.
            rate_hz: of the samples.
            name: of the file, for errors.

        Raises:
            ConfigError: it takes nothing, as on a full disk; `write` and `close` likewise.
        """
        self._file = file
        self._rate_hz = rate_hz
        self._name = name
        self._samples = 0
        self._header = wav_header(rate_hz)
        self._failed = False

    def write(self, pcm: bytes) -> None:
        with self._told():
            self._file.write(self._header + pcm)
            self._file.flush()
        self._header = b""
        self._samples += len(pcm) // 2

    def close(self) -> None:
        if self._failed:
            # What it did not take it will not take now: the first error has said so.
            with contextlib.suppress(OSError):
                self._file.close()
            return
        with self._told():
            if self._file.seekable():
                self._file.seek(0)
                self._file.write(wav_header(self._rate_hz, self._samples))
            self._file.close()

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._failed = True
            if isinstance(error, BrokenPipeError):  # who reads has had enough, which is no mistake
                raise
            raise _unwritable(self._name, error) from error


class StandardOutput(Wav):
    """WAV to standard output, where what follows may already have been appended to something."""

    def close(self) -> None:
        if not self._failed:
            with self._told():
                self._file.flush()


class EncodedFile:
    """FLAC, Ogg Vorbis, Opus or MP3, by libsndfile, which compresses each piece as it comes."""

    def __init__(self, path: Path, rate_hz: int) -> None:
        """
        Args:
            path: whose suffix says the kind.
            rate_hz: of the samples.

        Raises:
            OSError: it cannot be opened.
            ConfigError: this libsndfile cannot write the kind, or not at this rate.
        """
        import soundfile

        format, subtype = _ENCODED[path.suffix.lower()]
        self._path = path
        self._sink = _Sink(path.open("w+b", buffering=0))
        try:
            self._file: Any = soundfile.SoundFile(
                self._sink, "w", rate_hz, channels=1, format=format, subtype=subtype
            )
        except soundfile.SoundFileError as error:
            self._sink.file.close()
            reason = str(getattr(error, "error_string", error)).strip().rstrip(".")
            raise ConfigError(f"--output-path: {path} cannot be written: {reason}.") from error

    def write(self, pcm: bytes) -> None:
        try:
            self._file.buffer_write(pcm, dtype="int16")
        except (AssertionError, RuntimeError):
            # The library's words for a file that took less than it was given.
            if self._sink.error is None:
                raise
        self._complain()

    def close(self) -> None:
        failed = self._sink.error is not None
        try:
            self._file.close()
        except RuntimeError:
            if self._sink.error is None:
                raise
        finally:
            self._sink.close()
        if not failed:
            self._complain()

    def _complain(self) -> None:
        if self._sink.error is not None:
            raise _unwritable(self._path, self._sink.error) from self._sink.error


class _Sink:
    """A file for libsndfile, which keeps the system's reason where something could not be written."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.error: OSError | None = None
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int = -1) -> bytes:
        return self.file.read(size)

    def write(self, data: bytes) -> int:
        if self.error is None:
            try:
                self.file.write(data)
                return len(data)
            except OSError as error:
                self.error = error
        return 0

    def close(self) -> None:
        try:
            self.file.close()
        except OSError as error:
            self.error = self.error or error


def find_player() -> list[str]:
    """The command of a player that is installed: its path, then the flags with which it reads standard input.

    Raises:
        ConfigError: there is none.
    """
    for name, flags in _PLAYERS.items():
        path = shutil.which(name)
        if path is not None:
            return [path, *flags]
    raise ConfigError(
        f"--play: none of {', '.join(_PLAYERS)} is installed. Install one (aplay comes with alsa-utils), or write a file with "
        "--output-path."
    )


class Player:
    """A program that plays the sound while it is being made: WAV through a pipe to its standard input."""

    def __init__(self, command: list[str], rate_hz: int) -> None:
        """
        Args:
            command: from `find_player`.
            rate_hz: of the samples.

        Raises:
            ConfigError: it cannot be started.
        """
        self._name = Path(command[0]).name
        self._closed = False
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
        except OSError as error:
            raise ConfigError(f"--play: {self._name} cannot be started: {error}.") from error
        self._write(wav_header(rate_hz))

    def write(self, pcm: bytes) -> None:
        self._write(pcm)

    def close(self) -> None:
        """Waits until everything has been heard.

        Raises:
            ConfigError: the player could not play; in its own words.
        """
        if self._closed:
            return
        self._closed = True
        try:
            _, told = self._process.communicate()
        except KeyboardInterrupt:
            self._process.terminate()
            self._process.communicate()
            raise
        code = self._process.returncode
        if code:
            words = " ".join(told.decode(errors="replace").split())[-200:] or f"exit code {code}"
            raise ConfigError(f"--play: {self._name} could not play ({words}).")

    def _write(self, data: bytes) -> None:
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except BrokenPipeError:
            self.close()
            raise ConfigError(f"--play: {self._name} ended before the sound did.") from None


def _unwritable(where: Path | str, error: OSError) -> ConfigError:
    return ConfigError(f"--output-path: {where} cannot be written: {error.strerror or error}.")


def _is_device(path: Path) -> bool:
    """A pipe or a device, such as /dev/stdout: it takes WAV whatever its name is."""
    return path.exists() and not path.is_file() and not path.is_dir()
