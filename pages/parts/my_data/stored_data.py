"""Draw a user's stored data: notes, shared findings, call counts, sessions and retention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.session.sources.charts import TONE_COLORS
from parts.shared.html_text import clean_cell, escape_line
from parts.shared.wording import format_ago, format_library, format_moment
from research_core.i18n import N_, _, format_number, join_list, ngettext
from research_core.policy import Override
from research_core.sessions.user_summary import RetentionSpan, UserSummary
from research_core.text.words import clean_for_screen, strip_invisible, truncate
from research_core.userdata.analytics import ToolUsage
from research_core.userdata.workspaces import Contribution

#: Bars of the chart; the table beside it has every tool.
MAX_BARS = 8
BAR_HEIGHT = 30  # pixels
DAY_S = 86_400
#: Labels of columns and their widths in pixels; None leaves the width to the table.
COLUMNS = {
    "saved": (N_("Saved"), 125),
    "shared": (N_("Shared"), 125),
    "topic": (N_("Topic"), 110),
    "note": (N_("Note"), 270),
    "finding": (N_("Finding"), 270),
    "address": (N_("Address"), 150),
    "tags": (N_("Tags"), 100),
    "host": (N_("Site"), None),
    "authority": (N_("Authority"), None),
    "reason": (N_("Reason"), None),
    "tool": (N_("Tool"), None),
    "calls": (N_("Calls"), None),
    "first": (N_("First"), None),
    "last": (N_("Last"), None),
    "library": (N_("Library"), None),
    "documents": (N_("Documents"), None),
    "visible_to": (N_("Visible to"), None),
}


def draw(summary: UserSummary) -> None:
    """Draw how much of each kind is stored, then the records themselves."""
    counts = _count_stored(summary)
    if not any(counts.values()) and not summary.joined and not summary.deleted:
        st.markdown(_("Nothing is stored about you yet."))
        if st.button(_("Ask a question"), key="ask_first", type="primary", icon=":material/edit:"):
            st.switch_page("ask.py")
        return
    _draw_counts(summary, counts)
    _draw_notes(summary)
    _draw_shared(summary)
    _draw_overrides(summary.overrides)
    _draw_calls(summary.counts)
    _draw_libraries(summary.libraries)


def _count_stored(summary: UserSummary) -> dict[str, int]:
    """Return how much of each kind is stored, by its label."""
    return {
        _("Sessions"): summary.sessions,
        _("Documents"): sum(count for _title, count, _shared in summary.libraries),
        _("Notes"): len(summary.memories),
        _("Shared findings"): len(summary.contributions),
        _("Site ratings"): len(summary.overrides),
        _("Tool calls"): sum(each.calls for each in summary.counts),
    }


def _draw_counts(summary: UserSummary, counts: Mapping[str, int]) -> None:
    rows = []
    for label, count in counts.items():
        value = format_number(count)
        if label == _("Sessions") and summary.deleted:
            value = _("{count}, and {deleted} deleted that can be restored").format(
                count=value, deleted=format_number(summary.deleted)
            )
        rows.append(
            f"<tr><th scope=row>{escape_line(label)}</th><td>{escape_line(value)}</td></tr>"
        )
    label = escape_line(_("Stored data"))
    st.html(f'<table class="plain facts-table" aria-label="{label}">{"".join(rows)}</table>')
    with st.container(horizontal=True):
        st.page_link("sessions.py", label=_("Open Sessions"), icon=":material/list:")
        st.page_link("library.py", label=_("Open Library"), icon=":material/local_library:")


def _draw_notes(summary: UserSummary) -> None:
    if not summary.memories:
        return
    st.subheader(_("Notes"), anchor=False)
    rows = [
        (
            format_moment(each.at),
            clean_cell(each.topic),
            clean_cell(each.note),
            clean_cell(each.url),
            clean_cell(join_list(each.tags)),
        )
        for each in summary.memories
    ]
    names = ["saved", "topic", "note", "address", "tags"]
    _draw_table(rows, names, "notes", _("Your notes, newest first"))


def _draw_shared(summary: UserSummary) -> None:
    joined = dict(summary.joined)
    places = dict[str, list[Contribution]]()
    for name in joined:
        places[name] = []
    for each in summary.contributions:
        places.setdefault(each.workspace, []).append(each)
    if not places:
        return
    st.subheader(_("Shared findings"), anchor=False)
    for n, (name, found) in enumerate(sorted(places.items())):
        if name in joined:
            member = _("member since {moment}").format(moment=format_moment(joined[name]))
        else:
            member = _("no longer a member")
        st.markdown(f"**{clean_for_screen(name, 60)}** · {member}")
        if not found:
            st.caption(_("You have shared nothing here."))
            continue
        rows = [
            (
                format_moment(each.at),
                clean_cell(each.note),
                clean_cell(each.url),
                clean_cell(join_list(each.tags)),
            )
            for each in found
        ]
        alt = _("Findings you shared in {workspace}").format(workspace=strip_invisible(name))
        _draw_table(rows, ["shared", "finding", "address", "tags"], f"shared_{n}", alt)


def _draw_overrides(overrides: Sequence[Override]) -> None:
    """Draw the user's own ratings of hosts."""
    if not overrides:
        return
    st.subheader(_("Site ratings"), anchor=False)
    rows = [(clean_cell(each.host), each.value, clean_cell(each.reason)) for each in overrides]
    _draw_table(rows, ["host", "authority", "reason"], "said_of_hosts", _("Your ratings of sites"))


