"""Search the web through ddgs, one named engine at a time.

It uses ddgs's engines but not its `DDGS` class, which turns every status but 200 into "No results
found.", treats an unknown engine as "all", reads the environment and reranks. ddgs uses its own
HTTP client, which imitates a browser; this is the only module that uses it. An engine that refuses
is not asked again for a while.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException
from lxml import etree, html

from research_core.errors import FetchError, SearchError
from research_core.journal.deps import Http
from research_core.models import SearchResult
from research_core.search.providers import duckduckgo_regions
from research_core.search.providers.reply import (
    MAX_RESULTS,
    changed_format_error,
    drop_empty,
    get_error_kind,
    read_results,
    unreached_error,
)
from research_core.search.queries import WebQuery, add_operators
from research_core.search.redirectors import measure_first
from research_core.settings import Settings
from research_core.text.words import strip_invisible, truncate

TIMEOUT_S = 10
#: Parameters each engine honours through ddgs. Brave gets no country in a form it reads, and
#: encyclopedias look up words without operators.
_OPERATORS = "site exact_terms exclude_terms"
HONOURS = {
    engine: frozenset(names.split())
    for engine, names in {
        "duckduckgo": f"time_range language country sites {_OPERATORS}",
        "brave": f"time_range safe sites {_OPERATORS}",
        "mojeek": f"safe language country {_OPERATORS}",
        "wikipedia": "language",
        "startpage": f"time_range safe language country sites {_OPERATORS}",
        "yahoo": f"time_range sites {_OPERATORS}",
        "grokipedia": "",
    }.items()
}
SPANS = {"hour": "d", "day": "d", "week": "w", "month": "m", "year": "y"}
SAFE = {"off": "off", "medium": "moderate", "moderate": "moderate", "high": "on", "strict": "on"}
# An encyclopedia's whole introduction would outrank every other engine's snippet.
SNIPPET_LENGTH = 500
REST_S, REST_MAX_S = 60.0, 900.0
#: Error kinds after which an engine rests.
REFUSALS = frozenset({"rate_limited", "blocked"})
#: Error kinds of statuses that differ from the usual ones: 202 comes with a captcha.
STATUS_KINDS = {202: "rate_limited", 401: "blocked", 403: "blocked", 404: "bad_reply"}
NEXT_STEP = "Try again later, or set SEARXNG_URL to a SearXNG server of your own."
#: The first matching row gives kind and message.
FAILURES: tuple[tuple[type[DDGSException], str, str], ...] = (
    (RatelimitException, "rate_limited", "refuses any more searches for now"),
    (TimeoutException, "timeout", "did not answer in time"),
    (DDGSException, "network", "could not be reached, or broke off its answer"),
)
#: Exceptions of ddgs's parsers on an unexpected answer.
UNREADABLE = (
    etree.LxmlError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    StopIteration,
    RecursionError,
)
#: Messages that nothing was found: at the start of a text node, and in JSON answers.
SAYS_NOTHING = re.compile(
    r"\s*((sorry|your search|unfortunately|we|there (are|were))[\s,.:-]+)*"
    r"(no\s+(more\s+|web\s+|search\s+)?(results|pages|matches)|(did\s+not|didn.t|could\s+not|"
    r"couldn.t)\s+(match|find))\b",
    re.IGNORECASE,
)
SAYS_NOTHING_IN_JSON = re.compile(
    r'\s*(\["(?:[^"\\]|\\.)*",\s*\[|\{.*("results":\s*\[\s*\]|may refer to:))', re.DOTALL
)
ASKS_FOR_A_PERSON = re.compile(
    r"captcha|anomaly|challenge-(form|platform)|unusual traffic|(human|robot)\?|bots use",
    re.IGNORECASE,
)
NOT_SHOWN = "ancestor::script or ancestor::style or ancestor::noscript or ancestor::template"

Rows = list[dict[str, str]]


def search(
    http: Http,
    settings: Settings,
    query: WebQuery,
    *,
    engine: str,
    client: Callable[..., Rows] | None = None,
) -> tuple[SearchResult, ...]:
    """Return what one engine lists, in its order.

    client: (engine, query, how many, **how) -> rows as ddgs gives them; how: the parameters from
    `build_engine_params`. Raises SearchError.
    """
    words, how = build_engine_params(engine, query)
    ask = partial(client or _PROCESS.ask, engine, words, MAX_RESULTS, **how)
    params = {"engine": engine, "query": words, "max_results": MAX_RESULTS, **how}
    try:
        listed = http.call("ddgs", params, ask, limit=f"engine:{engine}")
    except FetchError as error:  # the call timed out
        raise unreached_error(engine, error) from error
    return read_results(engine, listed, url="href", title="title", snippet="body")


def build_engine_params(engine: str, query: WebQuery) -> tuple[str, dict[str, str]]:
    """Return the query text, and region, safesearch and timelimit if this engine uses them."""
    honoured = HONOURS[engine]
    given = dict.fromkeys(("country", "language", "safe", "time_range"), "")
    for name in given:
        if name in honoured:
            given[name] = getattr(query, name)
    how = {
        "region": _format_region(engine, given["country"], given["language"]),
        "safesearch": SAFE.get(given["safe"], ""),
        "timelimit": SPANS.get(given["time_range"], ""),
    }
    if _exceeds_span(engine, given["time_range"]):
        how["timelimit"] = ""
    operators: dict[str, Any] = {}
    for name in (*_OPERATORS.split(), "sites"):
        if name in honoured:
            operators[name] = getattr(query, name)
    return add_operators(query.text, **operators), drop_empty(how)


def list_unsupported_params(query: WebQuery, *, engine: str) -> list[str]:
    """Return the parameters this engine knows but not with these values."""
    if engine == "duckduckgo":
        return duckduckgo_regions.list_unsupported_params(query)
    unsupported = []
    if query.time_range == "hour" or _exceeds_span(engine, query.time_range):
        unsupported.append("time_range")
    if engine == "mojeek" and SAFE.get(query.safe) == "moderate":
        unsupported.append("safe")
    return unsupported


def _exceeds_span(engine: str, span: str) -> bool:
    """Return True if Yahoo is asked for a year: a month would leave out results."""
    return engine == "yahoo" and span == "year"


def _format_region(engine: str, country: str, language: str) -> str:
    """Return country and language; ddgs needs both, so the default is US and English."""
    if engine == "duckduckgo":
        return duckduckgo_regions.get_region_code(country, language)
    if not country and not language:
        return ""
    return f"{country or 'us'}-{language.partition('-')[0] or 'en'}".lower()


def load_text_engines() -> Mapping[str, Any]:
    """Return ddgs's text search classes by name.

    Imported on first use, because the import loads an HTTP client.
    """
    from ddgs.engines import ENGINES

    return ENGINES["text"]


class EnginePool:
    """The ddgs engines, and how long each one that refused must rest.

    One per process, since a refusal concerns this machine's address, whichever session asked. Safe
    for any number of threads.
    """

    def __init__(
        self,
        classes: Callable[[], Mapping[str, Any]] = load_text_engines,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._classes, self._now = classes, now
        self._lock = threading.Lock()
        self._rests: dict[str, tuple[float, float]] = {}  # engine: (rests until, length)

    def ask(self, engine: str, query: str, limit: int, **how: str) -> Rows:
        """Return up to `limit` rows {"title", "href", "body"}.

        Advertisements stay and do not count. Empty only if the engine says it found nothing. how:
        region, safesearch and timelimit, as ddgs names them. Raises SearchError.
        """
        if engine not in self._classes():
            raise SearchError(
                f"The installed ddgs has no engine {engine}.",
                kind="config",
                next_step="Take it out of ASSAY_DDGS_ENGINES.",
            )
        self._check_rest(engine)
        try:
            rows = _search_engine(engine, self._classes()[engine](timeout=TIMEOUT_S), query, how)
        except SearchError as error:
            if error.kind in REFUSALS:
                self._rest(engine)
            raise
        with self._lock:
            self._rests.pop(engine, None)
        return rows[: measure_first([row["href"] for row in rows], limit)]

    def _check_rest(self, engine: str) -> None:
        with self._lock:
            left = self._rests.get(engine, (0.0, 0.0))[0] - self._now()
        if left > 0:
            message = f"{engine} refused recently and is not asked for another {left:.0f} s."
            raise SearchError(message, kind="rate_limited", retry_after=left, next_step=NEXT_STEP)

    def _rest(self, engine: str) -> None:
        """Double the wait after a refusal; concurrent calls count once."""
        with self._lock:
            until, length = self._rests.get(engine, (0.0, 0.0))
            if until <= self._now():
                length = min(2 * length or REST_S, REST_MAX_S)
                self._rests[engine] = (self._now() + length, length)


_PROCESS = EnginePool()


class WatchedClient:
    """ddgs's client, changed to raise on any status but 200 and to keep the last page."""

    def __init__(self, engine: str, inner: Any) -> None:
        self._engine, self._inner = engine, inner
        self.client = inner.client  # engines set their cookies on it
        self.page = ""

    def request(self, *args: Any, **kwargs: Any) -> Any:
        reply = self._inner.request(*args, **kwargs)
        status = reply.status_code
        if status != 200:
            kind = STATUS_KINDS.get(status) or get_error_kind(status)
            raise SearchError(
                f"{self._engine} answered {status}.", kind=kind, status=status, next_step=NEXT_STEP
            )
        self.page = reply.text
        return reply


