"""Follow a session: look at its log every second and redraw what changed.

All tabs of a process that show one session share one reading of it, so that twenty tabs cost hardly
more than one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any, TypeVar

import streamlit as st

from parts.shared import current_user, failures, session_state
from parts.shared.wording import format_duration
from research_core.sessions import session_status, spending
from research_core.sessions import snapshot as snapshots
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.spending import SessionUsage
from research_core.wiring import default_resources

EVERY_S = 1.0
T = TypeVar("T")


@st.cache_resource(max_entries=100, show_spinner=False)
def _shared_readings(place: str, tenant: str, user: str, session: str) -> dict[Any, Any]:
    """Return this process's shared state of a session: reading, spending and derived values.

    The cache key is all four arguments; Streamlit ignores arguments with a leading underscore.
    lock: tabs wait while another one computes.
    """
    return {"lock": RLock()}


def follow_session(session: str) -> Snapshot:
    """Return the session's current reading, the same object while nothing changed.

    Raises UsageError if there is no such session.
    """
    who = current_user.current_principal()
    st.session_state["held"] = held = _shared_readings(
        str(default_resources().settings.home), who.tenant, who.user, session
    )
    held["who"] = who
    with held["lock"]:
        held["reading"] = now = snapshots.read_session(
            default_resources(), session, who=who, before=held.get("reading")
        )
    return now


def read_parent(snapshot: Snapshot) -> Snapshot:
    """Return the session that the followed one came from. Raises UsageError if it is gone."""
    held = st.session_state["held"]
    return snapshots.read_session(
        default_resources(), str(snapshot.info.row.parent), who=held["who"]
    )


def get_spent(snapshot: Snapshot) -> SessionUsage:
    """Return what the followed session has used so far."""
    held = st.session_state["held"]
    with held["lock"]:
        held["spent"] = now = spending.count_usage(
            default_resources(), snapshot, who=held["who"], before=held.get("spent", SessionUsage())
        )
    return now


def derive(snapshot: Snapshot, make: Callable[..., T], *more: Any) -> T:
    """Return make(snapshot, *more), computed once while the session is unchanged.

    more: hashable values.
    """
    held = st.session_state["held"]
    with held["lock"]:  # reentrant: what is derived may be derived from something else
        known = held.get((make, more))
        if known is None or known[0] is not snapshot:
            held[make, more] = known = (snapshot, make(snapshot, *more))
    value: T = known[1]
    return value


def poll_interval(*statuses: str) -> float | None:
    """Return the seconds between looks at sessions, or None once all have ended.

    An interrupted session has not ended: a worker may resume it.
    """
    if set(statuses) <= {*session_status.TERMINAL_STATUSES, "closed"}:
        return None
    return EVERY_S


def draw_status(snapshot: Snapshot, facts: str) -> None:
    """Draw the session's status with these facts (HTML) until it ends. Use it once on a page."""
    st.fragment(_draw_status, run_every=poll_interval(snapshot.info.status))(snapshot, facts)


def _draw_status(snapshot: Snapshot, facts: str) -> None:
    with failures.show_failures():
        now = follow_session(snapshot.session)
        since = ""
        if now.info.status == "running":
            took = spending.measure_elapsed(now, default_resources().clock.now())
            since = f"{format_duration(took.seconds)} · "
        st.html(f'<p class="facts">{session_state.format_state(now)} {since}{facts}</p>')
        if _redraw_key(now) != _redraw_key(snapshot):
            st.rerun()


def _redraw_key(snapshot: Snapshot) -> tuple[object, ...]:
    """Return what a screen without draft text depends on."""
    row = snapshot.info.row
    return (
        snapshot.info.status,
        row.title,
        row.tags,
        sum(event.kind != "delta" for event in snapshot.events),
    )


def follow_sessions(shown: Mapping[str, str]) -> None:
    """Redraw the page when the status of a listed session changes. shown: {ID: status}."""
    open_ = {
        session: status
        for session, status in shown.items()
        if status not in session_status.TERMINAL_STATUSES
    }
    st.fragment(_follow_sessions, run_every=poll_interval(*open_.values()))(open_)


def _follow_sessions(shown: Mapping[str, str]) -> None:
    with failures.show_failures():
        now: dict[str, str] = {}
        if shown:
            infos = session_status.list_sessions(
                default_resources(),
                who=current_user.current_principal(),
                limit=None,
                ids=tuple(shown),
            )
            now = {info.row.id: info.status for info in infos}
        if any(now.get(session) != status for session, status in shown.items()):
            st.rerun()
