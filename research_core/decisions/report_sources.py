"""List and count the sources of a run as a report and the screens show them."""

from __future__ import annotations

from research_core.decisions import gate as decide
from research_core.decisions.gate import Gate
from research_core.decisions.view import RunView
from research_core.models import ReportSource


def list_sources(run: RunView, gate: Gate) -> tuple[ReportSource, ...]:
    """Return every source of a run in the gate's order. The run need not be finished."""
    numbers = {verdict.url: verdict.number for verdict in gate.verdicts}
    sources = []
    for verdict in gate.verdicts:
        original = numbers.get(verdict.copy_of, 0)
        sources.append(_build_source(run, verdict, original))
    return tuple(sources)


def _build_source(run: RunView, verdict: decide.Verdict, copy_of: int) -> ReportSource:
    source = run.sources[verdict.url]
    listing = decide.choose_listing(source, run)
    page = source.page if isinstance(source.page, dict) else {}
    return ReportSource(
        url=source.url,
        title=(listing.title if listing and not source.redirected_to else "")
        or source.title
        or source.url,
        number=verdict.number,
        status=verdict.status,
        reason=verdict.reason,
        parts=decide.find_shown_score(source, run),
        relevance=source.judgement,
        approved=source.approved,
        passages=source.passages,
        page=next(iter(page.values()), ""),
        published=source.published,
        kind=source.kind,
        metadata=source.about,
        hidden=source.hidden,
        attempts=source.attempts,
        archived=source.archived,
        partial=source.partial,
        cost=source.cost,
        redirected_to=source.redirected_to,
        copy_of=copy_of,
        ratings=source.ratings if source.redirected_to or listing is None else listing.ratings,
        page_signals=dict(source.page_signals),
        fetched=source.fetched if source.read else 0.0,
    )


def count_funnel(run: RunView, gate: Gate) -> dict[str, int]:
    """Count the sources found, eligible, read, judged and kept, and those lost at each step."""
    statuses = [verdict.status for verdict in gate.verdicts]
    sources = run.sources.values()
    blocked = [run.sources[verdict.url] for verdict in gate.verdicts if verdict.status == "blocked"]
    refused = sum(source.refused or source.read for source in blocked)
    return {
        "found": len(statuses),
        "eligible": sum(decide.is_eligible(source, run) for source in sources),
        "fetched": sum(source.read for source in sources),
        "judged": sum(source.judgement is not None for source in sources),
        "kept": statuses.count("kept"),
        "dropped": statuses.count("dropped"),
        "failed": statuses.count("failed"),
        "struck": statuses.count("struck"),
        "duplicate": statuses.count("duplicate"),
        "not_read": statuses.count("not_read"),
        "blocked_when_asked": refused,
        "blocked_never_asked": len(blocked) - refused,
    }
