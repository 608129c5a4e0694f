"""Offer the result of a check as files, each made only when it is clicked."""

from __future__ import annotations

from functools import partial

import streamlit as st

from parts.session.report import downloads
from research_core import export
from research_core.export import AuditFormat
from research_core.i18n import _, end_with_stop
from research_core.models import Report
from research_core.pipeline.audit_result import AuditResult
from research_core.sessions.snapshot import Snapshot


def draw_row(snapshot: Snapshot, built: Report, result: AuditResult) -> None:
    """Draw the formats of the check, then those of the session that say something else."""
    downloads.draw_row(
        snapshot,
        built,
        draw_first=partial(_draw_formats, built, result),
        replaced=export.REPLACED_BY_AUDIT,
    )


def _draw_formats(built: Report, result: AuditResult) -> None:
    for each in export.AUDIT_FORMATS.values():
        with st.container(horizontal=True, vertical_alignment="center", wrap=False):
            _draw_button(each, built, result)
            st.caption(end_with_stop(_(each.purpose)))


def _draw_button(each: AuditFormat, built: Report, result: AuditResult) -> None:
    st.download_button(
        _(each.label),
        partial(each.make, result),
        file_name=export.make_file_name(built, each.suffix),
        mime=each.mime,
        on_click="ignore",
        key=f"download_check_{each.name}",
        width=downloads.BUTTON_WIDTH,
    )
