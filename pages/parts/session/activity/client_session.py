"""A session that a client leads: its steps, what they found missing, and the way to a report of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import streamlit as st

from parts.shared import current_user, failures
from parts.shared.html_text import markup
from parts.shared.wording import when
from research_core.decisions import gate
from research_core.sessions import reading, runner, workers
from research_core.sessions.reading import Reading
from research_core.tools.client_session import view
from research_core.tools.client_session.view import Research, Step
from research_core.wiring import default_office

#: Steps, and things missing, that are shown at once; pixels that the steps before them have to
#: scroll in.
SHOWN, HEIGHT = 8, 480
STANDS = {
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


def actions(shown: Reading) -> None:
    """How it stands, and a report of it: a new session on the same question, that makes no call
    again.
    """
    with st.container(horizontal=True, vertical_alignment="center", key="result"):
        wanted = st.button(
            "Write a report on it", key="report", type="primary", icon=":material/article:"
        )
        st.caption(STANDS.get(shown.info.status, "It was ended by hand."))

    if wanted:
        with failures.shown():
            _write(shown.session)


def _write(session: str) -> None:
    office, who = default_office(), current_user.who()
    run = reading.read(office, session, who=who).run
    made = runner.rewrite(office, session, gate.standing(run), who=who)
    workers.engine(office).enqueue(made, who=who)
    st.switch_page("live.py", query_params={"session": made})


def research(shown: Reading) -> Research:
    return view.research(shown.events)


def trail(found: Research) -> None:
    """The steps, newest first, the older ones folded away, and what is still missing."""
    if not found.steps:
        st.html('<p class="facts">No step yet.</p>')
        return
    newest = found.steps[::-1]
    st.html(_list(newest[:SHOWN], "Steps, newest first"))
    if older := newest[SHOWN:]:
        fold = st.expander(
            f"{len(older)} earlier step{'s' * (len(older) > 1)}",
            key="earlier",
            type="compact",
            on_change="rerun",
        )
        if fold.open:
            with fold, st.container(key="earlier_steps", height=HEIGHT):
                st.html(_list(older, "Earlier steps, newest first"))
    missing = "".join(
        f"<li>{markup(text, 300)} <span>step {number}</span></li>"
        for text, number in reversed(found.gaps[-SHOWN:])
    )
    if missing:
        st.html(f'<h4>Still missing{_count(found.gaps)}</h4><ul class="missing">{missing}</ul>')


def _count(gaps: Sequence[object]) -> str:
    return f", the latest {SHOWN} of {len(gaps)}" if len(gaps) > SHOWN else ""


def _list(steps: Sequence[Step], label: str) -> str:
    items = "".join(f"<li>{''.join(_told(step))}</li>" for step in steps)
    return f'<ol class="trail" aria-label="{label}">{items}</ol>'


def _told(step: Step) -> Iterator[str]:
    facts = [f"step {step.number}", when(step.at)]
    facts += [f"branch {step.branch}"] if step.branch else []
    facts += [f"from step {step.branch_from}"] if step.branch_from is not None else []
    facts += (
        [f"revises step {step.revises}" if step.revises is not None else "a revision"]
        if step.revision or step.revises
        else []
    )
    facts += [f"confidence {step.confidence}"] if step.confidence else []
    yield (
        f'<p class="facts">{" · ".join(markup(fact, 120) for fact in facts)}</p><p>{markup(step.text, 2_000)}</p>'
    )
    if step.reasoning:
        yield f"<p><b>Why</b> {markup(step.reasoning, 2_000)}</p>"
    if step.rejected:
        yield f"<p><b>Left aside</b> {'; '.join(markup(each, 300) for each in step.rejected)}</p>"
    if step.gap:
        yield f"<p><b>Missing</b> {markup(step.gap, 300)}</p>"
