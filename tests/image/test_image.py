"""The image, built from the Dockerfile and run: read-only, as the user that it names, with a Wyoming client that gets audio.

Minutes, root and Debian's packages buildah and debootstrap: so it is no part of `make test`, but `make image-test`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.image.builder import ARCH, SOURCE, Container, Image, run

pytestmark = pytest.mark.skipif(
    not os.environ.get("IMAGE_TEST"), reason="takes minutes: make image-test"
)

MOST_MB = 900
# Nothing but loopback in there, so the usual ports are free.
CLIENT = [sys.executable, "-m", "wyoming_pocket_tts.healthcheck", "tcp://127.0.0.1:10200"]
SLOW = ARCH == "arm64" and os.uname().machine != "aarch64"
START_S = 900 if SLOW else 120
# There is no network in there.
STARTER = ("--language", "starter", "--no-zeroconf", "--threads", "1")

STAND_IN = """
import http.server, json, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        open(sys.argv[1], "w").write(json.dumps([self.path, self.headers["Authorization"], json.loads(body)]))
        answer = b'{"result": "ok", "data": {"uuid": "1"}}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
http.server.HTTPServer(("127.0.0.1", 80), Handler).serve_forever()
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Image]:
    with Image.built("server") as image:
        yield image


@pytest.fixture(scope="module")
def addon(server: Image) -> Iterator[Image]:
    with Image.built("addon") as image:
        yield image


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    # The container's user has to get through to its /data.
    for path in (tmp_path, *tmp_path.parents):
        if path == Path("/tmp"):
            break
        path.chmod(0o755)
    return tmp_path


def speak(container: Container, text: str = "The kitchen light is on.") -> str:
    command = container.here(*CLIENT, "--wait", "60", "--timeout", "60", "--speak", text)
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=SOURCE, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr + container.log.read_text()
    return done.stdout


def report(what: str) -> None:
    print(f"\n[{ARCH}] {what}", flush=True)


