"""Draw a session as a row of a list: name, outcome, time and cost."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from parts.shared import session_header
from parts.shared.badges import OUTCOME_BADGES
from parts.shared.html_text import escape_line
from parts.shared.wording import (
    describe_session_places,
    format_ago,
    format_cost,
    format_moment,
    format_seconds,
)
from research_core.i18n import _, ngettext
from research_core.policy import Tally
from research_core.sessions import retention, session_list
from research_core.sessions.session_status import SessionInfo
from research_core.text.words import clean_for_screen
from research_core.wiring import default_resources

FINAL_PAGES = {"done": "report.py"}  # any other status opens Activity


def tick_key(info: SessionInfo) -> str:
    """Return the widget key of the checkbox that selects this row."""
    return f"tick_{info.row.id}"


def draw_row(info: SessionInfo, took: Tally | None) -> None:
    """Draw one row. A deleted session cannot be opened, so its name is not a link."""
    name = clean_for_screen(session_list.get_name(info.row), 200)
    with st.container(key=f"session_{info.row.id}", horizontal=True, gap="small"):
        st.checkbox(
            _("Select {name}").format(name=name),
            key=tick_key(info),
            label_visibility="collapsed",
            width="content",
        )
        with st.container(gap=None):
            if info.row.deleted is None:
                st.page_link(
                    FINAL_PAGES.get(info.status, "live.py"),
                    label=name,
                    query_params={"session": info.row.id},
                )
            else:
                st.markdown(name)
            st.html(_format_facts(info, took))


def _format_facts(info: SessionInfo, took: Tally | None) -> str:
    question = ""
    if info.row.title:
        question = f'<p class="facts asked">{escape_line(info.row.question, 200)}</p>'
    ended = f'<span class="ended">{OUTCOME_BADGES[session_list.get_state(info)].html}</span>'
    facts = "".join(f'<span class="{kind}">{fact}</span>' for kind, fact in _list_facts(info, took))
    origin = session_header.format_origin(info)
    if origin:
        origin = f"<span>{origin}</span>"
    tags = " ".join(f'<span class="tag">{escape_line(tag, 40)}</span>' for tag in info.row.tags)
    return f'{question}<p class="facts columns">{ended}{facts}{origin}{tags}</p>'


def _list_facts(info: SessionInfo, took: Tally | None) -> Iterator[tuple[str, str]]:
    """Yield each fact with its column."""
    row = info.row
    if row.deleted is not None:
        resources = default_resources()
        until = row.deleted + retention.get_restorable_s(resources)
        left = format_ago(until - resources.clock.now())
        deleted = _("deleted {moment} · can be restored for {time}").format(
            moment=format_moment(row.deleted), time=left
        )
        yield "gone", escape_line(deleted)
    yield "mode", escape_line(_(row.settings["mode"]))
    yield "when", escape_line(format_moment(row.created))
    yield "took", format_seconds(took.seconds) if took else ""
    calls = ""
    if took:
        calls = ngettext("{count:,} call", "{count:,} calls", took.calls).format(count=took.calls)
    yield "calls", calls
    yield "cost", format_cost(took.cost) if took else ""
    yield "where", escape_line(describe_session_places(info))
