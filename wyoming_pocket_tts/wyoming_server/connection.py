"""One client: its events, and the state machine of plain and streamed requests.

Events are handled as they arrive and never wait for speech, which is the responder's. Where the protocol leaves streams open:

- `synthesize` inside a stream is for servers that cannot stream: it is ignored, unless no chunk with text came before.
- `synthesize-start` inside a stream, and the end of the client's sending, end the stream as its stop would.
- `synthesize-chunk` without a start begins a stream with the default voice.
- `synthesize-stop` after the end of a stream is ignored; where there never was a stream it is an error.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from wyoming_pocket_tts.errors import Busy, PocketTTSError, TextTooLong
from wyoming_pocket_tts.wyoming_server.events import (
    BadEvent,
    ClientTimeout,
    Event,
    ProgramNotFound,
    ShuttingDown,
    UnexpectedEvent,
    encode_error,
    encode_event,
)
from wyoming_pocket_tts.wyoming_server.link import Link
from wyoming_pocket_tts.wyoming_server.options import WyomingOptions
from wyoming_pocket_tts.wyoming_server.reader import EventReader
from wyoming_pocket_tts.wyoming_server.request import (
    Job,
    plain_job,
    streamed_job,
    string_field,
    text_field,
)
from wyoming_pocket_tts.wyoming_server.responder import Responder, SpeechSource

_log = logging.getLogger(__name__)


class Connection:
    """The state machine of one connection. It ends by itself, on every path.

    Args:
        synthesizer: who speaks.
        info: gives the encoded `info` event.
        options: limits.
        name: the prefix of the request ids.
        opened: called with the connection once it can be written to.
        ended: called once, when the connection is closed.
    """

    def __init__(
        self,
        synthesizer: SpeechSource,
        info: Callable[[], bytes],
        options: WyomingOptions,
        name: str,
        *,
        opened: Callable[[Connection], None],
        ended: Callable[[Connection], None],
    ) -> None:
        self.link = Link(self, options)
        self.may_speak = True
        self.last_active_s = 0.0
        self._info = info
        self._options = options
        self._name = name
        self._opened = opened
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self._responder = Responder(
            synthesizer, self.link, options, failed=self.fail, idle=self._finish_if_done
        )
        self._reader = EventReader(
            self.link, _HANDLERS, options, handle=self._handle, failed=self.fail
        )
        self._open: Job | None = None
        self._had_stream = False
        self._requests = 0
        self._stopping = False
        self._text_timer: asyncio.TimerHandle | None = None

    # For the server.

    @property
    def idle(self) -> bool:
        """Whether nothing would be lost with this connection."""
        return not (self._responder.busy or self._open or self._reader.mid_event)

    def stop_when_done(self) -> None:
        """Takes no more requests; ends once what was asked has been spoken."""
        self._stopping = True
        self._finish_if_done()

    def fail(self, error: PocketTTSError, linger_s: float | None = None) -> None:
        """Answers with `error` and ends the connection.

        Before audio that is a clean end. In mid-audio it is a reset, after a moment in which the client can read the error:
        some clients ignore errors, and would take (and cache) a clean end for the whole audio.
        """
        if self.link.finishing or self.link.lost:
            return
        _log.debug("%s ends with %s: %s", self.link.peer, error.code, error)
        self.link.write(encode_error(error))
        mid_audio = self._responder.mid_audio
        self._shut()
        if mid_audio:
            self.link.finish_with_reset(
                self._options.error_linger_s if linger_s is None else linger_s
            )
        else:
            self.link.finish()

    async def wait(self) -> None:
        """Returns when nothing of this connection runs any more. Call it once the connection has ended."""
        await self._responder.wait()

    # For the link.

    def link_opened(self) -> None:
        """The client is connected."""
        self.last_active_s = self._loop.time()
        self._opened(self)

    def link_data(self, data: bytes) -> None:
        """Bytes have come."""
        self._reader.feed(data)

    def link_drained(self) -> None:
        """The client has taken audio: there is room to answer, and so to read, again."""
        self._reader.read()

    def link_eof(self) -> None:
        """The client sends no more; what it has asked for is still spoken."""
        self._reader.close()
        self._end_stream()
        self._responder.probe()
        self._finish_if_done()

    def link_lost(self) -> None:
        """The client is gone, and all that it held goes too."""
        self._shut()
        self._ended(self)

    # Events.

    def _handle(self, event: Event) -> None:
        self.last_active_s = self._loop.time()
        _HANDLERS[event.type](self, event)

    def _describe(self, event: Event) -> None:
        self.link.write(self._info())

    def _ping(self, event: Event) -> None:
        self.link.write(encode_event("pong", {"text": string_field(event.data, "text", "ping")}))

    def _select_program(self, event: Event) -> None:
        name = string_field(event.data, "name", event.type)
        if name is None:
            raise BadEvent("select-program needs a 'name'.")
        if name != self._options.program:
            raise ProgramNotFound(
                f"There is no program {name[:100]!r} here, only {self._options.program!r}."
            )

    def _synthesize(self, event: Event) -> None:
        if self._open is None:
            job = plain_job(event, self._next_id())
            if len(job.request.text) > self._options.max_text_characters:  # type: ignore[arg-type]
                job.error = self._too_long()
            self._queue(job)
        elif self._open.feed is not None and not self._open.feed.characters:
            self._push(self._open, text_field(event))

    def _synthesize_start(self, event: Event) -> None:
        job = streamed_job(event, self._next_id())
        self._end_stream()
        self._had_stream = True
        if self._queue(job):
            self._open = job
            self._time_text()

    def _synthesize_chunk(self, event: Event) -> None:
        text = text_field(event)
        if self._open is None:
            self._synthesize_start(Event("synthesize-start"))
        if self._open is not None:
            self._push(self._open, text)

    def _synthesize_stop(self, event: Event) -> None:
        if self._open is None and not self._had_stream:
            raise UnexpectedEvent("synthesize-stop came without a synthesize-start.")
        self._end_stream()

    # Requests.

    def _queue(self, job: Job) -> bool:
        """Puts a request in the queue. False: the queue ends with its refusal, and nothing more is read."""
        if self._stopping:
            job.error = ShuttingDown("The server is shutting down.")
        elif not self.may_speak:
            job.error = Busy(
                f"The server has its {self._options.max_connections} connections; try again later."
            )
        elif self._responder.waiting >= self._options.max_pending_requests:
            job.error = Busy(
                f"{self._responder.waiting} requests of this connection are waiting already."
            )
        self._responder.add(job)
        if job.error is not None:
            self._reader.close()
        return job.error is None

    def _push(self, job: Job, text: str) -> None:
        assert job.feed is not None
        job.feed.push(text)
        self._time_text()
        if job.feed.characters > self._options.max_text_characters:
            self._fail_in_turn(job, self._too_long())

    def _fail_in_turn(self, job: Job, error: PocketTTSError) -> None:
        """Fails a request: now, if it is being spoken, else when those before it have been spoken."""
        if job is self._responder.current:
            self.fail(error)
        else:
            job.error = error
            self._end_reading()

    def _end_reading(self) -> None:
        """Takes no more events; what is queued is still answered."""
        self._reader.close()
        self._end_stream()
        self._finish_if_done()

    def _end_stream(self) -> None:
        if self._open is not None and self._open.feed is not None:
            self._open.feed.end()
        self._open = None
        if self._text_timer is not None:
            self._text_timer.cancel()

    def _time_text(self) -> None:
        if self._text_timer is not None:
            self._text_timer.cancel()
        self._text_timer = self._loop.call_later(
            self._options.idle_between_text_s, self._text_timed_out
        )

    def _text_timed_out(self) -> None:
        """No more text: what there is will be spoken, and then the request fails, for its text is not known to be whole."""
        if self._open is not None and self._open.feed is not None:
            waited_s = self._options.idle_between_text_s
            self._open.feed.end(ClientTimeout(f"No text came for {waited_s:g} s; giving up."))
            self._end_reading()

    def _too_long(self) -> TextTooLong:
        most = self._options.max_text_characters
        return TextTooLong(f"The text is over {most} characters; send it in several requests.")

    def _next_id(self) -> str:
        self._requests += 1
        return f"{self._name}.{self._requests}"

    # Ending.

    def _finish_if_done(self) -> None:
        self.last_active_s = self._loop.time()
        if (self._reader.closed or self._stopping) and not self._responder.busy:
            self.link.finish()

    def _shut(self) -> None:
        """Drops all work and all that was read."""
        self._reader.close()
        self._end_stream()
        self._responder.cancel()


_HANDLERS: dict[str, Callable[[Connection, Event], None]] = {
    "describe": Connection._describe,
    "ping": Connection._ping,
    "select-program": Connection._select_program,
    "synthesize": Connection._synthesize,
    "synthesize-start": Connection._synthesize_start,
    "synthesize-chunk": Connection._synthesize_chunk,
    "synthesize-stop": Connection._synthesize_stop,
}
