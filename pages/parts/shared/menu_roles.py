"""Give the menu on phones the roles of a list, which Streamlit's own markup breaks."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

SCRIPT = Path(__file__).parents[2] / "menu_roles.js"
roles = st.components.v2.component("assay_menu_roles", js=SCRIPT.read_text(encoding="utf-8"))


def draw() -> None:
    """Install the script. Call it once on every screen."""
    roles(key="menu_roles")
