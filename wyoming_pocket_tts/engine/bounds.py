"""Checks of a configuration's numbers; what the numbers are is `engine.config`'s and `engine.mimi_config`'s business."""

from __future__ import annotations

from typing import Literal

# What a file says its tensors are; here all become float32.
DType = Literal["float32", "bfloat16", "float16"]

# Far beyond every model there is, and far below what would keep a machine busy with a slip of the pen.
MOST_LAYERS = 512
WIDEST = 65_536


def require(condition: bool, message: str) -> None:
    """Raises ValueError with the message unless the condition holds."""
    if not condition:
        raise ValueError(message)


def within(config: object, low: float, high: float, *names: str) -> None:
    """Requires the named numbers (and lists of numbers) of a configuration to lie between bounds; None is "not set"."""
    for name in names:
        value = getattr(config, name)
        for each in value if isinstance(value, tuple) else (value,):
            # Written so that what is no number fails too.
            require(
                each is None or low <= each <= high,
                f"{name} must be between {low} and {high}, not {each}",
            )
