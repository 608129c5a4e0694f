"""Choose a bibliography (pasted, file or session) and run its check in the background."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from parts.citations import linter
from parts.shared import current_user, failures, jobs, search_places
from parts.tools import tool_call
from research_core.export import bibliography_check
from research_core.export.bibliography_check import BibliographyRequest
from research_core.i18n import _
from research_core.model_messages import Json
from research_core.sessions import session_status
from research_core.text.words import clean_for_choice
from research_core.tools.audit_bibliography import MAX_DOCUMENT_CHARACTERS, MAX_ENTRIES
from research_core.wiring import default_resources

TOOL = "audit_bibliography"
ASKED_KEY = "citations_asked"
#: The answer for the first works of a list that takes several calls.
PART_KEY = "citations_part"
#: Number of sessions offered by name.
MAX_SESSIONS = 20
FILE_TYPES = ["bib", "ris", "json", "txt", "nbib", "enw", "ciw", "md"]
#: References in the forms that people paste; they are data and stay as they are in every language.
EXAMPLES = Path(__file__).with_name("examples.txt")
EXAMPLE_REFERENCE = "Doe, J. (2020). …"


def draw_form() -> None:
    """Draw the ways to give a bibliography."""
    with failures.show_failures():
        pasted, sessions, reports = st.tabs(
            [_("References"), _("Session sources"), _("Report text")]
        )
        with pasted:
            _draw_pasted()
        with sessions:
            _draw_sessions()
        with reports:
            linter.draw()


def _draw_pasted() -> None:
    st.text_area(
        _("References, one per line, or BibTeX, RIS, CSL-JSON …"),
        key="references",
        height=220,
        max_chars=MAX_DOCUMENT_CHARACTERS,
        placeholder=EXAMPLE_REFERENCE,
    )
    file = st.file_uploader(_("Or upload a file"), type=FILE_TYPES, key="references_file")
    _warn_if_offline()
    with st.container(horizontal=True):
        st.button(
            _("Check"),
            key="check",
            type="primary",
            icon=":material/fact_check:",
            on_click=_check_text,
            args=(file,),
        )
        st.button(_("Use example"), key="example", on_click=_put_example)
    st.caption(
        _("Asks registries and the linked sites. Up to {count} references at a time.").format(
            count=MAX_ENTRIES
        )
    )


def _warn_if_offline() -> None:
    search_places.warn_if_offline(_("No internet connection: references cannot be looked up."))


def _put_example() -> None:
    st.session_state["references"] = EXAMPLES.read_text(encoding="utf-8")


def _draw_sessions() -> None:
    infos = session_status.list_sessions(
        default_resources(), who=current_user.current_principal(), limit=MAX_SESSIONS
    )
    names = {
        info.row.id: clean_for_choice(info.row.title or info.row.question, 90) for info in infos
    }
    current = st.session_state.get("session")
    if current and current not in names:
        names = {current: _("Session in this address"), **names}
    if not names:
        st.caption(_("No session yet."))
        st.page_link("ask.py", label=_("Ask a question"))
        return
    ids = list(names)
    chosen = st.selectbox(
        _("Session"),
        ids,
        index=ids.index(current) if current in ids else 0,
        format_func=names.__getitem__,
        key="session_to_check",
    )
    st.button(
        _("Check sources"),
        key="check_session",
        type="primary",
        icon=":material/fact_check:",
        on_click=_check_session,
        args=(chosen,),
    )


def _check_text(file: UploadedFile | None) -> None:
    with failures.keep_failures():
        if file is not None:
            text = file.getvalue().decode("utf-8-sig", "replace")
            start_check(bibliography_check.request_from_text(text, file.name))
        else:
            start_check(
                bibliography_check.request_from_text(st.session_state.get("references", ""))
            )


def _check_session(session: str) -> None:
    with failures.keep_failures():
        start_check(
            bibliography_check.request_from_session(
                default_resources(), session, who=current_user.current_principal()
            )
        )


def start_check(request: BibliographyRequest) -> None:
    """Start a check, replacing the previous one."""
    st.session_state.pop(PART_KEY, None)
    _start_call(request)


def continue_check(request: BibliographyRequest, answer: Json) -> None:
    """Start the check of the works that the answer leaves out."""
    st.session_state[PART_KEY] = answer
    _start_call(bibliography_check.request_rest(request, len(answer["entries"])))


def _start_call(request: BibliographyRequest) -> None:
    st.session_state[ASKED_KEY] = request
    tool_call.start_call(TOOL, request.arguments)


def follow_check() -> None:
    tool_call.follow_call(TOOL)


def is_under_way() -> bool:
    return ASKED_KEY in st.session_state and tool_call.is_under_way(TOOL)


def take_result() -> tuple[BibliographyRequest, Json] | None:
    """Return the request and its answer, or None if there is none or it failed (then say why)."""
    request = st.session_state.get(ASKED_KEY)
    called = tool_call.take_result(TOOL) if request is not None else None
    if request is None or called is None or called.asked != request.arguments:
        return None
    part = st.session_state.get(PART_KEY)
    if called.served is None:
        st.info(_("The check was stopped. Nothing was kept."))
        return (request, part) if part else None
    if called.served.error is not None:
        failures.draw_failure(called.served.error.message, called.served.error.next_step)
        return (request, part) if part else None
    answer = called.served.answer or {}
    return request, bibliography_check.join_answers(part, answer) if part else answer


def return_to_form() -> None:
    """Discard the result and show the form again."""
    st.session_state.pop(ASKED_KEY, None)
    st.session_state.pop(PART_KEY, None)
    jobs.forget_job(f"call {TOOL}")
