"""The sources and the citations of a report as CSV, for spreadsheets.

What a spreadsheet would take for a formula gets a quote before it. Nothing is left out but the
passages' surroundings.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence

from research_core.citations.cited_passages import SourceCitation, list_citations
from research_core.export.document import clean_line, get_check
from research_core.models import Passage, Report, ReportSource, ScoreParts
from research_core.pipeline.methodology import format_moment
from research_core.pipeline.page_support import find_support_in_page
from research_core.trust import provenance
from research_core.web.hidden_text import count_machine_instructions

#: What begins a formula in one spreadsheet or another, full-width signs included.
_FORMULA_SIGNS = tuple("=+-@\t\r＝＋－＠")
_FORMULA_AFTER_SEPARATOR = re.compile(r"([;\t]\s*)(?=[=@＝＠]|[+＋－-](?=[^\W\d_]|\())")


def clean_cell(text: str, limit: int = 30_000) -> str:
    """Return any text as one line that no spreadsheet computes.

    limit: a spreadsheet cell holds 32,767 characters.
    """
    words = clean_line(text, limit)
    words = _FORMULA_AFTER_SEPARATOR.sub(r"\1'", words)  # where a semicolon parts the cells
    return f"'{words}" if words.startswith(_FORMULA_SIGNS) else words


def format_source_table(built: Report) -> str:
    """Format one row per source, kept ones first, with every part of its scores."""
    return format_csv(_SOURCE_COLUMNS, (_build_source_row(source) for source in built.sources))


_SOURCE_COLUMNS = (
    "number", "decision", "title", "url", "site", "credibility", "tier", "authority", "words",
    "date", "words found", "words missing",
    "relevance", "relevance scored", "why", "approved", "published", "read", "page sha256",
    "copy of", "read from", "not read", "hidden texts", "speaks to machines", "retracted",
    "authors", "kind of page", "changed",
)  # fmt: skip


def _build_source_row(source: ReportSource) -> tuple[str, ...]:
    judged = source.relevance
    relevance = ["", ""]
    if judged:
        relevance = [str(judged.score), "yes" if judged.scored else "no"]
    return (
        str(source.number or ""),
        source.status,
        clean_cell(source.title),
        clean_cell(source.address),
        clean_cell(provenance.name_site(source.address)),
        *(_list_score_cells(source.parts) if source.parts else [""] * 7),
        *relevance,
        clean_cell(source.reason),
        "yes" if source.approved else "",
        clean_cell(source.published),
        format_moment(source.fetched) if source.fetched else "",
        source.page,
        *_list_page_cells(source),
    )


def _list_page_cells(source: ReportSource) -> tuple[str, ...]:
    """List what the page is, and how much of it was read."""
    return (
        str(source.copy_of or ""),
        clean_cell(source.archived.url) if source.archived else "",
        clean_cell(provenance.describe_unread(source)),
        str(source.hidden.total or ""),
        str(count_machine_instructions(source) or ""),
        "yes" if provenance.find_retraction(source) else "",
        clean_cell("; ".join(source.metadata.authors)),
        provenance.name_page_kind(source),
        clean_cell(source.metadata.modified),
    )


def _list_score_cells(parts: ScoreParts) -> tuple[str, ...]:
    figures = [f"{figure:.4f}" for figure in (parts.domain, parts.relevance, parts.recency)]
    return (
        f"{parts.score:.4f}",
        clean_cell(parts.tier),
        *figures,
        clean_cell(" ".join(parts.matched)),
        clean_cell(" ".join(parts.missing)),
    )


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
        get_check(one).word,
        clean_cell(one.sentence.note),
        str(one.source.number),
        clean_cell(one.source.address),
        passage.id,
        str(passage.start),
        str(passage.end),
        check_passage_place(page, passage),
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


def check_passage_place(page: str, passage: Passage) -> str:
    """Return "yes" or "no": the passage is at its place in the page; or "page not stored"."""
    if not page:
        return "page not stored"
    return "yes" if page[passage.start : passage.end] == passage.text else "no"


def format_csv(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format CSV with every field quoted, after the mark by which spreadsheets recognise UTF-8."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows(rows)
    return "\ufeff" + out.getvalue()
