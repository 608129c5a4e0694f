"""What Assay keeps about whoever looks: what they agree to, what was kept with that, for how long;
to take away, and to erase for good.

It shows this user's own and nobody else's. Sessions are told by their number: they are on Sessions.
"""

from __future__ import annotations

import streamlit as st

from parts.my_data import consent, erase, stored_data
from parts.shared import current_user, failures
from research_core.sessions import user_summary
from research_core.wiring import default_office

ALL_OF_IT = """
This is what Assay keeps about you. Notes, shared findings and counts of calls are kept only while you agree to it, and only where
whoever runs Assay has switched them on.
"""
OWNER = (
    "Nobody has to sign in here, so that everybody at this machine is one user: its owner. What is"
    " kept is kept for them."
)
SIGNED_IN = "You are signed in: what other users keep is kept apart, and you see none of it."


def draw() -> None:
    st.title("My data", anchor=False)
    failures.refused()
    office, who = default_office(), current_user.who()
    told = user_summary.read(office, who=who)
    st.markdown(f"{ALL_OF_IT.strip()} {SIGNED_IN if current_user.asked() else OWNER}", width=760)
    st.subheader("What you agree to", anchor=False)
    consent.draw(told.purposes)
    left, right = st.columns([3, 2], gap="large")
    with left:
        stored_data.notes(told)
        stored_data.shared(told)
        stored_data.words(told.words)
        stored_data.calls(told.counts)
    with right:
        stored_data.sessions(told)
        stored_data.spans(user_summary.spans(office))
        erase.export()
        erase.form(told)


draw()
