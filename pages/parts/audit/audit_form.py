"""Give a report (pasted, a file, or a document of a library) and start its check."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from parts.shared import current_user, search_places, session_state
from parts.shared.wording import format_library, label_model
from research_core.citations import report_text
from research_core.citations.cited_report import MAX_REPORT_CHARS
from research_core.errors import UsageError
from research_core.i18n import N_, _
from research_core.policy import OFFLINE_MODEL, SAMPLE_LIBRARY, RunSettings
from research_core.sessions import audits, run_defaults, workers
from research_core.sessions.audits import AuditRequest
from research_core.text.words import clean_for_choice, escape_markdown
from research_core.wiring import default_resources

FILE_TYPES = ["md", "txt", "html", "htm", "docx", "pdf"]
#: A report to try; its text is data and stays as it is in every language.
EXAMPLE = Path(__file__).with_name("example.md")
#: Where cited pages are read, by the name of the choice.
PLACES = {
    "web": N_("Web"),
    "both": N_("Library, then web"),
    "library": N_("Library only"),
}
TEXT_KEY = "report_to_check"


def draw() -> None:
    """Draw the ways to give a report, and the button that starts the check."""
    st.text_area(
        _("Report with its links, footnotes or list of sources"),
        key=TEXT_KEY,
        height=260,
        max_chars=MAX_REPORT_CHARS,
        placeholder=_("Paste the whole text here, with its list of sources."),
        persist_state="session",
    )
    file = st.file_uploader(
        _("Or upload a file"),
        type=FILE_TYPES,
        max_upload_size=report_text.MAX_REPORT_BYTES // 1_000_000,
        key="report_file",
    )
    document = _draw_documents()
    with st.container(horizontal=True, vertical_alignment="bottom", key="start_audit"):
        place, library = _draw_places()
        go = st.button(
            _("Check report"),
            key="audit",
            type="primary",
            icon=":material/fact_check:",
        )
        st.button(_("Use example"), key="audit_example", on_click=_put_example)
    search_places.warn_if_offline(
        _("No internet connection: cited pages cannot be read from the web.")
    )
    caption = st.container()
    model = _draw_model()
    caption.caption(_describe_requests(model))
    if not go:
        return
    if file is not None:
        name, text = file.name, report_text.read_report(file.getvalue(), file.name)
    elif document:
        who = current_user.current_principal()
        name = document
        # The documents on offer are those of this library, whatever library has the cited pages.
        text = audits.read_report_at(default_resources(), document, run_defaults.OWN, who=who)
    else:
        name, text = "", st.session_state[TEXT_KEY]
    _start(AuditRequest(name, library, place == "library", _choose_model(model)), text)


def _draw_documents() -> str:
    """Offer the documents of the user's library; return the address of the chosen one, or ""."""
    resources, who = default_resources(), current_user.current_principal()
    documents = resources.library(who).list_documents(run_defaults.OWN)
    if not documents:
        return ""
    titles = {row["url"]: clean_for_choice(row["title"] or row["url"], 90) for row in documents}
    chosen = st.selectbox(
        _("Or choose a document of your library"),
        list(titles),
        index=None,
        format_func=titles.__getitem__,
        key="report_document",
        placeholder=_("None"),
    )
    return chosen or ""


def _draw_places() -> tuple[str, str]:
    """Draw where cited pages are read; return the choice and the name of the library, or ""."""
    resources, who = default_resources(), current_user.current_principal()
    places = run_defaults.find_places(resources, who=who, look=search_places.is_web_reachable)
    reachable = search_places.is_web_reachable()
    st.session_state.setdefault("audit_place", "web" if reachable else "library")
    st.segmented_control(
        _("Read cited pages from"),
        list(PLACES),
        key="audit_place",
        format_func=_describe_place,
        required=True,
        persist_state="session",
    )
    place: str = st.session_state["audit_place"]
    if place == "web":
        return place, ""
    documents = dict(places.libraries)
    names = [*documents, SAMPLE_LIBRARY]
    if st.session_state.get("audit_library") not in names:
        st.session_state["audit_library"] = names[0]
    labels = {name: format_library(name, documents.get(name)) for name in names}
    library = st.selectbox(
        _("Library"),
        names,
        key="audit_library",
        format_func=labels.__getitem__,
        persist_state="session",
    )
    return place, str(library)


def _describe_place(name: str) -> str:
    return _(PLACES[name])


def _draw_model() -> str:
    """Offer a language model for doubtful sentences, if there is one."""
    models = run_defaults.list_models(default_resources())
    if len(models) < 2:
        return OFFLINE_MODEL
    with st.expander(_("Advanced"), key="audit_advanced"):
        return st.selectbox(
            _("Model for doubtful sentences"),
            [OFFLINE_MODEL, *(name for name in models if name != OFFLINE_MODEL)],
            key="audit_model",
            format_func=label_model,
            help=_(
                "The model must quote the source. Assay compares the quotation with the"
                " stored page."
            ),
        )


def _describe_requests(model: str) -> str:
    """Say which requests the check makes with this model."""
    if model == OFFLINE_MODEL:
        return _("Each cited address is read once. Nothing is sent to a language model.")
    return _(
        "Each cited address is read once. Doubtful sentences and their passages are sent to {model}."
    ).format(model=escape_markdown(model))


def _choose_model(model: str) -> RunSettings:
    if model == OFFLINE_MODEL:
        return RunSettings()
    return run_defaults.choose_models(RunSettings(), default_resources().settings, model)


def _put_example() -> None:
    """Fill in a report on pages of the sample library, which needs no web."""
    default_resources().library(current_user.current_principal()).prepare(SAMPLE_LIBRARY)
    st.session_state.update(
        {
            TEXT_KEY: EXAMPLE.read_text(encoding="utf-8"),
            "audit_place": "library",
            "audit_library": SAMPLE_LIBRARY,
        }
    )


def _start(request: AuditRequest, text: str) -> None:
    """Store the session, put it into the queue, and show its progress."""
    if not text.strip():
        raise UsageError(
            _("The report is empty."), next_step=_("Paste its text, or choose another file.")
        )
    resources, who = default_resources(), current_user.current_principal()
    session = audits.new_audit(resources, text, request, who=who)
    workers.get_engine(resources).enqueue(session, who=who)
    session_state.watch_to_the_end(session)
    st.switch_page("live.py", query_params={"session": session})
