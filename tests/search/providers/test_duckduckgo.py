"""DuckDuckGo's page: what is asked of it, what its links mean, and what is no empty answer; the
rest is in test_contract.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import SearchError
from research_core.models import LinkCounts
from research_core.search.providers.duckduckgo import resolve_link, search
from research_core.search.providers.duckduckgo_regions import (
    REGIONS,
    get_region_code,
    list_unsupported_params,
)
from research_core.search.queries import WebQuery
from research_core.search.records import collect_links
from research_core.search.redirectors import is_advertisement, unwrap_url
from tests.contracts import Service, configured
from tests.contracts.duckduckgo import NOTHING, PAID, PART, page, result
from tests.tool_calls_made import for_each_recorded

SETTINGS: Any = configured()


def run(
    body: str | bytes, status: int = 200, query: WebQuery = WebQuery("tea")
) -> tuple[tuple[Any, ...], dict[str, str]]:
    service: Any = Service([(PART, body)], status)
    return search(service, SETTINGS, query), dict(service.asked[0][2]["params"])


def failure(body: str | bytes, status: int = 200) -> SearchError:
    with pytest.raises(SearchError) as caught:
        run(body, status)
    return caught.value


def test_what_it_is_asked() -> None:
    assert run(NOTHING)[1] == {"q": "tea"}
    query = WebQuery(
        "tea",
        time_range="month",
        safe="high",
        language="en",
        country="gb",
        exact_terms="green tea",
        sites=("a.org", "b.org"),
    )
    assert run(NOTHING, query=query)[1] == {
        "q": 'tea "green tea" (site:a.org OR site:b.org)',
        "kl": "uk-en",
        "df": "m",
        "p": "1",
    }
    assert [
        run(NOTHING, query=WebQuery("tea", safe=safe))[1]["p"] for safe in ("off", "medium", "high")
    ] == ["-2", "-1", "1"]


@pytest.mark.parametrize(
    ("country", "language", "name", "told"),
    [
        ("", "", "", []),
        ("GB", "en", "uk-en", []),
        ("gb", "", "uk-en", []),
        ("sa", "", "xa-ar", []),
        ("ch", "fr", "ch-fr", []),
        ("ch", "fr-CH", "ch-fr", []),
        ("ch", "", "ch-de", []),
        ("ch", "en", "ch-de", ["language"]),
        ("li", "", "wt-wt", ["country"]),
        ("", "de", "", ["language"]),
        ("jp", "ja", "jp-jp", []),
    ],
)
def test_a_country_is_one_of_its_regions_or_it_is_told_that_it_is_none(
    country: str, language: str, name: str, told: list[str]
) -> None:
    query = WebQuery("tea", country=country, language=language)
    assert get_region_code(country, language) == name
    assert [each for each in list_unsupported_params(query) if getattr(query, each)] == told


def test_the_last_hour_is_asked_as_a_day_and_told() -> None:
    query = WebQuery("tea", time_range="hour")
    assert run(NOTHING, query=query)[1]["df"] == "d"
    assert list_unsupported_params(query)[-1] == "time_range"
    assert len(set(REGIONS)) == len(REGIONS)


@pytest.mark.parametrize("status", [202, 429])
def test_202_and_429_say_that_it_was_asked_too_much(status: int) -> None:
    error = failure(page(result("https://a.example.org/")), status)
    assert (error.kind, error.status) == ("rate_limited", status)
    assert "SEARXNG_URL" in error.next_step


PUZZLE = '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html"><p>Please complete the following challenge.</p></form>'


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (page(PUZZLE), "blocked"),
        (page("<p>Unfortunately, bots use DuckDuckGo too.</p>"), "blocked"),
        (page("<div class='results'></div>"), "bad_reply"),
        (
            page("<section><h2><a href='https://a.example.org/'>A new layout</a></h2></section>"),
            "bad_reply",
        ),
        (page("<script>'No results.'</script>"), "bad_reply"),
        (page(PAID.replace("result--ad", "")), "bad_reply"),  # nothing but links that lead nowhere
        (page(result("https://a.example.org/"))[:-9], "bad_reply"),
        ('{"results": []}', "bad_reply"),
    ],
)
def test_a_puzzle_and_an_unknown_layout_are_never_an_empty_answer(body: str, kind: str) -> None:
    assert failure(body).kind == kind


def test_what_is_paid_for_alone_is_no_result_and_a_page_that_says_so_is_empty() -> None:
    assert run(NOTHING)[0] == ()
    assert run(page(PAID, '<div class="no-results">No results.</div>'))[0] == ()
    assert run(page("<p>No results found for <b>zzqx</b>.</p>"))[0] == ()


@pytest.mark.parametrize(
    ("href", "url"),
    [
        (
            "//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example.org%2F%3Fq%3D1%2526&rut=x",
            "https://a.example.org/?q=1%26",
        ),
        ("/l/?uddg=https%3A%2F%2Fa.example.org%2F", "https://a.example.org/"),
        ("https://a.example.org/l/?uddg=x", "https://a.example.org/l/?uddg=x"),
        ("https://duckduckgo.com/y.js?ad_domain=x", ""),
        ("//duckduckgo.com/l/?rut=x", ""),
        ("javascript:void(0)", "javascript:void(0)"),
    ],
)
def test_where_a_link_leads(href: str, url: str) -> None:
    link = resolve_link(href)
    assert ("" if is_advertisement(link) else unwrap_url(link)) == url


def test_what_was_unwrapped_and_what_is_paid_for_is_counted() -> None:
    wrapped = result("//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example.org%2F")
    unmarked = PAID.replace("result--ad", "")
    found, _ = run(page(PAID, wrapped, unmarked, result("https://b.example.org/")))
    assert [each.url for each in found] == ["https://a.example.org/", "https://b.example.org/"]
    assert collect_links(found) == LinkCounts(unwrapped=1, advertisements=2)
    empty, _ = run(page(PAID, '<div class="no-results">No results.</div>'))
    assert (empty, collect_links(empty)) == ((), LinkCounts(advertisements=1))


@given(
    st.text(max_size=200)
    | st.sampled_from(
        [PUZZLE, PAID, result("https://[bad"), result("//duckduckgo.com/l/?uddg=http://[")]
    )
)
def test_any_page_is_results_or_a_search_error(body: str) -> None:
    try:
        found, _ = run(page(body).encode("utf-8", "replace"))
    except SearchError:
        return
    assert all(each.url.startswith(("http://", "https://")) for each in found)


@for_each_recorded("duckduckgo_html_1.html")
def test_the_recorded_page_is_read(body: bytes, name: str) -> None:
    """It is the page that scripts have drawn, whose addresses were made unrecognisable; the
    advertisement is left out.
    """
    pages, _ = run(body)
    assert len(pages) == 10
    assert pages[0].title == "Using the Fetch API - Web APIs | MDN - MDN Web Docs"
    assert pages[0].published == "2025-08-20T00:00:00Z"
    assert pages[0].snippet.startswith("Using theFetchAPI")  # as the recorded page has it
    assert "interface for making HTTP requests and processing the responses." in pages[0].snippet
    assert pages[3].snippet.startswith("1 day ago The")
    assert pages[-1].title == "Fetch - The Modern JavaScript Tutorial"
    assert all(page.snippet and page.url == "http://test.test" for page in pages)
