"""The names that tensors have in files, and the canonical names the engine knows them by.

A combined file uses the canonical names. Split files come from training: FlowLM's with the names of its conditioners, Mimi's with doubled
convolution names, weight norm and the parts of a quantizer that are not used here. Names only; no tensor is read.

Source: how `pocket-tts` 4.0.1 loads split files; the layout of Moshi's Mimi checkpoints (arXiv 2410.00037).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

_FLOW_RENAMES = {
    "condition_provider.conditioners.transcript_in_segment.embed.weight": "conditioner.embed.weight",
    "condition_provider.conditioners.speaker_wavs.output_proj.weight": "speaker_proj_weight",
    "fuser.padding_value": "bos_before_voice",
}
_FLOW_SKIPPED = frozenset(
    {
        "condition_provider.conditioners.transcript_in_segment.learnt_padding",
        "condition_provider.conditioners.speaker_wavs.learnt_padding",
        "num_ema_updates",
    }
)
_FLOW_SKIPPED_PREFIX = "flow.w_s_t."
# Parts of Mimi's training that neither half needs: codebooks, the WavLM distillation, the variance heads.
_MIMI_SKIPPED_PARTS = ("_codebook", "wavlm", "quantizer.vq.", "quantizer.logvar_")


@dataclass(frozen=True)
class Stored:
    """How a tensor lies in a file: as it is, or as direction and length of weight norm (over all but the first dimension)."""

    key: str
    norm_key: str | None = None


@dataclass
class Layout:
    """What a file holds.

    Attributes:
        tensors: by canonical name.
        strangers: keys that mean nothing here, with the reason.
    """

    tensors: dict[str, Stored] = field(default_factory=dict)
    strangers: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, stored: Stored) -> None:
        """Notes where a tensor lies; a second place for one is a stranger."""
        if name in self.tensors:
            self.strangers[stored.key] = f"is {name} once more"
        else:
            self.tensors[name] = stored


def combined_layout(keys: Iterable[str], *, without_mimi: bool = False) -> Layout:
    """A file with `flow_lm.*` and `mimi.*`; the latter left out where a Mimi file of its own replaces them."""
    layout = Layout()
    for key in keys:
        if not (without_mimi and key.startswith("mimi.")):
            layout.add(key, Stored(key))
    return layout


def flow_layout(keys: Iterable[str]) -> Layout:
    """A file with FlowLM alone."""
    layout = Layout()
    for key in keys:
        if key in _FLOW_SKIPPED or key.startswith(_FLOW_SKIPPED_PREFIX):
            continue
        name = _FLOW_RENAMES.get(key, key).replace("in_proj_weight", "in_proj.weight")
        layout.add(f"flow_lm.{name}", Stored(key))
    return layout


def mimi_layout(keys: Collection[str], known: Collection[str]) -> Layout:
    """A file with Mimi alone, or a combined one of which only Mimi is wanted.

    Args:
        keys: the file's keys.
        known: canonical names of the model; a doubled name that is canonical as it is stays so.
    """
    layout = Layout()
    if any(key.startswith("mimi.") for key in keys):
        for key in keys:
            if key.startswith("mimi."):
                layout.add(key, Stored(key))
        return layout
    for key in keys:
        if any(part in key for part in _MIMI_SKIPPED_PARTS):
            continue
        if key.endswith(".weight_g"):
            stem = key.removesuffix("_g")
            direction = f"{stem}_v"
            if direction in keys:
                layout.add(_mimi_name(stem, known), Stored(direction, norm_key=key))
            else:
                layout.strangers[key] = "has no weight_v beside it"
        elif key.endswith(".weight_v"):
            if f"{key.removesuffix('_v')}_g" not in keys:
                layout.strangers[key] = "has no weight_g beside it"
        else:
            layout.add(_mimi_name(key, known), Stored(key))
    return layout


def _mimi_name(key: str, known: Collection[str]) -> str:
    plain = f"mimi.{key.removeprefix('model.')}".replace("in_proj_weight", "in_proj.weight")
    if plain in known:
        return plain
    return plain.replace(".conv.conv.", ".conv.").replace(".convtr.convtr.", ".convtr.")
