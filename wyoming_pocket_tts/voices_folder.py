"""The voices directory: recordings and finished voices that are voices for as long as they lie there.

    anna.wav                  voice "anna"
    anna.yaml                 more about it, if there is more to say
    bert.safetensors          voice "bert"

It looks, judges each file once, and says which voices there are. Which model speaks one, and which names are taken, it asks. Names that
clients send never come here: a voice is opened by the path that was found, or not at all.
"""

from __future__ import annotations

import logging
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wyoming_pocket_tts.errors import PocketTTSError
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.loading import ModelEntry
from wyoming_pocket_tts.models.voices import read_voice_metadata, read_voice_state
from wyoming_pocket_tts.prompts import read_prompt
from wyoming_pocket_tts.settings_checks import check_voice_name
from wyoming_pocket_tts.sidecar import Sidecar
from wyoming_pocket_tts.strict import load_dataclass
from wyoming_pocket_tts.yaml_file import read_yaml

_LOGGER = logging.getLogger(__name__)

STATE_SUFFIX = ".safetensors"
RECORDING_SUFFIXES = (".wav", ".flac", ".mp3", ".ogg", ".oga", ".opus")
# What phones and messengers make; left alone without a word, it would look like a fault of ours.
_OTHER_AUDIO = (".m4a", ".mp4", ".aac", ".wma", ".webm", ".amr", ".3gp")
_SIDECAR_SUFFIXES = (".yaml", ".yml")

_SETTLED_S = 2.0
_MOST_TOLD = 20
_LEFT_OUT = "A file of the voices directory is left out: "

Signature = tuple[tuple[str, int, int], ...]


class Places(Protocol):
    """What is to be known of models and of other voices (`assembly.Assembly`)."""

    entries: tuple[ModelEntry, ...]

    def place(self, where: str, model: str | None, language: str | None) -> ModelEntry:
        """The model for a voice: by name, by language, else the first."""

    def fitting(self, source: str) -> ModelEntry | None:
        """The model whose weights a finished voice was made with, where that is known."""

    def languages(self, entry: ModelEntry) -> tuple[str, ...]:
        """Codes under which a model's voices are listed."""

    def is_taken(self, name: str) -> bool:
        """Whether another voice has this name."""


@dataclass(frozen=True)
class _Files:
    """The files of one voice, as they were found."""

    path: Path
    sidecar: Path | None
    signature: Signature
    changed_at: float


@dataclass(frozen=True)
class _Judged:
    signature: Signature
    voice: Voice | None
    complaint: str = ""


