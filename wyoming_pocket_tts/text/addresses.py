"""URLs, domains and e-mail addresses as a person would read them out.

The scheme and "www." are not said; of a long address only the host is. Country domains are spelled unless people say them as a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class _Words:
    dot: str
    at: str
    slash: str
    dash: str
    underscore: str
    port: str
    said: frozenset[str] = frozenset()  # country domains said as a word


_WORDS = {
    "en": _Words("dot", "at", "slash", "dash", "underscore", "port", frozenset({"me", "be", "it"})),
    "fr": _Words("point", "arobase", "slash", "tiret", "tiret bas", "port", frozenset({"eu"})),
    "de": _Words("Punkt", "at", "Schrägstrich", "Bindestrich", "Unterstrich", "Port"),
    "es": _Words("punto", "arroba", "barra", "guion", "guion bajo", "puerto", frozenset({"es"})),
    "it": _Words(
        "punto", "chiocciola", "barra", "trattino", "trattino basso", "porta", frozenset({"it"})
    ),
    "pt": _Words("ponto", "arroba", "barra", "hífen", "underscore", "porta"),
    "nl": _Words("punt", "apenstaartje", "slash", "streepje", "underscore", "poort"),
}

# Endings that make a bare "word.word" an address. Those that are also file endings or words after a missing space
# ("md", "py", "is", "so", "no", "to") count only behind a scheme.
_ENDINGS = "|".join(
    [
        "com",
        "org",
        "net",
        "edu",
        "gov",
        "info",
        "biz",
        "app",
        "dev",
        "io",
        "ai",
        "tv",
        "cloud",
        "online",
        "shop",
        "tech",
        "blog",
        "news",
        "wiki",
        "local",
        "lan",
        "home",
        "de",
        "fr",
        "es",
        "it",
        "pt",
        "nl",
        "uk",
        "eu",
        "ch",
        "at",
        "be",
        "us",
        "ca",
        "au",
        "nz",
        "ie",
        "lu",
        "pl",
        "se",
        "dk",
        "fi",
        "cz",
        "jp",
        "cn",
        "in",
        "br",
        "mx",
    ]
)

_TAIL = r"(?:/[^\s<>\"'`|\\^{}]*)?"
_URL = re.compile(
    r"(?<![\w@])(?:(?:https?|ftp)://(?:[^\s/@<>\"']+@)?|www\.)"
    r"(?P<host>[^\s/:?#<>\"'`|\\^{}()\[\],;!]+)(?P<port>:\d{1,5})?(?P<tail>[/?#][^\s<>\"'`|\\^{}]*)?",
    re.IGNORECASE,
)
_DOMAIN = re.compile(
    rf"(?<![\w@./:-])(?P<host>[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)*\.(?:{_ENDINGS}))"
    rf"(?P<port>:\d{{1,5}})?(?P<tail>{_TAIL})(?![\w@-]|\.\w)",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"(?<![\w.+-])([\w.+-]{1,64})@([\w-]+(?:\.[\w-]+)+)(?![\w@])")
_TRAILING = re.compile(r"[.,;:!?)\]'»*_~]+\Z")
_IP = re.compile(r"\d+(?:\.\d+){3}\Z")

_TAIL_MOST_CHARACTERS = 30


def speak_addresses(text: str, language: str) -> str:
    """The text with its addresses read out in the words of the language (English ones where none are known)."""
    words = _WORDS.get(language) or _WORDS["en"]
    if "@" in text:
        text = _EMAIL.sub(lambda m: _email(m, words), text)
    if "://" in text or "www." in text.lower():
        text = _URL.sub(lambda m: _address(m, words), text)
    if "." in text:
        text = _DOMAIN.sub(lambda m: _domain(m, words), text)
    return text


def _email(match: re.Match[str], words: _Words) -> str:
    return f"{_parts(match.group(1), words)} {words.at} {_host(match.group(2), words)}"


def _address(match: re.Match[str], words: _Words) -> str:
    whole = match.group()
    trailing = _TRAILING.search(whole)
    kept = trailing.group() if trailing else ""
    host, port, tail = match.group("host"), match.group("port") or "", match.group("tail") or ""
    if tail:
        tail = _TRAILING.sub("", tail)
    elif not port:
        host = _TRAILING.sub("", host)
    if not host:
        return whole
    host = host[4:] if host.lower().startswith("www.") else host
    spoken = _host(host, words)
    if port:
        spoken += f" {words.port} {' '.join(port[1:])}"
    path = tail.strip("/")
    if path and len(path) <= _TAIL_MOST_CHARACTERS and re.fullmatch(r"[\w./-]+", path):
        spoken += f" {words.slash} {_parts(path, words)}"
    return spoken + kept


def _domain(match: re.Match[str], words: _Words) -> str:
    host = match.group("host")
    # "there.It" is a missing space, "U.S" an abbreviation.
    ending = host.rpartition(".")[2]
    if ending != ending.lower() or not re.search(r"[a-z\d]{2}", host.rpartition(".")[0]):
        return match.group()
    return _address(match, words)


def _host(host: str, words: _Words) -> str:
    if _IP.match(host):
        return host
    *names, ending = host.split(".")
    if len(ending) == 2 and ending.isalpha() and ending.lower() not in words.said:
        ending = " ".join(ending.upper())
    labels = [_parts(name, words) for name in names if name]
    return f" {words.dot} ".join([*labels, ending])


def _parts(text: str, words: _Words) -> str:
    for mark, word in (
        (".", words.dot),
        ("/", words.slash),
        ("-", words.dash),
        ("_", words.underscore),
        ("+", "plus"),
    ):
        text = text.replace(mark, f" {word} ")
    return " ".join(text.split())
