"""List what a run that ended early, at a cap or by the analyst, left undone.

Everything is read from the report, without the log. What more time would have found is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from research_core.citations.marks import format_link
from research_core.models import Report, ReportSource
from research_core.modes import THOROUGH_MODES
from research_core.text.words import escape_markdown

#: So many pages are named of each kind; the rest are counted.
MAX_NAMED_PAGES = 5
_STOPPED = "not read: stopped"
#: How the explanation of a judgement begins that no model was left for.
JUDGED_BY_WORDS_NOTE = "Judged by words alone, as the cap left no call. "


@dataclass(frozen=True)
class UnfinishedWork:
    """What a stopped run left undone.

    planned: whether a plan was made, if the run makes one; followed: whether a thorough run asked
    for gaps; queries: planned and not searched, or not by every engine; unread: begun and not read;
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
    by_plan = report.settings["strategy"] == "planned"
    looks_for_gaps = by_plan and report.settings["mode"] in THOROUGH_MODES
    asked_for_gaps = any(query["purpose"] == "gap" for query in report.queries)
    searched = {search["order"] for search in report.searches}
    not_read = [source for source in report.sources if source.status == "not_read"]
    without_page = [source for source in not_read if not source.page]
    unread = [source for source in without_page if source.reason == _STOPPED]
    return UnfinishedWork(
        planned=bool(report.plan) or not by_plan,
        followed=not looks_for_gaps or bool(report.gaps) or asked_for_gaps,
        queries=tuple(query["text"] for query in report.queries if query["order"] not in searched),
        unread=tuple(unread),
        unjudged=tuple(source for source in not_read if source.page),
        unbegun=len(without_page) - len(unread),
        by_words=tuple(source for source in report.sources if _is_judged_by_words(source)),
    )


def _is_judged_by_words(source: ReportSource) -> bool:
    judgement = source.relevance
    return judgement is not None and judgement.explanation.startswith(JUDGED_BY_WORDS_NOTE)


def format_notice(report: Report) -> str:
    """Return one sentence for the head of a report, "" if nothing was left."""
    left = find_unfinished_work(report)
    if left is None:
        return ""
    counts = [
        _format_count(len(left.queries), "query", "queries", "not searched"),
        _format_count(len(left.unread), "page", "pages", "not read"),
        _format_count(len(left.unjudged), "page", "pages", "read and not judged"),
        _format_count(left.unbegun, "more result", "more results", "not begun"),
    ]
    if not left.planned:
        counts.append("no plan made")
    if not left.followed:
        counts.append("no query for what was still open")
    left_out = ", ".join(count for count in counts if count) or "nothing that was begun"
    text = f"Stopped early ({escape_markdown(report.stopped)}). Left out: {left_out}."
    by_words = len(left.by_words)
    if by_words:
        text += f" {_format_count(by_words, 'page was', 'pages were', 'judged by words alone')}."
    if report.decision != "insufficient_data":
        text += " The text rests on what there was."
    return text


def list_unfinished_lines(report: Report) -> list[str]:
    """Return one sentence of Markdown for each kind of unfinished work."""
    left = find_unfinished_work(report)
    if left is None:
        return []
    lines = []
    if not left.planned:
        lines.append("No plan was made before it stopped: the question alone was searched.")
    if not left.followed:
        lines.append("No query was asked any more for what was still open.")
    if left.queries:
        queries = "; ".join(f"“{escape_markdown(text)}”" for text in left.queries)
        lines.append(f"Queries not searched for that: {queries}.")
    if left.unread:
        lines.append(f"Pages not read for that: {_format_sources(left.unread)}.")
    if left.unjudged:
        pages = _format_sources(left.unjudged)
        lines.append(f"Pages read and not judged for that, so not used: {pages}.")
    if left.by_words:
        pages = _format_sources(left.by_words)
        lines.append(f"Pages judged by words alone, as the cap left no call for them: {pages}.")
    if left.unbegun:
        lines.append(f"Further results above the threshold, never begun: {left.unbegun}.")
    return lines


def _format_count(count: int, one: str, many: str, what: str) -> str:
    if not count:
        return ""
    return f"{count} {one if count == 1 else many} {what}"


def _format_sources(sources: tuple[ReportSource, ...]) -> str:
    links = [format_link(source.title, source.address) for source in sources[:MAX_NAMED_PAGES]]
    text = ", ".join(links)
    if len(sources) > MAX_NAMED_PAGES:
        text += f" and {len(sources) - MAX_NAMED_PAGES} more"
    return text
