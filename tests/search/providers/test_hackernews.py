"""Hacker News at Algolia: what is asked of it, by whose clock, and its recorded reply; the rest is
in test_contract.
"""

from __future__ import annotations

from typing import Any

import pytest

from research_core.errors import SearchError
from research_core.search.providers.hackernews import search, search_news
from research_core.search.queries import NewsQuery, WebQuery
from tests.contracts import Service, configured
from tests.contracts.hackernews import ASKED, HEADERS, STORY
from tests.tool_calls_made import for_each_recorded

SETTINGS: Any = configured()
#: HEADERS as seconds since the epoch.
NOW = 1795356000


def service(*hits: Any, headers: dict[str, str] = HEADERS) -> Any:
    return Service([("hn.algolia.com", {"hits": list(hits)})], headers=headers)


def test_without_a_span_it_is_asked_once() -> None:
    http = service(STORY)
    search(http, SETTINGS, WebQuery("tea", 200))
    assert [(url, options["params"]) for _, url, options in http.asked] == [
        (
            "https://hn.algolia.com/api/v1/search",
            {"query": "tea", "tags": "story", "hitsPerPage": "100", "page": "0"},
        )
    ]


def test_a_phrase_and_words_to_leave_out_are_in_its_query() -> None:
    http = service(STORY)
    search(http, SETTINGS, WebQuery("tea", exact_terms="green tea", exclude_terms="coffee, milk"))
    assert http.asked[0][2]["params"]["query"] == 'tea "green tea" -coffee -milk'


@pytest.mark.parametrize(
    ("span", "seconds"),
    [
        ("hour", 3600),
        ("day", 86_400),
        ("week", 604_800),
        ("month", 2_592_000),
        ("year", 31_536_000),
    ],
)
def test_a_span_counts_back_from_the_service_s_own_clock(span: str, seconds: int) -> None:
    http = service(STORY)
    search_news(http, SETTINGS, NewsQuery("tea", time_range=span))
    assert http.asked[-1][2]["params"]["numericFilters"] == f"created_at_i>{NOW - seconds}"


def test_an_answer_that_does_not_say_when_it_was_given_cannot_bound_a_span() -> None:
    with pytest.raises(SearchError, match="does not say when") as caught:
        search_news(service(STORY, headers={}), SETTINGS, NewsQuery("tea", time_range="day"))
    assert caught.value.kind == "bad_reply"


def test_a_story_without_an_address_is_its_page_even_where_its_story_id_lacks() -> None:
    (page,) = search(service(ASKED), SETTINGS, WebQuery("tea"))
    assert page.url == "https://news.ycombinator.com/item?id=18400001"
    (page,) = search(service({**ASKED, "url": ""}), SETTINGS, WebQuery("tea"))
    assert page.url == "https://news.ycombinator.com/item?id=18400001"


@pytest.mark.parametrize("number", ["", "x&y=1", "٣", None])
def test_a_number_that_is_none_makes_no_address(number: Any) -> None:
    with pytest.raises(SearchError, match="an address and a title"):
        search(service({**ASKED, "objectID": number}), SETTINGS, WebQuery("tea"))


@for_each_recorded("hn_algolia_1.json")
def test_the_recorded_reply_is_read(body: bytes, name: str) -> None:
    http: Any = Service([("hn.algolia.com", body)])
    pages = search(http, SETTINGS, WebQuery("waymo"))
    assert [page.url for page in pages] == [
        f"https://news.ycombinator.com/item?id={number}" for number in ("18463371", "18463370")
    ]
    assert pages[0].title == "Waymo CEO Says Alphabet Unit Plans to Launch Driverless Car Service"
    assert pages[0].published == "2018-11-15T21:10:34Z"
    assert all(page.snippet for page in pages)
