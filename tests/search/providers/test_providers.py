"""The table of engines, and what every row of it must make of a bad answer."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from research_core.errors import SearchError, SettingsError, UsageError
from research_core.journal.deps import Provider
from research_core.models import SearchResult
from research_core.search.providers import (
    PROVIDERS,
    list_available_rows,
    list_rows_of_kind,
    select_configured_rows,
)
from research_core.search.providers.ddgs import EnginePool, load_text_engines
from research_core.search.queries import WebQuery
from research_core.settings import Settings
from tests.local_web import opened, respond, serving
from tests.search_web import (
    ADDRESS,
    FOUND,
    NOTHING,
    SNIPPET,
    TITLE,
    PlainHttp,
    answer,
    rerouted,
    with_searxng,
)

QUERY = WebQuery("which bay has the highest tides")
FULL = {
    **FOUND,
    "searxng": f'{{"results": [{{"url": "{ADDRESS}", "title": "{TITLE}", "content": "{SNIPPET}"}}]}}',
}
EMPTY = {**NOTHING, "searxng": '{"results": [], "unresponsive_engines": []}'}
CHANGED = f'<main><article data-link="{ADDRESS}">{TITLE}. There are no results that say more.</article></main>'

#: The rows that speak to a server in their own way; what the others make of answers is in
#: test_contract.
OWN = tuple(
    row
    for row in PROVIDERS
    if row.name.startswith("ddgs:") or (row.name, row.kind) == ("searxng", "web")
)
each_row = pytest.mark.parametrize("row", OWN, ids=lambda row: row.name)


def run(row: Provider, origin: str) -> tuple[SearchResult, ...]:
    """One search by this row, whatever it asks led to this origin."""
    search: Any = row.search
    if row.name.startswith("ddgs:"):
        search = partial(search, client=EnginePool(rerouted(origin)).ask)
    with opened(allowed_endpoints=frozenset({origin})) as client:
        return tuple(search(PlainHttp(client), with_searxng(origin), QUERY))


def engine(row: Provider) -> str:
    return row.name.removeprefix("ddgs:")


@each_row
def test_a_good_answer_is_read(row: Provider, httpserver: HTTPServer) -> None:
    answer(httpserver, FULL[engine(row)])
    (result,) = run(row, httpserver.url_for("").rstrip("/"))
    url = "https://grokipedia.com/page/Tides" if engine(row) == "grokipedia" else ADDRESS
    assert (result.title, result.url) == (TITLE, url)
    assert SNIPPET in result.snippet


@each_row
def test_an_answer_that_says_there_is_nothing_is_empty(
    row: Provider, httpserver: HTTPServer
) -> None:
    answer(httpserver, EMPTY[engine(row)])
    assert run(row, httpserver.url_for("").rstrip("/")) == ()


KINDS = {
    400: "bad_reply",
    408: "timeout",
    429: "rate_limited",
    500: "upstream_unavailable",
    503: "upstream_unavailable",
    504: "timeout",
}


@each_row
@pytest.mark.parametrize(("status", "kind"), KINDS.items())
def test_a_bad_status_is_a_failure_with_its_kind(
    row: Provider, httpserver: HTTPServer, status: int, kind: str
) -> None:
    answer(httpserver, EMPTY[engine(row)], status)
    with pytest.raises(SearchError) as caught:
        run(row, httpserver.url_for("").rstrip("/"))
    assert (caught.value.kind, caught.value.status) == (kind, status)


@each_row
@pytest.mark.parametrize("status", [202, 401, 403])
def test_a_refusal_is_no_empty_answer(row: Provider, httpserver: HTTPServer, status: int) -> None:
    answer(httpserver, EMPTY[engine(row)], status)
    with pytest.raises(SearchError) as caught:
        run(row, httpserver.url_for("").rstrip("/"))
    ours = "bad_reply" if status == 202 else "auth_required"
    assert caught.value.kind == (
        ours if row.name == "searxng" else "rate_limited" if status == 202 else "blocked"
    )
    assert caught.value.next_step or caught.value.kind == "bad_reply"


MARKUP = ["", " ", "<html></html>", "<h1>Welcome</h1>", CHANGED, b"\xff\xfe\x00", "\x00"]
NO_MARKUP = ["{}", "[]", "null", "1", '"', "{", "[" * 100_000]


@each_row
@pytest.mark.parametrize("body", [*MARKUP, *NO_MARKUP])
def test_an_answer_of_another_shape_is_a_bad_reply(
    row: Provider, httpserver: HTTPServer, body: str | bytes
) -> None:
    answer(httpserver, body)
    with pytest.raises(SearchError) as caught:
        run(row, httpserver.url_for("").rstrip("/"))
    assert caught.value.kind == "bad_reply"


@each_row
def test_an_answer_cut_short_is_a_failure(row: Provider) -> None:
    body = FULL[engine(row)].encode()
    with (
        serving(respond(f"Content-Length: {len(body) + 10}\r\n", body)) as server,
        pytest.raises(SearchError) as caught,
    ):
        run(row, server.origin)
    assert caught.value.kind in {"network", "bad_reply"}


@each_row
def test_a_server_that_hangs_up_is_a_failure(row: Provider) -> None:
    with (
        serving(lambda connection: connection.close()) as server,
        pytest.raises(SearchError) as caught,
    ):
        run(row, server.origin)
    assert caught.value.kind == "network"
    assert caught.value.next_step


# ---------------------------------------------------------------- the table


def settings(**options: object) -> Settings:
    return Settings(home=Path("unused"), database_url="", **options)  # type: ignore[arg-type]


def names(rows: tuple[Provider, ...]) -> list[str]:
    return [row.name for row in rows]


def test_the_table_names_every_text_engine_of_ddgs_and_no_other() -> None:
    assert {engine(row) for row in PROVIDERS if row.name.startswith("ddgs:")} == set(
        load_text_engines()
    )


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["ddgs:duckduckgo", "ddgs:brave", "ddgs:mojeek", "ddgs:wikipedia"]),
        ({"ddgs_engines": ("mojeek", "duckduckgo")}, ["ddgs:mojeek", "ddgs:duckduckgo"]),
        ({"ddgs_engines": (), "searxng_url": "http://localhost:8888"}, ["searxng"]),
        (
            {"ddgs_engines": ("brave", "brave"), "searxng_url": "http://localhost:8888"},
            ["searxng", "ddgs:brave"],
        ),
        ({"ddgs_engines": ()}, []),
    ],
)
def test_available_are_those_the_settings_allow_in_their_order(
    options: dict[str, object], expected: list[str]
) -> None:
    assert names(list_available_rows(settings(**options))) == expected


def test_an_engine_of_the_settings_that_nobody_knows_is_named() -> None:
    with pytest.raises(SettingsError, match=r"ASSAY_DDGS_ENGINES.*'ddgs:googol'") as caught:
        list_available_rows(settings(ddgs_engines=("googol",)))
    assert "duckduckgo, brave" in caught.value.next_step
    assert "searxng" not in caught.value.next_step


def test_named_gives_rows_in_the_order_asked_for() -> None:
    assert names(
        select_configured_rows(
            ["searxng", "ddgs:yahoo", "searxng"], settings(searxng_url="http://localhost:8888")
        )
    ) == ["searxng", "ddgs:yahoo"]
    assert select_configured_rows([], settings()) == ()


@pytest.mark.parametrize("unknown", ["ddgs:auto", "auto", "ddgs", "", "library"])
def test_an_unknown_name_is_answered_with_the_known_ones(unknown: str) -> None:
    with pytest.raises(UsageError, match="Unknown provider") as caught:
        select_configured_rows(["ddgs:brave", unknown], settings())
    assert all(row.name in caught.value.next_step for row in list_rows_of_kind("web"))


def test_a_row_without_its_setting_says_which_one() -> None:
    with pytest.raises(SettingsError, match="searxng needs SEARXNG_URL"):
        select_configured_rows(["searxng"], settings())


KEYED = {
    "brave_api_key": "x",
    "serper_api_key": "x",
    "searchapi_api_key": "x",
    "tavily_api_key": "x",
    "exa_api_key": "x",
}
PAID = {
    **KEYED,
    "google_api_key": "x",
    "google_engine": "x",
    "searxng_url": "http://localhost:8888",
}
SERVICES = ["brave", "serper", "searchapi", "tavily", "exa", "google"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("web", [*(name for name in SERVICES if name != "exa"), "searxng", "ddgs:mojeek"]),
        ("news", [*SERVICES, "searxng"]),
        ("images", ["brave", "serper", "searchapi", "google", "searxng"]),
    ],
)
def test_services_of_one_s_own_come_first_in_one_order_for_every_kind(
    kind: str, expected: list[str]
) -> None:
    assert names(list_available_rows(settings(ddgs_engines=("mojeek",), **PAID), kind)) == expected


@pytest.mark.parametrize(
    ("kind", "name"),
    [("web", "duckduckgo"), ("web", "hackernews"), ("news", "hackernews"), ("web", "exa")],
)
def test_what_is_asked_only_by_name_is_there_by_name(kind: str, name: str) -> None:
    assert name not in names(list_available_rows(settings(**PAID), kind))
    assert names(select_configured_rows([name], settings(**PAID), kind)) == [name]
