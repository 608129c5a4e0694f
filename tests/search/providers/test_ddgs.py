"""Searching through ddgs: its real readers and its real HTTP client, against servers on loopback."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from threading import Barrier
from typing import Any

import pytest
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer

from research_core.errors import FetchError, SearchError
from research_core.models import SearchResult
from research_core.search.providers import PROVIDERS
from research_core.search.providers.ddgs import (
    HONOURS,
    REST_MAX_S,
    REST_S,
    SNIPPET_LENGTH,
    EnginePool,
    build_engine_params,
    list_unsupported_params,
    load_text_engines,
    search,
)
from research_core.search.queries import UNIVERSAL_PARAMS, WebQuery
from tests.local_web import opened, serving
from tests.search_web import (
    ADDRESS,
    FOUND,
    NOTHING,
    SNIPPET,
    START,
    TITLE,
    PlainHttp,
    answer,
    rerouted,
    with_searxng,
)
from tests.timing import LONG_S

QUERY = WebQuery("which bay has the highest tides")
SETTINGS = with_searxng("")


class Reply:
    """What ddgs's client gives an engine."""

    def __init__(self, text: str, status: int = 200) -> None:
        self.text, self.status = text, status

    @property
    def status_code(self) -> int:
        return self.status


class Inner:
    """ddgs's client, without a network: it answers what it was made with."""

    def __init__(self, told: Reply | Exception) -> None:
        self.told, self.client = told, self

    def set_cookies(self, *_: Any) -> None: ...

    def request(self, *_: Any, **__: Any) -> Reply:
        if isinstance(self.told, Exception):
            raise self.told
        return self.told


class World:
    """Engines whose client answers `told`, and a clock that a test turns."""

    def __init__(self, told: Reply | Exception) -> None:
        self.told, self.time, self.asked = told, 1000.0, 0
        self.engines = EnginePool(
            lambda: {name: self._maker(make) for name, make in load_text_engines().items()},
            lambda: self.time,
        )

    def _maker(self, make: Any) -> Any:
        def made(timeout: float) -> Any:
            self.asked += 1
            engine = make(timeout=timeout)
            engine.http_client = Inner(self.told)
            return engine

        return made

    def ask(self, engine: str = "mojeek") -> list[dict[str, str]]:
        return self.engines.ask(engine, "tides", 10)

    def failure(self, engine: str = "mojeek") -> SearchError:
        with pytest.raises(SearchError) as caught:
            self.ask(engine)
        return caught.value


@pytest.fixture
def http() -> Iterator[PlainHttp]:
    with opened() as client:
        yield PlainHttp(client)


# ---------------------------------------------------------------- one engine, by name


def test_the_call_is_journalled_under_engine_query_and_number(http: PlainHttp) -> None:
    rows = [{"title": TITLE, "href": ADDRESS, "body": SNIPPET}]
    found = search(http, SETTINGS, QUERY, engine="brave", client=lambda engine, query, limit: rows)
    assert found == (SearchResult(TITLE, ADDRESS, SNIPPET),)
    assert http.calls == [
        ("ddgs", {"engine": "brave", "query": QUERY.text, "max_results": 10}, "engine:brave")
    ]


def test_a_call_whose_time_is_up_is_a_failed_search(http: PlainHttp) -> None:
    def late(*_: Any) -> Any:
        raise FetchError(
            "This call reached its time limit.",
            kind="timeout",
            next_step="Ask for less at once.",
            ours=True,
        )

    with pytest.raises(SearchError) as caught:
        search(http, SETTINGS, QUERY, engine="brave", client=late)
    assert (caught.value.kind, caught.value.message) == (
        "timeout",
        "brave: This call reached its time limit.",
    )


@pytest.mark.parametrize("engine", sorted(load_text_engines()))
def test_only_the_engine_named_is_asked(httpserver: HTTPServer, engine: str) -> None:
    answer(httpserver, FOUND[engine])
    assert (
        len(EnginePool(rerouted(httpserver.url_for("").rstrip("/"))).ask(engine, "tides", 10)) == 1
    )
    searches = [
        request.path
        for request, _ in httpserver.log
        if request.args.get("action") != "query" and request.path != "/"
    ]
    own = {
        "duckduckgo": "/html/",
        "startpage": "/sp/search",
        "wikipedia": "/w/api.php",
        "grokipedia": "/api/typeahead",
    }
    assert searches == [own.get(engine, "/search")]


