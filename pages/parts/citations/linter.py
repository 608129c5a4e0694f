"""Lint the citations of a pasted report: marks, source lists and links. Makes no request."""

from __future__ import annotations

import streamlit as st

from research_core.citations import linter
from research_core.text.words import clean_for_screen

MAX_CHARACTERS = 500_000
#: Findings of a kind that are listed; the download has all.
MAX_SHOWN = 30


def draw() -> None:
    """Draw the text box and the problems found in the text."""
    st.text_area(
        "A report in Markdown, with its list of sources",
        key="report_to_lint",
        height=220,
        max_chars=MAX_CHARACTERS,
    )
    st.button("Check its marks", key="lint", type="primary", icon=":material/rule:")
    st.caption(
        "Numbers without a source, sources nobody cites, what stands twice or is left out. Nobody"
        " is asked, nothing is kept."
    )
    if text := st.session_state.get("report_to_lint", "").strip():
        _draw_findings(linter.lint_report(text))


def _draw_findings(found: linter.LintedReport) -> None:
    counts = linter.count_kinds(found.findings)
    said = (
        f"{len(found.marks):,} citations, {len(found.entries):,} sources listed,"
        f" {len(found.urls):,} addresses."
    )
    if not found.findings:
        (st.success if found.marks else st.info)(f"{linter.describe_clean_report(found)} {said}")
        return
    (st.error if counts.get("dangling") else st.warning)(said)
    for kind, words in linter.FINDING_KINDS.items():
        if not counts.get(kind):
            continue
        those = [one for one in found.findings if one.kind == kind]
        more = f"\n\nand {len(those) - MAX_SHOWN:,} more" if len(those) > MAX_SHOWN else ""
        lines = "\n".join(
            f"- line {one.line}: {clean_for_screen(one.what, 160)}" for one in those[:MAX_SHOWN]
        )
        st.markdown(f"**{kind.capitalize()}** ({words}): {len(those):,}\n\n{lines}{more}")
    st.download_button(
        "All as Markdown",
        linter.format_findings(found),
        "citations.md",
        "text/markdown",
        key="lint_download",
    )
