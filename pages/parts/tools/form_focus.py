"""Bring the form of a tool into view, and the focus to its first field. Draws nothing."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from research_core.tools.registry import Tool

form_focus = st.components.v2.component(
    "assay_form_focus",
    js=(Path(__file__).parents[2] / "form_focus.js").read_text(encoding="utf-8"),
)


def draw(row: Tool, turn: int) -> None:
    """Focus the form of this tool if a tool was opened since. turn: how many were opened."""
    has_fields = bool(row.schema["properties"])
    form_focus(key="form_focus", data={"tool": row.name, "turn": turn, "fields": has_fields})
