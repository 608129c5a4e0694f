"""Tell which sources the report never quotes, and which a rewrite read anew."""

from __future__ import annotations

from typing import NamedTuple

from parts.shared import watch
from research_core.errors import UsageError
from research_core.models import Report, ReportSource
from research_core.pipeline import report
from research_core.pipeline.backing import list_distinct_backings
from research_core.pipeline.confidence import examine
from research_core.sessions.snapshot import Snapshot
from research_core.text.quote_labels import clean_title


def build_report(snapshot: Snapshot) -> Report:
    """Return the session's report. Call it through `watch.derive`."""
    return report.build(snapshot.run)


def has_report(snapshot: Snapshot) -> bool:
    """Return True if the session found enough for a report."""
    written = snapshot.run.report
    return written is not None and written["decision"] != "insufficient_data"


def list_unquoted(snapshot: Snapshot) -> frozenset[str]:
    """Return the URLs of the kept sources that no sentence cites; none without a report."""
    if not has_report(snapshot):
        return frozenset()
    return report.find_unquoted(watch.derive(snapshot, build_report))


def find_new_reads(snapshot: Snapshot) -> frozenset[str]:
    """Return the URLs of pages that this rewrite read and the version before it did not.

    None for a session of its own, for a follow-up, and where the version before is deleted.
    """
    row = snapshot.info.row
    if not row.parent or row.settings.get("after") == row.parent:
        return frozenset()
    return watch.derive(snapshot, _compare_with_parent).new


def keeps_text(snapshot: Snapshot) -> bool:
    """Return True if a rewrite's text is that of the version before it and quotes no new page."""
    if not has_report(snapshot) or not find_new_reads(snapshot):
        return False
    return watch.derive(snapshot, _compare_with_parent).keeps_text


class Result(NamedTuple):
    """What a session came to: cited sentences, sources kept, and the level of confidence.

    is_report: False where too little was found; level: "" where none was computed.
    """

    is_report: bool
    sentences: int
    sources: int
    level: str


class Difference(NamedTuple):
    """How a rewrite differs from the version before it.

    new: URLs of the pages read anew; keeps_text: the cited sentences are the same and quote none of
    these; results: of that version and of the rewrite, None if either has not ended; unquoted: the
    pages read anew that the rewrite does not quote; lost: questions that had a section of their own
    in that version and have none in the rewrite.
    """

    new: frozenset[str] = frozenset()
    keeps_text: bool = False
    results: tuple[Result, Result] | None = None
    unquoted: tuple[ReportSource, ...] = ()
    lost: tuple[str, ...] = ()


def _compare_with_parent(snapshot: Snapshot) -> Difference:
    try:
        parent = watch.read_parent(snapshot)
    except UsageError:
        return Difference()
    known = {source.url for source in parent.sources if source.page}
    new = frozenset(source.url for source in snapshot.sources if source.page) - known
    if snapshot.run.report is None or parent.run.report is None:
        return Difference(new)
    built = watch.derive(snapshot, build_report)
    earlier = build_report(parent)
    same = _list_cited_texts(built) == _list_cited_texts(earlier)
    quoted = report.find_quoted(built)
    answered = list_answered_questions(built)
    return Difference(
        new,
        keeps_text=bool(new) and same and not new & quoted,
        results=(_measure_result(earlier), _measure_result(built)),
        unquoted=tuple(
            source
            for source in built.sources
            if source.url in new and source.url not in quoted and source.status != "failed"
        ),
        lost=tuple(part for part in list_answered_questions(earlier) if part not in answered),
    )


def list_answered_questions(built: Report) -> list[str]:
    """Return the headings that ask something and stand above a cited sentence, in order.

    A heading that is the title of a source asks nothing of the reader.
    """
    titles = {clean_title(source.title).casefold() for source in built.sources}
    titles |= {source.title.casefold() for source in built.sources}
    answered: dict[str, None] = {}
    heading = ""
    for block in built.blocks:
        if block.kind == "heading":
            heading = block.sentences[0].text.strip() if block.sentences else ""
            continue
        asks = heading.endswith(("?", "？", "؟")) and heading.casefold() not in titles
        if asks and any(sentence.citations for sentence in block.sentences):
            answered[heading] = None
    return list(answered)


def _measure_result(built: Report) -> Result:
    findings = examine(built)
    return Result(
        built.decision != "insufficient_data",
        len(list_distinct_backings(findings.backings)),
        built.funnel["kept"],
        findings.confidence.level if findings.confidence else "",
    )


def compare_results(snapshot: Snapshot) -> tuple[Result, Result] | None:
    """Return the results of the version before a rewrite and of the rewrite, see `Difference`."""
    return watch.derive(snapshot, _compare_with_parent).results


def compare_use(snapshot: Snapshot) -> tuple[tuple[ReportSource, ...], tuple[str, ...]]:
    """Return the pages read anew that a rewrite does not quote, and the questions it lost."""
    found = watch.derive(snapshot, _compare_with_parent)
    return found.unquoted, found.lost


def _list_cited_texts(built: Report) -> list[str]:
    """Return the sentences that cite a source: the report's own remarks count its pages."""
    sentences = (sentence for block in built.blocks for sentence in block.sentences)
    return [sentence.text for sentence in sentences if sentence.citations]


def list_new_pages(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Return URL and title of the pages of `find_new_reads`, in the order of the sources."""
    new = find_new_reads(snapshot)
    return [(source.url, source.title) for source in snapshot.sources if source.url in new]
