"""How far a session is, as one line with the funnel's figures, and what it said on the way."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.safe import markup
from research_core.reading import Line, Stage

_SIGNS = {"done": "✓", "now": "●", "halted": "‖", "to come": "○"}
LATEST = 200


def line(stages: Sequence[Stage]) -> None:
    """The steps from left to right; those under way are the current ones."""
    st.html(f'<ol class="stages" aria-label="Stages and funnel">{"".join(map(_step, stages))}</ol>')


def _step(stage: Stage) -> str:
    figures = "".join(f"<span><b>{number}</b> {what}</span>" for number, what in stage.figures) or "<span>&nbsp;</span>"
    current = ' aria-current="step"' if stage.state == "now" else ""
    name = f'<span class="step"><i title="{stage.state}">{_SIGNS[stage.state]}</i> {markup(stage.name)}</span>'
    return f'<li class="{stage.state.replace(" ", "-")}"{current}>{name}<span class="figures">{figures}</span></li>'


def told(lines: Sequence[Line]) -> None:
    """What happened in plain words. The news stands last and in sight: the list is filled, and starts to scroll, from its end."""
    items = "".join(_told(line) for line in reversed(lines[-LATEST:]))
    st.html(f'<ol class="told" tabindex="0" aria-label="What happened">{items}</ol>')


def _told(line: Line) -> str:
    kind = ' class="heading"' if line.heading else ""
    return f"<li{kind}><time>{line.after:.1f} s</time> <span>{markup(line.text, 300)}</span></li>"
