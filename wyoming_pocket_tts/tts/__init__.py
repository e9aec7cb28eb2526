"""The library: speech from Python, with the names and the manners of the `pocket-tts` package.

    from wyoming_pocket_tts import TTSModel

    model = TTSModel.load_model()
    voice = model.get_state_for_audio_prompt("alba")
    audio = model.generate_audio(voice, "Hello world.")

`model` is what users see; `finding` finds what is to be loaded, `prompts` makes voices of what they are given, `speech` says one text.
It stands beside the synthesizer, over the same engine: no event loop, no settings, no servers.

Source of the interface: `models/tts_model.py` of `pocket-tts` 4.0.1.
"""

from __future__ import annotations

from wyoming_pocket_tts.tts.model import TTSModel
from wyoming_pocket_tts.tts.state import ModelState, export_model_state

__all__ = ["ModelState", "TTSModel", "export_model_state"]
