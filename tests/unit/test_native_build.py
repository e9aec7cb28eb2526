"""The native kernels' build: with a compiler a wheel of this platform, without one a wheel of all, and never a failure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="builds the package: pip install -e .[dev]")

ROOT = Path(__file__).parents[2]
LIBRARY = "wyoming_pocket_tts/engine/native/libkernels.so"

# Writes what stands in $MADE where a compiler writes its library, and wants a source.
COMPILER = """#!/bin/sh
set -e
for word; do
    case "$word" in *.c) source=$word; esac
    if [ "$before" = -o ]; then output=$word; fi
    before=$word
done
test -e "$source"
printf %s "$MADE" > "$output"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what is built, in which somebody left a library."""
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copy2(ROOT / name, folder / name)
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.safetensors")
    for name in ("config", "wyoming_pocket_tts"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    (folder / LIBRARY).write_text("left")
    return folder


@pytest.fixture
def compiler(tmp_path: Path) -> str:
    path = tmp_path / "compiler"
    path.write_text(COMPILER)
    path.chmod(0o755)
    return str(path)


def run(project: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("CC", "WYOMING_POCKET_TTS_NATIVE")}
    return subprocess.run(
        [sys.executable, *command],
        cwd=project,
        env={**kept, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def build(project: Path, target: str = "wheel", **variables: str) -> tuple[Path, str]:
    """What was built, and what was said."""
    out = project.parent / f"out-{target}"
    done = run(project, "-m", "hatchling", "build", "-t", target, "-d", str(out), **variables)
    assert done.returncode == 0, done.stdout
    (made,) = out.iterdir()
    return made, done.stdout


def install_editable(project: Path, **variables: str) -> str:
    """As pip does for `pip install -e .`; what was said."""
    program = "from hatchling.build import build_editable; build_editable('../editable')"
    (project.parent / "editable").mkdir(exist_ok=True)
    done = run(project, "-c", program, **variables)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"PATH": ""}, "there is no C compiler"),
        ({"CC": "/no/such/compiler"}, "/no/such/compiler"),
        ({"CC": "false"}, "false -O3"),
        ({"WYOMING_POCKET_TTS_NATIVE": "0"}, "WYOMING_POCKET_TTS_NATIVE is 0"),
    ],
)
def test_without_a_compiler_it_is_a_wheel_for_all(
    project: Path, variables: dict[str, str], reason: str
) -> None:
    wheel, said = build(project, **variables)
    assert wheel.name.endswith("-py3-none-any.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert LIBRARY not in names
    assert "wyoming_pocket_tts/engine/native/__init__.py" in names
    assert reason in said
    assert "more slowly" in said


def test_with_a_compiler_it_is_a_wheel_of_this_platform(project: Path, compiler: str) -> None:
    wheel, said = build(project, CC=compiler, MADE="made")
    system = sysconfig.get_platform().partition("-")[0]
    assert "-py3-none-" in wheel.name
    assert wheel.name.split("-")[-1].startswith(system)
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read(LIBRARY) == b"made"
        (about,) = (name for name in archive.namelist() if name.endswith(".dist-info/WHEEL"))
        assert b"Root-Is-Purelib: false" in archive.read(about)
    assert "not built" not in said
    # A wheel is no reason to change the sources' folder.
    assert (project / LIBRARY).read_text() == "left"


def test_an_editable_install_has_it_beside_its_sources(project: Path, compiler: str) -> None:
    with (project / LIBRARY).open() as opened:
        install_editable(project, CC=compiler, MADE="made")
        assert (project / LIBRARY).read_text() == "made"
        # Whoever had the old one open goes on with it.
        assert opened.read() == "left"
    assert [path.name for path in (project / LIBRARY).parent.glob("*.so*")] == ["libkernels.so"]
    assert not list((project / LIBRARY).parent.glob(".*"))


def test_an_editable_install_without_a_compiler_leaves_no_library_of_other_sources(
    project: Path,
) -> None:
    assert "more slowly" in install_editable(project, PATH="")
    assert not (project / LIBRARY).exists()


def test_the_sources_are_enough_to_build_it(project: Path, compiler: str) -> None:
    archive, _ = build(project, "sdist")
    with tarfile.open(archive) as opened:
        opened.extractall(project.parent / "unpacked", filter="data")
    (unpacked,) = (project.parent / "unpacked").iterdir()
    assert not (unpacked / LIBRARY).exists()
    wheel, _ = build(unpacked, CC=compiler, MADE="made")
    assert zipfile.ZipFile(wheel).read(LIBRARY) == b"made"


@pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler here"
)
def test_what_is_built_is_loaded(project: Path) -> None:
    wheel, said = build(project)
    assert "not built" not in said
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(project.parent / "installed")
    program = (
        "from wyoming_pocket_tts.engine import native\n"
        "print(native.__file__, native.library().wpt_version() == native.VERSION)\n"
    )
    # In an empty folder, so that it is not found anywhere else.
    empty = project.parent / "empty"
    empty.mkdir()
    done = run(empty, "-c", program, PYTHONPATH=str(project.parent / "installed"))
    assert done.stdout.split() == [
        str(project.parent / "installed" / LIBRARY).replace("libkernels.so", "__init__.py"),
        "True",
    ]
