"""`python -m wyoming_pocket_tts` is the command `wyoming-pocket-tts`."""

from __future__ import annotations

import sys

from wyoming_pocket_tts.cli import main

if __name__ == "__main__":
    sys.exit(main())
