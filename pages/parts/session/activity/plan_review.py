"""Show the plan that waits for approval; edit it, start the research, or cancel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from parts.shared import current_user, failures, watch
from parts.shared.html_text import escape_line
from research_core.i18n import N_, _
from research_core.sessions import plan_approval, workers
from research_core.sessions.plan_approval import ProposedPlan
from research_core.sessions.snapshot import Snapshot
from research_core.web.failure_texts import translate_failure
from research_core.wiring import default_resources

INTRODUCTION = N_("Nothing is searched until you start.")
LATER_NOTE = N_("The session may add queries for what is missing.")


class LineField(NamedTuple):
    """A list of lines that can be edited.

    name: of the field of a plan; the others are marked texts.
    """

    name: str
    heading: str
    label: str
    hint: str
    remove: str
    add: str
    about: str


FIELDS = (
    LineField(
        "queries",
        N_("Queries"),
        N_("Query {number}"),
        N_("A query, or leave it empty"),
        N_("Remove query {number}"),
        N_("Add a query"),
        N_("Searched in addition to the question."),
    ),
    LineField(
        "sub_questions",
        N_("Sub-questions"),
        N_("Sub-question {number}"),
        N_("A sub-question, or leave it empty"),
        N_("Remove sub-question {number}"),
        N_("Add a sub-question"),
        N_("They structure the report."),
    ),
)


def find_plan(snapshot: Snapshot) -> ProposedPlan | None:
    return plan_approval.find_proposed_plan(snapshot.info, snapshot.events)


def draw_editor(snapshot: Snapshot) -> None:
    """Draw the plan with fields for its lines, and the buttons that decide on it."""
    plan = watch.derive(snapshot, find_plan)
    assert plan is not None
    if st.session_state.get("edited_plan") != snapshot.session:
        _reset_lines(snapshot.session, plan)
    limits = {
        "queries": (plan.limits.queries, plan.limits.query_length),
        "sub_questions": (plan.limits.sub_questions, plan.limits.sub_question_length),
    }
    with st.container(key="plan_review"):
        st.header(_("Approve the plan"), anchor=False)
        st.caption(_(INTRODUCTION))
        facts = [
            (_("Strategy"), plan.strategy),
            (_("Question, always searched"), plan.question),
        ]
        if plan.note:
            facts.insert(1, (_("Note"), translate_failure(plan.note)))
        st.html("".join(f"<p><b>{name}:</b> {escape_line(text)}</p>" for name, text in facts))
        for field in FIELDS:
            _draw_lines(field, *limits[field.name])
        st.caption(_(LATER_NOTE))
        _draw_buttons(snapshot.session, plan)


def _draw_lines(field: LineField, most: int, longest: int) -> None:
    rows = st.session_state[f"plan_{field.name}"]
    count = _("{count} of at most {most}").format(count=len(rows), most=most)
    st.markdown(f"**{_(field.heading)}** · {count}")
    st.caption(_(field.about))
    for place, row in enumerate(rows, 1):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.text_input(
                _(field.label).format(number=place),
                key=_line_key(field.name, row),
                max_chars=longest,
                label_visibility="collapsed",
                placeholder=_(field.hint),
                persist_state="session",
            )
            st.button(
                _(field.remove).format(number=place),
                key=f"remove_{field.name}_{row}",
                icon=":material/delete:",
                type="tertiary",
                on_click=rows.remove,
                args=(row,),
            )
    st.button(
        _(field.add),
        key=f"add_{field.name}",
        icon=":material/add:",
        type="tertiary",
        disabled=len(rows) >= most,
        on_click=_add_line,
        args=(field.name,),
    )


def _draw_buttons(session: str, plan: ProposedPlan) -> None:
    with st.container(horizontal=True, key="plan_buttons"):
        st.button(
            _("Start research"),
            key="approve_plan",
            type="primary",
            icon=":material/play_arrow:",
            on_click=_approve_plan,
            args=(session,),
        )
        st.button(
            _("Reset plan"),
            key="reset_plan",
            icon=":material/undo:",
            on_click=_reset_lines,
            args=(session, plan),
        )
        st.button(
            _("Cancel"),
            key="cancel",
            icon=":material/close:",
            on_click=_cancel_session,
            args=(session,),
        )


def _line_key(name: str, row: int) -> str:
    return f"plan_{name}_{row}"


def _reset_lines(session: str, plan: ProposedPlan) -> None:
    """Fill the fields with the proposed plan."""
    st.session_state["edited_plan"] = session
    for name, lines in (("queries", plan.queries), ("sub_questions", plan.sub_questions)):
        st.session_state[f"plan_{name}"] = []
        for line in lines:
            _add_line(name, line)


def _add_line(name: str, text: str = "") -> None:
    """Add a field. Its number is new, as a removed field's text may still be kept under it."""
    number = st.session_state.get("plan_lines", 0)
    st.session_state["plan_lines"] = number + 1
    st.session_state[_line_key(name, number)] = text
    st.session_state[f"plan_{name}"].append(number)


def _read_lines(name: str) -> Sequence[str]:
    return [st.session_state[_line_key(name, row)] for row in st.session_state[f"plan_{name}"]]


def _approve_plan(session: str) -> None:
    resources, who = default_resources(), current_user.current_principal()
    with failures.keep_failures():
        plan_approval.approve_plan(
            resources, session, _read_lines("queries"), _read_lines("sub_questions"), who=who
        )
        workers.get_engine(resources).enqueue(session, who=who)


def _cancel_session(session: str) -> None:
    with failures.keep_failures():
        workers.get_engine(default_resources()).cancel(
            session, who=current_user.current_principal()
        )
