"""What the answer of a search service must be. Whatever is not that raises a SearchError with its kind, and is never an empty list.

Statuses, JSON and rows of results are read here, once for all providers; which address is asked and what the fields are called is theirs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from research_core import replies
from research_core.deps import Http
from research_core.errors import FetchError, SearchError
from research_core.models import SearchResult

MAX_RESULTS = 10
#: What a status other than 200 means of a service, where that is not what it means of a page: a key that is refused, a wrong address of
#: the service. Any other is an outage from 500 on, and below it an answer nobody promised.
STATUS_KINDS = replies.STATUS_KINDS | {403: "auth_required", 404: "config", 410: "config", 504: "timeout"}
NOTHING: Mapping[str, str] = {}


def kind_of(status: int) -> str:
    """The error kind of an HTTP status that is not 200."""
    return STATUS_KINDS.get(status) or ("upstream_unavailable" if status >= 500 else "bad_reply")


def get_json(
    http: Http, name: str, url: str, params: Mapping[str, str], *, endpoint: bool = False, next_steps: Mapping[str, str] = NOTHING
) -> Any:
    """The JSON a service answers. next_steps: what a person can do, by error kind. Raises SearchError."""
    try:
        reply = http.send("GET", url, params=params, headers={"Accept": "application/json"}, endpoint=endpoint)
    except FetchError as error:
        step = error.next_step or next_steps.get(error.kind, "")
        raise SearchError(f"{name}: {error.message}", kind=error.kind, retry_after=error.retry_after, next_step=step) from error
    if reply.status != 200:
        kind, wait = kind_of(reply.status), replies.wait_asked(reply.headers)
        step = next_steps.get(kind, "")
        raise SearchError(f"{name} answered {reply.status}.", kind=kind, status=reply.status, retry_after=wait, next_step=step)
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError) as error:
        raise changed(name, "it is not JSON", next_steps.get("bad_reply", "")) from error


def results(name: str, rows: Any, *, url: str, title: str, snippet: str, published: str = "") -> tuple[SearchResult, ...]:
    """The first rows as results; url, title … name their fields. A row without an address is left out, unless none has one.

    Raises SearchError when rows is not the list that was promised.
    """
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise changed(name, "its results are no list of objects")
    for field in (url, title, snippet):
        if rows and not any(field in row for row in rows):
            raise changed(name, f"no result has the field {field!r}")
    read = [_result(name, row, (title, url, snippet, published)) for row in rows]
    usable = tuple(result for result in read if result.url)
    if rows and not usable:
        raise changed(name, "no result has an address")
    return usable[:MAX_RESULTS]


def changed(name: str, what: str, next_step: str = "") -> SearchError:
    """The error of an answer that does not have the shape its documentation promises."""
    return SearchError(f"{name} gave an answer that cannot be read: {what}.", kind="bad_reply", status=200, next_step=next_step)


def _result(name: str, row: Mapping[str, Any], fields: tuple[str, str, str, str]) -> SearchResult:
    texts = ["" if row.get(field) is None else row[field] for field in fields]
    if not all(isinstance(text, str) for text in texts):
        raise changed(name, "a field of a result is not text")
    title, url, snippet, published = texts
    return SearchResult(title, url, snippet, published=published)
