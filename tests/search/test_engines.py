"""One engine asked once, in each of its five states, and several engines' lists merged into one."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import ERROR_KINDS, CallForbidden, CapReached, SearchError, Stopped
from research_core.journal.deps import Deps, Provider
from research_core.models import EngineOutcome, LinkCounts, SearchQuery, SearchResult
from research_core.search.engines import ask_engine, merge_results
from research_core.search.queries import WebQuery
from research_core.settings import Settings

QUERY = SearchQuery("which bay has the highest tides", 0)
SETTINGS = Settings(home=Path("unused"), database_url="")


@dataclass(frozen=True)
class Asked:
    """What `Http.for_service` gives here: whom it was for."""

    service: str
    how: dict[str, float]

    def release_answers(self) -> None: ...


#: All that `ask` looks at: what it hands to the engine.
DEPS = cast(
    Deps,
    SimpleNamespace(
        http=SimpleNamespace(for_service=lambda service, **how: Asked(service, how)),
        settings=SETTINGS,
    ),
)


def engine(answer: Sequence[SearchResult] | BaseException, name: str = "one") -> Provider:
    def search(http: Any, settings: Settings, query: WebQuery) -> Sequence[SearchResult]:
        assert (http, settings, query) == (
            Asked(name, {"pace_s": 0.0, "ttl_s": 0.0}),
            SETTINGS,
            WebQuery(QUERY.text),
        )
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return Provider(name, "web", search)


def found(*urls: str, engine: str = "one") -> tuple[SearchResult, ...]:
    return tuple(SearchResult(f"Title of {url}", url, "A snippet.", engine) for url in urls)


def outcome(engine: str, *urls: str) -> EngineOutcome:
    return EngineOutcome(engine, "answered" if urls else "empty", found(*urls, engine=engine))


# ---------------------------------------------------------------- ask


def test_an_answer_carries_the_engine_s_name_and_canonical_addresses() -> None:
    answer = [
        SearchResult(
            "Tides", "HTTPS://Tides.Example.org:443/bay?utm_source=x#top", "High.", "", "2024-05-01"
        )
    ]
    tides = SearchResult("Tides", "https://tides.example.org/bay", "High.", "one", "2024-05-01")
    assert ask_engine(engine(answer), QUERY, DEPS) == EngineOutcome("one", "answered", (tides,))


def test_an_own_document_has_no_web_address_and_stays() -> None:
    assert ask_engine(engine(found("document:abc")), QUERY, DEPS).results == found("document:abc")


def test_nothing_found_is_empty() -> None:
    assert ask_engine(engine([]), QUERY, DEPS) == EngineOutcome("one", "empty")


STATES = {
    "rate_limited": "refused",
    "circuit_open": "refused",
    "blocked": "refused",
    "auth_required": "refused",
    "timeout": "timed_out",
}


@pytest.mark.parametrize("kind", ERROR_KINDS)
def test_a_failure_is_a_state_with_its_reason_and_never_an_empty_list(kind: str) -> None:
    said = ask_engine(
        engine(SearchError("It failed.", kind=kind, next_step="Try another.")), QUERY, DEPS
    )
    assert said == EngineOutcome("one", STATES.get(kind, "failed"), (), "It failed. Try another.")


@pytest.mark.parametrize(
    "error",
    [
        Stopped("cancel"),
        CapReached("calls", "Enough."),
        CallForbidden("Unknown."),
        ZeroDivisionError("a bug"),
    ],
)
def test_a_cancel_a_cap_and_a_bug_pass_through(error: BaseException) -> None:
    with pytest.raises(type(error)):
        ask_engine(engine(error), QUERY, DEPS)


WRAPPED = "https://www.google.com/url?q=https%3A%2F%2FTides.example.org%2Fbay%23top"
PAID_LINK = "https://www.bing.com/aclk?ld=x"


def test_redirects_are_unwrapped_and_advertisements_dropped_and_both_counted() -> None:
    said = ask_engine(engine(found(WRAPPED, PAID_LINK, "https://b.example.org/")), QUERY, DEPS)
    assert [result.url for result in said.results] == [
        "https://tides.example.org/bay",
        "https://b.example.org/",
    ]
    assert (said.state, said.links) == ("answered", LinkCounts(1, 1))


def test_an_answer_of_advertisements_alone_is_empty_and_says_so() -> None:
    said = ask_engine(engine(found(PAID_LINK, PAID_LINK)), QUERY, DEPS)
    assert (said.state, said.results, said.links) == ("empty", (), LinkCounts(0, 2))


BAD = [
    "",
    "javascript:alert(1)",
    "/relative",
    "ftp://files.example.org/",
    "http://",
    "https://a.example.org\\@evil.example.com/",
    "http://[::1",
]


@pytest.mark.parametrize("bad", BAD)
def test_an_address_that_cannot_be_used_is_dropped(bad: str) -> None:
    answer = [
        *found("https://a.example.org/"),
        SearchResult("Bad", bad, ""),
        *found("https://b.example.org/"),
    ]
    assert [result.url for result in ask_engine(engine(answer), QUERY, DEPS).results] == [
        "https://a.example.org/",
        "https://b.example.org/",
    ]


def test_an_answer_of_which_no_address_can_be_used_is_a_failure() -> None:
    said = ask_engine(engine(found("javascript:alert(1)", "/relative")), QUERY, DEPS)
    assert (said.state, said.results) == ("failed", ())
    assert "2 addresses" in said.reason


def test_characters_that_cannot_be_stored_or_seen_are_removed() -> None:
    (result,) = ask_engine(
        engine([SearchResult("Ti\ud800des\x00", "https://a.example.org/", "hi\u202egh\u200b")]),
        QUERY,
        DEPS,
    ).results
    assert (result.title, result.snippet) == ("Tides", "high")


# ---------------------------------------------------------------- merge

A, B, C, D = (f"https://{name}.example.org/" for name in "abcd")


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ([], []),
        ([[]], []),
        ([[A, B], [C, D]], [A, C, B, D]),
        ([[A], [B, C, D]], [A, B, C, D]),
        ([[], [B, C], [A]], [B, A, C]),
        ([[A, B], [B, A]], [A, B]),
        ([[A, B, C], [A], [D]], [A, D, B, C]),
        ([[A, A, B]], [A, B]),
    ],
)
def test_lists_are_merged_row_by_row_each_address_once(
    lists: list[list[str]], expected: list[str]
) -> None:
    assert [
        result.url
        for result in merge_results([outcome(f"e{n}", *urls) for n, urls in enumerate(lists)])
    ] == expected


def test_of_one_address_the_earlier_engine_s_result_stays() -> None:
    assert [
        result.engine for result in merge_results([outcome("first", B, A), outcome("second", A)])
    ] == [
        "first",
        "second",
    ]


def test_a_failed_engine_takes_nothing_from_the_others() -> None:
    assert merge_results(
        [EngineOutcome("broken", "failed", reason="x"), outcome("well", A)]
    ) == found(A, engine="well")


@given(st.lists(st.lists(st.sampled_from([A, B, C, D]), max_size=6), max_size=4))
def test_a_merge_loses_nothing_repeats_nothing_and_is_the_same_each_time(
    lists: list[list[str]],
) -> None:
    outcomes = [outcome(f"e{n}", *urls) for n, urls in enumerate(lists)]
    merged = [result.url for result in merge_results(outcomes)]
    assert sorted(merged) == sorted({url for urls in lists for url in urls})
    assert merge_results(outcomes) == merge_results(outcomes)


def test_who_answers_first_does_not_matter() -> None:
    engines = [
        engine(found(*urls), name) for name, urls in {"x": (A, B), "y": (C,), "z": (B, D)}.items()
    ]
    with ThreadPoolExecutor(3) as pool:
        backwards = list(pool.map(lambda one: ask_engine(one, QUERY, DEPS), reversed(engines)))
    assert [result.url for result in merge_results(backwards[::-1])] == [A, C, B, D]
