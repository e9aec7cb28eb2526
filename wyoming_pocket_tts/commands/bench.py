"""`wyoming-pocket-tts bench`: how fast this machine speaks, in two minutes and without a download."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from typing import TYPE_CHECKING, Any

from wyoming_pocket_tts.commands import common

if TYPE_CHECKING:
    from wyoming_pocket_tts.benchmark import Figures
    from wyoming_pocket_tts.engine.tuning import Measurement

_EPILOG = """\
examples:
  wyoming-pocket-tts bench
  wyoming-pocket-tts bench --language english_18m_2026-10 --no-quantize
  wyoming-pocket-tts bench --tune --json

Weights are zeros of the model's shapes: speed does not depend on their values,
and nothing is downloaded. Stop what else runs on the machine; over 1 x real
time speech does not stutter, and Home Assistant feels every x above that.
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Adds `bench` to the command line."""
    parser = common.make_parser(
        subparsers, "bench", "measure how fast this machine speaks", _EPILOG, "[flags]"
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("--language", dest="model", metavar="NAME", help="model (default english)")
    add(
        "--quantize",
        action=argparse.BooleanOptionalAction,
        help="8-bit weights where faster (default)",
    )
    add("--tune", action="store_true", help="choose kernels and threads anew, and show why")
    add("--rounds", metavar="N", type=int, help="of each figure (default 5)")
    add("--json", action="store_true", help="for programs: one object")
    common.add_cache_flag(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prints the figures."""
    from wyoming_pocket_tts import benchmark, cli
    from wyoming_pocket_tts.assembly import released_model
    from wyoming_pocket_tts.models.catalogue import Catalogue

    name = getattr(arguments, "model", "english")
    model = released_model(Catalogue.load(), name)
    tune = getattr(arguments, "tune", False)
    figures = benchmark.run(
        model.config,
        quantize=getattr(arguments, "quantize", True),
        folder=common.make_fetcher(common.server_settings(arguments)).own_folder,
        again=tune,
        rounds=max(1, getattr(arguments, "rounds", 5)),
        report=_show if tune else _ignore,
    )
    if getattr(arguments, "json", False):
        print(json.dumps({"model": model.name, **dataclasses.asdict(figures)}))
    else:
        _print(model.name, figures)
    return cli.EXIT_OK


def _ignore(measurement: Measurement) -> None:
    pass


def _show(measurement: Measurement) -> None:
    print(f"{measurement.milliseconds:10.1f} ms  {measurement.what}", file=sys.stderr)


def _print(name: str, figures: Figures) -> None:
    plan, split = figures.plan, figures.split
    threads = "FlowLM and codec side by side" if split.pipeline else "one after the other"
    rows = [
        ("model", f"{name}, {figures.parameters / 1e6:.0f} M parameters"),
        ("machine", figures.machine),
        ("kernels", f"FlowLM {plan.transformer}, flow head {plan.head}, codec {plan.codec}"),
        ("threads", f"{threads}, {split.threads} within an operation"),
        ("one listener", f"{figures.x_real_time:.1f} x real time"),
        *(
            (f"{listeners} at once", f"{speed:.1f} x real time in sum")
            for listeners, speed in figures.together.items()
        ),
        ("first audio", f"{figures.first_audio_ms:.0f} ms"),
        ("memory", f"{figures.peak_mib:.0f} MiB at its highest, measuring included"),
    ]
    for label, value in rows:
        print(f"{label:<14} {value}")
