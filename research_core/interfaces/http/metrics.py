"""What this process did, as counters in the text format of Prometheus. No label holds a person, a
query or an address.

Tenants are told apart only where the owner asks for it: their names are somebody's business.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

Labels = tuple[tuple[str, str], ...]
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: Rows of one counter; what comes after them is counted under one name.
ROWS, REST = 1_000, "other"
#: (type, what it counts) by name.
ABOUT: Mapping[str, tuple[str, str]] = {
    "assay_http_requests_total": ("counter", "Requests, by route and status."),
    "assay_refused_total": (
        "counter",
        "Requests refused before they were served, by why: a limit, a token, an origin.",
    ),
    "assay_tool_calls_total": (
        "counter",
        "Calls of tools, by tool and the kind of their failure, empty for none.",
    ),
    "assay_tool_seconds_total": ("counter", "Seconds that calls of tools took, by tool."),
    "assay_requests_open": ("gauge", "Requests that are being served."),
    "assay_principals": ("gauge", "Users this process serves just now."),
    "assay_start_time_seconds": (
        "gauge",
        "When this process began to serve, in seconds since the epoch.",
    ),
}
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@dataclass
class Metrics:
    """Numbers by name and labels. Safe for any number of threads."""

    tenants: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _numbers: dict[str, dict[Labels, float]] = field(default_factory=dict)

    def add(self, name: str, by: float = 1.0, /, **labels: str) -> None:
        """Count up, or a gauge down. A name without an entry in `ABOUT` is a fault of ours."""
        assert name in ABOUT
        with self._lock:
            rows, key = self._numbers.setdefault(name, {}), tuple(sorted(labels.items()))
            if key not in rows and len(rows) >= ROWS:
                key = tuple((label, REST) for label, _ in key)
            rows[key] = rows.get(key, 0.0) + by

    def called(self, tenant: str, tool: str, code: str, seconds: float) -> None:
        """One call of a tool. code: the kind of its failure, "" for none."""
        whose = {"tool": tool, **({"tenant": tenant} if self.tenants else {})}
        self.add("assay_tool_calls_total", 1.0, **whose, error=code)
        self.add("assay_tool_seconds_total", seconds, **whose)

    def total(self, name: str) -> float:
        """The sum of all rows of one counter."""
        with self._lock:
            return sum(self._numbers.get(name, {}).values())

    def text(self, **gauges: float) -> str:
        """All of it, in the format of Prometheus. gauges: what is measured now, by name."""
        with self._lock:
            numbers = {name: dict(rows) for name, rows in self._numbers.items()} | {
                name: {(): value} for name, value in gauges.items()
            }
        lines = [line for name in ABOUT if name in numbers for line in _lines(name, numbers[name])]
        return "\n".join(lines) + "\n"


def _lines(name: str, rows: Mapping[Labels, float]) -> list[str]:
    kind, about = ABOUT[name]
    told = [f"{name}{_labels(labels)} {value:.12g}" for labels, value in sorted(rows.items())]
    return [f"# HELP {name} {about}", f"# TYPE {name} {kind}", *told]


def _labels(labels: Labels) -> str:
    inside = ",".join(f'{label}="{value.translate(_ESCAPED)}"' for label, value in labels)
    return f"{{{inside}}}" if inside else ""
