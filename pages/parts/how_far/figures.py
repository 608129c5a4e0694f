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

from parts.shared.badges import Badge
from parts.shared.html_text import escape_line
from research_core.i18n import N_, _, format_number, ngettext, pgettext

RESULTS_FILE = Path(__file__).resolve().parents[3] / "benchmarks" / "results.json"
CHANCE_LEVEL = 0.5
NOT_MEASURED = N_("not measured here")
#: Cross-validated figures of weights that were fitted on the half shown, by the path of the figure
#: they precede. benchmarks/calibrate_relevance.py prints them. They are used where the results have
#: none under "cross-validated". The figures on support are cross-validated in the results.
CROSS_VALIDATED_ON = "2026-11-26"
CROSS_VALIDATED: Mapping[tuple[str, ...], float] = {
    ("relevance", "auc", "trecqa_wang"): 0.853,
    ("relevance", "auc", "medquad_liveqa"): 0.778,
    ("relevance", "auc", "mediqa2019"): 0.756,
    ("relevance", "auc", "noveleval"): 0.719,
    ("relevance", "by_meaning", "auc", "trecqa_wang"): 0.875,
    ("relevance", "by_meaning", "auc", "medquad_liveqa"): 0.864,
    ("relevance", "by_meaning", "auc", "mediqa2019"): 0.837,
    ("relevance", "by_meaning", "auc", "noveleval"): 0.732,
}


class MeasuredFigure(NamedTuple):
    """A figure to show. path: its place in the results; least: its target, or None.

    name, set: marked for translation.
    """

    name: str
    set: str
    path: tuple[str, ...]
    least: float | None = None


@cache
def read_trust_results() -> Mapping[str, Any]:
    """Return {"figures", "date", "commit", "machine"} of the benchmark, or {} if it never ran.

    Names of figures have underscores instead of spaces.
    """
    try:
        found: dict[str, Any] = json.loads(RESULTS_FILE.read_text(encoding="utf-8")).get(
            "trust", {}
        )
    except (OSError, ValueError):
        return {}
    return normalize_names(found)