class VoicesFolder:
    """Looks through the folder; blocking, so it is called in a thread, by one at a time.

    Attributes:
        complaint: what was wrong when it was looked through last, in a sentence or two; "" for nothing.
    """

    def __init__(
        self,
        folder: Path,
        places: Places,
        settled_s: float = _SETTLED_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """
        Args:
            folder: need not be there yet.
            places: what there is besides.
            settled_s: a file that was written to less than this ago is looked at again first: it may still be growing.
            clock: seconds, as files are stamped.
        """
        self._folder = folder
        self._places = places
        self._settled_s = settled_s
        self._clock = clock
        self._seen: dict[str, Signature] = {}
        self._judged: dict[str, _Judged] = {}
        self._told: dict[str, str] = {}
        self.complaint = ""

    def scan(self) -> tuple[Voice, ...]:
        """The voices that are there now, by name. What is wrong with a file is logged once, until the file changes."""
        found = self._look()
        voices: list[Voice] = []
        complaints: dict[str, str] = {}
        names: dict[str, str] = {}
        for name, files in sorted(found.items()):
            if self._is_settling(name, files):
                continue
            judged = self._judge(name, files)
            complaint = judged.complaint
            if judged.voice is not None:
                complaint = self._clash(judged.voice, files, names)
            if complaint:
                complaints[name] = complaint
            elif judged.voice is not None:
                voices.append(judged.voice)
        self._seen = {name: files.signature for name, files in found.items()}
        self._judged = {name: one for name, one in self._judged.items() if name in found}
        self.complaint = self._told.get("", "") or _in_short(list(complaints.values()))
        self._tell(complaints)
        self._told = {name: told for name, told in self._told.items() if name in ("", *complaints)}
        return tuple(voices)

    def place_again(self) -> None:
        """Has the next look ask anew which models speak the finished voices: more may be known of the models."""
        self._judged = {
            name: one
            for name, one in self._judged.items()
            if one.voice is None or not one.voice.source.lower().endswith(STATE_SUFFIX)
        }

    def _look(self) -> dict[str, _Files]:
        """What lies in the folder, by the name of the voice; a finished voice goes before a recording of the same name."""
        try:
            root = self._folder.resolve()
            paths = sorted(path for path in root.iterdir() if not path.name.startswith("."))
        except OSError as error:
            self._tell_once(
                "",
                f"The voices directory cannot be read: {error.strerror}: {root}. It has to be there, and to be readable; its voices are "
                "missing meanwhile.",
            )
            return {}
        self._told.pop("", None)
        states = [path for path in paths if path.suffix.lower() == STATE_SUFFIX]
        recordings = [path for path in paths if path.suffix.lower() in RECORDING_SUFFIXES]
        others = [path for path in paths if path.suffix.lower() in _OTHER_AUDIO]
        found: dict[str, _Files] = {}
        for path in (*states, *recordings, *others):
            if path.stem not in found:
                files = _files(root, path)
                if files is not None:
                    found[path.stem] = files
        return found

    def _is_settling(self, name: str, files: _Files) -> bool:
        """Whether it may still be written: it changed a moment ago, and since we looked last."""
        if self._seen.get(name) == files.signature:
            return False
        age_s = self._clock() - files.changed_at
        return not age_s >= self._settled_s

    def _judge(self, name: str, files: _Files) -> _Judged:
        judged = self._judged.get(name)
        if judged is None or judged.signature != files.signature:
            self._told.pop(name, None)
            try:
                judged = _Judged(files.signature, self._voice(name, files))
            except (PocketTTSError, ValueError) as error:
                judged = _Judged(files.signature, None, _short(error, files.path.parent))
            self._judged[name] = judged
        return judged

    def _voice(self, name: str, files: _Files) -> Voice:
        """
        Raises:
            PocketTTSError, ValueError: it cannot be a voice; says why.
        """
        path = files.path
        _check_inside(path)
        check_voice_name("voice name", name)
        sidecar = Sidecar()
        if files.sidecar is not None:
            _check_inside(files.sidecar)
            values = read_yaml(files.sidecar)
            sidecar = load_dataclass(Sidecar, {} if values is None else values, files.sidecar.name)
        where = path.name if files.sidecar is None else files.sidecar.name
        language = next(iter(sidecar.codes), None)
        if path.suffix.lower() == STATE_SUFFIX:
            model, fitting = sidecar.model, None
            if model is None and language is None:
                fitting = self._places.fitting(str(path))
                model = self._made_for(path)
            entry = fitting or self._places.place(where, model, language)
            read_voice_state(path, entry.config)
        else:
            entry = self._places.place(where, sidecar.model, language)
            read_prompt(path, called=path.name)
        (_, modified_ns, size), *_ = files.signature
        return Voice(
            name=name,
            model=entry.name,
            source=str(path),
            languages=sidecar.codes or self._places.languages(entry),
            description=sidecar.description or name,
            aliases=sidecar.aliases,
            sound=sidecar.sound,
            version=f"{modified_ns}-{size}",
            added=sidecar.consent is not None,
        )

    def _made_for(self, path: Path) -> str | None:
        """The model that a finished voice says it was made for, where that model is here."""
        made_for = read_voice_metadata(path).model_name
        return made_for if any(made_for == entry.name for entry in self._places.entries) else None

    def _clash(self, voice: Voice, files: _Files, names: dict[str, str]) -> str:
        """Why a voice cannot have its names, or "": they are taken from now on."""
        where = files.path.name
        for name in (voice.name, *voice.aliases):
            if self._places.is_taken(name):
                return f"{where}: another voice is called {name!r} already (see the settings and the catalogue); choose another name."
            if names.get(name.casefold(), voice.name) != voice.name:
                return f"{where}: {name!r} is voice {names[name.casefold()]!r} already; choose another name."
        names.update((name.casefold(), voice.name) for name in (voice.name, *voice.aliases))
        return ""

    def _tell(self, complaints: dict[str, str]) -> None:
        """Logs what is new, up to a number of files: a music collection that was dropped in must not fill the log."""
        new = [name for name, complaint in complaints.items() if self._told.get(name) != complaint]
        for name in new[:_MOST_TOLD]:
            self._tell_once(name, complaints[name])
        if len(new) > _MOST_TOLD:
            self._told.update((name, complaints[name]) for name in new[_MOST_TOLD:])
            _LOGGER.warning(
                "%d more files of the voices directory are left out; take out what is no recording of a voice",
                len(new) - _MOST_TOLD,
            )

    def _tell_once(self, name: str, complaint: str) -> None:
        if self._told.get(name) != complaint:
            self._told[name] = complaint
            _LOGGER.warning("%s", f"{_LEFT_OUT}{complaint}" if name else complaint)


def _in_short(complaints: list[str]) -> str:
    """The first complaint about files, and how many more there are."""
    if not complaints:
        return ""
    more = f" The log names {len(complaints) - 1} more." if len(complaints) > 1 else ""
    return f"{_LEFT_OUT}{complaints[0]}{more}"


def _files(root: Path, path: Path) -> _Files | None:
    """A voice's files; None when it went away while we looked."""
    sidecar = next(
        (one for suffix in _SIDECAR_SUFFIXES if (one := root / f"{path.stem}{suffix}").exists()),
        None,
    )
    try:
        states = [(one.name, one.stat()) for one in (path, sidecar) if one is not None]
    except OSError:
        try:
            # A link to nowhere, or in a circle: to be told, not to be followed.
            states = [(path.name, path.lstat())]
        except OSError:
            return None
    return _Files(
        path,
        sidecar,
        tuple((name, state.st_mtime_ns, state.st_size) for name, state in states),
        max(state.st_mtime for _, state in states),
    )


def _check_inside(path: Path) -> None:
    """Refuses what is not a plain file of the folder.

    Raises:
        ValueError: it is something else, or a link that leads out.
    """
    try:
        real = Path(os.path.realpath(path, strict=True))
        is_file = stat.S_ISREG(real.stat().st_mode)
    except OSError as error:
        raise ValueError(f"{path.name}: cannot be read: {error.strerror or error}.") from error
    if path.parent not in real.parents:
        raise ValueError(f"{path.name}: is a link that leads out of the folder; copy the file.")
    if not is_file:
        raise ValueError(f"{path.name}: is not a file.")


def _short(error: Exception, folder: Path) -> str:
    """The message without the folder, which is said once for all."""
    return str(error).replace(f"{folder}{os.sep}", "")
