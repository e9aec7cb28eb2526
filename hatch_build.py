"""Builds the engine's native kernels (wyoming_pocket_tts/engine/native) where there is a C compiler; hatchling calls it.

A wheel with them serves every Python 3 of its platform (py3-none-PLATFORM: ctypes loads them). Without a compiler, or with
WYOMING_POCKET_TTS_NATIVE=0, it is a wheel for every platform, and torch does their work. An editable install has them beside their sources.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

FOLDER = "wyoming_pocket_tts/engine/native"
LIBRARY = "libkernels.so"
# Neither -march=native nor -ffast-math: a wheel must run on other processors, so the sources choose instructions at run time, and sums must not lose NaN.
FLAGS = (
    *("-O3", "-std=gnu11", "-fPIC", "-shared"),
    *("-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast"),
)


class NotBuilt(Exception):
    """Why there are no native kernels."""


class NativeKernels(BuildHookInterface[Any]):
    """The hook of the wheel; `version` is "editable" for `pip install -e`."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sources = Path(self.root) / FOLDER
        # Goes at the end of the process if the build fails on the way.
        self._built = tempfile.TemporaryDirectory(prefix="wyoming-pocket-tts-")
        library = Path(self._built.name) / LIBRARY
        try:
            compile_library(sources, library)
        except NotBuilt as reason:
            self.app.display_warning(
                f"The native kernels were not built ({reason}): everything works without them, but speech is made more slowly."
            )
            if version == "editable":
                # One of other sources may lie there.
                (sources / LIBRARY).unlink(missing_ok=True)
            return
        if version == "editable":
            replace(library, sources / LIBRARY)
            return
        build_data["force_include"][str(library)] = f"{FOLDER}/{LIBRARY}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self._built.cleanup()


def compile_library(sources: Path, library: Path) -> None:
    """Compiles all C files of a folder.

    Raises:
        NotBuilt: there is no compiler, it failed, or nothing is to be built.
    """
    if os.environ.get("WYOMING_POCKET_TTS_NATIVE") == "0":
        raise NotBuilt("WYOMING_POCKET_TTS_NATIVE is 0")
    if sys.platform == "win32":
        raise NotBuilt("not on Windows")
    files = sorted(str(path) for path in sources.glob("*.c"))
    command = [*compiler(), *FLAGS, "-o", str(library), *files, "-lm"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NotBuilt(str(error)) from error
    if done.returncode != 0 or not library.exists():
        raise NotBuilt(f"{shlex.join(command)}\n{done.stderr.strip()}\n")


def compiler() -> list[str]:
    """The C compiler: what CC says, else the first that is found."""
    if named := shlex.split(os.environ.get("CC", "")):
        return named
    for name in ("cc", "gcc", "clang"):
        if found := shutil.which(name):
            return [found]
    raise NotBuilt("there is no C compiler")


def replace(new: Path, old: Path) -> None:
    """Puts a file in another's place at once: a server that runs has the old one open, and goes on with it."""
    beside = old.with_name(f".{old.name}.{os.getpid()}")
    shutil.copyfile(new, beside)
    beside.replace(old)


def platform() -> str:
    """This platform as wheels are tagged with it. Which releases of other systems' C library would do (manylinux), only `auditwheel` knows."""
    return next(tag for tag in platform_tags() if "manylinux" not in tag and "musllinux" not in tag)
