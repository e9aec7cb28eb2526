"""A recogniser, and a server that speaks with the starter voices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.protocol.real_server import RealServer, real_server

if TYPE_CHECKING:
    from tests.speech.hearing import Ear


@pytest.fixture(scope="session")
def ear() -> Ear:
    pytest.importorskip("pocketsphinx")
    from tests.speech.hearing import Ear

    return Ear()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    """Repeatable, with voices that are slower and faster."""
    settings = {
        "engine": {"tune": False, "seed": 7},
        "voices": {
            "slow": {"source": "rms", "speed": 0.75},
            "fast": {"source": "rms", "speed": 1.3},
        },
    }
    with real_server(tmp_path_factory.mktemp("speech"), settings) as running:
        yield running
