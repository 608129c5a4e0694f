"""Explain why there is no report, list the searches, and offer next steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

import streamlit as st

from parts.shared import current_user, failures
from parts.shared.html_text import escape_line
from research_core.decisions import gate
from research_core.models import Report
from research_core.pipeline import open_questions, report
from research_core.policy import Caps
from research_core.sessions import session_start, workers
from research_core.sessions.snapshot import Snapshot
from research_core.text.words import clean_for_screen, format_count
from research_core.wiring import default_resources


def draw_reason(snapshot: Snapshot, built: Report) -> None:
    """Draw the reason and the next steps."""
    st.warning(
        f"**No report: {clean_for_screen(built.reason)}.** "
        f"{clean_for_screen(report.explain_no_report(built))}",
        icon=":material/block:",
    )
    if built.reason in ("read but not judged", "stopped"):
        st.caption(f"{clean_for_screen(built.rationale, 600)}.")
    with st.container(horizontal=True, key="ways"):
        for way in NEXT_STEPS[built.reason]:
            way(snapshot)
    queries = open_questions.list_open_questions(built)
    if queries:
        with st.container(key="narrower", gap=None):
            st.caption("Or ask more narrowly:")
            for query in queries:
                _draw_ask(query, query)


def draw_searches(built: Report) -> None:
    """Draw every query and each engine's answer."""
    if not built.searches:
        st.caption("Nothing was searched.")
        return
    rows = "".join(map(_search_row, built.searches))
    head = "<tr><th scope=col>Query</th><th scope=col>Engine</th><th scope=col>Answer</th></tr>"
    st.html(f'<table class="plain"><caption>What was searched</caption>{head}{rows}</table>')


def _search_row(search: Mapping[str, Any]) -> str:
    facts = [str(search[name]).replace("_", " ") for name in ("state", "reason") if search[name]]
    answer = ": ".join(facts)
    if search["state"] == "answered":
        answer += f", {format_count(search['results'], 'result')}"
    cells = (search["query"], search["engine"], answer)
    return f"<tr>{''.join(f'<td>{escape_line(cell)}</td>' for cell in cells)}</tr>"


# -- next steps ------------------------------------------------------------------------------------


def _draw_resume(snapshot: Snapshot) -> None:
    about = "What failed is tried again; what was answered is not."
    if st.button("Resume", key="resume", type="primary", icon=":material/play_arrow:", help=about):
        with failures.show_failures():
            workers.get_engine(default_resources()).enqueue(
                snapshot.session, who=current_user.current_principal()
            )
            st.switch_page("live.py", query_params={"session": snapshot.session})


def _draw_quick(snapshot: Snapshot) -> None:
    run = gate.merge_manual_decisions(snapshot.run)
    if run.mode == "quick":
        return
    about = "The same question over the same sources, with the lower thresholds of quick mode."
    if st.button(
        "Write it in quick mode",
        key="quick",
        type="primary",
        icon=":material/edit_note:",
        help=about,
    ):
        with failures.show_failures():
            resources = default_resources()
            who = current_user.current_principal()
            new = session_start.rewrite(
                resources,
                snapshot.session,
                replace(run, mode="quick", sources=None, min_full=None, min_short=None),
                who=who,
            )
            workers.get_engine(resources).enqueue(new, who=who)
            st.switch_page("live.py", query_params={"session": new})


def draw_go_on(snapshot: Snapshot) -> None:
    """Offer to go on in a new session; if a cap ended the run, with all caps doubled."""
    run = gate.merge_manual_decisions(snapshot.run)
    is_capped = "cap on" in (snapshot.run.stop or {"why": ""})["why"]
    about = (
        "In a new session; what was searched and read is not asked for again, and what was judged"
        " not judged again."
    )
    if is_capped:
        label = "Go on with twice the limits"
        run = replace(run, caps=_double_caps(run.caps))
    else:
        label = "Go on where it stopped"
    if st.button(label, key="go_on", type="primary", icon=":material/play_arrow:", help=about):
        with failures.show_failures():
            resources = default_resources()
            who = current_user.current_principal()
            new = session_start.rewrite(resources, snapshot.session, run, who=who)
            workers.get_engine(resources).enqueue(new, who=who)
            st.switch_page("live.py", query_params={"session": new})


def _double_caps(caps: Caps) -> Caps:
    doubled = asdict(caps)
    for name, most in doubled.items():
        if most is not None:
            doubled[name] = 2 * most
    return Caps(**doubled)


def _draw_again(snapshot: Snapshot) -> None:
    _draw_ask("Ask again in other words", snapshot.run.question, icon=":material/edit:")


def draw_threshold_link(snapshot: Snapshot, built: Report) -> None:
    """Draw the way to the threshold, unless the reason already leads there."""
    ways = NEXT_STEPS[built.reason] if built.decision == "insufficient_data" else ()
    if _draw_sources_link not in ways:
        _draw_sources_link(snapshot)


def _draw_sources_link(snapshot: Snapshot) -> None:
    label = "Lower the threshold or restore a source"
    st.page_link(
        "sources.py",
        label=label,
        query_params={"session": snapshot.session},
        icon=":material/table_rows:",
    )


def _draw_gate_link(snapshot: Snapshot) -> None:
    st.page_link(
        "gate.py",
        label="See why each was dropped",
        query_params={"session": snapshot.session},
        icon=":material/rule:",
    )


def _draw_library_link(snapshot: Snapshot) -> None:
    st.page_link(
        "library.py",
        label="Add documents",
        query_params={"session": snapshot.session},
        icon=":material/local_library:",
    )


def _draw_ask(label: str, question: str, icon: str | None = None) -> None:
    """Draw a link to the Ask form with this question filled in."""
    st.page_link(
        "ask.py", label=clean_for_screen(label, 300), query_params={"q": question}, icon=icon
    )


#: Next steps for each reason, most likely first.
NEXT_STEPS: dict[str, tuple[Callable[[Snapshot], None], ...]] = {
    "search failed": (_draw_resume, _draw_again),
    "nothing found": (_draw_again, _draw_library_link),
    "every fetch failed": (_draw_resume, _draw_library_link, _draw_again),
    "all blocked by credibility": (_draw_sources_link, _draw_again),
    "all off topic": (_draw_again, _draw_gate_link, _draw_library_link),
    "relevance could not be scored": (_draw_resume, _draw_gate_link),
    "too few relevant sources": (_draw_quick, _draw_gate_link, _draw_sources_link, _draw_again),
    "all struck by hand": (_draw_sources_link, _draw_again),
    "read but not judged": (draw_go_on, _draw_again),
    "stopped": (draw_go_on, _draw_again, _draw_gate_link),
}
