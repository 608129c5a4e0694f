"""Show the page of a PDF source that holds the cited passage, as a picture with the passage marked.

The picture is made in the child process for documents, and only when it is asked for.
"""

from __future__ import annotations

import streamlit as st

from parts.shared import current_user
from parts.shared.html_text import escape_line, format_link
from research_core.citations.cited_passages import SourceCitation
from research_core.errors import FetchError
from research_core.i18n import _
from research_core.models import Report
from research_core.sessions import captures
from research_core.text.words import clean_for_screen
from research_core.web.documents.sandbox import SHARED_SANDBOX
from research_core.web.failure_texts import describe_failure
from research_core.wiring import default_resources

#: The kind of source that has pages.
PDF = "pdf"


def draw_page(built: Report, cited: SourceCitation) -> None:
    """Draw a folded picture of the page; nothing for sources that are no PDF."""
    if cited.source.kind != PDF or not cited.passages:
        return
    box = st.expander(_("PDF page"), key="pdf_page", on_change="rerun")
    if not box.open:
        return
    who = current_user.current_principal()
    with box, st.spinner(_("Drawing the page")):
        try:
            page, pages, image = _draw_picture(
                who.tenant,
                who.user,
                built.session,
                cited.source.url,
                cited.passages[0].text,
                cited.sentence.text,
            )
        except FetchError as error:
            st.caption(clean_for_screen(describe_failure(error)))
            return
        st.html(format_picture(cited.source.address, page, pages, image))


@st.cache_data(max_entries=16, show_spinner=False)
def _draw_picture(
    tenant: str, user: str, session: str, url: str, passage: str, sentence: str
) -> tuple[int, int, str]:
    """Return the page's number, the count of pages, and its PNG as base64. Raises FetchError."""
    who = current_user.current_principal()
    body = captures.find_pdf(default_resources(), session, url, who=who)
    if not body:
        raise FetchError(_("The PDF is not stored with this session."), kind="upstream_unavailable")
    answer = SHARED_SANDBOX.run("pdf_passage", body, passage=passage, sentence=sentence)
    return answer["page"], answer["pages"], answer["image"]


def format_picture(address: str, page: int, pages: int, image: str) -> str:
    """Return the picture under a link that opens the PDF at this page. image: base64. HTML."""
    label = escape_line(_("Page {page} of {pages}").format(page=page, pages=pages))
    link = format_link(label, f"{address.partition('#')[0]}#page={page}")
    return (
        f'<p class="about">{link}</p><img class="pdf-page" alt="{label}"'
        f' src="data:image/png;base64,{escape_line(image, len(image))}">'
    )
