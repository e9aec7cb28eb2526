"""A process of one side: loads, speaks 10 s, and tells when it was first heard and how much memory it took.

python -m bench.child ours | theirs
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.assets import assets, text_of


def main(side: str) -> None:
    files, text = assets("english"), text_of(24)
    if side == "ours":
        from bench.sides import Ours

        speaker = Ours(files, quantize=True)
    else:
        from bench.sides import Theirs

        speaker = Theirs(files, quantize=True)  # type: ignore[assignment]
    first = True
    for _ in speaker.frames(text):
        if first:
            print("first", flush=True)
            first = False
    status = Path("/proc/self/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    print(int(peak.split()[1]) / 1024, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
