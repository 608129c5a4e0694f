"""Unpaywall: whether a work is open and where its PDF is, from written and recorded replies; what
it does not know is not "closed".
"""

from __future__ import annotations

from typing import Any

import pytest

from research_core.errors import SearchError
from research_core.search.providers.unpaywall import find_best_pdf
from tests.contracts import Service
from tests.tool_calls_made import for_each_recorded

OPEN = {"is_oa": True, "best_oa_location": {"url_for_pdf": "https://repository.example/tea.pdf"}}


def asked(
    body: Any, status: int = 200, doi: str = "10.1/Tea"
) -> tuple[tuple[bool, str] | None, Service]:
    service = Service([("api.unpaywall.org/v2/", body)], status)
    return find_best_pdf(service, "a@b.example", doi), service  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (OPEN, (True, "https://repository.example/tea.pdf")),
        (
            {
                "is_oa": True,
                "best_oa_location": {
                    "url_for_pdf": None,
                    "url_for_landing_page": "https://a.example",
                },
            },
            (True, ""),
        ),
        ({"is_oa": False, "best_oa_location": None}, (False, "")),
        ({"is_oa": True, "best_oa_location": {"url_for_pdf": "javascript:alert(1)"}}, (True, "")),
    ],
)
def test_a_work_is_open_or_not_with_its_best_pdf(body: Any, found: tuple[bool, str]) -> None:
    assert asked(body)[0] == found


def test_it_is_asked_by_the_doi_with_an_address_that_no_log_keeps() -> None:
    _, service = asked(OPEN, doi="10.1002/(SICI)1<1::A>3.0.CO;2-8")
    ((method, url, options),) = service.asked
    assert (method, url) == (
        "GET",
        "https://api.unpaywall.org/v2/10.1002/%28sici%291%3C1%3A%3Aa%3E3.0.co%3B2-8",
    )
    assert options["params"] == {"email": "a@b.example"}


def test_a_doi_it_does_not_know_is_neither_open_nor_closed() -> None:
    assert asked({"error": True, "message": "not found"}, 404)[0] is None
    with pytest.raises(
        SearchError
    ) as caught:  # a page says that the service has moved, not that it does not know the DOI
        asked("<!doctype html><title>Not Found</title>", 404)
    assert caught.value.kind == "config"


@pytest.mark.parametrize(
    ("status", "kind"), [(422, "bad_reply"), (429, "rate_limited"), (500, "upstream_unavailable")]
)
def test_a_refusal_is_a_failure(status: int, kind: str) -> None:
    with pytest.raises(SearchError) as caught:
        asked({"message": "Please use your own email address"}, status)
    assert caught.value.kind == kind
    assert "your own email" in caught.value.message


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>",
        {},
        [],
        {"is_oa": None},
        {"is_oa": "yes"},
        {"is_oa": True, "best_oa_location": {"url_for_pdf": [1]}},
    ],
)
def test_another_shape_is_a_bad_reply(body: Any) -> None:
    with pytest.raises(SearchError) as caught:
        asked(body)
    assert caught.value.kind == "bad_reply"


@for_each_recorded(
    "unpaywall_doi_1.json", "unpaywall_doi_3.json", "unpaywall_doi_4.json", "unpaywall_doi_5.json"
)
def test_recorded_answers_are_read(body: bytes, name: str) -> None:
    expected = {
        "unpaywall_doi_1.json": (True, ""),
        "unpaywall_doi_3.json": (True, ""),
        "unpaywall_doi_4.json": (False, ""),
        "unpaywall_doi_5.json": (False, ""),
    }
    assert asked(body)[0] == expected[name]


@for_each_recorded("unpaywall_search_1.json", "unpaywall_search_2.json", "unpaywall_search_3.json")
def test_a_recorded_answer_to_another_question_is_no_work(body: bytes, name: str) -> None:
    """They are Unpaywall's search, which nobody here asks: read as a work, it is a bad reply and
    not a closed one.
    """
    with pytest.raises(SearchError):
        asked(body)
