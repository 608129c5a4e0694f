"""What Assay keeps about whoever looks: what they agree to, what was kept with that, for how long;
to take away, and to erase for good.

It shows this user's own and nobody else's. Sessions are told by their number: they are on Sessions.
"""

from __future__ import annotations

import streamlit as st

from parts import agreeing, belongings, erasing, failures, me
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
    office, who = default_office(), me.who()
    told = user_summary.read(office, who=who)
    st.markdown(f"{ALL_OF_IT.strip()} {SIGNED_IN if me.asked() else OWNER}", width=760)
    st.subheader("What you agree to", anchor=False)
    agreeing.draw(told.purposes)
    left, right = st.columns([3, 2], gap="large")
    with left:
        belongings.notes(told)
        belongings.shared(told)
        belongings.words(told.words)
        belongings.calls(told.counts)
    with right:
        belongings.sessions(told)
        belongings.spans(user_summary.spans(office))
        erasing.export()
        erasing.form(told)


draw()
