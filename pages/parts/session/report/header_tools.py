"""Offer the report as files, and links to its session, on every tab of the session."""

from __future__ import annotations

import streamlit as st

from parts.audit import audit_downloads, checked_report
from parts.session.report import downloads, sharing
from parts.shared import markdown_download
from research_core.models import Report
from research_core.policy import AUDIT_STRATEGY
from research_core.sessions.snapshot import Snapshot


def draw(snapshot: Snapshot, built: Report) -> None:
    """Draw the downloads and the links to share, at the end of the line of tabs."""
    with st.container(horizontal=True, width="content", key="report_tools", wrap=False):
        markdown_download.draw_button(snapshot.session, built)
        if snapshot.run.settings.strategy == AUDIT_STRATEGY:
            audit_downloads.draw_row(snapshot, built, checked_report.read_result(snapshot))
        else:
            downloads.draw_row(snapshot, built)
        sharing.draw_menu(snapshot)
