"""Offer what a report leaves open as follow-up questions; the box is on every tab."""

from __future__ import annotations

import streamlit as st

from parts.shared.follow_up import BOX
from research_core.i18n import _
from research_core.models import Report
from research_core.pipeline import open_questions
from research_core.text.words import clean_for_screen


def draw_open_questions(built: Report) -> None:
    """Draw the run's gaps, if any; a click puts one into the box for a follow-up."""
    if built.decision == "insufficient_data":
        return
    gaps = open_questions.list_open_questions(built)
    if not gaps:
        return
    st.subheader(_("Left open"), anchor=False)
    with st.container(key="gaps", gap=None):
        for number, gap in enumerate(gaps, 1):
            st.button(
                clean_for_screen(gap, 300),
                key=f"gap_{number}",
                type="tertiary",
                wrap=True,
                on_click=_use_gap,
                args=(gap,),
            )


def _use_gap(gap: str) -> None:
    st.session_state[BOX] = gap
