"""Ask providers for a search tool, record the search, and build the answer.

Each tool defines its own parameters and the form of its records on the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Annotated, Any, TypeVar

from pydantic import Field

from research_core.context import ResearchContext
from research_core.errors import SearchError, UnknownProvider, UsageError
from research_core.journal.deps import Deps
from research_core.journal.events import Draft
from research_core.model_messages import Json
from research_core.search import providers, queries
from research_core.search.engines import STATE_OF_ERROR_KIND
from research_core.search.providers.service_info import SERVICES
from research_core.search.records import Paper
from research_core.search.routing import ProviderAttempt, RouteResult, route_query
from research_core.text.words import format_none_usable, strip_invisible, truncate
from research_core.tools.call_context import bind
from research_core.tools.hints import HintRules, build_hints
from research_core.tools.registry import TRUST, Call
from research_core.tools.wire_values import MAX_CHARACTERS_BY_FIELD, drop_empty, shorten_texts
from research_core.urls import canonical_url

T = TypeVar("T")
#: Characters of a snippet that a session keeps.
MAX_SNIPPET_CHARACTERS = 500
#: Fields of a query that are set by a parameter of another name.
WIRE_NAMES = {"sites": "lens", "cx": "lens", "goggle": "lens"}
Query = Annotated[str, Field(description="What to search for.", min_length=1, max_length=500)]
ProviderName = Annotated[
    str | None,
    Field(description="The provider to ask, and no other; by default those configured, in order."),
]
SessionId = Annotated[
    str | None,
    Field(alias="sessionId", description="A session of sequential_search to link this to."),
]
#: (title, url, snippet) of a possible source.
Line = tuple[str, str, str]


@dataclass(frozen=True)
class ProviderAnswer:
    """The query of one call, the providers' answer to it, and the session it was asked in."""

    query: Any
    route: RouteResult
    context: ResearchContext
    deps: Deps

    @property
    def rows(self) -> tuple[Any, ...]:
        return self.route.rows


def check_session(call: Call, session: str | None) -> None:
    """Raise UsageError if the session, which may be None or "", is not the call's own.

    An unknown session is never ignored silently.
    """
    if session and session != call.session:
        raise UsageError(f"Session not found: {session}.", next_step="Leave sessionId out.")


def ask_providers(
    call: Call,
    kind: str,
    query: Any,
    *,
    provider: str | None = None,
    session_id: str | None = None,
    bound: tuple[ResearchContext, Deps] | None = None,
) -> ProviderAnswer:
    """Ask the providers of this kind and record each attempt in the session.

    provider: the only one to ask; None or "", which some callers send, for any. bound: the result
    of `bind`, if a tool asks more than once within the time of its call. Raises what `route_query`
    raises, and SearchError if all providers failed.
    """
    check_session(call, session_id)
    context, deps = bound or bind(call, query.text)
    call.report("search", query.text or describe_query(query))
    context.add_query(query.text)
    routed = route_query(kind, query, deps, provider or None)
    order = context.order_of(query.text)
    for place, attempt in enumerate(routed.attempts):
        context.log.append(_build_attempt_event(attempt, kind, query.text, order, place))
    if routed.error:
        raise routed.error
    return ProviderAnswer(query, routed, context, deps)


def describe_query(query: Any) -> str:
    """Return what a query without words asks for, such as "assignee Acme"."""
    stated: list[str] = []
    for each in fields(query):
        value = getattr(query, each.name)
        if isinstance(value, str) and value.strip() and value != each.default:
            stated.append(f"{each.name.replace('_', ' ')} {value}")
    return ", ".join(stated)


def find_web_engine(name: str) -> str | None:
    """Return the web engine of this name, or None.

    The prefix of the service is optional ("duckduckgo").
    """
    engines = [row.name for row in providers.list_rows_of_kind("web")]
    for engine in (name, f"{providers.DDGS}{name}"):
        if engine in engines:
            return engine
    return None


def find_engine_for(name: str, kind: str, records: str, web_search: str) -> str | None:
    """Return the web engine of this name, or None if it names a provider of the kind itself.

    records, web_search: what the tool finds, and what a web engine searches instead, for the error.
    Raises UsageError for an unknown name.
    """
    own = [row.name for row in providers.list_rows_of_kind(kind)]
    if name in own:
        return None
    engine = find_web_engine(name)
    if engine:
        return engine
    engines = [row.name for row in providers.list_rows_of_kind("web") if row.name not in own]
    raise UnknownProvider(
        f"Unknown provider {name!r} for {records}.",
        known=(*own, *engines),
        next_step=(
            f"Choose among: {', '.join(own)}, or for a search of {web_search} {', '.join(engines)}."
        ),
    )


