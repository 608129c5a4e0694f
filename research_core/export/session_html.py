"""Export a whole session as one self-contained HTML file: report, passages, sources and gate.

It is the report's HTML with more sections. It holds no script, loads nothing, and opens offline;
whatever others wrote is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from research_core.export import document, html
from research_core.export.cells import clean_line
from research_core.export.document import get_source_name, get_source_url
from research_core.export.html import Section
from research_core.i18n import N_, _, gettext, in_report_language, ngettext
from research_core.models import SESSION_STATES, VERDICT_STATES, Passage, Report, ReportSource
from research_core.modes import ResearchMode
from research_core.policy import CHECKED, RunSettings, checks_report
from research_core.text.words import capitalize_first

#: Sources that the list names; a session with more has a CSV for them.
MAX_SOURCES = 2_000
STYLE = """
details.source { border-bottom: 1px solid var(--rule); padding: .3rem 0; }
details.source > summary { margin: 0; }
details.source > :not(summary) { margin: .35rem 0 .35rem 1.1rem; }
.decision { font: 600 .8rem/1.4 system-ui, sans-serif; white-space: nowrap; }
@media print { details.source::details-content { content-visibility: visible; } }
"""
#: How an engine failed to answer a query.
SEARCH_FAILURES = {
    "empty": N_("no results"),
    "refused": N_("refused"),
    "timed_out": N_("timed out"),
    "failed": N_("failed"),
}


@in_report_language
def render_session(built: Report) -> str:
    """Render the whole file."""
    sections = [
        Section("gate", _("Gate"), "\n".join(_render_gate(built))),
        Section("all-sources", _("All sources"), "\n".join(_render_sources(built))),
    ]
    if built.searches:
        sections.append(Section("searches", _("Searches"), _render_searches(built.searches)))
    return html.render_html(built, sections, STYLE)


# -- the gate --------------------------------------------------------------------------------------


def _render_gate(built: Report) -> Iterator[str]:
    state = CHECKED if checks_report(built.settings) else built.decision
    decision = capitalize_first(_(SESSION_STATES[state].word))
    rationale = clean_line(built.rationale, 2_000).rstrip(".")
    yield f"<p><strong>{escape(decision)}.</strong> {escape(rationale)}.</p>"
    facts = "".join(f"<li>{escape(fact)}</li>" for fact in _list_thresholds(built))
    yield f'<ul class="small">{facts}</ul>'
    judged = [source for source in built.sources if source.relevance]
    if not judged:
        yield f"<p>{escape(_('No source was judged.'))}</p>"
        return
    columns = (_("Source"), _("Decision"), _("Relevance"), _("Why"))
    yield _render_table(columns, map(_render_judgement, judged))


def _list_thresholds(built: Report) -> Iterator[str]:
    settings = RunSettings.from_json(dict(built.settings))
    mode = ResearchMode.from_name(
        settings.mode,
        relevance_cutoff=settings.relevance_cutoff,
        min_full=settings.min_full,
        min_short=settings.min_short,
        sources=settings.sources,
    )
    minimum = f"{settings.credibility.minimum:.2f}"
    yield _("Minimum credibility: {minimum}").format(minimum=minimum)
    yield _("Minimum relevance: {score}/5").format(score=mode.relevance_cutoff)
    yield _("Full report: {full} relevant sources. Short report: {short}.").format(
        full=mode.min_sources_full_report, short=mode.min_sources_short_report
    )


def _render_judgement(source: ReportSource) -> str:
    explanation = clean_line(source.relevance.explanation, 2_000) if source.relevance else ""
    score = document.format_relevance(source) or _("not scored")
    cells = (
        escape(_(VERDICT_STATES[source.status].word)),
        escape(score),
        _render_words(explanation),
    )
    return f"<td>{_render_name(source)}</td>" + "".join(f"<td>{cell}</td>" for cell in cells)


# -- every source ----------------------------------------------------------------------------------


def _render_sources(built: Report) -> Iterator[str]:
    """Render every source that was found, each folded, with its decision, scores and passages."""
    total = len(built.sources)
    found = ngettext("{count} source found.", "{count} sources found.", total)
    yield f'<p class="small">{escape(found.format(count=total))}</p>'
    for source in built.sources[:MAX_SOURCES]:
        yield _render_source(source, built)
    if total > MAX_SOURCES:
        more = _("{count} more are in the CSV.").format(count=total - MAX_SOURCES)
        yield f'<p class="small">{escape(more)}</p>'


def _render_source(source: ReportSource, built: Report) -> str:
    number = f"[{source.number}] " if source.number else ""
    status = f'<span class="decision">{escape(_(VERDICT_STATES[source.status].word))}</span>'
    name = f'<bdi dir="auto">{escape(get_source_name(source))}</bdi>'
    lines = [_render_line(document.describe_source(source, built))]
    if source.reason:
        lines.append(_render_line(clean_line(source.reason, 2_000)))
    if source.parts:
        lines.append(_render_line(document.explain_score(source, built)))
    address = get_source_url(source)
    if address:
        lines.append(f'<p class="small">{html.render_link(escape(address), address)}</p>')
    passages = "".join(map(_render_passage, source.passages))
    return (
        f'<details class="source"><summary>{number}{name} {status}</summary>'
        f"{''.join(lines)}{passages}</details>"
    )


def _render_passage(passage: Passage) -> str:
    return f"<blockquote>{html.render_passage(passage.text)}</blockquote>"


def _render_line(text: str) -> str:
    return f'<p class="small" dir="auto">{escape(text)}</p>'


# -- what was searched -----------------------------------------------------------------------------


def _render_searches(searches: Sequence[Mapping[str, Any]]) -> str:
    columns = (_("Query"), _("Engine"), _("Result"))
    return _render_table(columns, map(_render_search, searches))


def _render_search(search: Mapping[str, Any]) -> str:
    if search["state"] == "answered":
        count = ngettext("{count} result", "{count} results", search["results"])
        answer = count.format(count=search["results"])
    else:
        failure = gettext(SEARCH_FAILURES[search["state"]])
        answer = ": ".join(filter(None, (failure, str(search["reason"] or ""))))
    cells = (search["query"], search["engine"], answer)
    return "".join(f"<td>{_render_words(clean_line(str(cell), 500))}</td>" for cell in cells)


# -- words -----------------------------------------------------------------------------------------


def _render_table(columns: Sequence[str], rows: Iterable[str]) -> str:
    head = "".join(f'<th scope="col">{escape(words)}</th>' for words in columns)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'


def _render_name(source: ReportSource) -> str:
    name = f'<bdi dir="auto">{escape(get_source_name(source))}</bdi>'
    return html.render_link(name, get_source_url(source))


def _render_words(text: str) -> str:
    return f'<bdi dir="auto">{escape(text)}</bdi>'
