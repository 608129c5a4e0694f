"""Whether the citations of a pasted report hold together: its marks, its lists of sources, its
links. Nobody is asked.
"""

from __future__ import annotations

import streamlit as st

from research_core.citations import linter
from research_core.text.words import plain

MOST = 500_000
#: Findings of a kind that are listed; the download has all.
SHOWN = 30


def draw() -> None:
    """The text, and what is wrong with it below."""
    st.text_area(
        "A report in Markdown, with its list of sources",
        key="report_to_lint",
        height=220,
        max_chars=MOST,
    )
    st.button("Check its marks", key="lint", type="primary", icon=":material/rule:")
    st.caption(
        "Numbers without a source, sources nobody cites, what stands twice or is left out. Nobody"
        " is asked, nothing is kept."
    )
    if text := st.session_state.get("report_to_lint", "").strip():
        _found(linter.lint(text))


def _found(found: linter.Linted) -> None:
    counts = linter.told(found.findings)
    said = (
        f"{len(found.marks):,} citations, {len(found.entries):,} sources listed,"
        f" {len(found.urls):,} addresses."
    )
    if not found.findings:
        (st.success if found.marks else st.info)(f"{linter.verdict(found)} {said}")
        return
    (st.error if counts.get("dangling") else st.warning)(said)
    for kind, words in linter.KINDS.items():
        if not counts.get(kind):
            continue
        those = [one for one in found.findings if one.kind == kind]
        more = f"\n\nand {len(those) - SHOWN:,} more" if len(those) > SHOWN else ""
        lines = "\n".join(f"- line {one.line}: {plain(one.what, 160)}" for one in those[:SHOWN])
        st.markdown(f"**{kind.capitalize()}** ({words}): {len(those):,}\n\n{lines}{more}")
    st.download_button(
        "All as Markdown",
        linter.markdown(found),
        "citations.md",
        "text/markdown",
        key="lint_download",
    )