def normalize_names(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return the results with underscores instead of spaces in all names."""
    normalized = {}
    for name, value in results.items():
        if isinstance(value, Mapping):
            value = normalize_names(value)
        normalized[name.replace(" ", "_")] = value
    return normalized


def format_name(name: str) -> str:
    """Return the name of a figure with spaces."""
    return name.replace("_", " ")


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
    """Return a sample size ("1,515 pairs", "1,001 good and 109 bad sites"), "" if unknown."""
    if path[0] == "credibility" and len(path) > 2:
        sizes = find_figures("credibility", "sizes", path[2])
        if not sizes:
            return ""
        return _("{good:,} good and {bad:,} bad sites").format(**sizes)
    if path[0] == "stance":
        claims = find_value(("stance", "rows", path[-1].partition("_to_")[2]))
        if not claims:
            return ""
        return ngettext("{count:,} claim", "{count:,} claims", claims).format(count=int(claims))
    if path[0] == "relevance":
        pairs = find_value((*path[:-2], "pairs", path[-1]))
    elif path[0] == "support":
        pairs = find_value((*path[:-1], "n"))
    else:
        pairs = None
    if not pairs:
        return ""
    return ngettext("{count:,} pair", "{count:,} pairs", pairs).format(count=int(pairs))


def draw_areas(groups: Mapping[str, Sequence[MeasuredFigure]], label: str) -> None:
    """Draw each area under the curve with a bar from chance (0.5) to 1.0, and its target."""
    columns = (pgettext("measurement", "Test"), _("Data set"), _("Measured"), _("Target"))
    body = ""
    for name, figures in groups.items():
        if len(groups) > 1:
            title = escape_line(_(name))
            body += f"<tr class=group><th scope=rowgroup colspan={len(columns)}>{title}</th></tr>"
        for figure in figures:
            body += _format_row(_(figure.name), _format_area(figure, columns))
    _draw_table(label, columns, body)


def _draw_table(label: str, columns: Sequence[str], body: str, caption: str = "") -> None:
    """Draw a table that scrolls by itself. body: its rows as HTML; caption: HTML or ""."""
    head = "".join(f"<th scope=col>{escape_line(name)}</th>" for name in columns)
    st.html(
        f'<div class="wide" tabindex=0 role=region aria-label="{escape_line(label)}">'
        f'<table class="plain measured">{caption}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _format_row(name: str, cells: str) -> str:
    return f"<tr><th scope=row>{escape_line(name)}</th>{cells}</tr>"


def _format_cell(column: str, content: str, style: str = "") -> str:
    """Return a cell that names its column, for narrow screens. content: HTML."""
    return f'<td class="{style}" data-column="{escape_line(column)}"><div>{content}</div></td>'


def _format_area(figure: MeasuredFigure, columns: Sequence[str]) -> str:
    """Return the cells of a figure: data set with its size, measured, target. HTML."""
    shown = find_value(figure.path)
    fresh = find_cross_validated(figure.path)
    found = shown if fresh is None else fresh
    about = escape_line(_(figure.set))
    size = format_size(figure.path)
    if size:
        about += f"<br>{escape_line(size)}"
    measured = escape_line(_(NOT_MEASURED))
    target = "–" if figure.least is None else format_number(figure.least, ".2f")
    if shown is not None and found is not None:
        measured = (
            f"{_format_bar(found, figure.least)} <strong>{format_number(found, '.3f')}</strong>"
        )
        if fresh is not None:
            fitted = _("{figure:.3f} on the data it was fitted on").format(figure=shown)
            measured += f"<br><small class=about>{escape_line(fitted)}</small>"
        if figure.least is not None and found < figure.least:
            target += f" {Badge('✕', _('target missed'), 'red').html}"
    return (
        _format_cell(columns[1], about, "about")
        + _format_cell(columns[2], measured)
        + _format_cell(columns[3], target)
    )


def _format_bar(found: float, least: float | None) -> str:
    mark = ""
    if least is not None:
        mark = f'<b style="left:{_position(least):.1f}%"></b>'
    width = f"{_position(found):.1f}%"
    return f'<span class="area" aria-hidden="true"><i style="width:{width}"></i>{mark}</span>'


def _position(share: float) -> float:
    return max(0.0, min(100.0, 100 * (share - CHANCE_LEVEL) / (1 - CHANCE_LEVEL)))


def draw_plain_figures(rows: Sequence[MeasuredFigure], label: str, spec: str = "g") -> None:
    """Draw figures that are not areas, with their data set."""
    columns = (pgettext("measurement", "Test"), _("Data set"), _("Measured"))
    body = ""
    for row in rows:
        found = find_value(row.path)
        value = _(NOT_MEASURED) if found is None else format_number(found, spec)
        cells = _format_cell(columns[1], escape_line(_(row.set)), "about")
        body += _format_row(_(row.name), cells + _format_cell(columns[2], escape_line(value)))
    _draw_table(label, columns, body)


def draw_matrix(
    caption: str,
    columns: Sequence[str],
    rows: Iterable[tuple[str, Sequence[str]]],
    first: str = "",
) -> None:
    """Draw a table of formatted figures with named rows, or say that nothing was measured.

    first: heading of the column of names, "" for data sets.
    """
    body = ""
    for name, values in rows:
        cells = ""
        for column, value in zip(columns, values, strict=True):
            cells += _format_cell(column, escape_line(value))
        body += _format_row(name, cells)
    if not body:
        st.caption(f"{caption}: {_(NOT_MEASURED)}.")
        return
    names = (first or _("Data set"), *columns)
    _draw_table(caption, names, body, f"<caption>{escape_line(caption)}</caption>")


def format_figure(found: Any, form: str = ".3f") -> str:
    """Return a formatted figure, or "–" if there is none."""
    if isinstance(found, int | float):
        return format_number(found, form)
    return "–"


def draw_error_rates(rows: Sequence[tuple[str, Mapping[str, float], str]], label: str) -> None:
    """Draw two bars for each (name, figures, about): false positives and false negatives."""
    columns = (
        _("Data set and result"),
        _("Threshold"),
        _("Unsupported, but accepted"),
        _("Supported, but rejected"),
    )
    body = ""
    for name, figures, about in rows:
        cells = _format_cell(columns[1], escape_line(about), "about")
        cells += _format_share(columns[2], figures.get("false_accept"), "red")
        cells += _format_share(columns[3], figures.get("false_reject"), "orange")
        body += _format_row(name, cells)
    _draw_table(label, columns, body)


def _format_share(column: str, found: float | None, tone: str) -> str:
    if found is None:
        return _format_cell(column, escape_line(_(NOT_MEASURED)), "about")
    bar = (
        f'<span class="area {tone}" aria-hidden="true"><i'
        f' style="width:{100 * found:.1f}%"></i></span> {format_number(found, ".0%")}'
    )
    return _format_cell(column, bar)
