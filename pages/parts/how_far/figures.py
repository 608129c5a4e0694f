"""Read the trust benchmark's results and draw figures beside their data set, size and target.

Reads benchmarks/results.json and measures nothing; a missing figure is shown as missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from parts.shared.html_text import escape_line

RESULTS_FILE = Path(__file__).resolve().parents[3] / "benchmarks" / "results.json"
CHANCE_LEVEL = 0.5
NOT_MEASURED = "not measured here"
#: Cross-validated figures of weights that were fitted on the half shown, by the path of the figure
#: they precede. benchmarks/calibrate_relevance.py prints them. They are used where the results have
#: none under "cross-validated". The figures on support are cross-validated in the results.
CROSS_VALIDATED_ON = "2026-11-26"
CROSS_VALIDATED: Mapping[tuple[str, ...], float] = {
    ("relevance", "auc", "trecqa_wang"): 0.853,
    ("relevance", "auc", "medquad_liveqa"): 0.778,
    ("relevance", "auc", "mediqa2019"): 0.756,
    ("relevance", "auc", "noveleval"): 0.719,
    ("relevance", "by meaning", "auc", "trecqa_wang"): 0.875,
    ("relevance", "by meaning", "auc", "medquad_liveqa"): 0.864,
    ("relevance", "by meaning", "auc", "mediqa2019"): 0.837,
    ("relevance", "by meaning", "auc", "noveleval"): 0.732,
}


class MeasuredFigure(NamedTuple):
    """A figure to show. path: its place in the results; least: its target, or None."""

    name: str
    set: str
    path: tuple[str, ...]
    least: float | None = None


@cache
def read_trust_results() -> Mapping[str, Any]:
    """Return {"figures", "date", "commit", "machine"} of the benchmark, or {} if it never ran."""
    try:
        found: dict[str, Any] = json.loads(RESULTS_FILE.read_text(encoding="utf-8")).get(
            "trust", {}
        )
    except (OSError, ValueError):
        return {}
    return found


def find_figures(*path: str) -> Mapping[str, Any]:
    """Return the figures under a path, or {} if there are none."""
    found: Any = read_trust_results().get("figures", {})
    for name in path:
        if not isinstance(found, Mapping):
            return {}
        found = found.get(name)
    if isinstance(found, Mapping):
        return found
    return {}


def find_value(path: Sequence[str]) -> float | None:
    found = find_figures(*path[:-1]).get(path[-1]) if path else None
    if isinstance(found, int | float):
        return float(found)
    return None


def find_cross_validated(path: Sequence[str]) -> float | None:
    """Return the figure cross-validated by question, or None if no weights were fitted on it."""
    if read_trust_results().get("figures", {}).get("split", "share") != "share":
        return None
    recorded = find_value(("cross-validated", *path))
    if recorded is None:
        return CROSS_VALIDATED.get(tuple(path))
    return recorded


def format_size(path: Sequence[str]) -> str:
    """Return a sample size ("1,515 pairs", "1,001 good and 109 bad hosts"), "" if unknown."""
    if path[0] == "credibility" and len(path) > 2:
        hosts = find_figures("credibility", "sizes", path[2])
        if hosts:
            return f"{hosts['good']:,} good and {hosts['bad']:,} bad hosts"
        return ""
    if path[0] == "stance":
        rows = find_value(("stance", "rows", path[-1].partition(" to ")[2]))
        return f"{rows:,.0f} claims with a text" if rows else ""
    if path[0] == "relevance":
        pairs = find_value((*path[:-2], "pairs", path[-1]))
    elif path[0] == "support":
        pairs = find_value((*path[:-1], "n"))
    else:
        pairs = None
    return f"{pairs:,.0f} pairs" if pairs else ""


def draw_areas(groups: Mapping[str, Sequence[MeasuredFigure]], label: str) -> None:
    """Draw a bar for each area under the curve, from chance (0.5) to 1.0, with its target."""
    body = ""
    for name, figures in groups.items():
        if len(groups) > 1:
            body += f"<tr class=group><th scope=rowgroup colspan=3>{escape_line(name)}</th></tr>"
        body += "".join(map(_format_row, figures))
    head = (
        "<tr><th scope=col>What is told apart</th><th scope=col>Measured on</th><th"
        " scope=col>guessing 0.5 … always right 1.0</th></tr>"
    )
    st.html(
        '<div class="wide" tabindex=0><table class="plain measured"'
        f' aria-label="{escape_line(label)}">{head}{body}</table></div>'
    )


def _format_row(figure: MeasuredFigure) -> str:
    shown = find_value(figure.path)
    fresh = find_cross_validated(figure.path)
    found = shown if fresh is None else fresh
    about = (
        f"<th scope=row>{escape_line(figure.name)}</th><td class=about>{escape_line(figure.set)}"
    )
    size = format_size(figure.path)
    if size:
        about += f"<br>{size}"
    about += "</td>"
    if shown is None or found is None:
        return f"<tr>{about}<td class=about>{NOT_MEASURED}</td></tr>"
    mark = ""
    target = ""
    if figure.least is not None:
        mark = f'<b style="left:{_position(figure.least):.1f}%"></b>'
        target = f" <small>{_format_target(found, figure.least)}</small>"
    second = ""
    if fresh is not None:
        second = (
            f"<br><small class=about>{shown:.3f} on the half its weights were fitted on</small>"
        )
    bar = (
        '<span class="area" aria-hidden="true"><i'
        f' style="width:{_position(found):.1f}%"></i>{mark}</span>'
    )
    return f"<tr>{about}<td>{bar} <strong>{found:.3f}</strong>{target}{second}</td></tr>"


def _format_target(found: float, least: float) -> str:
    if found >= least:
        return f"≥ {least:.2f} promised"
    return f"&lt; {least:.2f} promised: <strong>not reached</strong>"


def _position(share: float) -> float:
    return max(0.0, min(100.0, 100 * (share - CHANCE_LEVEL) / (1 - CHANCE_LEVEL)))


def draw_plain_figures(rows: Sequence[MeasuredFigure], label: str, form: str = "{:g}") -> None:
    """Draw figures that are not areas, in two columns with their data set."""
    cells = ""
    for row in rows:
        found = find_value(row.path)
        value = NOT_MEASURED if found is None else form.format(found)
        cells += (
            f"<tr><th scope=row>{escape_line(row.name)}</th>"
            f"<td class=about>{escape_line(row.set)}</td><td>{value}</td></tr>"
        )
    st.html(f'<table class="plain measured" aria-label="{escape_line(label)}">{cells}</table>')


def draw_matrix(
    caption: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]
) -> None:
    """Draw a table of formatted figures with named rows, or say that nothing was measured."""
    body = ""
    for name, cells in rows:
        values = "".join(f"<td>{escape_line(cell)}</td>" for cell in cells)
        body += f"<tr><th scope=row>{escape_line(name)}</th>{values}</tr>"
    if not body:
        st.caption(f"{caption}: {NOT_MEASURED}.")
        return
    head = "".join(f"<th scope=col>{escape_line(name)}</th>" for name in ("", *columns))
    table = (
        '<table class="plain'
        f' measured"><caption>{escape_line(caption)}</caption><tr>{head}</tr>{body}</table>'
    )
    st.html(f'<div class="wide" tabindex=0>{table}</div>')


def format_figure(found: Any, form: str = ".3f") -> str:
    """Return a formatted figure, or "–" if there is none."""
    if isinstance(found, int | float):
        return f"{found:{form}}"
    return "–"


def draw_error_rates(rows: Sequence[tuple[str, Mapping[str, float], str]], label: str) -> None:
    """Draw two bars for each (name, figures, about): false positives and false negatives."""
    items = "".join(
        f"<tr><th scope=row>{escape_line(name)}</th><td class=about>{escape_line(about)}</td>"
        f"{_format_share(figures.get('false_accept'), 'red')}"
        f"{_format_share(figures.get('false_reject'), 'orange')}</tr>"
        for name, figures, about in rows
    )
    head = (
        "<tr><th scope=col></th><th scope=col>counts from a likelihood of</th><th scope=col>of what"
        " is not supported, let through</th><th scope=col>of what is supported, turned"
        " away</th></tr>"
    )
    st.html(
        '<div class="wide" tabindex=0><table class="plain measured"'
        f' aria-label="{escape_line(label)}">{head}{items}</table></div>'
    )


def _format_share(found: float | None, tone: str) -> str:
    if found is None:
        return f"<td class=about>{NOT_MEASURED}</td>"
    return (
        f'<td><span class="area {tone}" aria-hidden="true"><i'
        f' style="width:{100 * found:.1f}%"></i></span> {found:.0%}</td>'
    )
