"""Draw a user's stored data: notes, shared findings, call counts, sessions and retention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.session.sources.charts import TONE_COLORS
from parts.shared.html_text import clean_cell, escape_line, escape_with_code
from parts.shared.wording import format_ago, format_library, format_moment
from research_core.policy import Override
from research_core.sessions.user_summary import RetentionSpan, UserSummary
from research_core.text.words import clean_for_screen, format_count, strip_invisible, truncate
from research_core.userdata.analytics import ToolUsage
from research_core.userdata.workspaces import Contribution

#: Bars of the chart; the table beside it has every tool.
MAX_BARS = 8
BAR_HEIGHT = 30  # pixels
#: Widths of columns in pixels, so that long texts leave room for the others.
COLUMN_WIDTHS = {
    "Saved": 125,
    "Shared": 125,
    "Topic": 110,
    "Note": 270,
    "Finding": 270,
    "Address": 150,
    "Tags": 100,
}


def draw_notes(summary: UserSummary) -> None:
    st.subheader(f"Notes · {len(summary.memories)}", anchor=False)
    if not summary.memories:
        st.caption("None. Notes come from `memory_save`, once you agree to it.")
        return
    rows = [
        (
            format_moment(each.at),
            clean_cell(each.topic),
            clean_cell(each.note),
            clean_cell(each.url),
            clean_cell(", ".join(each.tags)),
        )
        for each in summary.memories
    ]
    _draw_table(
        rows, ["Saved", "Topic", "Note", "Address", "Tags"], "notes", "Your notes, the newest first"
    )


def draw_shared(summary: UserSummary) -> None:
    st.subheader(f"Shared in workspaces · {len(summary.contributions)}", anchor=False)
    joined = dict(summary.joined)
    places = dict[str, list[Contribution]]()
    for name in joined:
        places[name] = []
    for each in summary.contributions:
        places.setdefault(each.workspace, []).append(each)
    if not places:
        st.caption(
            "Nothing, and you are in no workspace: `python3 run.py data join NAME` makes you a"
            " member, or whoever runs this server does."
        )
    for n, (name, found) in enumerate(sorted(places.items())):
        if name in joined:
            member = f"member since {format_moment(joined[name])}"
        else:
            member = "no longer a member: what you shared stays until it is erased"
        st.markdown(f"**{clean_for_screen(name, 60)}** · {member}")
        if found:
            rows = [
                (
                    format_moment(each.at),
                    clean_cell(each.note),
                    clean_cell(each.url),
                    clean_cell(", ".join(each.tags)),
                )
                for each in found
            ]
            _draw_table(
                rows,
                ["Shared", "Finding", "Address", "Tags"],
                f"shared_{n}",
                f"What you shared in {strip_invisible(name)}",
            )
        else:
            st.caption("You have shared nothing there.")


def draw_overrides(overrides: Sequence[Override]) -> None:
    """Draw the user's own ratings of hosts."""
    if not overrides:
        return
    st.subheader(f"Your words on hosts · {len(overrides)}", anchor=False)
    rows = [(clean_cell(each.host), each.value, clean_cell(each.reason)) for each in overrides]
    _draw_table(
        rows,
        ["Host", "Authority", "Why"],
        "said_of_hosts",
        "What you said of hosts, which counts in every run of yours",
    )


def draw_calls(counts: Sequence[ToolUsage]) -> None:
    total = sum(each.calls for each in counts)
    st.subheader(f"Calls of tools · {total:,}", anchor=False)
    if not counts:
        st.caption("None are counted. They are once you agree to it, and from then on.")
        return
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
    _draw_table(
        rows,
        ["Tool", "Calls", "First", "Last"],
        "counts",
        "Counts of calls by tool, a table that sorts",
    )


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
    return (
        f"Calls by tool: {format_count(len(counts), 'tool')}, the most {most.calls:,} of "
        f"{strip_invisible(most.tool)}"
    )


def draw_libraries(libraries: Sequence[tuple[str, int, bool]]) -> None:
    """Draw the libraries that the user made. libraries: as `UserSummary.libraries`."""
    total = sum(count for _, count, _ in libraries)
    st.subheader(f"Documents of your libraries · {total:,}", anchor=False)
    if not libraries:
        st.caption("None. The Library screen adds documents.")
        return
    rows = [
        (clean_cell(format_library(title)), count, "everybody" if shared else "only you")
        for title, count, shared in libraries
    ]
    _draw_table(rows, ["Library", "Documents", "Seen by"], "my_libraries", "Your libraries")
    st.page_link("library.py", label="Open Library", icon=":material/local_library:")


def draw_sessions(summary: UserSummary) -> None:
    st.subheader("Sessions", anchor=False)
    rest = f", and {summary.deleted} deleted that can be restored" if summary.deleted else ""
    st.markdown(f"{summary.sessions} {'session' if summary.sessions == 1 else 'sessions'}{rest}.")
    st.page_link("sessions.py", label="Open Sessions", icon=":material/list:")


def draw_retention(rows: Sequence[RetentionSpan]) -> None:
    st.subheader("How long it is kept", anchor=False)
    body = "".join(
        f"<tr><th scope=row>{escape_line(row.what)}</th><td>{escape_with_code(_format_span(row))}"
        "</td></tr>"
        for row in rows
    )
    st.html(f'<table class="plain facts-table" aria-label="How long it is kept">{body}</table>')


def _format_span(row: RetentionSpan) -> str:
    if row.seconds is None:
        span = "until you erase it"
    else:
        span = format_ago(row.seconds).replace(" d", " days" if row.seconds != 86_400 else " day")
    return f"{span} `{row.setting}`" if row.setting else span


def _draw_table(rows: Sequence[tuple[Any, ...]], columns: list[str], key: str, alt: str) -> None:
    height: Any = "content" if len(rows) <= 8 else 320
    widths = {
        name: st.column_config.Column(width=COLUMN_WIDTHS[name])
        for name in columns
        if name in COLUMN_WIDTHS
    }
    st.dataframe(
        pd.DataFrame(rows, columns=columns),
        hide_index=True,
        key=key,
        height=height,
        alt=alt,
        column_config=widths,
    )
