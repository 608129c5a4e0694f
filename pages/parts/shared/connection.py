"""Say that the connection to the server is lost, while Streamlit tries to restore it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from research_core.i18n import _

SCRIPT = Path(__file__).parents[2] / "connection.js"
watcher = st.components.v2.component("assay_connection", js=SCRIPT.read_text(encoding="utf-8"))


def draw() -> None:
    """Install the script. Call it once on every screen."""
    watcher(key="connection", data={"text": _("Connection lost. Reconnecting…")})
