"""The version: it stands in wyoming_pocket_tts/__init__.py, and everything else that names it has to agree.

    python3 scripts/version.py                  prints it
    python3 scripts/version.py --check [TAG]    exit code 1, with what differs, where something does not agree (with the tag)
    python3 scripts/version.py --set 0.2.0      writes it everywhere; the changelogs get a heading to be filled in

Standard library alone: CI runs it before anything is installed.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Where it stands: file -> the line, with the version as the group.
PLACES = {
    "wyoming_pocket_tts/__init__.py": r'^__version__ = "(.+)"$',
    "addon/config.yaml": r"^version: (.+)$",
    "CHANGELOG.md": r"^## \[(\d+\.\d+\.\d+\S*)\]",
    "addon/CHANGELOG.md": r"^## (\d+\.\d+\.\d+\S*)$",
}


def found() -> dict[str, str]:
    """File -> the first version that it names."""
    versions = {}
    for name, pattern in PLACES.items():
        match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        versions[name] = match[1] if match else "none"
    return versions


def differences(tag: str | None = None) -> list[str]:
    """What does not agree with the package, or with a tag."""
    versions = found()
    wanted = versions["wyoming_pocket_tts/__init__.py"] if tag is None else tag
    return [
        f"{name}: {version}, not {wanted}"
        for name, version in versions.items()
        if version != wanted
    ]


def write(version: str) -> None:
    """Names the version everywhere."""
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        sys.exit(f"{version!r} is no version such as 1.2.3 or 1.2.3rc1")
    today = datetime.date.today().isoformat()
    headings = {"CHANGELOG.md": f"## [{version}] - {today}", "addon/CHANGELOG.md": f"## {version}"}
    for name, old in found().items():
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        if old == version:
            continue
        match = re.search(PLACES[name], text, re.MULTILINE)
        if match is None:
            sys.exit(f"{name} names no version")
        start, end = match.span() if name in headings else match.span(1)
        new = f"{headings[name]}\n\n- ...\n\n{match[0]}" if name in headings else version
        path.write_text(text[:start] + new + text[end:], encoding="utf-8")
        print(name)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--check", nargs="?", const="", metavar="TAG")
    parser.add_argument("--set", metavar="VERSION")
    chosen = parser.parse_args()
    if chosen.set:
        write(chosen.set)
    elif chosen.check is not None:
        wrong = differences(chosen.check or None)
        if wrong:
            sys.exit("\n".join(wrong))
    else:
        print(found()["wyoming_pocket_tts/__init__.py"])


if __name__ == "__main__":
    main()
