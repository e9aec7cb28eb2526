"""GET /metrics: figures for Prometheus, of all requests whatever protocol they came by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from aiohttp import web
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    exposition,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from wyoming_pocket_tts.http_server.service import Service, service_of

_FIRST_AUDIO_S = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30)
_X_REAL_TIME = (0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 32)


class Metrics:
    """The figures of one server; a registry of its own, so that two servers in one process do not mix."""

    def __init__(self, service: Service) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "pocket_tts_requests",
            "Requests that have ended, by how: done, cancelled, or the code of an error.",
            ["outcome"],
            registry=self.registry,
        )
        self._first_audio = Histogram(
            "pocket_tts_first_audio_seconds",
            "From a request's first text to its first audio.",
            buckets=_FIRST_AUDIO_S,
            registry=self.registry,
        )
        self._x_real_time = Histogram(
            "pocket_tts_x_real_time",
            "Seconds of audio for each second that a request took, of those that were done.",
            buckets=_X_REAL_TIME,
            registry=self.registry,
        )
        self._audio = Counter(
            "pocket_tts_audio_seconds", "Seconds of audio made.", registry=self.registry
        )
        self._characters = Counter(
            "pocket_tts_characters", "Characters of text received.", registry=self.registry
        )
        self.registry.register(_Now(service))
        ProcessCollector(registry=self.registry)

    def count(self, report: Any) -> None:
        """A request has ended."""
        self._requests.labels(report.outcome).inc()
        self._audio.inc(report.audio_s)
        self._characters.inc(report.characters)
        if report.ttfa_s is not None:
            self._first_audio.observe(report.ttfa_s)
        if report.outcome == "done" and report.x_real_time is not None:
            self._x_real_time.observe(report.x_real_time)


class _Now(Collector):
    """What is so at the moment in which somebody asks."""

    _GAUGES = (
        ("slots", "slots", "Segments that can be generated at the same time."),
        ("slots_used", "slots_used", "Segments that are being generated."),
        ("queue_segments", "segments_waiting", "Segments that wait for a slot."),
        ("models", "models", "Models in memory."),
        ("models_bytes", "models_bytes", "Memory of their weights."),
        ("voice_cache_voices", "voices", "Voice states in memory."),
        ("voice_cache_bytes", "voices_bytes", "Memory of voice states."),
    )

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterable[Metric]:
        ready = GaugeMetricFamily("pocket_tts_ready", "1 once the server can speak.")
        ready.add_metric([], float(self._service.ready))
        yield ready
        if not self._service.ready:
            return
        source = self._service.source
        active = GaugeMetricFamily("pocket_tts_requests_active", "Requests that speak or wait.")
        active.add_metric([], float(source.active))
        yield active
        figures = source.figures
        for name, field, what in self._GAUGES:
            gauge = GaugeMetricFamily(f"pocket_tts_{name}", what)
            gauge.add_metric([], float(getattr(figures, field)))
            yield gauge
        lookups = CounterMetricFamily(
            "pocket_tts_voice_cache_lookups",
            "How often a voice's state was in memory when it was needed (hit), and how often not.",
            labels=["result"],
        )
        lookups.add_metric(["hit"], float(figures.voice_hits))
        lookups.add_metric(["miss"], float(figures.voice_misses))
        yield lookups


METRICS = web.AppKey("metrics", Metrics)


async def metrics(request: web.Request) -> web.Response:
    """The figures, in the form that the client prefers."""
    encode, content_type = exposition.choose_encoder(request.headers.get("Accept", ""))
    content = encode(request.app[METRICS].registry)
    return web.Response(body=content, headers={"Content-Type": content_type})


async def health(request: web.Request) -> web.Response:
    """Whether the server can speak, and if not, why."""
    service = service_of(request)
    if service.ready:
        return web.json_response({"status": "healthy"})
    content = {"status": "unavailable", "code": "model-unavailable", "message": service.reason}
    return web.json_response(content, status=503, headers={"Retry-After": "1"})
