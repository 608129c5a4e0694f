"""Check a bibliography: existing, retracted and mismatched works, dead links; export the rest.

The list is pasted, uploaded, or taken from a session, which the address can name: ?session=ID.
"""

from __future__ import annotations

import streamlit as st

from parts.citations import check_form, check_results
from parts.shared import failures
from research_core.i18n import N_, _

INTRODUCTION = N_("Find references that do not exist, were retracted, or have dead links.")


def draw() -> None:
    st.title(_("Citations"), anchor=False)
    failures.draw_kept_failure()
    check_form.follow_check()
    if check_form.is_under_way():
        return
    result = check_form.take_result()
    if result is None:
        st.caption(_(INTRODUCTION))
        check_form.draw_form()
        return
    check_results.draw(*result)


draw()
