"""Hacker News at Algolia: web, news."""

from __future__ import annotations

from research_core.models import SearchResult
from research_core.search.queries import NewsQuery, WebQuery
from research_core.search.records import Article
from tests.contracts import Case

URL = "https://hn.algolia.com/api/v1"
HEADERS = {"date": "Sun, 22 Nov 2026 14:00:00 GMT"}
STORY = {
    "objectID": "18400000", "title": "Tea against colds", "url": "https://www.example.org/tea", "points": 12, "num_comments": 3,
    "created_at": "2026-11-21T09:00:00.000Z", "created_at_i": 1795251600,
}  # fmt: skip
ASKED = {
    "objectID": "18400001",
    "title": "Ask HN: Tea?",
    "url": None,
    "story_text": "<p>Which &amp; why?</p>",
    "created_at": "2026-11-20T09:00:00Z",
}
TITLES = (
    (
        "Tea against colds",
        "https://www.example.org/tea",
        "www.example.org",
        "",
        "2026-11-21T09:00:00Z",
    ),
    (
        "Ask HN: Tea?",
        "https://news.ycombinator.com/item?id=18400001",
        "news.ycombinator.com",
        "Which & why?",
        "2026-11-20T09:00:00Z",
    ),
)
CASES = (
    Case(
        "hackernews",
        "web",
        WebQuery("tea", time_range="week", exact_terms="green tea", exclude_terms="coffee"),
        [("hn.algolia.com", {"hits": [STORY, ASKED]})],
        [
            SearchResult(title, url, snippet, published=day)
            for title, url, _, snippet, day in TITLES
        ],
        [("hn.algolia.com", {"hits": [], "nbHits": 0})],
        headers=HEADERS,
    ),
    Case(
        "hackernews",
        "news",
        NewsQuery("tea", time_range="hour", sort_by="date"),
        [("hn.algolia.com", {"hits": [STORY, ASKED]})],
        [Article(title, url, source, snippet, day) for title, url, source, snippet, day in TITLES],
        [("hn.algolia.com", {"hits": [], "nbHits": 0})],
        headers=HEADERS,
    ),
)
