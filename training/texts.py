"""The texts that the teacher reads: ordinary sentences, single words in no order, and sentences of a home.

Sources: sentences of Debian's `fortunes` and package descriptions whose words are all in the word list (`wamerican`); random words of that
list, for how words are spelt; `training.home`. All go through the package's text front end, so that the model sees in training what it
will be given later: numbers as words, segments as they are cut.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from training.home import Home
from wyoming_pocket_tts.text.options import TextOptions, TextRules
from wyoming_pocket_tts.text.pipeline import TextPipeline
from wyoming_pocket_tts.text.prepare import prepare

WORD_LIST = Path("/usr/share/dict/american-english")
FORTUNES = Path("/usr/share/games/fortunes")
EVALUATION = Path(__file__).with_name("evaluation.txt")

# About what a token of the vocabulary stands for; only to cut texts as the server will, before there is a vocabulary.
_CHARACTERS_PER_TOKEN = 2.2
_LONGEST = 110
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_PLAIN = re.compile(r"[A-Z][A-Za-z ,.'!?;:-]+")
_GLUE = [
    "the",
    "a",
    "of",
    "and",
    "to",
    "in",
    "is",
    "was",
    "for",
    "on",
    "with",
    "that",
    "it",
    "as",
    "at",
    "by",
    "from",
    "this",
    "be",
    "or",
    "an",
    "are",
    "not",
    "but",
    "have",
    "they",
    "his",
    "her",
    "you",
    "we",
    "all",
    "will",
    "there",
    "if",
    "more",
    "when",
    "what",
    "so",
    "up",
    "out",
    "about",
    "who",
    "one",
    "can",
    "has",
    "had",
    "were",
    "been",
    "do",
    "no",
    "than",
    "my",
    "your",
    "into",
    "them",
    "its",
    "over",
    "some",
    "could",
    "time",
    "only",
    "other",
    "would",
    "first",
    "now",
    "then",
    "any",
    "these",
    "also",
    "how",
    "our",
    "two",
    "may",
    "after",
    "before",
    "must",
    "through",
]


def word_list() -> list[str]:
    """Plain lower-case words."""
    return [
        word
        for word in WORD_LIST.read_text(encoding="utf-8").split()
        if re.fullmatch(r"[a-z]{2,13}", word)
    ]


def ordinary_sentences(known: set[str]) -> list[str]:
    """Sentences whose words are all known, in a fixed order."""
    found: dict[str, None] = {}
    for passage in [*_fortunes(), *_descriptions()]:
        for sentence in _SENTENCE.split(" ".join(passage.split())):
            text = re.sub(r"\s*--+\s*", ", ", sentence.replace('"', "")).strip(" ,")
            if _is_ordinary(text, known):
                found[text] = None
    return list(found)


def segments(text: str) -> Iterator[str]:
    """What the tokenizer would be given of a text, segment by segment."""
    pipeline = TextPipeline(
        TextOptions(), lambda part: round(len(part) / _CHARACTERS_PER_TOKEN), "en"
    )
    for segment in pipeline.feed(text) + pipeline.flush():
        prepared = prepare(segment, TextRules())
        if prepared.text:
            yield prepared.text


def evaluation_sentences() -> list[str]:
    """The sentences of the evaluation, as an automation would write them."""
    return [line for line in EVALUATION.read_text(encoding="utf-8").splitlines() if line.strip()]


def make_texts(count: int, seed: int) -> list[str]:
    """`count` different segments, none of them of the evaluation."""
    rng = random.Random(seed)
    words = word_list()
    ordinary = ordinary_sentences({*words, "i", "a"})
    rng.shuffle(ordinary)
    home = Home(rng)
    seen = {_key(part) for sentence in evaluation_sentences() for part in segments(sentence)}
    texts: list[str] = []
    while len(texts) < count:
        for text in segments(_draw(rng, words, ordinary, home)):
            key = _key(text)
            if key not in seen and len(text) <= _LONGEST + 20:
                seen.add(key)
                texts.append(text)
    return texts[:count]


def _draw(rng: random.Random, words: list[str], ordinary: list[str], home: Home) -> str:
    kind = rng.random()
    if kind < 0.34 and ordinary:
        return ordinary.pop()
    if kind < 0.72:
        return home.sentence() if rng.random() < 0.9 else f"{home.sentence()} {home.sentence()}"
    return _random_words(rng, words)


def _random_words(rng: random.Random, words: list[str]) -> str:
    count = rng.randint(2, 11)
    drawn = [rng.choice(words) if rng.random() < 0.6 else rng.choice(_GLUE) for _ in range(count)]
    if count > 3 and rng.random() < 0.35:
        drawn[rng.randint(1, count - 3)] += rng.choice(",,,;:")
    text = " ".join(drawn)
    return text[0].upper() + text[1:] + rng.choice("....?!")


def _is_ordinary(text: str, known: set[str]) -> bool:
    if not (12 <= len(text) <= _LONGEST and _PLAIN.fullmatch(text)):
        return False
    words = re.findall(r"[a-z']+", text.lower())
    return len(words) >= 3 and all(
        word.split("'")[0] in known or not word.strip("'") for word in words
    )


def _fortunes() -> Iterator[str]:
    for path in sorted(FORTUNES.iterdir()):
        if not path.suffix and path.is_file():
            yield from path.read_text(encoding="utf-8", errors="ignore").split("\n%\n")


def _descriptions() -> Iterable[str]:
    """Long descriptions of Debian's packages, where apt has its lists."""
    listed = subprocess.run(
        ["apt-cache", "dumpavail"], capture_output=True, text=True, check=False
    ).stdout
    for match in re.finditer(r"^Description(?:-en)?: (.*(?:\n .*)*)", listed, re.MULTILINE):
        lines = match[1].split("\n")[1:]
        yield from " ".join(line.strip() for line in lines).split(" . ")


def _key(text: str) -> str:
    return re.sub(r"[^a-z]+", " ", text.lower()).strip()


def main() -> None:
    """Writes texts as JSON lines."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--count", type=int, default=24_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    texts = make_texts(arguments.count, arguments.seed)
    arguments.out.write_text(json.dumps(texts, indent=0), encoding="utf-8")
    print(len(texts), "texts,", sum(map(len, texts)) / len(texts), "characters each")


if __name__ == "__main__":
    main()