@pytest.mark.parametrize("name", ["auto", "all", "google", "bing", "duckduckgo,brave", ""])
def test_a_name_ddgs_does_not_know_is_never_taken_for_all_engines(name: str) -> None:
    world = World(Reply(FOUND["mojeek"]))
    assert world.failure(name).kind == "config"
    assert world.asked == 0


def test_results_stay_in_the_engine_s_order_and_stop_at_the_limit() -> None:
    hosts = [f"h{n}.example.org" for n in range(12)] + ["en.wikipedia.org"]
    items = "".join(f'<li><h2><a href="https://{host}/">{host}</a></h2></li>' for host in hosts)
    rows = World(Reply(f'<ul class="results">{items}</ul>')).engines.ask("mojeek", "tides", 10)
    assert [row["title"] for row in rows] == hosts[:10]


def test_a_row_without_an_address_among_others_is_left_out() -> None:
    assert [
        row["href"]
        for row in World(Reply(FOUND["mojeek"].replace("<li>", "<li>a heading</li><li>"))).ask()
    ] == [ADDRESS]


def test_the_changed_shape_of_a_row_is_a_bad_reply(http: PlainHttp) -> None:
    with pytest.raises(SearchError, match="'href'") as caught:
        search(
            http,
            SETTINGS,
            QUERY,
            engine="brave",
            client=lambda *_: [{"title": TITLE, "link": ADDRESS, "body": SNIPPET}],
        )
    assert caught.value.kind == "bad_reply"


def test_an_introduction_is_cut_to_the_length_of_a_snippet_and_loses_what_nobody_sees() -> None:
    body = json.dumps(
        {"results": [{"title": "Ti\ud800des", "snippet": "high\u200b tides " * 200, "slug": "x"}]}
    )
    (row,) = World(Reply(body)).ask("grokipedia")
    assert row["title"] == "Tides"
    assert row["body"].startswith("high tides")
    assert len(row["body"]) <= SNIPPET_LENGTH


# ---------------------------------------------------------------- failures


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (RatelimitException("slow down"), "rate_limited"),
        (TimeoutException("timed out"), "timeout"),
        (DDGSException("ConnectError: refused"), "network"),
    ],
)
def test_what_ddgs_raises_has_a_kind(raised: Exception, kind: str) -> None:
    error = World(raised).failure()
    assert error.kind == kind
    assert error.next_step
    assert "ConnectError" not in error.sentence()


def test_a_dead_address_is_a_failure() -> None:
    with serving(lambda connection: None) as server:
        origin = server.origin
    with pytest.raises(SearchError) as caught:
        EnginePool(rerouted(origin)).ask("duckduckgo", "tides", 10)
    assert caught.value.kind == "network"


def test_an_engine_that_stays_silent_times_out() -> None:
    with serving(lambda connection: time.sleep(60)) as server, pytest.raises(SearchError) as caught:
        EnginePool(rerouted(server.origin, timeout_s=0.2)).ask("duckduckgo", "tides", 10)
    assert caught.value.kind == "timeout"


@pytest.mark.parametrize("engine", ["duckduckgo", "brave", "mojeek", "yahoo", "startpage"])
@pytest.mark.parametrize(
    "puzzle",
    [
        '<div class="anomaly-modal">Select all ducks</div>',
        '<script src="captcha.js"></script><p>One moment</p>',
        "<p>Are you a robot?</p>",
    ],
)
def test_a_puzzle_for_people_is_a_refusal(engine: str, puzzle: str) -> None:
    assert World(Reply(puzzle)).failure(engine).kind == "blocked"


