"""Build the whole report as one sequence of parts, for formats read in order: PDF and DOCX."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from research_core.citations.cited_passages import SourceCitation, list_citations
from research_core.export import document
from research_core.export.cells import clean_line
from research_core.export.document import (
    CheckResult,
    DocumentPart,
    TextRun,
    TextRuns,
    describe_source,
    explain_score,
    get_check,
    get_source_name,
    get_source_url,
    join_run_text,
    list_kept_sources,
    list_unused_sources,
)
from research_core.i18n import _, gettext, in_report_language, join_list, ngettext
from research_core.models import VERDICT_STATES, Report, ReportSource

#: Characters of a passage shown with its citation; the HTML and the evidence pack have all of it.
PASSAGE_CHARS = 600


@in_report_language
def build_outline(built: Report) -> list[DocumentPart]:
    """Build the parts of the whole document, in order.

    Kinds besides those of the text: title, facts, notice, source (level: its number), detail
    (small, under the part above).
    """
    return list(_build_parts(built))


def _build_parts(built: Report) -> Iterator[DocumentPart]:
    yield DocumentPart("title", (TextRun(document.format_title(built)),))
    yield DocumentPart("facts", (TextRun(document.format_facts(built)),))
    cited = list_citations(built)
    if cited:
        yield DocumentPart("facts", (TextRun(format_legend(cited)),))
        if explained := document.explain_single_source(built):
            yield DocumentPart("facts", (TextRun(explained),))
    yield from (DocumentPart("notice", notice) for notice in document.list_notices(built))
    yield from document.build_text_parts(built)
    yield _make_heading(_("Sources"))
    used = list_kept_sources(built)
    if not used:
        yield DocumentPart("paragraph", (TextRun(_("No source was kept.")),))
    for source in used:
        yield from _build_source_parts(source, built)
    if cited:
        yield _make_heading(_("Citations and their passages"))
    for one in cited:
        yield from _build_citation_parts(one)
    yield from _build_score_parts(built)
    yield _make_heading(_("Methodology"))
    yield from (DocumentPart("method", runs) for runs in document.list_methods(built))
    session = _("Session {session}").format(session=clean_line(built.session))
    yield DocumentPart("facts", (TextRun(session),))


def format_legend(cited: Iterable[SourceCitation]) -> str:
    """Format the count of each check result, which also explains the signs."""
    cited = tuple(cited)
    states = [get_check(one) for one in cited]
    results = [format_result(states.count(each), each) for each in dict.fromkeys(states)]
    return format_checked_count(cited, join_list(results))


def format_result(count: int, result: CheckResult) -> str:
    """Say how many citations have a result, with its sign."""
    text = _("{count} {word} ({sign})")
    return text.format(count=count, word=result.word, sign=result.symbol)


def format_checked_count(cited: Sequence[SourceCitation], results: str) -> str:
    """Say how many citations were compared, and with which results.

    Sentences that are quoted word for word are not compared with themselves.
    """
    count = len(cited)
    if all(one.state == "quoted" for one in cited):
        return ngettext(
            "{count:,} citation: {results}", "{count:,} citations: {results}", count
        ).format(count=count, results=results)
    return ngettext(
        "{count:,} citation compared with the stored passages by words and numbers: {results}",
        "{count:,} citations compared with the stored passages by words and numbers: {results}",
        count,
    ).format(count=count, results=results)


def join_words(parts: Iterable[DocumentPart]) -> str:
    """Join everything that a document of these parts prints."""
    lines: list[str] = []
    for part in parts:
        lines.append(join_run_text(part.runs))
        for row in part.rows:
            lines += map(join_run_text, row)
    return "\n".join(lines)


def _make_heading(text: str) -> DocumentPart:
    return DocumentPart("heading", (TextRun(text),), 2)


def _build_source_parts(source: ReportSource, built: Report) -> Iterator[DocumentPart]:
    yield DocumentPart(
        "source",
        (TextRun(get_source_name(source), url=get_source_url(source)),),
        source.number,
        place=f"source-{source.number}",
    )
    yield _make_detail(describe_source(source, built))
    if source.parts:
        yield _make_detail(explain_score(source, built))
    if source.relevance:
        yield _make_detail(clean_line(source.relevance.explanation))
    if get_source_url(source):
        yield _make_detail(clean_line(get_source_url(source)))


def _make_detail(text: str) -> DocumentPart:
    return DocumentPart("detail", (TextRun(text),))


def _build_citation_parts(cited: SourceCitation) -> Iterator[DocumentPart]:
    found = get_check(cited)
    note = f" {clean_line(cited.sentence.note)}" if cited.sentence.note else ""
    source = TextRun(
        document.format_cited_source(cited.source), place=f"source-{cited.source.number}"
    )
    yield DocumentPart(
        "cited", document.build_sentence_runs(cited), cited.number, place=f"cite-{cited.number}"
    )
    yield DocumentPart("detail", (TextRun(f"{found.symbol} {found.word}.{note} "), source))
    yield DocumentPart("passage", document.build_passage_context(cited, PASSAGE_CHARS))


def _build_score_parts(built: Report) -> Iterator[DocumentPart]:
    """Build the table of used and unused sources, and the count of those not in it."""
    shown = [*list_kept_sources(built), *list_unused_sources(built)[: document.MAX_UNUSED_SOURCES]]
    left = [
        text
        for text in (document.describe_omitted(built), document.describe_passed_over(built))
        if text
    ]
    if not shown and not left:
        return
    yield _make_heading(_("Scores and decisions"))
    if shown:
        head = tuple(
            (TextRun(words, "strong"),)
            for words in (
                _("No."),
                _("Source"),
                _("Decision"),
                _("Credibility"),
                _("Relevance"),
                _("Why"),
            )
        )
        yield DocumentPart(
            "table",
            level=1,
            rows=(head, *map(_build_score_row, shown)),
            widths=(7, 27, 13, 16, 14, 33),
        )
    yield from (DocumentPart("facts", (TextRun(text),)) for text in left)


def _build_score_row(source: ReportSource) -> tuple[TextRuns, ...]:
    url = get_source_url(source)
    title = TextRun(clean_line(source.title, 120) or get_source_name(source), url=url)
    if not source.number:
        decision = gettext(VERDICT_STATES[source.status].word)
    elif source.copy_of:
        decision = _("kept, copy of [{number}]").format(number=source.copy_of)
    else:
        decision = _("kept")
    score = f"{source.parts.score:.2f}" if source.parts else "–"
    return (
        (TextRun(str(source.number or "")),),
        (title,),
        (TextRun(decision),),
        (TextRun(score),),
        (TextRun(document.format_relevance(source) or "–"),),
        (TextRun(clean_line(source.reason, 300)),),
    )
