"""Search web, news and papers with Exa; answer questions and extract fields. Calls are paid.

It reads Exa's lists with the passages Exa picked; pages are read in `web.fetch`. Exa searches by
meaning: no operators, no phrases and no excluded words.
"""

from __future__ import annotations

import json
from datetime import timedelta
from math import isfinite
from typing import Any
from urllib.parse import urlsplit

from research_core.errors import UsageError
from research_core.journal.deps import Http, Price
from research_core.model_messages import Json
from research_core.models import SearchResult
from research_core.search.providers.publication_dates import get_reply_time, parse_published
from research_core.search.providers.reply import (
    changed_format_error,
    get_value,
    parse_json,
    read_each,
    read_records,
    read_rows,
    read_text,
    read_texts,
    read_url,
    request,
    require_some,
)
from research_core.search.providers.works import HOSTS, strip_doi
from research_core.search.queries import (
    AnswerQuery,
    NewsQuery,
    PaperQuery,
    StructuredQuery,
    WebQuery,
)
from research_core.search.records import (
    Answer,
    Article,
    CitedPage,
    ExtractedResult,
    NotedRecords,
    Paper,
    build_article,
)
from research_core.settings import EXA_ADDRESS, TIMEOUTS_S, Settings
from research_core.text.words import format_count, strip_invisible, truncate
from research_core.urls import find_host, is_under_domain
from research_core.web.exa_cost import read_cost, read_recorded_cost

NAME = "Exa"
NEEDS = ("EXA_API_KEY",)
WEB_HONOURS = frozenset({"time_range", "site", "sites", "safe", "country"})
NEWS_HONOURS = frozenset({"time_range", "news_source", "safe", "country"})
PAPER_HONOURS = frozenset({"year_from", "year_to", "source"})
STRUCTURED_HONOURS = frozenset({"category", "schema"})
#: Days in a span; Exa filters by date only.
SPANS = {"hour": 1, "day": 1, "week": 7, "month": 31, "year": 365}
#: Results in one answer of the usual plans, and sites in one call.
MAX_COUNT, MAX_SITES = 10, 100
#: USD a call may cost: a search, each kind of content per result, and an answer.
SEARCH_USD, CONTENT_USD, ANSWER_USD = 0.01, 0.002, 0.02
#: Characters of a snippet made from passages.
SNIPPET = 600
PASSAGES = {"highlights": {"maxCharacters": SNIPPET}}
#: Levels of nesting accepted in a model's output.
DEPTH = 12
#: Categories of results, and what a schema of fields may hold, as Exa documents them.
CATEGORIES = (
    "company",
    "people",
    "research paper",
    "news",
    "pdf",
    "github",
    "financial report",
    "personal site",
)
MAX_FIELDS = 10
PRIMITIVES = ("string", "number", "integer", "boolean")
SCHEMA_STEP = (
    f"Give an object with 1 to {MAX_FIELDS} properties, each of the type {', '.join(PRIMITIVES)},"
    " or an array whose items are of one of these."
)
NEXT_STEPS = {
    "auth_required": (
        "Check EXA_API_KEY in .env and the credits left at dashboard.exa.ai, or ask another"
        " provider."
    ),
    "rate_limited": "Wait a minute, or ask another provider.",
}


# ---------------------------------------------------------------- what it finds


def search(http: Http, settings: Settings, query: WebQuery) -> tuple[SearchResult, ...]:
    """Return pages in Exa's order. Raises SearchError."""
    sites = (query.site,) if query.site else query.sites
    wanted = {
        **_build_start_date(http, query),
        **_build_location_params(query),
        **_build_site_domains(sites),
    }
    found = _find_rows(http, settings, query, wanted, PASSAGES)
    kept = [row for row in found if not sites or _is_at_site(row["url"], sites)]
    notes = []
    if len(kept) < len(found):
        notes.append(
            f"{NAME} searches whole domains: of the first {format_count(len(found), 'page')} it"
            f" found there {len(kept)} {'stands' if len(kept) == 1 else 'stand'} where it was asked"
            " for."
        )
    return NotedRecords([_read_page(row) for row in kept], notes)


def search_news(http: Http, settings: Settings, query: NewsQuery) -> tuple[Article, ...]:
    """Return articles in Exa's order. Raises SearchError."""
    sites = (query.news_source,) if query.news_source else ()
    wanted = {
        "category": "news",
        **_build_start_date(http, query),
        **_build_location_params(query),
        **_build_site_domains(sites),
    }
    found = _find_rows(http, settings, query, wanted, PASSAGES)
    return tuple(build_article(_read_page(row), find_host(row["url"])) for row in found)


