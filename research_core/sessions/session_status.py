"""Read the status and the report of stored sessions, and whether a worker runs them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from research_core.errors import UsageError
from research_core.journal import store
from research_core.journal.events import Event, drop_voided
from research_core.journal.log import EventLog
from research_core.journal.store import WAITING_OUTCOME, SessionHead, SessionRow
from research_core.journal.tables import session as session_table
from research_core.models import SESSION_STATES, Principal
from research_core.sessions import heartbeats
from research_core.sessions.heartbeats import is_alive
from research_core.wiring import LOCAL_USER, Resources, open_log

TERMINAL_STATUSES = ("done", "failed", "cancelled")


@dataclass(frozen=True)
class SessionInfo:
    """A session in a list.

    status: queued | running | interrupted | waiting | done | failed | cancelled; for a client-led
    one open | closed. A waiting one has a plan that the analyst is to approve.
    """

    row: SessionRow
    status: str

    @property
    def decision(self) -> str:
        """full_report | short_report | insufficient_data of a finished session, else ""."""
        return self.row.decision


@dataclass(frozen=True)
class SessionEntry:
    """A session without its settings, for a list of all. status: as in SessionInfo."""

    row: SessionHead
    status: str

    @property
    def decision(self) -> str:
        """As in SessionInfo."""
        return self.row.decision


def list_entries(
    resources: Resources, *, who: Principal = LOCAL_USER, deleted: bool = False
) -> list[SessionEntry]:
    """Return all of this user's sessions, newest first.

    deleted: instead those that can be restored.
    """
    beats = heartbeats.list_executors(resources.db)
    now = heartbeats.read_clock(resources)
    rows = store.list_session_heads(resources.db, who, deleted=deleted)
    return [SessionEntry(row, find_status(row, beats, now)) for row in rows]


def list_sessions(
    resources: Resources,
    *,
    who: Principal = LOCAL_USER,
    limit: int | None = 200,
    deleted: bool = False,
    ids: Collection[str] | None = None,
) -> list[SessionInfo]:
    """Return this user's sessions, newest first.

    deleted: instead those that can be restored; ids: only these.
    """
    beats = heartbeats.list_executors(resources.db)
    now = heartbeats.read_clock(resources)
    rows = store.list_sessions(resources.db, who, limit=limit, deleted=deleted, ids=ids)
    return [SessionInfo(row, find_status(row, beats, now)) for row in rows]


def read_session_info(
    resources: Resources, session: str, *, who: Principal = LOCAL_USER
) -> SessionInfo:
    """Return a session with its status. Raises UsageError if there is no such session."""
    row = store.find_session(resources.db, who, session)
    beats = heartbeats.list_executors(resources.db)
    return SessionInfo(row, find_status(row, beats, heartbeats.read_clock(resources)))


def find_status(row: SessionRow | SessionHead, beats: Mapping[str, float], now: float) -> str:
    """Return the status of a session, see `SessionInfo`.

    An ended or waiting one has the outcome of its log. Any other is running while its executor is
    alive, interrupted after that, and queued before its first attempt. An unfinished client-led one
    is open while tools may continue it, then closed.
    """
    if row.outcome in (*TERMINAL_STATUSES, WAITING_OUTCOME):
        return str(row.outcome)
    if row.until is not None:
        return "open" if row.until > now else "closed"
    if row.executor is None:
        return "queued"
    return "running" if is_alive(row.executor, beats, now) else "interrupted"


def name_status(status: str) -> str:
    """Return the English word of a status for a message; `translate_failure` translates it."""
    return "closed" if status == "closed" else SESSION_STATES[status].word


def build_status_column(beats: Mapping[str, float], now: float) -> sa.ColumnElement[str]:
    """Return the status of sessions, by `find_status`, as a column of a statement."""
    living = [id for id in beats if is_alive(id, beats, now)]
    row = session_table.c
    return sa.case(
        (row.outcome.in_((*TERMINAL_STATUSES, WAITING_OUTCOME)), row.outcome),
        (row.until > now, "open"),
        (row.until.is_not(None), "closed"),
        (row.executor.is_(None), "queued"),
        (row.executor.in_(living), "running"),
        else_="interrupted",
    )


def suggest_finish(row: SessionRow) -> str:
    """Return how a session without a report gets one, as a command.

    No worker runs a session that a client leads, so it cannot be resumed.
    """
    if row.until is not None:
        return f"`assay rewrite {row.id}` researches its question and writes a report."
    if row.outcome == WAITING_OUTCOME:
        return f"`assay approve {row.id}` starts the research."
    return f"`assay resume {row.id}` finishes it."


def check_run_by_worker(resources: Resources, session: str, who: Principal) -> None:
    """Raise UsageError for a client-led session, which no worker runs."""
    if store.find_session(resources.db, who, session).until is not None:
        step = "Rewrite it: a new session then researches the same question and writes a report."
        raise UsageError(
            f"Session {session} belongs to a client that calls tools step by step.", next_step=step
        )


def read_stored_report(
    resources: Resources, session: str, *, who: Principal = LOCAL_USER
) -> str | None:
    """Return the stored Markdown of a finished session, None without one or after a resume."""
    log = open_log(resources, who, session)
    stored = find_report_event(log)
    return str(log.open(stored.data["markdown"])) if stored else None


def find_report_event(log: EventLog) -> Event | None:
    """Return the event of the report in force, None without one."""
    for event in reversed(drop_voided(log.read(kinds=("report", "voided")))):
        if event.kind == "report":
            return event
    return None


def get_saved_path(resources: Resources, session: str) -> Path:
    """Return where thorough modes save the Markdown of a session."""
    return resources.settings.home / "reports" / f"{session}.md"
