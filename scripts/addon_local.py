"""Lays the add-on as a folder that Home Assistant can build by itself: for trying a version that is not published.

    python3 scripts/addon_local.py WHEEL FOLDER

The folder is the add-on with the Dockerfile, what the Dockerfile copies, and the program as a wheel; without `image:`, so that the Supervisor builds instead of
pulling. Copy it into Home Assistant's /addons. Run by `make addon-local`. Standard library alone.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What the Dockerfile copies as sources, and what takes its place here.
SOURCES = re.compile(
    r"^COPY pyproject\.toml.*\n(?:COPY .*\n)*(RUN .* install .*) \. \\$", re.MULTILINE
)
COPIED = ("requirements.lock", "packaging/smoke.sh")


def lay(wheel: Path, folder: Path) -> None:
    """Fills the folder anew.

    Args:
        wheel: the program.
        folder: the add-on's; what is in it goes.
    """
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(ROOT / "addon", folder)
    for name in COPIED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    shutil.copy2(wheel, folder / wheel.name)
    config = (ROOT / "addon" / "config.yaml").read_text(encoding="utf-8")
    config, images = re.subn(r"^image: .*\n", "", config, flags=re.MULTILINE)
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    dockerfile, places = SOURCES.subn(rf"COPY {wheel.name} ./\n\1 ./{wheel.name} \\", dockerfile)
    if images != 1 or places != 1:
        sys.exit(
            "addon/config.yaml or Dockerfile have changed: scripts/addon_local.py has to follow"
        )
    (folder / "config.yaml").write_text(config, encoding="utf-8")
    (folder / "Dockerfile").write_text(dockerfile, encoding="utf-8")


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    wheel, folder = Path(sys.argv[1]), Path(sys.argv[2])
    lay(wheel, folder)
    print(f"{folder}: copy this folder into Home Assistant's /addons")


if __name__ == "__main__":
    main()
