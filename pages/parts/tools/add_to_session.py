"""Add the pages a tool found to a session, as sources included by hand.

Only addresses are passed on. A running session gets a command for each in its log. A session that
has ended is never changed: a rewrite of it starts, which repeats no answered request. A new
session has them in its settings. Titles and quotes come from the page as the session reads it, not
from the tool's snippet; a page that cannot be read is listed as such.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from parts.shared import current_user, failures, rewrites, search_places, session_state
from parts.shared.wording import describe_search_places
from parts.tools import findings
from parts.tools.findings import FoundPage
from parts.tools.tool_call import ToolAnswer
from research_core.decisions import gate
from research_core.i18n import N_, _, ngettext
from research_core.modes import EXHAUSTIVE, MODES
from research_core.policy import LIBRARY_ENGINE, RunSettings
from research_core.sessions import (
    run_defaults,
    session_control,
    session_list,
    session_start,
    session_status,
    workers,
)
from research_core.sessions import snapshot as snapshots
from research_core.sessions.session_status import SessionInfo
from research_core.sessions.tool_calls import SUBJECT_ARGUMENTS
from research_core.text.question import clean_question
from research_core.text.words import clean_for_choice, clean_for_screen
from research_core.trust.provenance import name_site
from research_core.wiring import default_resources

NEW_SESSION = ""
MAX_PAGES, MAX_TICKED, MAX_SESSIONS = 60, 10, 50
MODE_LABELS = {
    "quick": N_("Quick"),
    "standard": N_("Standard"),
    "deep": N_("Deep"),
    EXHAUSTIVE: N_("Exhaustive"),
}
RUNNING_NOTE = N_(
    "The running session reads these pages now, whatever their credibility, and judges their"
    " relevance. After its gate decision it accepts no more pages."
)
ENDED_NOTE = N_(
    "This session has ended and stays as it is. A copy of it reads these pages too, whatever their"
    " credibility. Answered calls are not repeated."
)
NEW_SESSION_NOTE = N_(
    "A new session searches {places} and reads these pages too, whatever their credibility."
)


def draw_box(name: str, called: ToolAnswer) -> None:
    """Draw the choice of pages and session, the effect, and the button, if pages were found."""
    answer = called.served.answer if called.served else None
    offered = findings.find_pages(answer or {})[:MAX_PAGES]
    if not offered:
        return
    fold = st.expander(
        _("Add pages to a session"),
        key=f"hand_over {name}",
        icon=":material/playlist_add:",
        on_change="rerun",
    )
    # Finding out where a new session can search is slow when the web does not answer.
    if not fold.open:
        return
    with fold:
        chosen = _draw_pages(name, offered)
        infos = {
            info.row.id: info
            for info in session_status.list_sessions(
                default_resources(), who=current_user.current_principal(), limit=MAX_SESSIONS
            )
        }
        session = _draw_session(name, infos)
        question, mode = _draw_question(name, called) if session == NEW_SESSION else ("", "")
        with failures.show_failures():
            run = _new_settings(mode, chosen) if session == NEW_SESSION else None
            st.caption(_describe_effect(infos.get(session), run))
            label = ngettext("Add {count} page", "Add {count} pages", len(chosen)).format(
                count=len(chosen)
            )
            if st.button(label, key=f"add {name}", type="primary", disabled=not chosen):
                _open_session(start_session(question, run) if run else add_pages(session, chosen))


def _draw_pages(name: str, offered: Sequence[FoundPage]) -> list[str]:
    """Draw the found pages. Return the ticked addresses; the first MAX_TICKED start ticked."""
    ticked = []
    with st.container(key=f"pages {name}", gap=None, height=260 if len(offered) > 8 else "content"):
        for number, page in enumerate(offered):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                label = (
                    f"{clean_for_screen(name_site(page.url), 60)} · "
                    f"{clean_for_screen(page.title or page.url, 140)}"
                )
                if st.checkbox(label, value=number < MAX_TICKED, key=f"page {name} {page.url}"):
                    ticked.append(page.url)
    return ticked


def _draw_session(name: str, infos: dict[str, SessionInfo]) -> str:
    def label(id: str) -> str:
        if id == NEW_SESSION:
            return _("New session")
        return (
            f"{clean_for_choice(session_list.get_name(infos[id].row), 90)} · "
            f"{_(session_state.find_outcome_badge(infos[id]).word)}"
        )

    options = [NEW_SESSION, *infos]
    current = st.session_state.get("session")
    return str(
        st.selectbox(
            _("Session"),
            options,
            index=options.index(current) if current in options else 0,
            key=f"session {name}",
            format_func=label,
        )
    )


def _draw_question(name: str, called: ToolAnswer) -> tuple[str, str]:
    """Draw a new session's question, initially the tool's query, and its mode. Return both."""
    about = ""
    for argument in SUBJECT_ARGUMENTS:
        if argument != "url" and called.asked.get(argument):
            about = str(called.asked[argument])
            break
    if st.session_state.get(f"question_of {name}") != about:  # a new call resets the question
        st.session_state[f"question {name}"] = st.session_state[f"question_of {name}"] = about
    left, right = st.columns([4, 1], gap="small", vertical_alignment="top")
    asked = left.text_area(
        _("Question"),
        key=f"question {name}",
        height=80,
        placeholder=_("Ask one full question"),
    )
    mode = right.selectbox(
        _("Mode"),
        list(MODES),
        index=list(MODES).index("standard"),
        key=f"mode {name}",
        format_func=_label_mode,
    )
    return asked, mode


def _label_mode(mode: str) -> str:
    return _(MODE_LABELS[mode])


def _new_settings(mode: str, chosen: Sequence[str]) -> RunSettings:
    """Return a new session's settings: the Ask form's defaults, with these pages approved."""
    resources = default_resources()
    who = current_user.current_principal()
    where = run_defaults.choose_engines(
        resources,
        library=None,
        web=True,
        say=_draw_note,
        who=who,
        look=search_places.is_web_reachable,
    )
    run = run_defaults.build_run_settings(
        resources,
        mode=mode,
        engines=[name for name in where.engines if name != LIBRARY_ENGINE],
        model=run_defaults.list_models(resources)[0],
        library=where.library if LIBRARY_ENGINE in where.engines else None,
        who=who,
        look=search_places.is_web_reachable,
    )
    return replace(run, approved=tuple(chosen))


def _draw_note(words: str) -> None:
    st.caption(words)


def _describe_effect(info: SessionInfo | None, run: RunSettings | None) -> str:
    if run is not None:
        return _(NEW_SESSION_NOTE).format(
            places=clean_for_screen(describe_search_places(run.to_json()), 200)
        )
    if info is not None and _takes_sources(info):
        return _(RUNNING_NOTE)
    return _(ENDED_NOTE)


def _takes_sources(info: SessionInfo) -> bool:
    """Return True if the session accepts approvals: running, and not driven by a client."""
    return info.status not in session_status.TERMINAL_STATUSES and info.row.until is None


# -- adding ----------------------------------------------------------------------------------------


def start_session(question: str, run: RunSettings) -> str:
    """Start a session on this question and return its ID. Raises UsageError."""
    resources = default_resources()
    who = current_user.current_principal()
    session = session_start.new_session(resources, clean_question(question), run, who=who)
    workers.get_engine(resources).enqueue(session, who=who)
    return session


def add_pages(session: str, urls: Sequence[str]) -> str:
    """Add pages to a running session, or to a rewrite of an ended one. Return its ID.

    Raises UsageError.
    """
    resources = default_resources()
    who = current_user.current_principal()
    if _takes_sources(session_status.read_session_info(resources, session, who=who)):
        for url in urls:
            session_control.send_command(resources, session, "approve", url=url, who=who)
        return session
    snapshot = snapshots.read_session(resources, session, who=who)
    if snapshot.run.question:
        run = gate.merge_manual_decisions(snapshot.run)
    else:
        run = RunSettings.from_json(snapshot.info.row.settings)
    approved = tuple(dict.fromkeys((*run.approved, *urls)))
    run = replace(
        run, approved=approved, struck=tuple(url for url in run.struck if url not in urls)
    )
    return rewrites.start_rewrite(session, run)


def _open_session(session: str) -> None:
    st.switch_page("live.py", query_params={"session": session})
