"""Draw the result of a bibliography check: counts, table, one entry in full, and the export."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.citations import check_form
from parts.shared import failures
from parts.shared.badges import CITATION_BADGES, CLAIM_BADGES, LINK_BADGES
from parts.shared.html_text import clean_cell, escape_line, format_link
from parts.tools import results, tool_call
from research_core.citations.formats.item import Item
from research_core.citations.formats.styles import STYLES
from research_core.export import bibliography_check
from research_core.export.bibliography_check import BibliographyRequest
from research_core.model_messages import Json
from research_core.text.words import clean_for_screen, format_count
from research_core.urls import build_doi_url

VERIFY, ARCHIVE = "verify_citation", "archive_source"
#: Meaning of each state, shown as a tooltip.
STATE_MEANINGS = {
    "retracted": "A retraction of it is recorded.",
    "not_found": (
        "No registry has its DOI, or no such case stands at its citation: it may be made up, or"
        " misspelt."
    ),
    "another": "Its DOI is that of a work with another title.",
    "dead_link": "Its link leads nowhere any more.",
    "mischaracterized": "Its page was read and says nothing of the claim.",
    "unchecked": "Nobody could say. That is no sign that it is false.",
    "linked": "Its link answers; whether there is a work as cited nobody could say.",
    "noted": "It exists; a correction of it or a concern about it is recorded.",
    "ok": "It exists, and nothing speaks against it.",
}
#: Lowest HTTP status with which a reachable server refuses a request.
MIN_REFUSED_STATUS = 400
#: Pixels; enough for three lines, since only a high row wraps its text.
ROW_HEIGHT = 66
STYLE_NAMES = {
    "apa": "APA",
    "mla": "MLA",
    "ieee": "IEEE",
    "bibtex": "BibTeX",
    "ris": "RIS",
    "csl-json": "CSL-JSON",
}


def draw(request: BibliographyRequest, answer: Json) -> None:
    entries: list[Json] = answer["entries"]
    states = [bibliography_check.get_entry_state(entry) for entry in entries]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{_count_works(request, answer)}** of {clean_for_screen(request.name, 120)}")
        st.button(
            "Check another list",
            key="another_list",
            icon=":material/arrow_back:",
            on_click=check_form.return_to_form,
        )
    _draw_unread(request, answer)
    chosen = _draw_state_filter(Counter(states))
    shown = [n for n, state in enumerate(states) if not chosen or state in chosen]
    left, right = st.columns([3, 2], gap="large")
    with left:
        selected = _draw_table(request.works, entries, states, shown)
        _draw_export(request, answer)
    with right, st.container(key="verdict"):
        if selected is None:
            st.caption("Choose a row to see what is known of it.")
        else:
            _draw_entry(request.works[selected], entries[selected], states[selected])


def _count_works(request: BibliographyRequest, answer: Json) -> str:
    """Return "12 works", or "3 of 12 works" if not all were checked."""
    works = format_count(len(request.works), "work")
    done = len(answer["entries"])
    return works if done == len(request.works) else f"{done:,} of {works}"


def _draw_unread(request: BibliographyRequest, answer: Json) -> None:
    """Say which entries are missing from the table, and why."""
    if answer.get("skipped"):
        left = len(request.works) - len(answer["entries"])
        st.warning(f"{format_count(left, 'work')} {'is' if left == 1 else 'are'} not checked yet.")
        st.button(
            "Check the rest",
            key="check_rest",
            icon=":material/fact_check:",
            on_click=check_form.continue_check,
            args=(request, answer),
        )
    if request.refused:
        with st.expander(f"{format_count(len(request.refused), 'entry')} could not be read"):
            st.html("".join(f"<p>{escape_line(each)}</p>" for each in request.refused[:100]))


def _draw_state_filter(counts: Counter[str]) -> list[str]:
    """Draw the count of each state as a filter. Return the selected states."""
    present = [state for state in bibliography_check.STATES if counts[state]]
    picked: Any = st.pills(
        "Show",
        present,
        selection_mode="multi",
        key="states",
        format_func=lambda state: f"{CITATION_BADGES[state].label} · {counts[state]}",
        label_visibility="collapsed",
    )
    return list(picked or ())


def _draw_table(
    works: Sequence[Item], entries: Sequence[Json], states: Sequence[str], shown: Sequence[int]
) -> int | None:
    """Draw the table. Return the index of the selected entry, if any."""
    rows = []
    for index in shown:
        row = (
            index + 1,
            CITATION_BADGES[states[index]].label,
            clean_cell(bibliography_check.format_label(works[index])),
            clean_cell(entries[index].get("reason", "")),
            clean_cell(entries[index].get("doi", "")),
        )
        rows.append(row)
    chosen: Any = st.dataframe(
        pd.DataFrame(rows, columns=["No.", "State", "Work", "Why", "DOI"]),
        hide_index=True,
        key="entries",
        on_select="rerun",
        selection_mode="single-row",
        row_height=ROW_HEIGHT,
        height="content" if len(rows) <= 6 else 460,
        alt="The works and what came of each; it sorts",
        column_config={
            "No.": st.column_config.Column(width=45),
            "State": st.column_config.Column(width=150),
            "Work": st.column_config.Column(width=170),
            "Why": st.column_config.Column(width=240),
            "DOI": st.column_config.Column(width=130),
        },
    )
    picked: Sequence[int] = chosen.selection.rows
    if picked and picked[0] < len(shown):
        return shown[picked[0]]
    return None


# -- one entry -------------------------------------------------------------------------------------


def _draw_entry(work: Item, entry: Json, state: str) -> None:
    st.html(
        f'<p class="outcome">{CITATION_BADGES[state].html_with_tooltip(STATE_MEANINGS[state])} '
        f"{_format_link(entry)}</p>"
    )
    label = escape_line(bibliography_check.format_label(work), 300)
    st.html(f"<h3>{format_link(label, entry.get('url', ''))}</h3>")
    if entry.get("reason"):
        st.html(f"<p>{escape_line(entry['reason'], 1_200)}</p>")
    st.html(_format_facts(work, entry))
    with st.container(horizontal=True):
        if entry.get("url"):
            st.button(
                "Archive it",
                key=f"archive_{entry['index']}",
                icon=":material/inventory_2:",
                on_click=_archive_page,
                args=(entry["url"],),
                help="Has the Internet Archive make a public snapshot of the page.",
            )
    _draw_archived(entry)
    _draw_claim(work, entry)


def _format_link(entry: Json) -> str:
    if entry.get("linkLive"):
        is_refused = entry.get("httpStatus", 0) >= MIN_REFUSED_STATUS
        return LINK_BADGES["refused" if is_refused else "live"].html
    if entry.get("url"):
        return LINK_BADGES["dead" if "linkLive" in entry else "unchecked"].html
    return ""


def _format_facts(work: Item, entry: Json) -> str:
    """Return the cited facts beside the registered ones. HTML."""
    people = ", ".join(each.full_name for each in work.authors[:4])
    if len(work.authors) > 4:
        people += " …"
    doi = entry.get("doi", "")
    notice = entry.get("retractionStatus", {})
    notice_doi = notice.get("noticeDoi", "")
    notice_facts = (notice.get("kind", "").replace("_", " "), notice.get("date", ""))
    facts = {
        "Cited as": escape_line(work.title),
        "Registered as": escape_line(entry.get("recordTitle", "")),
        "By": escape_line(people),
        "In": escape_line(work.container),
        "Dated": escape_line(work.issued),
        "DOI": format_link(escape_line(doi), build_doi_url(doi)),
        "Notice": escape_line(" ".join(filter(None, notice_facts))),
        "Notice at": format_link(escape_line(notice_doi), build_doi_url(notice_doi)),
    }
    if entry.get("archivedUrl"):
        facts["Copy"] = format_link("in the Internet Archive", entry["archivedUrl"])
    if entry.get("httpStatus"):
        facts["Answered"] = escape_line(f"HTTP {entry['httpStatus']}")
    rows = ""
    for name, value in facts.items():
        if value:
            rows += f"<tr><th scope=row>{name}</th><td>{value}</td></tr>"
    return f'<table class="plain facts-table">{rows}</table>'


def _archive_page(url: str) -> None:
    tool_call.start_call(ARCHIVE, {"url": url})


def _draw_archived(entry: Json) -> None:
    """Draw the result of archiving this page, if it was requested."""
    tool_call.follow_call(ARCHIVE)
    if tool_call.is_under_way(ARCHIVE):
        return
    called = tool_call.take_result(ARCHIVE)
    # There is one answer at a time, which may be of another entry.
    if called is None or called.asked.get("url") != entry.get("url"):
        return
    if called.served is None:
        failures.draw_failure("It was stopped.", "")
        return
    if called.served.error is not None:
        failures.draw_failure(called.served.error.message, "")
        return
    answer = called.served.answer or {}
    at = format_link(escape_line(answer.get("snapshotUrl", "")), answer.get("snapshotUrl", ""))
    st.html(
        f"<p><b>{escape_line(answer.get('status', ''))}</b> {at} "
        f"{escape_line(answer.get('reason', ''))}</p>"
    )


def _draw_claim(work: Item, entry: Json) -> None:
    """Offer to check whether the cited page addresses a claim."""
    reference = bibliography_check.format_reference(work)
    with st.form(f"claim_{entry['index']}", border=False):
        st.text_input("What do you cite it for?", key=f"claim_of_{entry['index']}", max_chars=2_000)
        if st.form_submit_button("Read it for this", icon=":material/find_in_page:"):
            claim = str(st.session_state[f"claim_of_{entry['index']}"]).strip()
            if claim:
                tool_call.start_call(VERIFY, {"citation": reference, "claim": claim})
    tool_call.follow_call(VERIFY)
    called = None if tool_call.is_under_way(VERIFY) else tool_call.take_result(VERIFY)
    if called is None or called.asked.get("citation") != reference or called.served is None:
        return
    if called.served.error is not None:
        failures.draw_failure(
            called.served.error.message,
            called.served.error.next_step or results.find_next_step(called.served.error),
        )
        return
    answer = called.served.answer or {}
    st.html(
        f'<p class="outcome">{CLAIM_BADGES[answer.get("claimSupport", "source_unavailable")].html}'
        "</p>"
    )
    if answer.get("contrastSignal"):
        st.html("<p>One of these sentences holds words of denial: read it.</p>")
    st.html(
        "".join(
            f"<blockquote>{escape_line(each, 700)}</blockquote>"
            for each in answer.get("claimEvidence", ())
        )
    )
    if answer.get("claimSourceUrl"):
        st.html(f"<p>{format_link('The page that was read', answer['claimSourceUrl'])}</p>")


# -- export ----------------------------------------------------------------------------------------


def _draw_export(request: BibliographyRequest, answer: Json) -> None:
    entries = answer["entries"]
    with st.container(horizontal=True, vertical_alignment="bottom", key="cleaned"):
        style = st.selectbox(
            "Export as",
            list(STYLES),
            format_func=lambda name: STYLE_NAMES.get(name, name.capitalize()),
            key="style",
        )
        without = st.checkbox("Leave out flagged references", value=True, key="without")
        text = bibliography_check.format_cleaned(
            request.works, entries, style, bibliography_check.ADVERSE_STATES if without else ()
        )
        st.download_button(
            "Download",
            text,
            file_name=file_name(style),
            key="take_list",
            type="primary",
            on_click="ignore",
        )
    with st.container(horizontal=True):
        st.download_button(
            "The check as CSV",
            bibliography_check.format_csv(entries),
            file_name="citations.csv",
            mime="text/csv",
            key="take_csv",
            on_click="ignore",
        )
        whole = json.dumps(answer, ensure_ascii=False, indent=2)
        st.download_button(
            "As JSON",
            whole,
            file_name="citations.json",
            mime="application/json",
            key="take_json",
            on_click="ignore",
        )


def file_name(style: str) -> str:
    """Return the file name of the list for a citation style."""
    return f"bibliography{bibliography_check.SUFFIXES.get(style, '.txt')}"
