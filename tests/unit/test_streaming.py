"""Streaming equals offline: the same result however a stream is cut, for each stateful part and for the decoder."""

from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional

from tests import tiny
from wyoming_pocket_tts.engine import mimi
from wyoming_pocket_tts.engine.layers import RotaryTable, Weights, causal_mask, rotate

TOLERANCE = 1e-5


def _stream(layer: mimi._Layer, x: Tensor, cuts: list[int]) -> Tensor:
    """Runs x [B, T, C] through a layer in pieces."""
    history = [torch.zeros(x.shape[0], rows, channels) for rows, channels in layer.histories]
    outputs = []
    done = 0
    for length in cuts:
        memory = mimi._History(history, slice(0, x.shape[0]), [done == 0] * x.shape[0])
        outputs.append(layer(x[:, done : done + length], memory))
        done += length
    assert done == x.shape[1]
    return torch.cat(outputs, dim=1)


def _cuts(total: int) -> st.SearchStrategy[list[int]]:
    def build(marks: set[int]) -> list[int]:
        edges = [0, *sorted(marks), total]
        return [end - start for start, end in itertools.pairwise(edges)]

    return st.sets(st.integers(1, total - 1), max_size=6).map(build)


@settings(max_examples=30, deadline=None)
@given(
    kernel=st.integers(1, 7),
    dilation=st.integers(1, 3),
    replicate=st.booleans(),
    cuts=_cuts(24),
)
def test_convolution(kernel: int, dilation: int, replicate: bool, cuts: list[int]) -> None:
    torch.manual_seed(kernel)
    tensors = {"weight": torch.randn(5, 3, kernel), "bias": torch.randn(5)}
    layer = mimi._Conv(Weights(tensors), dilation, replicate)
    x = torch.randn(2, 24, 3)
    padding = ((kernel - 1) * dilation, 0)
    padded = functional.pad(
        x.transpose(1, 2), padding, mode="replicate" if replicate and padding[0] else "constant"
    )
    offline = functional.conv1d(padded, tensors["weight"], tensors["bias"], dilation=dilation)
    streamed = _stream(layer, x, cuts)
    assert torch.allclose(streamed, offline.transpose(1, 2), atol=TOLERANCE)


@settings(max_examples=30, deadline=None)
@given(stride=st.integers(1, 6), cuts=_cuts(20))
def test_transposed_convolution(stride: int, cuts: list[int]) -> None:
    torch.manual_seed(stride)
    tensors = {"weight": torch.randn(3, 5, 2 * stride), "bias": torch.randn(5)}
    layer = mimi._TransposedConv(Weights(tensors), stride)
    x = torch.randn(2, 20, 3)
    offline = functional.conv_transpose1d(
        x.transpose(1, 2), tensors["weight"], tensors["bias"], stride=stride
    )
    # What is still to be overlapped by later input is not part of the stream.
    expected = offline[..., : 20 * stride].transpose(1, 2)
    assert torch.allclose(_stream(layer, x, cuts), expected, atol=TOLERANCE)


def test_upsampling() -> None:
    torch.manual_seed(0)
    weight = torch.randn(6, 1, 8)
    upsample = mimi._Upsample(weight)
    x = torch.randn(2, 9, 6)
    offline = functional.conv_transpose1d(x.transpose(1, 2), weight, stride=4, groups=6)
    history = [torch.zeros(2, *upsample.history)]
    pieces = [
        upsample(piece, mimi._History(history, slice(0, 2), [False, False]))
        for piece in x.split([1, 3, 5], dim=1)
    ]
    expected = offline[..., :36].transpose(1, 2)
    assert torch.allclose(torch.cat(pieces, dim=1), expected, atol=TOLERANCE)


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_decoder_rows_at_different_times(data: st.DataObject) -> None:
    """Streams that start at different times, in any slots, in calls of 1 to 4 frames: each as if it were alone."""
    model = tiny.model()
    frames = 14  # 70 positions: the ring of this model wraps
    latents = torch.randn(3, frames, 8, generator=torch.Generator().manual_seed(3))
    whole = []
    for row in latents:
        state = model.decoder.new_state(1, frames)
        whole.append(model.decoder.decode(row[None], state, [0])[0])
    state = model.decoder.new_state(5, 4)
    slots = data.draw(st.permutations(range(5)))[:3]
    done = [0, 0, 0]
    audio: list[list[Tensor]] = [[], [], []]
    while min(done) < frames:
        length = data.draw(st.integers(1, 4))
        rows = [
            row for row in range(3) if done[row] + length <= frames and data.draw(st.booleans())
        ]
        if not rows:
            length = 1
            rows = [next(row for row in range(3) if done[row] < frames)]
        part = torch.stack([latents[row, done[row] : done[row] + length] for row in rows])
        pcm = model.decoder.decode(part, state, [slots[row] for row in rows])
        for row, piece in zip(rows, pcm, strict=True):
            audio[row].append(piece)
            done[row] += length
    for row in range(3):
        assert torch.allclose(torch.cat(audio[row]), whole[row], atol=1e-4)


def test_ring_is_long_enough_and_frames_never_wrap() -> None:
    config = tiny.config().mimi
    state = tiny.model().decoder.new_state(1, 3)
    assert state.ring % config.positions_per_frame == 0
    assert state.ring >= config.decoder_attention.context + 3 * config.positions_per_frame - 1


def test_state_begins_with_zeros() -> None:
    state = tiny.model().decoder.new_state(2, 1)
    for tensor in (*state.history, state.keys, state.values):
        assert not tensor.any()


def test_rotations_keep_relative_positions() -> None:
    table = RotaryTable(8, 10000.0, positions=4)
    q, k = torch.randn(1, 1, 8), torch.randn(1, 1, 8)

    def score(query: int, key: int) -> float:
        return float((rotate(q, table.at(query, 1)) * rotate(k, table.at(key, 1))).sum())

    assert score(2, 0) == pytest.approx(score(502, 500), abs=1e-4)
    assert rotate(q, table.at(0, 1)).equal(q)


def test_mask_of_a_window() -> None:
    visible = causal_mask(2, 5, context=3) == 0
    assert visible.tolist() == [[False, True, True, True, False], [False, False, True, True, True]]


def test_state_grows_and_keeps_what_it_holds() -> None:
    decoder = tiny.model().decoder
    latents = torch.randn(2, 6, 8, generator=torch.Generator().manual_seed(5))
    whole = decoder.decode(latents, decoder.new_state(2, 6), [0, 1])
    state = decoder.new_state(1, 6)
    first = decoder.decode(latents[:1, :3], state, [0])
    state.ensure(2)
    state.ensure(1)
    rest = decoder.decode(latents[:1, 3:], state, [0])
    second = decoder.decode(latents[1:], state, [1])
    assert torch.equal(torch.cat([first, rest], dim=1), whole[:1])
    assert torch.equal(second, whole[1:])
