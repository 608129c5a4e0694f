"""Draw what the check of a report found: the score card, each sentence, each source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import streamlit as st

from parts.audit.audit_badges import RESULT_BADGES, STATE_BADGES, UNCITED_BADGE
from parts.audit.stored_notes import translate_note
from parts.shared import current_user
from parts.shared.badges import DANGLING_BADGE
from parts.shared.html_text import escape_line, format_link
from research_core.citations import cited_passages
from research_core.citations.cited_passages import SourceCitation
from research_core.export.audit import explain_verdict, get_link_address, list_remarks, name_source
from research_core.i18n import N_, _, format_number, gettext, list_translations, ngettext
from research_core.models import Block, Report, ReportSource, Sentence, SentenceState
from research_core.pipeline.audit_result import (
    DANGLING,
    FAULT_LABELS,
    RESULT_LABELS,
    STATE_LABELS,
    UNCITED,
    AuditedClaim,
    AuditedSource,
    AuditResult,
)
from research_core.pipeline.audit_text import TEXT_HEADING
from research_core.policy import CredibilityPolicy
from research_core.sessions import audits
from research_core.sessions.snapshot import Snapshot
from research_core.text.words import escape_markdown
from research_core.wiring import default_resources

#: Characters of a sentence, an entry or a passage that a table shows.
MAX_SENTENCE_CHARS, MAX_ENTRY_CHARS, MAX_PASSAGE_CHARS = 3_000, 160, 300
#: Rows that are drawn before somebody asks for all.
MAX_TABLE_ROWS = 40
NOT_FOUND = N_("not found")
#: What the credibility counts in a check, and in those of earlier versions.
SITE_EXPLAINED = N_(
    "Credibility rates only the site here. A research report also counts the question's words and"
    " a date since 2020, so the same page scores differently there."
)
CITED_FOR_EXPLAINED = N_(
    "Part of the credibility is the keyword match. Here, it compares a source with"
    " the sentences that cite it."
)
#: The results in the order in which a reader should see them; "" is that of an uncited fact.
URGENCY = (*RESULT_LABELS, "")


def read_result(snapshot: Snapshot) -> AuditResult:
    """Return what the check of this session found so far."""
    who = current_user.current_principal()
    return _read_result(who.tenant, who.user, snapshot.session, snapshot.seq)


@st.cache_data(max_entries=32, show_spinner=False)
def _read_result(tenant: str, user: str, session: str, seq: int) -> AuditResult:
    # The event number is part of the key, so that what is cached stays true.
    result = audits.read_audit(default_resources(), session, who=current_user.current_principal())
    assert result is not None  # of a session that checks a report
    return result


def map_sources(snapshot: Snapshot) -> dict[str, AuditedSource]:
    """Return what a check found on each source, by URL; nothing if no report is checked."""
    if not snapshot.run.settings.checks_report:
        return {}
    return {source.key: source for source in read_result(snapshot).sources}


def explain_credibility(policy: CredibilityPolicy) -> str:
    """Return what the credibility counts in a check."""
    counts_words = policy.relevance_weight or policy.recency_bonus
    return _(CITED_FOR_EXPLAINED if counts_words else SITE_EXPLAINED)


def keep_checked_text(built: Report, result: AuditResult) -> Report:
    """Return the report from the checked text on, its sources numbered as the given report does."""
    headings = list_translations(TEXT_HEADING)
    first = 0
    for place, block in enumerate(built.blocks):
        if block.kind == "heading" and block.sentences[0].text in headings:
            first = place + 1
            break
    blocks = _apply_verdicts(built.blocks[first:], result)
    return replace(built, blocks=blocks, sources=_number_as_given(built, result))


def _apply_verdicts(blocks: Sequence[Block], result: AuditResult) -> tuple[Block, ...]:
    """Return the paragraphs with the verdict of each cited sentence, as the table words it."""
    claims = {claim.number: claim for claim in result.cited}
    number = 0
    found: list[Block] = []
    for block in blocks:
        sentences = list(block.sentences)
        for place, sentence in enumerate(sentences if block.kind == "paragraph" else ()):
            claim = claims.get(number)
            number += 1
            if claim is None or not claim.verdict or sentence.text != escape_markdown(claim.text):
                continue
            sentences[place] = replace(
                sentence,
                state=cast("SentenceState", claim.result),
                note=translate_note(sentence.note, result.language),
            )
        found.append(replace(block, sentences=tuple(sentences)))
    return tuple(found)


def _number_as_given(built: Report, result: AuditResult) -> tuple[ReportSource, ...]:
    """Return the sources with the numbers of the table, unless a mark of the report is a name."""
    given = result.number_sources()
    numbers = {0: "0", **{one.number: given[one.url] for one in built.sources if one.number}}
    if not all(mark.isdecimal() for mark in numbers.values()):
        return built.sources
    renumbered = []
    for source in built.sources:
        number, original = int(numbers[source.number]), int(numbers[source.copy_of])
        renumbered.append(replace(source, number=number, copy_of=original))
    return tuple(renumbered)


def draw_card(result: AuditResult) -> None:
    """Draw the counts of verdicts, each a link to its next sentence, and what else was found."""
    counts = result.count_groups()
    badges = []
    for result_name, badge in RESULT_BADGES.items():
        if result_name in counts:
            words = _("{count} {state}").format(count=counts[result_name], state=badge.text)
            badges.append(badge._replace(word=words).html)
    whole, *further = result.card.describe()
    if result.cited:
        whole = ngettext(
            "{count} cited sentence:", "{count} cited sentences:", len(result.cited)
        ).format(count=len(result.cited))
    st.html(f'<p class="facts audit">{escape_line(whole)} {" ".join(badges)}</p>')
    if further:
        st.html(f'<p class="facts audit">{escape_line(" ".join(further))}</p>')


def list_citations(checked: Report, result: AuditResult) -> tuple[SourceCitation, ...]:
    """Return every citation of the text in reading order, whatever became of its source.

    Those of sources that were not read are among them, and marks that lead to no source.
    checked: what `keep_checked_text` returns. Each citation has the mark of the table.
    """
    marks = result.number_sources()
    sources = {source.url: source for source in checked.sources}
    audited = {source.key: source for source in result.sources}
    claims = _map_claims(checked, result)
    citations: list[SourceCitation] = []
    found = cited_passages.list_citations(checked)
    pairs = cited_passages.pair_sentences_with_citations(checked, found)
    for place, (sentence, read) in enumerate(pairs):
        by_work = {one.source.url: one for one in read}
        claim = claims.get(place)
        works = {each.work: each for each in claim.citations} if claim else {}
        for work, citation in works.items():
            one = by_work.get(work)
            if one is None:
                source, said = sources.get(work), sentence
                if source is None or not source.page:
                    source = _describe_unread(audited[work], source, marks[work])
                    said = replace(
                        sentence,
                        state=cast("SentenceState", citation.result),
                        note=citation.note,
                    )
                # Of two sources with one text, the passage is listed with the first.
                start = citation.start if citation.end else 0
                passages = tuple(each for each in source.passages if each.start == start)
                one = SourceCitation(0, place, said, source, passages)
            citations.append(replace(one, number=len(citations) + 1, mark=marks[work]))
        for mark in claim.unresolved if claim else ():
            citations.append(_describe_dangling(len(citations) + 1, place, sentence, mark))
    return tuple(citations)


def find_most_urgent(citations: Sequence[SourceCitation]) -> int:
    """Return the number of the citation that a reader should see first; 1 if all hold."""
    states = [
        URGENCY.index(one.state) if one.state in URGENCY else len(URGENCY) for one in citations
    ]
    return states.index(min(states)) + 1


def _describe_dangling(number: int, place: int, sentence: Sentence, mark: str) -> SourceCitation:
    """Return a mark that leads to no source as a citation."""
    source = ReportSource(
        "", _("The report lists no source for this citation."), 0, "not_read", "", None
    )
    bare = mark.removeprefix("[").removesuffix("]")
    return SourceCitation(number, place, sentence, source, (), bare, is_dangling=True)


def _describe_unread(source: AuditedSource, listed: ReportSource | None, mark: str) -> ReportSource:
    """Return a source that was not read, with what became of it as its reason."""
    number = int(mark) if mark.isdecimal() else 0
    if listed is None:
        listed = ReportSource(source.url, "", number, "not_read", "", None)
    state = gettext(STATE_LABELS[source.state])
    return replace(listed, title=name_source(source), number=number, reason=state)


def _map_claims(checked: Report, result: AuditResult) -> dict[int, AuditedClaim]:
    """Return the cited claims by the places of their sentences in the text, from 0."""
    claims = {claim.number: claim for claim in result.cited}
    found: dict[int, AuditedClaim] = {}
    # Each sentence of the given report is one of a paragraph, in the same order.
    number, place = 0, 0
    for block in checked.blocks:
        for sentence in block.sentences:
            claim = claims.get(number) if block.kind == "paragraph" else None
            if claim is not None and sentence.text == escape_markdown(claim.text):
                found[place] = claim
            number += block.kind == "paragraph"
            place += 1
    return found


# -- sentences ------------------------------------------------------------------------------------


@st.fragment
def draw_sentences(result: AuditResult) -> None:
    """Draw a row for each sentence with its verdict; those that do not hold come first."""
    st.header(_("Sentences"), anchor=False)
    labels = _label_filters(result)
    only = st.pills(
        _("Show only"),
        list(labels),
        selection_mode="multi",
        key="only_sentences",
        format_func=labels.__getitem__,
    )
    claims = [claim for claim in result.claims if is_wanted(claim, only)]
    claims.sort(key=lambda claim: URGENCY.index(claim.result))
    shown = claims
    if len(claims) > MAX_TABLE_ROWS and not st.session_state.get("all_sentences"):
        shown = claims[:MAX_TABLE_ROWS]
    st.html(format_sentences(shown, result))
    if len(shown) < len(claims):
        st.button(
            _("Show all {count}").format(count=len(claims)),
            key="all_sentences_button",
            on_click=st.session_state.update,
            args=({"all_sentences": True},),
        )


def _label_filters(result: AuditResult) -> dict[str, str]:
    labels = {}
    for group, count in result.count_groups().items():
        if group == DANGLING:
            labels[group] = _("no matching source {count}").format(count=count)
        elif group == UNCITED:
            labels[group] = _("no citation {count}").format(count=count)
        else:
            labels[group] = f"{RESULT_BADGES[group].label} {count}"
    return labels


def is_wanted(claim: AuditedClaim, only: Sequence[str]) -> bool:
    if not only:
        return claim.is_cited
    return not set(only).isdisjoint(claim.groups)


def format_sentences(claims: Sequence[AuditedClaim], result: AuditResult) -> str:
    """Return the table of sentences as HTML."""
    columns = (_("Verdict"), _("Sentence"), _("What is wrong"), _("Source"))
    head = "".join(f'<th scope="col">{escape_line(name)}</th>' for name in columns)
    sources = {source.key: source for source in result.sources}
    numbers = result.number_sources()
    places = result.locate_claims()
    rows = "".join(_format_claim(claim, places[claim.number], sources, numbers) for claim in claims)
    name = escape_line(_("Sentences"))
    return (
        f'<table class="plain audited" aria-label="{name}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _format_claim(
    claim: AuditedClaim,
    place: str,
    sources: Mapping[str, AuditedSource],
    numbers: Mapping[str, str],
) -> str:
    verdict = RESULT_BADGES[claim.result].html if claim.result else UNCITED_BADGE.html
    if claim.unresolved:
        verdict += f"<br>{DANGLING_BADGE.html}"
    cited = []
    for citation in claim.citations:
        source = sources[citation.work]
        title = escape_line(name_source(source), MAX_ENTRY_CHARS)
        shown = format_link(f'<bdi dir="auto">{title}</bdi>', get_link_address(source))
        passage = ""
        if citation.passage:
            words = escape_line(citation.passage, MAX_PASSAGE_CHARS)
            passage = f'<span class="about" dir="auto">{words}</span>'
        cited.append(f"[{escape_line(numbers[citation.work])}] {shown}{passage}")
    cited += [escape_line(mark) for mark in claim.unresolved]
    return (
        f"<tr><td>{verdict}</td>"
        f'<td dir="auto">{escape_line(claim.text, MAX_SENTENCE_CHARS)}'
        f'<span class="about">{escape_line(place)}</span></td>'
        f"<td>{_format_fault(claim)}</td><td>{'<br>'.join(cited)}</td></tr>"
    )


def _format_fault(claim: AuditedClaim) -> str:
    fault = ""
    if claim.fault:
        fault = f"<b>{escape_line(gettext(FAULT_LABELS[claim.fault]))}</b>"
    told = explain_verdict(claim)
    note = f'<span class="about">{escape_line(told, 400)}</span>' if told else ""
    return f"{fault}{note}"


# -- sources --------------------------------------------------------------------------------------


def draw_sources(result: AuditResult, policy: CredibilityPolicy) -> None:
    """Draw a row for each source that the report lists or links; the failing ones come first."""
    if not result.sources:
        return
    st.header(_("Cited sources"), anchor=False)
    st.html(format_sources(result))
    if any(source.parts for source in result.sources):
        st.caption(explain_credibility(policy))


def format_sources(result: AuditResult) -> str:
    """Return the table of sources as HTML."""
    numbers = result.number_sources()
    columns = (_("State"), _("Source"), _("Credibility"), _("Remarks"), _("Cited by"))
    head = "".join(f'<th scope="col">{escape_line(name)}</th>' for name in columns)
    order = sorted(result.sources, key=lambda source: source.state == "live")
    rows = "".join(_format_source(source, numbers) for source in order)
    name = escape_line(_("Cited sources"))
    return (
        f'<table class="plain audited" aria-label="{name}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _format_source(source: AuditedSource, numbers: Mapping[str, str]) -> str:
    title = escape_line(name_source(source), MAX_ENTRY_CHARS)
    shown = format_link(f'<bdi dir="auto">{title}</bdi>', get_link_address(source))
    address = f'<span class="about">{escape_line(source.url, MAX_ENTRY_CHARS)}</span>'
    score = format_number(source.parts.score, ".2f") if source.parts else "–"
    cited = ngettext("{count} sentence", "{count} sentences", source.cited_by)
    return (
        f"<tr><td>{STATE_BADGES[source.state].html}</td>"
        f"<td>[{escape_line(numbers[source.key])}] {shown}{address}</td><td>{score}</td>"
        f"<td>{escape_line(' · '.join(_list_remarks(source, numbers)), 600)}</td>"
        f"<td>{escape_line(cited.format(count=source.cited_by))}</td></tr>"
    )


def _list_remarks(source: AuditedSource, numbers: Mapping[str, str]) -> list[str]:
    remarks = list_remarks(source, numbers)
    return [*remarks, source.reason] if source.reason else remarks
