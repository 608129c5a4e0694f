"""Offer the report as Markdown in one click, on every tab of its session."""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user
from research_core import export
from research_core.i18n import _
from research_core.models import Report
from research_core.sessions import session_status
from research_core.wiring import default_resources


def draw_button(session: str, built: Report) -> None:
    """Draw the button, which neither reruns nor scrolls the screen. The file is made on a click."""
    resources = default_resources()
    who = current_user.current_principal()
    markdown = export.FORMATS["md"]

    def make_file() -> bytes:
        stored = session_status.read_stored_report(resources, session, who=who)
        if stored:
            return stored.encode("utf-8", "replace")
        return markdown.make(built, lambda _page: "")

    st.download_button(
        _("Markdown"),
        make_file,
        file_name=export.make_file_name(built, markdown.suffix),
        mime=markdown.mime,
        on_click="ignore",
        key="header_download",
        icon=":material/markdown:",
        help=_("Download the report as Markdown"),
    )
