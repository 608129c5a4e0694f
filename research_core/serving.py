"""Serves the tools to whoever is no run: a client of MCP, a person in the browser or at a terminal. One call, one answer or one error.

Each call has a session of its own that is dropped with it. What a desk remembers of calls is how many there were, how long they took and
what failed; an answer is kept by nobody here.
"""

from __future__ import annotations

import threading
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from research_core import audit, lenses, providers, reputation, tools
from research_core.context import ResearchContext, memory_log
from research_core.doorway import Control as Control
from research_core.errors import BoundaryError, ResearchError, SearchError, Stopped, StoreError, UsageError
from research_core.events import Event
from research_core.models import Json, Principal
from research_core.tools import provenance
from research_core.tools.advice import advised
from research_core.tools.groups import in_groups
from research_core.tools.registry import Call, Progress, call_tool
from research_core.wiring import LOCAL, Office, default_deps

#: Errors that are remembered, the newest of them.
RECENT = 50
#: What the audit calls a call that never came to an end.
STOPPED, BUG = "stopped", "internal"
#: Arguments that say what a call is about.
ABOUT = ("query", "url", "paper", "series_id", "ticker", "condition", "assignee", "inventor")


@dataclass(frozen=True)
class Served:
    """What came of one call: an answer, or an error. meta: what a client is told beside it; seconds: how long it took.

    others: who could be asked in place of a provider that failed; None where none did. failed: providers for which another one answered.
    """

    tool: str
    answer: Json | None
    error: ResearchError | None
    meta: Json
    seconds: float
    others: tuple[str, ...] | None = None
    failed: tuple[provenance.Failed, ...] = ()


@dataclass
class Count:
    """The calls of one tool."""

    calls: int = 0
    failed: int = 0
    seconds: float = 0.0


@dataclass
class Desk:
    """Serves one principal's calls from one office. Safe for any number of threads.

    on_trouble: is told once of what fails no call: a cache that cannot be opened, an audit that cannot be written.
    """

    office: Office
    who: Principal = LOCAL
    on_trouble: Callable[[ResearchError], None] = lambda error: None
    counts: dict[str, Count] = field(default_factory=dict)
    errors: deque[Json] = field(default_factory=lambda: deque(maxlen=RECENT))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _told: int = 0

    def check(self) -> None:
        """Raises SettingsError for what a first call would stumble over: groups, lenses, the table of hosts, the order of providers."""
        settings = self.office.settings
        in_groups((), settings.tool_groups)
        lenses.known(settings)
        reputation.table(settings)
        for kind in providers.KINDS:
            providers.available(settings, kind)

    def serve(self, name: str, arguments: Any, on_progress: Progress | None = None, control: Control | None = None) -> Served:
        """Call a tool of the table. What is wrong with the call or the world is in what it returns.

        Raises Stopped, and what is wrong with Assay itself: they are counted and in the audit like any failure.
        """
        clock, about = self.office.clock, _about(arguments)
        began = clock.monotonic()
        answer, failure, meta, others = None, None, {}, None
        failed: tuple[provenance.Failed, ...] = ()
        try:
            log = memory_log(about)
            context = ResearchContext(about, default_deps(log, self.office, who=self.who, control=control))
            answer = call_tool(name, arguments, Call(context, on_progress, alone=True), tools.TOOLS)
            routed = bool(self.office.settings.routing)
            row = tools.tool(name)
            assert row is not None  # it was called
            failed = provenance.failed(log.emitted)
            meta = provenance.meta(row, log.calls(), log.emitted, routed=routed, seconds=clock.monotonic() - began)
        except ResearchError as error:
            others = self._others(error, name) if isinstance(error, SearchError) else None
            failure = advised(error, name, tools.TOOLS, others, _times(log.calls()))
        except (Exception, Stopped) as error:
            broken = ResearchError("Its caller gave it up." if isinstance(error, Stopped) else f"A fault of Assay: {type(error).__name__}.")
            self._note(Served(name, None, broken, {}, clock.monotonic() - began), arguments, STOPPED if isinstance(error, Stopped) else BUG)
            raise
        served = Served(name, answer, failure, meta, clock.monotonic() - began, others, failed)
        self._note(served, arguments, _code(failure))
        return served

    def _others(self, error: SearchError, name: str) -> tuple[str, ...]:
        """Whom this machine could ask instead; nobody where no other has what was asked for."""
        row = tools.tool(name)
        kind = (row.asks if row else "") or "web"
        if not providers.KINDS[kind].stand_ins:
            return ()
        there = dict.fromkeys(each.name for each in providers.available(self.office.settings, kind))
        return tuple(each for each in there if each not in (error.provider, *error.asked))

    def _note(self, served: Served, arguments: Any, code: str) -> None:
        now, settings = self.office.clock.now(), self.office.settings
        with self._lock:
            count = self.counts.setdefault(served.tool, Count())
            count.calls, count.seconds = count.calls + 1, count.seconds + served.seconds
            count.failed += bool(code)
            for each in served.failed:  # their call went well all the same
                message = audit.masked(f"{each.provider} failed, and another provider was asked: {each.reason}")
                self.errors.appendleft({"at": now, "tool": served.tool, "kind": each.kind, "message": message})
            if served.error is not None:
                self.errors.appendleft({"at": now, "tool": served.tool, "kind": code, "message": audit.masked(served.error.message)})
        if settings.audit_path:
            query = _about(arguments)
            told: Json = {"query": query} if settings.audit_queries else {"query_length": len(query)}
            told |= {name: found for name, found in (("routing", served.meta.get("routing")), *_billed(served.answer)) if found is not None}
            event = audit.line(now, self.who, served.tool, uuid.uuid4().hex, served.seconds, code, told)
            audit.append(Path(settings.audit_path), event, self._without_audit)
        with self._lock:
            new, self._told = self.office.trouble[self._told :], len(self.office.trouble)
        for trouble in new:
            self.errors.appendleft({"at": now, "tool": "", "kind": "config", "message": audit.masked(trouble.message)})
            self.on_trouble(trouble)

    def _without_audit(self, error: ResearchError) -> None:
        if not any(known.message == error.message for known in self.office.trouble):
            self.office.trouble.append(error)

    def statistics(self) -> Json:
        """Calls, mean milliseconds and share of errors by tool."""
        with self._lock:
            return {
                name: {
                    "calls": count.calls,
                    "errors": count.failed,
                    "errorRate": round(count.failed / count.calls, 4),
                    "meanMs": round(1000 * count.seconds / count.calls, 1),
                }
                for name, count in sorted(self.counts.items())
            }

    def recent_errors(self) -> list[Json]:
        """The newest first."""
        with self._lock:
            return list(self.errors)


def _about(arguments: Any) -> str:
    told = arguments if isinstance(arguments, Mapping) else {}
    return next((value for name in ABOUT if isinstance(value := told.get(name), str) and value.strip()), "a tool call")


def _code(error: ResearchError | None) -> str:
    if error is None:
        return ""
    if isinstance(error, BoundaryError):
        return error.kind
    return "validation" if isinstance(error, UsageError) else "store" if isinstance(error, StoreError) else "config"


def _times(calls: Sequence[Event]) -> int:
    """How often what failed was tried, the most of them."""
    return max((int(call.data.get("about", {}).get("attempts", 1)) for call in calls if call.data.get("error")), default=1)


def _billed(answer: Json | None) -> list[tuple[str, Any]]:
    """Who answered, and what it cost, where the answer says so."""
    return [("provider", (answer or {}).get("provider")), ("cost_usd", (answer or {}).get("costUsd"))]
