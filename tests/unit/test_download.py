"""Downloads from a stand-in of the hub and of the web, on loopback: every way they end."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from huggingface_hub import constants

from tests.hub import Hub, PlainFile
from wyoming_pocket_tts.errors import ConfigError, DownloadError
from wyoming_pocket_tts.models.download import Fetcher
from wyoming_pocket_tts.models.progress import DownloadProgress
from wyoming_pocket_tts.voice_addresses import AskedFor

CONTENT = bytes(range(256)) * 4096  # 1 MiB
SOURCE = "hf://owner/repo/languages/a/model.bin"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    # Waiting between attempts is the libraries' business; the attempts are what is tested.
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with Hub() as running:
        yield running


@pytest.fixture
def reports() -> list[DownloadProgress]:
    return []


@pytest.fixture
def fetcher(hub: Hub, tmp_path: Path, reports: list[DownloadProgress]) -> Fetcher:
    return Fetcher(tmp_path / "cache", endpoint=hub.url, progress=reports.append)


def offline(fetcher: Fetcher, hub: Hub, tmp_path: Path) -> Fetcher:
    return Fetcher(tmp_path / "cache", endpoint=hub.url, offline=True)


def refused(fetcher: Fetcher, source: str) -> DownloadError:
    with pytest.raises(DownloadError) as caught:
        fetcher.fetch(source)
    assert caught.value.source == source
    assert str(caught.value).startswith(source)
    return caught.value


# The hub


def test_a_file_of_the_hub(hub: Hub, fetcher: Fetcher, reports: list[DownloadProgress]) -> None:
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    assert fetcher.cached(SOURCE) is None
    path = fetcher.fetch(SOURCE)
    assert path.read_bytes() == CONTENT
    assert fetcher.cached(SOURCE) == path
    assert path.is_relative_to(fetcher.own_folder.parent / "hub")
    assert reports[0] == DownloadProgress(SOURCE, 0, len(CONTENT))
    assert reports[-1] == DownloadProgress(SOURCE, len(CONTENT), len(CONTENT))
    fetcher.fetch(SOURCE)
    assert len(hub.downloads("model.bin")) == 1


def test_a_revision(hub: Hub, fetcher: Fetcher) -> None:
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    commit = hub.add("owner/repo", "languages/a/model.bin", b"older", revision="v1")
    assert fetcher.fetch(f"{SOURCE}@v1").read_bytes() == b"older"
    assert fetcher.fetch(f"{SOURCE}@{commit}").read_bytes() == b"older"
    assert fetcher.fetch(SOURCE).read_bytes() == CONTENT
    # A commit never changes: once here, nobody is asked.
    before = len(hub.requests)
    fetcher.fetch(f"{SOURCE}@{commit}")
    assert len(hub.requests) == before


def test_a_gated_file(
    hub: Hub, fetcher: Fetcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    hub.gate("owner/repo", token="hf_right")
    error = refused(fetcher, SOURCE)
    assert error.kind == "gated"
    assert f"{hub.url}/owner/repo" in str(error)
    assert "licence" in str(error)
    assert "HF_TOKEN" in str(error)
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    assert refused(fetcher, SOURCE).kind == "gated"
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    assert fetcher.fetch(SOURCE).read_bytes() == CONTENT
    assert hub.requests[-1].headers["authorization"] == "Bearer hf_right"
    # A token given by hand goes before the environment.
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    second = Fetcher(tmp_path / "second", endpoint=hub.url, token="hf_right")
    assert second.fetch(SOURCE).read_bytes() == CONTENT


def test_a_token_that_is_not_valid(
    hub: Hub, fetcher: Fetcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    hub.gate("owner/repo", token="hf_right", invalid=("hf_mistyped",))
    assert "not valid" not in str(refused(fetcher, SOURCE))
    monkeypatch.setenv("HF_TOKEN", "hf_mistyped")
    error = refused(fetcher, SOURCE)
    assert error.kind == "gated"
    assert "the access token is not valid" in str(error)
    assert "licence" not in str(error)
    given = Fetcher(tmp_path / "other", endpoint=hub.url, token="hf_mistyped")
    assert "the access token is not valid" in str(refused(given, SOURCE))
    assert "hf_mistyped" not in str(error)
    # Valid, of an account that has not accepted the licence.
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    assert "Accept the licence" in str(refused(fetcher, SOURCE))


def test_a_hub_that_cannot_be_reached_is_told_at_once(
    hub: Hub, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    here = Fetcher(tmp_path / "cache", endpoint=hub.url).fetch(SOURCE)
    hub.stop()

    def sleep(seconds: float) -> None:
        pytest.fail("waits to try again")

    monkeypatch.setattr("time.sleep", sleep)
    fetcher = Fetcher(tmp_path / "cache", endpoint=hub.url)
    error = refused(fetcher, "hf://owner/repo/other.bin")
    assert error.kind == "network"
    assert "the hub cannot be reached" in str(error)
    assert fetcher.fetch(SOURCE) == here
    assert not caplog.records


def test_whether_a_file_would_be_handed_out(
    hub: Hub, fetcher: Fetcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    assert fetcher.obtainable(SOURCE)
    assert not fetcher.obtainable("hf://owner/repo/other.bin")
    hub.gate("owner/repo", token="hf_right")
    assert not fetcher.obtainable(SOURCE)
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    assert fetcher.obtainable(SOURCE)
    # Nothing has been fetched for that.
    assert fetcher.cached(SOURCE) is None
    assert not hub.downloads("model.bin")
    assert not offline(fetcher, hub, tmp_path).obtainable(SOURCE)
    fetcher.fetch(SOURCE)
    assert offline(fetcher, hub, tmp_path).obtainable(SOURCE)
    here = tmp_path / "here.bin"
    here.touch()
    assert fetcher.obtainable(str(here))
    assert not fetcher.obtainable(str(tmp_path / "absent.bin"))


@pytest.mark.parametrize(
    "source",
    [
        "hf://owner/repo/languages/a/other.bin",
        "hf://owner/other/languages/a/model.bin",
        f"{SOURCE}@v2",
        f"{SOURCE}@{'0' * 40}",
    ],
)
def test_what_is_not_on_the_hub(hub: Hub, fetcher: Fetcher, source: str) -> None:
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    error = refused(fetcher, source)
    assert error.kind == "not-found"
    assert "check the spelling" in str(error)


def test_a_cut_connection_is_resumed(
    hub: Hub,
    fetcher: Fetcher,
    reports: list[DownloadProgress],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The library counts what arrived in whole blocks, of 10 MB; ours is a small file.
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 65536)
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    hub.cut("model.bin", after_bytes=300_000)
    assert fetcher.fetch(SOURCE).read_bytes() == CONTENT
    first, second = hub.downloads("model.bin")
    assert "range" not in first.headers
    start = int(second.headers["range"].removeprefix("bytes=").rstrip("-"))
    assert 0 < start <= 300_000
    assert reports[-1].finished


def test_a_part_is_never_taken_for_the_whole(hub: Hub, fetcher: Fetcher) -> None:
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    hub.cut("model.bin", after_bytes=0, times=1000)
    assert refused(fetcher, SOURCE).kind == "network"
    assert fetcher.cached(SOURCE) is None
    hub.cut("model.bin", after_bytes=0, times=0)
    assert fetcher.fetch(SOURCE).read_bytes() == CONTENT


def test_no_network_at_all(hub: Hub, fetcher: Fetcher) -> None:
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    path = fetcher.fetch(SOURCE)
    hub.stop()
    assert fetcher.fetch(SOURCE) == path
    error = refused(fetcher, "hf://owner/repo/another.bin")
    assert error.kind == "network"
    assert "HF_ENDPOINT" in str(error)


def test_what_is_no_hub(hub: Hub, tmp_path: Path) -> None:
    hub.add_plain("/owner/repo/resolve/main/a.bin", PlainFile(b"hello"))
    error = refused(Fetcher(tmp_path, endpoint=hub.url), "hf://owner/repo/a.bin")
    assert error.kind == "network"
    assert "does not answer as one" in str(error)


def test_offline(hub: Hub, fetcher: Fetcher, tmp_path: Path) -> None:
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    without = offline(fetcher, hub, tmp_path)
    error = refused(without, SOURCE)
    assert error.kind == "offline"
    assert "--offline" in str(error)
    assert hub.requests == []
    path = fetcher.fetch(SOURCE)
    before = len(hub.requests)
    assert without.fetch(SOURCE) == path
    assert len(hub.requests) == before


def test_the_librarys_offline_switch(
    hub: Hub, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    address = hub.add_plain("/a.bin", PlainFile(CONTENT))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert fetcher.offline
    assert refused(fetcher, SOURCE).kind == "offline"
    assert refused(fetcher, address).kind == "offline"
    assert hub.requests == []


def test_a_cache_that_cannot_be_written(hub: Hub, tmp_path: Path) -> None:
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    address = hub.add_plain("/a.bin", PlainFile(CONTENT))
    (tmp_path / "cache").write_text("a file where a folder should be")
    blocked = Fetcher(tmp_path / "cache", endpoint=hub.url)
    for source in (SOURCE, address):
        error = refused(blocked, source)
        assert error.kind == "storage"
        assert "cannot be written" in str(error)


# The web


def test_a_file_of_the_web(hub: Hub, fetcher: Fetcher, reports: list[DownloadProgress]) -> None:
    address = hub.add_plain("/files/voice.wav", PlainFile(CONTENT))
    assert fetcher.cached(address) is None
    path = fetcher.fetch(address)
    assert path.read_bytes() == CONTENT
    assert path.name == "voice.wav"
    assert path.is_relative_to(fetcher.own_folder / "https")
    assert sorted(item.name for item in path.parent.iterdir()) == ["lock", "voice.wav"]
    assert reports[0] == DownloadProgress(address, 0, len(CONTENT))
    assert reports[-1].finished
    assert fetcher.cached(address) == path
    hub.stop()
    assert fetcher.fetch(address) == path


def test_no_token_goes_to_the_web(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    address = hub.add_plain("/a.bin", PlainFile(CONTENT))
    Fetcher(tmp_path, endpoint=hub.url, token="hf_secret").fetch(address)
    assert "authorization" not in hub.requests[-1].headers


def test_a_cut_web_download_is_resumed(hub: Hub, fetcher: Fetcher) -> None:
    address = hub.add_plain("/a.bin", PlainFile(CONTENT, etag='"one"'))
    hub.cut("a.bin", after_bytes=300_000)
    assert fetcher.fetch(address).read_bytes() == CONTENT
    _, second = hub.downloads("a.bin")
    assert second.headers["range"] == "bytes=300000-"
    assert second.headers["if-range"] == '"one"'


def test_a_web_download_goes_on_in_another_process(
    hub: Hub, fetcher: Fetcher, tmp_path: Path
) -> None:
    address = hub.add_plain("/a.bin", PlainFile(CONTENT))
    hub.cut("a.bin", after_bytes=100_000, times=1)
    file = hub.plain("/a.bin")
    assert file is not None
    file.statuses = [200, 503, 503, 503, 503, 503]
    error = refused(fetcher, address)
    assert error.kind == "network"
    assert "503" in str(error)
    assert fetcher.cached(address) is None
    file.statuses = []
    assert Fetcher(tmp_path / "cache").fetch(address).read_bytes() == CONTENT
    assert hub.downloads("a.bin")[-1].headers["range"] == "bytes=100000-"


def test_a_file_that_changed_meanwhile_is_begun_again(hub: Hub, fetcher: Fetcher) -> None:
    file = PlainFile(CONTENT, etag='"one"', statuses=[200, 500, 500, 500, 500])
    address = hub.add_plain("/a.bin", file)
    hub.cut("a.bin", after_bytes=100_000)
    refused(fetcher, address)
    file.etag, file.content = '"two"', CONTENT[::-1]
    assert fetcher.fetch(address).read_bytes() == CONTENT[::-1]


@pytest.mark.parametrize("etag", [None, 'W/"weak"'])
def test_without_a_firm_validator_it_is_begun_again(
    hub: Hub, fetcher: Fetcher, etag: str | None
) -> None:
    address = hub.add_plain("/a.bin", PlainFile(CONTENT, etag=etag))
    hub.cut("a.bin", after_bytes=100_000)
    assert fetcher.fetch(address).read_bytes() == CONTENT
    assert all("range" not in request.headers for request in hub.downloads("a.bin"))


def test_a_server_without_ranges(hub: Hub, fetcher: Fetcher) -> None:
    address = hub.add_plain("/a.bin", PlainFile(CONTENT, ranges=False))
    hub.cut("a.bin", after_bytes=100_000)
    assert fetcher.fetch(address).read_bytes() == CONTENT


def test_a_part_that_is_longer_than_the_file(hub: Hub, fetcher: Fetcher) -> None:
    file = PlainFile(CONTENT, statuses=[200, 500, 500, 500, 500])
    address = hub.add_plain("/a.bin", file)
    hub.cut("a.bin", after_bytes=100_000)
    refused(fetcher, address)
    file.content = CONTENT[:1000]
    assert fetcher.fetch(address).read_bytes() == CONTENT[:1000]


def test_a_chunked_answer(hub: Hub, fetcher: Fetcher, reports: list[DownloadProgress]) -> None:
    address = hub.add_plain("/a.bin", PlainFile(CONTENT, length="chunked"))
    hub.cut("a.bin", after_bytes=100_000)
    assert fetcher.fetch(address).read_bytes() == CONTENT
    assert reports[-1].finished


def test_an_answer_of_unknown_length_is_refused(hub: Hub, fetcher: Fetcher) -> None:
    address = hub.add_plain("/a.bin", PlainFile(CONTENT, length="none"))
    assert refused(fetcher, address).kind == "corrupt"
    assert fetcher.cached(address) is None


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, "gated"),
        (403, "gated"),
        (404, "not-found"),
        (410, "not-found"),
        (418, "network"),
        (500, "network"),
    ],
)
def test_refusals_of_the_web(hub: Hub, fetcher: Fetcher, status: int, kind: str) -> None:
    address = hub.add_plain("/a.bin", PlainFile(b"", status=status))
    error = refused(fetcher, address)
    assert error.kind == kind
    assert str(status) in str(error)


def test_redirects(hub: Hub, fetcher: Fetcher) -> None:
    target = hub.add_plain("/b.bin", PlainFile(CONTENT))
    address = hub.add_plain("/a.bin", PlainFile(b"", status=302, location=target))
    assert fetcher.fetch(address).read_bytes() == CONTENT
    for location in ("http://example.org/b.bin", "file:///etc/passwd", "ftp://127.0.0.1/x"):
        address = hub.add_plain("/c.bin", PlainFile(b"", status=302, location=location))
        assert "refused" in str(refused(fetcher, address))


def test_what_a_request_asks_for_comes_from_where_the_owner_allows(
    hub: Hub, fetcher: Fetcher
) -> None:
    target = hub.add_plain("/good/b.bin", PlainFile(CONTENT))
    rule = AskedFor((target.removesuffix("b.bin"),), 100 * 1024 * 1024)
    for name, location in (("a", target), ("q", f"{target}?signed=1")):
        address = hub.add_plain(f"/good/{name}.bin", PlainFile(b"", status=302, location=location))
        assert fetcher.fetch(address, rule).read_bytes() == CONTENT
    bad = hub.add_plain("/bad.bin", PlainFile(CONTENT))
    for location in (bad, target.replace("b.bin", "../bad.bin"), "https://127.0.0.1/good/b.bin"):
        address = hub.add_plain("/good/c.bin", PlainFile(b"", status=302, location=location))
        with pytest.raises(DownloadError, match=r"refused.*allowed_voice_urls"):
            fetcher.fetch(address, rule)
    assert not hub.downloads("bad.bin")


@pytest.mark.parametrize("length", ["content-length", "chunked"])
def test_what_a_request_asks_for_has_a_largest_size(
    hub: Hub, fetcher: Fetcher, length: str
) -> None:
    address = hub.add_plain("/a.bin", PlainFile(CONTENT, length=length))
    with pytest.raises(DownloadError, match="is larger than") as caught:
        fetcher.fetch(address, AskedFor((address,), len(CONTENT) - 1))
    assert caught.value.kind == "too-large"
    assert not list(fetcher.own_folder.rglob("*.part*"))
    rule = AskedFor((address,), len(CONTENT))
    assert fetcher.fetch(address, rule).read_bytes() == CONTENT


def test_a_file_of_the_hub_that_a_request_asks_for_has_one_too(hub: Hub, fetcher: Fetcher) -> None:
    source = "hf://owner/repo/voice.bin"
    hub.add_source(source, CONTENT)
    with pytest.raises(DownloadError, match="is larger than") as caught:
        fetcher.fetch(source, AskedFor(("hf://owner/repo/",), len(CONTENT) - 1))
    assert caught.value.kind == "too-large"
    rule = AskedFor(("hf://owner/repo/",), len(CONTENT))
    assert fetcher.fetch(source, rule).read_bytes() == CONTENT


def test_no_network_and_a_file_of_the_web(hub: Hub, fetcher: Fetcher) -> None:
    address = hub.add_plain("/a.bin", PlainFile(CONTENT))
    hub.stop()
    error = refused(fetcher, address)
    assert error.kind == "network"
    assert "onnection refused" in str(error)


# Local files and both


def test_local_files(fetcher: Fetcher, tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    assert fetcher.cached(str(path)) is None
    assert refused(fetcher, str(path)).kind == "not-found"
    path.write_bytes(b"x")
    assert fetcher.fetch(str(path)) == path == fetcher.cached(str(path))


def test_what_is_no_source(fetcher: Fetcher) -> None:
    with pytest.raises(ConfigError):
        fetcher.fetch("s3://bucket/x")


def test_two_threads_fetch_once(hub: Hub, fetcher: Fetcher) -> None:
    hub.add("owner/repo", "languages/a/model.bin", CONTENT)
    address = hub.add_plain("/a.bin", PlainFile(CONTENT))
    for source, name in ((SOURCE, "model.bin"), (address, "a.bin")):
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(fetcher.fetch, [source] * 4))
        assert len(set(found)) == 1
        assert len(hub.downloads(name)) == 1
