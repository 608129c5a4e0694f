"""Replay a recorded session with every call forbidden and compare the report byte for byte.

The pipeline runs again over the log; `timeline` only walks through what the log says. Nothing is
written. A difference means that the code has changed since the run, or that something did not
depend on the log alone. If another version recorded the session, it is named, with the calls that
this version makes and that one did not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from research_core.errors import CallForbidden, UsageError
from research_core.i18n import _, join_list
from research_core.journal import rule_versions
from research_core.journal.deps import Model
from research_core.journal.events import Event, canonical_json
from research_core.journal.log import EventLog
from research_core.journal.store import find_session
from research_core.models import Principal, Report
from research_core.pipeline import report
from research_core.pipeline.run import research
from research_core.policy import RunSettings
from research_core.sessions.session_status import find_report_event, suggest_finish
from research_core.wiring import Resources, open_log, open_session_deps


@dataclass(frozen=True)
class Replay:
    """A report derived again.

    same: it equals the stored Markdown; differences: (stored, derived) events in order; origin: if
    it is not the same and another version recorded the session, that version and the calls that
    differ.
    """

    report: Report
    markdown: str
    same: bool
    differences: tuple[tuple[Event, Event], ...]
    origin: str = ""


def replay_session(
    resources: Resources,
    who: Principal,
    session: str,
    wrap_model: Callable[[Model], Model] | None = None,
) -> Replay:
    """Derive the report of a session again from its log.

    wrap_model: wraps the recorded model to observe its requests; the wrapper must answer like it.
    Raises UsageError if the session has no report yet, CallForbidden for a call never made.
    """
    row = find_session(resources.db, who, session)
    log = open_log(resources, who, session, readonly=True)
    stored = find_report_event(log)
    if stored is None:
        raise UsageError(
            f"Session {session} has no report to replay.",
            next_step=suggest_finish(row),
        )
    with open_session_deps(resources, log, RunSettings.from_json(row.settings), who=who) as deps:
        if wrap_model:
            deps = replace(deps, model=wrap_model(deps.model))
        try:
            derived = research(row.question, deps)
        except CallForbidden as error:
            parts = (describe_origin(log), error.message, _describe_changed_rules(log))
            why = " ".join(part for part in parts if part)
            raise CallForbidden(why, next_step=error.next_step) from error
    markdown = report.to_markdown(derived)
    differing = tuple(pair for pair in log.differences if not _differs_only_by_release(*pair))
    same = markdown == log.open(stored.data["markdown"])
    return Replay(derived, markdown, same, differing, "" if same else describe_origin(log))


def _differs_only_by_release(stored: Event, derived: Event) -> bool:
    """Return True if the stored event differs only by the version of Assay, or by naming no rules.

    Older versions named neither.
    """
    if stored.kind != "created":
        return False
    known = {**stored.data, "version": derived.data.get("version")}
    return bool({**derived.data, **known} == derived.data)


#: Calls that are named of those that differ.
MAX_NAMED_CALLS = 8


def describe_origin(log: EventLog) -> str:
    """Name the version that recorded a session, and the calls that this replay asked for in vain.

    "" if it was this version, under the same rules.
    """
    release = rule_versions.read_release(log)
    recorder = _("version {release}").format(release=release)
    if release == rule_versions.RELEASE:
        if not _describe_changed_rules(log):
            return ""
        recorder = _("an earlier build of version {release}").format(release=release)
    counts = Counter(log.forbidden)
    if not counts:
        differs = _("Recorded by {recorder}; this version decides differently.")
        return differs.format(recorder=recorder)
    named = [f"{what} × {count}" if count > 1 else what for what, count in sorted(counts.items())]
    calls = join_list(named[:MAX_NAMED_CALLS])
    rest = len(named) - MAX_NAMED_CALLS
    if rest > 0:
        calls = _("{items} and {count} more").format(items=calls, count=rest)
    asks = _("Recorded by {recorder}; this version asks other questions: {calls}.")
    return asks.format(recorder=recorder, calls=calls)


def _describe_changed_rules(log: EventLog) -> str:
    return rule_versions.describe_changed_rules(rule_versions.read_rules(log))


# -- in words ------------------------------------------------------------------

#: Characters shown on either side of the place where two values part.
CONTEXT_LENGTH = 60


@dataclass(frozen=True)
class Difference:
    """A value that was derived differently.

    where: its place in the event; stored, derived: excerpts around the first difference.
    """

    kind: str
    key: str
    where: str
    stored: str
    derived: str


def list_differences(again: Replay) -> Iterator[Difference]:
    """Yield every value that differs, in the order of the replay."""
    for stored, derived in again.differences:
        for where, was, now in _find_differing_values(stored.data, derived.data):
            yield Difference(stored.kind, stored.key or "", where, *_cut_around(was, now))


def _find_differing_values(was: Any, now: Any, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield the innermost values that differ, each with its place."""
    if isinstance(was, dict) and isinstance(now, dict):
        for name in dict.fromkeys([*was, *now]):
            place = f"{where}.{name}" if where else name
            yield from _find_differing_values(was.get(name), now.get(name), place)
    elif isinstance(was, list) and isinstance(now, list):
        for number, (one, other) in enumerate(zip_longest(was, now), 1):
            yield from _find_differing_values(one, other, f"{where} {number}")
    elif was != now:
        yield where, was, now


def _cut_around(was: Any, now: Any) -> tuple[str, str]:
    stored = _format_value(was)
    derived = _format_value(now)
    place = min(len(stored), len(derived))
    for number, (one, other) in enumerate(zip(stored, derived, strict=False)):
        if one != other:
            place = number
            break
    return _cut_values(stored, place), _cut_values(derived, place)


def _format_value(value: Any) -> str:
    if value is None:
        return "nothing"
    return value if isinstance(value, str) else canonical_json(value)


def _cut_values(text: str, part: int) -> str:
    start = max(0, part - CONTEXT_LENGTH)
    end = part + CONTEXT_LENGTH
    before = "…" if start else ""
    after = "…" if end < len(text) else ""
    return f"{before}{text[start:end]}{after}"
