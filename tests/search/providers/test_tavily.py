"""Tavily: what is asked of it, and its recorded replies; good and bad answers of every kind are in
test_contract.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import SearchError
from research_core.search.providers import select_rows
from research_core.search.providers.tavily import (
    MAX_QUERY_LENGTH,
    search,
    search_news,
    shorten_query,
)
from research_core.search.queries import NewsQuery, WebQuery
from tests.contracts import Service, configured
from tests.contracts.tavily import KEYS
from tests.tool_calls_made import for_each_recorded

SETTINGS: Any = configured(**KEYS)


def asked(ask: Any, query: Any) -> dict[str, Any]:
    service: Any = Service([("tavily.com", {"results": []})])
    ask(service, SETTINGS, query)
    ((method, url, options),) = service.asked
    assert (method, url) == ("POST", "https://api.tavily.com/search")
    assert options["headers"]["Authorization"] == f"Bearer {KEYS['tavily_api_key']}"
    return dict(options["json"])


def test_sites_are_domains_and_a_phrase_is_to_match_exactly() -> None:
    assert asked(search, WebQuery("tea", 30, time_range="year", sites=("a.org", "b.org/c"), exact_terms="green tea")) == {
        "query": 'tea "green tea"', "max_results": 20, "search_depth": "basic", "time_range": "year",
        "include_domains": ["a.org", "b.org/c"], "topic": "general", "exact_match": True,
    }  # fmt: skip
    assert asked(search, WebQuery("tea", site="a.org", sites=("b.org",)))["include_domains"] == [
        "a.org"
    ]
    assert asked(search_news, NewsQuery("tea", news_source="example.org")) == {
        "query": "tea", "max_results": 5, "search_depth": "basic", "include_domains": ["example.org"], "topic": "news",
    }  # fmt: skip


def test_the_last_hour_is_asked_as_a_day_and_told() -> None:
    assert asked(search_news, NewsQuery("tea", time_range="hour"))["time_range"] == "day"
    (row,) = select_rows(["tavily"], "news")
    assert row.beyond(NewsQuery("tea", time_range="hour")) == ("time_range",)
    assert row.beyond(NewsQuery("tea", time_range="week")) == ()


def test_a_long_query_is_shortened_at_the_end_of_a_word_and_its_phrase_stays_whole() -> None:
    query = WebQuery("tea " * 120 + "honey", exact_terms="green tea")
    sent = asked(search, query)["query"]
    assert len(sent) <= 400
    assert sent.endswith('tea "green tea"')
    assert "honey" not in sent


@given(
    st.text(max_size=600),
    st.sampled_from(["", '"green tea"', "x" * MAX_QUERY_LENGTH, "x" * (MAX_QUERY_LENGTH - 1)]),
)
def test_no_query_is_longer_than_it_takes(text: str, operators: str) -> None:
    sent = shorten_query(text, operators)
    assert len(sent) <= MAX_QUERY_LENGTH
    assert sent.endswith(operators)
    if len(text) + len(operators) < MAX_QUERY_LENGTH:
        assert sent.startswith(text)


@pytest.mark.parametrize(
    ("status", "said", "kind"),
    [
        (432, "This request exceeds your plan's set usage limit.", "auth_required"),
        (433, "This request exceeds the pay-as-you-go limit of your plan.", "auth_required"),
        (401, "Unauthorized: missing or invalid API key.", "auth_required"),
        (429, "Your request has been blocked due to excessive requests.", "rate_limited"),
        (400, "Query is too long.", "bad_reply"),
    ],
)
def test_a_refusal_is_told_in_its_own_words(status: int, said: str, kind: str) -> None:
    service: Any = Service([("tavily.com", {"detail": {"error": said}})], status)
    with pytest.raises(SearchError) as caught:
        search(service, SETTINGS, WebQuery("tea"))
    assert (caught.value.kind, caught.value.status) == (kind, status)
    assert said in caught.value.message


FIRST = {
    "tavily_search_1.json": (
        2,
        "https://arxiv.org/abs/2601.03329",
        "[2601.03329] Attention mechanisms in neural networks",
    ),
    "tavily_search_2.json": (
        5,
        "https://medium.com/ai-agent-insider/pydantic-ai-agent-framework-02b138e8db71",
        "Pydantic AI: Agent Framework",
    ),
    "tavily_search_3.json": (
        5,
        "https://arxiv.org/abs/2507.13043",
        "Deep Dive into Transformer Architectures for Long-Term ...",
    ),
    "tavily_search_4.json": (
        4,
        "https://devblogs.microsoft.com/semantic-kernel/hello-world/",
        "Hello, Semantic Kernel! | Semantic Kernel - devblogs.microsoft.com",
    ),
    "tavily_search_5.json": (
        4,
        "https://learn.microsoft.com/en-us/dotnet/ai/semantic-kernel-dotnet-overview",
        "",
    ),
}


@for_each_recorded(*FIRST)
def test_recorded_replies_are_read(body: bytes, name: str) -> None:
    service: Any = Service([("tavily.com", body)])
    pages = search(service, SETTINGS, WebQuery("tea"))
    many, url, title = FIRST[name]
    assert (len(pages), pages[0].url) == (many, url)
    assert pages[0].title.startswith(title)
    assert all(page.title and page.snippet for page in pages)
