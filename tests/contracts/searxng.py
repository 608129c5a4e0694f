"""A SearXNG server of one's own: web, news, images."""

from __future__ import annotations

from research_core.models import SearchResult
from research_core.search.queries import ImageQuery, NewsQuery, WebQuery
from research_core.search.records import Article, Image
from tests.contracts import Case

URL = "https://searx.example.org/search"
PART = "searx.example.org/search"
SERVER = {"searxng_url": "https://searx.example.org"}
PAGE = {
    "url": "https://www.example.org/tea",
    "title": "Tea against colds",
    "content": "Tea was drunk.",
    "engine": "x",
}
STORY = {**PAGE, "publishedDate": "2026-11-22T09:00:00", "source": None}
PICTURE = {
    "url": "https://www.example.org/cups",
    "title": "A cup",
    "content": "",
    "img_src": "//img.example.org/cup.jpg",
    "thumbnail_src": "https://img.example.org/t.jpg",
    "resolution": "800 x 600",
    "filesize": "50.03 KB",
}
NOTHING = {"results": [], "unresponsive_engines": []}
CASES = (
    Case(
        "searxng",
        "web",
        WebQuery(
            "tea", time_range="week", safe="off", language="de", country="at", site="example.org", exact_terms="green tea",
            exclude_terms="coffee", sites=("a.org", "b.org/c"),
        ),
        [(PART, {"results": [STORY]})],
        [SearchResult("Tea against colds", "https://www.example.org/tea", "Tea was drunk.", published="2026-11-22T09:00:00")],
        [(PART, NOTHING)],
        settings=SERVER,
    ),
    Case(
        "searxng",
        "news",
        NewsQuery("tea", time_range="day", news_source="example.org", language="de", country="at", safe="strict"),
        [(PART, {"results": [STORY]})],
        [Article("Tea against colds", "https://www.example.org/tea", "www.example.org", "Tea was drunk.", "2026-11-22T09:00:00Z")],
        [(PART, NOTHING)],
        settings=SERVER,
    ),
    Case(
        "searxng",
        "images",
        ImageQuery("tea", safe="high", language="de", country="at"),
        [(PART, {"results": [PICTURE]})],
        [
            Image(
                "A cup",
                "https://img.example.org/cup.jpg",
                "www.example.org",
                "https://img.example.org/t.jpg",
                "https://www.example.org/cups",
                800,
                600,
                "50.03 KB",
            )
        ],
        [(PART, NOTHING)],
        settings=SERVER,
    ),
)  # fmt: skip
