"""The user's dictionary: words and regular expressions that are to be said in another way, per language.

A YAML file, read again when it has changed:

    en:
      Kyutai: Kew tie
      /\\bGH(\\d+)/: greenhouse \\1
    "*":            # every language
      HA: Home Assistant

A word is matched whole; one in lower case matches in any case, one with capitals only as it is written. Between slashes stands a regular expression, whose
spoken form may name its groups. Words come first, the longest first; then expressions, in the order of the file.

Expressions can take time without end. They run in the `regex` package under a timeout: one that exceeds it on trial texts when
the file is read is refused; one that exceeds it later, three times, is left out from then on, with a warning.
"""

from __future__ import annotations

import importlib
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from wyoming_pocket_tts.errors import ConfigError

_LOGGER = logging.getLogger(__name__)

EVERY_LANGUAGE = "*"
MAX_ENTRIES = 5000
_TRIAL_TIMEOUT_S = 0.05
_USE_TIMEOUT_S = 0.05
# A busy machine alone may make a good expression late once.
_TIMEOUTS_ALLOWED = 2


@dataclass
class _Expression:
    name: str
    pattern: Any  # a regex.Pattern: the package's types know no timeout
    spoken: str
    timeouts: int = 0


@dataclass
class Lexicon:
    """The entries for one language, as the file was at one time. Calling it says a text by them."""

    words: dict[str, str] = field(default_factory=dict)
    expressions: list[_Expression] = field(default_factory=list)

    def __post_init__(self) -> None:
        longest_first = sorted(self.words, key=lambda word: (-len(word), word))
        alternatives = "|".join(
            f"(?i:{re.escape(word)})" if word == word.lower() else re.escape(word)
            for word in longest_first
        )
        self._pattern = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)") if alternatives else None

    def __call__(self, text: str) -> str:
        if self._pattern is not None:
            text = self._pattern.sub(self._word, text)
        for expression in self.expressions:
            text = _apply(expression, text)
        return text

    def _word(self, match: re.Match[str]) -> str:
        word = match.group()
        return self.words.get(word) or self.words.get(word.lower(), word)


def _apply(expression: _Expression, text: str) -> str:
    if expression.timeouts > _TIMEOUTS_ALLOWED:
        return text
    try:
        said: str = expression.pattern.sub(expression.spoken, text, timeout=_USE_TIMEOUT_S)
    except TimeoutError:
        expression.timeouts += 1
        if expression.timeouts > _TIMEOUTS_ALLOWED:
            _LOGGER.warning(
                "dictionary entry %s takes too long and is not used any more: "
                "write it without nested repetition",
                expression.name,
            )
        return text
    return said


class _Entries:
    """What a file held at one time, and the lexicons made of it so far."""

    def __init__(self, languages: dict[str, Lexicon]) -> None:
        self._languages = languages
        self._made: dict[str, Lexicon | None] = {}

    def for_language(self, language: str) -> Lexicon | None:
        if language not in self._made:
            self._made[language] = self._make(language)
        return self._made[language]

    def _make(self, language: str) -> Lexicon | None:
        base = language.replace("_", "-").split("-")[0].lower()
        found = [
            self._languages[name]
            for name in dict.fromkeys((language, base, EVERY_LANGUAGE))
            if name in self._languages
        ]
        if len(found) < 2:
            return found[0] if found else None
        words: dict[str, str] = {}
        for lexicon in reversed(found):
            words.update(lexicon.words)
        return Lexicon(words, [e for lexicon in found for e in lexicon.expressions])


