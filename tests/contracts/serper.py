"""Serper: web, news, images."""

from __future__ import annotations

from research_core.models import SearchResult
from research_core.search.queries import ImageQuery, NewsQuery, WebQuery
from research_core.search.records import Article, Image
from tests.contracts import Case

URL = "https://google.serper.dev"
KEYS = {"serper_api_key": "serper-key-of-a-test"}
HEADERS = {"date": "Sun, 22 Nov 2026 14:00:00 GMT"}
PAGE = {
    "title": "Tea against colds",
    "link": "https://www.example.org/tea",
    "snippet": "Tea was drunk.",
    "date": "Jan 29, 2023",
    "position": 1,
}
STORY = {
    "title": "A cup a day",
    "link": "https://news.example.org/cup",
    "snippet": "Tea was drunk again.",
    "date": "3 hours ago",
    "source": "The Example",
    "imageUrl": "https://img.example.org/x.jpg",
}
PICTURE = {
    "title": "A cup",
    "imageUrl": "https://img.example.org/cup.jpg",
    "imageWidth": 800,
    "imageHeight": 600,
    "thumbnailUrl": "https://encrypted-tbn0.example/t",
    "source": "Example",
    "domain": "www.example.org",
    "link": "https://www.example.org/cups",
}
CASES = (
    Case(
        "serper",
        "web",
        WebQuery(
            "tea", time_range="week", language="de", country="AT", site="example.org", exact_terms="green tea",
            exclude_terms="coffee, milk", sites=("a.org", "b.org/c"),
        ),
        [("serper.dev/search", {"organic": [PAGE]})],
        [SearchResult("Tea against colds", "https://www.example.org/tea", "Tea was drunk.", published="2023-01-29T00:00:00Z")],
        [("serper.dev/search", {"searchParameters": {"q": "tea"}, "organic": []})],
        settings=KEYS,
        headers=HEADERS,
    ),
    Case(
        "serper",
        "news",
        NewsQuery("tea", time_range="hour", news_source="news.example.org", language="de", country="at"),
        [("serper.dev/news", {"news": [STORY]})],
        [Article("A cup a day", "https://news.example.org/cup", "The Example", "Tea was drunk again.", "2026-11-22T11:00:00Z")],
        [("serper.dev/news", {"news": []})],
        settings=KEYS,
        headers=HEADERS,
    ),
    Case(
        "serper",
        "images",
        ImageQuery("tea", country="at", language="de"),
        [("serper.dev/images", {"images": [PICTURE]})],
        [
            Image(
                "A cup",
                "https://img.example.org/cup.jpg",
                "www.example.org",
                "https://encrypted-tbn0.example/t",
                "https://www.example.org/cups",
                800,
                600,
            )
        ],
        [("serper.dev/images", {"images": []})],
        settings=KEYS,
    ),
)  # fmt: skip
