"""Serve tool calls from outside a run: MCP clients, the browser and the terminal.

Each call has a log of its own. If the call names a client-led session, the findings are added to
it; otherwise the log is dropped. Only counts, durations and failures are remembered, never answers.
"""

from __future__ import annotations

import threading
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from research_core import tools
from research_core.context import ResearchContext, memory_log
from research_core.errors import (
    BoundaryError,
    ResearchError,
    SearchError,
    Stopped,
    StoreError,
    UsageError,
)
from research_core.journal import audit
from research_core.journal.audit.file import Keep, append
from research_core.journal.doorway import Control
from research_core.journal.events import Event
from research_core.journal.limits import Limits
from research_core.journal.log import EventLog
from research_core.model_messages import Json
from research_core.models import ANSWERED_STATES, Principal
from research_core.search import lenses, providers
from research_core.tools import provenance
from research_core.tools.advice import add_advice
from research_core.tools.client_session import store
from research_core.tools.client_session.store import ClientSession
from research_core.tools.groups import select_groups
from research_core.tools.registry import Call, Progress, call_tool
from research_core.trust import reputation
from research_core.userdata import analytics
from research_core.wiring import LOCAL_USER, Resources, default_deps

#: Errors that are remembered, the newest of them.
MAX_RECENT = 50
#: What the audit calls a call that never came to an end.
STOPPED_CODE, BUG_CODE = "stopped", "internal"
#: Arguments that say what a call is about.
SUBJECT_ARGUMENTS = (
    "query",
    "url",
    "paper",
    "searchStep",
    "citation",
    "company_name",
    "series_id",
    "ticker",
    "condition",
    "assignee",
    "inventor",
)


@dataclass(frozen=True)
class ServedCall:
    """The result of one call: an answer or an error.

    meta: told to the client beside it; seconds: duration; others: who could be asked instead of a
    failed provider, None if none failed; failed: providers that another one replaced.
    """

    tool: str
    answer: Json | None
    error: ResearchError | None
    meta: Json
    seconds: float
    others: tuple[str, ...] | None = None
    failed: tuple[provenance.FailedProvider, ...] = ()


@dataclass(frozen=True)
class Caller:
    """Where a call came from.

    request_id: "" if it has none yet; source_ip: "" without a network; may: whether the caller may
    call the tool of this name.
    """

    request_id: str = ""
    source_ip: str = ""
    may: Callable[[str], bool] = lambda tool: True


LOCAL_CALLER = Caller()


@dataclass
class ToolCount:
    """The calls of one tool."""

    calls: int = 0
    failed: int = 0
    seconds: float = 0.0


