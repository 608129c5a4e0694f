"""What was measured of Assay's judgements, as the benchmark left it: every figure beside its set, its size and what it has to reach.

It shows what stands in benchmarks/results.json and measures nothing; a figure that is not there is said to be missing, never made up.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from parts.safe import markup

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results.json"
GUESSING = 0.5


class Figure(NamedTuple):
    """path: where it stands among the figures; least: what it has to reach, None where nothing was promised."""

    name: str
    set: str
    path: tuple[str, ...]
    least: float | None = None


@cache
def trust() -> Mapping[str, Any]:
    """{"figures", "date", "commit", "machine"} of the benchmark, {} where it was never kept."""
    try:
        found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")).get("trust", {})
    except (OSError, ValueError):
        return {}
    return found


def value(path: Sequence[str]) -> float | None:
    found: Any = trust().get("figures", {})
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return float(found) if isinstance(found, int | float) else None


def areas(figures: Sequence[Figure], label: str) -> None:
    """A row for each area under the curve: a bar from guessing (0.5) to always right (1.0), with a mark at what was promised."""
    rows = "".join(map(_row, figures))
    head = "<tr><th scope=col>What is told apart</th><th scope=col>Measured on</th><th scope=col>guessing 0.5 … always right 1.0</th></tr>"
    st.html(f'<table class="plain measured" aria-label="{markup(label)}">{head}{rows}</table>')


def _row(figure: Figure) -> str:
    found = value(figure.path)
    about = f"<th scope=row>{markup(figure.name)}</th><td class=about>{markup(figure.set)}</td>"
    if found is None:
        return f"<tr>{about}<td class=about>not measured here</td></tr>"
    mark = "" if figure.least is None else f'<b style="left:{_place(figure.least):.1f}%"></b>'
    promised = "" if figure.least is None else f" <small>{_held(found, figure.least)}</small>"
    bar = f'<span class="area" aria-hidden="true"><i style="width:{_place(found):.1f}%"></i>{mark}</span>'
    return f"<tr>{about}<td>{bar} {found:.3f}{promised}</td></tr>"


def _held(found: float, least: float) -> str:
    return f"≥ {least:.2f} promised" if found >= least else f"&lt; {least:.2f} promised: <strong>not reached</strong>"


def _place(share: float) -> float:
    return max(0.0, min(100.0, 100 * (share - GUESSING) / (1 - GUESSING)))


def plain(rows: Sequence[Figure], label: str, form: str = "{:g}") -> None:
    """Figures that are no areas, in two columns and their set."""
    cells = "".join(
        f"<tr><th scope=row>{markup(row.name)}</th><td class=about>{markup(row.set)}</td>"
        f"<td>{'not measured here' if (found := value(row.path)) is None else form.format(found)}</td></tr>"
        for row in rows
    )
    st.html(f'<table class="plain measured" aria-label="{markup(label)}">{cells}</table>')
