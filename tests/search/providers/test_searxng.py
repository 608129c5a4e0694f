"""Searching a SearXNG server: our own replies and, where they are, recorded ones; one test through
the real doorway.
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer

from research_core.errors import CallForbidden, SearchError
from research_core.journal.deps import Http
from research_core.journal.doorway import Doorway
from research_core.journal.log import EventLog
from research_core.journal.store import Store, create_session
from research_core.journal.tables import open_database
from research_core.model_messages import ModelReply, ModelRequest
from research_core.models import HttpReply, Principal, SearchResult
from research_core.search.providers.searxng import (
    list_unsupported_params,
    search,
    search_images,
    search_news,
)
from research_core.search.queries import ImageQuery, NewsQuery, WebQuery
from tests.contracts import Service
from tests.local_web import opened
from tests.search_web import ADDRESS, SNIPPET, TITLE, PlainHttp, with_searxng

ROOT = Path(__file__).parents[3]
REPLIES = ROOT / "tests" / "replies" / "searxng"
RECORDED = sorted((ROOT.parent / "shared" / "data" / "api_fixtures").glob("searxng_search_*"))
QUERY = WebQuery("highest tides & more")


def reply(name: str) -> str:
    return (REPLIES / f"{name}.json").read_text(encoding="utf-8")


def run(httpserver: HTTPServer) -> tuple[SearchResult, ...]:
    origin = httpserver.url_for("").rstrip("/")
    with opened(allowed_endpoints=frozenset({origin})) as client:
        return search(PlainHttp(client), with_searxng(origin), QUERY)


def failure(httpserver: HTTPServer, body: str, status: int = 200, **headers: str) -> SearchError:
    httpserver.expect_request("/search").respond_with_data(body, status, headers=headers)
    with pytest.raises(SearchError) as caught:
        run(httpserver)
    return caught.value


def test_results_are_read_in_order(httpserver: HTTPServer) -> None:
    httpserver.expect_request(
        "/search", query_string={"q": QUERY.text, "format": "json"}
    ).respond_with_data(reply("answered"))
    assert run(httpserver) == (
        SearchResult(TITLE, ADDRESS, SNIPPET, published="2024-05-01T00:00:00"),
        SearchResult("A museum of tides", "https://museum.example.edu/tides", ""),
    )
    (request, _) = httpserver.log[0]
    assert request.headers["Accept"] == "application/json"


def test_a_server_below_a_path_is_asked_there(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/searxng/search").respond_with_data(reply("empty"))
    origin = httpserver.url_for("").rstrip("/")
    with opened(allowed_endpoints=frozenset({origin})) as client:
        assert search(PlainHttp(client), with_searxng(f"{origin}/searxng"), QUERY) == ()


def test_at_most_ten_results_are_taken(httpserver: HTTPServer) -> None:
    rows = [{"url": f"https://h{n}.example.org/", "title": "t", "content": "c"} for n in range(30)]
    httpserver.expect_request("/search").respond_with_json({"results": rows})
    assert [result.url for result in run(httpserver)] == [row["url"] for row in rows[:10]]


def test_the_address_of_an_own_document_is_not_a_server_s_to_give(httpserver: HTTPServer) -> None:
    rows = [
        {"url": url, "title": "t", "content": "c"}
        for url in ("document:0123", "https://a.example.org/")
    ]
    httpserver.expect_request("/search").respond_with_json({"results": rows})
    assert [result.url for result in run(httpserver)] == ["https://a.example.org/"]


def test_nothing_found_is_empty(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/search").respond_with_data(reply("empty"))
    assert run(httpserver) == ()


def test_nothing_found_while_engines_are_silent_is_an_outage_that_names_them(
    httpserver: HTTPServer,
) -> None:
    error = failure(httpserver, reply("unresponsive"))
    assert error.kind == "upstream_unavailable"
    assert "first (timeout), second (Suspended: too many requests)" in error.sentence()


@pytest.mark.parametrize(
    "silent", [["first"], [["first", "timeout", "again"]], "first", [[]], {"first": "timeout"}]
)
def test_silent_engines_in_another_shape_are_still_an_outage(
    httpserver: HTTPServer, silent: Any
) -> None:
    assert (
        failure(httpserver, json.dumps({"results": [], "unresponsive_engines": silent})).kind
        == "upstream_unavailable"
    )


def test_engine_names_cannot_hide_anything_in_a_message(httpserver: HTTPServer) -> None:
    error = failure(
        httpserver,
        json.dumps({"results": [], "unresponsive_engines": [["\ud800\u202eevil" * 200, "x"]]}),
    )
    assert "\ud800" not in error.message
    assert "\u202e" not in error.message
    assert len(error.message) < 400


def test_json_switched_off_says_what_to_switch_on(httpserver: HTTPServer) -> None:
    error = failure(httpserver, "<h1>Forbidden</h1>", 403)
    assert (error.kind, error.status) == ("auth_required", 403)
    assert "search.formats" in error.next_step


WAITS = [
    ("30", 30.0),
    ("Wed, 21 Oct 2026 07:28:00 GMT", 0.0),
    ("-1", None),
    ("", None),
    ("²", None),
]


@pytest.mark.parametrize(("header", "seconds"), WAITS)
def test_the_wait_we_are_asked_for_is_kept(
    httpserver: HTTPServer, header: str, seconds: float | None
) -> None:
    error = failure(httpserver, "", 429, **{"Retry-After": header})
    assert (error.kind, error.retry_after) == ("rate_limited", seconds)


@pytest.mark.parametrize(
    "body",
    [
        reply("changed_shape"),
        '{"results": null}',
        '{"results": {}}',
        '{"results": ["https://tides.example.org/"]}',
        '{"results": [{"url": 1, "title": "t", "content": "c"}]}',
        '{"results": [{"url": "https://tides.example.org/", "title": ["t"], "content": "c"}]}',
        '{"results": [{"url": "https://tides.example.org/", "title": [], "content": "c"}]}',
        '{"results": [{"url": null, "title": "t", "content": "c"}]}',
        '{"results": [{"url": "https://tides.example.org/", "title": "t", "text": "c"}]}',
        '{"error": "No query"}',
        reply("answered")[:-40],
    ],
)
def test_a_changed_shape_is_a_bad_reply_with_a_next_step(httpserver: HTTPServer, body: str) -> None:
    assert failure(httpserver, body).kind == "bad_reply"


def test_a_server_that_the_configuration_does_not_name_is_not_asked(httpserver: HTTPServer) -> None:
    origin = httpserver.url_for("").rstrip("/")
    with (
        opened() as client,
        pytest.raises(SearchError, match=r"SearXNG: .*not a configured service") as caught,
    ):
        search(PlainHttp(client), with_searxng(origin), QUERY)
    assert caught.value.kind == "config"


@pytest.mark.skipif(
    not RECORDED,
    reason="There are no recorded replies beside this checkout (../shared/data/api_fixtures).",
)
@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.name)
def test_recorded_replies_are_results_or_a_failure_that_says_why(
    httpserver: HTTPServer, file: Path
) -> None:
    status = int(file.stem.partition("_http")[2] or 200)
    body = file.read_bytes()
    httpserver.expect_request("/search").respond_with_data(body, status)
    listed = json.loads(body) if status == 200 else {}
    if listed.get("results"):
        assert [result.url for result in run(httpserver)] == [
            row["url"] for row in listed["results"] if row.get("url")
        ][:10]
    elif status == 200 and not listed["unresponsive_engines"]:
        assert run(httpserver) == ()
    else:
        with pytest.raises(SearchError) as caught:
            run(httpserver)
        assert (
            caught.value.kind
            == {403: "auth_required", 400: "bad_reply", 200: "upstream_unavailable"}[status]
        )


# ---------------------------------------------------------------- what it is asked


def asked(ask: Any, query: Any) -> dict[str, str]:
    """The parameters of the request, beside the format."""
    http: Any = Service([("/search", {"results": []})])
    ask(http, with_searxng("https://searx.example.org"), query)
    ((_, url, options),) = http.asked
    assert (url, options["endpoint"], options["params"].pop("format")) == (
        "https://searx.example.org/search",
        True,
        "json",
    )
    return dict(options["params"])


def test_each_kind_has_its_category_and_its_parameters() -> None:
    assert asked(search, WebQuery("tea", time_range="year", safe="high", language="de", country="at", site="example.org")) == {
        "q": "tea site:example.org", "language": "de-AT", "time_range": "year", "safesearch": "2",
    }  # fmt: skip
    query = NewsQuery("tea", time_range="hour", safe="off", news_source="example.org")
    assert asked(search_news, query) == {
        "q": "tea site:example.org", "categories": "news", "time_range": "day", "safesearch": "0",
    }  # fmt: skip
    assert asked(search_images, ImageQuery("tea", safe="medium", language="pt-br")) == {
        "q": "tea", "categories": "images", "language": "pt-BR", "safesearch": "1",
    }  # fmt: skip


def test_a_country_alone_and_an_hour_are_beyond_it() -> None:
    assert list_unsupported_params(NewsQuery("tea", country="at", time_range="hour")) == [
        "country",
        "time_range",
    ]
    assert list_unsupported_params(ImageQuery("tea", country="at", language="de")) == []


@pytest.mark.parametrize("place", ["settings", "address"])
def test_a_name_and_a_password_go_in_a_header_and_into_no_log(
    httpserver: HTTPServer, tmp_path: Path, place: str
) -> None:
    httpserver.expect_request("/search").respond_with_data(reply("answered"))
    origin = httpserver.url_for("").rstrip("/")
    settings = with_searxng(origin, searxng_auth="assay:tea & honey")
    if place == "address":
        settings = with_searxng(origin.replace("://", "://assay:tea%20%26%20honey@"))
    database = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    create_session(database, Principal(), "s1", "Which bay has the highest tides?", {}, time.time())
    with opened(allowed_endpoints=settings.endpoints) as client:
        log = EventLog(Store(database, Principal(), "s1"), Wall())
        assert search(Doorway(log, client, NoModel(), Wall()).http, settings, QUERY)
    (request, _) = httpserver.log[0]
    assert (request.authorization.username, request.authorization.password) == (
        "assay",
        "tea & honey",
    )
    assert not any(
        word in repr([event.data for event in log.read()])
        for word in ("honey", "YXNzYXk", "Authorization")
    )
    database.close()


@pytest.mark.parametrize(
    ("resolution", "size"),
    [
        ("800x600", (800, 600)),
        ("800 × 600 px", (800, 600)),
        ("1920*1080", (1920, 1080)),
        ("large", (None, None)),
        (None, (None, None)),
    ],
)
def test_the_size_of_an_image_is_read_where_it_is_told(
    resolution: Any, size: tuple[int | None, int | None]
) -> None:
    http: Any = Service(
        [
            (
                "/search",
                {
                    "results": [
                        {"img_src": "https://img.example.org/a.jpg", "resolution": resolution}
                    ]
                },
            )
        ]
    )
    (image,) = search_images(http, with_searxng("https://searx.example.org"), ImageQuery("tea"))
    assert (image.width, image.height) == size
    assert (image.display_link, image.context_link) == ("img.example.org", "")


# ---------------------------------------------------------------- any answer at all

FIELDS = st.sampled_from(
    [
        "results",
        "url",
        "title",
        "content",
        "publishedDate",
        "img_src",
        "resolution",
        "unresponsive_engines",
    ]
)
ADDRESSES = st.sampled_from(
    [ADDRESS, "//img.example.org/a", "http://[", "https://x:y:z/", "document:abc"]
)
ATOMS = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | ADDRESSES
JSON = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=12,
)


class Canned(PlainHttp):
    """An Http whose every answer is this body."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    def send(self, method: str, url: str, **_: Any) -> HttpReply:
        return HttpReply(url, 200, {}, self.body)


