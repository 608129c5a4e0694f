"""The desks of a process that serves many: one for each principal, made when they first ask,
forgotten when too many others asked since.

What a desk counts and the errors it remembers are its principal's alone. What all did is
`metrics`'.
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

#: Principals whose counts and newest errors are remembered.
MAX_CLIENTS = 1_000
#: Calls of one principal that run at once; more wait, and nobody waits for them.
CALLS_AT_ONCE = 16
#: Newest errors of all, for the operator.
MAX_RECENT_ERRORS = 50


@dataclass(frozen=True)
class Client:
    """Where one principal is served. places: of their calls at once."""

    desk: ToolCaller
    places: CapacityLimiter


@dataclass
class ClientPool:
    """The seats of one office. Safe for any number of threads; a seat is made where the event loop
    runs.

    say: is told once of each thing that fails no call.
    """

    office: Resources
    limits: Limits
    metrics: Metrics
    say: Callable[[ResearchError], None]
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _known: OrderedDict[tuple[str, str], Client] = field(default_factory=OrderedDict)
    _said: set[str] = field(default_factory=set)

    def of(self, who: Principal) -> Client:
        """The seat of this principal."""
        with self._lock:
            seat = self._known.get((who.tenant, who.user)) or self._made(who)
            self._known[who.tenant, who.user] = seat
            self._known.move_to_end((who.tenant, who.user))
            if len(self._known) > MAX_CLIENTS:
                self._known.popitem(last=False)
            return seat

    def _made(self, who: Principal) -> Client:
        def on_call(tool: str, code: str, seconds: float) -> None:
            self.metrics.called(who.tenant, tool, code, seconds)

        desk = ToolCaller(
            self.office, who, on_trouble=self._trouble, limits=self.limits, on_call=on_call
        )
        return Client(desk, CapacityLimiter(CALLS_AT_ONCE))

    def _trouble(self, error: ResearchError) -> None:
        with self._lock:
            new = error.message not in self._said
            self._said.add(error.message)
        if new:
            self.say(error)

    def __len__(self) -> int:
        return len(self._known)

    def statistics(self) -> Json:
        """Calls, errors and mean milliseconds by tool, of all principals that are remembered."""
        told: dict[str, list[float]] = {}
        for seat in self._all():
            for tool, row in seat.desk.statistics().items():
                sums = told.setdefault(tool, [0, 0, 0.0])
                sums[0], sums[1], sums[2] = (
                    sums[0] + row["calls"],
                    sums[1] + row["errors"],
                    sums[2] + row["meanMs"] * row["calls"],
                )
        return {
            tool: {"calls": int(calls), "errors": int(errors), "meanMs": round(ms / calls, 1)}
            for tool, (calls, errors, ms) in sorted(told.items())
        }

    def recent_errors(self) -> list[Json]:
        """The newest of all, the newest first, without whose they are."""
        errors = [error for seat in self._all() for error in seat.desk.recent_errors()]
        return sorted(errors, key=lambda error: float(error["at"]), reverse=True)[
            :MAX_RECENT_ERRORS
        ]

    def _all(self) -> list[Client]:
        with self._lock:
            return list(self._known.values())
