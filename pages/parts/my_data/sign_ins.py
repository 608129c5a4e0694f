"""Show where the user is signed in, and sign them out everywhere."""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user, failures
from parts.shared.wording import format_moment
from research_core.i18n import _
from research_core.sessions import user_summary
from research_core.sessions.user_summary import UserSummary
from research_core.wiring import default_resources

MAX_SHOWN = 10


def draw(summary: UserSummary) -> None:
    st.header(_("Sign-ins: {count}").format(count=len(summary.sign_ins)), anchor=False)
    lines = []
    for each in summary.sign_ins[:MAX_SHOWN]:
        line = _("since {created}, last used {used}").format(
            created=format_moment(each["created"]), used=format_moment(each["seen"])
        )
        lines.append(f"- {line}")
    if len(summary.sign_ins) > MAX_SHOWN:
        lines.append(f"- {_('{count} more').format(count=len(summary.sign_ins) - MAX_SHOWN)}")
    st.markdown("\n".join(lines))
    st.button(
        _("Sign out everywhere"),
        key="sign_out_everywhere",
        icon=":material/logout:",
        on_click=_sign_out_everywhere,
        help=_("Ends all sign-ins, in every browser. Running sessions continue."),
    )


def _sign_out_everywhere() -> None:
    with failures.keep_failures():
        user_summary.end_all_sign_ins(default_resources(), who=current_user.current_principal())
        current_user.sign_out()
