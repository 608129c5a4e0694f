"""How all sites of a lens are asked about, and what stands beside the answer of the web, before
made-up rows; see also test_routing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from research_core.errors import SearchError
from research_core.journal.deps import Deps, Provider
from research_core.models import SearchResult
from research_core.search.queries import (
    MAX_QUERY_LENGTH,
    MAX_SITES,
    WebQuery,
    add_operators,
    split_by_sites,
)
from research_core.search.routing import RouteResult, route_query
from tests.tool_calls_made import make_tool_call
from tests.tool_session import make_context

SEALS = SearchResult("Seals", "https://seals.example/", "Seals rest.")
TIDES = SearchResult("Tides", "https://tides.example/", "Tides turn.")
DOWN = SearchError("It is down.", kind="upstream_unavailable")
HOSTS = tuple(f"host-{n:02}.example" for n in range(24))


def row(name: str, *found: SearchResult | SearchError, kind: str = "web", **more: Any) -> Provider:
    def search(_http: Any, _settings: Any, query: WebQuery) -> Sequence[SearchResult]:
        for each in found:
            if isinstance(each, SearchError):
                raise each
        return [each for each in found if isinstance(each, SearchResult)]

    return Provider(name, kind, search, **more)


def routed(
    *rows: Provider, query: WebQuery = WebQuery("seals"), name: str | None = None
) -> RouteResult:
    deps = make_context().deps
    assert isinstance(deps, Deps)
    return route_query("web", query, replace(deps, engines=rows), name)


def test_the_first_that_answers_is_the_last_of_the_web_to_be_asked() -> None:
    found = routed(row("one", DOWN), row("two", SEALS), row("three", TIDES))
    assert (found.provider, found.rows) == ("two", (SEALS,))
    assert [(each.provider, bool(each.error)) for each in found.attempts] == [
        ("one", True),
        ("two", False),
    ]


def test_an_empty_answer_counts_and_the_others_are_named() -> None:
    found = routed(row("one"), row("two", SEALS))
    assert (found.provider, found.rows, found.others, found.error) == ("one", (), ("two",), None)


def test_who_is_named_may_find_nothing_where_nobody_else_is_configured() -> None:
    nothing = {"https://hn.algolia.com": {"hits": [], "nbHits": 0}}
    said = make_tool_call("web_search", nothing, query="zzqx", provider="hackernews", engines=())
    assert (said.answer["results"], said.answer["hints"]["reason"]) == ([], "no_match")


@pytest.mark.parametrize("first", [True, False])
def test_what_a_session_holds_is_listed_beside_the_web_wherever_it_stands(first: bool) -> None:
    library, web = row("library", SEALS, kind="library"), (row("one", DOWN), row("two", TIDES))
    found = routed(library, *web) if first else routed(*web, library)
    assert set(found.rows) == {SEALS, TIDES}
    assert {each.provider for each in found.attempts} == {"library", "one", "two"}


def test_an_empty_shelf_does_not_make_an_outage_an_absence() -> None:
    found = routed(row("library", kind="library"), row("one", DOWN))
    assert found.error is not None
    assert (found.error.provider, found.error.kind) == ("one", "upstream_unavailable")
    assert routed(row("library", SEALS, kind="library"), row("one", DOWN)).rows == (SEALS,)
    assert routed(row("library", kind="library")).error is None


def test_what_a_shelf_does_not_go_by_is_told_too() -> None:
    found = routed(
        row("library", SEALS, kind="library"),
        row("one", honours=frozenset({"site"})),
        query=WebQuery("seals", site="a.example"),
    )
    assert found.ignored == ("site",)


def test_all_sites_of_a_lens_are_asked_for_by_queries_no_engine_cuts() -> None:
    for text in ("seals", "harbour seals and tidal turbines " * 4, "s" * 340, "s" * 500):
        asked = split_by_sites(WebQuery(text, sites=HOSTS, exact_terms="slack water"))
        assert tuple(site for part in asked for site in part.sites) == HOSTS
        assert all(
            0 < len(part.sites) <= MAX_SITES
            and replace(part, sites=()) == WebQuery(text, exact_terms="slack water")
            for part in asked
        )
        lengths = [
            len(add_operators(part.text, sites=part.sites, exact_terms=part.exact_terms))
            for part in asked
        ]
        assert max(lengths) <= max(MAX_QUERY_LENGTH, len(text) + 120), text
        assert len(asked) <= 8
    assert split_by_sites(WebQuery("seals")) == (WebQuery("seals"),)
    assert len(split_by_sites(WebQuery("seals", sites=HOSTS))) == 3
    assert split_by_sites(WebQuery("seals", sites=HOSTS), most_sites=300) == (
        WebQuery("seals", sites=HOSTS),
    )
    assert [
        len(part.sites) for part in split_by_sites(WebQuery("seals", sites=HOSTS), most_sites=20)
    ] == [
        20,
        4,
    ]


def test_the_answers_about_the_sites_of_a_lens_are_merged_in_turns_and_one_failure_is_a_failure() -> (
    None
):
    asked: list[tuple[str, ...]] = []

    def search(_http: Any, _settings: Any, query: WebQuery) -> Sequence[SearchResult]:
        asked.append(query.sites)
        return [SearchResult("", f"https://{site}/", "") for site in query.sites[:2]]

    def failing(http: Any, settings: Any, query: WebQuery) -> Sequence[SearchResult]:
        if query.sites[-1] == HOSTS[-1]:
            raise DOWN
        return search(http, settings, query)

    honours = frozenset({"sites"})
    found = routed(
        Provider("one", "web", search, honours=honours), query=WebQuery("seals", sites=HOSTS)
    )
    assert [each.url for each in found.rows] == [
        f"https://{HOSTS[n]}/" for n in (0, 10, 20, 1, 11, 21)
    ]
    assert [len(sites) for sites in asked] == [10, 10, 4]
    second = routed(
        Provider("one", "web", failing, honours=honours),
        row("two", SEALS),
        query=WebQuery("seals", sites=HOSTS),
    )
    assert (second.provider, second.ignored) == ("two", ("sites",))


def test_words_to_leave_out_are_told_one_by_one_without_signs_of_their_own() -> None:
    assert add_operators("tea", exclude_terms='"green tea", -milk - "') == "tea -green -tea -milk"


def test_who_goes_by_a_site_is_asked_before_who_does_not() -> None:
    rows = (
        row("any", TIDES),
        row("one", SEALS, honours=frozenset({"site", "sites"})),
        row("two", TIDES, honours=frozenset({"site", "sites"})),
    )
    assert [
        routed(*rows, query=query).provider
        for query in (WebQuery("seals"), WebQuery("seals", country="gb"))
    ] == ["any", "any"]
    assert [
        routed(*rows, query=query).provider
        for query in (WebQuery("a", site="a.example"), WebQuery("a", sites=HOSTS))
    ] == [
        "one",
        "one",
    ]
    down = row("one", DOWN, honours=frozenset({"site"}))
    assert routed(rows[0], down, query=WebQuery("a", site="a.example")).provider == "any"


def test_who_does_not_go_by_sites_is_asked_once() -> None:
    asked: list[WebQuery] = []

    def search(_http: Any, _settings: Any, query: WebQuery) -> Sequence[SearchResult]:
        asked.append(query)
        return ()

    routed(Provider("one", "web", search), query=WebQuery("seals", sites=HOSTS))
    assert len(asked) == 1