def _search_engine(name: str, engine: Any, query: str, how: Mapping[str, str]) -> Rows:
    engine.http_client = client = WatchedClient(name, engine.http_client)
    try:
        rows = map(_read_row, engine.search(query, **how) or ())
        listed = [row for row in rows if row["href"]]
        if not listed:
            _check_empty_page(name, client.page)
        return listed
    except DDGSException as error:
        for cause, kind, what in FAILURES:
            if isinstance(error, cause):
                raise SearchError(f"{name} {what}.", kind=kind, next_step=NEXT_STEP) from error
        raise
    except UNREADABLE as error:
        raise changed_format_error(
            name, "its layout is not the one ddgs knows", NEXT_STEP
        ) from error


def _read_row(result: Any) -> dict[str, str]:
    return {
        "title": strip_invisible(result.title),
        "href": strip_invisible(result.href),
        "body": truncate(strip_invisible(result.body), SNIPPET_LENGTH),
    }


def _check_empty_page(name: str, page: str) -> None:
    """Raise SearchError unless the page says that nothing was found.

    A captcha or a new layout shows no results either.
    """
    if SAYS_NOTHING_IN_JSON.match(page) or any(
        SAYS_NOTHING.match(text) for text in _list_page_texts(page)
    ):
        return
    if ASKS_FOR_A_PERSON.search(page):
        raise SearchError(
            f"{name} asks for proof that a person is searching.",
            kind="blocked",
            status=200,
            next_step=NEXT_STEP,
        )
    raise changed_format_error(
        name, "it holds no results and does not say that there are none", NEXT_STEP
    )


def _list_page_texts(page: str) -> list[str]:
    tree = html.document_fromstring(
        page.encode("utf-8", "replace"), parser=html.HTMLParser(encoding="utf-8")
    )
    return [str(text) for text in tree.xpath(f"//text()[not({NOT_SHOWN})]")]
