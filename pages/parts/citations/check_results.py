"""What came of a bibliography's check, drawn: counts, a table that sorts, one entry in full, and
the list to take along.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.citations import check_form
from parts.shared import failures
from parts.shared.badges import CITATION, LINK, SUPPORT_OF_CLAIM
from parts.shared.html_text import cell, link, markup
from parts.tools import results, tool_call
from research_core.citations.formats.item import Item
from research_core.citations.formats.styles import STYLES
from research_core.export import bibliography_job
from research_core.export.bibliography_job import Asked
from research_core.model_messages import Json
from research_core.text.words import plain

VERIFY, ARCHIVE = "verify_citation", "archive_source"
#: What each state means, for who points at it.
MEANS = {
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
#: From this status on a server that is there refuses.
REFUSED = 400
NAMES = {
    "apa": "APA",
    "mla": "MLA",
    "ieee": "IEEE",
    "bibtex": "BibTeX",
    "ris": "RIS",
    "csl-json": "CSL-JSON",
}


def draw(asked: Asked, answer: Json) -> None:
    entries: list[Json] = answer["entries"]
    states = [bibliography_job.state(entry) for entry in entries]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"**{len(entries)} {'work' if len(entries) == 1 else 'works'}** of"
            f" {plain(asked.name, 120)}"
        )
        st.button(
            "Check another list",
            key="another_list",
            icon=":material/arrow_back:",
            on_click=check_form.leave,
        )
    _unread(asked, answer)
    chosen = _strip(Counter(states))
    shown = [n for n, state in enumerate(states) if not chosen or state in chosen]
    left, right = st.columns([3, 2], gap="large")
    with left:
        at = _table(asked.works, entries, states, shown)
        _take_along(asked, answer)
    with right, st.container(key="verdict"):
        if at is None:
            st.caption("Choose a row to see what is known of it.")
        else:
            _entry(asked.works[at], entries[at], states[at])


def _unread(asked: Asked, answer: Json) -> None:
    """What is not in the table, and why."""
    if answer.get("skipped"):
        st.warning(plain(answer["skippedNote"]))
    if asked.refused:
        with st.expander(f"{len(asked.refused)} entries could not be read"):
            st.html("".join(f"<p>{markup(each)}</p>" for each in asked.refused[:100]))


def _strip(counts: Counter[str]) -> list[str]:
    """How many stand how; pressed, the others are left out."""
    there = [state for state in bibliography_job.STATES if counts[state]]
    picked: Any = st.pills(
        "Show", there, selection_mode="multi", key="states",
        format_func=lambda state: f"{CITATION[state].label} · {counts[state]}",
        label_visibility="collapsed",
    )  # fmt: skip
    return list(picked or ())


def _table(
    works: Sequence[Item], entries: Sequence[Json], states: Sequence[str], shown: Sequence[int]
) -> int | None:
    """The place of the entry that is chosen."""
    rows = [
        (
            n + 1,
            CITATION[states[n]].label,
            cell(bibliography_job.titled(works[n])),
            *(cell(entries[n].get(name, "")) for name in ("doi", "reason")),
        )
        for n in shown
    ]
    chosen: Any = st.dataframe(
        pd.DataFrame(rows, columns=["No.", "State", "Work", "DOI", "Why"]), hide_index=True,
        key="entries", on_select="rerun",
        selection_mode="single-row", height="content" if len(rows) <= 12 else 460,
        alt="The works and what came of each; it sorts",
        column_config={"No.": st.column_config.Column(width=45),
        "State": st.column_config.Column(width=150),
                       "Work": st.column_config.Column(width=260), "DOI": st.column_config.Column(width=130)},
    )  # fmt: skip
    picked = chosen.selection.rows
    return shown[picked[0]] if picked and picked[0] < len(shown) else None


# ---------------------------------------------------------------- one entry


def _entry(work: Item, entry: Json, state: str) -> None:
    st.html(f'<p class="outcome">{CITATION[state].titled(MEANS[state])} {_linked(entry)}</p>')
    st.html(f"<h3>{link(markup(bibliography_job.titled(work), 300), entry.get('url', ''))}</h3>")
    if entry.get("reason"):
        st.html(f"<p>{markup(entry['reason'], 1_200)}</p>")
    st.html(_facts(work, entry))
    with st.container(horizontal=True):
        if entry.get("url"):
            st.button(
                "Archive it", key=f"archive_{entry['index']}", icon=":material/inventory_2:",
                on_click=_archive, args=(entry["url"],),
                help="Has the Internet Archive make a public snapshot of the page.",
            )  # fmt: skip
    _archived(entry)
    _claim(work, entry)


def _linked(entry: Json) -> str:
    if entry.get("linkLive"):
        return LINK["refused" if entry.get("httpStatus", 0) >= REFUSED else "live"].html
    return LINK["dead" if "linkLive" in entry else "unchecked"].html if entry.get("url") else ""


def _facts(work: Item, entry: Json) -> str:
    """What was cited beside what is registered. HTML."""
    people = ", ".join(each.whole for each in work.authors[:4]) + (
        " …" if len(work.authors) > 4 else ""
    )
    notice = entry.get("retractionStatus", {})
    told = {
        "Cited as": markup(work.title),
        "Registered as": markup(entry.get("recordTitle", "")),
        "By": markup(people),
        "In": markup(work.container),
        "Dated": markup(work.issued),
        "DOI": link(markup(entry.get("doi", "")), f"https://doi.org/{entry.get('doi', '')}"),
        "Notice": markup(
            " ".join(
                filter(None, (notice.get("kind", "").replace("_", " "), notice.get("date", "")))
            )
        ),
        "Notice at": link(
            markup(notice.get("noticeDoi", "")), f"https://doi.org/{notice.get('noticeDoi', '')}"
        ),
        "Copy": (
            link("in the Internet Archive", entry["archivedUrl"])
            if entry.get("archivedUrl")
            else ""
        ),
        "Answered": markup(f"HTTP {entry['httpStatus']}") if entry.get("httpStatus") else "",
    }
    rows = "".join(
        f"<tr><th scope=row>{name}</th><td>{value}</td></tr>"
        for name, value in told.items()
        if value
    )
    return f'<table class="plain facts-table">{rows}</table>'


def _archive(url: str) -> None:
    tool_call.start(ARCHIVE, {"url": url})


def _archived(entry: Json) -> None:
    """What came of having it archived, where this one was."""
    tool_call.follow(ARCHIVE)
    called = None if tool_call.under_way(ARCHIVE) else tool_call.came(ARCHIVE)
    if called is None or called.asked.get("url") != entry.get("url"):
        return
    if called.served is None or called.served.error is not None:
        failures.say(
            (
                called.served.error.message
                if called.served and called.served.error
                else "It was stopped."
            ),
            "",
        )
        return
    told = called.served.answer or {}
    at = link(markup(told.get("snapshotUrl", "")), told.get("snapshotUrl", ""))
    st.html(f"<p><b>{markup(told.get('status', ''))}</b> {at} {markup(told.get('reason', ''))}</p>")


def _claim(work: Item, entry: Json) -> None:
    """Whether its page speaks of what it is cited for, on request."""
    asked = bibliography_job.reference(work)
    with st.form(f"claim_{entry['index']}", border=False):
        st.text_input("What do you cite it for?", key=f"claim_of_{entry['index']}", max_chars=2_000)
        if st.form_submit_button("Read it for this", icon=":material/find_in_page:"):
            claim = str(st.session_state[f"claim_of_{entry['index']}"]).strip()
            if claim:
                tool_call.start(VERIFY, {"citation": asked, "claim": claim})
    tool_call.follow(VERIFY)
    called = None if tool_call.under_way(VERIFY) else tool_call.came(VERIFY)
    if called is None or called.asked.get("citation") != asked or called.served is None:
        return
    if called.served.error is not None:
        failures.say(
            called.served.error.message,
            called.served.error.next_step or results.next_step(called.served.error),
        )
        return
    told = called.served.answer or {}
    st.html(
        f'<p class="outcome">{SUPPORT_OF_CLAIM[told.get("claimSupport", "source_unavailable")].html}</p>'
    )
    if told.get("contrastSignal"):
        st.html("<p>One of these sentences holds words of denial: read it.</p>")
    st.html(
        "".join(
            f"<blockquote>{markup(each, 700)}</blockquote>"
            for each in told.get("claimEvidence", ())
        )
    )
    if told.get("claimSourceUrl"):
        st.html(f"<p>{link('The page that was read', told['claimSourceUrl'])}</p>")


# ---------------------------------------------------------------- to take along


def _take_along(asked: Asked, answer: Json) -> None:
    entries = answer["entries"]
    with st.container(horizontal=True, vertical_alignment="bottom", key="cleaned"):
        style = st.selectbox(
            "Take the list along as",
            list(STYLES),
            format_func=lambda name: NAMES.get(name, name.capitalize()),
            key="style",
        )
        without = st.checkbox("without what something speaks against", value=True, key="without")
        text = bibliography_job.cleaned(
            asked.works, entries, style, bibliography_job.AGAINST if without else ()
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
            bibliography_job.as_csv(entries),
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
    """Name the file of the list by its style."""
    return f"bibliography{bibliography_job.SUFFIXES.get(style, '.txt')}"
