"""What every provider must make of its service's answers: the good one, the empty one, and each
kind of bad one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from research_core.errors import FetchError, SearchError
from research_core.search.providers import KINDS, PROVIDERS, select_rows
from research_core.search.queries import UNIVERSAL_PARAMS, set_params
from research_core.text.words import format_count
from research_core.tools.failures import add_advice
from tests.contracts import (
    Body,
    Case,
    Service,
    arxiv,
    brave,
    cases,
    configured,
    crossref,
    datacite,
    duckduckgo,
    encoded,
    exa,
    filings,
    google,
    hackernews,
    openalex,
    patents,
    pubmed,
    searchapi,
    searxng,
    semanticscholar,
    series,
    serper,
    tavily,
    trials,
)
from tests.rows import over_rows

CASES = (
    *exa.CASES,
    *brave.CASES,
    *google.CASES,
    *serper.CASES,
    *searchapi.CASES,
    *tavily.CASES,
    *searxng.CASES,
    *duckduckgo.CASES,
    *hackernews.CASES,
    *crossref.CASES,
    *datacite.CASES,
    *patents.CASES,
    *filings.CASES,
    *cases.CASES,
    *trials.CASES,
    *series.CASES,
    *arxiv.CASES,
    *openalex.CASES,
    *pubmed.CASES,
    *semanticscholar.CASES,
)
#: Rows that are tested with servers of their own: they speak through another client.
ELSEWHERE = frozenset(row.name for row in PROVIDERS if row.name.startswith("ddgs:"))

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


def run(
    case: Case, answers: Sequence[tuple[str, Body]], status: int = 200, **headers: str
) -> tuple[tuple[Any, ...], Service]:
    (row,) = select_rows([case.name], case.kind)
    service = Service(answers, status, {**case.headers, **headers})
    return tuple(row.search(service, configured(**case.settings), case.query)), service  # type: ignore[arg-type]


def spoiled(case: Case, body: Body) -> list[tuple[str, Body]]:
    """The answers with this body in place of every one that matters."""
    return [(part, answer if part in case.spared else body) for part, answer in case.answers]


def failure(
    case: Case, answers: Sequence[tuple[str, Body]], status: int = 200, **headers: str
) -> SearchError:
    with pytest.raises(SearchError) as caught:
        run(case, answers, status, **headers)
    assert add_advice(caught.value, "", ()).next_step, "nobody is told what to do about it"
    return caught.value


def test_every_row_has_a_case_and_every_case_a_row() -> None:
    assert {(case.name, case.kind) for case in CASES} == {
        (row.name, row.kind) for row in PROVIDERS if row.name not in ELSEWHERE
    }


@each_case
def test_a_good_answer_is_read(case: Case) -> None:
    found, _ = run(case, case.answers)
    assert list(found) == list(case.expect)


@each_case
def test_an_answer_that_says_there_is_nothing_is_empty(case: Case) -> None:
    found, _ = run(case, case.nothing)
    assert found == ()


STATUSES = {
    429: "rate_limited", 401: "auth_required", 402: "auth_required", 403: "auth_required", 408: "timeout",
    500: "upstream_unavailable", 503: "upstream_unavailable", 504: "timeout",
}  # fmt: skip


#: Answers of services that say how much they found, by a count, with nothing of it. The others do
#: not, or have tests of their own.
COUNTED: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(
        ("web:google", "news:google", "images:google"),
        lambda count: {"searchInformation": {"totalResults": count}},
    ),
    **dict.fromkeys(
        ("web:hackernews", "news:hackernews"), lambda count: {"nbHits": count, "hits": []}
    ),
    "papers:openalex": lambda count: {"meta": {"count": count}, "results": []},
    "papers:semanticscholar": lambda count: {"total": count, "data": []},
    "papers:crossref": lambda count: {"message": {"total-results": count, "items": []}},
    "papers:datacite": lambda count: {"meta": {"total": count}, "data": []},
}


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.id in COUNTED], ids=lambda case: case.id
)
def test_a_count_of_something_without_a_list_of_it_is_no_empty_answer(case: Case) -> None:
    ((part, _),) = case.nothing
    for count in (1, 12_300, "12300"):
        assert (
            f"it counts {format_count(int(count), 'result')} and lists none"
            in failure(case, [(part, COUNTED[case.id](count))]).message
        )
    for nothing in (0, "0", None):
        assert run(case, [(part, COUNTED[case.id](nothing))])[0] == ()


@each_case
@over_rows(("status", "kind"), STATUSES.items())
def test_a_bad_status_is_a_failure_with_its_kind(case: Case, status: int, kind: str) -> None:
    error = failure(case, case.answers, status, **{"retry-after": "7"})
    assert (error.kind, error.status, error.retry_after) == (kind, status, 7.0)


@each_case
@over_rows(
    "body",
    [
        "",
        " ",
        "<html><h1>Welcome</h1></html>",
        "{}",
        "[]",
        "null",
        "1",
        '"',
        "[" * 100_000,
        b"\xff\xfe\x00",
        '{"unheard": [{"of": 1}]}',
    ],
)
def test_an_answer_of_another_shape_is_a_bad_reply(case: Case, body: str | bytes) -> None:
    assert failure(case, spoiled(case, body)).kind == "bad_reply"


@each_case
@over_rows(
    "kind",
    [
        "network",
        "timeout",
        "upstream_unavailable",
        "circuit_open",
        "too_large",
        "validation",
        "blocked",
        "config",
    ],
)
def test_a_service_that_cannot_be_reached_is_a_failure_of_that_kind_and_says_what_to_do(
    case: Case, kind: str
) -> None:
    (row,) = select_rows([case.name], case.kind)
    service = Service([(part, FetchError("No.", kind=kind)) for part, _ in case.answers])
    with pytest.raises(SearchError) as caught:
        row.search(service, configured(**case.settings), case.query)  # type: ignore[arg-type]
    assert caught.value.kind == kind
    assert add_advice(caught.value, "", ()).next_step


@each_case
def test_an_answer_cut_short_is_a_bad_reply(case: Case) -> None:
    part, body = case.answers[0]
    cut = [(part, encoded(body)[: len(encoded(body)) // 2]), *case.answers[1:]]
    assert failure(case, cut).kind == "bad_reply"


@each_case
def test_no_answer_of_another_shape_breaks_it(case: Case) -> None:
    """Each value of the answer in turn is another type: what is made of it is a failure of its
    kind, or records all the same.
    """
    for part, body in case.answers:
        if isinstance(body, (str, bytes)):
            continue
        for changed in _changed(body):
            _, kind = outcome(
                case, [(each, changed if each == part else answer) for each, answer in case.answers]
            )
            assert kind in ("", "bad_reply"), json.dumps(changed)


@each_case
def test_a_row_honours_only_parameters_that_there_are_and_each_of_them_changes_something(
    case: Case,
) -> None:
    """What a row does not honour is told by its tool; what it claims to honour alters what is
    asked, or which records are kept.
    """
    (row,) = select_rows([case.name], case.kind)
    usual = KINDS[case.kind].query(case.query.text)
    assert row.honours <= set(KINDS[case.kind].query.__dataclass_fields__) - UNIVERSAL_PARAMS
    for name in sorted(row.honours & set(set_params(case.query))):
        without, alone = (
            replace(case.query, **{name: getattr(usual, name)}),
            replace(usual, **{name: getattr(case.query, name)}),
        )
        pairs = (
            (case.query, without),
            (alone, usual),
        )  # alone, where another one of the query stands above it, as `site` above `sites`
        changes = [
            outcome(replace(case, query=one), case.answers)
            != outcome(replace(case, query=other), case.answers)
            for one, other in pairs
        ]
        assert any(changes), f"{name} changes nothing of {case.id}"


def test_every_parameter_that_a_row_honours_is_set_by_one_of_its_cases() -> None:
    tried = {(case.name, case.kind, name) for case in CASES for name in set_params(case.query)}
    assert {
        (row.name, row.kind, name)
        for row in PROVIDERS
        for name in row.honours
        if row.name not in ELSEWHERE
    } <= tried


def outcome(case: Case, answers: Sequence[tuple[str, Body]]) -> tuple[Any, str]:
    """(what was found and asked, "" or the kind of the failure)."""
    try:
        found, service = run(case, answers)
        return (found, [repr(asked) for asked in service.asked]), ""
    except SearchError as error:
        return None, error.kind


def _changed(body: Any) -> list[Any]:
    """The body with one value, or one whole part, of another type."""
    if isinstance(body, dict):
        return [
            *({**body, name: other} for name, value in body.items() for other in _changed(value)),
            None,
            [],
            "text",
        ]
    if isinstance(body, list):
        return [
            *(
                [*body[:n], other, *body[n + 1 :]]
                for n, value in enumerate(body)
                for other in _changed(value)
            ),
            None,
            {},
            "text",
        ]
    return [None, 7, True, "", {"of": 1}, [1]]
