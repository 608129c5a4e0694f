"""SearchAPI.io: what is asked of it, and its recorded reply; good and bad answers of every kind are
in test_contract.
"""

from __future__ import annotations

from typing import Any

import pytest

from research_core.errors import SearchError
from research_core.search.providers.searchapi import (
    list_unsupported_image_filters,
    search,
    search_images,
    search_news,
)
from research_core.search.queries import ImageQuery, NewsQuery, WebQuery
from tests.contracts import Service, configured
from tests.contracts.searchapi import KEYS, PART, PICTURE, SAID, STORY
from tests.tool_calls_made import for_each_recorded

SETTINGS: Any = configured(**KEYS)


def asked(ask: Any, query: Any, body: Any = SAID) -> dict[str, str]:
    service: Any = Service([(PART, body)])
    ask(service, SETTINGS, query)
    return dict(service.asked[0][2]["params"])


def test_each_kind_has_its_own_engine_and_its_parameters() -> None:
    key = {"api_key": KEYS["searchapi_api_key"]}
    assert asked(search, WebQuery("tea", time_range="hour", safe="medium", language="de", country="AT")) == {
        "engine": "google", "q": "tea", "num": "10", "gl": "at", "hl": "de", "safe": "active", "time_period": "last_hour", **key,
    }  # fmt: skip
    query = NewsQuery("tea", sort_by="date", news_source="example.org", safe="off")
    assert asked(search_news, query) == {
        "engine": "google_news", "q": "tea site:example.org", "num": "5", "safe": "off", "sort_by": "most_recent", **key,
    }  # fmt: skip
    assert asked(search_images, ImageQuery("tea")) == {
        "engine": "google_images",
        "q": "tea",
        "num": "5",
        **key,
    }


@pytest.mark.parametrize(
    ("filters", "tbs", "told"),
    [
        (
            {"size": "large", "type": "photo", "color_type": "gray", "file_type": "png"},
            "isz:l,itp:photo,ic:gray,ift:png",
            [],
        ),
        ({"size": "huge", "dominant_color": "red"}, "isz:lt,islt:10mp,ic:specific,isc:red", []),
        ({"size": "small", "type": "stock"}, "", ["size", "type"]),
        ({"color_type": "trans", "dominant_color": "red"}, "ic:specific,isc:red", ["color_type"]),
    ],
)
def test_filters_of_images_are_google_s_own_and_what_it_has_no_word_for_is_told(
    filters: dict[str, str], tbs: str, told: list[str]
) -> None:
    query = ImageQuery("tea", **filters)  # type: ignore[arg-type]
    assert asked(search_images, query).get("tbs", "") == tbs
    assert [name for name in list_unsupported_image_filters(query) if name in filters] == told


def test_a_flat_image_is_read_too() -> None:
    flat = {
        "title": "A cup", "original": "https://img.example.org/cup.jpg", "original_width": 800, "original_height": 600,
        "thumbnail": "https://t.example/t", "source": "Example", "link": "https://www.example.org/cups",
    }  # fmt: skip
    service: Any = Service([(PART, {"images_results": [flat]})])
    (image,) = search_images(service, SETTINGS, ImageQuery("tea"))
    nested: Any = Service([(PART, {"images": [{**PICTURE, "thumbnail": "https://t.example/t"}]})])
    assert (image,) == search_images(nested, SETTINGS, ImageQuery("tea"))


def test_news_may_stand_under_a_name_of_their_own() -> None:
    service: Any = Service([(PART, {"news_results": [STORY]})])
    assert search_news(service, SETTINGS, NewsQuery("tea"))[0].source == "The Example"


@pytest.mark.parametrize(
    ("answer", "empty"),
    [
        (SAID, True),
        ({"error": "Google hasn't returned any results for this query."}, True),
        ({"error": "Google did not return any results for this query."}, True),
        ({"search_information": {"total_results": 0}}, True),
        ({"search_information": {"total_results": False}}, False),
        ({"search_information": {"total_results": 12}}, False),
        ({"error": "The search failed."}, False),
        (
            {"error": "You have run out of searches.", "search_information": {"total_results": 0}},
            False,
        ),
        ({"organic_results": None}, False),
    ],
)
def test_only_an_answer_that_says_so_is_empty(answer: Any, empty: bool) -> None:
    service: Any = Service([(PART, answer)])
    if empty:
        assert search(service, SETTINGS, WebQuery("tea")) == ()
        return
    with pytest.raises(SearchError) as caught:
        search(service, SETTINGS, WebQuery("tea"))
    assert caught.value.kind == "bad_reply"


@for_each_recorded("searchapi_google_1.json")
def test_the_recorded_reply_is_read(body: bytes, name: str) -> None:
    service: Any = Service([(PART, body)])
    pages = search(service, SETTINGS, WebQuery("Who is CEO of Microsoft?"))
    assert [(page.title, page.url) for page in pages[:2]] == [
        ("Satya Nadella - Stories", "https://news.microsoft.com/exec/satya-nadella/"),
        ("Satya Nadella", "https://en.wikipedia.org/wiki/Satya_Nadella"),
    ]
    assert all(page.title and page.snippet for page in pages)
    assert [page.published for page in pages if page.published] == [
        "2023-11-22T08:00:00Z"
    ]  # 8 hours before it was asked
    assert len(pages) == 9
