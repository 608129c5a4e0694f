"""Show where the user is signed in, and sign them out everywhere."""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user, failures
from parts.shared.wording import format_moment
from research_core.sessions import user_summary
from research_core.sessions.user_summary import UserSummary
from research_core.wiring import default_resources

MAX_SHOWN = 10


def draw(summary: UserSummary) -> None:
    st.subheader(f"Signed in · {len(summary.sign_ins)}", anchor=False)
    lines = [
        f"- since {format_moment(each['created'])}, last used {format_moment(each['seen'])}"
        for each in summary.sign_ins[:MAX_SHOWN]
    ]
    if len(summary.sign_ins) > MAX_SHOWN:
        lines.append(f"- and {len(summary.sign_ins) - MAX_SHOWN} more")
    st.markdown("\n".join(lines))
    st.button(
        "Sign out everywhere",
        key="sign_out_everywhere",
        icon=":material/logout:",
        on_click=_sign_out_everywhere,
        help="Ends each of these sign-ins, in every browser. Research that runs goes on.",
    )


def _sign_out_everywhere() -> None:
    with failures.keep_failures():
        user_summary.end_all_sign_ins(default_resources(), who=current_user.current_principal())
        current_user.sign_out()
