"""SearchAPI.io: web, news, images. Its patents are their own."""

from __future__ import annotations

from research_core.models import SearchResult
from research_core.search.queries import ImageQuery, NewsQuery, WebQuery
from research_core.search.records import Article, Image
from tests.contracts import Case

URL = "https://www.searchapi.io/api/v1/search"
PART = "searchapi.io/api/v1/search"
KEYS = {"searchapi_api_key": "searchapi-key-of-a-test"}
HEADERS = {"date": "Sun, 22 Nov 2026 14:00:00 GMT"}
PAGE = {
    "title": "Tea against colds",
    "link": "https://www.example.org/tea",
    "snippet": "Tea was drunk.",
    "date": "Jan 29, 2023",
}
STORY = {
    "title": "A cup a day",
    "link": "https://news.example.org/cup",
    "snippet": "Again.",
    "source": "The Example",
    "date": "2 days ago",
}
PICTURE = {
    "title": "A cup",
    "original": {"link": "https://img.example.org/cup.jpg", "width": 800, "height": 600},
    "thumbnail": "https://encrypted-tbn0.example/t",
    "source": {"name": "Example", "link": "https://www.example.org/cups"},
}
NOTHING = {"search_metadata": {"status": "Success"}, "search_information": {"total_results": 0}}
SAID = {"search_metadata": {"status": "Success"}, "error": "Google didn't return any results."}
CASES = (
    Case(
        "searchapi",
        "web",
        WebQuery(
            "tea", time_range="week", safe="off", language="de", country="AT", site="example.org", exact_terms="green tea",
            exclude_terms="coffee", sites=("a.org", "b.org/c"),
        ),
        [(PART, {"organic_results": [PAGE]})],
        [SearchResult("Tea against colds", "https://www.example.org/tea", "Tea was drunk.", published="2023-01-29T00:00:00Z")],
        [(PART, NOTHING)],
        settings=KEYS,
        headers=HEADERS,
    ),
    Case(
        "searchapi",
        "news",
        NewsQuery("tea", time_range="hour", sort_by="date", news_source="news.example.org", language="de", country="at", safe="strict"),
        [(PART, {"organic_results": [STORY]})],
        [Article("A cup a day", "https://news.example.org/cup", "The Example", "Again.", "2026-11-20T00:00:00Z")],
        [(PART, SAID)],
        settings=KEYS,
        headers=HEADERS,
    ),
    Case(
        "searchapi",
        "images",
        ImageQuery(
            "tea", size="large", type="photo", color_type="gray", dominant_color="red", file_type="png", safe="high",
            country="at", language="de",
        ),
        [(PART, {"images": [PICTURE]})],
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
        [(PART, SAID)],
        settings=KEYS,
    ),
)  # fmt: skip