def search_papers(http: Http, settings: Settings, query: PaperQuery) -> tuple[Paper, ...]:
    """Return works in Exa's order, without abstracts and citation counts.

    Raises SearchError.
    """
    wanted: Json = {"category": "research paper"}
    if query.source:
        wanted |= _build_site_domains((HOSTS[query.source],))
    if query.year_from:
        wanted["startPublishedDate"] = f"{query.year_from}-01-01T00:00:00.000Z"
    if query.year_to:
        wanted["endPublishedDate"] = f"{query.year_to}-12-31T23:59:59.999Z"
    return tuple(_read_paper(row) for row in _find_rows(http, settings, query, wanted, {}))


def fetch_answer(http: Http, settings: Settings, query: AnswerQuery) -> tuple[Answer, ...]:
    """Return the one answer, or () if Exa has none. Raises SearchError."""
    body = {"query": query.text, "text": False}
    answer, cost = _post(http, settings, "answer", body, ANSWER_USD)
    if not isinstance(get_value(answer, "answer"), str):
        raise changed_format_error(NAME, "there is no answer in it")
    listed = read_rows(NAME, answer, "citations")
    cited = read_each(listed, _read_cited_page)
    words = read_text(NAME, answer, "answer").strip()
    if not words:
        return ()
    return (Answer(words, require_some(NAME, listed, cited, "an address"), cost),)


def fetch_structured(
    http: Http, settings: Settings, query: StructuredQuery
) -> tuple[ExtractedResult, ...]:
    """Return results with the data Exa's model extracted from each.

    Raises UsageError before any call, SearchError.
    """
    category = check_category(query.category)
    summary: Json = {"query": query.text}
    if query.schema:
        summary["schema"] = check_schema(query.schema)
    wanted = {"category": category} if category else {}
    answer, cost = _ask(http, settings, query, wanted, {"summary": summary, "highlights": True})
    return tuple(
        _read_extracted(row, bool(query.schema), cost) for row in _list_usable_rows(answer)
    )


# ---------------------------------------------------------------- checking, before it is paid for


def check_category(name: str) -> str:
    """Return Exa's name of the category, "" for none. Raises UsageError for an unknown one."""
    known = " ".join(name.split()).lower()
    if known and known not in CATEGORIES:
        raise UsageError(
            f"Exa has no category {name!r}.", next_step=f"Choose among: {', '.join(CATEGORIES)}."
        )
    return known


