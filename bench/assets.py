"""What both sides are measured on: random weights in the package's own format, a tokenizer, a voice.

Speed does not depend on the values of weights. Made once and kept under .cache/bench of the source tree.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import sentencepiece
import yaml

FOLDER = Path(__file__).resolve().parent.parent / ".cache" / "bench"
_PIECES = 4000
_VOICE_SECONDS = 10


@dataclass(frozen=True)
class Assets:
    """Files of one model.

    Attributes:
        config: YAML that names the other files; read by both sides.
        voice: voice state of 10 s of audio.
    """

    config: Path
    voice: Path


def tokenizer() -> Path:
    """A SentencePiece model of 4000 pieces, trained on random words."""
    path = FOLDER / "tokenizer.model"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        chance = random.Random(1)
        letters = "etaoinshrdlucmfwypvbgkjqxz"
        words = [
            "".join(chance.choice(letters) for _ in range(chance.randint(2, 9)))
            for _ in range(9000)
        ]
        corpus = FOLDER / "corpus.txt"
        lines = (" ".join(chance.choice(words) for _ in range(12)) for _ in range(6000))
        corpus.write_text("\n".join(lines))
        sentencepiece.SentencePieceTrainer.train(
            input=str(corpus),
            model_prefix=str(FOLDER / "tokenizer"),
            vocab_size=_PIECES,
            byte_fallback=True,
            minloglevel=2,
        )
    return path


def assets(model: str) -> Assets:
    """The files of a model of the package, made when they are not there."""
    folder = FOLDER / model
    found = Assets(folder / f"{model}.yaml", folder / "voice.safetensors")
    if not found.voice.exists():
        _make(model, found)
    return found


def text_of(tokens: int) -> str:
    """A sentence of exactly so many tokens, as both sides tokenize it."""
    spoken = sentencepiece.SentencePieceProcessor(model_file=str(tokenizer()))
    words: list[str] = []
    chance = random.Random(tokens)
    pieces = [piece[1:] for piece in map(spoken.id_to_piece, range(300, 1500)) if piece[0] == "▁"]
    pieces = [piece for piece in pieces if piece.isalpha() and len(piece) > 1]
    while True:
        words.append(chance.choice(pieces))
        text = " ".join(words).capitalize() + "."
        length = len(spoken.encode(text))
        if length == tokens:
            return text
        if length > tokens:
            words = words[: len(words) // 2]


def _make(model: str, found: Assets) -> None:
    import safetensors.torch
    import torch
    from pocket_tts.models.mimi import build_mimi
    from pocket_tts.models.model_state import export_model_state
    from pocket_tts.models.tts_model import TTSModel, stamp_state_names
    from pocket_tts.utils.config import CONFIGS_DIR, Config

    values = yaml.safe_load((CONFIGS_DIR / f"{model}.yaml").read_text())
    values["flow_lm"]["lookup_table"].update(
        n_bins=_PIECES, tokenizer="sentencepiece", tokenizer_path=str(tokenizer())
    )
    folder = found.config.parent
    folder.mkdir(parents=True, exist_ok=True)
    values["weights_path"] = str(folder / "model.safetensors")
    del values["weights_path_without_voice_cloning"]
    torch.manual_seed(0)
    config = Config(**values)
    built = TTSModel._from_pydantic_config(config, 0.3, 1, None, 1e9, None)
    width = config.mimi.inner_dim or config.mimi.seanet.dimension
    built.flow_lm.speaker_proj_weight = torch.nn.Parameter(
        0.02 * torch.randn(config.flow_lm.transformer.d_model, width)
    )
    built.mimi = build_mimi(config.mimi)
    with torch.no_grad():
        for name, tensor in built.state_dict().items():
            # Layer scales of 0.01 would hide what an attention layer of the codec does to the signal.
            if name.endswith(".scale"):
                tensor.fill_(0.3)
    built.eval()
    stamp_state_names(built)
    safetensors.torch.save_file(built.state_dict(), values["weights_path"])
    audio = 0.1 * torch.randn(1, _VOICE_SECONDS * config.mimi.sample_rate)
    found.config.write_text(yaml.safe_dump(values))
    export_model_state(built.get_state_for_audio_prompt(audio), found.voice)