@pytest.mark.parametrize(
    "page",
    [
        "<script>const texts = {none: 'No results found'}</script><main></main>",
        "<script>'No results'</script><style>No results</style><noscript>No results</noscript><template>No results</template>",
        "<p>Welcome</p><p>In the end there were no results to speak of.</p>",
        "<!-- No results -->",
    ],
)
def test_words_nobody_reads_do_not_make_a_page_empty(page: str) -> None:
    assert World(Reply(page)).failure().kind == "bad_reply"


def test_the_introduction_of_a_page_that_fails_is_a_failure(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/w/api.php", query_string={"action": "query"}).respond_with_data(
        "", 429
    )
    httpserver.expect_oneshot_request("/w/api.php").respond_with_data(FOUND["wikipedia"])
    httpserver.expect_request("/w/api.php").respond_with_data("", 429)
    with pytest.raises(SearchError) as caught:
        EnginePool(rerouted(httpserver.url_for("").rstrip("/"))).ask("wikipedia", "tides", 10)
    assert caught.value.kind == "rate_limited"


@given(st.text(), st.sampled_from(sorted(load_text_engines())))
def test_any_page_is_rows_or_a_search_error(page: str, engine: str) -> None:
    try:
        rows = World(Reply(page)).ask(engine)
    except SearchError:
        return
    assert all(set(row) == {"title", "href", "body"} and row["href"] for row in rows)


# ---------------------------------------------------------------- back-off


def test_an_engine_that_refused_is_left_alone_for_longer_each_time() -> None:
    world = World(Reply("", 202))
    lengths = []
    for _ in range(6):
        assert world.failure().status == 202
        lengths.append(resting(world))
        world.time += lengths[-1]
    assert lengths == [REST_S, 2 * REST_S, 4 * REST_S, 8 * REST_S, REST_MAX_S, REST_MAX_S]
    assert world.asked == 6


def resting(world: World) -> float:
    error = world.failure()
    assert (error.kind, error.status) == ("rate_limited", None)
    assert error.retry_after is not None
    return error.retry_after


def test_one_engine_s_rest_is_not_another_s() -> None:
    world = World(Reply("", 429))
    world.failure("brave")
    world.told = Reply(FOUND["mojeek"])
    assert world.ask("mojeek")


def test_an_answer_ends_the_back_off() -> None:
    world = World(Reply("", 403))
    world.failure()
    world.time += REST_S
    world.told = Reply(NOTHING["mojeek"])
    assert world.ask() == []
    world.told = Reply("", 403)
    world.failure()
    assert resting(world) == REST_S


def test_refusals_of_calls_under_way_together_count_once() -> None:
    together = Barrier(4)

    class Late(Reply):
        @property
        def status_code(self) -> int:
            together.wait(LONG_S)
            return 429

    world = World(Late(""))
    with ThreadPoolExecutor(4) as pool:
        assert {error.status for error in pool.map(lambda _: world.failure(), range(4))} == {429}
    assert resting(world) == REST_S


@pytest.mark.parametrize("told", [Reply("", 500), Reply("<p>?</p>"), TimeoutException("timed out")])
def test_what_is_no_refusal_is_asked_again(told: Reply | Exception) -> None:
    world = World(told)
    world.failure()
    world.failure()
    assert world.asked == 2


# ---------------------------------------------------------------- parameters


class Recording(Inner):
    """ddgs's client that notes what it is asked, but for what an engine makes up anew each time."""

    def __init__(self) -> None:
        super().__init__(Reply(START))
        self.noted: list[str] = []

    def set_cookies(self, *given: Any) -> None:
        self.noted.append(repr(given))

    def request(self, method: str, url: str, **options: Any) -> Reply:
        self.noted.append(repr((method, url.partition(";")[0], options)))
        return super().request()


def noted(engine: str, query: WebQuery) -> list[str]:
    """What ddgs's own engine asks its service for this query."""
    client = Recording()

    def made(timeout: float) -> Any:
        one = load_text_engines()[engine](timeout=timeout)
        one.http_client = client
        return one

    words, how = build_engine_params(engine, query)
    with pytest.raises(SearchError):  # nobody answers
        EnginePool(lambda: {engine: made}).ask(engine, words, 10, **how)
    return client.noted


