"""Read and check a service's answer: statuses, JSON, XML and typed fields.

Shared by all providers, which know the URLs and field names. Anything unexpected raises a
SearchError with its kind and is never an empty list. A missing field is "" or None; a field of
another type than documented means the format has changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, TypeVar

from lxml import etree

from research_core.errors import FetchError, SearchError
from research_core.journal import http_caching
from research_core.journal.deps import Http, Login, Price
from research_core.models import HttpReply, SearchResult
from research_core.search.redirectors import measure_first
from research_core.settings import TIMEOUTS_S
from research_core.text.words import strip_invisible, truncate
from research_core.urls import find_host, is_own_document

Row = TypeVar("Row")
Made = TypeVar("Made")
MAX_RESULTS = 10
#: Error kinds of a service's statuses where they differ from those of a page: a refused key, a
#: wrong service URL. Others are an outage from 500 on, else an undocumented answer.
STATUS_KINDS = http_caching.STATUS_KINDS | {
    403: "auth_required",
    404: "config",
    410: "config",
    504: "timeout",
}
NOTHING: Mapping[str, str] = {}
#: Reads a refusal's body (JSON or None) as (error kind, words); each is "" to use the default.
Refusal = Callable[[Any], tuple[str, str]]
#: Paths of error messages in services' answers, and how many characters to quote.
WORDS_AT = (
    ("error", "message"),
    ("error", "detail"),
    ("error_message",),
    ("message",),
    ("message", 0, "message"),
    ("detail",),
    ("error",),
    (0, "message", 0, "value"),
)
WORDS = 200
_XML = etree.XMLParser(
    resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False
)


def get_error_kind(status: int) -> str:
    """Return the error kind of an HTTP status other than 200."""
    return STATUS_KINDS.get(status) or ("upstream_unavailable" if status >= 500 else "bad_reply")


def request(
    http: Http,
    name: str,
    url: str,
    params: Mapping[str, str] = NOTHING,
    *,
    method: str = "GET",
    headers: Mapping[str, str] = NOTHING,
    body: Any = None,
    accept: str = "application/json",
    endpoint: bool = False,
    keep: bool = True,
    max_bytes: int = 5_000_000,
    timeout_s: float = TIMEOUTS_S["search"],
    price: Price | None = None,
    login: Login | None = None,
    next_steps: Mapping[str, str] = NOTHING,
    also: Sequence[int] = (),
    refusal: Refusal | None = None,
) -> HttpReply:
    """Send a request and return the reply, of status 200 or one of `also`.

    body: sent as JSON; next_steps: what a person can do, by error kind. Raises SearchError with the
    kind of the status, or the one `refusal` reads from the body.
    """
    how: dict[str, Any] = {
        "endpoint": endpoint,
        "keep": keep,
        "max_bytes": max_bytes,
        "timeout_s": timeout_s,
    }
    if body is not None:
        how["json"] = body
    if price is not None:
        how["price"] = price
    if login is not None:
        how["login"] = login
    try:
        reply = http.send(method, url, params=params, headers={"Accept": accept, **headers}, **how)
    except FetchError as error:
        raise unreached_error(name, error, next_steps) from error
    if reply.status != 200 and reply.status not in also:
        kind, words = refusal(_parse_error_body(reply)) if refusal else ("", "")
        raise refusal_error(name, reply, next_steps, kind=kind, words=words)
    return reply


def drop_empty(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that have a value."""
    return {name: value for name, value in params.items() if value}


def unreached_error(
    name: str, error: FetchError, next_steps: Mapping[str, str] = NOTHING
) -> SearchError:
    """Build the error for a call that got no answer."""
    step = error.next_step or next_steps.get(error.kind, "")
    return SearchError(
        f"{name}: {error.message}", kind=error.kind, retry_after=error.retry_after, next_step=step
    )


