"""What must hold for the repository as a whole: versions that agree, an honest lock, files of a readable size, and a wheel that is complete."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from wyoming_pocket_tts import __version__

ROOT = Path(__file__).parents[2]
# "About 300": a file that would be cut for the number's sake alone may be somewhat longer.
MOST_LINES = 330


def tracked() -> list[Path]:
    """The files under version control; those of the source tree where there is none."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode == 0 and listing.stdout:
        return [
            ROOT / name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()
        ]
    hidden = re.compile(r"/(\.(?!ci|pre-commit|github)[^/]*|__pycache__|dist|build)(/|$)")
    found = (path for path in ROOT.rglob("*") if path.is_file())
    return [path for path in found if not hidden.search("/" + path.relative_to(ROOT).as_posix())]


def texts() -> dict[str, str]:
    """Path -> content of all tracked files that are text."""
    found = {}
    for path in tracked():
        data = path.read_bytes()
        if b"\0" not in data:
            found[path.relative_to(ROOT).as_posix()] = data.decode("utf-8")
    return found


def test_the_changelog_begins_with_the_version_of_the_package() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[(.+?)\]", changelog, flags=re.MULTILINE)
    assert versions
    released = [version for version in versions if version != "Unreleased"]
    assert released[0] == __version__
    assert released == sorted(released, key=lambda v: [int(n) for n in v.split(".")], reverse=True)
    sections = set(re.findall(r"^### (.+)$", changelog, flags=re.MULTILINE))
    assert sections <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_other_files_that_name_the_version_agree() -> None:
    script = [sys.executable, ROOT / "scripts" / "version.py"]
    checked = subprocess.run([*script, "--check"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert subprocess.run(script, capture_output=True, text=True, check=True).stdout.strip() == (
        __version__
    )
    other = subprocess.run(
        [*script, "--check", "9.9.9"], capture_output=True, text=True, check=False
    )
    assert other.returncode == 1
    # All four of them, so none was overlooked.
    for name in ("__init__.py", "addon/config.yaml", "CHANGELOG.md", "addon/CHANGELOG.md"):
        assert f"{name}: {__version__}, not 9.9.9" in other.stderr


def test_the_image_names_of_all_files_agree() -> None:
    image = "ghcr.io/wyoming-pocket-tts/wyoming-pocket-tts"
    assert f"image: {image}-addon\n" in (ROOT / "addon" / "config.yaml").read_text()
    assert f"image: {image}:latest\n" in (ROOT / "docker-compose.yaml").read_text()
    release = (ROOT / ".github" / "workflows" / "release.yaml").read_text()
    assert "image-name: wyoming-pocket-tts\n" in release
    assert "image-name: wyoming-pocket-tts-addon\n" in release


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yaml")))
def test_workflows_are_yaml_and_grant_little(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert job["runs-on"], name
        assert job["steps"], name
    tested = path.read_text(encoding="utf-8")
    if path.name == "test.yaml":
        for version in ("3.10", "3.11", "3.12", "3.13", "3.14", "ubuntu-24.04-arm"):
            assert version in tested


def test_the_licence() -> None:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert licence.startswith("MIT License")
    assert "Copyright (c) 2026 wyoming-pocket-tts contributors" in licence


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_locks_hold_exact_versions_and_no_addresses(name: str) -> None:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    assert wanted
    for line in wanted:
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.]*(; .+)?", line), line


def test_the_lock_serves_what_the_project_asks_for() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = {_normal(name) for name in re.findall(r"^([A-Za-z0-9_.-]+)==", lock, re.MULTILINE)}
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (block,) = re.findall(r"^dependencies = \[(.*?)^\]", project, re.MULTILINE | re.DOTALL)
    asked = {_normal(name) for name in re.findall(r'"([A-Za-z0-9_.-]+)', block)}
    assert asked
    assert asked <= locked, f"run `make lock`: {sorted(asked - locked)} is missing"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_no_file_names_a_package_index_or_holds_a_token() -> None:
    # In pieces, for this file is looked at too.
    hosts = ["py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "npm" + "js.com"]
    hosts += ["deb." + "debian.org", "security." + "debian.org"]
    token = re.compile(r"\b" + "hf" + r"_[A-Za-z0-9]{20,}")
    for name, text in texts().items():
        for host in hosts:
            assert host not in text, f"{name} names {host}"
        assert not token.search(text), f"{name} holds a token"


def test_files_are_of_a_readable_size() -> None:
    for path in tracked():
        name = path.relative_to(ROOT).as_posix()
        # Tests and tables of words may be longer: nobody reads them from top to bottom.
        if (
            path.suffix == ".py"
            and not name.startswith("tests/")
            and not name.endswith("_tables.py")
        ):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            assert lines <= MOST_LINES, (
                f"{name} has {lines} lines: give one of its ideas a file of its own"
            )


def test_every_module_says_what_it_is() -> None:
    for path in tracked():
        if path.suffix == ".py":
            module = ast.parse(path.read_text(encoding="utf-8"))
            if module.body:
                assert ast.get_docstring(module), f"{path} has no docstring"
            if len(module.body) > 1:
                annotations = "from __future__ import annotations"
                assert annotations in map(ast.unparse, module.body), f"{path} lacks {annotations}"


def test_adrs_are_numbered_and_short() -> None:
    records = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert records
    numbers = [int(path.name[:4]) for path in records]
    assert numbers == sorted(set(numbers))
    for path in records:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"# {path.name[:4]} "), path
        assert len(text.splitlines()) <= 80, path
