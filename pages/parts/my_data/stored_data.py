"""What is kept of a user, drawn: notes, what they shared by workspace, counts of calls, how many
sessions, and for how long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.session.sources.charts import TONES
from parts.shared.html_text import cell, coded, markup
from parts.shared.wording import ago, when
from research_core.policy import Override
from research_core.sessions.user_summary import Dossier, Span
from research_core.text.words import plain, truncate, visible
from research_core.userdata.analytics import Count
from research_core.userdata.workspaces import Contribution

#: Bars of the chart; the table beside it has every tool.
BARS = 8
BAR = 30  # pixels of one
#: Of columns, in pixels, so that long words leave room for the others.
WIDTHS = {
    "Saved": 125,
    "Shared": 125,
    "Topic": 110,
    "Note": 270,
    "Finding": 270,
    "Address": 150,
    "Tags": 100,
}


def notes(told: Dossier) -> None:
    st.subheader(f"Notes · {len(told.memories)}", anchor=False)
    if not told.memories:
        st.caption("None. Notes come from `memory_save`, once you agree to it.")
        return
    rows = [
        (
            when(each.at),
            cell(each.topic),
            cell(each.note),
            cell(each.url),
            cell(", ".join(each.tags)),
        )
        for each in told.memories
    ]
    _table(
        rows, ["Saved", "Topic", "Note", "Address", "Tags"], "notes", "Your notes, the newest first"
    )


def shared(told: Dossier) -> None:
    st.subheader(f"Shared in workspaces · {len(told.contributions)}", anchor=False)
    joined, places = dict(told.joined), dict[str, list[Contribution]]()
    for name in joined:
        places[name] = []
    for each in told.contributions:
        places.setdefault(each.workspace, []).append(each)
    if not places:
        st.caption(
            "Nothing, and you are in no workspace: `assay data join NAME` makes you a member, or"
            " whoever runs this server does."
        )
    for n, (name, found) in enumerate(sorted(places.items())):
        member = (
            f"member since {when(joined[name])}"
            if name in joined
            else "no longer a member: what you shared stays until it is erased"
        )
        st.markdown(f"**{plain(name, 60)}** · {member}")
        if found:
            rows = [
                (when(each.at), cell(each.note), cell(each.url), cell(", ".join(each.tags)))
                for each in found
            ]
            _table(
                rows,
                ["Shared", "Finding", "Address", "Tags"],
                f"shared_{n}",
                f"What you shared in {visible(name)}",
            )
        else:
            st.caption("You have shared nothing there.")


def words(said: Sequence[Override]) -> None:
    """What the user said of hosts."""
    if not said:
        return
    st.subheader(f"Your words on hosts · {len(said)}", anchor=False)
    rows = [(cell(each.host), each.value, cell(each.reason)) for each in said]
    _table(
        rows,
        ["Host", "Authority", "Why"],
        "said_of_hosts",
        "What you said of hosts, which counts in every run of yours",
    )


def calls(counts: Sequence[Count]) -> None:
    total = sum(each.calls for each in counts)
    st.subheader(f"Calls of tools · {total:,}", anchor=False)
    if not counts:
        st.caption("None are counted. They are once you agree to it, and from then on.")
        return
    st.plotly_chart(
        chart(counts, st.context.theme.type or "light"),
        key="calls",
        config={"displayModeBar": False, "scrollZoom": False},
        alt=_alt(counts),
    )
    rows = [(cell(each.tool), each.calls, when(each.first), when(each.last)) for each in counts]
    _table(
        rows,
        ["Tool", "Calls", "First", "Last"],
        "counts",
        "Counts of calls by tool, a table that sorts",
    )


def chart(counts: Sequence[Count], theme: str) -> dict[str, Any]:
    """A bar for each of the tools called most, the longest on top."""
    most = sorted(counts, key=lambda each: (-each.calls, each.tool))[:BARS]
    names = [
        truncate(visible(each.tool), 40).replace("&", "&amp;").replace("<", "&lt;") for each in most
    ]
    made = [each.calls for each in most]
    bars = {
        "type": "bar", "orientation": "h", "x": made, "y": list(range(len(most))), "text": made,
        "textposition": "outside",
        "cliponaxis": False, "marker": {"color": TONES[theme]["blue"]}, "hoverinfo": "skip",
        "width": 0.6,
    }  # fmt: skip
    return {
        "data": [bars],
        "layout": {
            "height": BAR * len(most) + 16,
            "margin": {"l": 0, "r": 40, "t": 4, "b": 8},
            "xaxis": {"visible": False, "rangemode": "tozero", "fixedrange": True},
            "yaxis": {
                "tickvals": list(range(len(most))), "ticktext": names,
                "range": [len(most) - 0.5, -0.5], "automargin": True,
                "showgrid": False, "zeroline": False, "fixedrange": True, "title": None,
            },
            "dragmode": False,
        },
    }  # fmt: skip


def _alt(counts: Sequence[Count]) -> str:
    most = max(counts, key=lambda each: each.calls)
    return f"Calls by tool: {len(counts)} tools, the most {most.calls:,} of {visible(most.tool)}"


def sessions(told: Dossier) -> None:
    st.subheader("Sessions", anchor=False)
    rest = f", and {told.deleted} deleted that can be restored" if told.deleted else ""
    st.markdown(f"{told.sessions} {'session' if told.sessions == 1 else 'sessions'}{rest}.")
    st.page_link("sessions.py", label="Open Sessions", icon=":material/list:")


def spans(rows: Sequence[Span]) -> None:
    st.subheader("How long it is kept", anchor=False)
    body = "".join(
        f"<tr><th scope=row>{markup(row.what)}</th><td>{coded(_span(row))}</td></tr>"
        for row in rows
    )
    st.html(f'<table class="plain facts-table" aria-label="How long it is kept">{body}</table>')


def _span(row: Span) -> str:
    long = (
        "until you erase it"
        if row.seconds is None
        else ago(row.seconds).replace(" d", " days" if row.seconds != 86_400 else " day")
    )
    return f"{long} `{row.setting}`" if row.setting else long


def _table(rows: Sequence[tuple[Any, ...]], columns: list[str], key: str, alt: str) -> None:
    height: Any = "content" if len(rows) <= 8 else 320
    widths = {
        name: st.column_config.Column(width=WIDTHS[name]) for name in columns if name in WIDTHS
    }
    st.dataframe(
        pd.DataFrame(rows, columns=columns),
        hide_index=True,
        key=key,
        height=height,
        alt=alt,
        column_config=widths,
    )
