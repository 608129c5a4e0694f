"""Chart the scores of all sources by kind of site, with the threshold and the decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import streamlit as st

from parts.shared.badges import SOURCE_BADGES
from research_core.i18n import _, ngettext
from research_core.models import ReportSource
from research_core.text.words import strip_invisible, truncate
from research_core.trust.provenance import name_site

#: Plotly symbol of each state, as close as possible to its badge's.
POINT_SYMBOLS = {
    "kept": "circle",
    "dropped": "square",
    "blocked": "x-thin-open",
    "struck": "x",
    "failed": "triangle-down-open",
    "duplicate": "square-open",
    "not_read": "circle-open",
    "readable": "diamond",
    "waiting": "circle-open",
    "reading": "circle-dot",
    "judging": "circle-dot",
}
#: Colors for the light and the dark theme, since Plotly cannot use those of the style sheets.
TONE_COLORS = {
    "light": {
        "green": "#2a7340",
        "orange": "#9f540f",
        "red": "#b3392f",
        "blue": "#1d5b8f",
        "gray": "#6f6a5f",
    },
    "dark": {
        "green": "#5fb67a",
        "orange": "#dd9a57",
        "red": "#e5756b",
        "blue": "#8fbfe8",
        "gray": "#9a968c",
    },
}
NEUTRAL_COLOR = "#8a867c"  # visible on white and on black
SMALL_SET = 40  # changed scores; more lines would hide the points
LANE_HEIGHT = 36  # pixels


def draw_strip(
    sources: Sequence[ReportSource],
    tiers: Sequence[str],
    minimum: float,
    moved: Mapping[str, float],
    *,
    key: str,
    on_select: Any,
) -> None:
    """Draw a point for each scored source, in a lane for each kind of site in policy order.

    moved: the run's score by URL, where it was another; a line leads from it to the point.
    on_select: called when points are selected.
    """
    if not any(source.parts for source in sources):
        st.caption(_("No source has a credibility score. Own documents are not scored."))
        return
    st.plotly_chart(
        build_figure(sources, tiers, minimum, st.context.theme.type or "light", moved),
        key=key,
        on_select=on_select,
        selection_mode=("points", "box", "lasso"),
        config={"displayModeBar": False, "scrollZoom": False},
        alt=_format_alt_text(sources, minimum, moved),
    )


def build_figure(
    sources: Sequence[ReportSource],
    tiers: Sequence[str],
    minimum: float,
    theme: str,
    moved: Mapping[str, float] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the chart as plain values. A point keeps its height, whatever the sliders say."""
    scored = [source for source in sources if source.parts]
    lanes = _assign_lanes(scored, tiers)
    statuses = {source.status for source in scored}
    traces = [
        _status_trace(status, scored, lanes, theme)
        for status in SOURCE_BADGES
        if status in statuses
    ]
    if 0 < len(moved) <= SMALL_SET:
        traces.append(_path_trace(scored, lanes, moved))
    return {"data": traces, "layout": _build_layout(lanes, minimum, len(traces))}


def _assign_lanes(scored: Sequence[ReportSource], tiers: Sequence[str]) -> dict[str, int]:
    """Return the lane of each kind of site that has a source, in the order of the policy."""
    used = [source.parts.tier for source in scored if source.parts]
    ordered = [tier for tier in dict.fromkeys((*tiers, *used)) if tier in used]
    return {tier: lane for lane, tier in enumerate(ordered)}


