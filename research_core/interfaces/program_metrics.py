"""Serve the metrics of the app or a worker to Prometheus, on an address of their own.

The state of the queue is read at each request and is that of all processes on the database; the
counters are this process's. No label holds a person, a question or an address.
"""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from research_core import __version__
from research_core.errors import ResearchError, SettingsError
from research_core.sessions import workers
from research_core.wiring import Resources

#: Outcomes that are counted from the start, so that their rates are known.
OUTCOMES = ("cancelled", "done", "failed")


def serve_metrics(resources: Resources) -> None:
    """Serve until the process ends, if a port is set. Raises SettingsError if it cannot be had."""
    settings = resources.settings
    if not settings.metrics_port:
        return
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(WorkCollector(resources))
    try:
        start_http_server(settings.metrics_port, settings.metrics_host, registry)
    except OSError as error:
        raise SettingsError(
            f"Metrics cannot be served at {settings.metrics_host}:{settings.metrics_port}:"
            f" {error.strerror}.",
            next_step="Set ASSAY_METRICS_PORT to a free port, or leave it out.",
        ) from error


class WorkCollector:
    """Reads the queue, and what the engine of this process did."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    def describe(self) -> list[Metric]:
        """Return nothing: then the metrics are not read before they are asked for."""
        return []

    def collect(self) -> Iterator[Metric]:
        info = GaugeMetricFamily("assay_build_info", "The version of Assay.", labels=["version"])
        info.add_metric([__version__], 1.0)
        yield info
        engine = workers.find_running_engine()
        state = None
        if engine is not None:
            try:
                state = engine.measure_queue()
            except ResearchError:
                state = None
        yield _gauge(
            "assay_database_up",
            "1 if the database answered; 0 if not, or nothing was asked yet.",
            float(state is not None),
        )
        if state is not None:
            yield from _describe_queue(state)
        if engine is not None:
            yield from _describe_work(engine.work)


def _describe_queue(state: workers.QueueState) -> Iterator[Metric]:
    yield _gauge("assay_queue_depth", "Sessions that wait for a worker.", state.waiting)
    yield _gauge(
        "assay_queue_oldest_wait_seconds",
        "How long the session has waited that waits longest; 0 if none waits.",
        state.oldest_s,
    )
    yield _gauge("assay_sessions_running", "Sessions that workers run.", state.running)
    yield _gauge("assay_workers_alive", "Processes that run sessions.", state.workers)


def _describe_work(work: workers.Work) -> Iterator[Metric]:
    ended = CounterMetricFamily(
        "assay_sessions_ended", "Sessions that ended in this process.", labels=["outcome"]
    )
    for outcome in sorted({*OUTCOMES, *work.ended}):
        ended.add_metric([outcome], work.ended[outcome])
    yield ended
    for name, about, value in (
        ("assay_session_seconds", "Seconds that these sessions ran.", work.seconds),
        ("assay_model_calls", "Calls to models of these sessions.", work.model_calls),
        ("assay_model_tokens", "Tokens of these calls, read and written.", work.tokens),
        ("assay_model_cost_dollars", "Their cost, where the price is known.", work.cost),
        ("assay_unpriced_sessions", "Sessions with a model of unknown price.", work.unpriced),
    ):
        counter = CounterMetricFamily(name, about)
        counter.add_metric([], value)
        yield counter


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(name, about, value=value)
