"""Draw a session driven by a client: its steps, the gaps they found, and how to get a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st

from parts.shared import current_user, failures, rewrites
from parts.shared.html_text import escape_line
from parts.shared.wording import format_moment
from research_core.decisions import gate
from research_core.sessions import snapshot as snapshots
from research_core.sessions.snapshot import Snapshot
from research_core.tools.client_session import view
from research_core.tools.client_session.view import ClientResearch, Step
from research_core.wiring import default_resources

#: Steps and gaps shown at once.
MAX_STEPS = 8
#: Height in pixels of the scrolling list of earlier steps.
TABLE_HEIGHT = 480
STATUS_NOTES = {
    "open": (
        "A client leads this session with the tool sequential_search. What its tools find appears"
        " here; no worker runs it."
    ),
    "done": (
        "Its client has taken the last step. It may still take another while tools find the"
        " session."
    ),
    "closed": (
        "It was left alone too long, or closed: tools find it no more. What it gathered is kept."
    ),
}


def draw_actions(snapshot: Snapshot) -> None:
    """Draw the session's state, and a button that writes a report without new requests."""
    with st.container(horizontal=True, vertical_alignment="center", key="result"):
        wanted = st.button(
            "Write a report on it", key="report", type="primary", icon=":material/article:"
        )
        st.caption(STATUS_NOTES.get(snapshot.info.status, "It was ended by hand."))

    if wanted:
        with failures.show_failures():
            _write_report(snapshot.session)


def _write_report(session: str) -> None:
    resources = default_resources()
    who = current_user.current_principal()
    run = snapshots.read_session(resources, session, who=who).run
    rewrites.open_rewrite(session, gate.merge_manual_decisions(run))


def read_research(snapshot: Snapshot) -> ClientResearch:
    return view.fold_client_session(snapshot.events)


def draw_trail(found: ClientResearch) -> None:
    """Draw the steps, newest first, the older ones folded, and the remaining gaps."""
    if not found.steps:
        st.html('<p class="facts">No step yet.</p>')
        return
    newest = found.steps[::-1]
    st.html(_format_steps(newest[:MAX_STEPS], "Steps, newest first"))
    older = newest[MAX_STEPS:]
    if older:
        _draw_older_steps(older)
    missing = "".join(
        f"<li>{escape_line(text, 300)} <span>step {number}</span></li>"
        for text, number in reversed(found.gaps[-MAX_STEPS:])
    )
    if missing:
        st.html(
            f"<h4>Still missing{_format_gap_count(found.gaps)}</h4>"
            f'<ul class="missing">{missing}</ul>'
        )


def _draw_older_steps(older: Sequence[Step]) -> None:
    fold = st.expander(
        f"{len(older)} earlier step{'s' * (len(older) > 1)}",
        key="earlier",
        type="compact",
        on_change="rerun",
    )
    if fold.open:
        with fold, st.container(key="earlier_steps", height=TABLE_HEIGHT):
            st.html(_format_steps(older, "Earlier steps, newest first"))


def _format_gap_count(gaps: Sequence[object]) -> str:
    if len(gaps) > MAX_STEPS:
        return f", the latest {MAX_STEPS} of {len(gaps)}"
    return ""


def _format_steps(steps: Sequence[Step], label: str) -> str:
    items = "".join(f"<li>{''.join(_describe_step(step))}</li>" for step in steps)
    return f'<ol class="trail" aria-label="{label}">{items}</ol>'


def _describe_step(step: Step) -> Iterator[str]:
    facts = [f"step {step.number}", format_moment(step.at)]
    if step.branch:
        facts.append(f"branch {step.branch}")
    if step.branch_from is not None:
        facts.append(f"from step {step.branch_from}")
    if step.revises is not None and (step.revision or step.revises):
        facts.append(f"revises step {step.revises}")
    elif step.revision:
        facts.append("a revision")
    if step.confidence:
        facts.append(f"confidence {step.confidence}")
    yield (
        f'<p class="facts">{" · ".join(escape_line(fact, 120) for fact in facts)}</p>'
        f"<p>{escape_line(step.text, 2_000)}</p>"
    )
    if step.reasoning:
        yield f"<p><b>Why</b> {escape_line(step.reasoning, 2_000)}</p>"
    if step.rejected:
        rejected = "; ".join(escape_line(each, 300) for each in step.rejected)
        yield f"<p><b>Left aside</b> {rejected}</p>"
    if step.gap:
        yield f"<p><b>Missing</b> {escape_line(step.gap, 300)}</p>"
