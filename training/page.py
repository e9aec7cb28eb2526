"""A page with the figures, spectrograms and sounds of an evaluation, for a person to judge."""

from __future__ import annotations

import base64
import html
import struct
import wave
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from training.evaluate import Line

_SHOWN = 12  # sentences of each voice with a picture
_WINDOW, _HOP = 512, 128
_RANGE_DB = 80.0
_STYLE = (
    "body{font:15px sans-serif;margin:2em;max-width:70em}td,th{padding:.2em .8em;text-align:left}"
    "img{width:100%;height:130px;image-rendering:auto;border:1px solid #ccc}small{color:#555}"
)


def write_page(
    out: Path,
    texts: Sequence[str],
    summaries: Sequence[dict[str, object]],
    lines: Sequence[Line],
) -> None:
    """Writes index.html beside the sounds."""
    from training.evaluate import wav_path

    parts = [f"<!doctype html><meta charset=utf-8><title>Voices</title><style>{_STYLE}</style>"]
    parts.append("<h1>Voices</h1><table><tr>")
    parts += [f"<th>{html.escape(key.replace('_', ' '))}" for key in summaries[0]]
    for figures in summaries:
        cells = (
            f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in figures.values()
        )
        parts.append("<tr>" + "".join(f"<td>{html.escape(cell)}" for cell in cells))
    parts.append("</table>")
    for voice in dict.fromkeys(line.voice for line in lines):
        parts.append(f"<h2>{html.escape(voice)}</h2>")
        for line in (line for line in lines if line.voice == voice):
            index = texts.index(line.text)
            path = wav_path(out, voice, line.way, index)
            if index >= _SHOWN:
                continue
            parts.append(
                f"<p>{html.escape(line.text)} <b>{line.way}</b> <small>heard: "
                f"{html.escape(line.heard)} ({line.errors} of {line.words} wrong, {line.length:.2f} "
                f"of the teacher's length)</small><br><audio controls preload=none "
                f"src='{path.relative_to(out)}'></audio><img src='{_picture(path)}'>"
            )
    parts.append("<h2>All sounds</h2><ul>")
    for path in sorted((out / "wav").rglob("*.wav")):
        name = path.relative_to(out)
        parts.append(f"<li><a href='{name}'>{name}</a>")
    (out / "index.html").write_text("\n".join(parts), encoding="utf-8")


def _picture(path: Path) -> str:
    """A spectrogram as an address that holds it."""
    with wave.open(str(path)) as file:
        pcm = np.frombuffer(file.readframes(-1), np.int16) / 32768
    padded = np.pad(pcm, (0, _WINDOW))
    frames = np.lib.stride_tricks.sliding_window_view(padded, _WINDOW)[::_HOP]
    level = 20 * np.log10(np.abs(np.fft.rfft(frames * np.hanning(_WINDOW))) / 20 + 1e-6)
    grey = (255 * (-level / _RANGE_DB).clip(0, 1)).astype(np.uint8)
    return "data:image/png;base64," + base64.b64encode(png(grey.T[::-1])).decode()


def png(grey: npt.NDArray[np.uint8]) -> bytes:
    """A picture [rows, columns] in the PNG format."""
    rows, columns = grey.shape

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    lines = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(grey))
    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )
