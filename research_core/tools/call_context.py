"""Bind a call to its session, search in it, and open pages in it, recorded as a run records them.

A call without a session gets a temporary one. Its requests pass the doorway all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from research_core.context import PROVISIONAL_ORDER, ResearchContext
from research_core.errors import FetchError, SearchError
from research_core.journal.deps import Deps, Provider
from research_core.journal.events import Draft
from research_core.journal.rule_versions import read_rules
from research_core.models import (
    ANSWERED_STATES,
    EngineOutcome,
    LinkCounts,
    Page,
    SearchQuery,
    SearchResult,
    describe_respelled,
)
from research_core.policy import SESSION_ENGINE
from research_core.search.engines import ask_engine, collect_next_steps, merge_results
from research_core.search.providers import KINDS
from research_core.search.records import NotedRecords
from research_core.settings import TIMEOUTS_S
from research_core.text.words import strip_invisible, truncate
from research_core.tools.registry import Call
from research_core.trust import copies, ratings
from research_core.wiring import default_deps

#: Characters of a page that stand in for a snippet.
OPENING_CHARACTERS = 500


def bind(call: Call, about: str) -> tuple[ResearchContext, Deps]:
    """Return the caller's context, or a temporary one about a question, and the deps of the call.

    The deps are valid for one tool call: after its time limit, requests that are not recorded fail.
    """
    context = call.context if call.context is not None else ResearchContext(about)
    context.deps = context.deps or default_deps(context.log)
    return context, replace(context.deps, http=context.deps.http.with_deadline(TIMEOUTS_S["tool"]))


def search_session_engines(
    call: Call,
    query: str,
    context: ResearchContext,
    deps: Deps,
    count: int,
    engines: Sequence[Provider] | None = None,
) -> Sequence[SearchResult]:
    """Return up to `count` results and record them in the session with their scores.

    They are NotedRecords: the notes say what was done to their links. engines: by default those of
    the session, in order. Raises SearchError if every engine failed.
    """
    from research_core.trust.scored_words import choose_scored_words, word_for_snippet

    call.report("search", query)
    context.add_query(query)
    order = context.order_of(query)
    search_query = SearchQuery(query, order, "tool")
    if engines is None:
        engines = deps.engines
    found = _ask_engines(search_query, context, deps, count, engines)
    rated = ratings.look_up_ratings(deps, [result.url for result in found])
    asked = context.run.asked
    snippets = [result.snippet for result in found]
    rules = read_rules(context.log)
    words = choose_scored_words(asked, snippets, rules)
    results = [
        {
            "title": result.title,
            "url": result.url,
            "snippet": result.snippet,
            "ratings": rated.get(result.url, {}),
            "scored_against": word_for_snippet(asked, words, result.snippet, rules),
        }
        for result in found
    ]
    context.add_search_results(results, asked, order=order)
    return found


def _ask_engines(
    query: SearchQuery,
    context: ResearchContext,
    deps: Deps,
    count: int,
    engines: Sequence[Provider],
) -> NotedRecords:
    """Ask the engines in order until there are enough results. Raises SearchError if all failed.

    The results of an earlier session never replace a search: they are listed beside its results.
    """
    asked: list[EngineOutcome] = []
    for place, engine in enumerate(engines):
        outcome = ask_engine(engine, query, deps, KINDS["web"].ttl_s)
        asked.append(outcome)
        data = {
            "order": query.order,
            "place": place,
            "query": query.text,
            "engine": outcome.engine,
            "state": outcome.state,
            "reason": outcome.reason,
            "results": len(outcome.results),
            **outcome.list_remarks(),
        }
        kind = "searched" if outcome.state in ANSWERED_STATES else "search_failed"
        context.log.append(Draft(kind, data, f"{query.order}:{outcome.engine}"))
        if len(merge_results(asked)) >= count and engine.name != SESSION_ENGINE:
            break
    if not any(outcome.state in ANSWERED_STATES for outcome in asked):
        raise _combine_failures(asked, engines)
    links = LinkCounts()
    for outcome in asked:
        links += outcome.links
    respelled = describe_respelled(slip for outcome in asked for slip in outcome.spelled)
    return NotedRecords(merge_results(asked)[:count], [links.describe(), respelled], links=links)


def _combine_failures(asked: Sequence[EngineOutcome], engines: Sequence[Provider]) -> SearchError:
    """Return one error for all failed engines, with the kind of the first one's failure."""
    if not asked:
        return SearchError(
            "The search failed (no search engine is configured).",
            kind="config",
            next_step="Set SEARXNG_URL.",
        )
    failed = [(outcome.engine, outcome.error) for outcome in asked if outcome.error]
    reasons: list[str] = []
    for outcome in asked:
        message = outcome.error.message if outcome.error else outcome.reason
        reasons.append(f"{outcome.engine}: {message}")
    first = asked[0].error
    details: dict[str, Any] = {}
    if first:
        details = {"kind": first.kind, "status": first.status, "retry_after": first.retry_after}
    step = collect_next_steps(failed, engines)
    if not step:
        has_keyed_engine = any(row.needs for row in engines)
        step = "Try again later." if has_keyed_engine else "Try again later, or set SEARXNG_URL."
    combined = SearchError(f"The search failed ({'; '.join(reasons)}).", next_step=step, **details)
    combined.provider = asked[0].engine
    combined.asked = tuple(outcome.engine for outcome in asked)
    kinds = {outcome.error.kind if outcome.error else "" for outcome in asked}
    combined.all_unreached = len(asked) > 1 and kinds == {"network"}
    quotes: dict[str, None] = {}
    for _, error in failed:
        quotes |= dict.fromkeys(error.quotes)
    combined.quotes = tuple(quotes)
    return combined


def open_page(call: Call, address: str, context: ResearchContext, deps: Deps) -> Page:
    """Read the page at a canonical address and record it, or its failure, in the session.

    Raises FetchError.
    """
    from research_core.web.fetch.read_page import read_page

    call.refuse(address)
    context.log.append(Draft("fetch", {"url": address}, address))
    try:
        page = call.once(("page", address), lambda: read_page(address, deps))
    except FetchError as error:
        # The sessions of runs record no kind, so that older ones can be replayed.
        kind = error.kind if call.alone else ""
        context.add_failed_page(address, error.sentence(), error.tried, kind=kind)
        raise
    if not context.is_fetched(address):
        # The session of a single call is dropped, so nothing there looks for copies.
        is_kept = bool(call.session) or not call.alone
        facts = copies.collect_facts(page) if is_kept else page.facts
        redirect_facts = ratings.rate_redirect(deps, address, page.final_url)
        context.add_fetched_page(address, page.text, **facts, **redirect_facts)
    if call.session and not context.is_listed(address):
        # The client chose the page without a search: its beginning stands in for a snippet.
        beginning = truncate(" ".join(strip_invisible(page.text).split()), OPENING_CHARACTERS)
        source = {"title": page.title, "url": address, "snippet": beginning}
        context.add_search_results([source], context.run.asked, order=PROVISIONAL_ORDER)
    return page
