"""Draws the ratios: how many times better ours is, with what is asked for as a mark."""

from __future__ import annotations

from typing import Any


def draw(lines: list[dict[str, Any]], path: str) -> None:
    """Writes a PNG.

    Args:
        lines: results as they are printed.
        path: the file.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    lines = list(reversed(lines))
    figure, axes = pyplot.subplots(figsize=(9, 0.42 * len(lines) + 1.2))
    rows = range(len(lines))
    colours = ["#2a7f62" if one["ratio"] >= one["at_least"] else "#b5523b" for one in lines]
    axes.barh(rows, [one["ratio"] for one in lines], color=colours, height=0.62)
    axes.scatter(
        [one["at_least"] for one in lines], rows, marker="|", s=220, color="black", zorder=3,
        label="at least",
    )  # fmt: skip
    for row, one in zip(rows, lines, strict=True):
        text = (
            f"{one['ratio']:.2f} x   ({one['ours']:.3g} against {one['theirs']:.3g} {one['unit']})"
        )
        axes.text(one["ratio"] + 0.05, row, text, va="center", fontsize=8)
    axes.set_yticks(list(rows), [one["figure"] for one in lines], fontsize=8)
    axes.set_xlim(0, 1.45 * max(one["ratio"] for one in lines))
    axes.set_xlabel("times better than pocket-tts 4.0.1 on the same machine, weights and frames")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower right", frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
