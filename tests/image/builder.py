"""Builds the image without a Docker engine, and runs its commands as Docker would: for `make image-test`, as root on Debian.

`buildah` builds the Dockerfile as it is, on a base made by `debootstrap` (BUILD_FROM is an argument for that). What this machine needs to reach its package
index (certificates, pip's settings, local wheels) is mounted for the build and is no part of the image. A container is a chroot in namespaces
of its own: root file system read-only, /tmp in memory, a network of its own with nothing but loopback.

Environment: IMAGE_TEST_DIR (where bases and images are kept, default /tmp/wyoming-pocket-tts-image), IMAGE_TEST_ARCH (amd64 or arm64; the other
one than this machine's runs under qemu-user), IMAGE_TEST_SUITE (Debian's name), IMAGE_TEST_MIRROR, IMAGE_TEST_WHEELS (a folder of wheels),
IMAGE_TEST_TORCH_INDEX (empty: pip's own).
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2]
HOME = Path(os.environ.get("IMAGE_TEST_DIR", "/tmp/wyoming-pocket-tts-image"))
ARCH = os.environ.get("IMAGE_TEST_ARCH", "amd64")
SUITE = os.environ.get("IMAGE_TEST_SUITE", "trixie")
MOST_BUILD_S = 3 * 3600
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def run(*command: str | Path, timeout_s: float = 600, **options: Any) -> str:
    """A command's standard output; it must succeed."""
    done = subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        text=True,
        timeout=timeout_s,
        check=False,
        **options,
    )
    assert done.returncode == 0, f"{shlex.join(map(str, command))}: {done.stdout[-3000:]}"
    return done.stdout


@functools.cache
def driver() -> str:
    """How layers are kept: overlay where the kernel lets us, else whole copies, which are slow and always work."""
    with tempfile.TemporaryDirectory(dir=HOME) as folder:
        lower, upper, work, merged = (Path(folder, name) for name in ("l", "u", "w", "m"))
        for path in (lower, upper, work, merged):
            path.mkdir()
        options = f"lowerdir={lower},upperdir={upper},workdir={work}"
        mounted = subprocess.run(
            ["mount", "-t", "overlay", "overlay", "-o", options, merged],
            capture_output=True,
            check=False,
        )
        if mounted.returncode == 0:
            run("umount", merged)
    return "overlay" if mounted.returncode == 0 else "vfs"


def buildah(*arguments: str | Path, timeout_s: float = 600) -> str:
    HOME.mkdir(parents=True, exist_ok=True)
    storage = ("--root", HOME / "storage", "--runroot", HOME / "run", "--storage-driver", driver())
    environment = {**os.environ, "BUILDAH_ISOLATION": "chroot"}
    return run("buildah", *storage, *arguments, timeout_s=timeout_s, env=environment).strip()


def mirror() -> str:
    """Where this machine's Debian comes from."""
    if "IMAGE_TEST_MIRROR" in os.environ:
        return os.environ["IMAGE_TEST_MIRROR"]
    for path in [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]:
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                found = re.search(r"https?://\S+/debian/?(?=\s|$)", line)
                if found and not line.startswith("#"):
                    return found[0]
    raise AssertionError("no Debian mirror is set up here: set IMAGE_TEST_MIRROR")


def base_image() -> str:
    """The name of a minimal Debian as an image; made once."""
    name = f"localhost/base-{SUITE}-{ARCH}:latest"
    if name.removesuffix(":latest") in buildah("images", "--format", "{{.Name}}"):
        return name
    folder = HOME / f"base-{SUITE}-{ARCH}"
    if not (folder / "usr/bin/apt-get").exists():
        shutil.rmtree(folder, ignore_errors=True)
        run(
            "debootstrap",
            f"--arch={ARCH}",
            "--variant=minbase",
            SUITE,
            folder,
            mirror(),
            timeout_s=3600,
        )
    for rubbish in ("var/cache/apt/archives", "var/lib/apt/lists"):
        shutil.rmtree(folder / rubbish, ignore_errors=True)
        (folder / rubbish / "partial").mkdir(parents=True)
    # Debian's slim images leave these out, and tell dpkg to do so from then on.
    excluded = []
    for documents in ("doc", "info", "lintian", "linda", "locale", "man"):
        shutil.rmtree(folder / "usr/share" / documents, ignore_errors=True)
        excluded.append(f"path-exclude /usr/share/{documents}/*\n")
    (folder / "usr/share/man/man1").mkdir(parents=True)
    (folder / "etc/dpkg/dpkg.cfg.d/slim").write_text("".join(excluded), encoding="utf-8")
    container = buildah("from", "--arch", ARCH, "scratch")
    buildah("copy", "--quiet", container, folder, "/")
    buildah("config", "--arch", ARCH, container)
    buildah("commit", "--quiet", container, name, timeout_s=1800)
    buildah("rm", container)
    return name


