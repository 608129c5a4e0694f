"""The one way a screen follows a session: a small fragment looks at its log once a second, and
draws again what moved.

All tabs of a process that show one session share one reading of it, so that twenty cost hardly more
than one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any, TypeVar

import streamlit as st

from parts.shared import current_user, failures
from parts.shared.badges import OUTCOME_BADGES
from parts.shared.wording import format_ago
from research_core.sessions import catalogue, live, reading, runner
from research_core.sessions.live import Usage
from research_core.sessions.reading import Reading
from research_core.wiring import default_resources

EVERY_S = 1.0
Derived = TypeVar("Derived")


@st.cache_resource(max_entries=100, show_spinner=False)
def _shared_readings(place: str, tenant: str, user: str, session: str) -> dict[Any, Any]:
    """What this process holds of a session: its latest reading, what it spent, and what was made of
    that reading.

    All four are its key: a name with an underscore before it would not be. lock: whoever comes
    while another tab works it out waits.
    """
    return {"lock": RLock()}


def follow_session(session: str) -> Reading:
    """The session as it stands; the same object as long as nothing moved. Raises UsageError when
    there is no such session.
    """
    who = current_user.current_principal()
    st.session_state["held"] = held = _shared_readings(
        str(default_resources().settings.home), who.tenant, who.user, session
    )
    held["who"] = who
    with held["lock"]:
        held["reading"] = now = reading.read_session(
            default_resources(), session, who=who, before=held.get("reading")
        )
    return now


def get_spent(shown: Reading) -> Usage:
    """What the session that is followed used up to now."""
    held = st.session_state["held"]
    with held["lock"]:
        held["spent"] = now = live.count_usage(
            default_resources(), shown, who=held["who"], before=held.get("spent", Usage())
        )
    return now


def derive(shown: Reading, make: Callable[..., Derived], *more: Any) -> Derived:
    """make(shown, *more), made once for as long as the session that is followed stands so. more:
    what can be a key.
    """
    held = st.session_state["held"]
    with held["lock"]:
        known = held.get((make, more))
        if known is None or known[0] is not shown:
            held[make, more] = known = (shown, make(shown, *more))
    value: Derived = known[1]
    return value


def poll_interval(*statuses: str) -> float | None:
    """How often to look at sessions that stand so; None once all have ended. An interrupted one
    goes on as soon as a worker takes it up.
    """
    return None if set(statuses) <= {*runner.TERMINAL_STATUSES, "closed"} else EVERY_S


def draw_status(shown: Reading, facts: str) -> None:
    """The session's status with these facts (HTML), followed until it ends. Draw it once on a page."""
    st.fragment(_draw_status, run_every=poll_interval(shown.info.status))(shown, facts)


def _draw_status(shown: Reading, facts: str) -> None:
    with failures.show_failures():
        now = follow_session(shown.session)
        took = live.measure_elapsed(now, default_resources().clock.now())
        since = (
            ""
            if not shown.at_work
            else f" for {format_ago(took.seconds)} ·"
            if took.of_attempt
            else " ·"
        )  # the facts say when it was asked
        st.html(
            f'<p class="facts">{OUTCOME_BADGES[catalogue.get_state(shown.info)].html}{since} {facts}</p>'
        )
        if _redraw_key(now) != _redraw_key(shown):
            st.rerun()


def _redraw_key(shown: Reading) -> tuple[object, ...]:
    """What a screen that shows no text in the making is drawn anew for."""
    row = shown.info.row
    return (
        shown.info.status,
        row.title,
        row.tags,
        sum(event.kind != "delta" for event in shown.events),
    )


def follow_sessions(shown: Mapping[str, str]) -> None:
    """A list of sessions, {id: status}, followed until all have ended: the page is drawn again once
    one of those stands otherwise.
    """
    open_ = {
        session: status
        for session, status in shown.items()
        if status not in runner.TERMINAL_STATUSES
    }
    st.fragment(_follow_sessions, run_every=poll_interval(*open_.values()))(open_)


def _follow_sessions(shown: Mapping[str, str]) -> None:
    with failures.show_failures():
        asked = (
            runner.list_sessions(
                default_resources(),
                who=current_user.current_principal(),
                limit=None,
                ids=tuple(shown),
            )
            if shown
            else ()
        )
        now = {info.row.id: info.status for info in asked}
        if any(now.get(session) != status for session, status in shown.items()):
            st.rerun()
