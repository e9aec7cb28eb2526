"""Cuts text that is over the token budget into balanced slices: at sentence and clause marks first, then between words.

The number of slices is the smallest that the budget allows (nearly: marks may ask for one more), their sizes are as equal as
the places to cut allow. A single word over the budget is cut by characters. Joined, the slices are the text.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass

from wyoming_pocket_tts.text.boundaries import CLAUSE_MARKS, CLOSERS
from wyoming_pocket_tts.text.options import TokenCounter

_WORD_AND_SPACE = re.compile(r"\s*\S+\s*")
_CLAUSE_END = re.compile(rf"[{CLAUSE_MARKS}][{CLOSERS}]*\s+\Z|[，、；：—]\Z|\s[–-]\s+\Z")
_WIDE_MARK = re.compile(r"(?<=[，、；：—])")
_NUMBER_END = re.compile(r"\d[^\w\s]*\s*\Z")
_NUMBER_START = re.compile(r"\s*[^\w\s]*\d")

# What a cut costs, in squared tokens: a slice may be so much (as a root) off its fair size to end at a better place.
_CUT_AT_SENTENCE = 0.0
_CUT_AT_CLAUSE = 9.0
_CUT_AT_WORD = 600.0
_CUT_IN_NUMBER = 2400.0


@dataclass
class _Atom:
    """A slice that is not cut: a word with its spaces, or part of a word over the budget."""

    text: str
    tokens: int
    cost: float  # of a cut after it
    ends_sentence: bool = False


@dataclass(frozen=True)
class Slice:
    """A slice within the budget.

    Attributes:
        text: what was cut out.
        tokens: its tokens.
        ends_sentence: whether it ends where one of the given sentences ends.
    """

    text: str
    tokens: int
    ends_sentence: bool


def split_balanced(
    sentences: list[tuple[str, bool]], max_tokens: int, count_tokens: TokenCounter
) -> list[Slice]:
    """Cuts the sentences, one after the other, into slices of up to `max_tokens`.

    Args:
        sentences: slices of the text, each with whether a sentence ends with it.
        max_tokens: the budget.
        count_tokens: the tokenizer's count.

    Returns:
        The slices; a slice is over the budget only where a single character is.
    """
    return _split(_atoms(sentences, max_tokens, count_tokens), max_tokens, max_tokens, count_tokens)


def _split(
    atoms: list[_Atom], budget: int, max_tokens: int, count_tokens: TokenCounter
) -> list[Slice]:
    slices: list[Slice] = []
    for group in _partition(atoms, budget):
        text = "".join(atom.text for atom in group)
        tokens = count_tokens(text.strip())
        if tokens > max_tokens and len(group) > 1:
            # The tokens of a text can be more than those of its words: aim lower, or halve it.
            total = sum(atom.tokens for atom in group)
            lower = total * max_tokens // tokens
            if 0 < lower < min(budget, total):
                slices += _split(group, lower, max_tokens, count_tokens)
            else:
                half = len(group) // 2
                slices += _split(group[:half], budget, max_tokens, count_tokens)
                slices += _split(group[half:], budget, max_tokens, count_tokens)
        else:
            slices.append(Slice(text, tokens, group[-1].ends_sentence))
    return slices


def _atoms(
    sentences: list[tuple[str, bool]], max_tokens: int, count_tokens: TokenCounter
) -> list[_Atom]:
    known: dict[str, int] = {}

    def count(text: str) -> int:
        tokens = known.get(text)
        if tokens is None:
            tokens = known[text] = count_tokens(text)
        return tokens

    atoms: list[_Atom] = []
    for sentence, ends in sentences:
        words = _WORD_AND_SPACE.findall(sentence) or [sentence]
        for word in words:
            tokens = count(word.strip())
            parts = [word] if tokens <= max_tokens else _parts(word, max_tokens, count_tokens)
            for part in parts:
                clause = _CLAUSE_END.search(part) is not None
                cost = _CUT_AT_CLAUSE if clause else _CUT_AT_WORD
                if part is not parts[-1] and not clause:
                    cost = _CUT_IN_NUMBER
                size = tokens if len(parts) == 1 else count(part.strip())
                atoms.append(_Atom(part, size, cost))
        if atoms and ends:
            atoms[-1].ends_sentence = True
            atoms[-1].cost = _CUT_AT_SENTENCE
    for atom, following in itertools.pairwise(atoms):
        if (not atom.ends_sentence and _NUMBER_END.search(atom.text)) or (
            atom.cost >= _CUT_AT_WORD and _NUMBER_START.match(following.text)
        ):
            atom.cost = max(atom.cost, _CUT_IN_NUMBER)
    return atoms


def _parts(word: str, max_tokens: int, count_tokens: TokenCounter) -> list[str]:
    """A word over the budget in parts within it: at wide clause marks, else by characters, about equal."""
    pieces = [piece for piece in _WIDE_MARK.split(word) if piece]
    if len(pieces) > 1:
        parts = []
        for piece in pieces:
            parts += _parts(piece, max_tokens, count_tokens)
        return parts
    tokens = count_tokens(word.strip())
    if tokens <= max_tokens or len(word) < 2:
        return [word]
    number = min(len(word), math.ceil(tokens / max_tokens))
    edges = [round(i * len(word) / number) for i in range(number + 1)]
    parts = []
    for begin, end in itertools.pairwise(edges):
        parts += _parts(word[begin:end], max_tokens, count_tokens)
    return parts


def _partition(atoms: list[_Atom], budget: int) -> list[list[_Atom]]:
    """The cheapest partition into consecutive groups within the budget.

    Cheapest: squared distance of each group from the fair size plus what its cut costs. Dynamic programming over the atoms of
    one sentence, whose number the length limit bounds.
    """
    sizes = [0]
    for atom in atoms:
        sizes.append(sizes[-1] + atom.tokens)
    total = sizes[-1]
    fair = total / max(1, math.ceil(total / budget))
    best = [0.0] + [math.inf] * len(atoms)
    before = [0] * (len(atoms) + 1)
    for end in range(1, len(atoms) + 1):
        cheapest, chosen = math.inf, 0
        reach = sizes[end]
        for begin in range(end - 1, -1, -1):
            size = reach - sizes[begin]
            if size > budget and begin < end - 1:
                break
            off = size - fair
            cost = best[begin] + off * off
            if cost < cheapest:
                cheapest, chosen = cost, begin
        # What the cut itself costs is the same for all of them.
        best[end] = cheapest + (0.0 if end == len(atoms) else atoms[end - 1].cost)
        before[end] = chosen
    groups: list[list[_Atom]] = []
    end = len(atoms)
    while end:
        groups.append(atoms[before[end] : end])
        end = before[end]
    return groups[::-1]