def _build_layout(lanes: Mapping[str, int], minimum: float, traces: int) -> dict[str, Any]:
    """Return the layout of the chart with the threshold. traces: entries of the legend."""
    tall = LANE_HEIGHT * max(len(lanes), 2)
    below = 76 if traces < 5 else 98  # from five entries on, the legend takes two lines
    threshold = {
        "type": "line",
        "x0": minimum,
        "x1": minimum,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "line": {"color": NEUTRAL_COLOR, "width": 2, "dash": "dash"},
    }
    label = {
        "x": minimum,
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "text": _("minimum {minimum:.2f}").format(minimum=minimum),
        "showarrow": False,
        "font": {"size": 12, "color": NEUTRAL_COLOR},
    }
    return {
        "height": 22 + tall + below,
        "margin": {"l": 0, "r": 8, "t": 22, "b": below},
        "xaxis": {
            "range": [-0.02, 1.02],
            "dtick": 0.1,
            "title": {"text": _("Credibility"), "font": {"size": 12}, "standoff": 8},
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "tickvals": list(lanes.values()),
            "ticktext": [_(tier) for tier in lanes],
            "range": [len(lanes) - 0.5, -0.5],
            "zeroline": False,
            "showgrid": False,
            "automargin": True,
            "fixedrange": True,
        },
        "shapes": [threshold],
        "annotations": [label],
        "legend": {
            "orientation": "h",
            "y": -50 / tall,
            "yanchor": "top",
            "x": 0,
            "font": {"size": 12},
        },
        "dragmode": "select",
        "hovermode": "closest",
        "uirevision": "strip",
    }


def _status_trace(
    status: str, scored: Sequence[ReportSource], lanes: dict[str, int], theme: str
) -> dict[str, Any]:
    rows = [
        (n, source, source.parts)
        for n, source in enumerate(scored)
        if source.parts and source.status == status
    ]
    tone = TONE_COLORS[theme][SOURCE_BADGES[status].tone]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": SOURCE_BADGES[status].text,  # the legend draws the symbol itself
        "x": [parts.score for _, _, parts in rows],
        "y": [lanes[parts.tier] + _lane_offset(n) for n, _, parts in rows],
        "customdata": [[source.url] for _, source, _ in rows],
        "text": [_format_hover(source) for _, source, _ in rows],
        "hovertemplate": "%{text}<br>%{x:.2f}<extra></extra>",
        "marker": {
            "symbol": POINT_SYMBOLS[status],
            "color": tone,
            "size": 8,
            "opacity": 0.85,
            "line": {"color": tone, "width": 1.5},
        },
    }


def _path_trace(
    scored: Sequence[ReportSource], lanes: dict[str, int], moved: Mapping[str, float]
) -> dict[str, Any]:
    """Return one trace of lines from the run's scores to the current ones; not selectable."""
    scores: list[float | None] = []
    heights: list[float | None] = []
    for n, source in enumerate(scored):
        if not source.parts or source.url not in moved:
            continue
        height = lanes[source.parts.tier] + _lane_offset(n)
        # None ends a line, so that one trace holds all of them.
        scores += [moved[source.url], source.parts.score, None]
        heights += [height, height, None]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": _("change of score"),
        "x": scores,
        "y": heights,
        "hoverinfo": "skip",
        "line": {"color": NEUTRAL_COLOR, "width": 1.5, "dash": "dot"},
    }


def _lane_offset(n: int) -> float:
    """Return a fixed offset from the lane's middle, so that equal scores can be told apart."""
    return ((n * 7) % 11 - 5) / 15


def _format_hover(source: ReportSource) -> str:
    """Return title and site without "<" or "&", since Plotly renders some tags."""
    words = (
        f"{truncate(' '.join(strip_invisible(source.title).split()), 70)} · "
        f"{name_site(source.address)}"
    )
    return words.replace("&", "&amp;").replace("<", "&lt;")


def _format_alt_text(
    sources: Sequence[ReportSource], minimum: float, moved: Mapping[str, float]
) -> str:
    scores = [source.parts.score for source in sources if source.parts]
    passing = sum(score > minimum for score in scores)
    text = _(
        "Credibility by kind of site. {passing} of {count} scored sources are above {minimum:.2f}."
    ).format(passing=passing, count=len(scores), minimum=minimum)
    if moved:
        changed = ngettext("{count} score changed.", "{count} scores changed.", len(moved))
        text += f" {changed.format(count=len(moved))}"
    return text
