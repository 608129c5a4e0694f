"""List what a run that ended early, at a cap or by the analyst, left undone.

Everything is read from the report, without the log. What more time would have found is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from research_core.citations.marks import format_link
from research_core.models import Report, ReportSource
from research_core.text.words import escape_markdown

#: So many pages are named of each kind; the rest are counted.
MAX_NAMED_PAGES = 5
_STOPPED = "not read: stopped"
#: How the explanation of a judgement begins that no model was left for.
JUDGED_BY_WORDS_NOTE = "Judged by words alone, as the cap left no call. "


@dataclass(frozen=True)
class UnfinishedWork:
    """What a stopped run left undone.

    planned: whether a plan was made, if the run makes one; followed: whether a deep run asked for
    gaps; queries: planned and not searched, or not by every engine; unread: begun and not read;
    unjudged: read and not judged; unbegun: how many more passed the threshold; by_words: judged
    without the model, because a cap left no call.
    """

    planned: bool
    followed: bool
    queries: tuple[str, ...]
    unread: tuple[ReportSource, ...]
    unjudged: tuple[ReportSource, ...]
    unbegun: int
    by_words: tuple[ReportSource, ...]


def find_unfinished_work(report: Report) -> UnfinishedWork | None:
    """Return what the run left undone, None if nothing stopped it."""
    if not report.stopped:
        return None
    settings, searched = report.settings, {search["order"] for search in report.searches}
    by_plan = settings["strategy"] == "planned"
    left = [source for source in report.sources if source.status == "not_read"]
    return UnfinishedWork(
        planned=bool(report.plan) or not by_plan,
        followed=not by_plan
        or settings["mode"] != "deep"
        or bool(report.gaps)
        or any(q["purpose"] == "gap" for q in report.queries),
        queries=tuple(query["text"] for query in report.queries if query["order"] not in searched),
        unread=tuple(source for source in left if not source.page and source.reason == _STOPPED),
        unjudged=tuple(source for source in left if source.page),
        unbegun=sum(not source.page and source.reason != _STOPPED for source in left),
        by_words=tuple(
            one
            for one in report.sources
            if one.relevance and one.relevance.explanation.startswith(JUDGED_BY_WORDS_NOTE)
        ),
    )


def format_notice(report: Report) -> str:
    """Return one sentence for the head of a report, "" if nothing was left."""
    left = find_unfinished_work(report)
    if left is None:
        return ""
    counts = (
        _format_count(len(left.queries), "query", "queries", "not searched"),
        _format_count(len(left.unread), "page", "pages", "not read"),
        _format_count(len(left.unjudged), "page", "pages", "read and not judged"),
        _format_count(left.unbegun, "more result", "more results", "not begun"),
        "" if left.planned else "no plan made",
        "" if left.followed else "no query for what was still open",
    )
    said = ", ".join(filter(None, counts))
    count = len(left.by_words)
    by_words = (
        f" {_format_count(count, 'page was', 'pages were', 'judged by words alone')}."
        if count
        else ""
    )
    rests = "" if report.decision == "insufficient_data" else " The text rests on what there was."
    return (
        f"Stopped early ({escape_markdown(report.stopped)}). Left out:"
        f" {said or 'nothing that was begun'}.{by_words}{rests}"
    )


def list_unfinished_lines(report: Report) -> list[str]:
    """Return one sentence of Markdown for each kind of unfinished work."""
    left = find_unfinished_work(report)
    if left is None:
        return []
    queries = "; ".join(f"“{escape_markdown(text)}”" for text in left.queries)
    return [
        line
        for line in (
            (
                ""
                if left.planned
                else "No plan was made before it stopped: the question alone was searched."
            ),
            "" if left.followed else "No query was asked any more for what was still open.",
            f"Queries not searched for that: {queries}." if queries else "",
            f"Pages not read for that: {_format_sources(left.unread)}." if left.unread else "",
            (
                f"Pages read and not judged for that, so not used: {_format_sources(left.unjudged)}."
                if left.unjudged
                else ""
            ),
            (
                "Pages judged by words alone, as the cap left no call for them:"
                f" {_format_sources(left.by_words)}."
                if left.by_words
                else ""
            ),
            (
                f"Further results above the threshold, never begun: {left.unbegun}."
                if left.unbegun
                else ""
            ),
        )
        if line
    ]


def _format_count(count: int, one: str, many: str, what: str) -> str:
    return f"{count} {one if count == 1 else many} {what}" if count else ""


def _format_sources(sources: tuple[ReportSource, ...]) -> str:
    more = f" and {len(sources) - MAX_NAMED_PAGES} more" if len(sources) > MAX_NAMED_PAGES else ""
    return (
        ", ".join(format_link(source.title, source.address) for source in sources[:MAX_NAMED_PAGES])
        + more
    )
