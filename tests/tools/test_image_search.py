"""image_search, bullet by bullet of its specification (spec/research-tools.md, tool 4); its
providers are in test_contract.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from research_core.tools import get_tool
from tests.bullets import Bullets
from tests.contracts import brave, google, searchapi, serper
from tests.tool_calls_made import CallOutcome, for_each_recorded, make_tool_call

BRAVE, GOOGLE = (
    "https://api.search.brave.com/res/v1/images/search",
    "https://www.googleapis.com/customsearch/v1",
)
PICTURES = {"type": "images", "query": {"original": "tea"}, "results": [brave.PICTURE]}
FILTERS = {
    "size": "large",
    "type": "photo",
    "color_type": "gray",
    "dominant_color": "teal",
    "file_type": "png",
}
WHERE = {"safe": "off", "country": "us", "language": "en"}
bullet = Bullets("image_search")


def by_google(answer: Any = None, status: int = 200, **arguments: Any) -> CallOutcome:
    body = google.answer(google.PICTURE) if answer is None else answer
    return make_tool_call(
        "image_search", {GOOGLE: (status, body)}, settings=google.KEYS, query="tea", **arguments
    )


def by_brave(answer: Any = None, status: int = 200, **arguments: Any) -> CallOutcome:
    return make_tool_call(
        "image_search",
        {BRAVE: (status, PICTURES if answer is None else answer)},
        settings=brave.KEYS,
        query="tea",
        **arguments,
    )


def asked(said: CallOutcome) -> dict[str, str]:
    (params,) = said.params()
    return params


@bullet("query has between 1 and 500 characters")
def _() -> None:
    for query in ("", " ", "x" * 501):
        assert "query" in make_tool_call("image_search", {}, settings=brave.KEYS, query=query).error


@bullet("num_results is between 1 and 200, and 5 by default")
def _() -> None:
    many = {"results": [brave.PICTURE] * 7}
    assert by_brave(many).answer["resultCount"] == 5
    assert (
        by_google(google.answer(*[google.PICTURE] * 7), num_results=2).answer["resultCount"] == 2
    )  # also of who lists more
    assert asked(by_brave())["count"] == "5"
    assert asked(by_brave(num_results=200))["count"] == "200"
    for count in (0, 201):
        assert "num_results" in by_brave(num_results=count).error


@bullet("Brave is asked for up to 200 images at once, and Google for up to 10")
def _() -> None:
    assert (
        asked(by_brave(num_results=200))["count"],
        asked(by_google(num_results=200))["num"],
    ) == ("200", "10")


@bullet("no address of an answer repeats a user name or a password")
def _() -> None:
    signed = json.loads(json.dumps(brave.PICTURE).replace("https://", "https://ann:s3cret@"))
    (image,) = by_brave({**PICTURES, "results": [signed]}).answer["images"]
    assert image == by_brave().answer["images"][0]
    assert "s3cret" in json.dumps(signed)


@bullet(
    "size, type, color_type, dominant_color, file_type and safe take the values of the specification and no others"
)
def _() -> None:
    for name in (*FILTERS, "safe"):
        assert name in by_google(**{name: "teapot"}).error
    for name, value in FILTERS.items():
        assert by_google(**{name: value}).answer["resultCount"] == 1


@bullet("size, type, color_type, dominant_color and file_type reach Google")
def _() -> None:
    params = asked(by_google(**FILTERS))
    sent = {name: value for name, value in params.items() if name.startswith(("img", "file"))}
    assert sent == {
        "imgSize": "large",
        "imgType": "photo",
        "imgColorType": "gray",
        "imgDominantColor": "teal",
        "fileType": "png",
    }
    assert (params["searchType"], params["q"]) == ("image", "tea")


@bullet(
    "Brave is never sent size, type, color_type, dominant_color and file_type, and the answer says that it ignored them"
)
def _() -> None:
    said = by_brave(**FILTERS)
    assert asked(said) == {"q": "tea", "count": "5", "safesearch": "strict"}
    assert said.answer["ignoredParameters"] == list(FILTERS)
    assert "ignoredParameters" not in by_brave(**WHERE).answer


@bullet("country, language and safe are honoured by Brave and by Google")
def _() -> None:
    assert asked(by_brave(**WHERE)) == {
        "q": "tea",
        "count": "5",
        "safesearch": "off",
        "country": "US",
        "search_lang": "en",
    }
    params = asked(by_google(**WHERE))
    assert (params["safe"], params["cr"], params["lr"]) == ("off", "countryUS", "lang_en")


@bullet("safe is medium by default; on Brave images anything but off is strict")
def _() -> None:
    assert [
        asked(by_brave(**given))["safesearch"]
        for given in ({}, {"safe": "medium"}, {"safe": "high"})
    ] == ["strict"] * 3
    assert [
        asked(by_google(**given))["safe"] for given in ({}, {"safe": "high"}, {"safe": "off"})
    ] == ["active", "active", "off"]


@bullet("size is a hint: an image of another size is answered with its own width and height")
def _() -> None:
    (image,) = by_google(size="icon").answer["images"]
    assert (image["width"], image["height"]) == (800, 600)


@bullet(
    "an image has title, link, thumbnailLink, displayLink, contextLink, width, height and fileSize where the provider says them"
)
def _() -> None:
    assert by_google().answer["images"] == [
        {
            "title": "A cup",
            "link": "https://img.example.org/cup.jpg",
            "displayLink": "www.example.org",
            "thumbnailLink": "https://encrypted-tbn0.example/t",
            "contextLink": "https://www.example.org/cups",
            "width": 800,
            "height": 600,
            "fileSize": "51234",
        }
    ]


@bullet("a thumbnail whose address is none is left out, whoever says it")
def _() -> None:
    for bad in ("javascript:alert(1)", "data:image/png;base64,AA"):
        services: tuple[tuple[str, Any, Any], ...] = (
            (BRAVE, {"results": [brave.PICTURE | {"thumbnail": {"src": bad}}]}, brave.KEYS),
            (
                GOOGLE,
                google.answer(google.PICTURE | {"image": {"thumbnailLink": bad}}),
                google.KEYS,
            ),
            (serper.URL, {"images": [serper.PICTURE | {"thumbnailUrl": bad}]}, serper.KEYS),
            (searchapi.URL, {"images": [searchapi.PICTURE | {"thumbnail": bad}]}, searchapi.KEYS),
        )
        for start, body, keys in services:
            (image,) = make_tool_call(
                "image_search", {start: body}, settings=keys, query="tea"
            ).answer["images"]
            assert image["link"].startswith("https://")
            assert "thumbnailLink" not in image


@bullet(
    "contextLink, width, height and fileSize are left out where the provider does not say them, never made up"
)
def _() -> None:
    bare = {
        "title": "A cup",
        "source": "example.org",
        "properties": {"url": "https://img.example.org/cup.jpg"},
    }
    (image,) = by_brave({"results": [bare]}).answer["images"]
    assert image == {
        "title": "A cup",
        "link": "https://img.example.org/cup.jpg",
        "displayLink": "example.org",
    }


@bullet("the answer is marked as untrusted content of others")
def _() -> None:
    answer = by_brave().answer
    assert {name: answer[name] for name in ("query", "resultCount", "trust")} == {
        "query": "tea",
        "resultCount": 1,
        "trust": "untrusted-external-content",
    }


@bullet(
    "an explicit provider is used exclusively; an unknown one lists those there are, one without its key names the key"
)
def _() -> None:
    answers = {BRAVE: (500, {}), GOOGLE: google.answer(google.PICTURE)}
    keys = {**brave.KEYS, **google.KEYS}
    assert (
        "Brave answered 500"
        in make_tool_call(
            "image_search", answers, settings=keys, query="tea", provider="brave"
        ).error
    )
    assert (
        make_tool_call("image_search", answers, settings=keys, query="tea").answer["resultCount"]
        == 1
    )
    assert "Choose among: brave, " in by_brave(provider="altavista").error
    assert "GOOGLE_CUSTOM_SEARCH_API_KEY" in by_brave(provider="google").error


@bullet("a key that is refused says where keys are set, and too many requests say how long to wait")
def _() -> None:
    invalid = {
        "error": {
            "code": 400,
            "message": "API key not valid.",
            "details": [{"reason": "API_KEY_INVALID"}],
        }
    }
    assert ".env.example" in by_google(invalid, 400).error
    assert (
        "Wait 60 seconds"
        in by_google(
            {"error": {"message": "Quota exceeded", "errors": [{"reason": "rateLimitExceeded"}]}},
            429,
        ).error
    )


@bullet("an answer without images has hints, and is no error")
def _() -> None:
    answer = by_google(google.NOTHING, size="icon", country="lu").answer
    assert (answer["images"], answer["resultCount"]) == ([], 0)
    assert answer["hints"]["filtersApplied"] == {"size": "icon", "country": "lu"}


@bullet("cache: the query and every filter are part of the key")
def _() -> None:
    given: list[dict[str, str]] = [
        {},
        *({name: value} for name, value in (FILTERS | WHERE).items()),
    ]
    calls = [by_google(**each).context.log.answers() for each in given]
    keys = [
        key for answers in calls for key, event in answers.items() if event.data["kind"] == "http"
    ]
    assert len(set(keys)) == len(keys) == 1 + len(FILTERS | WHERE)


@bullet("cache: results are kept for 30 minutes")
def _() -> None:
    assert (by_google().kept_s, by_brave().kept_s) == (1800, 1800)


@bullet("annotations: read only, idempotent, of the open world")
def _() -> None:
    row = get_tool("image_search")
    assert row
    assert (row.read_only, row.idempotent, row.open_world, row.asks) == (True, True, True, "images")


@bullet("the pages of the images are sources of the session")
def _() -> None:
    assert list(by_brave().context.source_metadata) == ["https://www.example.org/cups"]


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


@for_each_recorded("brave_images_1.json")
def test_a_recorded_answer_is_read(body: bytes, name: str) -> None:
    images = by_brave(body, num_results=200).answer["images"]
    assert len(images) == len(json.loads(body)["results"]) == 20
    assert images[0]["link"].startswith(
        "https://media.istockphoto.com/id/461954481/photo/hello-world.jpg"
    )
    assert (images[0]["contextLink"], images[0]["displayLink"]) == (
        "https://www.istockphoto.com/photos/hello-world",
        "istockphoto.com",
    )
    assert (
        images[-1]["link"] == "http://blogs.vmware.com/opensource/files/2020/04/Python-1024x578.png"
    )
    assert all(
        image["title"] and image["thumbnailLink"].startswith("https://imgs.search.brave.com/")
        for image in images
    )
