"""Check a bibliography: existing, retracted and mismatched works, dead links; export the rest.

The list is pasted, uploaded, or taken from a session, which the address can name: ?session=ID.
"""

from __future__ import annotations

import streamlit as st

from parts.citations import check_form, check_results
from parts.shared import failures

INTRODUCTION = (
    "Paste the references of a paper, a brief or a report, or send the file your reference manager"
    " exports. Each is looked up: does it exist, was it retracted, does its link still answer, is"
    " its DOI that of another work? What nobody could say is told as that: it is no sign that a"
    " reference is false."
)


def draw() -> None:
    st.title("Citations", anchor=False)
    failures.draw_kept_failure()
    check_form.follow_check()
    if check_form.is_under_way():
        return
    result = check_form.take_result()
    if result is None:
        st.markdown(INTRODUCTION, width=760)
        check_form.draw_form()
        return
    check_results.draw(*result)


draw()
