"""What the memory budget does: three full-size models take turns within it, and the process is weighed after each.

    python -m bench.memory_budget [--budget 600] [--model english]

The weights are random and written to a temporary folder; how much memory they need does not depend on their values.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file

from tests.parity.reference import pieces, tokenizer_path
from wyoming_pocket_tts.engine.config import ModelConfig
from wyoming_pocket_tts.engine.layout import tensor_shapes
from wyoming_pocket_tts.engine.state import VoiceState
from wyoming_pocket_tts.models.book import Voice
from wyoming_pocket_tts.models.catalogue import Catalogue
from wyoming_pocket_tts.models.host import ModelHost
from wyoming_pocket_tts.models.loading import EngineOptions, LoadedModel, ModelEntry

_MODELS = 3
_VOICE_FRAMES = 125


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budget", type=int, metavar="MIB", help="default: none")
    parser.add_argument("--model", default="english", help="a model of the catalogue")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        entries = _write_models(Catalogue.load().model(chosen.model).config, Path(folder))
        asyncio.run(_take_turns(entries, chosen.budget))


def _write_models(config: ModelConfig, folder: Path) -> list[ModelEntry]:
    table = dataclasses.replace(
        config.flow_lm.lookup_table,
        tokenizer="sentencepiece",
        tokenizer_path=tokenizer_path(),
        n_bins=pieces(),
    )
    flow_lm = dataclasses.replace(config.flow_lm, lookup_table=table)
    config = dataclasses.replace(config, flow_lm=flow_lm, weights_path_without_voice_cloning=None)
    generator = torch.Generator().manual_seed(1)
    weights = {
        name: 0.02 * torch.randn(shape, generator=generator)
        for name, shape in tensor_shapes(config).items()
    }
    entries = []
    for index in range(_MODELS):
        weights["flow_lm.bos_emb"][0] = index
        path = folder / f"{index}.safetensors"
        save_file(weights, path)
        own = dataclasses.replace(config, weights_path=str(path))
        entries.append(ModelEntry(f"model-{index}", own))
    return entries


async def _take_turns(entries: list[ModelEntry], budget_mib: int | None) -> None:
    host = ModelHost(
        entries, EngineOptions(slots=1), Path, budget_mib=budget_mib, read_voice=_silent_voice
    )
    try:
        for entry in entries * 2:
            async with host.use(Voice("voice", entry.name, "none", ("en",))) as speaker:
                size_mib = speaker.model.nbytes / 2**20
            del speaker
            await asyncio.sleep(1)  # what was dropped is given back a moment later
            print(f"{entry.name} ({size_mib:.0f} MiB) was used: {_private_mib()} MiB in memory")
    finally:
        await host.close()


def _silent_voice(voice: Voice, model: LoadedModel) -> VoiceState:
    transformer = model.entry.config.flow_lm.transformer
    shape = (_VOICE_FRAMES, transformer.kv_heads, transformer.head_width)
    layers = tuple(torch.zeros(shape) for _ in range(transformer.num_layers))
    return VoiceState(layers, layers)


def _private_mib() -> int:
    """Resident memory that is not backed by a file (Linux)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) // 1024
    raise RuntimeError("/proc/self/status has no RssAnon")


if __name__ == "__main__":
    main()
