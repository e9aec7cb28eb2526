"""`serve --reload`, for those who work on this program: the server in a process of its own, started anew whenever a file has changed.

The one who watches imports none of what it watches again, so a file that cannot be run for the moment ends the server and not the watching.
It knows files and a command, nothing of servers.
"""

from __future__ import annotations

import logging
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

_LOGGER = logging.getLogger(__name__)

_EVERY_S = 0.5
# What the server gets to end in order; its own limit is below.
_END_S = 15.0

Seen = dict[Path, tuple[int, int]]


class Watch:
    """Files, and what they were like when they were last looked at."""

    def __init__(self, folder: Path, files: Sequence[Path] = ()) -> None:
        """
        Args:
            folder: all *.py in it and below.
            files: others, which need not be there.
        """
        self._folder = folder
        self._files = tuple(files)
        self._seen = self._look()

    def changed(self) -> list[Path]:
        """What has been written, added or removed since the last call, or since the beginning."""
        before, self._seen = self._seen, self._look()
        paths = {**before, **self._seen}
        return [path for path in paths if before.get(path) != self._seen.get(path)]

    def _look(self) -> Seen:
        seen: Seen = {}
        for path in (*self._folder.rglob("*.py"), *self._files):
            try:
                stat = path.stat()
            except OSError:
                continue
            seen[path] = (stat.st_mtime_ns, stat.st_size)
        return seen


class Reloader:
    """Runs a command until a signal ends it, and again after every change."""

    def __init__(self, command: Sequence[str], watch: Watch, every_s: float = _EVERY_S) -> None:
        """
        Args:
            command: ends in order by SIGTERM.
            watch: tells of changes.
            every_s: how often it is asked.
        """
        self._command = list(command)
        self._watch = watch
        self._every_s = every_s
        self._asked = False

    def run(self) -> int:
        """Until SIGTERM or SIGINT; gives the exit code of the command's last run."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        process = self._start()
        told = False
        while not self._asked:
            time.sleep(self._every_s)
            changed = self._watch.changed()
            if changed:
                _LOGGER.warning("%s has changed: starting anew", changed[0])
                self._end(process)
                if not self._asked:
                    process, told = self._start(), False
            elif process.poll() is not None and not told:
                told = True
                _LOGGER.warning(
                    "Ended with exit code %d; the next change starts it again", process.returncode
                )
        return self._end(process)

    def _start(self) -> subprocess.Popen[bytes]:
        # A session of its own, so that Ctrl-C reaches it once, from here: twice would have it leave at once.
        return subprocess.Popen(self._command, start_new_session=True)

    def _end(self, process: subprocess.Popen[bytes]) -> int:
        process.terminate()
        try:
            return process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def _stop(self, *_: object) -> None:
        self._asked = True
