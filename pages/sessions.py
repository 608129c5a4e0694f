"""The list of research sessions, those at work first; an empty list says how to start one."""

from __future__ import annotations

import streamlit as st

from parts import watch
from parts.badges import SESSION
from parts.safe import markup
from parts.words import searched, when
from research_core import runner
from research_core.runner import SessionInfo
from research_core.text import plain
from research_core.wiring import default_office

TEACHES = """
A session is one question and all that was done to answer it: the searches, the pages, the scores, the decisions, the report. Ask a
question to start one, or use a terminal in Assay's folder:
"""
ON_A_PAGE = 25


def draw() -> None:
    st.title("Sessions", anchor=False)
    infos = runner.sessions(default_office())
    if not infos:
        _empty()
        return
    infos.sort(key=lambda info: info.status not in watch.AT_WORK)  # newest first within each
    pages = -(-len(infos) // ON_A_PAGE)
    page = st.pagination(pages, key="page") if pages > 1 else 1
    shown = infos[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]
    for info in shown:
        _row(info)
    watch.sessions({info.row.id: info.status for info in infos})


def _empty() -> None:
    st.subheader("No sessions yet", anchor=False)
    st.markdown(TEACHES, width=640)
    st.code('python3 run.py ask "…"', language="shell", width=640)
    st.page_link("ask.py", label="Ask a question", icon=":material/edit:")


def _row(info: SessionInfo) -> None:
    row = info.row
    target = "report.py" if info.status == "done" else "live.py"
    facts = f"{row.settings['mode']} mode · {searched(row.settings)} · {when(row.created)}"
    with st.container(key=f"session_{row.id}", gap=None):
        st.page_link(target, label=plain(row.question, 200), query_params={"session": row.id})
        st.html(f'<p class="facts">{SESSION[info.status].html} {markup(facts)}</p>')


draw()
