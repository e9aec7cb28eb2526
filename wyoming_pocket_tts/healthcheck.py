"""Asks a Wyoming server whether it answers, for a container's HEALTHCHECK: `python -m wyoming_pocket_tts.healthcheck [URI]`.

Standard library alone, and nothing else of this package: it runs every minute on small machines. `--speak TEXT` also has the server speak, and counts
the audio; `--wait SECONDS` keeps trying that long. Exit code 0 when all is well, 1 with a line that says what is not.
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
    parser = argparse.ArgumentParser(prog="wyoming_pocket_tts.healthcheck", description=__doc__)
    parser.add_argument("uri", nargs="?", default=DEFAULT_URI)
    parser.add_argument("--speak", metavar="TEXT")
    parser.add_argument("--wait", metavar="SECONDS", type=float, default=0.0)
    chosen = parser.parse_args(arguments)
    deadline_s = time.monotonic() + chosen.wait
    while True:
        try:
            print(check(chosen.uri, chosen.speak))
            return 0
        except (OSError, ValueError) as error:
            if time.monotonic() >= deadline_s:
                print(f"{chosen.uri}: {error}", file=sys.stderr)
                return 1
        time.sleep(_AGAIN_S)


def check(uri: str, text: str | None = None, timeout_s: float = _TIMEOUT_S) -> str:
    """Describes the server, and has it speak where there is a text.

    Returns:
        A line about what was heard.

    Raises:
        OSError: there is no server, or it is silent.
        ValueError: it answers something else.
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
    stream.write(json.dumps({"type": kind, "data": data}).encode() + b"\n")
    stream.flush()


def _receive(stream: io.BufferedRWPair[Any, Any]) -> tuple[str, dict[str, Any], bytes]:
    line = stream.readline()
    if not line:
        raise ConnectionError("the server closed the connection")
    header = json.loads(line)
    data = dict(header.get("data") or {})
    data.update(json.loads(stream.read(header.get("data_length") or 0) or b"{}"))
    return str(header.get("type")), data, stream.read(header.get("payload_length") or 0)


if __name__ == "__main__":
    sys.exit(main())
