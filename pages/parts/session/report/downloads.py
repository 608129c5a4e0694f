"""Offer the report as Markdown and other formats, each made only when it is clicked.

Streamlit makes the file in another thread, whose failure nobody would see. Whatever can fail is
therefore done before; a page that is gone by then is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import streamlit as st

from parts.shared import current_user
from research_core import export
from research_core.export import ExportFormat, web_archive
from research_core.i18n import _
from research_core.models import Principal, Report
from research_core.sessions import captures, model_requests, session_status
from research_core.sessions import snapshot as snapshots
from research_core.sessions.snapshot import Snapshot
from research_core.wiring import Resources, default_resources


def draw_row(
    snapshot: Snapshot,
    built: Report,
    *,
    draw_first: Callable[[], None] | None = None,
    replaced: Collection[str] = (),
) -> None:
    """Draw the download buttons, which neither rerun nor scroll the screen.

    draw_first: draws further buttons above them; replaced: names of the formats that these are for.
    """
    # Markdown has a button of its own beside them.
    others = [each for each in export.list_formats(built)[1:] if each.name not in replaced]
    make = _make_export(
        default_resources(), snapshot.session, built, current_user.current_principal()
    )
    purposes = _describe_formats(snapshot.session, snapshot.seq, built)
    with (
        st.popover(
            _("Download"),
            icon=":material/download:",
            key="download_menu",
            help=_("Word, PDF, web page, data"),
        ),
        st.container(gap="xxsmall"),
    ):
        if draw_first is not None:
            draw_first()
        for each in others:
            with st.container(horizontal=True, vertical_alignment="center", wrap=False):
                _draw_button(
                    each,
                    _(each.label),
                    built,
                    partial(make, each),
                    key=f"download_{each.name}",
                    width=BUTTON_WIDTH,
                )
                st.caption(purposes[each.name])
        _draw_web_archive(snapshot, built)
        _draw_digest(snapshot, make)


def _draw_web_archive(snapshot: Snapshot, built: Report) -> None:
    """Offer the pages as they were received, if the report has any."""
    if not web_archive.has_captures(built):
        return
    resources = default_resources()
    who = current_user.current_principal()
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.download_button(
            _("Web archive"),
            lambda: web_archive.pack_captures(
                built, captures.iterate_captures(resources, snapshot.session, who=who)
            ),
            file_name=export.make_file_name(built, ".warc.gz"),
            mime="application/warc",
            on_click="ignore",
            key="download_warc",
            width=BUTTON_WIDTH,
        )
        st.caption(_("Pages as received (WARC)."))


def _draw_digest(snapshot: Snapshot, make: Callable[[ExportFormat], bytes]) -> None:
    """Show the evidence pack's digest on request, since it takes the whole pack."""
    if st.session_state.get("digest_of") != snapshot.session:
        st.button(
            _("Fingerprint of evidence pack"),
            icon=":material/fingerprint:",
            key="pack_digest",
            on_click=st.session_state.update,
            args=({"digest_of": snapshot.session},),
        )
        st.caption(_("Shows later whether somebody changed a copy of the pack."))
        return
    st.caption(_("Keep a copy of it. `python3 check.py --digest` in the pack compares it."))
    st.code(_compute_digest(snapshot.session, snapshot.seq, make), language=None, wrap_lines=True)


@st.cache_data(max_entries=32, show_spinner=False)
def _compute_digest(session: str, seq: int, _make: Callable[[ExportFormat], bytes]) -> str:
    """Compute the digest; cached while the session is unchanged."""
    return export.compute_pack_digest(_make(export.FORMATS["zip"]))


BUTTON_WIDTH = 130  # pixels, enough for the longest label


def _draw_button(
    each: ExportFormat, label: str, built: Report, make: Callable[[], bytes], **look: Any
) -> None:
    name = export.make_file_name(built, each.suffix)
    st.download_button(label, make, file_name=name, mime=each.mime, on_click="ignore", **look)


@st.cache_data(max_entries=32, show_spinner=False)
def _describe_formats(session: str, seq: int, _built: Report) -> dict[str, str]:
    """Return a description by format name; cached, since it reads all the words of the PDF."""
    return {each.name: _describe_format(each, _built) for each in export.list_formats(_built)}


def _describe_format(each: ExportFormat, built: Report) -> str:
    """Return what a format is good for, and what this machine's PDF would lack."""
    lack = export.describe_unprintable(built) if each.name == "pdf" else ""
    return f"{_(each.purpose)}. {lack}".rstrip()


def _make_export(
    resources: Resources, session: str, built: Report, who: Principal
) -> Callable[[ExportFormat], bytes]:
    """Return a function that makes a format's bytes. Markdown is returned as it was stored."""
    stored = session_status.read_stored_report(resources, session, who=who)

    def make(each: ExportFormat) -> bytes:
        if each.name == "md" and stored:
            return stored.encode("utf-8", "replace")
        pages = partial(snapshots.read_page_text, resources, who=who)
        return export.build_file(
            each, built, pages, lambda: model_requests.list_requests(resources, session, who=who)
        )

    return make
