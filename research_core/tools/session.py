"""What tools share: the session a call works in, a search in it and a page opened in it, each
recorded as a run records its own.

A call without a session gets one that is dropped with it; what it asked of the outside passes the
doorway all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from research_core.context import PROVISIONAL_ORDER, ResearchContext
from research_core.errors import FetchError, SearchError
from research_core.journal.deps import Deps, Provider
from research_core.journal.events import Draft
from research_core.models import ANSWERED_STATES, EngineOutcome, Page, SearchQuery, SearchResult
from research_core.policy import SESSION_ENGINE
from research_core.search.engines import ask_engine, collect_next_steps, merge_results
from research_core.search.providers import KINDS
from research_core.settings import TIMEOUTS_S
from research_core.text.words import strip_invisible, truncate
from research_core.tools.registry import Call
from research_core.trust import copies, ratings
from research_core.wiring import default_deps

#: Characters of a page that stand for what a search would tell of it.
OPENING_CHARACTERS = 500


def bind(call: Call, about: str) -> tuple[ResearchContext, Deps]:
    """The caller's context with its deps, which it is given where it has none; without a context,
    one of its own that is dropped.

    The deps returned are good for one tool call: when its time is up, what is not recorded fails.
    """
    context = call.context if call.context is not None else ResearchContext(about)
    context.deps = context.deps or default_deps(context.log)
    return context, replace(context.deps, http=context.deps.http.within(TIMEOUTS_S["tool"]))


def search_session_engines(
    call: Call,
    query: str,
    context: ResearchContext,
    deps: Deps,
    count: int,
    engines: Sequence[Provider] | None = None,
) -> list[SearchResult]:
    """Up to `count` results, recorded in the session with their scores. engines: by default those
    of the session, in order.

    Raises SearchError when every engine failed.
    """
    call.tell("search", query)
    context.add_query(query)
    order = context.order_of(query)
    found = _ask_engines(
        SearchQuery(query, order, "tool"),
        context,
        deps,
        count,
        deps.engines if engines is None else engines,
    )
    rated = ratings.look_up_ratings(deps, [result.url for result in found])
    listed = [
        {"title": r.title, "url": r.url, "snippet": r.snippet, "ratings": rated.get(r.url, {})}
        for r in found
    ]
    context.add_search_results(listed, context.run.asked, order=order)
    return found


def _ask_engines(
    query: SearchQuery,
    context: ResearchContext,
    deps: Deps,
    count: int,
    engines: Sequence[Provider],
) -> list[SearchResult]:
    """Ask the engines in order until there are enough results.

    What an earlier session read is listed beside what a search finds, never instead.
    """
    asked: list[EngineOutcome] = []
    for place, engine in enumerate(engines):
        outcome = ask_engine(engine, query, deps, KINDS["web"].ttl_s)
        asked.append(outcome)
        data = {
            "engine": outcome.engine,
            "state": outcome.state,
            "reason": outcome.reason,
            "results": len(outcome.results),
        }
        kind = "searched" if outcome.state in ANSWERED_STATES else "search_failed"
        context.log.append(
            Draft(
                kind,
                {"order": query.order, "place": place, "query": query.text, **data},
                f"{query.order}:{outcome.engine}",
            )
        )
        if len(merge_results(asked)) >= count and engine.name != SESSION_ENGINE:
            break
    if not any(outcome.state in ANSWERED_STATES for outcome in asked):
        raise _combine_failures(asked, engines)
    return list(merge_results(asked))[:count]


def _combine_failures(asked: Sequence[EngineOutcome], engines: Sequence[Provider]) -> SearchError:
    """That all of these failed, of the kind of the first one's failure, each with what it said."""
    if not asked:
        return SearchError(
            "The search failed (no search engine is configured).",
            kind="config",
            next_step="Set SEARXNG_URL.",
        )
    failed = [(outcome.engine, outcome.error) for outcome in asked if outcome.error]
    why = "; ".join(
        f"{outcome.engine}: {outcome.error.message if outcome.error else outcome.reason}"
        for outcome in asked
    )
    first = asked[0].error
    how: dict[str, Any] = (
        {"kind": first.kind, "status": first.status, "retry_after": first.retry_after}
        if first
        else {}
    )
    step = collect_next_steps(failed, engines) or (
        "Try again later."
        if any(row.needs for row in engines)
        else "Try again later, or set SEARXNG_URL."
    )
    made = SearchError(f"The search failed ({why}).", next_step=step, **how)
    made.provider, made.asked = asked[0].engine, tuple(outcome.engine for outcome in asked)
    made.quotes = tuple(dict.fromkeys(words for _, error in failed for words in error.quotes))
    return made


def open_page(call: Call, address: str, context: ResearchContext, deps: Deps) -> Page:
    """The page at a canonical address, recorded in the session as read, or as one that could not
    be. Raises FetchError.
    """
    from research_core.web.fetch import read_page

    call.refuse(address)
    context.log.append(Draft("fetch", {"url": address}, address))
    try:
        page = call.once(("page", address), lambda: read_page(address, deps))
    except FetchError as error:
        context.add_failed_page(
            address, error.sentence(), error.tried, kind=error.kind if call.alone else ""
        )  # a replay knows no kind
        raise
    if not context.is_fetched(address):
        context.add_fetched_page(
            address,
            page.text,
            **copies.collect_facts(page),
            **ratings.rate_redirect(deps, address, page.final_url),
        )
    if call.session and not context.is_listed(
        address
    ):  # a client chose it itself: what it says stands for what a search would tell of it
        said = {
            "title": page.title,
            "url": address,
            "snippet": truncate(" ".join(strip_invisible(page.text).split()), OPENING_CHARACTERS),
        }
        context.add_search_results([said], context.run.asked, order=PROVISIONAL_ORDER)
    return page
