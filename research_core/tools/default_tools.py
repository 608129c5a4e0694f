"""The three tools of spec/tools-module.md: search the web, fetch a page, score a source.

Failed searches and fetches are recorded. The specified functions return `[]` and `""` for them,
`run_tool` an error.
"""

from __future__ import annotations

import logging
from typing import Annotated, Any

from pydantic import Field

from research_core.context import ResearchContext
from research_core.errors import FetchError, ResearchError
from research_core.text.words import truncate
from research_core.tools.call_context import bind, open_page, search_session_engines
from research_core.tools.registry import Call, Progress
from research_core.trust import credibility
from research_core.urls import canonical_url

MAX_SEARCH_RESULTS = 5
MAX_PAGE_CHARS = 3000
REQUEST_TIMEOUT = 15
MIN_CREDIBILITY_SCORE = 0.5

_log = logging.getLogger(__name__)


def search_web(
    query: str, context: Any = None, on_progress: Progress | None = None
) -> list[dict[str, str]]:
    """Return up to five results {title, url, snippet}; [] if the search failed, which is logged."""
    try:
        return list(search_tool(Call(context, on_progress), query)["results"])
    except ResearchError as error:
        _log.warning("search failed: %s", error.sentence())
        return []


def fetch_page(url: str, context: Any = None, on_progress: Progress | None = None) -> str:
    """Return the readable text of a page, at most 3,000 characters.

    "" if it is blocked or could not be read, which is logged.
    """
    try:
        return str(fetch_tool(Call(context, on_progress), url)["content"])
    except ResearchError as error:
        _log.warning("fetch failed: %s", error.sentence())
        return ""


def search_tool(
    call: Call,
    query: Annotated[str, Field(description="What to search for.", min_length=1, max_length=500)],
) -> dict[str, Any]:
    """Search the web and return up to five results, each with title, url and snippet."""
    context, deps = bind(call, query)
    found = search_session_engines(call, query, context, deps, MAX_SEARCH_RESULTS)
    return {
        "results": [
            {"title": result.title, "url": result.url, "snippet": result.snippet}
            for result in found
        ]
    }


def fetch_tool(
    call: Call,
    url: Annotated[
        str, Field(description="The full address of the page.", min_length=1, max_length=2000)
    ],
) -> dict[str, Any]:
    """Fetch a web page and return its readable text, at most 3,000 characters. Pages below the
    credibility threshold are refused.
    """
    context, deps = bind(call, url)
    try:
        address = canonical_url(url)
    except ValueError as error:
        raise FetchError(
            f"{url} is not an address that can be fetched: {error}.", kind="unsupported"
        ) from error
    if not context.is_fetched(address):
        _refuse_if_blocked(url, context, call)
        call.report("fetch", url)
        open_page(call, address, context, deps)
    # A redirect may have led to a page of another site.
    _refuse_if_blocked(url, context, call)
    return {"url": url, "content": truncate(context.get_fetched_content(address), MAX_PAGE_CHARS)}


def _refuse_if_blocked(url: str, context: ResearchContext, call: Call) -> None:
    """Record and raise a FetchError if the score of the address is below the threshold."""
    if not context.is_blocked(url):
        return
    parts = context.parts(url)
    minimum = context.run.settings.credibility.minimum
    context.block(url, parts.score)
    call.report("block", f"{url} (score: {parts.score:.2f})")
    provisional = ""
    if parts.provisional:
        provisional = " No search has listed it, so this score is provisional."
    raise FetchError(
        f"Fetching blocked. Source credibility score ({parts.score:.2f}) is below threshold"
        f" ({minimum:g}).{provisional}",
        kind="blocked",
    )


def score_tool(
    call: Call,
    url: Annotated[str, Field(description="The address of the source.")],
    snippet: Annotated[str, Field(description="The search snippet or a short excerpt.")],
    question: Annotated[
        str | None, Field(description="The research question; the session's own when left out.")
    ] = None,
) -> dict[str, Any]:
    """Score the credibility of a source from 0.0 to 1.0, from its domain, its snippet and the
    question.
    """
    if question is None:
        question = call.context.question if call.context else ""
    return {"url": url, "credibility_score": credibility.score_source(url, snippet, question)}
