"""The grammar of sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from wyoming_pocket_tts.errors import ConfigError
from wyoming_pocket_tts.models.sources import (
    HttpSource,
    HubSource,
    LocalSource,
    check_url,
    parse_source,
)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("/models/a.safetensors", LocalSource(Path("/models/a.safetensors"))),
        ("models/a.yaml", LocalSource(Path("models/a.yaml"))),
        ("https://example.org/a/b.yaml?x=1", HttpSource("https://example.org/a/b.yaml?x=1")),
        ("http://127.0.0.1:8000/b", HttpSource("http://127.0.0.1:8000/b")),
        ("http://[::1]/b", HttpSource("http://[::1]/b")),
        ("http://localhost/b", HttpSource("http://localhost/b")),
        ("hf://kyutai/pocket-tts/a.wav", HubSource("kyutai/pocket-tts", "a.wav")),
        ("hf://o/r/a/b/c.bin@0123abc", HubSource("o/r", "a/b/c.bin", "0123abc")),
        ("hf://o/r/a.bin@refs/pr/3", HubSource("o/r", "a.bin", "refs/pr/3")),
    ],
)
def test_what_is_understood(text: str, source: object) -> None:
    parsed = parse_source(text)
    assert parsed == source
    assert str(parsed) == text


def test_home_is_expanded() -> None:
    assert parse_source("~/a.yaml") == LocalSource(Path.home() / "a.yaml")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty source"),
        ("http://example.org/a", "use https://"),
        ("http://10.0.0.1/a", "use https://"),
        ("http://127.0.0.1.example.org/a", "use https://"),
        ("https:///a", "names no host"),
        ("https://me:secret@example.org/a", "password"),
        ("s3://bucket/a", "unknown kind of source s3://"),
        ("file:///etc/passwd", "unknown kind of source file://"),
        ("hf://owner/repo", "must be hf://owner/repo/path"),
        ("hf://owner/repo@main/path", "must be hf://owner/repo/path"),
        ("hf://owner/../path", "must be hf://owner/repo/path"),
        ("hf://owner/repo/../../etc/passwd", "not a plain relative path"),
        ("hf://owner/repo//a", "not a plain relative path"),
        ("hf://owner/repo/a@", "the revision after @"),
        ("hf://owner/repo/a@../x", "the revision after @"),
    ],
)
def test_what_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        parse_source(text)


def test_a_password_is_not_repeated() -> None:
    with pytest.raises(ConfigError) as caught:
        check_url("https://me:secret@example.org/a")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://example.org/a/model.safetensors?download=1", "model.safetensors"),
        ("https://example.org/a%2F..%2Fb%20c.wav", "b_c.wav"),
        ("https://example.org/", "file"),
        ("https://example.org/..", "file"),
    ],
)
def test_file_names_are_plain(url: str, name: str) -> None:
    assert check_url(url).file_name == name
