"""Draw the result of a bibliography check: counts, table, one entry in full, and the export."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from parts.citations import check_form
from parts.shared import failures, search_places
from parts.shared.badges import CITATION_BADGES, CLAIM_BADGES, LINK_BADGES
from parts.shared.html_text import clean_cell, escape_line, format_link
from parts.tools import results, tool_call
from research_core.citations.formats.item import Item
from research_core.citations.formats.styles import STYLES
from research_core.export import bibliography_check
from research_core.export.bibliography_check import BibliographyRequest
from research_core.i18n import N_, _, join_list, ngettext
from research_core.model_messages import Json
from research_core.text.words import clean_for_screen
from research_core.urls import build_doi_url

VERIFY, ARCHIVE = "verify_citation", "archive_source"
#: Meaning of each state, shown as a tooltip.
STATE_MEANINGS = {
    "retracted": N_("A retraction is recorded."),
    "not_found": N_("No registry has this DOI or court case. It may be invented or misspelled."),
    "another": N_("Its DOI belongs to a work with another title."),
    "dead_link": N_("Its link does not work."),
    "mischaracterized": N_("Its page does not mention the claim."),
    "unchecked": N_("It could not be checked. This does not mean that it is false."),
    "linked": N_("Its link works, but no record of the work was found."),
    "noted": N_("It exists. A correction or concern is recorded."),
    "ok": N_("It exists, and no problem was found."),
}
GOOD_STATES = ("ok", "noted")
MAX_REASONS = 20
#: Lowest HTTP status with which a reachable server refuses a request.
MIN_REFUSED_STATUS = 400
#: Pixels; enough for three lines, since only a high row wraps its text.
ROW_HEIGHT = 66
COLUMNS = ("number", "state", "work", "reason", "doi")
CAPTURE_TEXTS = {
    "archived": N_("A new snapshot was made."),
    "existing": N_("No new snapshot was made. This is the newest older one."),
    "pending": N_("The snapshot is not confirmed yet. Look again later."),
    "unavailable": N_("No snapshot was made."),
}
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
    draw_finding(states)
    _draw_unchecked_reasons(entries, states)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_count_works(request, answer))
        st.button(
            _("Check another list"),
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
            st.caption(_("Select a row for details."))
        else:
            _draw_entry(request.works[selected], entries[selected], states[selected])


def draw_finding(states: Sequence[str]) -> None:
    """Draw the main finding of a check, coloured by the gravest state."""
    counts = Counter(states)
    adverse = [state for state in bibliography_check.ADVERSE_STATES if counts[state]]
    message = " ".join(_list_findings(counts, adverse))
    if set(adverse) & set(bibliography_check.SEVERE_STATES):
        st.error(message, icon=":material/dangerous:")
    elif adverse:
        st.warning(message, icon=":material/warning:")
    elif counts["unchecked"]:
        st.info(message, icon=":material/help:")
    else:
        st.success(message, icon=":material/check:")


def _list_findings(counts: Counter[str], adverse: Sequence[str]) -> list[str]:
    """Return a sentence for each outcome that occurs, the gravest first."""
    sentences = []
    total = counts.total()
    bad = sum(counts[state] for state in adverse)
    if bad:
        kinds = join_list(
            [f"{counts[state]} {_(CITATION_BADGES[state].word)}" for state in adverse]
        )
        sentences.append(
            ngettext(
                "{count} of {total} references has a problem: {kinds}.",
                "{count} of {total} references have a problem: {kinds}.",
                bad,
            ).format(count=bad, total=total, kinds=kinds)
        )
    unchecked = counts["unchecked"]
    if unchecked:
        sentences.append(
            ngettext(
                "{count} reference could not be checked. This does not mean that it is false.",
                "{count} references could not be checked. This does not mean that they are false.",
                unchecked,
            ).format(count=unchecked)
        )
    linked = counts["linked"]
    if linked:
        sentences.append(
            ngettext(
                "{count} reference has a working link but no record.",
                "{count} references have a working link but no record.",
                linked,
            ).format(count=linked)
        )
    good = sum(counts[state] for state in GOOD_STATES)
    if good:
        sentences.append(
            ngettext("{count} reference exists.", "{count} references exist.", good).format(
                count=good
            )
        )
    return sentences


def _draw_unchecked_reasons(entries: Sequence[Json], states: Sequence[str]) -> None:
    """Draw each reason why references could not be checked once, folded."""
    reasons: Counter[str] = Counter()
    for entry, state in zip(entries, states, strict=True):
        if state == "unchecked" and entry.get("reason"):
            reasons[entry["reason"]] += 1
    if not reasons:
        return
    items = ""
    for reason, count in reasons.most_common(MAX_REASONS):
        items += f"<li>{escape_line(reason, 600)} ({count})</li>"
    st.html(
        '<details class="reasons"><summary>'
        f"{escape_line(_('Reasons'))}</summary><ul>{items}</ul></details>"
    )


def _count_works(request: BibliographyRequest, answer: Json) -> str:
    """Return "12 references in the list", or "3 of 12" if not all were checked. Markdown."""
    total = len(request.works)
    done = len(answer["entries"])
    name = clean_for_screen(request.name, 120)
    if done < total:
        return _("**{done:,} of {total:,} references** in {name}").format(
            done=done, total=total, name=name
        )
    return ngettext(
        "**{count:,} reference** in {name}", "**{count:,} references** in {name}", total
    ).format(count=total, name=name)


def _draw_unread(request: BibliographyRequest, answer: Json) -> None:
    """Say which entries are missing from the table, and why."""
    if answer.get("skipped"):
        left = len(request.works) - len(answer["entries"])
        message = ngettext(
            "{count} reference is not checked yet.", "{count} references are not checked yet.", left
        )
        st.warning(message.format(count=left))
        st.button(
            _("Check the rest"),
            key="check_rest",
            icon=":material/fact_check:",
            on_click=check_form.continue_check,
            args=(request, answer),
        )
    if request.refused:
        count = len(request.refused)
        label = ngettext(
            "{count} reference could not be read", "{count} references could not be read", count
        )
        with st.expander(label.format(count=count)):
            st.html("".join(f"<p>{escape_line(each)}</p>" for each in request.refused[:100]))


def _draw_state_filter(counts: Counter[str]) -> list[str]:
    """Draw the count of each state as a filter. Return the selected states."""
    present = [state for state in bibliography_check.STATES if counts[state]]
    picked: Any = st.pills(
        _("Filter by state"),
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
            _format_reason(entries[index], states[index]),
            clean_cell(entries[index].get("doi", "")),
        )
        rows.append(row)
    chosen: Any = st.dataframe(
        pd.DataFrame(rows, columns=COLUMNS),
        hide_index=True,
        key="entries",
        on_select="rerun",
        selection_mode="single-row",
        row_height=ROW_HEIGHT,
        height="content" if len(rows) <= 6 else 460,
        alt=_("References with the result of each check"),
        column_config={
            "number": st.column_config.Column(_("No."), width=45),
            "state": st.column_config.Column(_("State"), width=150),
            "work": st.column_config.Column(_("Reference"), width=165),
            "reason": st.column_config.Column(_("Reason"), width=175),
            "doi": st.column_config.Column("DOI", width=175),
        },
    )
    picked: Sequence[int] = chosen.selection.rows
    if picked and picked[0] < len(shown):
        return shown[picked[0]]
    return None


def _format_reason(entry: Json, state: str) -> str:
    """Return the reason that a row shows. Without a connection, only the details give each one."""
    if state == "unchecked" and not search_places.is_web_reachable():
        return _("No connection")
    return clean_cell(entry.get("reason", ""))


# -- one entry -------------------------------------------------------------------------------------


def _draw_entry(work: Item, entry: Json, state: str) -> None:
    st.html(
        f'<p class="outcome">{CITATION_BADGES[state].html_with_tooltip(_(STATE_MEANINGS[state]))} '
        f"{_format_link(entry)}</p>"
    )
    label = escape_line(bibliography_check.format_label(work), 300)
    st.html(f"<h2 class=entry>{format_link(label, entry.get('url', ''))}</h2>")
    if entry.get("reason"):
        st.html(f"<p>{escape_line(entry['reason'], 1_200)}</p>")
    copy = results.format_archive_copy(entry)
    if copy:
        st.html(copy)
    st.html(_format_facts(work, entry))
    with st.container(horizontal=True):
        if entry.get("url"):
            st.button(
                _("Archive page"),
                key=f"archive_{entry['index']}",
                icon=":material/inventory_2:",
                on_click=_archive_page,
                args=(entry["url"],),
                help=_("Asks the Internet Archive for a public snapshot."),
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
        _("Cited as"): escape_line(work.title),
        _("Registered as"): escape_line(entry.get("recordTitle", "")),
        _("Authors"): escape_line(people),
        _("Published in"): escape_line(work.container),
        _("Date"): escape_line(work.issued),
        "DOI": format_link(escape_line(doi), build_doi_url(doi)),
        _("Notice"): escape_line(" ".join(filter(None, notice_facts))),
        _("Notice DOI"): format_link(escape_line(notice_doi), build_doi_url(notice_doi)),
    }
    if entry.get("httpStatus"):
        facts[_("HTTP status")] = escape_line(str(entry["httpStatus"]))
    rows = ""
    for name, value in facts.items():
        if value:
            rows += f"<tr><th scope=row>{escape_line(name)}</th><td>{value}</td></tr>"
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
        failures.draw_failure(_("Archiving was stopped."), _("Run it again."))
        return
    if called.served.error is not None:
        results.draw_error(called.served.error)
        return
    answer = called.served.answer or {}
    status = CAPTURE_TEXTS.get(answer.get("status", ""), "")
    line = " ".join(filter(None, (_(status) if status else "", answer.get("reason", ""))))
    st.html(f"{results.format_archive_copy(answer)}<p>{escape_line(line)}</p>")


def _draw_claim(work: Item, entry: Json) -> None:
    """Offer to check whether the cited page addresses a claim."""
    reference = bibliography_check.format_reference(work)
    with st.form(f"claim_{entry['index']}", border=False):
        st.text_input(_("Claim you cite it for"), key=f"claim_of_{entry['index']}", max_chars=2_000)
        if st.form_submit_button(_("Check claim"), icon=":material/find_in_page:"):
            claim = str(st.session_state[f"claim_of_{entry['index']}"]).strip()
            if claim:
                tool_call.start_call(VERIFY, {"citation": reference, "claim": claim})
    tool_call.follow_call(VERIFY)
    called = None if tool_call.is_under_way(VERIFY) else tool_call.take_result(VERIFY)
    if called is None or called.asked.get("citation") != reference or called.served is None:
        return
    if called.served.error is not None:
        results.draw_error(called.served.error)
        return
    answer = called.served.answer or {}
    st.html(
        f'<p class="outcome">{CLAIM_BADGES[answer.get("claimSupport", "source_unavailable")].html}'
        "</p>"
    )
    if answer.get("contrastSignal"):
        denial = _("One of these sentences says “not” or the like. Read it to see what it denies.")
        st.html(f"<p>{escape_line(denial)}</p>")
    st.html(
        "".join(
            f"<blockquote>{escape_line(each, 700)}</blockquote>"
            for each in answer.get("claimEvidence", ())
        )
    )
    if answer.get("claimSourceUrl"):
        link = format_link(escape_line(_("Page checked")), answer["claimSourceUrl"])
        st.html(f"<p>{link}</p>")


# -- export ----------------------------------------------------------------------------------------


def _draw_export(request: BibliographyRequest, answer: Json) -> None:
    entries = answer["entries"]
    with st.container(horizontal=True, vertical_alignment="bottom", key="cleaned"):
        style = st.selectbox(
            _("Export as"),
            list(STYLES),
            format_func=lambda name: STYLE_NAMES.get(name, name.capitalize()),
            key="style",
        )
        without = st.checkbox(_("Leave out flagged references"), value=True, key="without")
        text = bibliography_check.format_cleaned(
            request.works, entries, style, bibliography_check.ADVERSE_STATES if without else ()
        )
        st.download_button(
            _("Download"),
            text,
            file_name=file_name(style),
            key="take_list",
            type="primary",
            on_click="ignore",
        )
    with st.container(horizontal=True):
        st.download_button(
            _("Results as CSV"),
            bibliography_check.format_csv(entries),
            file_name="citations.csv",
            mime="text/csv",
            key="take_csv",
            on_click="ignore",
        )
        whole = json.dumps(answer, ensure_ascii=False, indent=2)
        st.download_button(
            _("Results as JSON"),
            whole,
            file_name="citations.json",
            mime="application/json",
            key="take_json",
            on_click="ignore",
        )


def file_name(style: str) -> str:
    """Return the file name of the list for a citation style."""
    return f"bibliography{bibliography_check.SUFFIXES.get(style, '.txt')}"
