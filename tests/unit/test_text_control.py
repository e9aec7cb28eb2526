"""Terminals' control sequences: none of their letters is spoken, whatever the pieces in which they arrive."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.test_text_steps import run, said
from wyoming_pocket_tts.text.control import ControlSequences


def stripped(*pieces: str) -> str:
    control = ControlSequences()
    return "".join(control.feed(piece) for piece in pieces) + control.flush()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m and \x1b[1;38;5;200mbold\x1b[m", "red and bold"),
        ("\x9bquoted\x8b", "\x9bquoted\x8b"),
        ("\x1b[2J\x1b[10;20Hhome\x1b[?25l\x1b[>4;2m", "home"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;https://example.org\x1b\\a link\x1b]8;;\x1b\\ here", "a link here"),
        ("\x1bPq#0;2\x1b\\text", "text"),
        ("\x1b(Btext\x1b7\x1b8\x1bc", "text"),
        ("text\x1b", "text"),
        ("text\x1b[31", "text31"),
        ("\x1b[\u00e9", "\u00e9"),
        ("\x1b]0;never ended", "0;never ended"),
        ("\x1b\x1b[31mred", "red"),
        ("[31m is text", "[31m is text"),
    ],
)
def test_sequences_go(text: str, expected: str) -> None:
    assert stripped(text) == expected
    assert stripped(*text) == expected


_PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *("\x1b", "\x1b[", "\x9b", "31", ";", "m", "\x1b]", "\x90", "\x07", "\\", "\x9c"),
                *("?", " ", "0;title", "word", "\n", "\x1b[0m", "\x1b\\", "x" * 501),
            ]
        ),
        st.text(max_size=3),
    ),
    max_size=12,
)


@settings(max_examples=300, deadline=None)
@given(_PIECES)
def test_pieces_make_no_difference(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert stripped(*pieces) == stripped(text) == stripped(*text)
    assert "\x1b" not in stripped(text)


def test_what_is_said() -> None:
    assert said("\x1b[31mThe door is open.\x1b[0m It is late.") == "The door is open. It is late."
    assert said("\x1b]0;build\x07**Done** \x1b[32mat last\x1b[0m.") == "Done at last."
    # A bracket of theirs opens no link, and holds nothing back.
    assert [one.text.strip() for one in run("\x1b[1mOne.\x1b[0m Two.")] == ["One. Two."]
    assert "[31m" in said("\x1b[31mred", characters=False)
