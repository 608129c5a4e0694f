"""The works of DataCite: what is asked for, what its recorded answer comes to. What every provider
makes of bad answers: test_contract.
"""

from __future__ import annotations

from typing import Any

import pytest

from research_core.errors import SearchError
from research_core.search.providers.datacite import remove_operators, search
from research_core.search.queries import PaperQuery
from research_core.search.records import Paper
from tests.contracts import Service, configured
from tests.contracts.datacite import WORK
from tests.tool_calls_made import for_each_recorded

DOIS = "api.datacite.org/dois"


def asked(query: PaperQuery, body: Any = None) -> tuple[tuple[Paper, ...], dict[str, str]]:
    service = Service([(DOIS, {"data": []} if body is None else body)])
    found = tuple(search(service, configured(), query))  # type: ignore[arg-type]
    ((method, url, options),) = service.asked
    assert (method, url) == ("GET", "https://api.datacite.org/dois")
    return found, dict(options["params"])


@pytest.mark.parametrize(
    ("years", "clause"),
    [((2018, 2020), "[2018 TO 2020]"), ((2018, 0), "[2018 TO *]"), ((0, 2020), "[* TO 2020]")],
)
def test_years_are_part_of_the_query(years: tuple[int, int], clause: str) -> None:
    _, params = asked(PaperQuery("tea", year_from=years[0], year_to=years[1]))
    assert params["query"].startswith("(tea) AND types.resourceTypeGeneral:(Text OR Preprint")
    assert params["query"].endswith(f") AND publicationYear:{clause}")
    assert "publicationYear" not in asked(PaperQuery("tea"))[1]["query"]


def test_of_the_sources_it_has_arxiv_s() -> None:
    assert asked(PaperQuery("tea", source="arxiv"))[1]["query"].endswith(") AND prefix:10.48550")
    with pytest.raises(SearchError, match="springer"):
        asked(PaperQuery("tea", source="springer"))


def test_sorting_by_date_is_asked_for() -> None:
    assert asked(PaperQuery("tea", sort_by="date"))[1]["sort"] == "-published"
    assert asked(PaperQuery("tea"))[1]["sort"] == "relevance"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("tea colds", "tea colds"),
        ('titles.title:"tea" OR (colds)', "titles.title tea colds"),
        ("AND/OR to*", "to"),
        ("covid-19 ANDes", "covid 19 ANDes"),
        ("???", "???"),
    ],
)
def test_no_word_of_a_query_is_an_operator(query: str, words: str) -> None:
    assert remove_operators(query) == words


@pytest.mark.parametrize(
    ("rights", "is_open"),
    [
        ([], None),
        ([{"rights": "All rights reserved"}], None),
        ([{"rightsUri": None}], None),
        ([{"rightsUri": "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"}], None),
        ([{"rightsUri": "info:eu-repo/semantics/openAccess"}], True),
        ([{"rightsUri": "http://creativecommons.org/publicdomain/zero/1.0/"}], True),
    ],
)
def test_a_work_is_open_where_its_licence_says_so_and_never_closed(
    rights: list[Any], is_open: bool | None
) -> None:
    body = {"data": [{**WORK, "attributes": {**WORK["attributes"], "rightsList": rights}}]}  # type: ignore[dict-item]
    assert asked(PaperQuery("tea"), body)[0][0].open_access is is_open


def test_a_publisher_may_be_an_object() -> None:
    body = {
        "data": [{**WORK, "attributes": {**WORK["attributes"], "publisher": {"name": "Zenodo"}}}]
    }  # type: ignore[dict-item]
    assert asked(PaperQuery("tea"), body)[0][0].journal == "Zenodo"


@for_each_recorded("datacite_dois_1.json")
def test_the_recorded_answer_is_read(body: bytes, name: str) -> None:
    ((paper,), _) = asked(PaperQuery("pulsars"), body)
    assert (paper.title, paper.doi, paper.year) == (
        "THE SECOND FERMI LARGE AREA TELESCOPE CATALOG OF GAMMA-RAY PULSARS",
        "10.3204/desy-2014-00864",
        2013,
    )
    assert (len(paper.authors), paper.authors[:2]) == (211, ("A. A. Abdo", "M. Ajello"))
    assert (paper.journal, paper.abstract) == (
        "The astrophysical journal / Supplement series 208(2)",
        "",
    )
