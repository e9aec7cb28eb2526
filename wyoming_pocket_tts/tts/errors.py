"""Errors of the library that are also the built-in ones which `pocket-tts` raises in their place.

So both `except VoiceNotFound` and an older script's `except FileNotFoundError` catch them.
"""

from __future__ import annotations

from wyoming_pocket_tts.errors import (
    AudioPromptError,
    DownloadError,
    InternalError,
    InvalidRequest,
    ModelUnavailable,
    NothingToSay,
    VoiceNotFound,
    VoiceStateError,
)


class EmptyText(NothingToSay, ValueError):
    """The text holds nothing that can be spoken."""


class WrongArgument(InvalidRequest, ValueError):
    """An argument has a value that makes no sense, or does not go with another one."""


class PromptNotFound(VoiceNotFound, FileNotFoundError):
    """Neither a file nor a voice of that name."""


class PromptRefused(AudioPromptError, ValueError):
    """The recording, or the samples, cannot serve as a voice."""


class NoVoiceCloning(DownloadError, ValueError):
    """The full weights, which make a voice of a recording, are not to be had."""


class WrongState(VoiceStateError, ValueError):
    """The voice was made for another model."""


class ModelClosed(ModelUnavailable, RuntimeError):
    """The model has been closed."""


class SpeechFailed(InternalError, RuntimeError):
    """The engine failed."""
