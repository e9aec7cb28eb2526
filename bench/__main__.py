"""Runs figures, each in a process of its own, and prints one JSON line per result.

python -m bench                      all of them, ten to fifteen minutes
python -m bench int8 processes       some
python -m bench --plot speed.png     also draws them
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys

from bench.figures import FIGURES


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=", ".join(FIGURES))
    parser.add_argument("--plot", metavar="FILE", help="draw the ratios into a PNG")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    unknown = set(arguments.figures) - set(FIGURES)
    if unknown:
        parser.error(f"unknown figure {min(unknown)!r}; there are {', '.join(FIGURES)}")
    if arguments.here:
        for name in arguments.figures:
            for result in FIGURES[name]():
                values = dataclasses.asdict(result)
                for key in ("ours", "theirs", "ratio", "at_least", "aim"):
                    values[key] = round(values[key], 3)
                print(json.dumps(values), flush=True)
        return 0
    lines, failed = [], False
    for name in arguments.figures or FIGURES:
        command = [sys.executable, "-m", "bench", "--here", name]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                print(line, end="", flush=True)
                lines.append(json.loads(line))
        failed |= process.returncode != 0
    if arguments.plot:
        from bench.plot import draw

        draw(lines, arguments.plot)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
