"""Framing: whatever way the bytes are cut, the events are the same, and memory stays bounded."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wyoming_pocket_tts.errors import VoiceNotFound
from wyoming_pocket_tts.wyoming_server.events import (
    BadEvent,
    Event,
    EventParser,
    EventTooLarge,
    clean_text,
    encode_error,
    encode_event,
)

KNOWN = {"a", "b"}


def _parser(**limits: int) -> EventParser:
    sizes = {"max_header_bytes": 200, "max_data_bytes": 1000, "max_payload_bytes": 1000}
    return EventParser(KNOWN, **{**sizes, **limits})


def _drain(parser: EventParser) -> list[Event]:
    found = []
    while (event := parser.next_event()) is not None:
        found.append(event)
    return found


values = st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers(), max_size=3)
sent = st.lists(
    st.tuples(st.sampled_from(["a", "b", "unknown"]), values, st.binary(max_size=30)), max_size=5
)


@given(sent, st.lists(st.integers(0, 400), max_size=10))
def test_any_cut_gives_the_same_events(
    events: list[tuple[str, dict[str, object], bytes]], cuts: list[int]
) -> None:
    stream = b"".join(encode_event(*event) for event in events)
    parser, found, begin = _parser(), [], 0
    for end in [*sorted(cuts), len(stream)]:
        parser.feed(stream[begin:end])
        found += _drain(parser)
        begin = max(begin, end)
    assert found == [Event(kind, data) for kind, data, _ in events if kind in KNOWN]
    assert not parser.mid_event


@given(st.lists(st.binary(max_size=60), max_size=5))
def test_any_bytes_give_events_or_a_named_error(parts: list[bytes]) -> None:
    parser = _parser()
    with contextlib.suppress(BadEvent, EventTooLarge):
        for part in parts:
            parser.feed(part)
            _drain(parser)
            assert len(parser._buffer) <= 200


def test_data_of_the_header_and_data_behind_it_are_merged() -> None:
    parser = _parser()
    parser.feed(b'{"type": "a", "data": {"x": 1, "y": 1}, "data_length": 8}\n{"y": 2}')
    assert _drain(parser) == [Event("a", {"x": 1, "y": 2})]


def test_what_is_read_past_is_not_kept() -> None:
    parser = _parser(max_payload_bytes=10**9)
    parser.feed(b'{"type": "unknown", "payload_length": 100000000}\n')
    assert _drain(parser) == []
    for _ in range(100):
        parser.feed(bytes(100_000))
        assert _drain(parser) == []
        assert len(parser._buffer) == 0
    assert parser.mid_event


def test_lengths_at_and_over_their_limits() -> None:
    for key in ("data_length", "payload_length"):
        for kind in ("a", "unknown"):
            parser = _parser()
            parser.feed(json.dumps({"type": kind, key: 1000}).encode() + b"\n")
            parser.next_event()
            parser = _parser()
            parser.feed(json.dumps({"type": kind, key: 1001}).encode() + b"\n")
            with pytest.raises(EventTooLarge, match=key):
                parser.next_event()


def test_a_header_without_an_end_is_refused_as_soon_as_it_is_too_long() -> None:
    parser = _parser()
    parser.feed(b"x" * 200)
    assert parser.next_event() is None
    parser.feed(b"x")
    with pytest.raises(EventTooLarge, match="200"):
        parser.next_event()


def test_encoding_is_what_the_wyoming_package_writes() -> None:
    encoded = encode_event("a", {"text": "Grüße"}, b"\x01\x02")
    header, rest = encoded.split(b"\n", 1)
    body = '{"text": "Grüße"}'.encode()
    assert json.loads(header).items() >= {"type": "a", "data_length": len(body)}.items()
    assert json.loads(header)["payload_length"] == 2
    assert rest == body + b"\x01\x02"
    assert b"length" not in encode_event("a")


def test_error_events_are_of_bounded_length() -> None:
    encoded = encode_error(VoiceNotFound("x" * 100_000 + "\ud800"))
    assert len(encoded) < 2_000
    assert b"voice-not-found" in encoded


def test_clean_text() -> None:
    assert clean_text("Grüße 😀") == "Grüße 😀"
    assert clean_text("a\ud83d\ude00b\ud800c") == "a😀b\ufffdc"
