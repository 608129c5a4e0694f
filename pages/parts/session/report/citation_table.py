"""Draw a report's citations: one line of check results, and a table with whole sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import streamlit as st

from parts.session.report.prose import ALONE_EXPLAINED, SINGLE_SOURCE_LABELS
from parts.shared.badges import CHECK_BADGES, OVERSTATED, Badge
from parts.shared.html_text import escape_line, format_link
from research_core.citations.cited_passages import SourceCitation
from research_core.i18n import N_, _, format_number, join_list, ngettext, pgettext
from research_core.models import Report
from research_core.pipeline.backing import Backing, get_sentence_key
from research_core.pipeline.methodology import is_overstated, is_unsourced

ONE_SOURCE_BADGE = Badge("◇", N_("one source"), "gray")
UNCHECKED = CHECK_BADGES["could not check"]
#: Rows that are drawn before somebody asks for all.
MAX_TABLE_ROWS = 12
#: Characters of a sentence; longer ones are not sentences.
MAX_SENTENCE_CHARS = 3_000


def format_summary(built: Report, citations: Sequence[SourceCitation]) -> str:
    """Return counts of check results, each a link to its next citation in the text. HTML.

    It also serves as the legend of the signs.
    """
    counts: Counter[str] = Counter(cited.state for cited in citations)
    overstated = sum(is_overstated(cited.sentence) for cited in citations)
    missing = 0
    for block in built.blocks:
        missing += sum(is_unsourced(built, sentence) for sentence in block.sentences)
    jumps = []
    for state, badge in CHECK_BADGES.items():
        if counts[state]:
            jumps.append(_format_jump(state, _count_badge(badge, counts[state])))
    if overstated:
        jumps.append(_format_jump("overstated", _count_badge(OVERSTATED, overstated)))
    if missing:
        word = ngettext("{count} unsourced sentence", "{count} unsourced sentences", missing)
        jumps.append(
            _format_jump("uncited", Badge("∅", word.format(count=missing), "gray")),
        )
    count = ngettext("{count} citation checked:", "{count} citations checked:", len(citations))
    if set(counts) == {"quoted"}:  # nothing to check: a text would be compared with itself
        count = ngettext("{count} citation:", "{count} citations:", len(citations))
    words = escape_line(count.format(count=len(citations)))
    return f'<p class="facts jumps">{words} {" ".join(jumps)}</p>'


def _count_badge(badge: Badge, count: int) -> Badge:
    """Return a badge with a count before its word, both translated."""
    words = _("{count} {state}").format(count=count, state=_(badge.word))
    return badge._replace(word=words)


def _format_jump(state: str, badge: Badge) -> str:
    return (
        f'<button type="button" class="badge {badge.tone}" data-jump="{escape_line(state)}" '
        f'title="{escape_line(_("Go to the next one"))}">{escape_line(badge.label)}</button>'
    )


@st.fragment
def draw_table(citations: Sequence[SourceCitation], backings: Sequence[Backing]) -> None:
    """Draw a row for each citation; its sentence leads to its place in the text and its passage."""
    alone = {backing.place: _label_alone(backing) for backing in backings if backing.alone}
    labels = _format_labels(citations, alone)
    only = st.pills(
        _("Show only"),
        list(labels),
        selection_mode="multi",
        key="only_citations",
        format_func=labels.__getitem__,
        help=f"{ONE_SOURCE_BADGE.label}: {_(ALONE_EXPLAINED)}",
    )
    wanted = [cited for cited in citations if _is_wanted(cited, only, alone)]
    groups = group_repeated(wanted)
    shown = groups
    if not st.session_state.get("whole_citations"):
        shown = groups[:MAX_TABLE_ROWS]
    st.html(format_table(shown, alone, {backing.place: backing.also for backing in backings}))
    if len(shown) < len(groups):
        st.button(
            _("Show all {count}").format(count=len(groups)),
            key="whole_citation_table",
            on_click=_show_whole_table,
        )


def _label_alone(backing: Backing) -> Badge:
    """Return what a single-source sentence rests on; ◇ as in the exports."""
    return ONE_SOURCE_BADGE._replace(word=SINGLE_SOURCE_LABELS[backing.rest])


def _show_whole_table() -> None:
    st.session_state["whole_citations"] = True


def format_table(
    groups: Sequence[Sequence[SourceCitation]],
    alone: Mapping[int, Badge],
    also: Mapping[int, Sequence[int]],
) -> str:
    """Return the table as HTML, with a row for each of the groups of `group_repeated`.

    alone: by place, the badge of a single-source sentence. also: by place, the numbers of
    independent sources that state the same and are not cited.
    """
    columns = (_("No."), _("Sentence"), pgettext("column", "Check"), _("Source"))
    head = "".join(f'<th scope="col">{escape_line(name)}</th>' for name in columns)
    rows = "".join(
        _format_row(same, alone.get(same[0].place), also.get(same[0].place, ())) for same in groups
    )
    name = escape_line(_("Citations"))
    return (
        f'<table class="plain citations" aria-label="{name}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def group_repeated(citations: Sequence[SourceCitation]) -> list[list[SourceCitation]]:
    """Group the citations that repeat a sentence with the same source, in reading order."""
    groups: dict[tuple[str, str], list[SourceCitation]] = {}
    for cited in citations:
        groups.setdefault((get_sentence_key(cited.sentence), cited.label), []).append(cited)
    return list(groups.values())


def _format_row(same: Sequence[SourceCitation], alone: Badge | None, also: Sequence[int]) -> str:
    """Return the row of a sentence and a source. same: its citations, one for each place."""
    cited, *repeated = same
    sentence = escape_line(cited.sentence.text, MAX_SENTENCE_CHARS)
    badges = [_translate(CHECK_BADGES.get(cited.state, UNCHECKED)).html]
    if is_overstated(cited.sentence):
        badges.append(_translate(OVERSTATED).html)
    if alone:
        badges.append(_translate(alone).html_with_tooltip(_(ALONE_EXPLAINED)))
    numbers = str(cited.number)
    for other in repeated:
        numbers += f', <a id="cite-{other.number}" href="#goto-{other.number}">{other.number}</a>'
    note = ""
    if cited.sentence.note:
        note = f'<span class="about">{escape_line(cited.sentence.note)}</span>'
    if also:
        numbers_also = join_list([f"[{number}]" for number in also])
        words = _("also stated in {sources}").format(sources=numbers_also)
        note += f'<span class="about">{escape_line(words)}</span>'
    return (
        f'<tr id="cite-{cited.number}" data-number="{cited.number}"><td'
        f' data-column="{escape_line(_("No."))}">{numbers}</td>'
        f'<td><a href="#goto-{cited.number}" dir="auto">{sentence}</a></td>'
        f"<td>{' '.join(badges)}{note}</td><td>{_format_source(cited)}</td></tr>"
    )


def _format_source(cited: SourceCitation) -> str:
    source = cited.source
    facts = []
    if source.parts:
        facts.append(
            _("credibility {score}").format(score=format_number(source.parts.score, ".2f"))
        )
    if source.approved:
        facts.append(_("included by hand"))
    if source.relevance and source.relevance.scored:
        facts.append(_("relevance {score}/5").format(score=source.relevance.score))
    title = format_link(f'<bdi dir="auto">{escape_line(source.title)}</bdi>', source.address)
    return f'[{source.number}] {title}<span class="about">{escape_line(" · ".join(facts))}</span>'


def _translate(badge: Badge) -> Badge:
    return badge._replace(word=_(badge.word))


def _format_labels(
    citations: Sequence[SourceCitation], alone: Mapping[int, Badge]
) -> dict[str, str]:
    """Return a label with its count for each filter of the table."""
    labels = {}
    rows = [same[0] for same in group_repeated(citations)]
    counts: Counter[str] = Counter(cited.state for cited in rows)
    for state, badge in CHECK_BADGES.items():
        if counts[state]:
            labels[state] = f"{_translate(badge).label} {counts[state]}"
    # Sentences, as everywhere: one that rests on one site has a row for each of its sources.
    sentences = {cited.place for cited in rows if cited.place in alone}
    share = _("{count} of {total}").format(
        count=len(sentences), total=len({cited.place for cited in rows})
    )
    labels["alone"] = f"{ONE_SOURCE_BADGE.label} {share}"
    overstated = sum(is_overstated(cited.sentence) for cited in rows)
    if overstated:
        labels["overstated"] = f"{_translate(OVERSTATED).label} {overstated}"
    return labels


def _is_wanted(cited: SourceCitation, only: Sequence[str], alone: Mapping[int, Badge]) -> bool:
    """Return True if a citation passes the filters: one of these states (if any), one source."""
    if "alone" in only and cited.place not in alone:
        return False
    states = {name for name in only if name != "alone"}
    if not states or cited.state in states:
        return True
    return "overstated" in states and is_overstated(cited.sentence)