def list_usable_rows(found: ProviderAnswer, clean: Callable[[Any, str], T]) -> list[T]:
    """Return a record for each address of the answer, in its order, each address once.

    clean: makes the record of a row and its canonical address. Raises SearchError if no address is
    usable: that is a bad reply, not an empty one.
    """
    usable: dict[str, T] = {}
    for row in found.rows:
        try:
            url = canonical_url(row.url)
        except ValueError:
            continue
        usable.setdefault(url, clean(row, url))
    if found.rows and not usable:
        error = SearchError(
            format_none_usable(len(found.rows), "address", found.route.provider),
            kind="bad_reply",
        )
        error.provider = found.route.provider
        raise error
    return list(usable.values())


def _build_attempt_event(
    attempt: ProviderAttempt, kind: str, text: str, order: int, place: int
) -> Draft:
    """Build the event that records one provider's answer or failure."""
    error = attempt.error
    if error:
        state = STATE_OF_ERROR_KIND.get(error.kind, "failed")
    else:
        state = "answered" if attempt.found else "empty"
    data: Json = {
        "order": order,
        "place": place,
        "query": text,
        "engine": attempt.provider,
        "state": state,
        "reason": error.sentence() if error else "",
        "results": attempt.found,
        **attempt.links.as_json(),
    }
    if error:
        data["kind"] = error.kind
    group = str(order) if kind == "web" else f"{order}:{kind}"
    return Draft("search_failed" if error else "searched", data, f"{group}:{attempt.provider}")


def record_sources(found: ProviderAnswer, lines: Iterable[Line]) -> None:
    """Record these as scored sources of the session. Lines without a web address are skipped."""
    _record_lines(found, ((line, {}) for line in lines))


def record_results(found: ProviderAnswer, rows: Iterable[Any]) -> None:
    """Record rows with a title, an address and a snippet as scored sources of the session."""
    record_sources(found, [(row.title, row.url, row.snippet) for row in rows])


def record_works(found: ProviderAnswer, papers: Iterable[Paper], call: Call) -> None:
    """Record scholarly works as sources, with what is needed to cite them and any retraction.

    A session of a run lists only retractions besides title, address and snippet, as it always did,
    so that older sessions can be replayed.
    """
    lines: list[tuple[Line, Json]] = []
    for paper in papers:
        line = (paper.title, paper.url, paper.abstract or paper.tldr)
        lines.append((line, _describe_work(paper, call)))
    _record_lines(found, lines)


def _describe_work(paper: Paper, call: Call) -> Json:
    details: Json = {}
    if call.alone:
        details["cited"] = _list_citation_fields(paper)
    if paper.retracted:
        service = SERVICES.get(paper.source)
        details["retracted"] = service.title if service else paper.source
    return details


def _list_citation_fields(paper: Paper) -> Json:
    fields: Json = {
        "authors": [_shorten_name(name) for name in paper.authors],
        "site": _shorten_name(paper.journal),
        "published": str(paper.year or ""),
        "doi": _shorten_name(paper.doi),
    }
    return drop_empty(fields)


def _shorten_name(text: str) -> str:
    """Return a name without invisible characters, short enough to be stored inline in a log."""
    return truncate(strip_invisible(text), MAX_CHARACTERS_BY_FIELD["title"])


def _record_lines(found: ProviderAnswer, lines: Iterable[tuple[Line, Json]]) -> None:
    """Record (title, url, snippet) lines with their details as search results."""
    results: list[Json] = []
    for (title, url, snippet), details in lines:
        try:
            address = canonical_url(url)
        except ValueError:
            continue
        result = {
            "title": truncate(strip_invisible(title), MAX_CHARACTERS_BY_FIELD["title"]),
            "snippet": truncate(strip_invisible(snippet), MAX_SNIPPET_CHARACTERS),
            "url": address,
        }
        results.append(result | details)
    context = found.context
    order = context.order_of(found.query.text)
    context.add_search_results(results, context.run.asked, order=order)


def build_answer(
    found: ProviderAnswer,
    name: str,
    records: list[Json],
    rules: HintRules | None = None,
    **more: Any,
) -> Json:
    """Build the answer of a search tool: the records under `name`, the query, and remarks.

    Without records it has hints, which follow the rules. ignoredParameters and notes say which
    filters were not applied and what was not looked at.
    """
    answer: dict[str, Any] = {
        name: shorten_texts(records),
        "query": found.query.text,
        "resultCount": len(records),
        "trust": TRUST,
        **more,
    }
    if not records:
        answer["hints"] = build_hints(list_filters(found.query), found.route.others, rules)
    if found.route.ignored:
        answer["ignoredParameters"] = to_wire_names(found.route.ignored)
    if found.route.notes:
        answer["notes"] = list(found.route.notes)
    return answer


def list_filters(query: Any) -> Json:
    """Return the parameters that may have excluded results, by their names on the wire."""
    return {WIRE_NAMES.get(name, name): getattr(query, name) for name in queries.set_params(query)}


def to_wire_names(names: Iterable[str]) -> list[str]:
    """Return the parameters for these fields of a query, each once."""
    return list(dict.fromkeys(WIRE_NAMES.get(name, name) for name in names))
