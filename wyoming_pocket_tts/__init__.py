"""A text-to-speech server for Home Assistant and other Wyoming clients, on its own Pocket TTS engine.

For Python: `TTSModel` and what goes with it (`wyoming_pocket_tts.tts`), imported when it is first named, since torch takes a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

__all__ = ["ModelState", "TTSModel", "TextOptions", "__version__", "export_model_state"]

if TYPE_CHECKING:
    from wyoming_pocket_tts.text.options import TextOptions
    from wyoming_pocket_tts.tts import ModelState, TTSModel, export_model_state

_HOMES = {
    "ModelState": "wyoming_pocket_tts.tts",
    "TTSModel": "wyoming_pocket_tts.tts",
    "TextOptions": "wyoming_pocket_tts.text.options",
    "export_model_state": "wyoming_pocket_tts.tts",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
