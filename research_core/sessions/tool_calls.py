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
    UnknownProvider,
    UsageError,
)
from research_core.journal import audit
from research_core.journal.audit.file import AuditRetention, append
from research_core.journal.doorway import Control
from research_core.journal.events import Event
from research_core.journal.limits import Limits
from research_core.journal.log import EventLog
from research_core.model_messages import Json
from research_core.models import ANSWERED_STATES, Principal
from research_core.search import lenses, providers
from research_core.text.dates import format_rfc3339
from research_core.text.words import to_single_line
from research_core.tools import answer_meta
from research_core.tools.arguments import check_texts
from research_core.tools.client_session import store
from research_core.tools.client_session.store import ClientSession, SessionGone
from research_core.tools.failures import add_advice
from research_core.tools.groups import select_groups
from research_core.tools.registry import Call, Progress, call_tool
from research_core.trust import reputation
from research_core.userdata import analytics
from research_core.wiring import LOCAL_USER, Resources, default_deps

#: How many of the newest errors are remembered.
MAX_RECENT = 50
#: Error codes in the audit for calls that never ended.
STOPPED_CODE = "stopped"
BUG_CODE = "internal"
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
    failed: tuple[answer_meta.FailedProvider, ...] = ()


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
    """Serve one principal's tool calls. Safe for any number of threads.

    on_trouble: called once for each problem that fails no call, such as an audit that cannot be
    written; limits: how many calls may be made, None for no limit; on_call: called for every call
    with its tool, the kind of its failure and its seconds.
    """

    resources: Resources
    who: Principal = LOCAL_USER
    on_trouble: Callable[[ResearchError], None] = lambda error: None
    limits: Limits | None = None
    on_call: Callable[[str, str, float], None] = lambda tool, code, seconds: None
    counts: dict[str, ToolCount] = field(default_factory=dict)
    errors: deque[Json] = field(default_factory=lambda: deque(maxlen=MAX_RECENT))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _reported: int = 0

    def check(self) -> None:
        """Raise SettingsError for invalid groups, lenses, host tables or provider orders."""
        settings = self.resources.settings
        select_groups((), settings.tool_groups)
        lenses.load_lenses(settings)
        reputation.load_reputation(settings)
        for kind in providers.KINDS:
            providers.list_available_rows(settings, kind)

    def serve(
        self,
        name: str,
        arguments: Any,
        on_progress: Progress | None = None,
        control: Control | None = None,
        caller: Caller = LOCAL_CALLER,
    ) -> ServedCall:
        """Call a tool. Failures of the call or of the outside world are part of the result.

        Raises Stopped, and programming errors; both are counted and audited like other failures.
        """
        clock = self.resources.clock
        began = clock.monotonic()
        log = memory_log(_describe_call(arguments))
        session = None
        try:
            self._permit(name, caller)
            check_texts(to_single_line(name), arguments)
            session = self._join_session(name, arguments)
            answer = self._call_tool(name, arguments, log, session, on_progress, control)
            served = self._build_served(name, answer, log, clock.monotonic() - began)
        except ResearchError as error:
            others = None
            if isinstance(error, SearchError):
                others = self._find_other_providers(name, {error.provider, *error.asked})
            if isinstance(error, UnknownProvider):
                others = self._find_other_providers(name, set())
            failure = add_advice(error, name, tools.ALL_TOOLS, others, _count_attempts(log.calls()))
            served = ServedCall(name, None, failure, {}, clock.monotonic() - began, others)
        except (Exception, Stopped) as error:
            code = BUG_CODE
            broken = ResearchError(f"A fault of Assay: {type(error).__name__}.")
            if isinstance(error, Stopped):
                code = STOPPED_CODE
                broken = ResearchError("Its caller gave it up.")
            failed = ServedCall(name, None, broken, {}, clock.monotonic() - began)
            self._record_call(failed, arguments, code, caller)
            raise
        self._add_to_session(served, log, session)
        self._record_call(served, arguments, _get_error_code(served.error), caller)
        return served

    def _permit(self, name: str, caller: Caller) -> None:
        """Raise BoundaryError: auth_required without the scope, rate_limited at the daily limit."""
        if not caller.may(name):
            step = f"Ask for a token with the scope tool:{name}, tool:* or research."
            raise BoundaryError(
                f"The scopes of this token do not include {name}.",
                kind="auth_required",
                next_step=step,
            )
        if self.limits is not None:
            self.limits.count_tool_call(self.who.tenant)

    def _join_session(self, name: str, arguments: Any) -> ClientSession | None:
        """Return the session that the call names, None without one. Raises SessionGone."""
        row = tools.get_tool(name)
        if row is None or not row.joins or not isinstance(arguments, Mapping):
            return None
        session = arguments.get("sessionId")
        if not isinstance(session, str) or not session:
            return None
        return self._open_session(session)

    def _open_session(self, session: str) -> ClientSession | None:
        ttl_s = self.resources.settings.session_ttl_s
        return store.join_session(self.resources.db, self.who, self.resources.clock, session, ttl_s)

    def _call_tool(
        self,
        name: str,
        arguments: Any,
        log: EventLog,
        session: ClientSession | None,
        on_progress: Progress | None,
        control: Control | None,
    ) -> Json:
        """Call the tool; what it finds is scored against the goal of the session."""
        question = session.goal if session else _describe_call(arguments)
        context = ResearchContext(
            question, default_deps(log, self.resources, who=self.who, control=control)
        )
        call = Call(context, on_progress, alone=True, session=session.id if session else "")
        return call_tool(name, arguments, call, tools.ALL_TOOLS)

    def _build_served(self, name: str, answer: Json, log: EventLog, seconds: float) -> ServedCall:
        row = tools.get_tool(name)
        assert row is not None  # it was called
        routed = bool(self.resources.settings.routing)
        meta = answer_meta.build_meta(row, log.calls(), log.emitted, routed=routed, seconds=seconds)
        failed = answer_meta.list_failed_providers(log.emitted)
        return ServedCall(name, answer, None, meta, seconds, failed=failed)

    def _add_to_session(
        self, served: ServedCall, log: EventLog, session: ClientSession | None
    ) -> None:
        """Add what was found to the session of the call; a failure to do so is noted beside it."""
        try:
            session = session or self._find_begun_session(served)
            if session is not None:
                store.adopt_findings(session, log, _summarize_outcome(served, log))
        except (StoreError, UsageError) as error:
            why = f"What this call found could not be added to the session: {error.message}"
            if served.answer is not None:
                served.answer["notes"] = [*served.answer.get("notes", ()), why]
            self.resources.note_trouble(ResearchError(why, next_step=error.next_step))

    def _find_begun_session(self, served: ServedCall) -> ClientSession | None:
        """Return the session that the call itself began, None if it began none."""
        row = tools.get_tool(served.tool)
        answer = served.answer or {}
        if row is None or not (row.joins and row.keeps) or "sessionId" not in answer:
            return None
        return self._open_session(answer["sessionId"])

    def _find_other_providers(self, name: str, failed: set[str]) -> tuple[str, ...]:
        """Return the providers that could be asked instead, () if none offers the same."""
        row = tools.get_tool(name)
        kind = (row.asks if row else "") or "web"
        if not providers.KINDS[kind].stand_ins:
            return ()
        there = dict.fromkeys(
            each.name for each in providers.list_available_rows(self.resources.settings, kind)
        )
        return tuple(each for each in there if each not in failed)

    def _record_call(self, served: ServedCall, arguments: Any, code: str, caller: Caller) -> None:
        """Count a call, keep its errors, audit it and report new problems of this machine."""
        settings = self.resources.settings
        now = self.resources.clock.now()
        self.on_call(served.tool, code, served.seconds)
        self._record_statistics(served, code, now)
        if settings.analytics and not self.who.is_anonymous:
            self._count_for_user(served.tool, now)
        if settings.audit_path:
            self._audit(served, arguments, code, caller, now)
        with self._lock:
            new_trouble = self.resources.trouble[self._reported :]
            self._reported = len(self.resources.trouble)
        for trouble in new_trouble:
            self._keep_error(now, "", "config", trouble.message)
            self.on_trouble(trouble)

    def _record_statistics(self, served: ServedCall, code: str, now: float) -> None:
        with self._lock:
            count = self.counts.setdefault(served.tool, ToolCount())
            count.calls += 1
            count.seconds += served.seconds
            count.failed += bool(code)
            # These providers failed although the call succeeded with another one.
            for provider in served.failed:
                message = (
                    f"{provider.provider} failed, and another provider was asked: {provider.reason}"
                )
                self._keep_error(now, served.tool, provider.kind, message)
            if served.error is not None:
                self._keep_error(now, served.tool, code, served.error.message)

    def _keep_error(self, at: float, tool: str, kind: str, message: str) -> None:
        row = {
            "at": format_rfc3339(at),
            "tool": tool,
            "kind": kind,
            "message": audit.mask_secrets(message),
        }
        self.errors.appendleft(row)

    def _audit(
        self, served: ServedCall, arguments: Any, code: str, caller: Caller, now: float
    ) -> None:
        settings = self.resources.settings
        query = _find_subject(arguments)
        details: Json = {"query_length": len(query)}
        if settings.audit_queries:
            details = {"query": query}
        for name, value in (("routing", served.meta.get("routing")), *_list_billing(served.answer)):
            if value is not None:
                details[name] = value
        line = audit.build_event(
            now,
            self.who,
            served.tool,
            caller.request_id or uuid.uuid4().hex,
            served.seconds,
            code,
            details,
            session=audit.find_session_id(arguments, served.answer),
            source=caller.source_ip,
        )
        keep = AuditRetention(settings.audit_max_bytes, settings.audit_retention_days)
        append(Path(settings.audit_path), line, self.resources.note_trouble, keep)

    def _count_for_user(self, tool: str, now: float) -> None:
        """Count the call in its caller's own analytics, if they agreed to that."""
        try:
            analytics.count_tool_call(self.resources.db, self.who, tool, now)
        except StoreError as error:
            self.resources.note_trouble(
                ResearchError(
                    f"A call could not be counted: {error.message}", next_step=error.next_step
                )
            )

    def summarize_calls(self) -> Json:
        """Return calls, errors, error rate and mean milliseconds by tool."""
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

    def list_recent_errors(self) -> list[Json]:
        """Return the recent errors, the newest first."""
        with self._lock:
            return list(self.errors)


