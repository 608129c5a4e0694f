"""Brave: web, news, images and places."""

from __future__ import annotations

from research_core.models import SearchResult
from research_core.search.queries import ImageQuery, NewsQuery, PlaceQuery, WebQuery
from research_core.search.records import Article, Image, Place
from tests.contracts import Case

KEYS = {"brave_api_key": "brave-key-of-a-test"}
PAGES, NEWS, IMAGES = (
    "brave.com/res/v1/web/search",
    "brave.com/res/v1/news/search",
    "brave.com/res/v1/images/search",
)
POIS, DESCRIPTIONS = "brave.com/res/v1/local/pois", "brave.com/res/v1/local/descriptions"
NOTHING = {"type": "search", "query": {"original": "tea"}, "mixed": {}}
PAGE = {
    "title": "Tea & colds",
    "url": "https://www.example.org/tea",
    "description": "<strong>Tea</strong> &amp; honey, if T &lt; 60 °C",
    "page_age": "2024-12-27T15:49:55",
    "age": "4 days ago",
    "meta_url": {"hostname": "www.example.org"},
}
PICTURE = {
    "title": "A cup",
    "url": "https://www.example.org/cups",
    "source": "example.org",
    "thumbnail": {"src": "https://imgs.search.example/t"},
    "properties": {"url": "https://img.example.org/cup.jpg", "width": 800, "height": 600},
}
POI = {
    "id": "loc4AAA=",
    "title": "The Tea House",
    "url": "https://teahouse.example/",
    "coordinates": [47.61, -122.33],
    "postal_address": {"country": "US", "displayAddress": "1 Pine St, Seattle, WA 98101"},
    "contact": {"telephone": "+1 206 555 0100"},
    "categories": ["cafe", "tea_house"],
    "rating": {"ratingValue": 4.5, "bestRating": 5.0, "reviewCount": 321},
    "opening_hours": {
        "current_day": [
            {"abbr_name": "Thu", "full_name": "Thursday", "opens": "06:59", "closes": "17:00"}
        ],
        "days": [
            [{"abbr_name": "Thu", "full_name": "Thursday", "opens": "06:59", "closes": "17:00"}],
            [
                {"full_name": "Friday", "opens": "07:00", "closes": "12:00"},
                {"full_name": "Friday", "opens": "13:00", "closes": "17:00"},
            ],
        ],
    },
}
FAR = {
    "id": "loc4BBB=",
    "title": "Tea far away",
    "coordinates": [48.0, -122.33],
    "postal_address": {"country": "US"},
}
ABROAD = {
    "id": "loc4CCC=",
    "title": "Tea abroad",
    "coordinates": [47.61, -122.331],
    "postal_address": {"country": "CA"},
}
LOCATIONS = {
    **NOTHING,
    "locations": {
        "type": "locations",
        "results": [{"id": each["id"]} for each in (POI, FAR, ABROAD)],
    },
}
PLACE = Place(
    "The Tea House",
    "brave",
    id="loc4AAA=",
    address="1 Pine St, Seattle, WA 98101",
    lat=47.61,
    lon=-122.33,
    phone="+1 206 555 0100",
    website="https://teahouse.example/",
    categories=("cafe", "tea_house"),
    rating=4.5,
    rating_count=321,
    hours=("Thursday: 06:59-17:00", "Friday: 07:00-12:00", "Friday: 13:00-17:00"),
    description="A quiet place for tea.",
)

CASES = (
    Case(
        "brave",
        "web",
        WebQuery(
            "tea",
            time_range="month",
            safe="high",
            language="ja",
            country="jp",
            site="example.org",
            exact_terms="green tea",
            exclude_terms="coffee",
            sites=("a.org", "b.org/c"),
            goggle="https://gist.example/tea.goggle",
        ),
        [(PAGES, {**NOTHING, "web": {"type": "search", "results": [PAGE]}})],
        [
            SearchResult(
                "Tea & colds",
                "https://www.example.org/tea",
                "Tea & honey, if T < 60 °C",
                published="2024-12-27T15:49:55Z",
            )
        ],
        [(PAGES, NOTHING)],
        settings=KEYS,
    ),
    Case(
        "brave",
        "news",
        NewsQuery("tea", time_range="hour", country="gb", language="en-GB", safe="strict"),
        [(NEWS, {"type": "news", "query": {"original": "tea"}, "results": [PAGE]})],
        [
            Article(
                "Tea & colds",
                "https://www.example.org/tea",
                "www.example.org",
                "Tea & honey, if T < 60 °C",
                "2024-12-27T15:49:55Z",
            )
        ],
        [(NEWS, {"type": "news", "query": {"original": "tea"}, "results": []})],
        settings=KEYS,
    ),
    Case(
        "brave",
        "images",
        ImageQuery("tea", safe="off", country="us", language="en"),
        [(IMAGES, {"type": "images", "query": {"original": "tea"}, "results": [PICTURE]})],
        [
            Image(
                "A cup",
                "https://img.example.org/cup.jpg",
                "example.org",
                thumbnail_link="https://imgs.search.example/t",
                context_link="https://www.example.org/cups",
                width=800,
                height=600,
            )
        ],
        [(IMAGES, {"type": "images", "query": {"original": "tea"}, "results": []})],
        settings=KEYS,
    ),
    Case(
        "brave",
        "places",
        PlaceQuery(
            "tea",
            near="Seattle",
            latitude=47.6,
            longitude=-122.3,
            radius=20_000,
            country="us",
            units="imperial",
        ),
        [
            (PAGES, LOCATIONS),
            (POIS, {"type": "local_pois", "results": [FAR, POI, None, ABROAD]}),
            (
                DESCRIPTIONS,
                {
                    "type": "local_descriptions",
                    "results": [{"id": "loc4AAA=", "description": "A quiet place for tea."}],
                },
            ),
        ],
        [PLACE],
        [(PAGES, NOTHING)],
        settings=KEYS,
        spared=(DESCRIPTIONS,),
    ),
)
