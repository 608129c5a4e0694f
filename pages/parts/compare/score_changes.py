"""Chart changed scores: a line from the score before to the score after, one row per source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from parts.session.sources.charts import NEUTRAL_COLOR, TONE_COLORS
from research_core.i18n import N_, _
from research_core.sessions.compare import SourcePair, get_scores
from research_core.text.words import strip_invisible, truncate

MAX_ROWS = 20  # those with the largest changes
ROW_HEIGHT = 26  # pixels
#: Kinds of score: (index in `get_scores`, name, range).
KINDS = ((0, N_("Credibility"), (0.0, 1.0)), (1, N_("Relevance"), (1, 5)))


def draw(pairs: Sequence[SourcePair]) -> None:
    """Draw a chart for each kind of score that changed."""
    charts = []
    for place, name, ends in KINDS:
        rows = _find_moved(pairs, place)
        if rows:
            charts.append((name, ends, rows))
    columns = st.columns(max(len(charts), 1), gap="large")
    for column, (name, ends, rows) in zip(columns, charts, strict=False):
        with column:
            _draw_chart(name, ends, rows)


def _find_moved(pairs: Sequence[SourcePair], place: int) -> list[tuple[str, float, float]]:
    """Return (label, score before, score after) of the MAX_ROWS largest changes, largest first."""
    moved = []
    for pair in pairs:
        was = get_scores(pair.before)[place]
        now = get_scores(pair.after)[place]
        if was is not None and now is not None and was != now:
            moved.append((pair.title, float(was), float(now)))
    moved.sort(key=lambda row: -abs(row[2] - row[1]))
    return moved[:MAX_ROWS]


def _draw_chart(
    name: str, ends: tuple[float, float], rows: Sequence[tuple[str, float, float]]
) -> None:
    risen = sum(now > was for _, was, now in rows)
    st.plotly_chart(
        build_figure(_(name), ends, rows, st.context.theme.type or "light"),
        key=f"moved_{name.lower()}",
        config={"displayModeBar": False, "scrollZoom": False},
        alt=_("{score} before and after: {risen} rose, {fallen} fell").format(
            score=_(name), risen=risen, fallen=len(rows) - risen
        ),
    )


def build_figure(
    name: str, ends: tuple[float, float], rows: Sequence[tuple[str, float, float]], theme: str
) -> dict[str, Any]:
    """Return the chart as plain values: open point before, filled point after, a line between."""
    margin = 0.04 * (ends[1] - ends[0])
    tone = TONE_COLORS[theme]["blue"]
    places = list(range(len(rows)))
    line = {"color": NEUTRAL_COLOR, "width": 2}
    between = [
        {"type": "line", "x0": was, "x1": now, "y0": place, "y1": place, "line": line}
        for place, (_, was, now) in zip(places, rows, strict=True)
    ]
    return {
        "data": [
            _point_trace(
                _("before"),
                [was for _, was, _ in rows],
                places,
                {"symbol": "circle-open", "color": NEUTRAL_COLOR, "size": 10},
            ),
            _point_trace(
                _("after"),
                [now for _, _, now in rows],
                places,
                {"symbol": "circle", "color": tone, "size": 10},
            ),
        ],
        "layout": {
            "height": 80 + ROW_HEIGHT * max(len(rows), 2),
            "margin": {"l": 0, "r": 8, "t": 8, "b": 0},
            "xaxis": {
                "range": [ends[0] - margin, ends[1] + margin],
                "title": name,
                "fixedrange": True,
            },
            "yaxis": {
                "tickvals": places,
                "ticktext": [_format_label(row[0]) for row in rows],
                "range": [len(rows) - 0.5, -0.5],
                "zeroline": False,
                "showgrid": False,
                "automargin": True,
                "fixedrange": True,
            },
            "shapes": between,
            "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
            "dragmode": False,
        },
    }


def _point_trace(name: str, x: list[float], y: list[int], marker: dict[str, Any]) -> dict[str, Any]:
    hover = f"{name}: %{{x}}<extra></extra>"
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": x,
        "y": y,
        "marker": marker,
        "hovertemplate": hover,
    }


def _format_label(title: str) -> str:
    """Return a title without "<" or "&", since Plotly renders some tags."""
    return (
        truncate(" ".join(strip_invisible(title).split()), 32)
        .replace("&", "&amp;")
        .replace("<", "&lt;")
    )
