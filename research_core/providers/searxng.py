"""Searches a SearXNG server of one's own, by its JSON interface. That it found nothing counts only while all its engines answered."""

from __future__ import annotations

from typing import Any

from research_core.deps import Http
from research_core.errors import SearchError
from research_core.models import SearchResult
from research_core.providers.reply import changed, get_json, results
from research_core.queries import WebQuery
from research_core.settings import Settings
from research_core.text import truncate, visible

NAME = "SearXNG"
_ADDRESS = "Check that SEARXNG_URL is the address of a SearXNG server and that it is running."
NEXT_STEPS = {
    "auth_required": "Let the server answer in JSON: in its settings.yml, search.formats must list json.",
    "rate_limited": "Wait a while, or switch off the limiter in the server's settings.yml.",
    "config": _ADDRESS,
    "unsupported": _ADDRESS,
    "network": _ADDRESS,
    "timeout": _ADDRESS,
    "bad_reply": _ADDRESS,
}


def search(http: Http, settings: Settings, query: WebQuery) -> tuple[SearchResult, ...]:
    """What the server at SEARXNG_URL lists for the query, in its order. Raises SearchError."""
    params = {"q": query.text, "format": "json"}
    answer = get_json(http, NAME, f"{settings.searxng_url}/search", params, endpoint=True, next_steps=NEXT_STEPS)
    return results(NAME, _rows(answer), url="url", title="title", snippet="content", published="publishedDate")


def _rows(answer: Any) -> Any:
    if not isinstance(answer, dict) or "results" not in answer:
        raise changed(NAME, "there are no results in it", _ADDRESS)
    if not answer["results"] and answer.get("unresponsive_engines"):
        raise _outage(answer["unresponsive_engines"])
    return answer["results"]


def _outage(engines: Any) -> SearchError:
    """engines: [[name, reason], …] as the server gives them."""
    pairs = engines if isinstance(engines, list) else [engines]
    listed = ", ".join(f"{pair[0]} ({pair[1]})" if isinstance(pair, list) and len(pair) == 2 else str(pair) for pair in pairs)
    silent = truncate(visible(listed), 300)
    step = "Look at the engines in the server's preferences, or try again later."
    return SearchError(f"{NAME} found nothing, but these of its engines did not answer: {silent}.", status=200, next_step=step)
