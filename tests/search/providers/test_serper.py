"""Serper: what is asked of it, and its recorded reply; good and bad answers of every kind are in
test_contract.
"""

from __future__ import annotations

import pytest

from research_core.errors import SearchError
from research_core.search.providers.serper import search, search_images, search_news
from research_core.search.queries import ImageQuery, NewsQuery, WebQuery
from tests.contracts import Service, configured
from tests.contracts.serper import KEYS
from tests.tool_calls_made import for_each_recorded

SETTINGS = configured(**KEYS)


def test_the_key_goes_in_a_header_and_the_query_in_the_body() -> None:
    service = Service([("serper.dev", {"organic": []})])
    search(
        service,
        SETTINGS,
        WebQuery(
            "tea", 20, time_range="year", language="DE", country="AT", exact_terms="green tea"
        ),
    )  # type: ignore[arg-type]
    ((method, url, options),) = service.asked
    assert (method, url, options["params"]) == ("POST", "https://google.serper.dev/search", {})
    assert options["headers"]["X-API-KEY"] == KEYS["serper_api_key"]
    assert options["json"] == {
        "q": 'tea "green tea"',
        "num": 10,
        "gl": "at",
        "hl": "de",
        "tbs": "qdr:y",
    }


def test_each_kind_has_its_own_address_and_list() -> None:
    for ask, query, name in (
        (search_news, NewsQuery("tea"), "news"),
        (search_images, ImageQuery("tea"), "images"),
    ):
        service = Service([("serper.dev", {"organic": [], name: []})])
        assert ask(service, SETTINGS, query) == ()  # type: ignore[operator]
        assert service.asked[0][1] == f"https://google.serper.dev/{name}"
        with pytest.raises(SearchError, match=f"there is no '?{name}|{name} is no list"):
            ask(Service([("serper.dev", {"organic": []})]), SETTINGS, query)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("status", "said", "kind"),
    [
        (400, "Not enough credits", "auth_required"),
        (400, "Missing query parameter", "bad_reply"),
        (403, "Unauthorized.", "auth_required"),
    ],
)
def test_a_refusal_is_told_in_its_own_words(status: int, said: str, kind: str) -> None:
    with pytest.raises(SearchError) as caught:
        search(
            Service([("serper.dev", {"message": said, "statusCode": status})], status),
            SETTINGS,
            WebQuery("tea"),
        )  # type: ignore[arg-type]
    assert caught.value.kind == kind
    assert said in caught.value.message
    assert (".env.example" in caught.value.next_step) == (kind == "auth_required")


@for_each_recorded("serper_search_1.json")
def test_the_recorded_reply_is_read(body: bytes, name: str) -> None:
    pages = search(
        Service([("serper.dev", body)]), SETTINGS, WebQuery("Who is the boyfriend of Olivia Wilde?")
    )  # type: ignore[arg-type]
    assert len(pages) == 9
    assert (
        pages[0].url
        == "https://pagesix.com/2023/01/29/olivia-wilde-hugs-it-out-with-jason-sudeikis-after-harry-styles-split/"
    )
    assert pages[0].title.startswith("Olivia Wilde embraces Jason Sudeikis")
    assert [page.published for page in pages[:3]] == [
        "2023-01-29T00:00:00Z",
        "2023-02-10T00:00:00Z",
        "2023-03-10T00:00:00Z",
    ]
    assert pages[5].published == ""
    assert all(page.title and page.snippet for page in pages)
