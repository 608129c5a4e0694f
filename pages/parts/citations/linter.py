"""Lint the citations of a pasted report: marks, source lists and links. Makes no request."""

from __future__ import annotations

import streamlit as st

from research_core.citations import linter
from research_core.i18n import _
from research_core.text.words import clean_for_screen

MAX_CHARACTERS = 500_000
#: Findings listed of each kind; the download has all.
MAX_SHOWN = 30


def draw() -> None:
    """Draw the text box and the problems found in the text."""
    st.text_area(
        _("Report in Markdown, with its sources"),
        key="report_to_lint",
        height=220,
        max_chars=MAX_CHARACTERS,
    )
    st.button(_("Check citations"), key="lint", type="primary", icon=":material/rule:")
    st.caption(
        _("Finds citations without a source, unused sources and duplicates. Nothing is sent.")
    )
    text = st.session_state.get("report_to_lint", "").strip()
    if text:
        _draw_findings(linter.lint_report(text))


def _draw_findings(found: linter.LintedReport) -> None:
    counts = linter.count_kinds(found.findings)
    summary = _("Citations: {marks:,}. Sources listed: {entries:,}. Links: {urls:,}.").format(
        marks=len(found.marks), entries=len(found.entries), urls=len(found.urls)
    )
    if not found.findings:
        draw_message = st.success if found.marks else st.info
        draw_message(f"{linter.describe_clean_report(found)} {summary}")
        return
    draw_message = st.error if counts.get("dangling") else st.warning
    draw_message(summary)
    for kind, words in linter.FINDING_KINDS.items():
        of_kind = [finding for finding in found.findings if finding.kind == kind]
        if not of_kind:
            continue
        lines = [
            _("- line {line}: {what}").format(
                line=finding.line, what=clean_for_screen(finding.what, 160)
            )
            for finding in of_kind[:MAX_SHOWN]
        ]
        more = ""
        if len(of_kind) > MAX_SHOWN:
            more = "\n\n" + _("and {count:,} more").format(count=len(of_kind) - MAX_SHOWN)
        items = "\n".join(lines)
        st.markdown(f"**{kind.capitalize()}** ({words}): {len(of_kind):,}\n\n{items}{more}")
    st.download_button(
        _("Download as Markdown"),
        linter.format_findings(found),
        "citations.md",
        "text/markdown",
        key="lint_download",
    )
