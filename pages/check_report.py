"""Check a report that another program wrote: which of its sentences do their sources support?

The report is pasted, uploaded, or taken from a library. The check is a session like any other.
"""

from __future__ import annotations

import streamlit as st

from parts.audit import audit_form
from parts.shared import failures
from research_core.i18n import N_, _

INTRODUCTION = N_(
    "Paste what another tool wrote. Assay reads every cited source and shows which sentences hold."
)


def draw() -> None:
    st.title(_("Check a report"), anchor=False)
    failures.draw_kept_failure()
    st.caption(_(INTRODUCTION))
    with failures.show_failures():
        audit_form.draw()


draw()