@dataclass
class ToolCaller:
    """Serves one principal's calls from one office. Safe for any number of threads.

    on_trouble: is told once of what fails no call: a cache that cannot be opened, an audit that
    cannot be written. limits: how many calls may be made; None for no limit. on_call: is told of
    every call: its tool, the kind of its failure, its seconds.
    """

    office: Resources
    who: Principal = LOCAL_USER
    on_trouble: Callable[[ResearchError], None] = lambda error: None
    limits: Limits | None = None
    on_call: Callable[[str, str, float], None] = lambda tool, code, seconds: None
    counts: dict[str, ToolCount] = field(default_factory=dict)
    errors: deque[Json] = field(default_factory=lambda: deque(maxlen=MAX_RECENT))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _told: int = 0

    def check(self) -> None:
        """Raises SettingsError for what a first call would stumble over: groups, lenses, the table
        of hosts, the order of providers.
        """
        settings = self.office.settings
        select_groups((), settings.tool_groups)
        lenses.all_lenses(settings)
        reputation.load_reputation(settings)
        for kind in providers.KINDS:
            providers.available_rows(settings, kind)

    def serve(
        self,
        name: str,
        arguments: Any,
        on_progress: Progress | None = None,
        control: Control | None = None,
        caller: Caller = LOCAL_CALLER,
    ) -> ServedCall:
        """Call a tool of the table. What is wrong with the call or the world is in what it returns.

        Raises Stopped, and what is wrong with Assay itself: they are counted and in the audit like
        any failure.
        """
        clock, about = self.office.clock, _describe_call(arguments)
        began = clock.monotonic()
        log, session = memory_log(about), None
        try:
            self._permit(name, caller)
            session = self._join_session(name, arguments)
            answer = self._call_tool(name, arguments, log, session, on_progress, control)
            served = self._build_served(name, answer, log, clock.monotonic() - began)
        except ResearchError as error:
            others = (
                self._find_other_providers(error, name) if isinstance(error, SearchError) else None
            )
            failure = add_advice(error, name, tools.TOOLS, others, _count_attempts(log.calls()))
            served = ServedCall(name, None, failure, {}, clock.monotonic() - began, others)
        except (Exception, Stopped) as error:
            broken = ResearchError(
                "Its caller gave it up."
                if isinstance(error, Stopped)
                else f"A fault of Assay: {type(error).__name__}."
            )
            code = STOPPED_CODE if isinstance(error, Stopped) else BUG_CODE
            self._note(
                ServedCall(name, None, broken, {}, clock.monotonic() - began),
                arguments,
                code,
                caller,
            )
            raise
        self._keep(served, log, session)
        self._note(served, arguments, _get_error_code(served.error), caller)
        return served

    def _permit(self, name: str, caller: Caller) -> None:
        """Raises BoundaryError: auth_required for a tool that is not for whoever calls,
        rate_limited where the calls of a day are made.
        """
        if not caller.may(name):
            step = f"Ask for a token with the scope tool:{name}, tool:* or research."
            raise BoundaryError(
                f"The scopes of this token do not include {name}.",
                kind="auth_required",
                next_step=step,
            )
        if self.limits is not None:
            self.limits.call(self.who.tenant)

    def _join_session(self, name: str, arguments: Any) -> ClientSession | None:
        """The session that a call is to be added to, where it names one. Raises Gone."""
        row, id = (
            tools.get_tool(name),
            arguments.get("sessionId") if isinstance(arguments, Mapping) else None,
        )
        if row is None or not row.joins or not isinstance(id, str) or not id:
            return None
        return store.join_session(
            self.office.db, self.who, self.office.clock, id, self.office.settings.session_ttl_s
        )

    def _call_tool(
        self,
        name: str,
        arguments: Any,
        log: EventLog,
        session: ClientSession | None,
        on_progress: Progress | None,
        control: Control | None,
    ) -> Json:
        """The answer of the tool. What it finds is scored for what the session is about."""
        question = session.goal if session else _describe_call(arguments)
        context = ResearchContext(
            question, default_deps(log, self.office, who=self.who, control=control)
        )
        call = Call(context, on_progress, alone=True, session=session.id if session else "")
        return call_tool(name, arguments, call, tools.TOOLS)

    def _build_served(self, name: str, answer: Json, log: EventLog, seconds: float) -> ServedCall:
        row, routed = tools.get_tool(name), bool(self.office.settings.routing)
        assert row is not None  # it was called
        told = provenance.build_meta(row, log.calls(), log.emitted, routed=routed, seconds=seconds)
        return ServedCall(
            name, answer, None, told, seconds, failed=provenance.list_failed_providers(log.emitted)
        )

    def _keep(self, served: ServedCall, log: EventLog, session: ClientSession | None) -> None:
        """Add what was found to the session of the call, failed or not; that it could not be is
        told beside the answer.
        """
        try:
            session = session or self._find_begun_session(served)
            if session is not None:
                store.adopt_findings(session, log, _summarize_outcome(served, log))
        except (StoreError, UsageError) as error:
            why = f"What this call found could not be added to the session: {error.message}"
            if served.answer is not None:
                served.answer["notes"] = [*served.answer.get("notes", ()), why]
            self._without(ResearchError(why, next_step=error.next_step))

    def _find_begun_session(self, served: ServedCall) -> ClientSession | None:
        """The session that the call itself has begun."""
        row, answer = tools.get_tool(served.tool), served.answer or {}
        if row is None or not (row.joins and row.keeps) or "sessionId" not in answer:
            return None
        return store.join_session(
            self.office.db,
            self.who,
            self.office.clock,
            answer["sessionId"],
            self.office.settings.session_ttl_s,
        )

    def _find_other_providers(self, error: SearchError, name: str) -> tuple[str, ...]:
        """Whom this machine could ask instead; nobody where no other has what was asked for."""
        row = tools.get_tool(name)
        kind = (row.asks if row else "") or "web"
        if not providers.KINDS[kind].stand_ins:
            return ()
        there = dict.fromkeys(
            each.name for each in providers.available_rows(self.office.settings, kind)
        )
        return tuple(each for each in there if each not in (error.provider, *error.asked))

    def _note(self, served: ServedCall, arguments: Any, code: str, caller: Caller) -> None:
        now, settings = self.office.clock.now(), self.office.settings
        self.on_call(served.tool, code, served.seconds)
        with self._lock:
            count = self.counts.setdefault(served.tool, ToolCount())
            count.calls, count.seconds = count.calls + 1, count.seconds + served.seconds
            count.failed += bool(code)
            for each in served.failed:  # their call went well all the same
                message = audit.masked(
                    f"{each.provider} failed, and another provider was asked: {each.reason}"
                )
                self.errors.appendleft(
                    {"at": now, "tool": served.tool, "kind": each.kind, "message": message}
                )
            if served.error is not None:
                self.errors.appendleft(
                    {
                        "at": now,
                        "tool": served.tool,
                        "kind": code,
                        "message": audit.masked(served.error.message),
                    }
                )
        if settings.analytics and not self.who.is_anonymous:
            self._count(served.tool, now)
        if settings.audit_path:
            query = _find_subject(arguments)
            told: Json = (
                {"query": query} if settings.audit_queries else {"query_length": len(query)}
            )
            told |= {
                name: found
                for name, found in (
                    ("routing", served.meta.get("routing")),
                    *_list_billing(served.answer),
                )
                if found is not None
            }
            request, session = (
                caller.request_id or uuid.uuid4().hex,
                audit.session_of(arguments, served.answer),
            )
            event = audit.line(
                now,
                self.who,
                served.tool,
                request,
                served.seconds,
                code,
                told,
                session=session,
                source=caller.source_ip,
            )
            keep = Keep(settings.audit_max_bytes, settings.audit_retention_days)
            append(Path(settings.audit_path), event, self._without, keep)
        with self._lock:
            new, self._told = self.office.trouble[self._told :], len(self.office.trouble)
        for trouble in new:
            self.errors.appendleft(
                {"at": now, "tool": "", "kind": "config", "message": audit.masked(trouble.message)}
            )
            self.on_trouble(trouble)

    def _count(self, tool: str, now: float) -> None:
        """Count the call for its caller, who may look at it, if they agreed to that."""
        try:
            analytics.count_tool_call(self.office.db, self.who, tool, now)
        except StoreError as error:
            self._without(
                ResearchError(
                    f"A call could not be counted: {error.message}", next_step=error.next_step
                )
            )

    def _without(self, error: ResearchError) -> None:
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