def test_the_image_is_small_enough(server: Image) -> None:
    parts = {
        "all": "",
        "python and Debian": "usr",
        "libraries": "opt/pocket-tts",
    }
    sizes = {what: server.size_bytes(part) // 1_000_000 for what, part in parts.items()}
    (packages,) = server.root.glob("opt/pocket-tts/lib/python3*/site-packages")
    largest = sorted(
        (
            (server.size_bytes(str(path.relative_to(server.root))) // 1_000_000, path.name)
            for path in packages.iterdir()
        ),
        reverse=True,
    )
    report(f"MB unpacked: {sizes}; {largest[:12]}")
    assert sizes["all"] <= MOST_MB


def test_nothing_is_left_that_builds_or_installs(server: Image) -> None:
    for name in ("gcc", "cc", "g++", "make", "git", "pip", "pip3", "curl", "wget"):
        for folder in ("usr/bin", "usr/local/bin", "bin", "opt/pocket-tts/bin"):
            assert not (server.root / folder / name).exists(), f"{folder}/{name}"
    assert not list(server.root.glob("var/lib/apt/lists/*_Packages"))
    assert not (server.root / "root/.cache").exists()
    assert not list(server.root.glob("data/*/*"))


def test_the_native_kernels_are_in_it(server: Image) -> None:
    """The build has loaded them: an image without does not come about."""
    assert len(list(server.root.glob("opt/**/engine/native/libkernels.so"))) == 1


def test_what_docker_is_told(server: Image, addon: Image) -> None:
    assert server.config["User"] == "pocket-tts"
    assert addon.config["User"] in ("", "root", "0")
    for image in (server, addon):
        assert image.config["Healthcheck"]["Test"][0] == "CMD"
        assert image.config["Entrypoint"] == ["wyoming-pocket-tts"]
        assert "/data" in image.config["Volumes"]
    labels = addon.config["Labels"]
    assert labels["io.hass.type"] == "app"
    assert labels["io.hass.version"] == "0.0.0-test"
    assert labels["io.hass.arch"] == ("aarch64" if ARCH == "arm64" else "amd64")


def test_it_speaks_read_only_and_stops_in_order(server: Image, folder: Path) -> None:
    container = Container(server, folder / "data", *server.config["Cmd"], *STARTER)
    try:
        container.until("Ready", START_S)
        report(f"heard: {speak(container).strip()}")
        health = container.run(*server.config["Healthcheck"]["Test"][1:])
        assert health.returncode == 0, health.stdout
        written = container.run("python3", "-c", "open('/opt/new', 'w')")
        assert "Read-only file system" in written.stdout
        assert container.run("id", "-u").stdout.strip() == "10200"
    finally:
        code = container.stop()
    assert code == 0, container.log.read_text()
    assert "Traceback" not in container.log.read_text()
    health = subprocess.run([*CLIENT], capture_output=True, cwd=SOURCE, check=False)
    assert health.returncode == 1


@pytest.mark.parametrize("quantize", [True, False])
def test_eight_bits_on_and_off(server: Image, folder: Path, quantize: bool) -> None:
    data = folder / "data"
    data.mkdir()
    # Unmeasured, so that 8 bits are used although the starter model is too small to gain by them.
    engine = {"tune": False, "quantize": quantize, "threads": 1}
    (data / "settings.yaml").write_text(json.dumps({"engine": engine, "languages": ["starter"]}))
    arguments = ("serve", "--settings", "/data/settings.yaml", "--no-zeroconf", "--no-http")
    container = Container(server, data, *arguments)
    try:
        log = container.until("Ready", START_S)
        assert "8 bits are" not in log
        heard = speak(container)
    finally:
        assert container.stop() == 0
    kept = list(data.glob("cache/wyoming-pocket-tts/int8/*"))
    report(f"quantize {quantize}: {len(kept)} files in 8 bits, {heard.strip()}")
    assert bool(kept) == quantize


def test_every_module_can_be_imported(server: Image, folder: Path) -> None:
    """Of ours, and of what they need: a file that was removed from the image would show here."""
    program = (
        "import pkgutil, importlib, wyoming_pocket_tts as package\n"
        "names = [m.name for m in pkgutil.walk_packages(package.__path__, 'wyoming_pocket_tts.')]\n"
        "names = [n for n in names if not n.endswith(('__main__', '.libkernels'))]\n"
        "[importlib.import_module(name) for name in names]\n"
        "import sentencepiece, soundfile, soxr, huggingface_hub.file_download, torch._dynamo\n"
        "print(len(names), 'modules')\n"
    )
    arguments = ("serve", *STARTER, "--no-http")
    container = Container(server, folder / "data", *arguments)
    try:
        container.until("Ready", START_S)
        done = container.run("python3", "-c", program, timeout_s=START_S)
        assert done.returncode == 0, done.stdout
        report(done.stdout.strip())
    finally:
        container.stop()


def test_the_add_on_reads_its_options_and_tells_the_supervisor(addon: Image, folder: Path) -> None:
    data, config, heard = folder / "data", folder / "config", folder / "heard.json"
    for path in (data, config):
        path.mkdir()
    options = {
        "languages": ["english"],
        "quality": "auto",
        "voices_dir": "/config/voices",
        "memory_mib": 0,
        "speech_rate": 1.0,
        "volume_db": 0.0,
        "cache_dir": "/data/cache",
        "log_level": "info",
        "settings_file": "/config/extra.yaml",
        "voise": "mistyped",
    }
    (data / "options.json").write_text(json.dumps(options))
    (data / "options.json").chmod(0o600)
    # No network in here: the starter model in place of English.
    (config / "extra.yaml").write_text("languages: [starter]\nengine: {threads: 1}\n")
    container = Container(
        addon,
        data,
        mounts={"/config": config, "/share": folder / "share"},
        environment={"SUPERVISOR_TOKEN": "the-supervisors-token"},
    )
    stand_in = subprocess.Popen(container.here(sys.executable, "-c", STAND_IN, str(heard)))
    try:
        container.until("is told of this server at tcp://127.0.0.1:10200", START_S)
        log = container.until("Model starter is loaded", START_S)
        assert "Option voise: is not a known key. Did you mean 'voice'" in log
        assert "the-supervisors-token" not in log
        path, authorization, announced = json.loads(heard.read_text())
        assert path == "/discovery"
        assert authorization == "Bearer the-supervisors-token"
        assert announced == {"service": "wyoming", "config": {"uri": "tcp://127.0.0.1:10200"}}
        speak(container)
        assert (config / "voices").is_dir()
        fetch = (
            "import urllib.request, urllib.error\n"
            "try: print(urllib.request.urlopen('http://127.0.0.1:8099/').status)\n"
            "except urllib.error.HTTPError as error: print(error.code)\n"
        )
        # The page is there, and not for us.
        assert container.run("python3", "-c", fetch).stdout.strip() == "403"
    finally:
        stand_in.kill()
        stand_in.wait()
        code = container.stop()
    assert code == 0, container.log.read_text()


def test_a_full_disk_and_no_network_are_told_and_end_nothing(addon: Image, folder: Path) -> None:
    """With the options as they are by default, on a disk with no room for anything."""
    data = folder / "data"
    data.mkdir()
    run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", data)
    try:
        (data / "options.json").write_text("{}")
        mounts = {"/config": folder / "config", "/share": folder / "share"}
        container = Container(addon, data, mounts=mounts)
        try:
            container.until("Ready", START_S)
            log = container.until("Model english cannot be loaded", START_S)
            assert "make room" in log
            assert "the hub cannot be reached" in log
            health = container.run(*addon.config["Healthcheck"]["Test"][1:])
            assert health.returncode == 0, health.stdout
        finally:
            code = container.stop()
        assert code == 0, container.log.read_text()
        assert "Traceback" not in container.log.read_text()
    finally:
        run("umount", data)


def test_the_local_add_on_can_be_built(addon: Image, folder: Path) -> None:
    """As the Supervisor builds it: from a folder that holds nothing but the add-on."""
    local = folder / "pocket_tts"
    script = SOURCE / "scripts" / "addon_local.py"
    subprocess.run([sys.executable, script, local], check=True)
    with Image.built("addon", local) as image:
        assert image.config["Cmd"] == addon.config["Cmd"]
        container = Container(image, folder / "data", "serve", *STARTER)
        try:
            container.until("Ready", START_S)
            speak(container)
        finally:
            assert container.stop() == 0
