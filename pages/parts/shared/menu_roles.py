"""Mend the menu: its roles and its closing on phones, the mark of its section on wide screens.

Also make a theme that was chosen on one screen hold for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

SCRIPT = Path(__file__).parents[2] / "menu_roles.js"
roles = st.components.v2.component("assay_menu_roles", js=SCRIPT.read_text(encoding="utf-8"))


def draw(section: str, screens: Sequence[str]) -> None:
    """Install the script. Call it once on every screen.

    section: heading of the menu section that holds the current screen, or ""; screens: the last
    parts of the addresses of all screens, "" for the first.
    """
    roles(key="menu_roles", data={"section": section, "screens": list(screens)})
