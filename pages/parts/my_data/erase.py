"""All of a user's data to take away, and the form that erases it for good: what goes, what stays
and why, and afterwards what is gone.
"""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user, failures
from parts.shared.html_text import coded
from research_core.sessions import user_summary
from research_core.sessions.user_summary import Dossier
from research_core.userdata.subject import KEPT
from research_core.wiring import default_office

WORD = "ERASE"
#: What one of each store is called, and several.
NAMES = {
    "consents": ("word of consent", "words of consent"),
    "memories": ("note", "notes"),
    "contributions": ("shared finding", "shared findings"),
    "memberships": ("membership", "memberships"),
    "overrides": ("word on a host", "words on hosts"),
    "analytics": ("count of a tool's calls", "counts of tools' calls"),
    "sessions": ("session", "sessions"),
}
GOES = """
Erased are your sessions with all they hold and the reports saved from them, your notes, what you shared in workspaces, your
memberships, your words on hosts, the counts of your calls and your consents. **Nothing of that can be restored.** A session that runs
stops.
"""

STAYS = f"<ul>{''.join(f'<li>{coded(why)}</li>' for why in KEPT.values())}</ul>"


def export() -> None:
    st.subheader("Take it with you", anchor=False)
    st.caption(
        "All of the above as one JSON file, with the questions of your sessions; a session itself"
        " is exported from its report."
    )
    office, who = default_office(), current_user.who()
    st.download_button(
        "Download my data", lambda: user_summary.export(office, who=who), file_name="my-data.json",
        mime="application/json", on_click="ignore",
        key="download_data", icon=":material/download:",
    )  # fmt: skip


def form(told: Dossier) -> None:
    """A word has to be typed, so that no single click can do it."""
    st.subheader("Erase it", anchor=False)
    _done()
    st.markdown(GOES)
    if told.running:
        st.warning(
            f"{told.running} of your sessions {'is' if told.running == 1 else 'are'} running just"
            " now."
        )
    with st.expander("What stays, and why"):
        st.html(STAYS)
    with st.form("erase", border=True):
        st.text_input(f"Type {WORD} to erase all of it", key="erase_word", autocomplete="off")
        st.form_submit_button(
            "Erase my data for good",
            key="erase_all",
            icon=":material/delete_forever:",
            on_click=_erase,
        )
    if st.session_state.pop("erase_refused", False):
        st.error(
            f"Nothing was erased: type {WORD}, in capitals, to say that you mean it.",
            icon=":material/error:",
        )


def _erase() -> None:
    if st.session_state["erase_word"].strip() != WORD:
        st.session_state["erase_refused"] = True
        return
    forget()
    st.session_state["erase_word"] = ""
    with failures.kept():
        st.session_state["erased"] = user_summary.erase(default_office(), who=current_user.who())
    st.session_state["session"] = None  # it is gone with the others
    st.query_params.pop("session", None)


def _done() -> None:
    """What an erasure removed. It stands where the button was pressed, as all above it is shorter
    now.
    """
    gone: dict[str, int] | None = st.session_state.get("erased")
    if gone is None:
        return
    said = [f"{count:,} {NAMES[name][count != 1]}" for name, count in gone.items() if count]
    st.success(
        f"Erased: {', '.join(said)}." if said else "There was nothing to erase.",
        icon=":material/check:",
    )


def forget() -> None:
    """What was erased is not said any longer: something new is kept."""
    st.session_state.pop("erased", None)
