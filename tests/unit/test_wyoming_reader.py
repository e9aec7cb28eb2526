"""Turn-taking of the reader: a flood of events neither holds up others nor fills memory."""

from __future__ import annotations

import asyncio

from wyoming_pocket_tts.errors import PocketTTSError
from wyoming_pocket_tts.wyoming_server.events import Event
from wyoming_pocket_tts.wyoming_server.options import WyomingOptions
from wyoming_pocket_tts.wyoming_server.reader import EventReader


class FakeLink:
    def __init__(self) -> None:
        self.peer = "test"
        self.unsent_bytes = 0
        self.reading = True

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


def _reader(link: FakeLink) -> tuple[EventReader, list[Event], list[PocketTTSError]]:
    events: list[Event] = []
    errors: list[PocketTTSError] = []
    reader = EventReader(
        link,  # type: ignore[arg-type]
        {"ping"},
        WyomingOptions(incomplete_event_s=0.05),
        handle=events.append,
        failed=errors.append,
    )
    return reader, events, errors


async def test_a_flood_is_handled_in_turns() -> None:
    link = FakeLink()
    reader, events, _ = _reader(link)
    reader.feed(b'{"type": "ping"}\n' * 1000)
    assert 0 < len(events) < 100
    assert not link.reading
    for _ in range(100):
        await asyncio.sleep(0)
    assert len(events) == 1000
    assert link.reading


async def test_nothing_is_handled_while_replies_pile_up() -> None:
    link = FakeLink()
    reader, events, _ = _reader(link)
    link.unsent_bytes = 10**6
    reader.feed(b'{"type": "ping"}\n')
    assert not events
    assert not link.reading
    link.unsent_bytes = 0
    reader.read()
    assert len(events) == 1
    assert link.reading


async def test_a_closed_reader_keeps_nothing() -> None:
    reader, events, errors = _reader(FakeLink())
    reader.feed(b'{"type": "pi')
    assert reader.mid_event
    reader.close()
    assert not reader.mid_event
    reader.feed(b'{"type": "ping"}\n')
    await asyncio.sleep(0.1)
    assert (events, errors) == ([], [])


async def test_the_time_of_an_event_runs_from_its_first_byte() -> None:
    reader, events, errors = _reader(FakeLink())
    for byte in b'{"type": "ping"}':
        reader.feed(bytes([byte]))
        await asyncio.sleep(0.01)
    assert events == []
    assert [error.code for error in errors][:1] == ["timeout"]
