"""The works of Crossref: what is asked for, what its recorded answers come to. What every provider
makes of bad answers: test_contract.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import SearchError
from research_core.search.providers import PROVIDERS
from research_core.search.providers.crossref_works import search
from research_core.search.providers.markup import markup_words
from research_core.search.queries import PaperQuery
from research_core.search.records import Paper
from research_core.text.words import strip_invisible
from research_core.urls import build_doi_url
from tests.contracts import Service, configured
from tests.contracts.crossref import WORK
from tests.tool_calls_made import for_each_recorded

WORKS = "api.crossref.org/works"


def found(body: Any, query: PaperQuery = PaperQuery("tea"), status: int = 200) -> tuple[Paper, ...]:
    return tuple(search(Service([(WORKS, body)], status), configured(), query))  # type: ignore[arg-type]


def params(query: PaperQuery, **settings: Any) -> dict[str, str]:
    service = Service([(WORKS, {"message": {"items": []}})])
    search(service, configured(**settings), query)  # type: ignore[arg-type]
    ((method, url, options),) = service.asked
    assert (method, url) == ("GET", "https://api.crossref.org/works")
    return dict(options["params"])


def test_sorting_by_date_is_asked_for_and_not_only_promised() -> None:
    assert params(PaperQuery("tea", sort_by="date")) == {
        "query.bibliographic": "tea",
        "rows": "5",
        "sort": "published",
        "order": "desc",
    }
    assert not {"sort", "order"} & set(params(PaperQuery("tea")))


def test_open_access_is_said_to_be_ignored_since_crossref_does_not_know_it() -> None:
    (row,) = (row for row in PROVIDERS if (row.name, row.kind) == ("crossref", "papers"))
    assert "open_access" not in row.honours
    assert params(PaperQuery("tea", open_access=True)) == params(PaperQuery("tea"))


@pytest.mark.parametrize(
    ("years", "filters"),
    [
        ((0, 0), None),
        ((2018, 0), "from-pub-date:2018"),
        ((0, 2020), "until-pub-date:2020"),
        ((2018, 2020), "from-pub-date:2018,until-pub-date:2020"),
    ],
)
def test_years_are_a_filter(years: tuple[int, int], filters: str | None) -> None:
    assert params(PaperQuery("tea", year_from=years[0], year_to=years[1])).get("filter") == filters


@pytest.mark.parametrize(
    ("source", "filters"),
    [
        ("ieee", "prefix:10.1109"),
        ("springer", "prefix:10.1007,prefix:10.1023,prefix:10.1140,prefix:10.1186"),
    ],
)
def test_a_source_is_told_by_how_its_dois_begin(source: str, filters: str) -> None:
    assert params(PaperQuery("tea", source=source))["filter"] == filters


@pytest.mark.parametrize("source", ["arxiv", "pubmed"])
def test_a_source_it_cannot_tell_is_left_to_others_and_not_asked_for(source: str) -> None:
    service = Service([])
    with pytest.raises(SearchError, match=source) as caught:
        search(service, configured(), PaperQuery("tea", source=source))  # type: ignore[arg-type]
    assert (caught.value.kind, service.asked) == ("unsupported", [])


def test_an_address_is_named_where_there_is_one() -> None:
    assert params(PaperQuery("tea"), openalex_email="a@b.example")["mailto"] == "a@b.example"
    assert "mailto" not in params(PaperQuery("tea"))


def test_lists_are_asked_for_once_a_second() -> None:
    (row,) = (row for row in PROVIDERS if (row.name, row.kind) == ("crossref", "papers"))
    assert row.pace_s >= 1.0


def test_only_a_retraction_marks_a_work_and_no_notice_is_no_clean_bill() -> None:
    for notices, retracted in (
        ([], None),
        ([{"type": "correction"}], None),
        ([{"type": "withdrawal"}], True),
    ):
        (paper,) = found({"message": {"items": [{**WORK, "updated-by": notices}]}})
        assert paper.retracted is retracted


def test_parts_of_works_are_left_out_unless_there_is_nothing_else() -> None:
    part = {"DOI": "10.1000/tea.fig1", "title": []}
    assert len(found({"message": {"items": [part, WORK]}})) == 1
    with pytest.raises(SearchError, match="its only result lacks a DOI and a title"):
        found({"message": {"items": [part]}})


def test_an_address_holds_no_character_that_an_address_may_not() -> None:
    assert (
        build_doi_url("10.1002/(SICI)1<672::A>3.0.CO;2-8")
        == "https://doi.org/10.1002/(SICI)1%3C672::A%3E3.0.CO;2-8"
    )


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Tea", "Tea"),
        (
            "<jats:title>Abstract</jats:title><jats:p>Tea.</jats:p><jats:p>Cold.</jats:p>",
            "Tea. Cold.",
        ),
        (
            "<jats:sec><jats:title>Aims</jats:title><jats:p>To\n see.</jats:p></jats:sec>",
            "Aims To see.",
        ),
        ("H<sub>2</sub>O at &amp;lt;5 &#8203;°C", "H2O at <5 °C"),
        ("p < 0.05 and q > 1", "p < 0.05 and q > 1"),
        (
            "<mml:math><mml:mi>x</mml:mi><mml:annotation encoding='t'>\\x</mml:annotation></mml:math> is",
            "x is",
        ),
        ("<!-- no -->yes", "yes"),
        ("", ""),
    ],
)
def test_markup_is_read_as_words(markup: str, text: str) -> None:
    assert markup_words(markup) == text


@given(st.text(st.sampled_from("<>/&;!- ap:titleABSTRact\n\u200b="), max_size=60))
def test_whatever_markup_is_it_becomes_one_line(markup: str) -> None:
    assert markup_words(markup) == " ".join(strip_invisible(markup_words(markup)).split())


def test_markup_of_any_size_is_read_in_a_moment() -> None:
    for evil in (
        "<" * 200_000,
        "<title>" * 30_000,
        "<!--" * 50_000,
        "<p" * 100_000,
        "&amp;" * 40_000,
        "<title>abstract" + " " * 100_000,
    ):
        assert isinstance(markup_words(evil), str)


# ---------------------------------------------------------------- recorded

SPOTS: dict[
    str, tuple[int, str, int | None, int | None, str]
] = {  # usable works, the first one's DOI, year, citations, first author
    "crossref_works_search_1.json": (1, "10.18653/v1/n18-2074", 2018, 1197, "Peter Shaw"),
    "crossref_works_search_2.json": (3, "10.1117/12.2214605", 2016, 0, "Li Qi"),
    "crossref_works_search_5.json": (
        1,
        "10.26434/chemrxiv-2022-qfv02",
        None,
        1,
        "Geemi P. Wellawatte",
    ),
    "crossref_works_search_6.json": (19, "10.4000/books.pul.13932", 1982, 0, "Bernard Meuret"),
    "crossref_works_search_7.json": (1, "10.1101/2024.04.01.587366", 2024, 2, "Michael Herger"),
    "crossref_works_search_8.json": (1, "10.1063/1.4938384", 2015, 10, "Michael D. Skarlinski"),
    "crossref_works_search_11.json": (
        19,
        "10.1111/j.1651-2227.1964.tb07256.x",
        1964,
        0,
        "BO VAHLQUIST",
    ),
    "crossref_journal_works_1.json": (20, "10.2478/v10285-012-0015-2", 2009, 0, "Miloslav Lapka"),
    "crossref_updates_2.json": (20, "10.1371/journal.pone.0147433", 2016, 14, "Stephan T. Leu"),
    "crossref_updates_5.json": (30, "10.1371/journal.pone.0264777", 2022, 0, "Priyanka Adhikary"),
    "crossref_updates_7.json": (30, "10.1371/journal.pone.0111229", 2014, 3, "Qinzhen Cai"),
    "crossref_work_by_doi_15.json": (3, "10.1109/mitp.2002.1041177", 2002, 12, "W. Chou"),
}
SINGLE: dict[str, tuple[int, str, int | None, int | None, str]] = {
    "crossref_updates_1.json": (1, "10.1073/pnas.1414271111", 2014, 129, "Eleftherios A. Makris"),
    "crossref_work_by_doi_1.json": (1, "10.1101/499970", 2018, 0, "Goksel Misirli"),
    "crossref_work_by_doi_2.json": (1, "10.1017/s0376892913000179", 2013, 5, "THOMAS E. MARLER"),
    "crossref_work_by_doi_3.json": (1, "10.1145/2832099.2832103", 2015, 1, "Baatarsuren Munkhdorj"),
    "crossref_work_by_doi_6.json": (1, "10.1136/jclinpath-2020-206745", 2020, 10, "Jun Xu"),
    "crossref_work_by_doi_7.json": (1, "10.1016/j.semcdb.2016.08.024", 2017, 7, "William Wang"),
    "crossref_work_by_doi_8.json": (1, "10.1016/j.xgen.2025.100814", 2025, 2, "Michael Herger"),
    "crossref_work_by_doi_9.json": (1, "10.1021/acs.jctc.2c01235", 2023, 51, "Geemi P. Wellawatte"),
    "crossref_work_by_doi_10.json": (1, "10.1007/s40278-023-41815-2", 2023, 0, ""),
    "crossref_work_by_doi_11.json": (
        1,
        "10.4018/978-1-4666-9588-7.les2",
        None,
        0,
        "Nicholas D. Hartlep",
    ),
}


def spot(papers: tuple[Paper, ...]) -> tuple[int, str, int | None, int | None, str]:
    first = papers[0]
    return len(papers), first.doi, first.year, first.citation_count, next(iter(first.authors), "")


@for_each_recorded(*SPOTS)
def test_recorded_lists_are_read(body: bytes, name: str) -> None:
    papers = found(body)
    assert spot(papers) == SPOTS[name]
    assert all(
        paper.title and paper.url == build_doi_url(paper.doi) and paper.source == "crossref"
        for paper in papers
    )
    assert not any(
        mark in f"{paper.title} {paper.abstract}"
        for paper in papers
        for mark in ("<jats", "&lt;", "&amp;", "\n")
    )


@for_each_recorded(*SINGLE)
def test_recorded_works_are_read(body: bytes, name: str) -> None:
    """A work that was asked for by its DOI, as one of a list."""
    assert spot(found({"message": {"items": [json.loads(body)["message"]]}})) == SINGLE[name]


@for_each_recorded("crossref_works_search_8.json")
def test_a_recorded_abstract_is_plain_text(body: bytes, name: str) -> None:
    (paper,) = found(body)
    assert paper.abstract.startswith("Metal-oxide layers are likely")
    assert "(<75\u2009K) and low strain values (<5%)" in paper.abstract.replace(" K)", "\u2009K)")
    assert paper.journal == "Journal of Applied Physics"
    assert paper.pdf_url.startswith(
        "https://pubs.aip.org/aip/jap/article-pdf/doi/10.1063/1.4938384"
    )


REFUSED = {
    "crossref_works_search_13_http404.json": (404, "config", "Cursor specified but it is invalid"),
    "crossref_works_search_14_http400.json": (400, "bad_reply", "Integer specified as 200"),
    "crossref_works_search_15_http500.json": (500, "upstream_unavailable", "answered 500."),
    "crossref_work_by_doi_14_http400.json": (400, "bad_reply", "This route does not support"),
    "crossref_work_by_doi_13_http404.txt": (404, "config", "Resource not found."),
    "crossref_journal_works_3_http404.json": (404, "config", "Resource not found."),
    "crossref_agency_3_http404.json": (404, "config", "Resource not found."),
    "crossref_funders_members_3_http404.txt": (404, "config", "Resource not found."),
}


@for_each_recorded(*REFUSED)
def test_recorded_refusals_are_failures_in_crossref_s_own_words(body: bytes, name: str) -> None:
    status, kind, words_of = REFUSED[name]
    with pytest.raises(SearchError) as caught:
        found(body, status=status)
    assert caught.value.kind == kind
    assert words_of in caught.value.message


@for_each_recorded(
    "crossref_agency_2.json",
    "crossref_funders_members_1.json",
    "crossref_journals_1.json",
    "crossref_journals_2.json",
    "crossref_journals_3.json",
    "crossref_transform_2.txt",
    "crossref_transform_3.txt",
    "crossref_transform_4.txt",
    "crossref_transform_5.json",
)
def test_recorded_answers_to_other_questions_are_bad_replies_and_never_works(
    body: bytes, name: str
) -> None:
    with pytest.raises(SearchError) as caught:
        found(body)
    assert caught.value.kind == "bad_reply"
