"""Try each research tool by hand: a list, a form, the result, and the way into a session.

The address can name a tool and fill its form: ?tool=web_search&query=WORDS. It runs nothing.
"""

from __future__ import annotations

import streamlit as st

from parts.shared import failures, search_places
from parts.shared.html_text import escape_line, escape_with_code
from parts.tools import add_to_session, form_focus, results, tool_call, tool_form, tool_list
from parts.tools.tool_labels import get_tool_label, get_tool_purpose
from research_core.i18n import N_, _, join_list
from research_core.text.words import clean_for_screen
from research_core.tools.groups import describe_tool, list_required_settings
from research_core.tools.registry import Tool

INTRODUCTION = N_("Ask one kind of source directly: no plan, no gate, no report.")
MAX_DESCRIPTION = 1_500


def draw() -> None:
    asked = st.query_params.get("tool", "")
    row = tool_list.find_tool(asked)
    st.title(_("Tools"), anchor=False)
    if asked and row is None:
        st.warning(
            _("There is no tool “{name}”. Choose one below.").format(
                name=clean_for_screen(asked, 60)
            )
        )
    search_places.warn_if_offline(_("No internet connection: tools that ask other sites fail now."))
    if row is None:
        st.caption(_(INTRODUCTION))
        with st.container(key="tools_all"):
            tool_list.draw()
        return
    left, right = st.columns([1, 4], gap="large")
    with left, st.container(key="tools_rail"):
        tool_list.draw(row.name)
    with right:
        _draw_tool(row)
    form_focus.draw(row, st.session_state.get(tool_list.OPENED_KEY, 0))


def _draw_tool(row: Tool) -> None:
    """Draw the chosen tool: purpose, form, and the last call's result."""
    with st.container(key="tools_back"):
        st.button(
            _("All tools"),
            key="all_tools",
            icon=":material/arrow_back:",
            on_click=tool_list.open_tool,
            args=("",),
        )
    st.html(_format_heading(row))
    is_served = tool_list.is_served(row)
    if not is_served:
        _draw_missing(row)
    tool_form.fill_from_address(row)
    with failures.show_failures():
        with st.container(key=f"form_of_{row.name}"):
            arguments = tool_form.draw(row, idle=not is_served or tool_call.is_under_way(row.name))
        # A second press can come before the button is disabled.
        if arguments is not None and not tool_call.is_under_way(row.name):
            tool_form.write_address(row, arguments)
            tool_call.start_call(row.name, arguments)
            if tool_call.is_under_way(row.name):
                st.rerun()
    with st.container(key="answer"):
        _draw_answer(row)


def _format_heading(row: Tool) -> str:
    """Return the tool's label, wire name and purpose, with its description folded. HTML."""
    description = escape_with_code(describe_tool(row)[0], MAX_DESCRIPTION)
    return (
        f'<h2 class="tool" tabindex="-1">{escape_line(get_tool_label(row))}'
        f" <code>{escape_line(row.name)}</code></h2>"
        f'<div class="purpose"><p>{escape_line(get_tool_purpose(row))}</p>'
        f"<details><summary>{escape_line(_('Full description'))}</summary>"
        f"<p>{description}</p></details></div>"
    )


def _draw_missing(row: Tool) -> None:
    options = list_required_settings(row)
    st.warning(
        _(
            "{needs} The administrator adds the following to the file .env beside run.py and"
            " restarts Assay."
        ).format(needs=tool_list.describe_missing(row)),
        icon=":material/key:",
    )
    names = options[0].split(" and ") if options else []
    lines = [name if "=" in name else f"{name}=…" for name in names]
    st.code("\n".join(lines), language=None)
    if len(options) > 1:
        st.caption(
            _("Any one of these: {names}.").format(names=clean_for_screen(join_list(options), 300))
        )


def _draw_answer(row: Tool) -> None:
    tool_call.follow_call(row.name)
    if tool_call.is_under_way(row.name):
        return
    with failures.show_failures():
        called = tool_call.take_result(row.name)
        if called is None:
            st.caption(_("Results appear here."))
            return
        results.draw(row.name, called)
        add_to_session.draw_box(row.name, called)


draw()
