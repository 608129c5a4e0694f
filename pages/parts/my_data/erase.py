"""Export all of a user's data, or erase it after a confirmation."""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user, failures
from parts.shared.html_text import escape_with_code
from research_core.sessions import user_summary
from research_core.sessions.user_summary import UserSummary
from research_core.text.words import clean_for_screen
from research_core.userdata.export_and_erase import NOT_EXPORTED
from research_core.wiring import default_resources

CONFIRMATION_WORD = "ERASE"
#: Singular and plural of each store's records.
RECORD_NAMES = {
    "consents": ("word of consent", "words of consent"),
    "memories": ("note", "notes"),
    "contributions": ("shared finding", "shared findings"),
    "memberships": ("membership", "memberships"),
    "overrides": ("word on a host", "words on hosts"),
    "analytics": ("count of a tool's calls", "counts of tools' calls"),
    "signIns": ("sign-in", "sign-ins"),
    "shares": ("shared link", "shared links"),
    "libraries": ("library", "libraries"),
    "sessions": ("session", "sessions"),
}
ERASED_NOTE = (
    "Erased are your sessions with all they hold and the reports saved from them, the libraries you"
    " made with their documents (also where you share them), your notes, what you shared in"
    " workspaces, your memberships, your words on hosts, the counts of your calls, your sign-ins and"
    " your consents. **Nothing of that can be restored.** A session that runs stops."
)

KEPT_NOTE = (
    f"<ul>{''.join(f'<li>{escape_with_code(why)}</li>' for why in NOT_EXPORTED.values())}</ul>"
)


def draw_export() -> None:
    st.subheader("Take it with you", anchor=False)
    st.caption(
        "All of the above as one JSON file, with the texts of your documents and the questions of"
        " your sessions; a session itself"
        " is exported from its report."
    )
    resources = default_resources()
    who = current_user.current_principal()
    st.download_button(
        "Download my data",
        lambda: user_summary.export_user_data(resources, who=who),
        file_name="my-data.json",
        mime="application/json",
        on_click="ignore",
        key="download_data",
        icon=":material/download:",
    )


def draw_form(summary: UserSummary) -> None:
    """Draw the erasure form; a word must be typed, so that no single click erases."""
    st.subheader("Erase it", anchor=False)
    _draw_erased()
    st.markdown(ERASED_NOTE)
    libraries = user_summary.describe_libraries_to_erase(
        default_resources(), who=current_user.current_principal()
    )
    if libraries:
        st.markdown(clean_for_screen(f"This erases {libraries}", 2_500))
    if summary.running:
        st.warning(
            f"{summary.running} of your sessions {'is' if summary.running == 1 else 'are'} running"
            " just now."
        )
    with st.expander("What stays, and why"):
        st.html(KEPT_NOTE)
    with st.form("erase", border=True):
        st.text_input(
            f"Type {CONFIRMATION_WORD} to erase all of it", key="erase_word", autocomplete="off"
        )
        st.form_submit_button(
            "Erase my data for good",
            key="erase_all",
            icon=":material/delete_forever:",
            on_click=_erase,
        )
    if st.session_state.pop("erase_refused", False):
        st.error(
            f"Nothing was erased: type {CONFIRMATION_WORD}, in capitals, to say that you mean it.",
            icon=":material/error:",
        )


def _erase() -> None:
    if st.session_state["erase_word"].strip() != CONFIRMATION_WORD:
        st.session_state["erase_refused"] = True
        return
    forget_erasure()
    st.session_state["erase_word"] = ""
    with failures.keep_failures():
        st.session_state["erased"] = user_summary.erase_user_data(
            default_resources(), who=current_user.current_principal()
        )
    st.session_state["session"] = None  # it is erased with the others
    st.query_params.pop("session", None)


def _draw_erased() -> None:
    """Say what was erased, beside the button, since the screen above is shorter now."""
    erased: dict[str, int] | None = st.session_state.get("erased")
    if erased is None:
        return
    counts = [
        f"{count:,} {RECORD_NAMES[name][count != 1]}" for name, count in erased.items() if count
    ]
    st.success(
        f"Erased: {', '.join(counts)}." if counts else "There was nothing to erase.",
        icon=":material/check:",
    )


def forget_erasure() -> None:
    """Stop showing the last erasure, because new data is being stored."""
    st.session_state.pop("erased", None)
