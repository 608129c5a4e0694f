"""Check a report's sources again: a button, progress, and a table of what changed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import count
from typing import Any

import pandas as pd
import streamlit as st

from parts.shared import current_user, failures, jobs
from parts.shared.badges import Badge
from parts.shared.html_text import clean_cell, escape_line, format_link
from research_core import export
from research_core.models import Principal, Report
from research_core.sessions import recheck
from research_core.sessions.recheck import Recheck, RecheckedSource
from research_core.text.words import clean_for_screen, format_count
from research_core.wiring import default_resources

EXPLANATION = (
    "Pages change and go, and papers are retracted. This reads every source again, compares it with"
    " the text that was stored, and asks Crossref for notices about papers. Nothing of this session"
    " is changed."
)
RECHECK_BADGES = {
    "dead": Badge("✕", "gone", "red"),
    "changed": Badge("≠", "changed", "orange"),
    "refused": Badge("⊘", "closed to programs", "gray"),
    "unchecked": Badge("?", "could not check", "gray"),
    "own": Badge("▤", "your own", "gray"),
    "unchanged": Badge("✓", "unchanged", "green"),
}
COLUMNS: dict[str, Any] = {
    "number": st.column_config.NumberColumn("No.", width=45),
    "state": st.column_config.TextColumn("Now", width=150),
    "title": st.column_config.TextColumn("Source", width=280),
    "stand": st.column_config.TextColumn(
        "Cited passages",
        help="How many stand there word for word, of those that are cited",
        width=110,
    ),
    "notice": st.column_config.TextColumn("About the paper", width=180),
}


def draw(built: Report) -> None:
    """Draw the recheck of the kept sources, if there are any."""
    total = sum(bool(source.number) for source in built.sources)
    if not total:
        return
    key = f"recheck {built.session}"
    st.subheader("Does it still stand?", anchor=False)
    if jobs.is_under_way(key):
        jobs.follow_jobs(key)
        return
    found = None
    with failures.show_failures():
        found = jobs.take_result(key)
    if found is None:
        st.caption(EXPLANATION)
    st.button(
        "Look at its sources again",
        key="recheck",
        icon=":material/update:",
        on_click=_start_recheck,
        args=(key, built, total, current_user.current_principal()),
    )
    if found is not None:
        _draw_recheck(found, built)


def _start_recheck(key: str, built: Report, total: int, who: Principal) -> None:
    jobs.start_job(key, "Looking at its sources again", partial(_run_recheck, built, total, who))


def _run_recheck(
    built: Report, total: int, who: Principal, report_progress: jobs.OnProgress
) -> Recheck:
    done = count(1)
    return recheck.recheck_report(
        default_resources(),
        built,
        lambda one: report_progress(next(done), total, one.title),
        who=who,
    )


def _draw_recheck(found: Recheck, built: Report) -> None:
    st.markdown(clean_for_screen(recheck.summarize_recheck(found)))
    chosen: Any = st.dataframe(
        pd.DataFrame([_table_row(one) for one in found.sources], columns=list(COLUMNS)),
        column_config=COLUMNS,
        hide_index=True,
        height="content" if len(found.sources) <= 12 else 440,
        key="rechecked",
        on_select="rerun",
        selection_mode="single-row",
        alt="What has become of each source of the report",
    )
    st.html(format_source(_choose_source(found.sources, chosen.selection.rows)))
    st.download_button(
        "What was found, as Markdown",
        recheck.format_markdown(found),
        export.make_file_name(built, ".recheck.md"),
        "text/markdown",
        icon=":material/download:",
        key="recheck_markdown",
        on_click="ignore",
    )


def _choose_source(sources: Sequence[RecheckedSource], selected: Sequence[int]) -> RecheckedSource:
    """Return the selected source, else the first that fails, else the first."""
    if selected and selected[0] < len(sources):
        return sources[selected[0]]
    for source in sources:
        if source.fails:
            return source
    return sources[0]


def _table_row(one: RecheckedSource) -> tuple[Any, ...]:
    stand = f"{len(one.passages) - len(one.lost)} of {len(one.passages)}" if one.passages else ""
    return (
        one.number,
        RECHECK_BADGES[one.state].label,
        clean_cell(one.title),
        stand,
        clean_cell(one.notice or one.unknown),
    )


def format_source(one: RecheckedSource) -> str:
    """Return what became of a source, and the passages it no longer contains. HTML."""
    lost = "".join(
        f'<p class="about">{passage.held} of {format_count(passage.count, "sentence")}'
        " still stand there:</p>"
        f'<blockquote class="page">{escape_line(passage.text)}</blockquote>'
        for passage in one.lost
    )
    copy = f" {format_link('The archive has a copy.', one.archived)}" if one.archived else ""
    head = (
        f"{RECHECK_BADGES[one.state].html} [{one.number}] "
        f"{format_link(escape_line(one.title), one.url)}"
    )
    return f"<p>{head}</p><p>{escape_line(recheck.describe_source(one))}{copy}</p>{lost}"
