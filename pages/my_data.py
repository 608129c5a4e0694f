"""Show what Assay stores about the current user: consent, data and retention; export and erase.

Shows only this user's data. Sessions are counted here and listed on Sessions.
"""

from __future__ import annotations

import streamlit as st

from parts.my_data import consent, erase, sign_ins, stored_data
from parts.shared import current_user, failures
from research_core.sessions import user_summary
from research_core.wiring import default_resources

OVERVIEW = (
    "\nThis is what Assay keeps about you. Notes, shared findings and counts of calls are kept "
    "only while you agree to it, and only where\n"
    "whoever runs Assay has switched them on.\n"
)
OWNER_NOTE = (
    "Nobody has to sign in here, so that everybody at this machine is one user: its owner. What is"
    " kept is kept for them."
)
SIGNED_IN_NOTE = (
    "You are signed in. What other users keep is kept apart; of theirs you see only libraries that"
    " they share."
)


def draw() -> None:
    st.title("My data", anchor=False)
    failures.draw_kept_failure()
    resources = default_resources()
    who = current_user.current_principal()
    summary = user_summary.read_user_summary(resources, who=who)
    st.markdown(
        f"{OVERVIEW.strip()} {SIGNED_IN_NOTE if current_user.requires_sign_in() else OWNER_NOTE}",
        width=760,
    )
    st.subheader("What you agree to", anchor=False)
    consent.draw(summary.purposes)
    left, right = st.columns([3, 2], gap="large")
    with left:
        stored_data.draw_notes(summary)
        stored_data.draw_shared(summary)
        stored_data.draw_overrides(summary.overrides)
        stored_data.draw_calls(summary.counts)
        stored_data.draw_libraries(summary.libraries)
    with right:
        stored_data.draw_sessions(summary)
        if current_user.requires_sign_in():
            sign_ins.draw(summary)
        stored_data.draw_retention(user_summary.list_retention_spans(resources))
        erase.draw_export()
        erase.draw_form(summary)


draw()
