"""Show what Assay stores about the current user: consent, data and retention; export and erase.

Shows only this user's data. Sessions are counted here and listed on Sessions.
"""

from __future__ import annotations

import streamlit as st

from parts.my_data import consent, erase, sign_ins, stored_data
from parts.shared import current_user, failures
from research_core.i18n import N_, _
from research_core.sessions import user_summary
from research_core.wiring import default_resources

OWNER_NOTE = N_("What Assay stores about you. Without sign-in, all users here share it.")
SIGNED_IN_NOTE = N_("What Assay stores about you. Other users cannot see it.")


def draw() -> None:
    st.title(_("My data"), anchor=False)
    failures.draw_kept_failure()
    resources = default_resources()
    who = current_user.current_principal()
    summary = user_summary.read_user_summary(resources, who=who)
    st.caption(_(SIGNED_IN_NOTE) if current_user.requires_sign_in() else _(OWNER_NOTE))
    with st.container(key="my_data"):
        left, right = st.columns([3, 2], gap="large")
        with left:
            st.header(_("Stored data"), anchor=False)
            stored_data.draw(summary)
        with right:
            st.header(_("Retention"), anchor=False)
            stored_data.draw_retention(user_summary.list_retention_spans(resources))
            if current_user.requires_sign_in():
                sign_ins.draw(summary)
        st.header(_("Consent"), anchor=False)
        consent.draw(summary.purposes)
        st.header(_("Export and erase"), anchor=False)
        erase.draw_export()
        erase.draw_form(summary)


draw()