def _find_subject(arguments: Any) -> str:
    """Return what a call asks for, "" if no argument says it."""
    if not isinstance(arguments, Mapping):
        return ""
    for name in SUBJECT_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _describe_call(arguments: Any) -> str:
    return _find_subject(arguments) or "a tool call"


def _get_error_code(error: ResearchError | None) -> str:
    if error is None:
        return ""
    if isinstance(error, BoundaryError):
        return error.kind
    if isinstance(error, SessionGone):
        return "session_not_found"
    if isinstance(error, UsageError) and not isinstance(error, UnknownProvider):
        return "validation"
    if isinstance(error, StoreError):
        return "store"
    return "config"


def _count_attempts(calls: Sequence[Event]) -> int:
    """Return the highest number of attempts of a failed call."""
    attempts = []
    for call in calls:
        if call.data.get("error"):
            attempts.append(int(call.data.get("about", {}).get("attempts", 1)))
    return max(attempts, default=1)


def _summarize_outcome(served: ServedCall, log: EventLog) -> Json:
    """Return what a session keeps of a call: engines, unread pages, error and search step."""
    engines = []
    unread = []
    for event in log.emitted:
        data = event.data
        if event.kind in ("searched", "search_failed"):
            well = data["state"] in ANSWERED_STATES
            engines.append({"engine": data["engine"], "well": well, "kind": data.get("kind", "")})
        elif event.kind == "fetched" and data.get("failure"):
            kind = data.get("failed", "")
            unread.append({"url": data["url"], "reason": data["failure"], "kind": kind})
    outcome: Json = {
        "tool": served.tool,
        "seconds": round(served.seconds, 3),
        "engines": engines,
        "unread": unread,
    }
    if served.error:
        outcome["error"] = audit.mask_secrets(served.error.message)
        outcome["kind"] = _get_error_code(served.error)
    if served.answer and "currentStep" in served.answer:
        outcome["step"] = served.answer["currentStep"]
    return outcome


def _list_billing(answer: Json | None) -> list[tuple[str, Any]]:
    """Return the provider and cost that the answer names."""
    return [
        ("provider", (answer or {}).get("provider")),
        ("cost_usd", (answer or {}).get("costUsd")),
    ]
