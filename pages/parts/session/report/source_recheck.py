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
from research_core.i18n import N_, _, ngettext
from research_core.models import Principal, Report
from research_core.sessions import recheck
from research_core.sessions.recheck import Recheck, RecheckedPassage, RecheckedSource
from research_core.text.words import clean_for_screen
from research_core.web.failure_texts import translate_failure
from research_core.wiring import default_resources

EXPLANATION = N_(
    "Reads every source again and compares it with the stored text. This session stays as it is."
)
RECHECK_BADGES = {state: Badge(*sign) for state, sign in recheck.RECHECK_STATES.items()}
#: Fields of a row about a source.
FIELDS = ("number", "state", "title", "stand", "notice")


def list_columns() -> dict[str, Any]:
    """Return the columns of the table of sources, in the order of FIELDS."""
    return {
        "number": st.column_config.NumberColumn(_("No."), width=45),
        "state": st.column_config.TextColumn(_("Now"), width=150),
        "title": st.column_config.TextColumn(_("Source"), width=320),
        "stand": st.column_config.TextColumn(
            _("Cited passages"), help=_("Cited passages still found word for word"), width=110
        ),
        "notice": st.column_config.TextColumn(_("Remarks"), width=350),
    }


def draw(built: Report) -> None:
    """Draw the recheck of the kept sources, if there are any."""
    total = sum(bool(source.number) for source in built.sources)
    if not total:
        return
    key = f"recheck {built.session}"
    working = jobs.is_under_way(key)
    found = None
    if not working:
        with failures.show_failures():
            found = jobs.take_result(key)
    is_open = working or found is not None
    with st.expander(_("Check sources again"), expanded=is_open, key="recheck_box"):
        if working:
            jobs.follow_jobs(key)
            return
        if found is None:
            st.caption(_(EXPLANATION))
        st.button(
            _("Check now"),
            key="recheck",
            icon=":material/update:",
            on_click=_start_recheck,
            args=(key, built, total, current_user.current_principal()),
        )
        if found is not None:
            _draw_recheck(found, built)


def _start_recheck(key: str, built: Report, total: int, who: Principal) -> None:
    jobs.start_job(key, _("Checking sources"), partial(_run_recheck, built, total, who))


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
        pd.DataFrame([_table_row(one) for one in found.sources], columns=list(FIELDS)),
        column_config=list_columns(),
        hide_index=True,
        height="content" if len(found.sources) <= 12 else 440,
        key="rechecked",
        on_select="rerun",
        selection_mode="single-row",
        alt=_("Sources of the report and what changed"),
    )
    st.html(format_source(_choose_source(found.sources, chosen.selection.rows)))
    st.download_button(
        _("Download results"),
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
    stand = ""
    if one.passages:
        found = len(one.passages) - len(one.lost)
        stand = _("{count} of {total}").format(count=found, total=len(one.passages))
    return (
        one.number,
        RECHECK_BADGES[one.state].label,
        clean_cell(one.title),
        stand,
        clean_cell(one.notice or one.unknown or translate_failure(one.why)),
    )


def format_source(one: RecheckedSource) -> str:
    """Return what became of a source, and the passages it no longer contains. HTML."""
    lost = "".join(map(_format_lost_passage, one.lost))
    copy = ""
    if one.archived:
        copy = f" {format_link(escape_line(_('Archived copy')), one.archived)}"
    head = (
        f"{RECHECK_BADGES[one.state].html} [{one.number}] "
        f"{format_link(escape_line(one.title), one.url)}"
    )
    return f"<p>{head}</p><p>{escape_line(recheck.describe_source(one))}{copy}</p>{lost}"


def _format_lost_passage(passage: RecheckedPassage) -> str:
    count = ngettext(
        "{held} of {count} sentence still found:",
        "{held} of {count} sentences still found:",
        passage.count,
    )
    words = escape_line(count.format(held=passage.held, count=passage.count))
    return (
        f'<p class="about">{words}</p><blockquote class="page">{escape_line(passage.text)}'
        "</blockquote>"
    )
