"""Tavily: web, news."""

from __future__ import annotations

from research_core.models import SearchResult
from research_core.search.queries import NewsQuery, WebQuery
from research_core.search.records import Article
from tests.contracts import Case

URL = "https://api.tavily.com/search"
KEYS = {"tavily_api_key": "tavily-key-of-a-test"}
PAGE = {
    "title": "Tea against colds",
    "url": "https://www.example.org/tea",
    "content": "Tea was drunk.",
    "score": 0.9,
    "raw_content": None,
}
STORY = {**PAGE, "published_date": "Sun, 22 Nov 2026 09:00:00 GMT"}
CASES = (
    Case(
        "tavily",
        "web",
        WebQuery(
            "tea",
            time_range="week",
            site="example.org",
            exact_terms="green tea",
            sites=("a.org", "b.org/c"),
        ),
        [("tavily.com/search", {"results": [PAGE]})],
        [SearchResult("Tea against colds", "https://www.example.org/tea", "Tea was drunk.")],
        [("tavily.com/search", {"query": "tea", "results": []})],
        settings=KEYS,
    ),
    Case(
        "tavily",
        "news",
        NewsQuery("tea", time_range="day", news_source="example.org"),
        [("tavily.com/search", {"results": [STORY]})],
        [
            Article(
                "Tea against colds",
                "https://www.example.org/tea",
                "www.example.org",
                "Tea was drunk.",
                "2026-11-22T09:00:00Z",
            )
        ],
        [("tavily.com/search", {"query": "tea", "results": []})],
        settings=KEYS,
    ),
)
