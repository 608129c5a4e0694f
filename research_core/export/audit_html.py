"""Export the result of an audit as one HTML file: each sentence beside its passage, with filters.

The filters are check boxes that the style sheet reads: the file has no script, loads nothing and
needs no server.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from research_core.export import html
from research_core.export.audit import (
    RESULT_SIGNS,
    STATE_SIGNS,
    explain_verdict,
    get_claim_sign,
    get_link_address,
    list_remarks,
    name_source,
    name_verdict,
)
from research_core.export.cells import clean_line
from research_core.export.document import encode_web_url
from research_core.i18n import (
    _,
    get_language_tag,
    gettext,
    in_report_language,
    is_right_to_left,
    ngettext,
    put_in_quotes,
)
from research_core.pipeline.audit_result import (
    CONTRADICTED,
    DANGLING,
    RESULT_LABELS,
    STATE_LABELS,
    UNCITED,
    AuditedCitation,
    AuditedClaim,
    AuditedSource,
    AuditResult,
    ScoreCard,
)
from research_core.pipeline.methodology import SAMPLE_NOTICE, format_moment

STYLE_SHEET = Path(__file__).with_name("audit.css").read_text(encoding="utf-8")
#: Characters of a sentence, a passage, the name of a source, and a note or reason.
MAX_SENTENCE_CHARS, MAX_PASSAGE_CHARS, MAX_NAME_CHARS, MAX_NOTE_CHARS = 5_000, 1_500, 200, 1_000


class Filter(NamedTuple):
    """A check box that leaves only some sentences. name: their class and the end of its id."""

    name: str
    label: str
    total: int


class _ListedSource(NamedTuple):
    """A source with its mark in the report, and its place in the list of sources, from 1."""

    source: AuditedSource
    mark: str
    place: int


@in_report_language
def render_audit_html(result: AuditResult) -> str:
    """Return the whole file."""
    title = escape(_("Check of {title}").format(title=clean_line(result.question, MAX_NAME_CHARS)))
    filters = _list_filters(result)
    style_sheet = html.STYLE_SHEET + STYLE_SHEET + _write_filter_rules(filters)
    digest = base64.b64encode(hashlib.sha256(style_sheet.encode()).digest()).decode()
    direction = ' dir="rtl"' if is_right_to_left() else ""
    head = (
        f'<!doctype html>\n<html lang="{get_language_tag()}"{direction}>\n<head>\n'
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{html.CONTENT_POLICY.format(digest)}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n<style>{style_sheet}</style>\n</head>\n"
    )
    body = "\n".join(_render_body(result, title, filters))
    return f'{head}<body class="audit">\n{body}\n</body>\n</html>\n'


def _render_body(result: AuditResult, title: str, filters: Sequence[Filter]) -> Iterator[str]:
    facts = " · ".join(filter(None, (clean_line(result.name, 300), format_moment(result.created))))
    yield f'<header>\n<h1 dir="auto">{title}</h1>\n<p class="facts" dir="auto">{escape(facts)}</p>'
    yield "</header>"
    if result.is_sample:
        yield f'<p class="notice">{escape(gettext(SAMPLE_NOTICE))}</p>'
    if not result.complete:
        yield f'<p class="notice">{escape(_("The check is not complete."))}</p>'
    yield f"<main>\n<h2>{escape(_('Score card'))}</h2>"
    yield _render_bar(result.card)
    card = "".join(f"<li>{escape(line)}</li>" for line in result.card.describe())
    yield f'<ul class="card">{card}</ul>'
    if result.claims:
        yield f"<h2>{escape(_('Sentences'))}</h2>"
        yield _render_filters(filters)
        yield from _render_claims(result)
    if result.sources:
        yield f"<h2>{escape(_('Cited sources'))}</h2>"
        yield from _render_sources(result)
    note = _("Session {session}. This file loads nothing and works without a network.")
    session = escape(clean_line(result.session))
    yield f"</main>\n<footer><p>{escape(note).format(session=session)}</p></footer>"


# -- score card and filters ------------------------------------------------------------------------


def _render_bar(card: ScoreCard) -> str:
    """Draw the shares of the verdicts as a bar; the list below says the same in words."""
    if not card.claims:
        return ""
    counts = (
        ("supported", card.supported),
        ("partly", card.other_partly),
        (CONTRADICTED, card.contradicted),
        ("not found", card.other_not_found),
        ("not decided", card.not_decided),
        ("could not check", card.not_checked),
    )
    pieces = []
    start = 0
    for result, count in counts:
        if count:
            tone = RESULT_SIGNS[result].tone
            kind = _make_class(result)
            pieces.append(
                f'<rect class="tone-{tone} bar-{kind}" x="{start}" y="0" width="{count}" height="1"/>'
            )
            start += count
    return (
        f'<svg class="bar" viewBox="0 0 {card.claims} 1" preserveAspectRatio="none"'
        f' aria-hidden="true">{"".join(pieces)}</svg>'
    )


def _make_class(group: str) -> str:
    return group.replace(" ", "-")


def _list_filters(result: AuditResult) -> list[Filter]:
    labels = {DANGLING: _("no matching source"), UNCITED: _("no citation")}
    for result_name, label in RESULT_LABELS.items():
        labels[result_name] = f"{RESULT_SIGNS[result_name].symbol} {gettext(label)}"
    return [
        Filter(_make_class(group), labels[group], count)
        for group, count in result.count_groups().items()
    ]


def _write_filter_rules(filters: Sequence[Filter]) -> str:
    """Write the rules by which the check boxes hide sentences: none checked shows all."""
    if not filters:
        return ""
    boxes = ", ".join(f"#only-{each.name}:checked" for each in filters)
    rules = [
        f"body:has({boxes}) .claim {{ display: none; }}",
        f"body:has({boxes}) .part {{ display: none; }}",
    ]
    for each in filters:
        rules.append(
            f"body:has(#only-{each.name}:checked) .claim.is-{each.name} {{ display: grid; }}"
        )
    return "\n".join(rules)


def _render_filters(filters: Sequence[Filter]) -> str:
    boxes = "".join(
        f'<label><input type="checkbox" id="only-{each.name}"> {escape(each.label)}'
        f" <b>{each.total}</b></label>"
        for each in filters
    )
    legend = escape(_("Show only"))
    return f'<fieldset class="filters"><legend>{legend}</legend>{boxes}</fieldset>'


# -- sentences -------------------------------------------------------------------------------------


def _render_claims(result: AuditResult) -> Iterator[str]:
    """Render the sentences in reading order, under the headings of the report."""
    numbers, places = result.number_sources(), result.locate_claims()
    listed = {
        source.key: _ListedSource(source, numbers[source.key], place)
        for place, source in enumerate(result.sources, 1)
    }
    for heading, claims in groupby(result.claims, key=_get_heading):
        if clean_line(heading):
            yield f'<h3 class="part" dir="auto">{escape(clean_line(heading, MAX_NAME_CHARS))}</h3>'
        for claim in claims:
            yield _render_claim(claim, places[claim.number], listed)


def _get_heading(claim: AuditedClaim) -> str:
    return claim.heading


def _render_claim(claim: AuditedClaim, place: str, listed: Mapping[str, _ListedSource]) -> str:
    classes = " ".join(("claim", *(f"is-{_make_class(group)}" for group in claim.groups)))
    sign = get_claim_sign(claim)
    told = explain_verdict(claim)
    note = f'<p class="note" dir="auto">{_clean(told, MAX_NOTE_CHARS)}</p>'
    cited = [_render_citation(each, claim, listed[each.work]) for each in claim.citations]
    for mark in claim.unresolved:
        leads_nowhere = _("{mark}: no matching source in the report").format(
            mark=clean_line(mark, 200)
        )
        cited.append(f'<p class="about" dir="auto">{escape(leads_nowhere)}</p>')
    return (
        f'<article class="{classes} tone-{sign.tone}"><div class="said">'
        f'<p dir="auto">{_clean(claim.text, MAX_SENTENCE_CHARS)}</p>'
        f'<p class="about">{escape(place)}</p></div>'
        f'<div class="found"><p class="checked">{sign.symbol} {escape(name_verdict(claim))}</p>'
        f"{note if told else ''}{''.join(cited)}</div></article>"
    )


def _render_citation(citation: AuditedCitation, claim: AuditedClaim, listed: _ListedSource) -> str:
    source = listed.source
    number = f'<a href="#source-{listed.place}">[{_clean(listed.mark, 60)}]</a>'
    words = [_render_name(source)]
    if len(claim.citations) > 1:
        sign = RESULT_SIGNS[citation.result]
        label = escape(gettext(RESULT_LABELS[citation.result]))
        words.append(f'<span class="checked tone-{sign.tone}">{sign.symbol} {label}</span>')
    if source.state != "live":
        words.append(escape(gettext(STATE_LABELS[source.state])))
    passage = ""
    if citation.passage:
        quoted = put_in_quotes(clean_line(citation.passage, MAX_PASSAGE_CHARS))
        passage = f'<blockquote dir="auto">{escape(quoted)}</blockquote>'
    elif citation.note and citation.note != claim.note:
        passage = f'<p class="about" dir="auto">{_clean(citation.note, MAX_NOTE_CHARS)}</p>'
    return f'<p class="about">{number} {" · ".join(words)}</p>{passage}'


# -- sources ---------------------------------------------------------------------------------------


def _render_sources(result: AuditResult) -> Iterator[str]:
    numbers = result.number_sources()
    yield '<ul class="sources">'
    for place, source in enumerate(result.sources, 1):
        sign = STATE_SIGNS[source.state]
        state = escape(gettext(STATE_LABELS[source.state]))
        facts = [f'<span class="checked tone-{sign.tone}">{sign.symbol} {state}</span>']
        if source.parts:
            score = f"{source.parts.score:.2f}"
            facts.append(f"{escape(_('Credibility'))} {score}")
        cited = ngettext("{count} sentence", "{count} sentences", source.cited_by)
        facts.append(escape(cited.format(count=source.cited_by)))
        facts += [_clean(remark, MAX_NOTE_CHARS) for remark in list_remarks(source, numbers)]
        address = f'<span class="about" dir="auto">{_clean(source.url, 500)}</span>'
        reason = f'<span class="about" dir="auto">{_clean(source.reason, MAX_NOTE_CHARS)}</span>'
        yield (
            f'<li id="source-{place}">[{_clean(numbers[source.key], 60)}] {_render_name(source)}'
            f"{address if source.url else ''}"
            f'<span class="about">{" · ".join(facts)}</span>{reason if source.reason else ""}</li>'
        )
    yield "</ul>"


def _render_name(source: AuditedSource) -> str:
    name = f'<bdi dir="auto">{_clean(name_source(source), MAX_NAME_CHARS)}</bdi>'
    return html.render_link(name, encode_web_url(get_link_address(source)), "name")


def _clean(text: str, limit: int) -> str:
    return escape(clean_line(text, limit))
