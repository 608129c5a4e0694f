"""Read a page through Exa, a paid service that returns the text it has stored or fetches.

Written after Exa's documentation and not yet tested against the service. `tiers` decides when an
address may be sent to it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from research_core.errors import FetchError
from research_core.journal.deps import Deps, Price
from research_core.models import Attempt, HttpReply, Page
from research_core.settings import EXA_ADDRESS, TIMEOUTS_S
from research_core.text.dates import parse_leading_date
from research_core.text.words import strip_invisible, truncate
from research_core.urls import canonical_url
from research_core.web.documents.plain_text import TITLE_LENGTH, read_text
from research_core.web.exa_cost import read_cost, read_recorded_cost
from research_core.web.fetch.responses import raise_for_status

MAX_TEXT_CHARACTERS, MAX_BYTES = 200_000, 5_000_000
MAX_AUTHOR_LENGTH = 200
#: US dollars a page may cost; the price list says a tenth of a cent for its text.
MAX_COST_USD = 0.002
#: Kinds of Exa's error tags; any other tag is a failure of Exa.
ERROR_KINDS = {
    "CRAWL_NOT_FOUND": "not_found",
    "CRAWL_TIMEOUT": "timeout",
    "CRAWL_LIVECRAWL_TIMEOUT": "timeout",
    "SOURCE_NOT_AVAILABLE": "blocked",
    "UNSUPPORTED_URL": "unsupported",
}


def read_with_exa(url: str, deps: Deps) -> Page:
    """Read a page through Exa. Raises FetchError, `config` if there is no longer a key."""
    asked = {"urls": [url], "text": {"maxCharacters": MAX_TEXT_CHARACTERS}}
    reply = deps.http.send(
        "POST",
        f"{EXA_ADDRESS}/contents",
        headers={"accept": "application/json", "x-api-key": deps.settings.exa_api_key},
        json=asked,
        timeout_s=TIMEOUTS_S["exa"],
        max_bytes=MAX_BYTES,
        endpoint=True,
        price=Price(MAX_COST_USD, read_recorded_cost),
    )
    return parse_answer(reply, url)


def parse_answer(reply: HttpReply, url: str) -> Page:
    """Return the page in an answer, with its cost. Raises FetchError."""
    raise_for_status(reply)
    answer = _parse_object(reply.body)
    status = _get_only_row(answer, "statuses")
    if status.get("status") == "error":
        error = status.get("error")
        tag = str(error.get("tag")) if isinstance(error, dict) else ""
        raise FetchError(
            f"Exa could not read the page ({tag or 'no reason given'}).",
            kind=ERROR_KINDS.get(tag, "upstream_unavailable"),
        )
    result = _get_only_row(answer, "results")
    if not any(_is_same_page(result.get(name), url) for name in ("id", "url")):
        raise _make_unexpected_answer_error("it has no result for the page")
    page = read_text(
        _get_text_field(result, "text").encode("utf-8", "replace"),
        canonical_url(url),
        "text/markdown; charset=utf-8",
        kind="markdown",
    )
    author = truncate(strip_invisible(_get_text_field(result, "author")).strip(), MAX_AUTHOR_LENGTH)
    return replace(
        page,
        url=url,
        title=truncate(
            " ".join(strip_invisible(_get_text_field(result, "title")).split()), TITLE_LENGTH
        )
        or page.title,
        published=parse_leading_date(_get_text_field(result, "publishedDate")) or page.published,
        metadata=replace(page.metadata, authors=(author,)) if author else page.metadata,
        attempts=(Attempt(_name_tier(status)),),
        cost=read_cost(answer) or 0.0,
    )


def _name_tier(status: dict[str, Any]) -> str:
    source = status.get("source")
    return f"exa:{source}" if source in ("cached", "crawled") else "exa"


def _parse_object(body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        raise _make_unexpected_answer_error("it is not JSON") from None
    if not isinstance(answer, dict):
        raise _make_unexpected_answer_error("it is no object")
    return answer


def _get_only_row(answer: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the only row of a list; {} if it is empty or missing."""
    rows = answer.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise _make_unexpected_answer_error(f"{name} is no list of objects")
    return rows[0] if rows else {}


def _get_text_field(row: dict[str, Any], name: str) -> str:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise _make_unexpected_answer_error(f"{name} is no text")
    return value or ""


def _is_same_page(address: Any, url: str) -> bool:
    try:
        return isinstance(address, str) and canonical_url(address) == canonical_url(url)
    except ValueError:
        return False


def _make_unexpected_answer_error(what: str) -> FetchError:
    return FetchError(f"Exa gave an answer that cannot be read: {what}.", kind="bad_reply")
