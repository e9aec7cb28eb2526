"""A stand-in of the hub on loopback: what `huggingface_hub` asks for, and plain files for https sources.

    with Hub() as hub:
        hub.add("owner/repo", "a.bin", b"...")
        hub_download(..., endpoint=hub.url)

It can be gated, cut a connection half-way, and be switched off. It serves over plain http, which sources accept from loopback.
"""

from __future__ import annotations

import contextlib
import hashlib
import socket
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True)
class Request:
    """One request as it came. Header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]


@dataclass
class PlainFile:
    """A file outside repositories, and how the server treats it.

    Attributes:
        etag: None sends none.
        ranges: False ignores Range.
        length: "content-length", "chunked" or "none".
        status: answered instead of the file when it is not 200; `location` goes with redirects.
        statuses: statuses for the next requests, used up one by one.
    """

    content: bytes
    etag: str | None = '"v1"'
    ranges: bool = True
    length: str = "content-length"
    status: int = 200
    location: str = ""
    statuses: list[int] = field(default_factory=list)


@dataclass
class _Cut:
    after_bytes: int
    times: int


class Hub:
    """The server; `url` is its address while it runs."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._files: dict[tuple[str, str, str], bytes] = {}  # (repo, commit, path)
        self._revisions: dict[tuple[str, str], str] = {}  # (repo, revision) -> commit
        self._invalid: set[str] = set()
        self._gates: dict[str, str] = {}  # repo -> token that opens it
        self._plain: dict[str, PlainFile] = {}
        self._cuts: dict[str, _Cut] = {}  # file name -> cut
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None
        self.url = ""

    def __enter__(self) -> Hub:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        hub = self

        class Handler(_Handler):
            pass

        Handler.hub = hub
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """No network from here on: connections to `url` are refused."""
        if self._server is not None and self._thread is not None:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
            self._server = None
            with self._lock:  # connections that are kept alive would go on being served
                for connection in self._connections:
                    with contextlib.suppress(OSError):
                        connection.shutdown(socket.SHUT_RDWR)

    def add(
        self,
        repo: str,
        path: str,
        content: bytes,
        revision: str = "main",
        commit: str | None = None,
    ) -> str:
        """Puts a file into a repository; returns the commit of the revision, made up from its name unless given."""
        commit = commit or self._revisions.get((repo, revision))
        commit = commit or hashlib.sha1(f"{repo}@{revision}".encode()).hexdigest()
        self._revisions[repo, revision] = commit
        self._revisions[repo, commit] = commit
        self._files[repo, commit, path] = content
        return commit

    def add_source(self, source: str, content: bytes) -> str:
        """Puts a file where an hf:// source says; returns the commit."""
        location, _, revision = source.removeprefix("hf://").partition("@")
        owner, name, path = location.split("/", 2)
        is_commit = len(revision) == 40
        return self.add(
            f"{owner}/{name}",
            path,
            content,
            revision or "main",
            commit=revision if is_commit else None,
        )

    def gate(
        self, repo: str, token: str = "hf_opens_the_gate", *, invalid: tuple[str, ...] = ()
    ) -> None:
        """Lets nobody in without this token: 401 without one or with an invalid one, 403 with another one."""
        self._gates[repo] = token
        self._invalid.update(f"Bearer {one}" for one in invalid)

    def ungate(self, repo: str) -> None:
        """Lets everybody in again."""
        self._gates.pop(repo, None)

    def add_plain(self, path: str, file: PlainFile) -> str:
        """Serves a file outside repositories; returns its address."""
        self._plain[path] = file
        return f"{self.url}{path}"

    def cut(self, file_name: str, after_bytes: int, times: int = 1) -> None:
        """Breaks the connection of the next downloads of that file after so many bytes of the body."""
        self._cuts[file_name] = _Cut(after_bytes, times)

    def downloads(self, file_name: str) -> list[Request]:
        """The GET requests for a file."""
        return [
            request
            for request in self.requests
            if request.method == "GET" and request.path.endswith(f"/{file_name}")
        ]

    def find(self, repo: str, revision: str, path: str) -> tuple[str | None, str, bytes]:
        """An error code of the hub or None, the commit, the content."""
        commit = self._revisions.get((repo, revision))
        if commit is None:
            known = any(name == repo for name, _ in self._revisions)
            return ("RevisionNotFound" if known else "RepoNotFound"), "", b""
        content = self._files.get((repo, commit, path))
        return (None, commit, content) if content is not None else ("EntryNotFound", commit, b"")

    def refuses(self, repo: str, authorization: str) -> int | None:
        """Status that a gated repository answers with, None when the door is open."""
        token = self._gates.get(repo)
        if token is None or authorization == f"Bearer {token}":
            return None
        return 403 if authorization and authorization not in self._invalid else 401

    def plain(self, path: str) -> PlainFile | None:
        return self._plain.get(path)

    def record(self, request: Request) -> None:
        with self._lock:
            self.requests.append(request)

    def connected(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.add(connection)

    def disconnected(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.discard(connection)

    def cut_for(self, path: str) -> int | None:
        """Bytes after which this answer is to break off."""
        with self._lock:
            cut = self._cuts.get(path.rsplit("/", 1)[-1])
            if cut is None or cut.times == 0:
                return None
            cut.times -= 1
            return cut.after_bytes


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def setup(self) -> None:
        super().setup()
        self.hub.connected(self.connection)

    def finish(self) -> None:
        self.hub.disconnected(self.connection)
        super().finish()

    def do_HEAD(self) -> None:
        self._serve()

    def do_GET(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _serve(self) -> None:
        path = unquote(urlsplit(self.path).path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.hub.record(Request(self.command, path, headers))
        plain = self.hub.plain(path)
        if plain is not None:
            self._serve_plain(plain)
            return
        parts = path.strip("/").split("/")
        if len(parts) < 5 or parts[2] != "resolve":
            self._error(404, "RepoNotFound")
            return
        repo, revision, name = "/".join(parts[:2]), parts[3], "/".join(parts[4:])
        status = self.hub.refuses(repo, headers.get("authorization", ""))
        if status is not None:
            self._error(status, "GatedRepo")
            return
        code, commit, content = self.hub.find(repo, revision, name)
        if code is not None:
            self._error(404, code, commit)
            return
        etag = f'"{hashlib.sha256(content).hexdigest()}"'
        self._body(content, {"ETag": etag, "X-Repo-Commit": commit}, etag)

    def _serve_plain(self, file: PlainFile) -> None:
        status = file.statuses.pop(0) if file.statuses else file.status
        if status != 200:
            self.send_response(status)
            if file.location:
                self.send_header("Location", file.location)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        headers = {"ETag": file.etag} if file.etag else {}
        self._body(file.content, headers, file.etag if file.ranges else None, file.length)

    def _body(
        self,
        content: bytes,
        headers: dict[str, str],
        validator: str | None,
        length: str = "content-length",
    ) -> None:
        start = self._range_start(validator)
        if start >= len(content) > 0:
            self.send_response(416)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        for name, value in headers.items():
            self.send_header(name, value)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        body = content[start:]
        if length == "content-length":
            self.send_header("Content-Length", str(len(body)))
        elif length == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.close_connection = True
        self.end_headers()
        if self.command == "GET":
            self._write(body, length)

    def _range_start(self, validator: str | None) -> int:
        wanted = self.headers.get("Range", "")
        condition = self.headers.get("If-Range", validator)
        if validator is None or not wanted.startswith("bytes=") or condition != validator:
            return 0
        return int(wanted.removeprefix("bytes=").split("-")[0])

    def _write(self, body: bytes, length: str) -> None:
        cut = self.hub.cut_for(urlsplit(self.path).path)
        sent = body if cut is None else body[:cut]
        if length == "chunked":
            self.wfile.write(f"{len(sent):x}\r\n".encode() + sent + b"\r\n")
            if cut is None:
                self.wfile.write(b"0\r\n\r\n")
        else:
            self.wfile.write(sent)
        if cut is not None:
            self.close_connection = True
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)

    def _error(self, status: int, code: str, commit: str = "") -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        if commit:
            self.send_header("X-Repo-Commit", commit)
        self.send_header("Content-Length", "0")
        self.end_headers()