def refusal_error(
    name: str,
    reply: HttpReply,
    next_steps: Mapping[str, str] = NOTHING,
    *,
    kind: str = "",
    words: str = "",
) -> SearchError:
    """Build the error for a refusal.

    kind, words: override what the status and the usual fields say.
    """
    kind = kind or get_error_kind(reply.status)
    words = words or _read_own_words(reply)
    quoted = f" ({words})" if words else ""
    error = SearchError(
        f"{name} answered {reply.status}{quoted}.",
        kind=kind,
        status=reply.status,
        retry_after=http_caching.parse_retry_after(reply.headers),
        next_step=next_steps.get(kind, ""),
    )
    error.quotes = (words,) if words else ()
    return error


def _read_own_words(reply: HttpReply) -> str:
    """Return the service's own error message, cleaned and short; "" if it has none."""
    text = reply.body[:5_000].decode("utf-8", "replace").strip()
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        # A web page is no message: it has a menu before any words on the failure.
        return "" if text.startswith("<") else clean_message(text)
    for path in WORDS_AT:
        found = get_value(answer, *path)
        if isinstance(found, str):
            return clean_message(found)
    return ""


def clean_message(words: str) -> str:
    """Return a service's error message, cleaned, on one line and short."""
    return truncate(" ".join(strip_invisible(words).split()), WORDS)


def get_json(http: Http, name: str, url: str, params: Mapping[str, str], **how: Any) -> Any:
    """Request a URL and return its JSON; how: as for `request`. Raises SearchError."""
    return parse_json(name, request(http, name, url, params, **how), how.get("next_steps", NOTHING))


def _parse_error_body(reply: HttpReply) -> Any:
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError):  # a web page or nothing: the status has to do
        return None


def parse_json(name: str, reply: HttpReply, next_steps: Mapping[str, str] = NOTHING) -> Any:
    """Parse the body as JSON. Raises SearchError."""
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError) as error:
        raise changed_format_error(
            name, "it is not JSON", next_steps.get("bad_reply", "")
        ) from error


def parse_xml(name: str, reply: HttpReply) -> Any:
    """Parse the body as XML, resolving no entities and loading nothing. Raises SearchError."""
    try:
        return etree.fromstring(reply.body, _XML)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise changed_format_error(name, "it is not XML") from error


# ---------------------------------------------------------------- fields


def read_rows(name: str, answer: Any, *path: str, optional: bool = False) -> list[dict[str, Any]]:
    """Return the list of objects at this path.

    optional: a missing or null last step counts as an empty list. Raises SearchError for anything
    else.
    """
    at = answer
    for step in path[:-1]:
        at = at.get(step) if isinstance(at, dict) else None
    last = path[-1] if path else ""
    if not isinstance(at, dict) and path:
        raise changed_format_error(name, f"there is no {'.'.join(path)!r} in it")
    found = at if not path else at.get(last)
    if found is None and optional:
        return []
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise changed_format_error(name, f"{'.'.join(path) or 'it'} is no list of objects")
    return found


def read_text(name: str, row: Mapping[str, Any], *path: str) -> str:
    """Return the cleaned text at this path; "" if missing or null.

    A number is converted to text. Raises SearchError.
    """
    value = get_value(row, *path)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise changed_format_error(name, f"{'.'.join(path)!r} is not text")
    return strip_invisible(str(value))


def read_url(name: str, row: Mapping[str, Any], *path: str) -> str:
    """Return the web URL at this path; "" if missing or invalid. Raises SearchError.

    Any URL returned is one that `urls.find_host` can parse.
    """
    url = read_text(name, row, *path)
    try:
        return url if find_host(url) else ""
    except ValueError:
        return ""


def read_number(name: str, row: Mapping[str, Any], *path: str) -> int | float | None:
    """Return the number at this path, exactly as given; None if missing or null.

    Raises SearchError for any other type, NaN and infinity.
    """
    value = get_value(row, *path)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    raise changed_format_error(name, f"{'.'.join(path)!r} is not a number")


def read_integer(name: str, row: Mapping[str, Any], *path: str) -> int | None:
    """Return the integer at this path; None if missing or null. Raises SearchError."""
    value = get_value(row, *path)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise changed_format_error(name, f"{'.'.join(path)!r} is not a whole number")


