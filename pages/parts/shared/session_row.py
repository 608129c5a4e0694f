"""A session as a row of a list: its name as the link to where there is most to see, how it ended,
and what it took.
"""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from parts.shared import session_header
from parts.shared.badges import STATE
from parts.shared.html_text import markup
from parts.shared.wording import ago, cost, searched, tenths, when
from research_core.sessions import catalogue, retention
from research_core.sessions.catalogue import Figures
from research_core.sessions.runner import SessionInfo
from research_core.text.words import plain
from research_core.wiring import default_office

PAGES = {"done": "report.py"}  # any other state is best seen on Live


def tick(info: SessionInfo) -> str:
    """The key of the box that selects this row."""
    return f"tick_{info.row.id}"


def row(info: SessionInfo, took: Figures | None) -> None:
    """One row. What is deleted cannot be opened, so that its name is no link."""
    name = plain(catalogue.name(info.row), 200)
    with st.container(key=f"session_{info.row.id}", horizontal=True, gap="small"):
        st.checkbox(f"Select {name}", key=tick(info), label_visibility="collapsed", width="content")
        with st.container(gap=None):
            if info.row.deleted is None:
                st.page_link(
                    PAGES.get(info.status, "live.py"),
                    label=name,
                    query_params={"session": info.row.id},
                )
            else:
                st.markdown(name)
            st.html(_facts(info, took))


def _facts(info: SessionInfo, took: Figures | None) -> str:
    facts = "".join(f'<span class="{kind}">{fact}</span>' for kind, fact in _told(info, took))
    tags = " ".join(f'<span class="tag">{markup(tag, 40)}</span>' for tag in info.row.tags)
    asked = f'<p class="facts asked">{markup(info.row.question, 200)}</p>' if info.row.title else ""
    ended = f'<span class="ended">{STATE[catalogue.state(info)].html}</span>'
    came = f"<span>{badge}</span>" if (badge := session_header.origin(info)) else ""
    return f'{asked}<p class="facts columns">{ended}{facts}{came}{tags}</p>'


def _told(info: SessionInfo, took: Figures | None) -> Iterator[tuple[str, str]]:
    """Each fact with the column it stands in."""
    row = info.row
    if row.deleted is not None:
        left = row.deleted + retention.restorable_s(default_office()) - default_office().clock.now()
        yield "gone", markup(f"deleted {when(row.deleted)} · can be restored for {ago(left)}")
    yield "mode", markup(row.settings["mode"])
    yield "when", markup(when(row.created))
    yield "took", tenths(took.seconds) if took else ""
    yield "calls", f"{took.calls} calls" if took else ""
    yield "cost", cost(took.cost) if took else ""
    yield "where", markup(searched(row.settings))
