"""Run a recorded session again with every call forbidden: the same log must give the same report, byte for byte.

Writes nothing. A difference means that the code changed since the run, or that something was not a function of the log.
"""

from __future__ import annotations

from dataclasses import dataclass

from research_core import report
from research_core.errors import UsageError
from research_core.events import Event
from research_core.models import Principal, Report
from research_core.pipeline import research
from research_core.policy import RunSettings
from research_core.store import session_row
from research_core.wiring import Office, open_log, session_deps


@dataclass(frozen=True)
class Replay:
    """A report derived again. same: it equals the stored Markdown; differences: (stored, derived) events, in the order they were met."""

    report: Report
    markdown: str
    same: bool
    differences: tuple[tuple[Event, Event], ...]


def replay(office: Office, who: Principal, session: str) -> Replay:
    """Raises UsageError when the session has no report yet, CallForbidden when it asks for a call that was never made."""
    row = session_row(office.db, who, session)
    log = open_log(office, who, session, readonly=True)
    stored = next((event for event in reversed(log.read(kinds=("report",)))), None)
    if stored is None:
        raise UsageError(f"Session {session} has no report to replay.", next_step=f"`assay resume {session}` finishes it.")
    with session_deps(office, log, RunSettings.from_json(row.settings), who=who) as deps:
        derived = research(row.question, deps)
    markdown = report.to_markdown(derived)
    return Replay(derived, markdown, markdown == log.open(stored.data["markdown"]), tuple(log.differences))
