"""Whether the arguments of a call make sense: of the right type, within bounds. Here, and not in the engine, where others' speech would end too."""

from __future__ import annotations

import numbers
from typing import Any

import torch

from wyoming_pocket_tts.tts.errors import WrongArgument

MIN_TOKENS = 5
# The largest seed that torch's generators take.
_MOST = 2**63 - 1


def check_whole(name: str, value: Any, low: int, high: int = _MOST) -> int:
    """A whole number within bounds, numpy's too; None, True and 3.0 are none.

    Returns:
        It, as Python's own.

    Raises:
        WrongArgument: names the argument.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise WrongArgument(f"{name} must be a whole number (int), not {_shown(value)}.")
    whole = int(value)
    if not low <= whole <= high:
        bounds = f"at least {low}" if whole < low and high == _MOST else f"between {low} and {high}"
        raise WrongArgument(f"{name} must be {bounds}, not {value}.")
    return whole


def check_number(name: str, value: Any, low: float, high: float) -> None:
    """A number within bounds; NaN is in none.

    Raises:
        WrongArgument: names the argument.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise WrongArgument(f"{name} must be a number, not {_shown(value)}.")
    if not low <= float(value) <= high:
        raise WrongArgument(f"{name} must be between {low} and {high}, not {value}.")


def check_type(name: str, value: Any, *types: type) -> None:
    """None, or one of some types.

    Raises:
        WrongArgument: names the argument.
    """
    if value is not None and not isinstance(value, types):
        wanted = " or ".join(kind.__name__ for kind in types)
        raise WrongArgument(f"{name} must be {wanted}, not {_shown(value)}.")


def check_device(device: Any) -> None:
    """The CPU, by name or as torch's device.

    Raises:
        WrongArgument: another device, or none.
    """
    try:
        wanted = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise WrongArgument(f"{device!r} is no device; the engine runs on the CPU.") from error
    if wanted.type != "cpu":
        raise WrongArgument(f"The engine runs on the CPU alone, not on {str(device)!r}.")


def check_stop(stop: Any) -> None:
    """None, or an event that can be asked.

    Raises:
        WrongArgument: it is neither.
    """
    if stop is not None and not callable(getattr(stop, "is_set", None)):
        raise WrongArgument(f"stop must be a threading.Event, not {_shown(stop)}.")


def _shown(value: object) -> str:
    return f"{str(value)[:50]!r} ({type(value).__name__})" if value is not None else "None"
