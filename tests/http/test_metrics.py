"""GET /metrics: figures of what has been spoken, and of now."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from tests.http.helpers import running


def figures(text: str) -> dict[str, float]:
    """Name and labels -> value."""
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f"{key}={value}" for key, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}"] = sample.value
    return found


def report(**changes: Any) -> SimpleNamespace:
    values = {"outcome": "done", "audio_s": 3.0, "characters": 20, "ttfa_s": 0.08}
    return SimpleNamespace(**{**values, "x_real_time": 4.5, **changes})


async def test_figures() -> None:
    async with running() as one:
        (observe,) = one.speech.observers
        observe(report())
        observe(report(outcome="cancelled", audio_s=1.0))
        observe(report(outcome="busy", audio_s=0.0, ttfa_s=None, x_real_time=None))
        async with one.client.get("/metrics") as response:
            assert response.status == 200
            assert response.content_type == "text/plain"
            found = figures(await response.text())
        assert found["pocket_tts_requests_total{outcome=done}"] == 1
        assert found["pocket_tts_requests_total{outcome=cancelled}"] == 1
        assert found["pocket_tts_requests_total{outcome=busy}"] == 1
        assert found["pocket_tts_first_audio_seconds_count{}"] == 2
        assert found["pocket_tts_first_audio_seconds_bucket{le=0.1}"] == 2
        assert found["pocket_tts_x_real_time_count{}"] == 1
        assert found["pocket_tts_audio_seconds_total{}"] == 4
        assert found["pocket_tts_ready{}"] == 1
        assert found["pocket_tts_slots{}"] == 8
        assert found["pocket_tts_queue_segments{}"] == 2
        assert found["pocket_tts_voice_cache_lookups_total{result=hit}"] == 7
        assert found["process_resident_memory_bytes{}"] > 0
        accept = {"Accept": "application/openmetrics-text; version=1.0.0"}
        async with one.client.get("/metrics", headers=accept) as response:
            assert response.content_type == "application/openmetrics-text"
            assert (await response.text()).endswith("# EOF\n")


async def test_before_there_is_speech() -> None:
    async with running(ready=False) as one, one.client.get("/metrics") as response:
        assert figures(await response.text())["pocket_tts_ready{}"] == 0
