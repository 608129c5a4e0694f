"""Add documents to a library: dropped files, web pages, or a folder on this machine.

The import runs in the background; its result says of each file what became of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import streamlit as st

from parts.library import semantic_index
from parts.shared import current_user, failures, jobs
from parts.shared.badges import Badge
from parts.shared.html_text import escape_line
from research_core.errors import UsageError
from research_core.i18n import N_, _, ngettext
from research_core.web.failure_texts import translate_failure
from research_core.wiring import default_resources, make_page_reader

JOB_KEY, TARGET_KEY = "import", "import_into"
#: Badge of each `importing.FileResult.state`.
IMPORT_BADGES = {
    "added": Badge("✓", N_("added"), "green"),
    "replaced": Badge("✓", N_("replaces the older one"), "green"),
    "unchanged": Badge("=", N_("already here"), "gray"),
    "repeated": Badge("=", N_("same as another"), "gray"),
    "taken": Badge("⊘", N_("address in use"), "orange"),
    "left": Badge("–", N_("left out"), "gray"),
    "empty": Badge("○", N_("empty"), "gray"),
    "refused": Badge("⊘", N_("not accepted"), "red"),
    "failed": Badge("!", N_("not readable"), "orange"),
}
MAX_FILES = 200
MAX_MISSING = 12
#: Headers that a proxy adds to the requests it forwards.
FORWARDED_HEADERS = frozenset({"forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"})
FILE_KINDS_NOTE = N_("PDF, Word, PowerPoint, HTML, text, data files, ZIP or WARC.")
OWNERSHIP_NOTE = N_(
    "Saved pages count as your own documents. Pages added from the web keep their addresses."
)
LOCAL_ONLY_NOTE = N_("Only available when Assay runs on this computer without sign-in.")


def draw(name: str) -> None:
    """Draw the upload box, the import's progress, and the result of the last import.

    The box takes every file type, so that refused files get a line with a reason too.
    """
    library = default_resources().library(current_user.current_principal())
    round = st.session_state.setdefault("drops", 0)
    with st.container(horizontal=True, vertical_alignment="bottom", key="drop"):
        files = st.file_uploader(
            _("Add documents"),
            width=640,
            key=f"drop_{round}",
            accept_multiple_files=True,
            disabled=jobs.is_under_way(JOB_KEY),
            help=f"{_(FILE_KINDS_NOTE)} {_(OWNERSHIP_NOTE)}",
        )
        with st.popover(_("From the web"), key=f"from_web_{round}", icon=":material/language:"):
            _draw_web_pages(name)
        with st.popover(_("From a folder"), key=f"from_folder_{round}", icon=":material/folder:"):
            _draw_folder(name)
    if files:
        # The box hands the files over on every redraw, until its key changes.
        sent = [(file.name, file.getvalue()) for file in files]
        _start_import(
            name, lambda report_progress: library.add_uploads(sent, name, report_progress)
        )
    jobs.follow_jobs(JOB_KEY, semantic_index.JOB_KEY)
    semantic_index.draw_stop()
    with failures.show_failures():
        added = jobs.take_result(JOB_KEY)
        if added:
            _index_added(added)
            with st.container(key="taken"):
                _draw_result(added)
                _draw_missing(added, _target_library())
                st.button(
                    _("Close list"),
                    key="close_taken",
                    type="tertiary",
                    on_click=jobs.forget_job,
                    args=(JOB_KEY,),
                )


def _draw_result(added: Any) -> None:
    """Draw the counts, and a line for each file, failures first."""
    first = added.sentence().splitlines()[0]
    files = sorted(added.files, key=lambda file: (not file.reason, file.state == "left"))
    rows = "".join(map(_format_file, files[:MAX_FILES]))
    st.html(
        f'<p role="status">{escape_line(first)}</p><ul class="taken" tabindex="0"'
        f' aria-label="{escape_line(_("Result for each file"))}">'
        f"{rows}{_format_more(len(files) - MAX_FILES)}</ul>"
    )


def _format_file(file: Any) -> str:
    badge = IMPORT_BADGES[file.state]
    return (
        f"<li>{badge._replace(word=_(badge.word)).html} {escape_line(file.name, 120)}"
        f" <span>{escape_line(translate_failure(file.reason), 300)}</span></li>"
    )


def _format_more(count: int) -> str:
    """Return a last line for what a list does not name, "" for nothing. HTML."""
    if count <= 0:
        return ""
    return f"<li>{escape_line(_('{count} more').format(count=f'{count:,}'))}</li>"


def _draw_missing(added: Any, name: str) -> None:
    """List documents whose files have left the folder, and offer to remove them."""
    if not added.missing_files:
        return
    places = "".join(
        f"<li>{escape_line(place, 200)}</li>" for _, place in added.missing_files[:MAX_MISSING]
    )
    places += _format_more(len(added.missing_files) - MAX_MISSING)
    st.html(
        f'<p role="status">{escape_line(added.describe_missing_files())}</p><ul class="taken"'
        f' tabindex="0" aria-label="{escape_line(_("No longer in the folder"))}">{places}</ul>'
    )
    count = len(added.missing_files)
    if st.button(
        ngettext("Remove {count} document", "Remove {count} documents", count).format(count=count),
        key="prune",
        icon=":material/delete:",
    ):
        with failures.show_failures():
            library = default_resources().library(current_user.current_principal())
            library.remove(name, [url for url, _ in added.missing_files])
            jobs.forget_job(JOB_KEY)
            st.rerun()


def _start_import(name: str, work: Callable[[jobs.OnProgress], Any]) -> None:
    st.session_state[TARGET_KEY] = name
    # New widget keys give an empty upload box and close the popovers.
    st.session_state["drops"] += 1
    jobs.start_job(JOB_KEY, _("Reading"), work)
    st.rerun()


def _target_library() -> str:
    """Return the library of the last import; another one may be on screen by now."""
    return str(st.session_state[TARGET_KEY])


def _index_added(added: Any) -> None:
    """Start indexing what was just added, once."""
    if st.session_state.get("meant") is not added:
        st.session_state["meant"] = added
        semantic_index.start_indexing(_target_library())
        if jobs.is_under_way(semantic_index.JOB_KEY):
            st.rerun()


def _draw_web_pages(name: str) -> None:
    with st.form("pages_form", border=False, clear_on_submit=True):
        given = st.text_area(
            _("Addresses, one per line"),
            key="addresses",
            height=140,
            width=440,
            placeholder="https://example.org/a-page",
        )
        is_busy = jobs.is_under_way(JOB_KEY)
        pressed = st.form_submit_button(_("Add pages"), key="add_pages", disabled=is_busy)
        # A press can come before the browser has heard that the button is disabled.
        if not pressed or is_busy:
            return
    with failures.show_failures():
        addresses = given.splitlines()
        if not given.strip():
            raise UsageError(
                _("No address was given."), next_step=_("Enter one or more, one per line.")
            )
        library = default_resources().library(current_user.current_principal())
        read = make_page_reader(default_resources(), current_user.current_principal())
        _start_import(
            name, lambda report_progress: library.add_pages(addresses, name, read, report_progress)
        )


def _draw_folder(name: str) -> None:
    if not is_on_this_machine():
        st.caption(_(LOCAL_ONLY_NOTE))
        return
    with st.form("folder_form", border=False):
        path = st.text_input(
            _("Folder or file"),
            key="folder",
            placeholder="/home/me/papers",
            help=_("The full path on this computer."),
            width=380,
        ).strip()
        is_busy = jobs.is_under_way(JOB_KEY)
        if (
            not st.form_submit_button(_("Add folder"), key="add_folder", disabled=is_busy)
            or is_busy
        ):
            return
    with failures.show_failures():
        library = default_resources().library(current_user.current_principal())
        _start_import(name, partial(library.add, resolve_path(path), name))


def resolve_path(path: str) -> Path:
    """Return the file or folder at a typed path. Raises UsageError if there is none."""
    # Names that are too long, unknown users and zero bytes raise.
    with suppress(OSError, RuntimeError, ValueError):
        found = Path(path).expanduser()
        if path and found.exists():
            return found
    raise UsageError(
        _("There is no file or folder at this path."),
        next_step=_("Enter the full path, as a terminal shows it."),
    )


def is_on_this_machine() -> bool:
    """Return True if the current user sits at this machine and nobody else can connect."""
    return not current_user.requires_sign_in() and is_local_address(
        st.get_option("server.address") or "", st.context.headers
    )


def is_local_address(address: str, headers: Iterable[str]) -> bool:
    """Return True if the app listens on loopback only and no proxy forwards to it.

    headers: the names of the request's headers.
    """
    is_forwarded = not FORWARDED_HEADERS.isdisjoint(name.lower() for name in headers)
    return (address == "localhost" or _is_loopback(address)) and not is_forwarded


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