def _draw_calls(counts: Sequence[ToolUsage]) -> None:
    if not counts:
        return
    st.subheader(_("Tool calls"), anchor=False)
    st.plotly_chart(
        build_chart(counts, st.context.theme.type or "light"),
        key="calls",
        config={"displayModeBar": False, "scrollZoom": False},
        alt=_format_alt_text(counts),
    )
    rows = [
        (clean_cell(each.tool), each.calls, format_moment(each.first), format_moment(each.last))
        for each in counts
    ]
    _draw_table(rows, ["tool", "calls", "first", "last"], "counts", _("Calls by tool"))


def build_chart(counts: Sequence[ToolUsage], theme: str) -> dict[str, Any]:
    """Return a bar chart of the most called tools, the longest bar on top."""
    most = sorted(counts, key=lambda each: (-each.calls, each.tool))[:MAX_BARS]
    # Plotly renders some tags.
    names = [
        truncate(strip_invisible(each.tool), 40).replace("&", "&amp;").replace("<", "&lt;")
        for each in most
    ]
    made = [each.calls for each in most]
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": made,
        "y": list(range(len(most))),
        "text": made,
        "textposition": "outside",
        "cliponaxis": False,
        "marker": {"color": TONE_COLORS[theme]["blue"]},
        "hoverinfo": "skip",
        "width": 0.6,
    }
    return {
        "data": [bars],
        "layout": {
            "height": BAR_HEIGHT * len(most) + 16,
            "margin": {"l": 0, "r": 40, "t": 4, "b": 8},
            "xaxis": {"visible": False, "rangemode": "tozero", "fixedrange": True},
            "yaxis": {
                "tickvals": list(range(len(most))),
                "ticktext": names,
                "range": [len(most) - 0.5, -0.5],
                "automargin": True,
                "showgrid": False,
                "zeroline": False,
                "fixedrange": True,
                "title": None,
            },
            "dragmode": False,
        },
    }


def _format_alt_text(counts: Sequence[ToolUsage]) -> str:
    most = max(counts, key=lambda each: each.calls)
    return ngettext(
        "Calls by tool: {count} tool, most calls ({most}) of {tool}",
        "Calls by tool: {count} tools, most calls ({most}) of {tool}",
        len(counts),
    ).format(count=len(counts), most=format_number(most.calls), tool=strip_invisible(most.tool))


def _draw_libraries(libraries: Sequence[tuple[str, int, bool]]) -> None:
    """Draw the libraries that the user made. libraries: as `UserSummary.libraries`."""
    if not libraries:
        return
    st.subheader(_("Libraries"), anchor=False)
    rows = [
        (clean_cell(format_library(title)), count, _("all users") if shared else _("only you"))
        for title, count, shared in libraries
    ]
    names = ["library", "documents", "visible_to"]
    _draw_table(rows, names, "my_libraries", _("Your libraries"))


def draw_retention(rows: Sequence[RetentionSpan]) -> None:
    body = "".join(
        f"<tr><th scope=row>{escape_line(row.what)}</th>"
        f'<td title="{escape_line(row.setting)}">{escape_line(_format_span(row))}</td></tr>'
        for row in rows
    )
    label = escape_line(_("Retention"))
    st.html(f'<table class="plain facts-table" aria-label="{label}">{body}</table>')


def _format_span(row: RetentionSpan) -> str:
    if row.seconds is None:
        return _("no time limit")
    if row.seconds >= DAY_S:
        days = round(row.seconds / DAY_S)
        return ngettext("{count} day", "{count} days", days).format(count=days)
    return format_ago(row.seconds)


def _draw_table(rows: Sequence[tuple[Any, ...]], names: list[str], key: str, alt: str) -> None:
    """Draw a table. names: of its columns, keys of COLUMNS."""
    height: Any = "content" if len(rows) <= 8 else 320
    labels = [_(COLUMNS[name][0]) for name in names]
    widths = {}
    for label, name in zip(labels, names, strict=True):
        width = COLUMNS[name][1]
        if width is not None:
            widths[label] = st.column_config.Column(width=width)
    st.dataframe(
        pd.DataFrame(rows, columns=labels),
        hide_index=True,
        key=key,
        height=height,
        alt=alt,
        column_config=widths,
    )
