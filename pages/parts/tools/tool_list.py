"""All research tools, by group: name, what each does in a sentence, and what it needs where this
machine cannot serve it.
"""

from __future__ import annotations

import streamlit as st

from parts.shared.badges import Badge
from parts.shared.html_text import escape_line, escape_with_code
from research_core import tools
from research_core.interfaces.cli.tools import list_required_settings
from research_core.tools.groups import GROUPS, describe_tool, find_group
from research_core.tools.registry import Tool
from research_core.wiring import default_resources

#: How the groups of the table are headed; one without a row here is headed by its name.
GROUP_TITLES = {
    "web": "The web", "scholarly": "Scholarly works", "records": "Records and figures",
    "answers": "Answers and data",
    "sessions": "Sessions",
    "trust": "Checking of sources", "brand": "Brands", "memory": "Memory and workspaces",
    "": "More",
}  # fmt: skip


def is_served(row: Tool) -> bool:
    """Whether this machine has what the tool asks."""
    return row in tools.list_available_tools(default_resources().settings)


def find_tool(name: str) -> Tool | None:
    return next((row for row in tools.CLIENT_TOOLS if row.name == name), None)


def draw(chosen: str = "") -> None:
    """Each tool under its group; a click opens it, and the address says which. chosen: the one that
    is open.
    """
    held = {
        group: [row for row in tools.CLIENT_TOOLS if find_group(row.name) == group]
        for group in (*GROUPS, "")
    }
    for group, members in held.items():
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
            f'<p class="about">{escape_with_code(describe_tool(row, compact=True)[0], 300)}</p>{lacks}'
        )


def open_tool(name: str) -> None:
    """Open this tool, or with "" the list of all. Nothing else that the address asks for stays, but
    for the session.
    """
    kept = {"session": st.query_params["session"]} if "session" in st.query_params else {}
    st.query_params.from_dict({**({"tool": name} if name else {}), **kept})


def describe_missing(row: Tool) -> str:
    """What the tool needs, as HTML: its one setting, or of how many one; which they are its own
    screen says.
    """
    ways = list_required_settings(row) or ("a provider",)
    badge = Badge(
        "◌", f"needs {ways[0]}" if len(ways) == 1 else f"needs one of {len(ways)} keys", "orange"
    )
    return f'<p class="lacking">{badge.html}</p>'
