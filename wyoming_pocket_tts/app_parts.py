"""What the app needs of its parts: the models, the servers, the announcement. Each is built elsewhere, and may be another in a test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class SpeechParts(Protocol):
    """The models and the synthesizer over them."""

    synthesizer: Any

    @property
    def desk(self) -> Any:
        """Who takes recordings in, known after `load`."""

    @property
    def model_names(self) -> Sequence[str]:
        """The models that may be used, known after `load`."""

    async def load(self) -> None:
        """Loads and warms what is to be there before the first request."""

    async def close(self) -> None:
        """Ends the engines."""


class Server(Protocol):
    """A protocol server."""

    addresses: list[str]
    port: int | None

    async def start(self, uri: str) -> None:
        """Listens at a URI; returns once it can be reached."""

    async def wait_closed(self) -> None:
        """Returns when there is nothing left to serve, as when standard input has ended."""

    async def stop(self, grace_s: float = ...) -> None:
        """Takes nothing new; what is being said may go on for `grace_s` seconds."""


class WebServer(Protocol):
    """The HTTP server, which is there before there is speech."""

    addresses: list[str]

    async def start(self, host: str, port: int) -> None:
        """Listens; requests for speech are told to wait until `speak_with`."""

    def speak_with(self, source: Any, desk: Any = None, models: Sequence[str] = ()) -> None:
        """There is speech from now on."""

    async def stop(self, grace_s: float = ...) -> None:
        """Takes nothing new; what is being said may go on for `grace_s` seconds."""


class Announcer(Protocol):
    """Who tells the network."""

    async def start(self) -> None:
        """Tells the network that the server is there, and keeps telling it."""

    async def stop(self) -> None:
        """Says goodbye to the network."""
