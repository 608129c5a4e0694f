"""Reads a page through Exa, which is paid for it: the text of the page as Exa has or fetches it.

Programmed after its documentation and never tried against the service itself. When a page may be
named to it is decided in `tiers`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from research_core.errors import FetchError
from research_core.journal.deps import Deps, Price
from research_core.models import Attempt, HttpReply, Page
from research_core.settings import EXA, TIMEOUTS_S
from research_core.text.dates import begins
from research_core.text.words import truncate, visible
from research_core.urls import canonical
from research_core.web.documents import TITLE_LENGTH, read_text
from research_core.web.fetch.exa_cost import cost, paid
from research_core.web.http.responses import refuse

MAX_CHARACTERS, MAX_BYTES = 200_000, 5_000_000
AUTHOR_LENGTH = 200
#: US dollars that a page may cost; a tenth of a cent is what the list says of its text.
MOST_USD = 0.002
#: Why Exa could not read a page, by its own tags; any other is trouble on its side.
TAGS = {
    "CRAWL_NOT_FOUND": "not_found",
    "CRAWL_TIMEOUT": "timeout",
    "CRAWL_LIVECRAWL_TIMEOUT": "timeout",
    "SOURCE_NOT_AVAILABLE": "blocked",
    "UNSUPPORTED_URL": "unsupported",
}


def read(url: str, deps: Deps) -> Page:
    """The page as Exa gives it. Raises FetchError, `config` where this installation has no key any
    more.
    """
    asked = {"urls": [url], "text": {"maxCharacters": MAX_CHARACTERS}}
    reply = deps.http.send(
        "POST",
        f"{EXA}/contents",
        headers={"accept": "application/json", "x-api-key": deps.settings.exa_api_key},
        json=asked,
        timeout_s=TIMEOUTS_S["exa"],
        max_bytes=MAX_BYTES,
        endpoint=True,
        price=Price(MOST_USD, paid),
    )
    return page_in(reply, url)


def page_in(reply: HttpReply, url: str) -> Page:
    """The page of an answer, with what it cost. Raises FetchError."""
    refuse(reply)
    answer = _object(reply.body)
    status = _row(answer, "statuses")
    if status.get("status") == "error":
        error = status.get("error")
        tag = str(error.get("tag")) if isinstance(error, dict) else ""
        raise FetchError(
            f"Exa could not read the page ({tag or 'no reason given'}).",
            kind=TAGS.get(tag, "upstream_unavailable"),
        )
    result = _row(answer, "results")
    if not any(_same(result.get(name), url) for name in ("id", "url")):
        raise _changed("it has no result for the page")
    page = read_text(
        _text(result, "text").encode("utf-8", "replace"),
        canonical(url),
        "text/markdown; charset=utf-8",
        kind="markdown",
    )
    author = truncate(visible(_text(result, "author")).strip(), AUTHOR_LENGTH)
    return replace(
        page,
        url=url,
        title=truncate(" ".join(visible(_text(result, "title")).split()), TITLE_LENGTH)
        or page.title,
        published=begins(_text(result, "publishedDate")) or page.published,
        metadata=replace(page.metadata, authors=(author,)) if author else page.metadata,
        attempts=(Attempt(_tier(status)),),
        cost=cost(answer) or 0.0,
    )


def _tier(status: dict[str, Any]) -> str:
    source = status.get("source")
    return f"exa:{source}" if source in ("cached", "crawled") else "exa"


def _object(body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise _changed("it is not JSON") from None
    if not isinstance(answer, dict):
        raise _changed("it is no object")
    return answer


def _row(answer: dict[str, Any], name: str) -> dict[str, Any]:
    """The one row of a list, {} where it is empty or left out."""
    rows = answer.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _changed(f"{name} is no list of objects")
    return rows[0] if rows else {}


def _text(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise _changed(f"{name} is no text")
    return value or ""


def _same(address: Any, url: str) -> bool:
    try:
        return isinstance(address, str) and canonical(address) == canonical(url)
    except ValueError:
        return False


def _changed(what: str) -> FetchError:
    return FetchError(f"Exa gave an answer that cannot be read: {what}.", kind="bad_reply")
