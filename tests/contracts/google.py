"""Google's Programmable Search: web, news, images."""

from __future__ import annotations

from research_core.models import SearchResult
from research_core.search.queries import ImageQuery, NewsQuery, WebQuery
from research_core.search.records import Article, Image
from tests.contracts import Case

SEARCH = "googleapis.com/customsearch/v1"
KEYS = {"google_api_key": "google-key-of-a-test", "google_engine": "engine-of-a-test"}
ITEM = {
    "title": "Tea against colds",
    "link": "https://www.example.org/tea",
    "displayLink": "www.example.org",
    "snippet": "Mar 5, 2024 ... Tea was drunk.",
    "pagemap": {
        "metatags": [{"og:title": "Tea", "article:published_time": "2024-03-05T10:00:00+01:00"}],
        "cse_image": [{"src": "x"}],
    },
}
PICTURE = {
    "title": "A cup",
    "link": "https://img.example.org/cup.jpg",
    "displayLink": "www.example.org",
    "mime": "image/jpeg",
    "image": {
        "contextLink": "https://www.example.org/cups",
        "height": 600,
        "width": 800,
        "byteSize": 51234,
        "thumbnailLink": "https://encrypted-tbn0.example/t",
        "thumbnailHeight": 90,
    },
}
NOTHING = {
    "kind": "customsearch#search",
    "queries": {"request": [{}]},
    "searchInformation": {"totalResults": "0"},
}
PAGE = SearchResult(
    "Tea against colds",
    "https://www.example.org/tea",
    "Mar 5, 2024 ... Tea was drunk.",
    published="2024-03-05T09:00:00Z",
)


def answer(*items: object) -> dict[str, object]:
    return {**NOTHING, "items": list(items)}


CASES = (
    Case(
        "google",
        "web",
        WebQuery(
            "tea",
            time_range="week",
            safe="off",
            language="de",
            country="at",
            site="example.org",
            exact_terms="green tea",
            exclude_terms="coffee,milk",
            sites=("a.org", "b.org/c"),
            cx="engine-of-a-lens",
        ),
        [(SEARCH, answer(ITEM))],
        [PAGE],
        [(SEARCH, NOTHING)],
        settings=KEYS,
    ),
    Case(
        "google",
        "news",
        NewsQuery("tea", time_range="hour", sort_by="date", news_source="example.org", country="us", language="en", safe="off"),
        [(SEARCH, answer(ITEM))],
        [Article(PAGE.title, PAGE.url, "www.example.org", PAGE.snippet, PAGE.published)],
        [(SEARCH, NOTHING)],
        settings=KEYS,
    ),
    Case(
        "google",
        "images",
        ImageQuery(
            "tea", 9, size="large", type="photo", color_type="color", dominant_color="teal", file_type="jpg", safe="off", country="us",
            language="en",
        ),
        [(SEARCH, answer(PICTURE))],
        [
            Image(
                "A cup",
                "https://img.example.org/cup.jpg",
                "www.example.org",
                thumbnail_link="https://encrypted-tbn0.example/t",
                context_link="https://www.example.org/cups",
                width=800,
                height=600,
                file_size="51234",
            )
        ],
        [(SEARCH, NOTHING)],
        settings=KEYS,
    ),
)  # fmt: skip
