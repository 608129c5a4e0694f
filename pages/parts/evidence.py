"""The passage behind a citation, beside the text: a click, Enter, j or k on the text's citations shows it in its page.

The click is caught by a component without any HTML; all that is shown is drawn here, so it needs no trust in the page's text.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.badges import CHECK
from parts.safe import link, markup, paragraphs
from research_core import reading
from research_core.reading import Cited, Excerpt
from research_core.wiring import default_office

#: Catches clicks on the citations of the text, marks the current one, and brings the sentence into sight where the pane is low (a phone).
CLICKS = """
export default function ({ data, setTriggerValue }) {
  const text = document.querySelector(".st-key-report_text");
  if (!text) return;
  text.onclick = (event) => {
    const link = event.target.closest('a[href^="#cite-"]');
    if (!link) return;
    event.preventDefault();
    setTriggerValue("cite", Number(link.hash.slice(6)));
  };
  setTimeout(() => { point(text, data); show(); }, 50);
}
function point(text, { cite, chosen }) {
  for (const link of text.querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
  const current = text.querySelector(`a[href="#cite-${cite}"]`);
  if (!current) return;
  current.setAttribute("aria-current", "true");
  if (chosen) current.scrollIntoView({ block: "nearest" });
}
function show() {
  const words = document.querySelector(".evidence mark") ?? document.querySelector(".evidence .page span");
  const pane = words?.closest('[data-testid="stColumn"]');
  if (!pane) return;
  pane.scrollTop = 0;
  const below = words.getBoundingClientRect().bottom + 12 - pane.getBoundingClientRect().bottom;
  if (below > 0) pane.scrollTop = below;
}
"""
clicks = st.components.v2.component("assay_citations", js=CLICKS)


@st.fragment
def pane(citations: Sequence[Cited]) -> None:
    """The chosen citation, at first the one of the address or the first, and the way to the next. Only this is redrawn by a choice."""
    chosen = _chosen(len(citations))
    clicks(key="clicks", data={"cite": chosen, "chosen": "cite" in st.query_params}, on_cite_change=_clicked)
    with st.container(horizontal=True, vertical_alignment="center", key="steps"):
        st.button("Previous", key="previous", shortcut="k", disabled=chosen <= 1, on_click=_go, args=(chosen - 1,))
        st.button("Next", key="next", shortcut="j", disabled=chosen >= len(citations), on_click=_go, args=(chosen + 1,))
        st.caption(f"Citation {chosen} of {len(citations)}")
    st.html(_card(citations[chosen - 1]))


def _chosen(count: int) -> int:
    asked = st.query_params.get("cite", "1")
    return min(max(int(asked), 1), count) if asked.isascii() and asked.isdigit() else 1


def _go(number: int) -> None:
    st.query_params["cite"] = str(number)


def _clicked() -> None:
    _go(st.session_state["clicks"]["cite"])


def _card(cited: Cited) -> str:
    source, check = cited.source, CHECK.get(cited.sentence.state, CHECK["could not check"])
    score = f"credibility {source.parts.score:.2f}" if source.parts else "own document"
    relevance = f" · relevance {source.relevance.score}/5" if source.relevance and source.relevance.scored else ""
    note = f" {markup(cited.sentence.note)}" if cited.sentence.note else ""
    page = reading.page_text(default_office(), source.page)
    shown = "".join(_excerpt(reading.excerpt(page, passage, cited.sentence.text)) for passage in cited.passages)
    return (
        f'<section class="evidence" aria-live="polite" aria-label="Cited passage">'
        f'<p class="title"><b>[{source.number}]</b> {link(markup(source.title), source.url)}</p>'
        f'<p class="about">{markup(reading.site(source.url))} · {score}{relevance}</p>'
        f'<p class="checked">{check.html}{note}</p>{shown}</section>'
    )


def _excerpt(excerpt: Excerpt) -> str:
    return f'<blockquote class="page">{"".join(_piece(*piece) for piece in excerpt.pieces)}</blockquote>'


def _piece(text: str, of_passage: bool, of_sentence: bool) -> str:
    words = paragraphs(text)
    if of_sentence:
        return f"<mark>{words}</mark>"
    return f"<span>{words}</span>" if of_passage else words
