"""The sources and the citations of a report as CSV, for spreadsheets.

What a spreadsheet would take for a formula gets a quote before it. Nothing is left out but the
passages' surroundings.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterable, Sequence

from research_core.citations.cited_passages import SourceCitation, list_citations
from research_core.export import check
from research_core.export.cells import clean_cell
from research_core.export.document import CHECK_RESULTS
from research_core.models import Passage, Report
from research_core.pipeline import report
from research_core.pipeline.methodology import format_moment
from research_core.pipeline.page_support import find_support_in_page
from research_core.trust import provenance

#: The columns of sources.csv in their order.
_SOURCE_COLUMNS = (
    "number", "decision", "title", "url", "site", "credibility", "tier", "authority", "words",
    "date", "words found", "words missing",
    "relevance", "relevance scored", "why", "approved", "published", "read", "page sha256",
    "copy of", "read from", "not read", "hidden texts", "speaks to machines", "retracted",
    "authors", "kind of page", "changed",
)  # fmt: skip


def format_source_table(built: Report) -> str:
    """Format one row per source, kept ones first, with every part of its scores."""
    rows: list[list[str]] = []
    for source, told in zip(built.sources, report.to_json(built)["sources"], strict=True):
        cells = dict(zip(check.SOURCE_COLUMNS, check.build_source_row(told), strict=True))
        cells["site"] = provenance.name_site(source.address)
        cells["read"] = format_moment(source.fetched) if source.fetched else ""
        cells["not read"] = provenance.describe_unread(source)
        cells["kind of page"] = provenance.name_page_kind(source)
        rows.append([cells[name] for name in _SOURCE_COLUMNS])
    return format_clean_csv(_SOURCE_COLUMNS, rows)


def format_citation_table(built: Report, page_text: Callable[[str], str]) -> str:
    """Format one row per passage that a sentence cites, with the result of its checks."""
    names = (
        "citation", "sentence", "check", "note", "source", "url", "passage", "from", "to",
        "in stored page", "page sha256", "passage text", "on the page instead", "from there",
        "to there",
    )  # fmt: skip
    rows: list[tuple[str, ...]] = []
    for one in list_citations(built):
        page = page_text(one.source.page) if one.source.page else ""
        for passage in one.passages:
            rows.append(_build_citation_row(one, passage, page))
    return format_csv(names, rows)


def _build_citation_row(one: SourceCitation, passage: Passage, page: str) -> tuple[str, ...]:
    return (
        str(one.number),
        clean_cell(one.sentence.text),
        CHECK_RESULTS.get(one.state, CHECK_RESULTS["could not check"]).word,
        clean_cell(one.sentence.note),
        str(one.source.number),
        clean_cell(one.source.address),
        passage.id,
        str(passage.start),
        str(passage.end),
        check.describe_place(page, passage.start, passage.end, passage.text),
        one.source.page,
        clean_cell(passage.text),
        *_find_other_place(one, page),
    )


def _find_other_place(one: SourceCitation, page: str) -> tuple[str, str, str]:
    """Return words and offsets of the place that holds a sentence in doubt; empty if none."""
    place = find_support_in_page(one.sentence, one.passages, page)
    if not place:
        return "", "", ""
    return clean_cell(place.text), str(place.start), str(place.end)


def format_csv(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format CSV with every field quoted, after the mark by which spreadsheets recognise UTF-8."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows(rows)
    return "\ufeff" + out.getvalue()


def format_clean_csv(
    names: Sequence[str], rows: Iterable[Sequence[str]], figures: Collection[str] = ()
) -> str:
    """Format CSV with every cell cleaned, except in columns of `figures`, which may be negative."""
    cleaned: list[list[str]] = []
    for row in rows:
        cells = zip(names, row, strict=True)
        cleaned.append([cell if name in figures else clean_cell(cell) for name, cell in cells])
    return format_csv(names, cleaned)