def read_flag(name: str, row: Mapping[str, Any], *path: str) -> bool | None:
    """Return the boolean at this path; None if missing or null. Raises SearchError."""
    value = get_value(row, *path)
    if value is None or isinstance(value, bool):
        return value
    raise changed_format_error(name, f"{'.'.join(path)!r} is neither true nor false")


def read_texts(name: str, row: Mapping[str, Any], *path: str) -> tuple[str, ...]:
    """Return the cleaned, non-empty texts at this path; () if missing or null.

    Raises SearchError.
    """
    value = get_value(row, *path)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise changed_format_error(name, f"{'.'.join(path)!r} is no list of texts")
    return tuple(read_each(value, strip_invisible))


def get_value(row: Any, *path: str | int) -> Any:
    """Return the value at this path of keys and indexes; None if any step is missing."""
    for step in path:
        if isinstance(step, int):
            row = row[step] if isinstance(row, list) and -len(row) <= step < len(row) else None
        else:
            row = row.get(step) if isinstance(row, dict) else None
    return row


def read_each(listed: Iterable[Row], read: Callable[[Row], Made | None]) -> list[Made]:
    """Return what `read` makes of each row, without None and empty results."""
    found = []
    for row in listed:
        made = read(row)
        if made:
            found.append(made)
    return found


def read_column(name: str, listed: Iterable[Mapping[str, Any]], *path: str) -> tuple[str, ...]:
    """Return the non-empty texts at this path of each row. Raises SearchError."""
    return tuple(read_each(listed, lambda row: read_text(name, row, *path)))


def _describe_rows(count: int) -> str:
    """Return the beginning of a sentence on what no row has."""
    return "its only result lacks" if count == 1 else f"none of its {count} results has"


def require_some(
    name: str, listed: Sequence[Any], made: Sequence[Any], what: str
) -> tuple[Any, ...]:
    """Return the records made. Raises SearchError if there were rows but none was usable."""
    if listed and not made:
        raise changed_format_error(name, f"{_describe_rows(len(listed))} {what}")
    return tuple(made)


def read_records(
    name: str, listed: Sequence[Row], read: Callable[[Row], Made | None], what: str
) -> tuple[Made, ...]:
    """Return the records that `read` makes of the rows, without None.

    what: the parts without which `read` gives None. Raises SearchError if there are rows but none
    was usable.
    """
    return require_some(name, listed, read_each(listed, read), what)


def read_results(
    name: str,
    rows: Any,
    *,
    url: str,
    title: str,
    snippet: str,
    published: str = "",
    count: int = MAX_RESULTS,
) -> tuple[SearchResult, ...]:
    """Return the first rows as search results; url, title … name their fields.

    Advertisements, which `redirectors.clean_links` drops, stay and do not count. Rows without a
    URL, or with that of an own document, are left out. Raises SearchError if rows is not a list of
    objects, or none has a usable URL.
    """
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise changed_format_error(name, "its results are no list of objects")
    for field in (url, title, snippet):
        if rows and not any(field in row for row in rows):
            raise changed_format_error(name, f"no result has the field {field!r}")
    read = [_read_result(name, row, (title, url, snippet, published)) for row in rows]
    usable = tuple(result for result in read if result.url)
    if rows and not usable:
        raise changed_format_error(name, "no result has an address")
    return usable[: measure_first([result.url for result in usable], count)]


def changed_format_error(name: str, what: str, next_step: str = "") -> SearchError:
    """Build the error for an answer that differs from its documentation."""
    return SearchError(
        f"{name} gave an answer that cannot be read: {what}.",
        kind="bad_reply",
        status=200,
        next_step=next_step,
    )


def _read_result(
    name: str, row: Mapping[str, Any], fields: tuple[str, str, str, str]
) -> SearchResult:
    texts: list[Any] = []
    for field in fields:
        value = row.get(field)
        texts.append("" if value is None else value)
    if not all(isinstance(text, str) for text in texts):
        raise changed_format_error(name, "a field of a result is not text")
    title, url, snippet, published = texts
    return SearchResult(title, "" if is_own_document(url) else url, snippet, published=published)
