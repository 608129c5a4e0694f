"""The sources and the citations of a report as CSV, for spreadsheets.

What a spreadsheet would take for a formula gets a quote before it. Nothing is left out but the
passages' surroundings.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence

from research_core.export.document import check, line
from research_core.models import Passage, Report, ReportSource, ScoreParts
from research_core.pipeline.methodology import moment
from research_core.pipeline.page_support import elsewhere
from research_core.sessions.reading import Cited, citations
from research_core.trust import provenance
from research_core.web.hidden_text import speaks

#: What begins a formula in one spreadsheet or another, full-width signs included.
_FORMULA = tuple("=+-@\t\r＝＋－＠")
_PARTED = re.compile(r"([;\t]\s*)(?=[=@＝＠]|[+＋－-](?=[^\W\d_]|\())")


def cell(text: str, limit: int = 30_000) -> str:
    """Any text as one line that no spreadsheet computes. limit: they hold 32,767 characters in a
    cell.
    """
    words = line(text, limit)
    words = _PARTED.sub(r"\1'", words)  # where a semicolon parts the cells
    return f"'{words}" if words.startswith(_FORMULA) else words


def sources(built: Report) -> str:
    """One row for each source that was met, kept ones first, with every part of its scores."""
    return table(_SOURCES, (_source(source) for source in built.sources))


_SOURCES = (
    "number", "decision", "title", "url", "site", "credibility", "tier", "authority", "words",
    "date", "words found", "words missing",
    "relevance", "relevance scored", "why", "approved", "published", "read", "page sha256",
    "copy of", "read from", "not read", "hidden texts", "speaks to machines", "retracted",
    "authors", "kind of page", "changed",
)  # fmt: skip


def _source(source: ReportSource) -> tuple[str, ...]:
    parts, judged = source.parts, source.relevance
    return (
        str(source.number or ""),
        source.status,
        cell(source.title),
        cell(source.address),
        cell(provenance.site(source.address)),
        *(_scores(parts) if parts else [""] * 7),
        *((str(judged.score), "yes" if judged.scored else "no") if judged else ["", ""]),
        cell(source.reason),
        "yes" if source.approved else "",
        cell(source.published),
        moment(source.fetched) if source.fetched else "",
        source.page,
        *_of_page(source),
    )


def _of_page(source: ReportSource) -> tuple[str, ...]:
    """What the page is, and what of it was read."""
    return (
        str(source.copy_of or ""),
        cell(source.archived.url) if source.archived else "",
        cell(provenance.unread(source)),
        str(source.hidden.total or ""),
        str(speaks(source) or ""),
        "yes" if provenance.retracted(source) else "",
        cell("; ".join(source.metadata.authors)),
        provenance.kind(source),
        cell(source.metadata.modified),
    )


def _scores(parts: ScoreParts) -> tuple[str, ...]:
    figures = [f"{figure:.4f}" for figure in (parts.domain, parts.relevance, parts.recency)]
    return (
        f"{parts.score:.4f}",
        cell(parts.tier),
        *figures,
        cell(" ".join(parts.matched)),
        cell(" ".join(parts.missing)),
    )


def cited(built: Report, page_text: Callable[[str], str]) -> str:
    """One row for each passage that a sentence cites: what the check found, if it stands in the
    stored page, what else there holds it.
    """
    names = ("citation", "sentence", "check", "note", "source", "url", "passage", "from", "to",
    "in stored page", "page sha256",
             "passage text", "on the page instead", "from there", "to there")  # fmt: skip
    rows = [
        (
            str(one.number),
            cell(one.sentence.text),
            check(one).word,
            cell(one.sentence.note),
            str(one.source.number),
            cell(one.source.address),
            passage.id,
            str(passage.start),
            str(passage.end),
            stands(page_text(one.source.page) if one.source.page else "", passage),
            one.source.page,
            cell(passage.text),
            *_instead(one, page_text(one.source.page) if one.source.page else ""),
        )
        for one in citations(built)
        for passage in one.passages
    ]
    return table(names, rows)


def _instead(one: Cited, page: str) -> tuple[str, str, str]:
    """The words and offsets of the place of the page that holds a sentence which its cited passages
    leave in doubt.
    """
    place = elsewhere(one.sentence, one.passages, page)
    return (cell(place.text), str(place.start), str(place.end)) if place else ("", "", "")


def stands(page: str, passage: Passage) -> str:
    """Whether a passage stands in the stored text of its page, "" where that is not stored, at the
    place it names.
    """
    if not page:
        return "page not stored"
    return "yes" if page[passage.start : passage.end] == passage.text else "no"


def table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """CSV with every field quoted; it begins with the mark by which spreadsheets know UTF-8."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows(rows)
    return "\ufeff" + out.getvalue()
