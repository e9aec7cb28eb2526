"""The local add-on folder: complete in itself, and built by Home Assistant, not pulled."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "pocket_tts"
    made.mkdir()
    (made / "old").touch()
    script("addon_local").lay(made)
    return made


def test_what_the_dockerfile_copies_is_there(folder: Path) -> None:
    dockerfile = (folder / "Dockerfile").read_text(encoding="utf-8")
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, re.MULTILINE)
    names = [name for line in copied for name in line.split()]
    assert set(names) == {"requirements.lock", "program", "packaging/smoke.sh"}
    for name in names:
        assert (folder / name).exists(), name
    assert not (folder / "old").exists()


def test_the_program_is_in_it_as_sources_for_whatever_processor(folder: Path) -> None:
    """All that the Dockerfile copies of them for the published image, and nothing that was built here."""
    for line in re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text(), re.M):
        for name in line.split():
            assert (folder / name).exists() or (folder / "program" / name).exists(), name
    native = folder / "program" / "wyoming_pocket_tts" / "engine" / "native"
    assert (native / "kernels.c").exists()
    assert not list(folder.rglob("*.so"))
    assert not list(folder.rglob("__pycache__"))


def test_it_is_the_add_on_without_a_published_image(folder: Path) -> None:
    published = yaml.safe_load((ROOT / "addon" / "config.yaml").read_text(encoding="utf-8"))
    local = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
    assert local == {key: value for key, value in published.items() if key != "image"}
    for path in (ROOT / "addon").rglob("*"):
        assert (folder / path.relative_to(ROOT / "addon")).exists(), path


def test_what_is_copied_gets_to_the_builder() -> None:
    """.dockerignore lets in what the Dockerfile copies, and the Dockerfile copies what is there."""
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    let_in = set(re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
    for line in re.findall(r"^COPY (?!--from)(.+) \S+$", dockerfile, re.MULTILINE):
        for name in line.split():
            assert name in let_in, name
            assert (ROOT / name).exists(), name


def test_making_it_installs_nothing_that_the_program_runs_on(tmp_path: Path) -> None:
    """Whoever copies it to a home has pip, and neither the time nor the room for torch."""
    command = ["make", "-n", "-C", str(ROOT), "addon-local", f"VENV={tmp_path / 'venv'}"]
    made = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "addon_local.py" in made
    assert "requirements.lock" not in made
    assert "torch" not in made.replace(str(ROOT), "")


def test_the_released_docker_image_is_the_stage_before_the_add_ons() -> None:
    """The action that builds it takes a Dockerfile's last stage, so the workflow cuts the add-on's off."""
    release = (ROOT / ".github" / "workflows" / "release.yaml").read_text(encoding="utf-8")
    (cut,) = re.findall(r"(sed .+ Dockerfile) > Dockerfile\.server", release)
    left = subprocess.run(cut, shell=True, cwd=ROOT, capture_output=True, text=True, check=True)
    whole = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.findall(r"^FROM .+ AS (\w+)$", whole, re.MULTILINE)[-2:] == ["server", "addon"]
    assert re.findall(r"^FROM .+ AS (\w+)$", left.stdout, re.MULTILINE)[-1] == "server"
    assert left.stdout.rstrip().endswith('org.opencontainers.image.version="${BUILD_VERSION}"')
