"""Call a tool from the screen, in a background thread: start, follow and stop it.

Each tool has at most one call or answer in a browser session; the next call replaces it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import streamlit as st

from parts.shared import current_user, jobs
from parts.tools.tool_labels import get_tool_label
from research_core.errors import Stopped
from research_core.i18n import _
from research_core.journal.doorway import Control
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.sessions.tool_calls import ServedCall, ToolCaller
from research_core.tools import get_tool
from research_core.wiring import Resources, default_resources

_COUNTED_PROGRESS = re.compile(r"(.{1,80}): (\d{1,6}) of ([1-9]\d{0,5})")
#: Seconds to wait before showing progress: a cached answer or a refusal comes sooner.
WAIT_FIRST_S = 0.5


@dataclass(frozen=True)
class ToolAnswer:
    """A request and its answer; None if the call was stopped before."""

    asked: Json
    served: ServedCall | None


# There is one Resources in a process, and its contents cannot be hashed.
@st.cache_resource(max_entries=100, show_spinner=False, hash_funcs={Resources: id})
def find_caller(resources: Resources, who: Principal) -> ToolCaller:
    """Return a user's tool caller in this process, which counts calls and failures."""
    return ToolCaller(resources, who)


def start_call(name: str, asked: Json) -> None:
    """Start a call, replacing the previous one."""
    stop_call(name)
    control = Control()
    tool_caller = find_caller(default_resources(), current_user.current_principal())

    def work(report_progress: jobs.OnProgress) -> ToolAnswer:
        try:
            return ToolAnswer(
                asked,
                tool_caller.serve(
                    name,
                    asked,
                    lambda event, detail: report_progress(*_parse_progress(event, detail)),
                    control,
                ),
            )
        except Stopped:
            return ToolAnswer(asked, None)

    st.session_state[_stop_key(name)] = control
    jobs.start_job(_job_key(name), _("Running {tool}").format(tool=_label_tool(name)), work)
    jobs.wait_briefly(_job_key(name), WAIT_FIRST_S)


def _parse_progress(event: str, detail: str) -> tuple[int, int, str]:
    """Return (done, total or 0, what) from a tool's progress ("links: 3 of 40")."""
    found = _COUNTED_PROGRESS.fullmatch(detail)
    if found:
        return (int(found[2]), int(found[3]), found[1])
    return (0, 0, f"{event}: {detail}")


def stop_call(name: str) -> None:
    """Ask the running call to stop; it does so at its next step, within tenths of a second."""
    control = st.session_state.get(_stop_key(name))
    if control is not None:
        control.shutdown.set()


def follow_call(name: str) -> None:
    """Show the call's progress and a stop button while it is running."""
    key = _job_key(name)
    if jobs.is_under_way(key):
        st.button(
            _("Stop"), key=f"stop {name}", icon=":material/stop:", on_click=stop_call, args=(name,)
        )
    jobs.follow_jobs(key)


def take_result(name: str) -> ToolAnswer | None:
    """Return the last call's result, or None if there is none."""
    called: ToolAnswer | None = jobs.take_result(_job_key(name))
    return called


def is_under_way(name: str) -> bool:
    return jobs.is_under_way(_job_key(name))


def _label_tool(name: str) -> str:
    row = get_tool(name)
    return get_tool_label(row) if row else name


def _job_key(name: str) -> str:
    return f"call {name}"


def _stop_key(name: str) -> str:
    return f"stopper {name}"
