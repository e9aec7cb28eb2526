"""Writes requirements.lock (what the server runs on) and requirements-dev.lock (what its tests need besides).

Run by `make lock`. It asks pip to resolve pyproject.toml in a new environment and freezes what came out: exact versions, no addresses, no
index options, so that the files serve on every machine whatever index or mirror its pip is set up with. torch is pinned here and not
resolved: the newest one brings gigabytes of GPU libraries on machines that have no use for them.

Standard library alone: it runs before anything is installed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parent.parent

TORCH_PINS = {
    # For this machine type, 2.9.1 is the last release whose plain wheel is a CPU build.
    'platform_machine == "aarch64" or platform_machine == "arm64"': "2.9.1",
    'platform_machine != "aarch64" and platform_machine != "arm64"': "2.13.0",
}

# The oldest Python we serve gets older releases of what has left it behind; pip resolves for it without running it.
OLDEST_PYTHON = "3.10"
# Not every index says which Pythons a release runs on, or has it built for; these pip would choose too new.
KNOWN_OLDER = {"networkx": "3.4.2", "pocketsphinx": "5.0.4"}
LEFT_OUT = {"pip", "wheel", "wyoming-pocket-tts"}
# Resolving these for another Python would fetch a torch for it; they are the same there.
NEED_TORCH = {"torch", "pocket-tts"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--constraints", type=Path, help="versions to prefer, in pip's format")
    constraints = parser.parse_args().constraints
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    runtime = project["dependencies"]
    development = [need for extra in project["optional-dependencies"].values() for need in extra]
    options = ["--constraint", str(constraints)] if constraints else []
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        install(python, [*options, f"torch=={list(TORCH_PINS.values())[-1]}"])
        install(python, [*options, *runtime])
        base = freeze(python)
        install(python, [*options, *runtime, *development])
        everything = freeze(python)
        older = resolve_for_oldest(python, everything, fit_for_oldest(python))
        older_base = resolve_for_oldest(python, base, fit_for_oldest(python))
    moved = {name for name, version in base.items() if everything.get(name) != version}
    if moved:
        sys.exit(
            f"the tests' requirements move {', '.join(sorted(moved))}: give them bounds in pyproject.toml"
        )
    tests = {name: version for name, version in everything.items() if name not in base}
    older_base = {name: older[name] for name in older_base}
    older_tests = {name: version for name, version in older.items() if name not in older_base}
    write(ROOT / "requirements.lock", "What the server runs on.", base, older_base)
    write(
        ROOT / "requirements-dev.lock",
        "What lint, types and tests need besides requirements.lock.",
        tests,
        older_tests,
    )


def install(python: Path, arguments: list[str]) -> None:
    subprocess.run([python, "-m", "pip", "install", "--quiet", *arguments], check=True)


def freeze(python: Path) -> dict[str, str]:
    """Name -> version of what is installed; names as in the package index, versions without local parts."""
    listing = subprocess.run(
        [python, "-m", "pip", "freeze", "--all"], check=True, capture_output=True, text=True
    ).stdout
    versions = dict(re.findall(r"^([A-Za-z0-9_.-]+)==([^+\s]+)", listing, flags=re.MULTILINE))
    return {name: version for name, version in versions.items() if normal(name) not in LEFT_OUT}


def fit_for_oldest(python: Path) -> set[str]:
    """Normal names of the installed packages whose release runs on the oldest Python too."""
    program = (
        "from importlib.metadata import distributions\n"
        "from pip._vendor.packaging.specifiers import SpecifierSet\n"
        "for package in distributions():\n"
        f"    if {OLDEST_PYTHON!r} in SpecifierSet(package.metadata.get('Requires-Python', '')):\n"
        "        print(package.name)\n"
    )
    names = subprocess.run(
        [python, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    return {normal(name) for name in names.split()}


def resolve_for_oldest(python: Path, versions: dict[str, str], fit: set[str]) -> dict[str, str]:
    """What the oldest Python needs otherwise: name -> version (markers are still those of this Python)."""
    names = {name for name in versions if normal(name) not in NEED_TORCH}
    pins = {name: versions[name] for name in names if normal(name) in fit} | {
        name: KNOWN_OLDER[name] for name in names & KNOWN_OLDER.keys()
    }
    needs = [f"{name}=={pins[name]}" if name in pins else name for name in sorted(names)]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        install(
            python,
            [
                "--dry-run",
                "--report",
                str(report),
                "--target",
                folder,
                "--only-binary=:all:",
                "--python-version",
                OLDEST_PYTHON,
                *needs,
            ],
        )
        found = {
            entry["metadata"]["name"]: entry["metadata"]["version"]
            for entry in json.loads(report.read_text())["install"]
        }
    known = {normal(name): version for name, version in versions.items()}
    return {name: version for name, version in found.items() if known.get(normal(name)) != version}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def lines(name: str, version: str, older: dict[str, str]) -> list[str]:
    """The lock's lines for one package, with markers where one version does not serve all."""
    if normal(name) == "torch":
        return [f"{name}=={pin}; {marker}" for marker, pin in TORCH_PINS.items()]
    if normal(name) in older:
        return [f'{name}=={version}; python_version > "{OLDEST_PYTHON}"']
    return [f"{name}=={version}"]


def write(path: Path, title: str, versions: dict[str, str], older: dict[str, str]) -> None:
    moved = {normal(name): version for name, version in older.items()}
    body = [line for name, version in versions.items() for line in lines(name, version, moved)]
    body += [
        f'{name}=={version}; python_version == "{OLDEST_PYTHON}"' for name, version in older.items()
    ]
    head = f"# {title} Made by `make lock`: change pyproject.toml, not this file.\n"
    path.write_text(head + "\n".join(sorted(body, key=str.lower)) + "\n")
    print(f"{path.name}: {len(versions)} packages")


if __name__ == "__main__":
    main()
