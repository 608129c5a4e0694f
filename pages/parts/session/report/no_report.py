"""Explain why there is no report, list the searches, and offer next steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any

import streamlit as st

from parts.shared import current_user, failures, rewrites, watch
from parts.shared.html_text import escape_line
from research_core.decisions import gate
from research_core.models import Report
from research_core.pipeline import open_questions, report
from research_core.policy import Caps
from research_core.sessions import workers
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.whatif import LowerMinimum, suggest_lower_minimum
from research_core.text.words import clean_for_screen, format_count
from research_core.wiring import default_resources


def draw_reason(snapshot: Snapshot, built: Report) -> None:
    """Draw the reason and the next steps."""
    lower = _suggest_minimum(snapshot, built)
    st.warning(f"**No report.** {_explain(built, lower)}", icon=":material/block:")
    if built.reason in ("read but not judged", "stopped"):
        st.caption(f"{clean_for_screen(built.rationale, 600)}.")
    with st.container(horizontal=True, key="ways"):
        if lower:
            _draw_lower_minimum(snapshot, lower)
        for way in NEXT_STEPS[built.reason]:
            way(snapshot)
    queries = open_questions.list_open_questions(built)
    if queries:
        with st.container(key="narrower", gap=None):
            st.caption("Narrower questions:")
            for query in queries:
                _draw_ask(query, query)


def _suggest_minimum(snapshot: Snapshot, built: Report) -> LowerMinimum | None:
    """Return a lower minimum credibility, if blocked sources may explain the missing report."""
    is_limited = built.reason in BLOCKING_REASONS or report.describe_blocked_share(built)
    if not is_limited or snapshot.at_work:
        return None
    return watch.derive(snapshot, _find_lower_minimum)


def _find_lower_minimum(snapshot: Snapshot) -> LowerMinimum | None:
    return suggest_lower_minimum(snapshot.run)


def _explain(built: Report, lower: LowerMinimum | None) -> str:
    """Explain why there is no report and what would help. Markdown."""
    cause = clean_for_screen(report.explain_no_report(built))
    scored = [source for source in built.sources if source.parts and source.status != "struck"]
    blocked = sum(source.status == "blocked" for source in scored)
    if lower is None or not blocked:
        return cause
    minimum = built.settings["credibility"]["minimum"]
    counts = (
        f"{blocked} of {format_count(len(scored), 'source')} {'was' if blocked == 1 else 'were'}"
        f" below your minimum credibility of {minimum:.2f}. Lower it to {lower.minimum:.2f} to read"
        f" {lower.new} more, or review them."
    )
    return counts if built.reason == "all blocked by credibility" else f"{cause} {counts}"


def _draw_lower_minimum(snapshot: Snapshot, lower: LowerMinimum) -> None:
    about = "Makes a new session. Pages already read are not read again."
    if st.button(
        f"Lower to {lower.minimum:.2f} and rewrite",
        key="lower_minimum",
        type="primary",
        icon=":material/edit_note:",
        help=about,
    ):
        with failures.show_failures():
            rewrites.open_rewrite(snapshot.session, lower.settings)
    st.page_link(
        "sources.py",
        label="Review blocked sources",
        query_params={"session": snapshot.session, "if_minimum": f"{lower.minimum:g}"},
        icon=":material/table_rows:",
    )


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
    about = "Tries again what failed. Answered calls are not repeated."
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
        "Write in quick mode",
        key="quick",
        type="primary",
        icon=":material/edit_note:",
        help=about,
    ):
        with failures.show_failures():
            quick = replace(run, mode="quick", sources=None, min_full=None, min_short=None)
            rewrites.open_rewrite(snapshot.session, quick)


def draw_go_on(snapshot: Snapshot) -> None:
    """Offer to go on in a new session; if a cap ended the run, with all caps doubled."""
    run = gate.merge_manual_decisions(snapshot.run)
    is_capped = "cap on" in (snapshot.run.stop or {"why": ""})["why"]
    about = "Continues in a new session. Nothing is searched, read or judged twice."
    if is_capped:
        label = "Continue with double limits"
        run = replace(run, caps=_double_caps(run.caps))
    else:
        label = "Continue"
    if st.button(label, key="go_on", type="primary", icon=":material/play_arrow:", help=about):
        with failures.show_failures():
            rewrites.open_rewrite(snapshot.session, run)


def _double_caps(caps: Caps) -> Caps:
    doubled = asdict(caps)
    for name, most in doubled.items():
        if most is not None:
            doubled[name] = 2 * most
    return Caps(**doubled)


def _draw_again(snapshot: Snapshot) -> None:
    _draw_ask("Rephrase the question", snapshot.run.question, icon=":material/edit:")


def draw_threshold_link(snapshot: Snapshot, built: Report) -> None:
    """Draw the way to the threshold, unless the reason already leads there."""
    ways = NEXT_STEPS[built.reason] if built.decision == "insufficient_data" else ()
    if _draw_sources_link not in ways:
        _draw_sources_link(snapshot)


def _draw_sources_link(snapshot: Snapshot) -> None:
    label = "Review sources and threshold"
    st.page_link(
        "sources.py",
        label=label,
        query_params={"session": snapshot.session},
        icon=":material/table_rows:",
    )


def _draw_gate_link(snapshot: Snapshot) -> None:
    st.page_link(
        "gate.py",
        label="Why each was dropped",
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


#: Reasons that too high a minimum credibility may explain.
BLOCKING_REASONS = ("all blocked by credibility", "too few relevant sources")
#: Next steps for each reason, most likely first.
NEXT_STEPS: dict[str, tuple[Callable[[Snapshot], None], ...]] = {
    "search failed": (_draw_resume, _draw_again),
    "nothing found": (_draw_again, _draw_library_link),
    "every fetch failed": (_draw_resume, _draw_library_link, _draw_again),
    "all blocked by credibility": (_draw_again,),
    "all off topic": (_draw_again, _draw_gate_link, _draw_library_link),
    "relevance could not be scored": (_draw_resume, _draw_gate_link),
    "too few relevant sources": (_draw_quick, _draw_gate_link, _draw_sources_link, _draw_again),
    "all struck by hand": (_draw_sources_link, _draw_again),
    "read but not judged": (draw_go_on, _draw_again),
    "stopped": (draw_go_on, _draw_again, _draw_gate_link),
}
