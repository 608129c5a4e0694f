"""One call of a tool from the screen: served by this process's desk on a thread of its own,
followed, stopped.

Each tool has one call under way, or one answer, in a browser session; the next call takes its
place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import streamlit as st

from parts.shared import current_user, jobs
from research_core.errors import Stopped
from research_core.journal.doorway import Control
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.sessions.tool_calls import Desk, Served
from research_core.wiring import Office, default_office

_COUNTED = re.compile(r"(.{1,80}): (\d{1,6}) of ([1-9]\d{0,5})")
#: Seconds in which an answer comes without being announced first: one from the cache, or a refusal.
AT_ONCE_S = 0.5


@dataclass(frozen=True)
class Called:
    """What was asked, and what came of it; None where it was stopped before."""

    asked: Json
    served: Served | None


@st.cache_resource(max_entries=100, show_spinner=False, hash_funcs={Office: id})
def counter(office: Office, who: Principal) -> Desk:
    """The desk of a user in this process, which counts calls and failures."""
    return Desk(office, who)


def start(name: str, asked: Json) -> None:
    """Begin a call in place of the one before."""
    stop(name)
    control, desk = Control(), counter(default_office(), current_user.who())

    def work(heard: jobs.OnProgress) -> Called:
        try:
            return Called(
                asked,
                desk.serve(
                    name, asked, lambda event, detail: heard(*_progress(event, detail)), control
                ),
            )
        except Stopped:
            return Called(asked, None)

    st.session_state[_stopper(name)] = control
    jobs.start(_key(name), f"Asking with {name}", work)
    jobs.wait(_key(name), AT_ONCE_S)


def _progress(event: str, detail: str) -> tuple[int, int, str]:
    """How far it is, where a tool says it ("links: 3 of 40"), and what it does."""
    found = _COUNTED.fullmatch(detail)
    return (int(found[2]), int(found[3]), found[1]) if found else (0, 0, f"{event}: {detail}")


def stop(name: str) -> None:
    """Ask what is under way to end; it does at its next step, at most some tenths of a second
    later.
    """
    control = st.session_state.get(_stopper(name))
    if control is not None:
        control.shutdown.set()


def follow(name: str) -> None:
    """How far the call is and the way to stop it, as long as it is under way."""
    key = _key(name)
    if jobs.under_way(key):
        st.button("Stop", key=f"stop {name}", icon=":material/stop:", on_click=stop, args=(name,))
    jobs.follow(key)


def came(name: str) -> Called | None:
    """What came of the last call; None while there is nothing."""
    called: Called | None = jobs.done(_key(name))
    return called


def under_way(name: str) -> bool:
    return jobs.under_way(_key(name))


def _key(name: str) -> str:
    return f"call {name}"


def _stopper(name: str) -> str:
    return f"stopper {name}"
