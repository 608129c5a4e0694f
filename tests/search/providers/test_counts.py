"""An answer that says it found something and lists nothing, or what cannot be held against what was
asked, is a failure, never empty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from research_core.errors import SearchError
from research_core.search.providers import (
    courtlistener,
    edgar,
    epo,
    eurostat,
    fred,
    lens,
    oecd,
    searchapi_patents,
    uspto,
    worldbank,
)
from research_core.search.providers.counts import check_not_empty, parse_count
from research_core.search.queries import CaseQuery, FilingQuery, SeriesQuery
from tests.contracts import Service, configured
from tests.contracts.filings import COMPANIES
from tests.contracts.patents import ALL, DOCUMENT, GOOGLE, LENS, US, office

KEYS = {
    "searchapi_api_key": "k",
    "lens_api_token": "k",
    "uspto_api_key": "k",
    "epo_key": "k",
    "epo_secret": "k",
    "fred_api_key": "k",
}
TEXTS, CASES, NAMES, ONE = (
    FilingQuery("tea prices in a year"),
    CaseQuery("tea"),
    SeriesQuery("tea"),
    SeriesQuery("A.B", series_id="A.B"),
)
OF_US = replace(ALL, patent_office="US", cpc_code="")
SHARDS = {"total": 50, "successful": 10, "failed": 40}


def asked(search: Callable[..., Any], query: Any, body: Any, status: int = 200) -> Any:
    return search(
        Service([("company_tickers", COMPANIES), ("", body)], status), configured(**KEYS), query
    )


def unfiled(body: dict[str, Any], bag: str, *path: str) -> dict[str, Any]:
    """The answer with the first of its rows without the field at this path."""
    (row,) = body[bag]
    return {**body, bag: [_without(row, *path)]}


def _without(row: dict[str, Any], *path: str) -> dict[str, Any]:
    first, *rest = path
    return {
        name: _without(each, *rest) if name == first else each
        for name, each in row.items()
        if rest or name != first
    }


LOST: dict[str, tuple[Callable[..., Any], Any, Any]] = {
    "edgar": (edgar.search, TEXTS, {"hits": {"total": {"value": 70}, "hits": []}}),
    "searchapi": (
        searchapi_patents.search,
        ALL,
        {"search_information": {"total_results": 50}, "organic_results": []},
    ),
    "lens": (lens.search, ALL, {"total": 50, "data": []}),
    "uspto": (uspto.search, OF_US, {"count": 9, "patentFileWrapperDataBag": []}),
    "courtlistener": (courtlistener.search, CASES, {"count": 40, "next": None, "results": []}),
    "fred": (fred.search, NAMES, {"count": 40, "seriess": []}),
    "fred's observations": (fred.search, ONE, {"count": 40, "observations": []}),
    "worldbank, none": (worldbank.search, ONE, [{"page": 1, "pages": 1, "total": 60}, []]),
    "worldbank, some": (
        worldbank.search,
        ONE,
        [{"page": 1, "pages": 1, "total": "60"}, [{"date": "2020", "value": 1}]],
    ),
    "worldbank's catalogue": (worldbank.search, NAMES, [{"page": 1, "pages": 1, "total": 0}, []]),
    "oecd's catalogue": (oecd.search, NAMES, {"data": {"dataflows": []}}),
    "eurostat's catalogue": (eurostat.search, NAMES, "title\tcode\ttype\n"),
    "searchapi's days": (
        searchapi_patents.search,
        ALL,
        unfiled(GOOGLE, "organic_results", "filing_date"),
    ),
    "lens's days": (lens.search, ALL, unfiled(LENS, "data", "biblio", "application_reference")),
    "uspto's days": (
        uspto.search,
        OF_US,
        unfiled(US, "patentFileWrapperDataBag", "applicationMetaData", "filingDate"),
    ),
    "epo's days": (
        epo.search,
        ALL,
        office(DOCUMENT.replace("application-reference", "application-ref")),
    ),
}


@pytest.mark.parametrize(("search", "query", "body"), LOST.values(), ids=LOST)
def test_what_was_found_and_did_not_come_is_a_bad_reply(
    search: Callable[..., Any], query: Any, body: Any
) -> None:
    with pytest.raises(SearchError) as caught:
        asked(search, query, body)
    assert caught.value.kind == "bad_reply"


@pytest.mark.parametrize(
    "about",
    [{"timed_out": True}, {"timed_out": False, "_shards": SHARDS}],
    ids=["in time", "in part"],
)
def test_a_search_of_filings_that_was_broken_off_is_an_outage(about: dict[str, Any]) -> None:
    for found in (0, 1):
        hits = [
            {
                "_id": "0001234567-24-000005:a.htm",
                "_source": {"ciks": ["1"], "form": "10-K", "file_date": "2024-02-20"},
            }
        ] * found
        with pytest.raises(SearchError, match="could not search all filings") as caught:
            asked(edgar.search, TEXTS, {**about, "hits": {"total": {"value": found}, "hits": hits}})
        assert caught.value.kind == "upstream_unavailable"


def test_a_patent_without_a_day_of_filing_is_passed_over_beside_others_that_have_one() -> None:
    (row,) = GOOGLE["organic_results"]
    body = {
        **GOOGLE,
        "organic_results": [
            _without({**row, "publication_number": "EP7654321A1"}, "filing_date"),
            row,
        ],
    }
    assert [each.number for each in asked(searchapi_patents.search, ALL, body)] == ["EP1234567B1"]
    anytime = replace(ALL, year_from=0, year_to=0)
    assert [each.filed for each in asked(searchapi_patents.search, anytime, body)] == [
        "",
        "2009-05-01",
    ]


def test_none_of_the_first_many_is_not_none_of_all() -> None:
    others = replace(ALL, year_from=1990, year_to=1991)
    body = office(DOCUMENT, total=5000)
    with pytest.raises(
        SearchError, match="EPO OPS found 5,000 results, and none of the first 1 is one of these"
    ) as caught:
        asked(epo.search, others, body)
    assert caught.value.kind == "too_large"
    assert asked(epo.search, others, office(DOCUMENT, total=1)) == ()
    assert len(asked(epo.search, ALL, body)) == 1
    somebody = replace(OF_US, inventor="Nobody")
    with pytest.raises(
        SearchError, match="USPTO found 900 results, and none of the first 1 is one of these"
    ):
        asked(uspto.search, somebody, {**US, "count": 900})
    assert asked(uspto.search, somebody, US) == ()


def test_an_error_that_the_oecd_tells_with_status_200_is_none_of_its_answers() -> None:
    empty: dict[str, Any] = {"dataSets": [], "structures": [{"dimensions": {}, "attributes": {}}]}
    flow = SeriesQuery("A,B", series_id="A,B")
    with pytest.raises(SearchError, match="it tells of an error, server is down"):
        asked(
            oecd.search, flow, {"data": empty, "errors": [{"code": 500, "title": "server is down"}]}
        )
    assert (
        asked(oecd.search, flow, {"data": empty, "errors": [{"code": 100, "title": "no results"}]})
        == ()
    )


def test_what_is_no_count_says_nothing() -> None:
    assert [
        parse_count(each) for each in (7, "7", 0, -1, None, True, "", "9" * 5000, 2.5, [7])
    ] == [
        7,
        7,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    ]
    check_not_empty("X", [1], 0)
    check_not_empty("X", [], "0")
    with pytest.raises(SearchError, match="it counts 1,200 results and lists none"):
        check_not_empty("X", [], 1200)
