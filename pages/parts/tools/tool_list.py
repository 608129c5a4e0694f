"""List all research tools by group, with their purpose and what they need to run here."""

from __future__ import annotations

import streamlit as st

from parts.shared.html_text import escape_line
from parts.tools.tool_labels import capitalize_name, get_tool_label, get_tool_purpose
from research_core import tools
from research_core.i18n import N_, _, join_list, ngettext
from research_core.tools.groups import GROUPS, find_group, list_required_settings
from research_core.tools.registry import Tool
from research_core.wiring import default_resources

#: Headings of groups; any other group is headed by its name.
GROUP_TITLES = {
    "web": N_("Web"),
    "scholarly": N_("Scholarly works"),
    "records": N_("Public records"),
    "sessions": N_("Sessions"),
    "bibliography": N_("Bibliographies"),
    "trust": N_("Source checks"),
    "answers": N_("Answers"),
    "brand": N_("Brands"),
    "memory": N_("Memory"),
    "": N_("More"),
}
#: How often a tool was opened by hand on this screen; the form then takes the focus.
OPENED_KEY = "tools_opened"


def is_served(row: Tool) -> bool:
    """Return True if this machine has the settings the tool needs."""
    return row in tools.list_available_tools(default_resources().settings)


def find_tool(name: str) -> Tool | None:
    for row in tools.CLIENT_TOOLS:
        if row.name == name:
            return row
    return None


def draw(chosen: str = "") -> None:
    """Draw each tool under its group; a click opens it. chosen: the open tool's name.

    Beside an open tool the list has names only.
    """
    for group in (*GROUPS, ""):
        members = [row for row in tools.CLIENT_TOOLS if find_group(row.name) == group]
        if not members:
            continue
        with st.container(key=f"group_{group or 'more'}", gap=None):
            title = _(GROUP_TITLES[group]) if group in GROUP_TITLES else capitalize_name(group)
            st.html(f"<h2 class=group>{escape_line(title)}</h2>")
            for row in members:
                if chosen:
                    _draw_name(row, row.name == chosen)
                else:
                    _draw_row(row)


def _draw_name(row: Tool, chosen: bool) -> None:
    with st.container(key=f"tool_{row.name}{'_chosen' if chosen else ''}", gap=None):
        _draw_button(row, get_tool_label(row))


def _draw_row(row: Tool) -> None:
    with st.container(key=f"tool_{row.name}", gap=None):
        _draw_button(row, f"{get_tool_label(row)} `{row.name}`")
        lacks = ""
        if not is_served(row):
            missing, settings = describe_missing(row), _describe_settings(row)
            lacks = (
                f' <span class="lacking" title="{escape_line(settings, 400)}">'
                f"{escape_line(missing)}</span>"
            )
        st.html(f'<p class="about">{escape_line(get_tool_purpose(row))}{lacks}</p>')


def _describe_settings(row: Tool) -> str:
    """Return which settings the administrator has to set, "" if none would do."""
    options = list_required_settings(row)
    if not options:
        return ""
    if len(options) == 1:
        return _("The administrator sets {settings}.").format(settings=options[0])
    return _("The administrator sets one of these: {settings}.").format(settings=join_list(options))


def _draw_button(row: Tool, label: str) -> None:
    st.button(label, key=f"open {row.name}", type="tertiary", on_click=open_tool, args=(row.name,))


def open_tool(name: str) -> None:
    """Open this tool, or the list for "". Drops other parameters but the session's."""
    query = {}
    if name:
        query["tool"] = name
        st.session_state[OPENED_KEY] = st.session_state.get(OPENED_KEY, 0) + 1
    if "session" in st.query_params:
        query["session"] = st.query_params["session"]
    st.query_params.from_dict(query)


def describe_missing(row: Tool) -> str:
    """Return what the administrator must set up before the tool can be used."""
    options = list_required_settings(row)
    if row.switch:
        return _("Turned off.")
    if not options:
        return _("Needs a provider.")
    if len(options) == 1 and not options[0].endswith("_API_KEY"):
        return _("Not set up.")
    if len(options) == 1:
        service = options[0].partition("_API_KEY")[0].replace("_", " ").title()
        return _("Needs a key for {service}.").format(service=service)
    return ngettext(
        "Needs a key for {count} service.",
        "Needs a key for one of {count} services.",
        len(options),
    ).format(count=len(options))
