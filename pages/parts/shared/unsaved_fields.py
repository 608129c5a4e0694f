"""Save a half-typed field before the screen is left. Draws nothing.

The browser sends a field when it loses focus. A link clicked at that moment would overtake it: the
text would arrive at a screen that is gone, and bring it back with its choices lost.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

SCRIPT = Path(__file__).parents[2] / "unsaved_fields.js"
field_saver = st.components.v2.component("assay_leaving", js=SCRIPT.read_text(encoding="utf-8"))


def draw() -> None:
    """Install the script. Call it once on every screen."""
    field_saver(key="leaving")
