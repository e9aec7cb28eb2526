"""The seam between protocol servers and the engine: a request in, PCM frames out.

Protocol servers (Wyoming, HTTP) know this class and the types of `speech`, and nothing below them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from collections.abc import AsyncGenerator, Callable, Sequence

from wyoming_pocket_tts.errors import (
    Busy,
    InternalError,
    InvalidRequest,
    PocketTTSError,
    VoiceNotFound,
)
from wyoming_pocket_tts.guests import Guests
from wyoming_pocket_tts.models.book import Voice, VoiceBook
from wyoming_pocket_tts.models.host import ModelHost, Speaker
from wyoming_pocket_tts.models.host_figures import HostFigures
from wyoming_pocket_tts.report import Report
from wyoming_pocket_tts.sound.chain import SoundChain
from wyoming_pocket_tts.sound.options import SoundChoice, SoundOptions
from wyoming_pocket_tts.speaking import Speech, SynthesizerLimits, check_length
from wyoming_pocket_tts.speech import AudioFormat, AudioFrame, SpeechRequest, VoiceInfo
from wyoming_pocket_tts.text.dictionary import Dictionary
from wyoming_pocket_tts.text.front_end import FrontEnd, spoken_language
from wyoming_pocket_tts.text.options import TextOptions, is_text_format

__all__ = [
    "AudioFormat",
    "AudioFrame",
    "SpeechRequest",
    "Synthesizer",
    "SynthesizerLimits",
    "VoiceInfo",
]

_LOGGER = logging.getLogger(__name__)


class Synthesizer:
    """Turns requests into speech, several at once."""

    def __init__(
        self,
        host: ModelHost,
        book: VoiceBook,
        text_options: TextOptions,
        limits: SynthesizerLimits,
        seed: int | None = None,
        sound_options: SoundOptions | None = None,
        dictionary: Dictionary | None = None,
    ) -> None:
        """Builds the synthesizer.

        Args:
            host: models and voice states.
            book: which voice a request means.
            text_options: how text becomes segments.
            limits: see there.
            seed: of requests that bring none; None draws one each time.
            sound_options: how speech sounds where neither voice nor request say otherwise.
            dictionary: how the owner wants words to be said.
        """
        self._host = host
        self._book = book
        self._text_options = text_options
        self._limits = limits
        self._seed = seed
        self._sound_options = sound_options or SoundOptions()
        self._dictionary = dictionary
        self._active = 0
        self._observers: list[Callable[[Report], None]] = []
        self.guests = Guests()

    @property
    def active(self) -> int:
        """Requests that speak or wait."""
        return self._active

    @property
    def figures(self) -> HostFigures:
        """What is in memory and at work."""
        return self._host.figures()

    def observe(self, observer: Callable[[Report], None]) -> None:
        """Has every request's report handed to `observer` when the request has ended; it must not block."""
        self._observers.append(observer)

    def use_book(self, book: VoiceBook) -> None:
        """Takes other voices from the next request on; requests that are being spoken keep theirs."""
        self._book = book
        self.forget_others()

    def forget_others(self) -> None:
        """Drops the states of voices that are neither in the book nor guests."""
        self._host.keep_only((*self._book.voices, *self.guests.voices))

    @property
    def default_voice(self) -> Voice | None:
        """The voice of requests that choose none; None while it is missing."""
        try:
            return self._book.default
        except VoiceNotFound:
            return None

    @property
    def wanted_voice(self) -> Voice | None:
        """The default voice as it was chosen, if it is here; another one may stand in for it."""
        return self._book.wanted

    def voices(self) -> Sequence[VoiceInfo]:
        """All voices, in a stable order."""
        return [
            VoiceInfo(
                name=voice.name,
                languages=voice.languages,
                description=voice.description,
                installed=voice.installed and not self._host.refused(voice),
                attribution_name=voice.attribution_name,
                attribution_url=voice.attribution_url,
            )
            for voice in self._book.voices
        ]

    def check(self, request: SpeechRequest) -> AudioFormat:
        """Says what the audio of a request will be, without making any.

        Raises:
            VoiceNotFound: unknown voice, language or speaker.
            TextTooLong: the text is over the limit.
            InvalidRequest: a speed or volume that cannot be had.
        """
        if isinstance(request.text, str):
            check_length(len(request.text), self._limits)
        _chosen_sound(request)
        return self._format(self._choose(request))

    async def generate_audio_stream(
        self, request: SpeechRequest
    ) -> AsyncGenerator[AudioFrame, None]:
        """Speaks a request, frame by frame as the model makes them.

        Leaving the iterator (`aclose`) ends the request: its slots are free before the engine's next step.

        Raises:
            VoiceNotFound, TextTooLong, NothingToSay, InvalidRequest: the request's fault.
            Busy, ModelUnavailable, InternalError: ours.
        """
        report = Report(request)
        try:
            voice = self._choose(request)
            report.voice = voice.name
            sound = _chosen_sound(request).over(voice.sound.over(self._sound_options))
            if self._active >= self._limits.max_requests:
                raise Busy(f"{self._active} requests are being served already; try again later.")
            self._active += 1
            try:
                async with self._host.use(voice) as speaker:
                    speech = Speech(
                        request,
                        speaker,
                        self._front_end(request, voice, speaker),
                        SoundChain(sound, speaker.model.sample_rate_hz),
                        self._limits,
                        self._seed,
                        report,
                    )
                    async with contextlib.aclosing(speech.frames()) as frames:
                        async for frame in frames:
                            yield frame
            finally:
                self._active -= 1
            report.outcome = "done"
        except PocketTTSError as error:
            report.outcome = error.code
            raise
        except Exception as error:
            report.outcome = InternalError.code
            _LOGGER.exception("A request failed", extra={"request": request.request_id})
            raise InternalError(
                "Speech could not be made; the server's log has the details."
            ) from error
        finally:
            report.end()
            report.log()
            for observer in self._observers:
                observer(report)

    def _front_end(self, request: SpeechRequest, voice: Voice, speaker: Speaker) -> FrontEnd:
        """Texts given whole and texts that arrive are cut alike: the same words are then the same sound."""
        options = self._text_options
        if request.text_format is not None and is_text_format(request.text_format):
            options = dataclasses.replace(options, text_format=request.text_format)
        elif request.text_format is not None:
            # Newer clients may know formats that we do not; being heard as plain text serves them better than silence.
            _LOGGER.debug(
                "Unknown text format %r is read as plain text",
                request.text_format[:100],
                extra={"request": request.request_id},
            )
        language = spoken_language(voice.languages, speaker.model.entry.language)
        dictionary = self._dictionary.lexicon(language) if self._dictionary else None
        return FrontEnd(options, speaker.model.rules, speaker.model.tokenizer, language, dictionary)

    def _choose(self, request: SpeechRequest) -> Voice:
        guest = self.guests.get(request.voice) if request.voice else None
        if guest is not None:
            return guest
        return self._book.choose(request.voice, request.language, request.speaker)

    def _format(self, voice: Voice) -> AudioFormat:
        return AudioFormat(self._host.entry(voice.model).config.mimi.sample_rate)


def _chosen_sound(request: SpeechRequest) -> SoundChoice:
    try:
        return SoundChoice(speed=request.speed, volume_db=request.volume_db)
    except ValueError as error:
        raise InvalidRequest(f"{error}.") from error
