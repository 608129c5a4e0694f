"""Export all of a user's data, or erase it after a confirmation."""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user, failures
from parts.shared.html_text import escape_with_code
from research_core.i18n import _, format_number, join_list, ngettext
from research_core.sessions import user_summary
from research_core.sessions.user_summary import UserSummary
from research_core.text.words import clean_for_screen
from research_core.userdata.export_and_erase import NOT_EXPORTED
from research_core.wiring import default_resources

CONFIRMATION_WORD = "ERASE"


def draw_export() -> None:
    resources = default_resources()
    who = current_user.current_principal()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.download_button(
            _("Download my data"),
            lambda: user_summary.export_user_data(resources, who=who),
            file_name="my-data.json",
            mime="application/json",
            on_click="ignore",
            key="download_data",
            icon=":material/download:",
        )
        st.caption(_("One JSON file. Export whole sessions from their reports."), width="stretch")


def draw_form(summary: UserSummary) -> None:
    """Draw the erasure form; a word must be typed, so that no single click erases."""
    _draw_erased()
    with st.expander(_("Erase my data"), icon=":material/delete_forever:", key="erase_fold"):
        _draw_consequences(summary)
        with st.form("erase", border=False):
            st.text_input(
                _("Type {word} to confirm").format(word=CONFIRMATION_WORD),
                key="erase_word",
                autocomplete="off",
                width=320,
            )
            st.form_submit_button(
                _("Erase my data"),
                key="erase_all",
                icon=":material/delete_forever:",
                on_click=_erase,
            )
        if st.session_state.pop("erase_refused", False):
            st.error(
                _("Nothing was erased. Type {word} in capitals.").format(word=CONFIRMATION_WORD),
                icon=":material/error:",
            )


def _draw_consequences(summary: UserSummary) -> None:
    """Say what is erased and what stays."""
    st.markdown(
        _("Erases your sessions, libraries, notes, shared findings, site ratings, tool counts,"
          " sign-ins and consents. **This cannot be undone.**")
    )  # fmt: skip
    libraries = user_summary.describe_libraries_to_erase(
        default_resources(), who=current_user.current_principal()
    )
    if libraries:
        text = _("This erases {libraries}").format(libraries=libraries)
        st.markdown(clean_for_screen(text, 2_500))
    if summary.running:
        st.warning(
            ngettext(
                "{count} running session will be stopped.",
                "{count} running sessions will be stopped.",
                summary.running,
            ).format(count=summary.running),
            icon=":material/warning:",
        )
    reasons = "".join(f"<li>{escape_with_code(_(why))}</li>" for why in NOT_EXPORTED.values())
    st.html(f"<p>{escape_with_code(_('What stays:'))}</p><ul>{reasons}</ul>")


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
    counts = [_count_records(name, count) for name, count in erased.items() if count]
    text = _("There was nothing to erase.")
    if counts:
        text = _("Erased: {records}.").format(records=join_list(counts))
    st.success(text, icon=":material/check:")


def _count_records(store: str, count: int) -> str:
    """Return how many records of a store there are, as a noun with its number."""
    texts = {
        "consents": ngettext("{count} consent", "{count} consents", count),
        "memories": ngettext("{count} note", "{count} notes", count),
        "contributions": ngettext("{count} shared finding", "{count} shared findings", count),
        "memberships": ngettext("{count} membership", "{count} memberships", count),
        "overrides": ngettext("{count} site rating", "{count} site ratings", count),
        "analytics": ngettext("{count} tool count", "{count} tool counts", count),
        "signIns": ngettext("{count} sign-in", "{count} sign-ins", count),
        "shares": ngettext("{count} shared link", "{count} shared links", count),
        "libraries": ngettext("{count} library", "{count} libraries", count),
        "sessions": ngettext("{count} session", "{count} sessions", count),
    }
    return texts[store].format(count=format_number(count))


def forget_erasure() -> None:
    """Stop showing the last erasure, because new data is being stored."""
    st.session_state.pop("erased", None)
