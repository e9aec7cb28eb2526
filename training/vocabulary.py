"""The vocabulary: a small SentencePiece model that folds case.

Few pieces, because there is little speech: each has to be met often, in all its pronunciations. More than letters, because a segment of
the server has at most 50 pieces, which should be a sentence.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

from training.settings import model_config

FILE = "tokenizer.model"
# How often a piece is split further in training, so that rare ones learn from frequent ones.
_DROPOUT = 0.1


class Vocabulary:
    """Texts to ids, in training now and then in smaller pieces than need be."""

    def __init__(self, folder: Path, seed: int) -> None:
        import sentencepiece

        self._processor: Any = sentencepiece.SentencePieceProcessor(model_file=str(folder / FILE))
        sentencepiece.set_random_generator_seed(seed)
        self._random = random.Random(seed)

    def encode(self, text: str, *, training: bool = False) -> list[int]:
        """Ids of a text."""
        if training and self._random.random() < 0.5:
            ids = self._processor.EncodeAsIds(
                text, enable_sampling=True, alpha=_DROPOUT, nbest_size=-1
            )
        else:
            ids = self._processor.EncodeAsIds(text)
        return list(ids)


def train_vocabulary(texts: list[str], target: Path, pieces: int) -> None:
    """Learns the pieces from the texts."""
    import sentencepiece

    with target.open("wb") as file:
        sentencepiece.SentencePieceTrainer.Train(
            sentence_iterator=iter(texts),
            model_writer=file,
            vocab_size=pieces,
            model_type="bpe",
            normalization_rule_name="nmt_nfkc_cf",
            character_coverage=1.0,
            bos_id=-1,
            eos_id=-1,
            num_threads=1,
            minloglevel=2,
        )


def main() -> None:
    """Learns the vocabulary from the texts."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    arguments = parser.parse_args()
    texts = json.loads((arguments.folder / "texts.json").read_text(encoding="utf-8"))
    pieces = model_config().flow_lm.lookup_table.n_bins
    train_vocabulary(texts, arguments.folder / FILE, pieces)
    vocabulary = Vocabulary(arguments.folder, 0)
    tokens = sum(len(vocabulary.encode(text)) for text in texts)
    print(f"{pieces} pieces; a token is {sum(map(len, texts)) / tokens:.2f} characters")


if __name__ == "__main__":
    main()
