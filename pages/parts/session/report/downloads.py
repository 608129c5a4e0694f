"""The report to take away: Markdown as a button, the other formats behind one more. Nothing is made
before it is clicked.

The server makes a file in a thread of its own, whose failure nobody would see. So what can fail is
done here, before; a page that is gone by then is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from parts.shared import current_user
from research_core import export
from research_core.export import ExportFormat, captured
from research_core.models import Principal, Report
from research_core.sessions import model_requests, reading, runner
from research_core.sessions.reading import Reading
from research_core.wiring import Resources, default_resources


def draw_row(shown: Reading, built: Report) -> None:
    """The buttons; a download neither reruns the screen nor moves it."""
    first, *others = export.list_formats(built)
    make = _make_export(default_resources(), shown.session, built, current_user.current_principal())
    purposes = _describe_formats(shown.session, shown.seq, built)
    with st.container(horizontal=True, width="content", key="downloads"):
        _draw_button(
            first,
            f"Download {first.label}",
            built,
            partial(make, first),
            key="download",
            type="primary",
        )
        with (
            st.popover("More formats", icon=":material/download:", key="more_formats"),
            st.container(gap="xxsmall"),
        ):
            for each in others:
                with st.container(horizontal=True, vertical_alignment="center", wrap=False):
                    _draw_button(
                        each,
                        each.label,
                        built,
                        partial(make, each),
                        key=f"download_{each.name}",
                        width=BUTTON_WIDTH,
                    )
                    st.caption(purposes[each.name])
            _draw_web_archive(shown, built)
            _draw_digest(shown, make)


def _draw_web_archive(shown: Reading, built: Report) -> None:
    """The pages as they were answered, where the report has any."""
    if not captured.has_captures(built):
        return
    office, who = default_resources(), current_user.current_principal()
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.download_button(
            "Web archive",
            lambda: captured.pack_captures(built, reading.iterate_captures(office, shown.session, who=who)),
            file_name=export.make_file_name(built, ".warc.gz"), mime="application/warc",
            on_click="ignore", key="download_warc", width=BUTTON_WIDTH,
        )  # fmt: skip
        st.caption("The pages as their servers answered (WARC), for a library and other tools.")


def _draw_digest(shown: Reading, make: Callable[[ExportFormat], bytes]) -> None:
    """By which the evidence pack is known later. It takes the whole pack, so it waits to be asked
    for.
    """
    if st.session_state.get("digest_of") != shown.session:
        why = (
            "Noted elsewhere, it tells later whether a pack is still the one you downloaded. The"
            " script in the pack compares it."
        )
        st.button(
            "Evidence pack's digest", icon=":material/fingerprint:", key="pack_digest", help=why,
            on_click=st.session_state.update, args=({"digest_of": shown.session},),
        )  # fmt: skip
        return
    st.caption(
        "The evidence pack's digest. Note it elsewhere; `python3 check.py --digest` in the pack"
        " compares it."
    )
    st.code(_compute_digest(shown.session, shown.seq, make), language=None, wrap_lines=True)


@st.cache_data(max_entries=32, show_spinner=False)
def _compute_digest(session: str, seq: int, _make: Callable[[ExportFormat], bytes]) -> str:
    """Worked out once for as long as the session stands so."""
    return export.compute_pack_digest(_make(export.FORMATS["zip"]))


BUTTON_WIDTH = 130  # pixels: of the longest label


def _draw_button(
    each: ExportFormat, label: str, built: Report, make: Callable[[], bytes], **look: Any
) -> None:
    name = export.make_file_name(built, each.suffix)
    st.download_button(label, make, file_name=name, mime=each.mime, on_click="ignore", **look)


@st.cache_data(max_entries=32, show_spinner=False)
def _describe_formats(session: str, seq: int, _built: Report) -> dict[str, str]:
    """By the format's name; found out once for as long as the session stands so, for it takes the
    whole PDF's words.
    """
    return {each.name: _describe_format(each, _built) for each in export.list_formats(_built)}


def _describe_format(each: ExportFormat, built: Report) -> str:
    """What a format is good for, and what this machine's PDF would lack."""
    lack = export.describe_unprintable(built) if each.name == "pdf" else ""
    return f"{each.purpose}. {lack}".rstrip()


def _make_export(
    office: Resources, session: str, built: Report, who: Principal
) -> Callable[[ExportFormat], bytes]:
    """What makes a format's bytes. The Markdown is the one that was stored when the report was
    written.
    """
    stored = runner.read_stored_report(office, session, who=who)

    def make(each: ExportFormat) -> bytes:
        if each.name == "md" and stored:
            return stored.encode("utf-8", "replace")
        pages = partial(reading.read_page_text, office, who=who)
        return export.build_file(
            each, built, pages, lambda: model_requests.list_requests(office, session, who=who)
        )

    return make