class Dictionary:
    """A dictionary file. One thread may look it up while another reads it again."""

    def __init__(self, path: Path) -> None:
        """Reads the file.

        Raises:
            ConfigError: it cannot be read, or an entry cannot be used; the message names the entry.
        """
        self._path = path
        self._stamp = self._file_stamp()
        self._entries = _Entries(load_entries(path))

    def lexicon(self, language: str) -> Lexicon | None:
        """The entries for a language ("pt-BR" has those of "pt" too); None: there are none. Never waits for the file."""
        return self._entries.for_language(language)

    def refresh(self) -> None:
        """Reads the file again if it has changed; what cannot be used leaves the former entries. Blocking: trials take time."""
        stamp = self._file_stamp()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._entries = _Entries(load_entries(self._path))
            _LOGGER.info("dictionary %s read again", self._path)
        except ConfigError as error:
            _LOGGER.warning("the changed dictionary is not used, the former stays: %s", error)

    def _file_stamp(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size


def load_entries(path: Path) -> dict[str, Lexicon]:
    """Reads and checks a dictionary file.

    Raises:
        ConfigError: naming the file, the entry and what is wrong with it.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path}: cannot be read as YAML: {error}") from error
    if content is None:
        return {}
    if not isinstance(content, Mapping):
        raise ConfigError(f"{path}: must be a mapping of languages to entries")
    languages: dict[str, Lexicon] = {}
    for language, entries in content.items():
        words: dict[str, str] = {}
        expressions: list[_Expression] = []
        for name, spoken in _entries(path, str(language), entries):
            if len(name) > 2 and name.startswith("/") and name.endswith("/"):
                expressions.append(_expression(f"{path}: {language}: {name}", name[1:-1], spoken))
            else:
                words[name] = spoken
        languages[str(language)] = Lexicon(words, expressions)
    return languages


def _entries(path: Path, language: str, entries: object) -> Iterator[tuple[str, str]]:
    if not isinstance(entries, Mapping):
        raise ConfigError(f"{path}: {language}: must be a mapping of words to spoken forms")
    if len(entries) > MAX_ENTRIES:
        raise ConfigError(f"{path}: {language}: more than {MAX_ENTRIES} entries")
    for name, spoken in entries.items():
        if not isinstance(name, str) or not name.strip():
            raise ConfigError(
                f"{path}: {language}: {name!r} is no word: put it in quotes (YAML reads yes, no and numbers as values)"
            )
        if isinstance(spoken, bool) or not isinstance(spoken, (str, int, float)):
            raise ConfigError(
                f"{path}: {language}: {name!r}: the spoken form must be a text in quotes"
            )
        yield name, str(spoken)


def _expression(where: str, source: str, spoken: str) -> _Expression:
    regex: Any = importlib.import_module("regex")  # without types, and only for those who need it
    try:
        pattern = regex.compile(source)
        pattern.sub(spoken, "", timeout=_TRIAL_TIMEOUT_S)
        _check_template(pattern, spoken)
    except (regex.error, IndexError, ValueError, RecursionError) as error:
        raise ConfigError(f"{where}: is no regular expression that can be used: {error}") from error
    try:
        for trial in _trials(source):
            pattern.sub("", trial, timeout=_TRIAL_TIMEOUT_S)
    except TimeoutError as error:
        raise ConfigError(
            f"{where}: takes too long on some texts: write it without nested repetition like (a+)+"
        ) from error
    return _Expression(where, pattern, spoken)


def _check_template(pattern: Any, spoken: str) -> None:
    """Raises where the spoken form names a group that the expression has not."""
    for reference in re.findall(r"\\(\d+)|\\g<(\w+)>", spoken):
        name = reference[0] or reference[1]
        known = int(name) <= pattern.groups if name.isdigit() else name in pattern.groupindex
        if not known:
            raise ValueError(f"the spoken form names the group {name}, which it does not have")


def _trials(source: str) -> Iterator[str]:
    """Texts on which a badly written expression shows itself: long runs of what it speaks of, then a misfit."""
    letters = list(dict.fromkeys(re.sub(r"\\.", "", source)))
    runs = [c for c in letters if c.isalnum() or c in " -_.,:"][:12]
    for run in (*runs, "a", "A", "1", " ", "a ", "a1", "ab", "1.", "a,", "".join(runs[:6]) or "x"):
        yield run * (2000 // len(run)) + "\x00"
        yield run * 30 + "!"
    yield "The quick brown fox jumps over 13 lazy dogs, at 12:30 on the 5th. " * 20
