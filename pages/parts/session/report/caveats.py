"""Draw a report's caveats: notices, single-source sentences, contradictions, and confidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from parts.session.report.passage import CITED, QUOTED, format_pieces
from parts.session.report.prose import SINGLE_SOURCE_LABELS
from parts.shared import failures, rewrites, session_header
from parts.shared.badges import LEVEL_BADGES
from parts.shared.html_text import clean_cell, escape_line, escape_paragraphs, format_link
from parts.shared.stylesheet import WRAPPED_ROW_HEIGHT
from research_core.citations.cited_passages import SourceCitation
from research_core.decisions import gate
from research_core.decisions.view import RunView
from research_core.export import document
from research_core.export.document import TextRun
from research_core.i18n import N_, _, format_number, ngettext
from research_core.models import Report
from research_core.pipeline import report
from research_core.pipeline.backing import Backing, list_distinct_backings, list_kept_sources
from research_core.pipeline.confidence import QUOTED_NOTE, Confidence, Findings
from research_core.pipeline.contradictions import Claim, Contradiction
from research_core.pipeline.methodology import describe_sample
from research_core.policy import OFFLINE_MODEL, RunSettings
from research_core.sessions import run_defaults
from research_core.sessions.snapshot import Snapshot
from research_core.text.words import capitalize_first, clean_for_screen
from research_core.wiring import default_resources

#: The words of the levels of confidence.
LEVEL_WORDS = {"high": N_("high"), "moderate": N_("moderate"), "low": N_("low")}
#: Fields of a row about a contradiction.
FIELDS = ("number", "about", "value", "source", "kind", "published", "credibility")


def list_columns() -> dict[str, Any]:
    """Return the columns of the table of contradictions, in the order of FIELDS."""
    return {
        "number": st.column_config.NumberColumn(
            _("No."), help=_("Rows with the same number contradict each other"), width=45
        ),
        "about": st.column_config.TextColumn(_("About"), width=190),
        "value": st.column_config.TextColumn(_("Statement"), width=110),
        "source": st.column_config.TextColumn(_("Source"), width=210),
        "kind": st.column_config.TextColumn(_("Possible explanation"), width=265),
        "published": st.column_config.TextColumn(_("Published"), width=85),
        "credibility": st.column_config.ProgressColumn(
            _("Credibility"), min_value=0, max_value=1, format="%.2f", width=95
        ),
    }


def draw_notices(snapshot: Snapshot, built: Report) -> None:
    """Draw what a reader must know before the text: one line, and the others folded below it."""
    draw_sample_notice(built)
    sample = describe_sample(built.settings)
    has_other = bool(_list_other_writers(snapshot.run))
    place: report.Place = "screen" if has_other else "screen_without_another"
    notices = report.list_notices(built, place=place)
    notices = [notice for notice in notices if notice != sample]
    if built.decision == "insufficient_data":
        # The reason above the text says it, with a button for the remedy.
        blocked = report.describe_blocked_share(built, place)
        notices = [notice for notice in notices if notice != blocked]
    if notices:
        st.html(format_notices(notices))


def draw_sample_notice(built: Report) -> None:
    """Say above a report that its pages are those of the sample library."""
    sample = describe_sample(built.settings)
    if sample:
        st.html(f'<p class="facts sample">{escape_line(sample)}</p>')


def draw_other_writers(snapshot: Snapshot, built: Report) -> None:
    """Offer to have a report written for which the language model failed: by it or another one."""
    if not report.describe_other_writer(built):
        return
    resources = default_resources()
    run = gate.merge_manual_decisions(snapshot.run)
    with st.container(horizontal=True, gap="small", key="writers"):
        if st.button(_("Rewrite report"), key="write_again", icon=":material/edit_note:"):
            _rewrite(snapshot, lambda: run)
        for name in _list_other_writers(snapshot.run):
            label = _("Write with {model}").format(model=clean_for_screen(name))
            if st.button(label, key=f"write-{name}", icon=":material/swap_horiz:"):
                change = partial(run_defaults.change_models, run, resources.settings, writer=name)
                _rewrite(snapshot, change)


def _list_other_writers(run: RunView) -> list[str]:
    """Return the configured models that could write a report in place of its own."""
    own = gate.merge_manual_decisions(run).writing_model
    models = run_defaults.list_role_models(default_resources())
    return [name for name in models if name not in (own, OFFLINE_MODEL)]


def _rewrite(snapshot: Snapshot, choose_settings: Callable[[], RunSettings]) -> None:
    with failures.show_failures():
        rewrites.open_rewrite(snapshot.session, choose_settings())


def format_notices(notices: Sequence[str]) -> str:
    """Return notices as HTML. notices: Markdown of our own with escaped words of others."""
    lines = ["".join(map(_format_run, document.parse_inline(notice))) for notice in notices]
    if len(lines) == 1:
        return f'<p class="caveat">{lines[0]}</p>'
    more = ngettext("{count} more note", "{count} more notes", len(lines) - 1)
    label = escape_line(more.format(count=len(lines) - 1))
    items = "".join(f"<li>{line}</li>" for line in lines[1:])
    return (
        f'<details class="caveat"><summary>{lines[0]} <b>{label}</b></summary>'
        f"<ul>{items}</ul></details>"
    )


def _format_run(run: TextRun) -> str:
    words = escape_paragraphs(run.text)
    return f"<{run.style}>{words}</{run.style}>" if run.style else words


@st.fragment
def draw_toggle(backings: Sequence[Backing]) -> None:
    """Draw the switch that marks single-source sentences; CSS applies it without a redraw.

    It would mark nothing where there are none, and everything where there are no others.
    """
    distinct = list_distinct_backings(backings)
    count, total = sum(backing.alone for backing in distinct), len(distinct)
    if count in (0, total):
        return
    with st.container(key="mark_alone"):
        label = ngettext(
            "Highlight sentences with only one source ({count} of {total})",
            "Highlight sentences with only one source ({count} of {total})",
            total,
        )
        st.toggle(
            label.format(count=count, total=total),
            key="alone",
            help=_(
                "These sentences cite one source, or several that are not independent: copies of"
                " one text, pages of one site, your own documents. No other kept source states the"
                " same figure, date or name in similar words."
            ),
        )


def draw_single_source_sentences(
    citations: Sequence[SourceCitation], backings: Sequence[Backing]
) -> None:
    """Draw the sentences that rest on one source, folded, with links to their places.

    Nothing where that is none or every one of them.
    """
    title = session_header.format_alone(backings)
    if not title:
        return
    single = [backing for backing in list_distinct_backings(backings) if backing.alone]
    first = {cited.place: cited for cited in reversed(citations)}
    items = "".join(_format_single_source(backing, first[backing.place]) for backing in single)
    with st.expander(title, key="alone_list"):
        st.html(f'<ul class="sources">{items}</ul>')


def _format_single_source(backing: Backing, cited: SourceCitation) -> str:
    numbers = ", ".join(f"[{number}]" for number in backing.sources)
    about = f"{_(SINGLE_SOURCE_LABELS[backing.rest])}: {numbers} {cited.source.title}"
    return (
        f'<li><a href="#goto-{cited.number}">{escape_line(backing.sentence.text)}</a><span'
        f' class="about">{escape_line(about)}</span></li>'
    )


def draw_confidence(found: Findings) -> None:
    """Draw the level of confidence, and folded what it was computed from."""
    computed = found.confidence
    if computed is None:
        return
    label = _("Confidence: {level}").format(level=_(LEVEL_WORDS[computed.level]))
    with st.expander(label, key="confidence"):
        st.html(format_confidence(computed))
        if found.is_quoted:
            st.caption(_(QUOTED_NOTE))


def format_confidence(computed: Confidence) -> str:
    """Return the computed confidence as HTML: its level and why, and each measure shown."""
    rows = "".join(
        f"<tr><th scope=row>{escape_line(capitalize_first(line.name))}</th>"
        f"<td>{escape_line(line.value)}</td>"
        f"<td>{LEVEL_BADGES[line.level].html}</td>"
        f"<td>{escape_line(line.why)}</td></tr>"
        for line in computed.visible_lines
    )
    reason = escape_line(computed.reason or "")
    head = f"<p>{LEVEL_BADGES[computed.level].html} {reason}</p>"
    name = escape_line(_("Confidence"))
    return f'{head}<table class="plain computed" aria-label="{name}">{rows}</table>'


@st.fragment
def draw_contradictions(
    built: Report, citations: Sequence[SourceCitation], found: Sequence[Contradiction]
) -> None:
    """Draw a sortable row for each claim, and the selected claim's passage.

    Without contradictions, the text and the confidence say whether anything could be compared.
    """
    if not found:
        return
    st.header(_("Contradictions"), anchor=False)
    columns = list_columns()
    claims: list[tuple[int, Contradiction, Claim]] = []
    for number, one in enumerate(found, 1):
        claims += [(number, one, claim) for claim in one.claims]
    titles = {source.number: source.title for source in list_kept_sources(built)}
    with st.container(key="contradictions_table"):
        chosen: Any = st.dataframe(
            pd.DataFrame([_claim_row(*claim, titles) for claim in claims], columns=list(FIELDS)),
            column_config=columns,
            hide_index=True,
            height="content" if len(claims) <= 6 else 440,
            row_height=WRAPPED_ROW_HEIGHT,
            key="contradictions",
            on_select="rerun",
            selection_mode="single-row",
            alt=_("Statements of sources that contradict each other"),
        )
        # A selection of an earlier table can point beyond this one.
        rows = chosen.selection.rows
        one, claim = claims[rows[0] if rows and rows[0] < len(claims) else 0][1:]
        st.html(
            f'<p class="about">{escape_line(_describe_kind(one))}'
            f"</p>{format_claim_passage(built, citations, claim)}"
        )
    st.html(format_contradictions(built, citations, found))
    st.caption(_("Found by comparing words. Conflicts worded differently may be missed."))


def format_contradictions(
    built: Report, citations: Sequence[SourceCitation], found: Sequence[Contradiction]
) -> str:
    """Return the contradictions as a list, for screens too narrow for the table. HTML.

    The style sheet shows either the list or the table.
    """
    items = ""
    for one in found:
        claims = "".join(
            f"<div>{_format_claim(claim)}{format_claim_passage(built, citations, claim)}</div>"
            for claim in one.claims
        )
        items += (
            f"<li><p><b>{escape_line(one.about)}</b> <span "
            f"class=about>{escape_line(_describe_kind(one))}</span></p>{claims}</li>"
        )
    return f'<ol class="differing" aria-label="{escape_line(_("Contradictions"))}">{items}</ol>'


def _format_claim(claim: Claim) -> str:
    facts = []
    if claim.published:
        facts.append(_("published {day}").format(day=claim.published))
    if claim.credibility is not None:
        facts.append(_("credibility {score}").format(score=format_number(claim.credibility, ".2f")))
    return f'<p class="about">{escape_line(" · ".join(facts))}</p>'


#: The kinds of contradictions, as they are shown.
KIND_NAMES = (
    N_("differs"),
    N_("one says, another denies"),
    N_("may be of another date"),
    N_("may be of another scope"),
)


def _describe_kind(one: Contradiction) -> str:
    """Return what may explain a contradiction."""
    kind = _(one.kind)
    return f"{kind}: {one.why}" if one.why else kind


def _claim_row(
    number: int, one: Contradiction, claim: Claim, titles: Mapping[int, str]
) -> tuple[Any, ...]:
    source = f"[{claim.source}] {clean_cell(titles[claim.source])}"
    return (
        number,
        clean_cell(one.about),
        clean_cell(claim.value),
        source,
        clean_cell(_describe_kind(one)),
        claim.published,
        claim.credibility,
    )


def format_claim_passage(built: Report, citations: Sequence[SourceCitation], claim: Claim) -> str:
    """Return a claim's passage, with a link to its place in the text if it is cited. HTML."""
    source = next(each for each in list_kept_sources(built) if each.number == claim.source)
    text = claim.sentence
    for passage in source.passages:
        if passage.id == claim.passage:
            text = passage.text
            break
    cited = _find_citation(citations, claim)
    link = ""
    if cited:
        link = f' <a href="#goto-{cited.number}">{escape_line(_("Show in report"))}</a>'
    head = (
        f"<b>{escape_line(claim.value)}</b> [{source.number}]"
        f" {format_link(escape_line(source.title), source.address)}{link}"
    )
    return (
        f'<p class="about">{head}</p><blockquote'
        f' class="page">{format_pieces(_split_at_sentence(text, claim.sentence))}</blockquote>'
    )


def _find_citation(citations: Sequence[SourceCitation], claim: Claim) -> SourceCitation | None:
    """Return the first citation of the claim's source for the claim's sentence, if any."""
    for cited in citations:
        if cited.source.number != claim.source:
            continue
        if " ".join(cited.sentence.text.split()) == claim.sentence:
            return cited
    return None


def _split_at_sentence(text: str, sentence: str) -> list[tuple[str, int]]:
    """Split the passage at the sentence, which must match except for white space, and mark it."""
    found = re.search(r"\s+".join(map(re.escape, sentence.split())), text)
    if found is None:
        return [(text, CITED)]
    return [(text[: found.start()], CITED), (found[0], QUOTED), (text[found.end() :], CITED)]