ALL = WebQuery(
    "tides", time_range="week", safe="high", language="de", country="at", site="example.org", exact_terms="high water",
    exclude_terms="surf, wind", sites=("a.org", "b.org/c"), cx="x", goggle="https://x.example/g",
)  # fmt: skip
USUAL = WebQuery("tides", language="en", country="us")
PARAMETERS = sorted(each.name for each in fields(WebQuery) if each.name not in UNIVERSAL_PARAMS)


@pytest.mark.parametrize("engine", sorted(load_text_engines()))
@pytest.mark.parametrize("name", PARAMETERS)
def test_an_engine_is_asked_for_what_it_goes_by_and_for_nothing_else(
    engine: str, name: str
) -> None:
    query = replace(USUAL, **{name: getattr(ALL, name)})
    heard = name in HONOURS[engine] and name not in list_unsupported_params(query, engine=engine)
    assert (noted(engine, query) != noted(engine, USUAL)) == heard


def test_every_engine_says_what_it_goes_by() -> None:
    assert set(HONOURS) == set(load_text_engines())
    assert {row.name: row.honours for row in PROVIDERS if row.name.startswith("ddgs:")} == {
        f"ddgs:{engine}": names for engine, names in HONOURS.items()
    }


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        ("mojeek", 'tides "high water" -surf -wind site:example.org'),
        ("startpage", 'tides "high water" -surf -wind site:example.org'),
        ("wikipedia", "tides"),
        ("grokipedia", "tides"),
    ],
)
def test_operators_go_to_engines_that_know_them_and_never_to_an_encyclopedia(
    engine: str, words: str
) -> None:
    assert build_engine_params(engine, ALL)[0] == words


def test_without_parameters_an_engine_is_asked_as_ever() -> None:
    assert {
        engine: build_engine_params(engine, WebQuery("tides")) for engine in HONOURS
    } == dict.fromkeys(HONOURS, ("tides", {}))


def test_a_year_is_never_narrowed_to_the_longest_span_that_yahoo_knows() -> None:
    assert build_engine_params("yahoo", WebQuery("tides", time_range="month")) == (
        "tides",
        {"timelimit": "m"},
    )
    assert build_engine_params("yahoo", WebQuery("tides", time_range="year")) == ("tides", {})


def test_what_an_engine_is_asked_is_in_the_key(http: PlainHttp) -> None:
    given: list[dict[str, str]] = []

    def ask(engine: str, words: str, limit: int, **how: str) -> list[dict[str, str]]:
        given.append(how)
        return [{"title": TITLE, "href": ADDRESS, "body": SNIPPET}]

    search(
        http, SETTINGS, replace(ALL, country="gb", language="en"), engine="duckduckgo", client=ask
    )
    how = {"region": "uk-en", "timelimit": "w"}
    assert given == [how]
    assert http.calls[0][1] == {
        "engine": "duckduckgo",
        "query": 'tides "high water" -surf -wind site:example.org',
        "max_results": 10,
        **how,
    }


@pytest.mark.parametrize(
    ("engine", "given", "told"),
    [
        ("duckduckgo", {"language": "de"}, ["language"]),
        ("duckduckgo", {"language": "de", "country": "at"}, []),
        ("duckduckgo", {"language": "fr", "country": "at"}, ["language"]),
        ("duckduckgo", {"country": "li"}, ["country"]),
        ("duckduckgo", {"time_range": "hour"}, ["time_range"]),
        ("startpage", {"time_range": "hour", "language": "de"}, ["time_range"]),
        ("brave", {"time_range": "day", "safe": "medium"}, []),
        ("mojeek", {"safe": "medium"}, ["safe"]),
        ("yahoo", {"time_range": "month"}, []),
        ("yahoo", {"time_range": "year"}, ["time_range"]),
    ],
)
def test_values_that_an_engine_cannot_go_by_are_told(
    engine: str, given: dict[str, str], told: list[str]
) -> None:
    query = replace(WebQuery("tides"), **given)  # type: ignore[arg-type]
    assert [
        name for name in list_unsupported_params(query, engine=engine) if getattr(query, name)
    ] == told
