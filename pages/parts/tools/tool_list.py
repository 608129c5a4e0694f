"""List all research tools by group, with their purpose and what they need to run here."""

from __future__ import annotations

import streamlit as st

from parts.shared.badges import Badge
from parts.shared.html_text import escape_line, escape_with_code
from research_core import tools
from research_core.tools.groups import GROUPS, describe_tool, find_group, list_required_settings
from research_core.tools.registry import Tool
from research_core.wiring import default_resources

#: Headings of groups; any other group is headed by its name.
GROUP_TITLES = {
    "web": "The web",
    "scholarly": "Scholarly works",
    "records": "Records and figures",
    "answers": "Answers and data",
    "sessions": "Sessions",
    "trust": "Checking of sources",
    "brand": "Brands",
    "memory": "Memory and workspaces",
    "": "More",
}


def is_served(row: Tool) -> bool:
    """Return True if this machine has the settings the tool needs."""
    return row in tools.list_available_tools(default_resources().settings)


def find_tool(name: str) -> Tool | None:
    for row in tools.CLIENT_TOOLS:
        if row.name == name:
            return row
    return None


def draw(chosen: str = "") -> None:
    """Draw each tool under its group; a click opens it. chosen: the open tool's name."""
    for group in (*GROUPS, ""):
        members = [row for row in tools.CLIENT_TOOLS if find_group(row.name) == group]
        if not members:
            continue
        st.html(f"<h2 class=group>{escape_line(GROUP_TITLES.get(group, group.capitalize()))}</h2>")
        with st.container(key=f"group_{group or 'more'}", gap=None):
            for row in members:
                _draw_row(row, row.name == chosen)


def _draw_row(row: Tool, chosen: bool) -> None:
    with st.container(key=f"tool_{row.name}{'_chosen' if chosen else ''}", gap=None):
        st.button(
            row.name, key=f"open {row.name}", type="tertiary", on_click=open_tool, args=(row.name,)
        )
        lacks = "" if is_served(row) else describe_missing(row)
        st.html(
            f'<p class="about">{escape_with_code(describe_tool(row, compact=True)[0], 300)}'
            f"</p>{lacks}"
        )


def open_tool(name: str) -> None:
    """Open this tool, or the list for "". Drops other parameters but the session's."""
    query = {}
    if name:
        query["tool"] = name
    if "session" in st.query_params:
        query["session"] = st.query_params["session"]
    st.query_params.from_dict(query)


def describe_missing(row: Tool) -> str:
    """Return what the tool needs, as HTML: its only setting, or the number of choices."""
    options = list_required_settings(row) or ("a provider",)
    needs = f"one of {len(options)} keys"
    if len(options) == 1:
        needs = options[0]
    badge = Badge("◌", f"needs {needs}", "orange")
    return f'<p class="lacking">{badge.html}</p>'