ASKING: list[tuple[Any, Any]] = [
    (search, QUERY),
    (search_news, NewsQuery("tea")),
    (search_images, ImageQuery("tea")),
]


@given(
    JSON.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=60),
    st.sampled_from(ASKING),
)
def test_any_answer_is_records_or_a_search_error(body: bytes, asking: tuple[Any, Any]) -> None:
    ask, query = asking
    try:
        found = ask(Canned(body), with_searxng("http://localhost"), query)
    except SearchError:
        return
    assert all(getattr(each, "url", "") or each.link for each in found)
    assert all(
        isinstance(value, str)
        for each in found
        for name, value in vars(each).items()
        if name not in ("width", "height")
    )


# ---------------------------------------------------------------- through the doorway


class Wall:
    """The clock of this machine."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def wait(self, event: threading.Event, seconds: float) -> float:
        return seconds


class NoModel:
    """A model that nobody asks."""

    name = "none"

    def open(self) -> None: ...

    def run(self, request: ModelRequest, on_text: Any = None) -> ModelReply:
        raise AssertionError("no model was to be asked")


@pytest.mark.parametrize(
    ("name", "status"), [("answered", 200), ("unresponsive", 200), ("empty", 500)]
)
def test_through_the_doorway_a_search_is_made_once_and_replayed(
    httpserver: HTTPServer, tmp_path: Path, name: str, status: int
) -> None:
    httpserver.expect_request("/search").respond_with_data(reply(name), status)
    origin = httpserver.url_for("").rstrip("/")
    database = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    create_session(database, Principal(), "s1", "Which bay has the highest tides?", {}, time.time())
    said = []
    with opened(allowed_endpoints=frozenset({origin})) as client:
        for readonly in (False, False, True):
            log = EventLog(Store(database, Principal(), "s1"), Wall(), readonly=readonly)
            said.append(outcome(Doorway(log, client, NoModel(), Wall()).http, origin, QUERY))
        with pytest.raises(CallForbidden):
            outcome(Doorway(log, client, NoModel(), Wall()).http, origin, WebQuery("another query"))
    database.close()
    assert said[0] == said[1] == said[2]
    assert len(httpserver.log) == 1


def test_a_busy_server_is_asked_once_more(httpserver: HTTPServer, tmp_path: Path) -> None:
    httpserver.expect_ordered_request("/search").respond_with_data(
        "later", 503, headers={"Retry-After": "0"}
    )
    httpserver.expect_ordered_request("/search").respond_with_data(reply("answered"))
    origin = httpserver.url_for("").rstrip("/")
    database = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    create_session(database, Principal(), "s1", "Which bay has the highest tides?", {}, time.time())
    with opened(allowed_endpoints=frozenset({origin})) as client:
        log = EventLog(Store(database, Principal(), "s1"), Wall())
        assert outcome(Doorway(log, client, NoModel(), Wall()).http, origin, QUERY)
    assert len(httpserver.log) == 2
    database.close()


def outcome(http: Http, origin: str, query: WebQuery) -> Any:
    try:
        return search(http, with_searxng(origin), query)
    except SearchError as error:
        return error.kind, error.sentence(), error.status
