"""Asks a Wyoming server whether it answers, for a container's HEALTHCHECK: `python -m wyoming_pocket_tts.healthcheck [URI]`.

Standard library alone, and nothing else of this package: it runs every minute on small machines. `--speak TEXT` also has the server speak, and counts
the audio; `--wait SECONDS` keeps trying that long, `--timeout SECONDS` is for each answer. Exit code 0 when all is well, 1 with a line that says what is not.
"""

from __future__ import annotations

import argparse
import io
import json
import socket
import sys
import time
from typing import Any

DEFAULT_URI = "tcp://127.0.0.1:10200"
_TIMEOUT_S = 8.0
_AGAIN_S = 0.5


def main(arguments: list[str] | None = None) -> int:
    """Asks, again and again until `--wait` is over, and prints one line: what was heard, or what is not well.

    Args:
        arguments: without the program's name; the process's own when None.

    Returns:
        The exit code: 0 or 1.
    """
    parser = argparse.ArgumentParser(prog="wyoming_pocket_tts.healthcheck", description=__doc__)
    parser.add_argument("uri", nargs="?", default=DEFAULT_URI)
    parser.add_argument("--speak", metavar="TEXT")
    parser.add_argument("--wait", metavar="SECONDS", type=float, default=0.0)
    parser.add_argument("--timeout", metavar="SECONDS", type=float, default=_TIMEOUT_S)
    chosen = parser.parse_args(arguments)
    deadline_s = time.monotonic() + chosen.wait
    while True:
        try:
            print(check(chosen.uri, chosen.speak, chosen.timeout))
            return 0
        except (OSError, ValueError) as error:
            if time.monotonic() >= deadline_s:
                print(f"{chosen.uri}: {error}", file=sys.stderr)
                return 1
        time.sleep(_AGAIN_S)


def check(uri: str, text: str | None = None, timeout_s: float = _TIMEOUT_S) -> str:
    """Sends `describe`, and has the server speak where there is a text.

    Args:
        uri: tcp://host:port or unix:///path.
        text: to be spoken with the default voice; None: it is only asked what it can do.
        timeout_s: longest wait for the connection and for each piece of an answer.

    Returns:
        A line about what was heard: the number of voices, and the bytes of audio.

    Raises:
        OSError: there is no server, it closes the connection, or it says nothing for too long (TimeoutError).
        ValueError: the URI is none, it is no speech server, it answers with an error, or with silence alone.
    """
    with _connect(uri, timeout_s) as connection, connection.makefile("rwb") as stream:
        _send(stream, "describe", {})
        kind, data, _ = _receive(stream)
        if kind != "info" or not data.get("tts"):
            raise ValueError(f"the answer to describe is no speech server's, but {kind!r}")
        voices = sum(len(program.get("voices", ())) for program in data["tts"])
        heard = f"{voices} voices"
        if text is not None:
            heard += f", {_speak(stream, text)} bytes of audio"
    return heard


def _speak(stream: io.BufferedRWPair[Any, Any], text: str) -> int:
    """Bytes of PCM that came for a text; errors as for `check`."""
    _send(stream, "synthesize", {"text": text})
    audio_bytes, loud = 0, False
    while True:
        kind, data, payload = _receive(stream)
        if kind == "error":
            raise ValueError(f"the server does not speak: {data.get('text')}")
        audio_bytes += len(payload)
        loud = loud or any(payload)
        if kind == "audio-stop":
            break
    if not loud:
        raise ValueError(f"{audio_bytes} bytes of audio, all of them silent")
    return audio_bytes


def _connect(uri: str, timeout_s: float) -> socket.socket:
    """A connection of which every wait ends after `timeout_s`; errors as for `check`."""
    scheme, _, rest = uri.partition("://")
    if scheme == "unix":
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(timeout_s)
        connection.connect(rest)
        return connection
    host, _, port = rest.rpartition(":")
    if scheme != "tcp" or not port.isdigit():
        raise ValueError("must be tcp://host:port or unix:///path")
    return socket.create_connection((host.strip("[]"), int(port)), timeout_s)


def _send(stream: io.BufferedRWPair[Any, Any], kind: str, data: dict[str, Any]) -> None:
    """One Wyoming event without a payload: a line of JSON."""
    stream.write(json.dumps({"type": kind, "data": data}).encode() + b"\n")
    stream.flush()


def _receive(stream: io.BufferedRWPair[Any, Any]) -> tuple[str, dict[str, Any], bytes]:
    """The next Wyoming event: its type, its data (of the line and of the block behind it), its payload.

    Raises:
        ConnectionError: there is none any more.
        ValueError: it is no JSON.
    """
    line = stream.readline()
    if not line:
        raise ConnectionError("the server closed the connection")
    header = json.loads(line)
    data = dict(header.get("data") or {})
    data.update(json.loads(stream.read(header.get("data_length") or 0) or b"{}"))
    return str(header.get("type")), data, stream.read(header.get("payload_length") or 0)


if __name__ == "__main__":
    sys.exit(main())
