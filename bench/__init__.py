"""Measurements of the engine, as ratios against the `pocket-tts` package on the same machine, weights and frames."""