def build(target: str, context: Path) -> str:
    """Builds a stage of the Dockerfile in a folder; the image's name."""
    name = f"localhost/{context.name}-{target}-{ARCH}:latest"
    base = base_image()  # makes the folder, too
    settings = HOME / "pip.conf"
    lines = ["[global]", "timeout = 180"]
    mounts = [f"--volume={settings}:/etc/pip.conf:ro"]
    if CERTIFICATES.exists():
        lines.append("cert = /opt/test/certificates.crt")
        mounts.append(f"--volume={CERTIFICATES}:/opt/test/certificates.crt:ro")
    if wheels := os.environ.get("IMAGE_TEST_WHEELS"):
        lines.append("find-links = /opt/test/wheels")
        mounts.append(f"--volume={wheels}:/opt/test/wheels:ro")
    settings.write_text("\n".join(lines) + "\n", encoding="utf-8")
    # Debian 12's buildah does not know this one flag, which Docker has had since version 25.
    dockerfile = (context / "Dockerfile").read_text(encoding="utf-8")
    (HOME / "Dockerfile").write_text(
        dockerfile.replace(" --start-interval=5s", ""), encoding="utf-8"
    )
    buildah(
        *("bud", "--format", "docker", "--layers", "--target", target, "--tag", name),
        *("--arch", ARCH, "--build-arg", f"BUILD_FROM={base}"),
        *("--build-arg", f"TORCH_INDEX={os.environ.get('IMAGE_TEST_TORCH_INDEX', '')}"),
        *("--build-arg", f"BUILD_ARCH={'aarch64' if ARCH == 'arm64' else ARCH}"),
        *("--build-arg", "BUILD_VERSION=0.0.0-test", "--pull=never"),
        *("--file", HOME / "Dockerfile"),
        *mounts,
        context,
        timeout_s=MOST_BUILD_S,
    )
    return name


@dataclass
class Image:
    """A built image, its files mounted.

    Attributes:
        name: the image's.
        config: its configuration, in Docker's words (Entrypoint, Cmd, Env, ...).
        root: its files.
    """

    name: str
    config: dict[str, Any] = field(default_factory=dict)
    root: Path = Path()

    @property
    def is_root(self) -> bool:
        """Whether its commands run as root."""
        return self.config.get("User") in (None, "", "0", "root")

    @classmethod
    @contextlib.contextmanager
    def built(cls, target: str, context: Path = SOURCE) -> Iterator[Image]:
        """Builds a stage and mounts it for as long as it is wanted."""
        name = build(target, context)
        config = json.loads(buildah("inspect", "--type", "image", name))["Docker"]["config"]
        container = buildah("from", "--pull=never", name)
        try:
            root = Path(buildah("mount", container))
            # Docker writes this file for each container; the Supervisor is a stand-in on loopback.
            (root / "etc/hosts").write_text("127.0.0.1 localhost supervisor\n", encoding="utf-8")
            yield cls(name, config, root)
        finally:
            buildah("rm", container)

    def size_bytes(self, folder: str = "") -> int:
        """Unpacked, without what is mounted."""
        output = run("du", "-sx", "--block-size=1", self.root / folder)
        return int(output.split()[0])


class Container:
    """A running command of an image, with namespaces of its own; `data` is its /data."""

    def __init__(
        self,
        image: Image,
        data: Path,
        *arguments: str,
        mounts: dict[str, Path] | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        """
        Args:
            image: whose entry point is run.
            data: mounted at /data.
            arguments: in place of the image's command.
            mounts: path inside -> path here, writable.
            environment: besides the image's.
        """
        self.image = image
        self.log = data.parent / f"{data.name}.log"
        for path in (data, *(mounts or {}).values()):
            path.mkdir(parents=True, exist_ok=True)
            if not image.is_root:
                shutil.chown(path, 10200, 10200)
        self._variables = [
            *image.config["Env"],
            *(f"{k}={v}" for k, v in (environment or {}).items()),
        ]
        command = [*image.config["Entrypoint"], *(arguments or image.config["Cmd"])]
        script = self._script({"/data": data, **(mounts or {})}, command)
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                ["unshare", "--mount", "--net", "sh", "-euc", script],
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
            )

    def _script(self, mounts: dict[str, Path], command: list[str]) -> str:
        """Mounts, then becomes the command, so that signals reach it."""
        root = shlex.quote(str(self.image.root))
        lines = [
            "mount --make-rprivate /",
            "ip link set lo up",
            f"mount --bind {root} {root}",
            f"mkdir -p {' '.join(root + inside for inside in mounts)}",
            f"mount -o remount,bind,ro {root}",
            f"mount -t tmpfs tmpfs {root}/tmp",
            f"mount -t proc proc {root}/proc",
            f"mount --bind /dev {root}/dev",
            f"mount --bind /sys {root}/sys",
            f"mount -o remount,bind,ro {root}/sys",
            *(
                f"mount --bind {shlex.quote(str(here))} {root}{inside}"
                for inside, here in mounts.items()
            ),
            f"exec {shlex.join(self._entered(command))}",
        ]
        return "\n".join(lines)

    def _entered(self, command: list[str]) -> list[str]:
        user = [] if self.image.is_root else ["--userspec=10200:10200"]
        entering = ["chroot", *user, str(self.image.root), "/usr/bin/env", "-i", "HOME=/"]
        return [*entering, *self._variables, *command]

    def run(self, *command: str, timeout_s: float = 300) -> subprocess.CompletedProcess[str]:
        """Runs another command inside, as `docker exec` does."""
        inside = ["nsenter", f"--target={self.process.pid}", "--mount", "--net"]
        return subprocess.run(
            [*inside, *self._entered(list(command))],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def here(self, *command: str) -> list[str]:
        """A command of this machine's, in the container's network."""
        return ["nsenter", f"--target={self.process.pid}", "--net", *command]

    def until(self, said: str, within_s: float = 600) -> str:
        """Waits for something in the log; the log so far."""
        deadline_s = time.monotonic() + within_s
        while said not in (text := self.log.read_text(encoding="utf-8", errors="replace")):
            assert self.process.poll() is None, f"it has ended: {text[-3000:]}"
            assert time.monotonic() < deadline_s, f"not in time: {text[-3000:]}"
            time.sleep(0.1)
        return text

    def stop(self) -> int:
        """As `docker stop` does; the exit code."""
        self.process.terminate()
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
