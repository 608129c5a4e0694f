"""local_search, bullet by bullet of its specification (spec/research-tools.md, tool 26); Brave is
in test_contract.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from research_core.errors import FetchError
from research_core.search import providers
from research_core.settings import Settings
from research_core.tools import get_tool, list_available_tools
from tests.bullets import Bullets
from tests.contracts import brave
from tests.tool_calls_made import CallOutcome, make_tool_call

API = "https://api.search.brave.com/res/v1"
PAGES, POIS, DESCRIPTIONS = f"{API}/web/search", f"{API}/local/pois", f"{API}/local/descriptions"
HERE = {"latitude": 47.6, "longitude": -122.33}
DESCRIBED = {"results": [{"id": "loc4AAA=", "description": "A quiet place for tea."}]}
bullet = Bullets("local_search")


def place(number: int, **more: Any) -> dict[str, Any]:
    return {"id": f"loc4{number:03}=", "title": f"Tea {number}", **more}


def search(
    *found: dict[str, Any],
    described: Any = DESCRIBED,
    pages: Any = None,
    query: str = "tea",
    **arguments: Any,
) -> CallOutcome:
    """found: the places that Brave knows, under the ids its web search gives."""
    known = found or (brave.POI,)
    ids = {**brave.NOTHING, "locations": {"results": [{"id": each["id"]} for each in known]}}
    answers = {PAGES: pages or ids, POIS: {"results": list(known)}, DESCRIPTIONS: described}
    return make_tool_call("local_search", answers, settings=brave.KEYS, query=query, **arguments)


def names(said: CallOutcome) -> list[str]:
    return [each["name"] for each in said.answer["places"]]


def headers(said: CallOutcome, start: str = PAGES) -> dict[str, str]:
    """Those of the only request to an address that begins like this, without what every request to
    Brave has.
    """
    ((_, _, options),) = said.requests(start)
    return {
        name: value
        for name, value in options["headers"].items()
        if name not in ("accept", "x-subscription-token")
    }


def ids(said: CallOutcome, start: str) -> list[str]:
    ((_, url, _),) = said.requests(start)
    return [value for name, value in parse_qsl(urlsplit(url).query) if name == "ids"]


@bullet("three calls: a web search for ids, what is known of them, and descriptions")
def _() -> None:
    said = search()
    assert [url.partition("?")[0] for _, url, _ in said.requests()] == [PAGES, POIS, DESCRIPTIONS]
    assert said.params(PAGES) == [{"q": "tea", "result_filter": "locations"}]
    assert ids(said, POIS) == ids(said, DESCRIPTIONS) == ["loc4AAA="]


@bullet(
    "a place has id, name, address, lat, lon, phone, website, categories, rating, ratingCount, hours, description and source"
)
def _() -> None:
    assert search().answer["places"] == [
        {
            "id": "loc4AAA=",
            "name": "The Tea House",
            "address": "1 Pine St, Seattle, WA 98101",
            "lat": 47.61,
            "lon": -122.33,
            "phone": "+1 206 555 0100",
            "website": "https://teahouse.example/",
            "categories": ["cafe", "tea_house"],
            "rating": 4.5,
            "ratingCount": 321,
            "hours": ["Thursday: 06:59-17:00", "Friday: 07:00-12:00", "Friday: 13:00-17:00"],
            "description": "A quiet place for tea.",
            "source": "brave",
        }
    ]


@bullet("the answer has query, resultCount, provider and trust")
def _() -> None:
    told = {name: value for name, value in search().answer.items() if name != "places"}
    assert told == {
        "query": "tea",
        "resultCount": 1,
        "provider": "brave",
        "trust": "untrusted-external-content",
    }


@bullet("it is not offered without BRAVE_API_KEY")
def _() -> None:
    assert "local_search" not in [
        row.name for row in list_available_tools(Settings(home=Path("unused"), database_url=""))
    ]
    assert "local_search" in [
        row.name
        for row in list_available_tools(
            Settings(home=Path("unused"), database_url="", **brave.KEYS)
        )
    ]
    assert "BRAVE_API_KEY" in make_tool_call("local_search", {}, query="tea").error


@bullet(
    "an explicit provider is used exclusively; an unknown or unconfigured one is an error, never another one"
)
def _() -> None:
    assert search(provider="brave").answer["provider"] == "brave"
    assert "Choose among: brave." in search(provider="yelp").error
    assert (
        "BRAVE_API_KEY" in make_tool_call("local_search", {}, query="tea", provider="brave").error
    )


@bullet("a position goes into X-Loc-Lat and X-Loc-Long of the first call, and stands above near")
def _() -> None:
    said = search(near="Portland", country="us", **HERE)
    assert headers(said) == {
        "api-version": "2023-01-01",
        "x-loc-lat": "47.6",
        "x-loc-long": "-122.33",
    }
    assert said.answer["ignoredParameters"] == ["near"]


@bullet("near and country go into X-Loc-City and X-Loc-Country where there is no position")
def _() -> None:
    said = search(near="Seattle", country="us")
    assert headers(said) == {
        "api-version": "2023-01-01",
        "x-loc-city": "Seattle",
        "x-loc-country": "US",
    }
    assert "ignoredParameters" not in said.answer


@bullet("near in any script is one line of UTF-8 in its header")
def _() -> None:
    assert (
        headers(search(near="東京\r\nX-Evil: 1"))["x-loc-city"].encode("latin-1")
        == "東京 X-Evil: 1".encode()
    )


@bullet("the query is not suffixed with the location")
def _() -> None:
    assert [params["q"] for params in search(near="Seattle").params(PAGES)] == ["tea"]


@bullet("the second and third call send no location, and no version")
def _() -> None:
    said = search(near="Seattle", **HERE)
    assert headers(said, POIS) == headers(said, DESCRIPTIONS) == {}


@bullet("the position is not in the log")
def _() -> None:
    said = search(latitude=47.612345, longitude=-122.312345)
    log = json.dumps([[event.kind, event.data] for event in said.context.log.read()], default=str)
    assert f"GET {PAGES}" in log
    assert "47.612345" not in log
    assert "122.312345" not in log
    assert brave.KEYS["brave_api_key"] not in log


@bullet(
    "from a position the nearest place comes first, by haversine distance, and one whose position nobody knows last"
)
def _() -> None:
    far, near = place(1, coordinates=[48.6, -122.33]), place(2, coordinates=[47.601, -122.33])
    east, unknown = place(3, coordinates=[47.6, -121.33]), place(4)
    assert names(search(unknown, far, east, near, **HERE)) == [
        "Tea 2",
        "Tea 3",
        "Tea 1",
        "Tea 4",
    ]  # a degree east is 75 km here, north 111
    assert names(search(unknown, far, east, near)) == ["Tea 4", "Tea 1", "Tea 3", "Tea 2"]


@bullet("the nearest are told of more places than are wanted")
def _() -> None:
    found = [place(n, coordinates=[48.6 - n / 10, -122.33]) for n in range(10)]
    said = search(*found, num_results=2, **HERE)
    assert (names(said), len(ids(said, POIS)), len(ids(said, DESCRIPTIONS))) == (
        ["Tea 9", "Tea 8"],
        10,
        2,
    )


@bullet("distance is right far north, across the date line and at the poles")
def _() -> None:
    east, north = (
        place(1, coordinates=[60.0, 11.0]),
        place(2, coordinates=[60.6, 10.0]),
    )  # 55.6 km, 66.7 km
    assert names(search(north, east, latitude=60, longitude=10)) == ["Tea 1", "Tea 2"]
    over, away = place(1, coordinates=[0.0, -179.9]), place(2, coordinates=[0.0, 178.0])
    assert names(search(away, over, latitude=0, longitude=179.9)) == ["Tea 1", "Tea 2"]
    assert names(
        search(
            place(1, coordinates=[89.9, 0]),
            place(2, coordinates=[-89.9, 0]),
            latitude=-90,
            longitude=0,
        )
    ) == ["Tea 2", "Tea 1"]


@bullet("radius, in metres, leaves out what is farther, and what nobody knows the position of")
def _() -> None:
    found = (
        place(1, coordinates=[47.6089, -122.33]),
        place(2, coordinates=[47.6091, -122.33]),
        place(3),
    )  # 990 m, 1012 m
    assert names(search(*found, radius=1000, **HERE)) == ["Tea 1"]
    assert names(search(*found, radius=0, **HERE)) == ["Tea 1", "Tea 2", "Tea 3"]
    assert names(search(*found, radius=1000, units="imperial", **HERE)) == ["Tea 1"]


@bullet("radius without a position leaves out nothing, and the answer says that it was ignored")
def _() -> None:
    answer = search(place(1, coordinates=[10, 10]), radius=5).answer
    assert (answer["resultCount"], answer["ignoredParameters"]) == (1, ["radius"])


@bullet("a place in another country than the one asked for is left out")
def _() -> None:
    found = (
        place(1, postal_address={"country": "CA"}),
        place(2, postal_address={"country": "US"}),
        place(3),
    )
    assert names(search(*found, country="us")) == ["Tea 2", "Tea 3"]


@bullet(
    "latitude and longitude have to be given together and within range, and radius is not negative"
)
def _() -> None:
    assert "together" in search(latitude=47.6).error
    assert "together" in search(longitude=-122.3).error
    for wrong in (
        {"latitude": 90.5, "longitude": 0},
        {"latitude": 0, "longitude": -180.5},
        {**HERE, "radius": -1},
    ):
        said = search(**wrong)
        assert said.error.startswith("local_search cannot run: ")
        assert said.requests() == []
    assert search(latitude=-90, longitude=180).answer["resultCount"] == 1


@bullet(
    "descriptions are best effort: without them the places are there all the same, and it is told why"
)
def _() -> None:
    for failure in (
        (500, {}),
        (429, {}),
        "<html>",
        {"results": 7},
        FetchError("It broke off.", kind="network"),
    ):
        answer = search(described=failure).answer
        (found,), (note,) = answer["places"], answer["notes"]
        assert found["name"] == "The Tea House"
        assert "description" not in found
        assert note.startswith("Descriptions could not be had: Brave")
    assert "notes" not in search(described={"results": []}).answer


@bullet("no location found is an empty answer with hints")
def _() -> None:
    for nothing in (brave.NOTHING, {**brave.NOTHING, "locations": {"results": []}}):
        said = search(pages=nothing, near="Atlantis", units="metric")
        assert (said.answer["places"], said.answer["resultCount"]) == ([], 0)
        assert said.answer["hints"]["filtersApplied"] == {"near": "Atlantis", "units": "metric"}
        assert len(said.requests()) == 1


@bullet("an answer that cannot be read is a failure, and never panics")
def _() -> None:
    assert "cannot be read" in search(pages={"web": {}}).error
    assert "cannot be read" in search(place(1, coordinates=[300, 0])).error
    assert "cannot be read" in search(place(1, title="")).error
    for number in (
        "NaN",
        "Infinity",
        "1e999",
    ):  # which JSON has not, and which no answer of ours may hold
        known = json.dumps({"results": [place(1, rating={"ratingValue": "it"})]}).replace(
            '"it"', number
        )
        answers = {
            PAGES: {**brave.NOTHING, "locations": {"results": [{"id": "loc4001="}]}},
            POIS: known,
        }
        assert (
            "cannot be read"
            in make_tool_call("local_search", answers, settings=brave.KEYS, query="tea").error
        )


@bullet("ids are repeated, never joined, and one that Brave does not know leaves the others")
def _() -> None:
    two = {**brave.NOTHING, "locations": {"results": [{"id": "loc4AAA="}, {"id": "loc4,&"}]}}
    answers = {PAGES: two, POIS: {"results": [brave.POI, None]}, DESCRIPTIONS: DESCRIBED}
    said = make_tool_call("local_search", answers, settings=brave.KEYS, query="tea")
    assert (ids(said, POIS), names(said)) == (["loc4AAA=", "loc4,&"], ["The Tea House"])


@bullet(
    "ids are ephemeral: no source of the session holds one, and no answer is kept for as long as they are good"
)
def _() -> None:
    said = search()
    sources = [event.data for event in said.context.log.read() if event.kind != "call"]
    assert "https://teahouse.example/" in json.dumps(sources)
    assert "loc4AAA=" not in json.dumps(sources)
    assert said.kept_s is not None
    assert said.kept_s < 8 * 3600


@bullet("num_results is between 1 and 20, and 5 by default")
def _() -> None:
    found = [place(n) for n in range(30)]
    assert [len(ids(search(*found, **given), POIS)) for given in ({}, {"num_results": 20})] == [
        5,
        20,
    ]
    for count in (0, 21):
        assert "num_results" in search(num_results=count).error


@bullet("units is metric or imperial, and for display only")
def _() -> None:
    assert search(units="imperial").params(POIS) == [{"units": "imperial"}]
    assert "units" in search(units="parsec").error


@bullet("a query is required")
def _() -> None:
    for query in ("", " "):
        assert "query" in search(query=query).error


@bullet("sessionId of a session that is not there is refused")
def _() -> None:
    assert "Session not found" in search(sessionId="s-1").error


@bullet("annotations: read only, idempotent, of the open world")
def _() -> None:
    row = get_tool("local_search")
    assert row
    assert (row.read_only, row.idempotent, row.open_world, row.asks) == (True, True, True, "places")


@bullet("cache: results are kept for six hours, and empty ones are not")
def _() -> None:
    assert search().kept_s == 6 * 3600
    assert search(pages=brave.NOTHING).kept_s is None


@bullet("cache: position, near and country are part of the key, and radius is applied anew")
def _() -> None:
    given: list[dict[str, Any]] = [
        {},
        {"near": "Seattle"},
        {"country": "us"},
        {**HERE},
        {"latitude": 47.7, "longitude": -122.33},
    ]
    first = [_first_key(search(**each)) for each in given]
    assert len(set(first)) == len(given)
    assert _first_key(search(**HERE, radius=10)) == _first_key(search(**HERE))


def _first_key(said: CallOutcome) -> str:
    calls = [
        (event.seq, key)
        for key, event in said.context.log.answers().items()
        if event.data["kind"] == "http"
    ]
    return min(calls)[1]


def test_places_have_one_breaker_with_the_other_rows_of_brave() -> None:
    assert {row.service or row.name for row in providers.PROVIDERS if row.name == "brave"} == {
        "brave"
    }
    assert [row.kind for row in providers.PROVIDERS if row.name == "brave"] == [
        "web",
        "news",
        "images",
        "places",
    ]


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()
