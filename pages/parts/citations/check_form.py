"""What is to be checked: a pasted list, a file or a session's sources; its check, which goes on
while the screen is left, and its end.
"""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from parts.citations import linter
from parts.shared import current_user, failures, jobs
from parts.tools import tool_call
from research_core.export import bibliography_job
from research_core.export.bibliography_job import Asked
from research_core.model_messages import Json
from research_core.sessions import runner
from research_core.text.words import plain
from research_core.tools.audit_bibliography import MOST
from research_core.wiring import default_office

TOOL = "audit_bibliography"
ASKED = "citations asked"
#: Sessions that are offered by name.
OFFERED = 20
FILES = ["bib", "ris", "json", "txt", "nbib", "enw", "ciw", "md"]
EXAMPLE = """Kucsko, G., et al. (2013). Nanometre-scale thermometry in a living cell. Nature, 500, 54-58. https://doi.org/10.1038/nature12373
Wakefield, A. J., et al. (1998). Ileal-lymphoid-nodular hyperplasia. The Lancet, 351, 637-641. https://doi.org/10.1016/S0140-6736(97)11096-0
Varghese v. China Southern Airlines Co., 925 F.3d 1339 (11th Cir. 2019)
Doe, J. (2019). A study that nobody made. Journal of Examples, 1, 1-9. https://doi.org/10.9999/made.up.2019
"""


def form() -> None:
    """The ways in."""
    with failures.shown():
        pasted, sessions, reports = st.tabs(["A list", "A session's sources", "A report's marks"])
        with pasted:
            _pasted()
        with sessions:
            _sessions()
        with reports:
            linter.draw()


def _pasted() -> None:
    st.text_area(
        "References, one a line, or BibTeX, RIS, CSL-JSON …", key="references", height=220,
        max_chars=2_000_000,
        placeholder="Doe, J. (2020). On tides. Seas, 4, 12-19. https://doi.org/10.…",
    )  # fmt: skip
    file = st.file_uploader("Or a file", type=FILES, key="references_file")
    with st.container(horizontal=True):
        st.button(
            "Check",
            key="check",
            type="primary",
            icon=":material/fact_check:",
            on_click=_check_text,
            args=(file,),
        )
        st.button("Put an example there", key="example", on_click=_put_example)
    st.caption(f"Registries and the sites of the links are asked; up to {MOST} works at a time.")


def _put_example() -> None:
    st.session_state["references"] = EXAMPLE


def _sessions() -> None:
    infos = runner.sessions(default_office(), who=current_user.who(), limit=OFFERED)
    names = {info.row.id: plain(info.row.title or info.row.question, 90) for info in infos}
    here = st.session_state.get("session")
    if here and here not in names:
        names = {here: "The session of this address", **names}
    if not names:
        st.caption("There is no session yet.")
        st.page_link("ask.py", label="Ask a question")
        return
    ids = list(names)
    chosen = st.selectbox(
        "Session",
        ids,
        index=ids.index(here) if here in ids else 0,
        format_func=names.__getitem__,
        key="session_to_check",
    )
    st.button(
        "Check its sources",
        key="check_session",
        type="primary",
        icon=":material/fact_check:",
        on_click=_check_session,
        args=(chosen,),
    )


def _check_text(file: UploadedFile | None) -> None:
    with failures.kept():
        if file is not None:
            text = file.getvalue().decode("utf-8-sig", "replace")
            begin(bibliography_job.of_text(text, file.name))
        else:
            begin(bibliography_job.of_text(st.session_state.get("references", "")))


def _check_session(session: str) -> None:
    with failures.kept():
        begin(bibliography_job.of_session(default_office(), session, who=current_user.who()))


def begin(asked: Asked) -> None:
    """Start a check in place of the one before."""
    st.session_state[ASKED] = asked
    tool_call.start(TOOL, asked.arguments)


def follow() -> None:
    tool_call.follow(TOOL)


def under_way() -> bool:
    return ASKED in st.session_state and tool_call.under_way(TOOL)


def came() -> tuple[Asked, Json] | None:
    """What was asked and answered; None where nothing was, or it failed, which is said."""
    asked = st.session_state.get(ASKED)
    called = tool_call.came(TOOL) if asked is not None else None
    if asked is None or called is None or called.asked != asked.arguments:
        return None
    if called.served is None:
        st.info("The check was stopped. Nothing of it was kept.")
        return None
    if called.served.error is not None:
        failures.say(called.served.error.message, called.served.error.next_step)
        return None
    return asked, called.served.answer or {}


def leave() -> None:
    """Go back to the ways in."""
    st.session_state.pop(ASKED, None)
    jobs.forget(f"call {TOOL}")
