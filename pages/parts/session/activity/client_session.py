"""Draw a session driven by a client: its steps, the gaps they found, and how to get a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st

from parts.shared import current_user, failures, rewrites
from parts.shared.html_text import escape_line
from parts.shared.wording import format_moment
from research_core.decisions import gate
from research_core.i18n import N_, _, ngettext
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
    "open": N_("An MCP client leads this session with the tool sequential_search."),
    "done": N_("The client has taken its last step. It may still add another."),
    "closed": N_("Closed. Everything found is kept."),
}
ENDED_NOTE = N_("Ended by hand.")


def draw_actions(snapshot: Snapshot) -> None:
    """Draw the session's state, and a button that writes a report without new requests."""
    with st.container(horizontal=True, vertical_alignment="center", key="result"):
        wanted = st.button(
            _("Write a report"), key="report", type="primary", icon=":material/article:"
        )
        st.caption(_(STATUS_NOTES.get(snapshot.info.status, ENDED_NOTE)))

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
        st.html(f'<p class="facts">{_("No steps yet.")}</p>')
        return
    newest = found.steps[::-1]
    st.html(_format_steps(newest[:MAX_STEPS], _("Steps, newest first")))
    older = newest[MAX_STEPS:]
    if older:
        _draw_older_steps(older)
    missing = "".join(
        f"<li>{escape_line(text, 300)} <span>{_format_step_number(number)}</span></li>"
        for text, number in reversed(found.gaps[-MAX_STEPS:])
    )
    if missing:
        st.html(f'<h3>{_format_gap_heading(found.gaps)}</h3><ul class="missing">{missing}</ul>')


def _draw_older_steps(older: Sequence[Step]) -> None:
    fold = st.expander(
        ngettext("{count} earlier step", "{count} earlier steps", len(older)).format(
            count=len(older)
        ),
        key="earlier",
        type="compact",
        on_change="rerun",
    )
    if fold.open:
        with fold, st.container(key="earlier_steps", height=TABLE_HEIGHT):
            st.html(_format_steps(older, _("Earlier steps, newest first")))


def _format_gap_heading(gaps: Sequence[object]) -> str:
    if len(gaps) > MAX_STEPS:
        return _("Still missing, latest {shown} of {count}").format(
            shown=MAX_STEPS, count=len(gaps)
        )
    return _("Still missing")


def _format_step_number(number: int) -> str:
    return _("step {number}").format(number=number)


def _format_steps(steps: Sequence[Step], label: str) -> str:
    items = "".join(f"<li>{''.join(_describe_step(step))}</li>" for step in steps)
    return f'<ol class="trail" aria-label="{label}">{items}</ol>'


def _describe_step(step: Step) -> Iterator[str]:
    facts = [_format_step_number(step.number), format_moment(step.at)]
    if step.branch:
        facts.append(_("branch {name}").format(name=step.branch))
    if step.branch_from is not None:
        facts.append(_("from step {number}").format(number=step.branch_from))
    if step.revises is not None and (step.revision or step.revises):
        facts.append(_("revises step {number}").format(number=step.revises))
    elif step.revision:
        facts.append(_("a revision"))
    if step.confidence:
        facts.append(_("confidence {level}").format(level=step.confidence))
    yield (
        f'<p class="facts">{" · ".join(escape_line(fact, 120) for fact in facts)}</p>'
        f"<p>{escape_line(step.text, 2_000)}</p>"
    )
    if step.reasoning:
        yield f"<p><b>{_('Why')}</b> {escape_line(step.reasoning, 2_000)}</p>"
    if step.rejected:
        rejected = "; ".join(escape_line(each, 300) for each in step.rejected)
        yield f"<p><b>{_('Rejected')}</b> {rejected}</p>"
    if step.gap:
        yield f"<p><b>{_('Missing')}</b> {escape_line(step.gap, 300)}</p>"
