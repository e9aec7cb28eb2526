"""Raw bytes of all kinds: every connection ends, the server lives, and no task dies unseen."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.protocol.fake_synthesizer import FakeSynthesizer
from tests.protocol.helpers import raw, serving, until

TYPES = [
    "describe",
    "ping",
    "select-program",
    "synthesize",
    "synthesize-start",
    "synthesize-chunk",
    "synthesize-stop",
    "audio-chunk",
    "x",
]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 70_000) | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
    ),
    max_leaves=4,
)


@st.composite
def events(draw: st.DrawFn) -> bytes:
    """An event that is right, or wrong in one of many ways."""
    body = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "text": st.text(max_size=10) | json_values,
                "voice": st.fixed_dictionaries(
                    {}, optional={"name": st.sampled_from(["anna", "b"])}
                )
                | json_values,
                "name": st.just("pocket-tts") | json_values,
                "text_format": json_values,
            },
        )
    )
    data = json.dumps(body).encode()
    header: dict[str, Any] = {"type": draw(st.sampled_from(TYPES) | json_values)}
    if draw(st.booleans()):
        header["data_length"] = draw(st.just(len(data)) | json_values)
    else:
        header["data"], data = draw(st.just(body) | json_values), b""
    if draw(st.integers(0, 3)) == 0:
        header["payload_length"] = draw(st.integers(0, 50) | json_values)
    return json.dumps(header).encode() + b"\n" + data


inputs = st.lists(events() | st.binary(max_size=80), max_size=8)


@pytest.mark.parametrize("end", ["half-close", "close", "reset"])
def test_any_bytes(end: str) -> None:
    asyncio.run(_try_any_bytes(end))


async def _try_any_bytes(end: str) -> None:
    loop = asyncio.get_running_loop()
    lost: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: lost.append(context))
    synthesizer = FakeSynthesizer()
    options = {"incomplete_event_s": 0.2, "idle_between_text_s": 0.2, "error_linger_s": 0.02}
    async with serving(synthesizer, **options) as server:
        examples = await asyncio.to_thread(_examples)
        for parts in examples:
            async with raw(server) as connection:
                await connection.send(*parts)
                if end == "half-close":
                    try:
                        connection.half_close()
                    except OSError:
                        continue  # closed already
                    found, _, _ = await connection.rest()
                    assert found.count("audio-start") >= found.count("audio-stop")
                    assert found.count("error") <= 1
                    if "error" in found:
                        assert found[-1] == "error"
                elif end == "reset":
                    connection.reset()
            await until(lambda: not server._connections, 2.0)
        async with raw(server) as connection:
            await connection.event("ping")
            assert (await connection.read_event())[0] == "pong"
    assert lost == []


def _examples() -> list[list[bytes]]:
    found: list[list[bytes]] = []

    @settings(
        max_examples=150,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(inputs)
    def collect(parts: list[bytes]) -> None:
        found.append(parts)

    collect()
    return found
