"""Lays the add-on as a folder that Home Assistant can build by itself: for trying a version that is not published.

    python3 scripts/addon_local.py FOLDER

The folder is the add-on with the Dockerfile and what the Dockerfile copies, the program's sources in a folder of their own; without `image:`, so that the
Supervisor builds instead of pulling. Copy it into Home Assistant's /addons: whatever processor that has, the native kernels are built for it there. Run by
`make addon-local`. Standard library alone.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What the Dockerfile copies as sources: the add-on has a README of its own, so they get a folder.
SOURCES = re.compile(r"^COPY pyproject\.toml .*\n(?:COPY .*\n)*", re.MULTILINE)
PROGRAM = "program"
COPIED = ("requirements.lock", "packaging/smoke.sh")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.so*")


def lay(folder: Path) -> None:
    """Fills the folder, the add-on's, anew; what is in it goes."""
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(ROOT / "addon", folder)
    config = (ROOT / "addon" / "config.yaml").read_text(encoding="utf-8")
    config, images = re.subn(r"^image: .*\n", "", config, flags=re.MULTILINE)
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    sources = SOURCES.findall(dockerfile)
    if images != 1 or len(sources) != 1:
        sys.exit(
            "addon/config.yaml or Dockerfile have changed: scripts/addon_local.py has to follow"
        )
    for name in COPIED:
        copy(name, folder)
    for line in sources[0].splitlines():
        for name in line.split()[1:-1]:
            copy(name, folder / PROGRAM)
    (folder / "config.yaml").write_text(config, encoding="utf-8")
    (folder / "Dockerfile").write_text(
        SOURCES.sub(f"COPY {PROGRAM} ./\n", dockerfile), encoding="utf-8"
    )


def copy(name: str, folder: Path) -> None:
    """Copies a file or a folder of the repository to the same place in another folder."""
    source, target = ROOT / name, folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=LEFT_OUT)
    else:
        shutil.copy2(source, target)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    lay(folder)
    print(f"{folder}: copy this folder into Home Assistant's /addons")


if __name__ == "__main__":
    main()
