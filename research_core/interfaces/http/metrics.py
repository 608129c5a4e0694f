"""Count what this process does, for Prometheus. No label holds a person, a query or an address.

Tenants are told apart only where the owner asks for it: their names are somebody's business.
"""

from __future__ import annotations

import threading

from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Label sets of one counter, and the label of all further ones, so that values which clients make
#: up do not fill the memory.
ROWS, REST = 1_000, "other"
#: (what it counts, its labels) by name.
COUNTERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "assay_http_requests_total": ("Requests, by route and status.", ("route", "status")),
    "assay_refused_total": (
        "Requests refused before they were served, by why: a limit, a token, an origin.",
        ("why",),
    ),
    "assay_tool_calls_total": (
        "Calls of tools, by tool and the kind of their failure, empty for none.",
        ("error", "tool"),
    ),
    "assay_tool_seconds_total": ("Seconds that calls of tools took, by tool.", ("tool",)),
}
GAUGES: dict[str, str] = {
    "assay_requests_open": "Requests that are being served.",
    "assay_principals": "Users this process serves just now.",
    "assay_start_time_seconds": "When this process began to serve, in seconds since the epoch.",
}
_TENANT_COUNTERS = ("assay_tool_calls_total", "assay_tool_seconds_total")


class Metrics:
    """Counters and gauges in a registry of their own. Safe for any number of threads."""

    def __init__(self, registry: CollectorRegistry, *, tenants: bool = False) -> None:
        self._registry, self._tenants = registry, tenants
        self._lock = threading.Lock()
        self._rows: dict[str, set[tuple[str, ...]]] = {name: set() for name in COUNTERS}
        self._counters: dict[str, Counter] = {}
        self._labels: dict[str, tuple[str, ...]] = {}
        for name, (about, labels) in COUNTERS.items():
            if tenants and name in _TENANT_COUNTERS:
                labels = (*labels, "tenant")
            self._labels[name] = labels
            self._counters[name] = Counter(name, about, labels, registry=registry)
        self._gauges = {
            name: Gauge(name, about, registry=registry) for name, about in GAUGES.items()
        }

    def add(self, name: str, by: float = 1.0, /, **labels: str) -> None:
        """Count up. Raises KeyError for a name or a label that is not in `COUNTERS`."""
        row = tuple(labels[label] for label in self._labels[name])
        with self._lock:
            rows = self._rows[name]
            if row not in rows and len(rows) >= ROWS:
                row = (REST,) * len(row)
            rows.add(row)
        self._counters[name].labels(*row).inc(by)

    def change_gauge(self, name: str, by: float) -> None:
        self._gauges[name].inc(by)

    def count_tool_call(self, tenant: str, tool: str, code: str, seconds: float) -> None:
        """Count one call of a tool. code: the kind of its failure, "" for none."""
        labels = {"tool": tool}
        if self._tenants:
            labels["tenant"] = tenant
        self.add("assay_tool_calls_total", 1.0, **labels, error=code)
        self.add("assay_tool_seconds_total", seconds, **labels)

    def sum_rows(self, name: str) -> float:
        """Return the sum of all rows of one counter."""
        total = 0.0
        for metric in self._counters[name].collect():
            total += sum(sample.value for sample in metric.samples if sample.name == name)
        return total

    def format_text(self, **gauges: float) -> str:
        """Return everything in the text format of Prometheus. gauges: current values by name."""
        for name, value in gauges.items():
            self._gauges[name].set(value)
        # The library adds to each counter when it began, which nobody asked for.
        named = self._registry.restricted_registry([*COUNTERS, *GAUGES])
        return generate_latest(named).decode()