def _find_subject(arguments: Any) -> str:
    """Return what a call asks for, "" if no argument says it."""
    told = arguments if isinstance(arguments, Mapping) else {}
    return next(
        (
            value
            for name in SUBJECT_ARGUMENTS
            if isinstance(value := told.get(name), str) and value.strip()
        ),
        "",
    )


def _describe_call(arguments: Any) -> str:
    return _find_subject(arguments) or "a tool call"


def _get_error_code(error: ResearchError | None) -> str:
    if error is None:
        return ""
    if isinstance(error, BoundaryError):
        return error.kind
    return (
        "validation"
        if isinstance(error, UsageError)
        else "store"
        if isinstance(error, StoreError)
        else "config"
    )


def _count_attempts(calls: Sequence[Event]) -> int:
    """Return the highest number of attempts of a failed call."""
    return max(
        (
            int(call.data.get("about", {}).get("attempts", 1))
            for call in calls
            if call.data.get("error")
        ),
        default=1,
    )


def _summarize_outcome(served: ServedCall, log: EventLog) -> Json:
    """Return what a session keeps of a call: engines, unread pages, error and search step."""
    asked = [event.data for event in log.emitted if event.kind in ("searched", "search_failed")]
    unread = [
        event.data for event in log.emitted if event.kind == "fetched" and event.data.get("failure")
    ]
    error = served.error
    return {
        "tool": served.tool,
        "seconds": round(served.seconds, 3),
        "engines": [
            {
                "engine": each["engine"],
                "well": each["state"] in ANSWERED_STATES,
                "kind": each.get("kind", ""),
            }
            for each in asked
        ],
        "unread": [
            {"url": each["url"], "reason": each["failure"], "kind": each.get("failed", "")}
            for each in unread
        ],
        **({"error": audit.masked(error.message), "kind": _get_error_code(error)} if error else {}),
        **(
            {"step": (served.answer or {})["currentStep"]}
            if "currentStep" in (served.answer or {})
            else {}
        ),
    }


def _list_billing(answer: Json | None) -> list[tuple[str, Any]]:
    """Return the provider and cost that the answer names."""
    return [
        ("provider", (answer or {}).get("provider")),
        ("cost_usd", (answer or {}).get("costUsd")),
    ]
