"""Try each research tool by hand: a list, a form, the answer, and the way into a session.

The address can name a tool and fill its form: ?tool=web_search&query=WORDS. It runs nothing.
"""

from __future__ import annotations

import streamlit as st

from parts.shared import failures
from parts.shared.html_text import escape_with_code
from parts.tools import add_to_session, results, tool_call, tool_form, tool_list
from research_core.text.words import clean_for_screen
from research_core.tools.groups import describe_tool, list_required_settings
from research_core.tools.registry import Tool

INTRODUCTION = (
    "Each tool asks one kind of source and answers at once: no plan, no gate, no report. Try one"
    " here, take its answer as JSON, or add the pages it found to a session. A model can call the"
    " same tools, in a run that lets it drive or over MCP."
)
EMPTY_NOTE = "What it answers stands here: readable, and as JSON."


def draw() -> None:
    asked = st.query_params.get("tool", "")
    row = tool_list.find_tool(asked)
    st.title("Tools", anchor=False)
    if asked and row is None:
        st.warning(f"There is no tool called “{clean_for_screen(asked, 60)}”. Choose one of these.")
    if row is None:
        st.markdown(INTRODUCTION, width=760)
        with st.container(key="tools_all"):
            tool_list.draw()
        return
    left, right = st.columns([2, 5], gap="large")
    with left, st.container(key="tools_rail"):
        tool_list.draw(row.name)
    with right:
        _draw_tool(row)


def _draw_tool(row: Tool) -> None:
    """Draw the chosen tool: purpose, form, and the last call's result."""
    with st.container(key="tools_back"):
        st.button(
            "All tools",
            key="all_tools",
            icon=":material/arrow_back:",
            on_click=tool_list.open_tool,
            args=("",),
        )
    st.header(clean_for_screen(row.name), anchor=False)
    st.html(_format_description(row))
    is_served = tool_list.is_served(row)
    if not is_served:
        _draw_missing(row)
    tool_form.fill_from_address(row)
    with failures.show_failures():
        arguments = tool_form.draw(row, idle=not is_served or tool_call.is_under_way(row.name))
        # A second press can come before the button is disabled.
        if arguments is not None and not tool_call.is_under_way(row.name):
            tool_form.write_address(row, arguments)
            tool_call.start_call(row.name, arguments)
            if tool_call.is_under_way(row.name):
                st.rerun()
    with st.container(key="answer"):
        _draw_answer(row)


def _format_description(row: Tool) -> str:
    """Return the tool's purpose in a sentence, with the rest folded. HTML."""
    first = describe_tool(row, compact=True)[0]
    whole = describe_tool(row)[0]
    rest = whole.removeprefix(first).strip()
    more = ""
    if rest == whole:  # the short description has words of its own
        first = whole
    elif rest:
        more = (
            f"<details><summary>More about it</summary><p>{escape_with_code(rest, 1_500)}</p>"
            "</details>"
        )
    return f'<div class="purpose"><p>{escape_with_code(first, 1_500)}</p>{more}</div>'


def _draw_missing(row: Tool) -> None:
    st.html(tool_list.describe_missing(row))
    options = list_required_settings(row)
    st.caption(
        "To use it, put a line like this into the file .env beside run.py, and start Assay again."
    )
    names = options[0].split(" and ") if options else []
    st.code("\n".join(f"{name}=…" for name in names), language=None)
    if len(options) > 1:
        st.caption(f"Any one of these will do: {clean_for_screen(', '.join(options), 300)}.")


def _draw_answer(row: Tool) -> None:
    tool_call.follow_call(row.name)
    if tool_call.is_under_way(row.name):
        return
    with failures.show_failures():
        called = tool_call.take_result(row.name)
        if called is None:
            st.caption(EMPTY_NOTE)
            return
        results.draw(row.name, called)
        add_to_session.draw_box(row.name, called)


draw()
