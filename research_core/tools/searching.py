"""What every search tool does around its own query: ask the providers, tell the session, and put
the answer in its common frame.

Which parameters a tool takes, and how its records look on the wire, is its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from research_core.context import ResearchContext
from research_core.errors import UsageError
from research_core.journal.deps import Deps
from research_core.journal.events import Draft
from research_core.model_messages import Json
from research_core.search import queries
from research_core.search.engines import STATE_OF_ERROR_KIND
from research_core.search.providers.about import SERVICES
from research_core.search.records import Paper
from research_core.search.routing import RouteResult, route_query
from research_core.text.words import strip_invisible, truncate
from research_core.tools.hints import HintRules, build_hints
from research_core.tools.registry import Call
from research_core.tools.session import bind
from research_core.tools.sizes import MAX_CHARACTERS_BY_FIELD, shorten_texts
from research_core.urls import canonical_url

TRUST = "untrusted-external-content"
#: Characters of what a session keeps of a record as its snippet.
MAX_SNIPPET_CHARACTERS = 500
#: Fields of a query that a caller sets by another parameter.
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
#: (title, url, snippet) of a record that can be a source.
Line = tuple[str, str, str]


@dataclass(frozen=True)
class Found:
    """What the providers of a kind answered to one call, and what they were asked."""

    query: Any
    routed: RouteResult
    context: ResearchContext
    deps: Deps

    @property
    def rows(self) -> tuple[Any, ...]:
        return self.routed.rows


def check_session(call: Call, session: str | None) -> None:
    """Refuse a link to another session than the call's own; a name that leads nowhere is never
    dropped silently, "" is none.
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
) -> Found:
    """Ask the providers of this kind, and tell the session who was asked. Raises what `route` does,
    and SearchError where all failed.

    provider: "" is none, as callers that fill in every field write it. bound: what `bind` gave,
    where a tool asks more than once within the time of its call.
    """
    check_session(call, session_id)
    context, deps = bound or bind(call, query.text)
    call.tell("search", query.text)
    context.add_query(query.text)
    routed = route_query(kind, query, deps, provider or None)
    order = context.order_of(query.text)
    for place, attempt in enumerate(routed.attempts):
        error = attempt.error
        state = (
            STATE_OF_ERROR_KIND.get(error.kind, "failed")
            if error
            else "answered"
            if attempt.found
            else "empty"
        )
        reason = error.sentence() if error else ""
        data = {
            "engine": attempt.provider,
            "state": state,
            "reason": reason,
            "results": attempt.found,
        }
        data |= {"kind": error.kind} if error else {}
        key = ":".join((str(order), *(() if kind == "web" else (kind,)), attempt.provider))
        context.log.append(
            Draft(
                "search_failed" if error else "searched",
                {"order": order, "place": place, "query": query.text, **data},
                key,
            )
        )
    if routed.error:
        raise routed.error
    return Found(query, routed, context, deps)


def list_sources(found: Found, lines: Iterable[Line]) -> None:
    """Let the session know these as sources, each with its score; what has no address on the web is
    none.
    """
    _list_lines(found, ((line, {}) for line in lines))


def list_works(found: Found, papers: Iterable[Paper], call: Call) -> None:
    """The same of scholarly works, each with whom it is by, where, when, and its DOI, by which the
    session can cite it.

    And which index says that one was retracted. A session that a run leads lists all but that as it
    always did, so that an older one is replayed as it was.
    """
    _list_lines(
        found,
        (
            ((each.title, each.url, each.abstract or each.tldr), _describe_work(each, call))
            for each in papers
        ),
    )


def _describe_work(paper: Paper, call: Call) -> Json:
    said: Json = {"cited": _list_citation_fields(paper)} if call.alone else {}
    about = SERVICES.get(paper.source)
    return said | ({"retracted": about.title if about else paper.source} if paper.retracted else {})


def _list_citation_fields(paper: Paper) -> Json:
    authors, site, doi = (
        [_shorten_name(name) for name in paper.authors],
        _shorten_name(paper.journal),
        _shorten_name(paper.doi),
    )
    said = {"authors": authors, "site": site, "published": str(paper.year or ""), "doi": doi}
    return {name: value for name, value in said.items() if value}


def _shorten_name(text: str) -> str:
    """A name as a log keeps it: seen as it is, and never so long that it is kept apart."""
    return truncate(strip_invisible(text), MAX_CHARACTERS_BY_FIELD["title"])


def _list_lines(found: Found, lines: Iterable[tuple[Line, Json]]) -> None:
    listed: list[Json] = []
    for (title, url, snippet), known in lines:
        texts = {
            "title": truncate(strip_invisible(title), MAX_CHARACTERS_BY_FIELD["title"]),
            "snippet": truncate(strip_invisible(snippet), MAX_SNIPPET_CHARACTERS),
        }
        try:
            listed.append({**texts, "url": canonical_url(url), **known})
        except ValueError:
            continue
    context = found.context
    context.add_search_results(listed, context.run.asked, order=context.order_of(found.query.text))


def build_answer(
    found: Found, name: str, records: list[Json], ways: HintRules | None = None, **more: Any
) -> Json:
    """The answer: its records under this name, what was asked, how many there are; hints where
    there are none; what nobody went by.

    And what was not looked at, in `notes`, so that a short list is not taken for all there is.
    ways: what hints may propose.
    """
    answer: dict[str, Any] = {
        name: shorten_texts(records),
        "query": found.query.text,
        "resultCount": len(records),
        "trust": TRUST,
        **more,
    }
    if not records:
        answer["hints"] = build_hints(list_filters(found.query), found.routed.others, ways)
    if found.routed.ignored:
        answer["ignoredParameters"] = to_wire_names(found.routed.ignored)
    if found.routed.notes:
        answer["notes"] = list(found.routed.notes)
    return answer


def list_filters(query: Any) -> Json:
    """The parameters that may have left something out, by their names on the wire."""
    return {WIRE_NAMES.get(name, name): getattr(query, name) for name in queries.set_params(query)}


def to_wire_names(names: Iterable[str]) -> list[str]:
    """The parameters of these fields of a query, each once."""
    return list(dict.fromkeys(WIRE_NAMES.get(name, name) for name in names))
