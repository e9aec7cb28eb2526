"""A run of the add-on: told to the Supervisor, with what is wrong for all to see."""

from __future__ import annotations

import logging

from wyoming_pocket_tts import app, cli
from wyoming_pocket_tts.notices import Notices
from wyoming_pocket_tts.settings import Settings
from wyoming_pocket_tts.supervisor import SupervisorAnnouncer

_LOGGER = logging.getLogger(__name__)


class AddonRun:
    """Serves with one board of notices, however often it has to begin."""

    def __init__(self) -> None:
        self._notices = Notices()
        self._told = 0

    def tell(self, problem: str) -> None:
        """Has a problem stand in the log, in `describe` and on the page for the rest of the run."""
        _LOGGER.error("%s", problem)
        self._notices.put(f"problem {self._told}", problem)
        self._told += 1

    def serve(self, settings: Settings) -> int:
        """Serves until a signal ends it; see `app.serve`."""
        return app.serve(
            settings,
            self._notices,
            lambda settings, server: (
                None
                if server.port is None
                else SupervisorAnnouncer(cli.supervisor_token(), server.port)
            ),
        )
