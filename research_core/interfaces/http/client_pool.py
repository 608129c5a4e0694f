"""Keep a tool caller for each principal of a shared process, and forget the least recent ones.

Counts and remembered errors are kept apart by principal. Totals are in `metrics`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from anyio import CapacityLimiter

from research_core.errors import ResearchError
from research_core.interfaces.http.metrics import Metrics
from research_core.journal.limits import Limits
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.sessions.tool_calls import ToolCaller
from research_core.wiring import Resources

#: Principals that are remembered.
MAX_CLIENTS = 1_000
#: Parallel calls of one principal; its further calls wait without delaying others.
CALLS_AT_ONCE = 16
#: The newest errors of all principals, for the operator.
MAX_RECENT_ERRORS = 50


@dataclass(frozen=True)
class PooledClient:
    """The tool caller of one principal. places: limits its parallel calls."""

    tool_caller: ToolCaller
    places: CapacityLimiter


@dataclass
class ClientPool:
    """The clients of one process. Safe for any number of threads.

    A client is created in the event loop. say: receives each error that fails no call, once.
    """

    resources: Resources
    limits: Limits
    metrics: Metrics
    say: Callable[[ResearchError], None]
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _known: OrderedDict[tuple[str, str], PooledClient] = field(default_factory=OrderedDict)
    _said: set[str] = field(default_factory=set)

    def find(self, who: Principal) -> PooledClient:
        """Return the client of this principal, which is created on first use."""
        key = (who.tenant, who.user)
        with self._lock:
            client = self._known.get(key) or self._make_client(who)
            self._known[key] = client
            self._known.move_to_end(key)
            if len(self._known) > MAX_CLIENTS:
                self._known.popitem(last=False)
            return client

    def _make_client(self, who: Principal) -> PooledClient:
        def on_call(tool: str, code: str, seconds: float) -> None:
            self.metrics.count_tool_call(who.tenant, tool, code, seconds)

        tool_caller = ToolCaller(
            self.resources, who, on_trouble=self._report_once, limits=self.limits, on_call=on_call
        )
        return PooledClient(tool_caller, CapacityLimiter(CALLS_AT_ONCE))

    def _report_once(self, error: ResearchError) -> None:
        """Pass on an error that fails no call, unless one with these words was passed on before."""
        with self._lock:
            new = error.message not in self._said
            self._said.add(error.message)
        if new:
            self.say(error)

    def __len__(self) -> int:
        return len(self._known)

    def summarize_calls(self) -> Json:
        """Return calls, errors and mean milliseconds by tool, of all remembered principals."""
        totals: dict[str, list[float]] = {}
        for client in self._all():
            for tool, row in client.tool_caller.summarize_calls().items():
                sums = totals.setdefault(tool, [0, 0, 0.0])
                sums[0] += row["calls"]
                sums[1] += row["errors"]
                sums[2] += row["meanMs"] * row["calls"]  # means can be added up only as sums
        return {
            tool: {"calls": int(calls), "errors": int(errors), "meanMs": round(ms / calls, 1)}
            for tool, (calls, errors, ms) in sorted(totals.items())
        }

    def list_recent_errors(self) -> list[Json]:
        """Return the newest errors of all principals, newest first, without their principals."""
        errors: list[Json] = []
        for client in self._all():
            errors += client.tool_caller.list_recent_errors()
        errors.sort(key=lambda error: str(error["at"]), reverse=True)
        return errors[:MAX_RECENT_ERRORS]

    def _all(self) -> list[PooledClient]:
        with self._lock:
            return list(self._known.values())
