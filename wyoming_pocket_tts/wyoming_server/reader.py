"""Reading on one connection: bytes become events, a few at a time, and an event that never ends is given up.

Knows the link, but not what the events mean.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection

from wyoming_pocket_tts.errors import InternalError, PocketTTSError
from wyoming_pocket_tts.wyoming_server.events import ClientTimeout, Event, EventParser
from wyoming_pocket_tts.wyoming_server.link import Link
from wyoming_pocket_tts.wyoming_server.options import WyomingOptions

_log = logging.getLogger(__name__)

# Events handled before other connections get their turn.
_EVENTS_PER_TURN = 32


class EventReader:
    """Hands events to `handle` as they arrive.

    Args:
        link: paused while the client leaves our replies unread.
        known: event types to hand on; others are read past.
        options: limits.
        handle: takes an event; what it raises fails the connection.
        failed: called with the error that ends the connection.
    """

    def __init__(
        self,
        link: Link,
        known: Collection[str],
        options: WyomingOptions,
        *,
        handle: Callable[[Event], None],
        failed: Callable[[PocketTTSError], None],
    ) -> None:
        self.closed = False
        self._link = link
        self._incomplete_event_s = options.incomplete_event_s
        # The link tells that it has drained only after it was over its own limit.
        self._most_unsent_bytes = max(options.reply_backlog_bytes, options.write_buffer_bytes)
        self._handle = handle
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self._parser = EventParser(
            known,
            max_header_bytes=options.max_header_bytes,
            max_data_bytes=options.max_data_bytes,
            max_payload_bytes=options.max_payload_bytes,
        )
        self._timer: asyncio.TimerHandle | None = None
        self._timed_event = -1

    @property
    def mid_event(self) -> bool:
        """Whether an event has begun that has not ended."""
        return self._parser.mid_event

    def feed(self, data: bytes) -> None:
        """Takes received bytes; none, once closed."""
        if not self.closed:
            self._parser.feed(data)
            self.read()

    def close(self) -> None:
        """No event is handled from now on."""
        self.closed = True
        self._parser.clear()
        self._time_event()

    def read(self) -> None:
        """Handles what has arrived: a few events, so that nobody else waits long; none while our replies pile up unread."""
        for _ in range(_EVENTS_PER_TURN):
            if self._link.unsent_bytes > self._most_unsent_bytes:
                self._link.pause_reading()  # until the link has drained
                return
            if self.closed or not self._read_one():
                self._link.resume_reading()
                self._time_event()
                return
        self._link.pause_reading()
        self._loop.call_soon(self.read)

    def _read_one(self) -> bool:
        try:
            event = self._parser.next_event()
            if event is not None:
                self._handle(event)
        except PocketTTSError as error:
            self._failed(error)
        except Exception as error:
            _log.warning("An event failed (%s): %s", self._link.peer, type(error).__name__)
            _log.debug("Details", exc_info=error)
            self._failed(InternalError("The server failed to handle an event. Its log says more."))
        else:
            return event is not None
        return False

    def _time_event(self) -> None:
        """Gives an event that has begun a time to be complete; a byte now and then does not extend it."""
        mid_event = self._parser.mid_event
        if self._timer is not None and (
            not mid_event or self._parser.events_read != self._timed_event
        ):
            self._timer.cancel()
            self._timer = None
        if self._timer is None and mid_event:
            self._timed_event = self._parser.events_read
            self._timer = self._loop.call_later(
                self._incomplete_event_s,
                self._failed,
                ClientTimeout("An event was begun and not completed in time."),
            )