def check_schema(schema: Json) -> Json:
    """Return the schema, flat as Exa needs it. Raises UsageError with what is allowed."""
    try:
        json.dumps(schema, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise _schema_error("it is no JSON, or too deep") from error
    fields = schema.get("properties")
    if schema.get("type") != "object" or not isinstance(fields, dict) or not fields:
        raise _schema_error("its root is no object with properties")
    if len(fields) > MAX_FIELDS:
        raise _schema_error(f"it has {len(fields)} properties")
    for name, field in fields.items():
        is_list = _list_field_types(field) == ("array",) and _is_simple(field.get("items"))
        if not _is_simple(field) and not is_list:
            raise _schema_error(
                f"the property {name!r} is neither simple nor a list of simple values"
            )
    return schema


def _is_simple(field: Any) -> bool:
    """Return True for a text, number or boolean field, possibly nullable."""
    types = [each for each in _list_field_types(field) if each != "null"]
    return bool(types) and all(each in PRIMITIVES for each in types)


def _list_field_types(field: Any) -> tuple[Any, ...]:
    """Return the types of a field, which JSON Schema gives as one name or as a list."""
    found = field.get("type") if isinstance(field, dict) else None
    if isinstance(found, list):
        return tuple(found)
    return (found,) if found else ()


def _schema_error(why: str) -> UsageError:
    return UsageError(f"Exa cannot go by this schema: {why}.", next_step=SCHEMA_STEP)


# ---------------------------------------------------------------- asking


def _find_rows(
    http: Http, settings: Settings, query: Any, wanted: Json, contents: Json
) -> list[dict[str, Any]]:
    return _list_usable_rows(_ask(http, settings, query, wanted, contents)[0])


def _ask(
    http: Http, settings: Settings, query: Any, wanted: Json, contents: Json
) -> tuple[Any, float | None]:
    """Return a search's answer and cost. contents: the data to request for each result."""
    count = min(query.count, MAX_COUNT)
    body = {"query": query.text, "type": "auto", "numResults": count, **wanted}
    if contents:
        body["contents"] = contents
    return _post(http, settings, "search", body, SEARCH_USD + CONTENT_USD * len(contents) * count)


def _post(
    http: Http, settings: Settings, what: str, body: Json, most: float
) -> tuple[Any, float | None]:
    """Return the answer and its cost in USD: 0 if cached, None if not stated."""
    reply = request(
        http,
        NAME,
        f"{EXA_ADDRESS}/{what}",
        {},
        method="POST",
        headers={"x-api-key": settings.exa_api_key},
        body=body,
        endpoint=True,
        timeout_s=TIMEOUTS_S["exa"],
        price=Price(round(most, 4), read_recorded_cost),
        next_steps=NEXT_STEPS,
    )
    answer = parse_json(NAME, reply, NEXT_STEPS)
    return answer, 0.0 if reply.kept else read_cost(answer)


def _build_start_date(http: Http, query: Any) -> Json:
    """Return the first day wanted, by the clock in any answer of Exa, even a 404 at its root.

    That call is free, and a replay repeats its answer. Raises SearchError.
    """
    if not query.time_range:
        return {}
    now = get_reply_time(
        request(http, NAME, f"{EXA_ADDRESS}/", endpoint=True, also=range(200, 500))
    )
    if now is None:
        raise changed_format_error(
            NAME, "it does not say when it was given, so that nobody knows what is new"
        )
    first = (now - timedelta(days=SPANS[query.time_range])).date()
    return {"startPublishedDate": f"{first}T00:00:00.000Z"}


def _build_location_params(query: Any) -> Json:
    """Return the caller's country and the moderation setting."""
    params: Json = {}
    if query.country:
        params["userLocation"] = query.country.upper()
    if query.safe:
        params["moderation"] = query.safe != "off"
    return params


def _build_site_domains(sites: tuple[str, ...]) -> Json:
    if not sites:
        return {}
    return {"includeDomains": list(dict.fromkeys(site.partition("/")[0] for site in sites))}


# ---------------------------------------------------------------- reading


def _list_usable_rows(answer: Any) -> list[dict[str, Any]]:
    """Return the results whose "url" is a web address.

    Raises SearchError if there are results but none has one.
    """
    listed = read_rows(NAME, answer, "results")
    return list(read_records(NAME, listed, _read_addressed, "an address"))


def _read_addressed(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return a result with its "url" cleaned; None if that is no web address."""
    url = read_url(NAME, row, "url")
    return {**row, "url": url} if url else None


def _is_at_site(url: str, sites: tuple[str, ...]) -> bool:
    """Return True if a page is at one of these sites (host or host/path)."""
    path = urlsplit(url).path + "/"
    for site in sites:
        domain, _, rest = site.partition("/")
        rest = rest.strip("/")
        folder = f"/{rest}/" if rest else "/"
        if is_under_domain(find_host(url), domain) and path.startswith(folder):
            return True
    return False


def _read_page(row: dict[str, Any]) -> SearchResult:
    return SearchResult(_read_title(row), row["url"], _read_snippet(row), published=_read_date(row))


def _read_cited_page(row: dict[str, Any]) -> CitedPage | None:
    url = read_url(NAME, row, "url")
    return CitedPage(url, read_text(NAME, row, "title"), _read_date(row)) if url else None


def _read_title(row: dict[str, Any]) -> str:
    return read_text(NAME, row, "title") or row["url"]


def _read_date(row: dict[str, Any]) -> str:
    return parse_published(read_text(NAME, row, "publishedDate"), None)


def _read_snippet(row: dict[str, Any]) -> str:
    """Return the passages Exa picked, else the beginning of the text."""
    picked = " … ".join(read_texts(NAME, row, "highlights")) or read_text(NAME, row, "text")
    return truncate(" ".join(picked.split()), SNIPPET)


def _read_paper(row: dict[str, Any]) -> Paper:
    year = _read_date(row)[:4]
    authors = read_each(read_text(NAME, row, "author").split(";"), str.strip)
    return Paper(
        _read_title(row),
        row["url"],
        "exa",
        doi=strip_doi(row["url"]),
        authors=tuple(authors),
        year=int(year) if year else None,
    )


def _read_extracted(row: dict[str, Any], of_schema: bool, cost: float | None) -> ExtractedResult:
    """Return a result with what Exa's model wrote. of_schema: its summary is JSON of the schema."""
    summary = read_text(NAME, row, "summary")
    return ExtractedResult(
        url=row["url"],
        title=read_text(NAME, row, "title"),
        published_date=_read_date(row),
        author=read_text(NAME, row, "author"),
        summary=_parse_object(summary) if of_schema else summary,
        highlights=read_texts(NAME, row, "highlights"),
        entities=_read_entities(row),
        cost_usd=cost,
    )


def _read_entities(row: dict[str, Any]) -> tuple[Json, ...]:
    try:
        return tuple(_clean_value(each) for each in read_rows(NAME, row, "entities", optional=True))
    except ValueError as error:
        raise changed_format_error(NAME, f"an entity cannot be kept: {error}") from error


def _parse_object(text: str) -> Any:
    """Parse a model's answer to a schema: usually JSON, else its plain text."""
    try:
        return _clean_value(json.loads(text))
    except (ValueError, RecursionError):
        return text


def _clean_value(value: Any, left: int = DEPTH) -> Any:
    """Clean every text in a value.

    Raises ValueError if it is nested too deeply or holds an invalid number.
    """
    if left == 0:
        raise ValueError("it is too deep")
    if isinstance(value, dict):
        return {strip_invisible(name): _clean_value(each, left - 1) for name, each in value.items()}
    if isinstance(value, list):
        return [_clean_value(each, left - 1) for each in value]
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{value} is no number")
    if isinstance(value, str):
        return strip_invisible(value)
    return value
