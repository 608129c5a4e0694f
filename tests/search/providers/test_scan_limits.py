"""What a provider did not look at is told: a short or an empty list that comes from a bound never
reads as "there is nothing more".
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from research_core.errors import SearchError
from research_core.journal.deps import Provider
from research_core.models import SearchResult
from research_core.search.providers import (
    arxiv,
    courtlistener,
    epo,
    exa,
    fred,
    google,
    lens,
    pubmed,
    searchapi_patents,
    searxng,
    semanticscholar,
    uspto,
)
from research_core.search.providers import tavily as tavily_rows
from research_core.search.providers.counts import limit_to_scanned
from research_core.search.queries import (
    CaseQuery,
    ImageQuery,
    NewsQuery,
    PaperQuery,
    SeriesQuery,
    WebQuery,
)
from research_core.search.records import NotedRecords, collect_notes
from tests.contracts import Service, brave, cases, configured
from tests.contracts import arxiv as arxiv_case
from tests.contracts import filings as filed
from tests.contracts import google as google_case
from tests.contracts import openalex as openalex_case
from tests.contracts import patents as patented
from tests.contracts import pubmed as pubmed_case
from tests.contracts import semanticscholar as scholar_case
from tests.tool_calls_made import CallOutcome, make_tool_call, replay_call

KEYS = {
    "searchapi_api_key": "k",
    "lens_api_token": "k",
    "uspto_api_key": "k",
    "epo_key": "k",
    "epo_secret": "k",
    "fred_api_key": "k",
}
KEYS |= {
    "exa_api_key": "k",
    "tavily_api_key": "k",
    "google_api_key": "k",
    "google_engine": "e",
    "searxng_url": "http://searx.example.org",
}
NATURE = PaperQuery("tea", 5, source="nature")


def asked(search: Callable[..., Any], query: Any, *answers: tuple[str, Any]) -> Any:
    return search(Service(answers), configured(**KEYS), query)


# ---------------------------------------------------------------- how it is told


def test_less_than_is_wanted_of_more_than_was_looked_through_is_told() -> None:
    found = limit_to_scanned("X", [1, 2], 5, 100, 812)
    assert (found, found.notes) == (
        (1, 2),
        ("X found 812 results. Only the first 100 were looked through, and 2 of them fit.",),
    )
    for count in (100, 99, 0, "0", None, "many"):
        assert limit_to_scanned("X", [1, 2], 5, 100, count).notes == ()
    assert limit_to_scanned("X", [1, 2], 2, 100, 812).notes == ()
    assert limit_to_scanned("X", [], 5, 100, 100) == ()
    with pytest.raises(
        SearchError, match="X found 812 works, and none of the first 100 is one of these"
    ) as caught:
        limit_to_scanned("X", [], 5, 100, "812", what="works")
    assert caught.value.kind == "too_large"


def test_a_full_answer_that_does_not_say_how_many_there_are_may_not_be_all() -> None:
    for count in (None, 0, "many"):
        found = limit_to_scanned("X", [1], 5, 100, count, most=100)
        assert found.notes == (
            "X does not say how many results it found. Only the first 100 were looked through, and 1 of them fits.",
        )
        assert limit_to_scanned("X", [1], 5, 99, count, most=100).notes == ()
        with pytest.raises(
            SearchError,
            match="X does not say how many results it found, and none of the first 100 is one of these",
        ):
            limit_to_scanned("X", [], 5, 100, count, most=100)


def test_what_was_told_before_is_kept_and_told_once() -> None:
    found = limit_to_scanned("X", NotedRecords([1], ["A.", "", "A."]), 5, 1, 2)
    assert found.notes == (
        "A.",
        "X found 2 results. Only the first 1 were looked through, and 1 of them fits.",
    )
    assert collect_notes(found, [3], (), NotedRecords([2], ["A.", "B."])) == (*found.notes, "B.")


# ---------------------------------------------------------------- scholarly works


def feed(total: int, *entries: str) -> str:
    return arxiv_case.FEED.format(
        f"<opensearch:totalResults>{total}</opensearch:totalResults>" + "".join(entries)
    )


def numbers(total: int) -> dict[str, Any]:
    return {"esearchresult": {"count": str(total), "idlist": ["22", "11"]}}


OTHERS = scholar_case.BARE
OF_ONE_PUBLISHER: dict[
    str, tuple[Callable[..., Any], Callable[[int], list[tuple[str, Any]]], str]
] = {
    "semanticscholar": (
        semanticscholar.search,
        lambda total: [("/paper/search", {"total": total, "data": [scholar_case.WORK, OTHERS]})],
        "Semantic Scholar found 5,321 works. Only the first 2 were looked through, and 1 of them fits.",
    ),
    "arxiv": (
        arxiv.search,
        lambda total: [("arxiv.org", feed(total, arxiv_case.OTHER, arxiv_case.ENTRY))],
        "arXiv found 5,321 papers. Only the first 2 were looked through, and 1 of them fits.",
    ),
    "pubmed": (
        pubmed.search,
        lambda total: [("esearch", numbers(total)), ("efetch", pubmed_case.RECORDS)],
        "PubMed found 5,321 works. Only the first 2 were looked through, and 1 of them fits.",
    ),
}


@pytest.mark.parametrize(
    ("search", "answers", "told"), OF_ONE_PUBLISHER.values(), ids=OF_ONE_PUBLISHER
)
def test_works_of_one_publisher_among_the_first_that_an_index_lists(
    search: Any, answers: Any, told: str
) -> None:
    found = asked(search, NATURE, *answers(5321))
    assert (len(found), found.notes) == (1, (told,))
    assert asked(search, NATURE, *answers(2)).notes == ()
    assert asked(search, replace(NATURE, count=1), *answers(5321)).notes == ()
    assert asked(search, PaperQuery("tea", 2), *answers(5321)).notes == ()
    with pytest.raises(SearchError, match="none of the first 2 is one of these") as caught:
        asked(search, replace(NATURE, source="ieee"), *answers(5321))
    assert (caught.value.kind, caught.value.next_step) == (
        "too_large",
        "Leave source out, or ask another provider.",
    )
    assert asked(search, replace(NATURE, source="ieee"), *answers(2)) == ()


def test_another_index_is_asked_where_one_has_none_of_a_source_among_the_first() -> None:
    semantic = "https://api.semanticscholar.org/graph/v1/paper/search"
    answers = {
        semantic: {"total": 5321, "data": [OTHERS]},
        "https://api.crossref.org/works": {"message": {"total-results": 0, "items": []}},
    }
    routing = {"routing": {"academic": ("semanticscholar", "crossref")}}
    answer = make_tool_call(
        "academic_search", answers, settings=routing, query="tea", source="ieee"
    ).answer
    assert (answer["papers"], answer["source"]) == ([], "crossref")


def test_the_tool_tells_it_beside_its_own_notes() -> None:
    answers = {
        "https://api.semanticscholar.org/graph/v1/paper/search": {
            "total": 900,
            "data": [scholar_case.WORK, OTHERS],
        }
    }
    arguments = {
        "query": "tea",
        "provider": "semanticscholar",
        "source": "nature",
        "pdf_only": True,
    }
    said = make_tool_call("academic_search", answers, **arguments)
    assert said.answer["notes"] == [
        "Semantic Scholar found 900 works. Only the first 2 were looked through, and 1 of them fits.",
        "0 of the 1 paper found have no known PDF and are left out.",
    ]
    assert replay_call(said, "academic_search", **arguments) == said.answer


def test_authors_that_openalex_does_not_name_are_told() -> None:
    works = "https://api.openalex.org/works"
    crowd = openalex_case.WORK | {
        "authorships": [{"author": {"display_name": f"Author {n}"}} for n in range(100)]
    }
    told = "OpenAlex names 100 authors of a work at most: 1 of these works may have more."
    answers = {works: {"meta": {"count": 2}, "results": [crowd, openalex_case.WORK]}}
    assert make_tool_call("academic_search", answers, query="tea", provider="openalex").answer[
        "notes"
    ] == [told]
    answers |= {f"{works}/doi:10.1000/tea.9": openalex_case.SEED}
    graph = make_tool_call(
        "citation_graph",
        answers,
        paper="10.1000/tea.9",
        provider="openalex",
        direction="references",
    ).answer
    assert graph["notes"] == [told]
    few = {works: {"meta": {"count": 1}, "results": [openalex_case.WORK]}}
    assert (
        "notes"
        not in make_tool_call("academic_search", few, query="tea", provider="openalex").answer
    )


def test_records_that_pubmed_lists_and_does_not_give_are_told() -> None:
    answers = [
        ("esearch", {"esearchresult": {"count": "3", "idlist": ["22", "33", "11"]}}),
        ("efetch", pubmed_case.RECORDS),
    ]
    told = ("PubMed lists 3 works, and gave a record with a title of 2 of them.",)
    assert asked(pubmed.search, PaperQuery("tea", 3), *answers).notes == told
    assert asked(pubmed.search, PaperQuery("tea", 2), *answers).notes == ()


def test_works_on_the_web_beyond_its_first_pages_are_told() -> None:
    def search(count: int) -> Callable[..., Any]:
        found = [
            SearchResult(
                f"Tea {n}",
                f"https://{'arxiv.org/abs' if n % 2 else 'tea.example'}/1901.0000{n}",
                "Tea.",
            )
            for n in range(count)
        ]
        return lambda _http, _settings, _query: tuple(found)

    def answer(count: int, wanted: int = 6) -> Any:
        engine = Provider("ddgs:mojeek", "web", search(count), honours=frozenset({"sites"}))
        return make_tool_call(
            "academic_search",
            {},
            engines=(engine,),
            query="tea",
            source="arxiv",
            provider="mojeek",
            num_results=wanted,
        ).answer

    assert answer(10)["notes"] == [
        "The web's engines list few pages at a time: 10 were looked through, and 5 papers were among them."
    ]
    assert "notes" not in answer(9)
    assert "notes" not in answer(10, 5)


# ---------------------------------------------------------------- patents


def test_patents_of_some_years_among_the_first_of_many() -> None:
    found = asked(
        epo.search, patented.ALL, ("ops.epo.org", patented.office(patented.DOCUMENT, total=5000))
    )
    assert found.notes == (
        "EPO OPS found 5,000 results. Only the first 1 were looked through, and 1 of them fits.",
        "EPO OPS was asked for what came out until 2014: of applications filed then a grant may be later.",
    )
    whole = ("ops.epo.org", patented.office(patented.DOCUMENT))
    assert asked(epo.search, replace(patented.ALL, year_to=0), whole).notes == ()
    assert asked(epo.search, replace(patented.ALL, count=1), whole).notes == ()
    nothing = asked(epo.search, patented.ALL, ("ops.epo.org", patented.office()))
    assert (nothing, len(nothing.notes)) == ((), 1)  # that a grant may be later
    refused = Service(
        [
            (
                "ops.epo.org",
                "<fault><code>CLIENT.EntityNotFound</code></fault>".replace("CLIENT", "SERVER"),
            )
        ],
        404,
    )
    assert collect_notes(epo.search(refused, configured(**KEYS), patented.ALL)) == nothing.notes  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("search", "body", "name"),
    [
        (lens.search, {**patented.LENS, "total": 70}, "Lens.org"),
        (
            searchapi_patents.search,
            {**patented.GOOGLE, "search_information": {"total_results": 70}},
            "SearchAPI",
        ),
    ],
)
def test_a_list_of_patents_that_is_shorter_than_asked_for(
    search: Any, body: Any, name: str
) -> None:
    assert asked(search, patented.ALL, ("", body)).notes == (
        f"{name} found 70 results. Only the first 1 were looked through, and 1 of them fits.",
    )
    assert asked(search, replace(patented.ALL, count=1), ("", body)).notes == ()
    with pytest.raises(SearchError, match="none of the first 1 is one of these"):
        asked(search, replace(patented.ALL, year_from=1990, year_to=1991), ("", body))


def test_patents_that_do_not_say_when_they_were_filed_are_told_where_years_are_asked_for() -> None:
    (row,) = patented.GOOGLE["organic_results"]
    undated = {**row, "publication_number": "EP7654321A1", "filing_date": None}
    body = {"search_information": {"total_results": 2}, "organic_results": [undated, row]}
    assert asked(searchapi_patents.search, patented.ALL, ("", body)).notes == (
        "SearchAPI: 1 left out that do not say when they were filed.",
    )
    assert (
        asked(
            searchapi_patents.search, replace(patented.ALL, year_from=0, year_to=0), ("", body)
        ).notes
        == ()
    )


def patents(body: Any, **arguments: Any) -> CallOutcome:
    answers = {"https://api.uspto.gov/api/v1/patent/applications/search": body}
    return make_tool_call(
        "patent_search",
        answers,
        settings={"uspto_api_key": "k"},
        provider="uspto",
        **{"query": "fuel cell"} | arguments,
    )


def american(count: int = 1, **changes: Any) -> dict[str, Any]:
    body = deepcopy(patented.US)
    data = body["patentFileWrapperDataBag"][0]["applicationMetaData"]
    for name, value in changes.items():
        data.pop(name)
        data |= value
    return {**body, "count": count}


def test_a_class_that_no_application_says_is_a_bad_reply_and_not_an_empty_answer() -> None:
    renamed = american(cpcClassificationBag={"cpcClassifications": ["H01M 8/04"]})
    for body in (
        renamed,
        american(cpcClassificationBag={}),
        american(cpcClassificationBag={"cpcClassificationBag": None}),
    ):
        assert "its only result lacks its classes" in patents(body, cpc_code="H01M8").error
        assert patents(body).answer["resultCount"] == 1  # where no class is asked for
    other = american(cpcClassificationBag={"cpcClassificationBag": []})
    assert patents(other, cpc_code="H01M8").answer["resultCount"] == 0  # it says that it has none
    assert patents(american(), cpc_code="H01M8").answer["resultCount"] == 1


def test_a_title_that_no_patent_has_is_a_bad_reply() -> None:
    moved = deepcopy(patented.US)
    row = moved["patentFileWrapperDataBag"][0]
    row["applicationData"] = row.pop("applicationMetaData")
    assert "none of its patents has a title" in patents(moved).error
    assert (
        "none of its patents has a title"
        in patents(american(inventionTitle={"title": "FUEL CELL"})).error
    )
    untitled = patented.office(patented.DOCUMENT.replace("invention-title", "title-of-invention"))
    with pytest.raises(SearchError, match="none of its patents has a title"):
        asked(epo.search, patented.ALL, ("ops.epo.org", untitled))
    one = replace(
        patented.ALL, text="EP1234567A1"
    )  # an old patent that is asked for by its number may have none
    assert [each.title for each in asked(epo.search, one, ("ops.epo.org", untitled))] == [
        "EP1234567A1"
    ]


@pytest.mark.parametrize(
    ("search", "query", "body", "bag"),
    [
        (lens.search, replace(patented.ALL, count=2), patented.LENS, "data"),
        (
            searchapi_patents.search,
            replace(patented.ALL, count=2),
            patented.GOOGLE,
            "organic_results",
        ),
        (
            uspto.search,
            replace(patented.ALL, patent_office="US", cpc_code="", count=2),
            patented.US,
            "patentFileWrapperDataBag",
        ),
    ],
)
def test_a_full_list_of_patents_without_a_count_may_not_be_all(
    search: Any, query: Any, body: Any, bag: str
) -> None:
    """The same patent as often as it was asked for is one, of which nobody knows how many there
    are.
    """
    (row,) = body[bag]
    for most, told in ((100, True), (1, False)):
        uncounted = {
            name: value
            for name, value in body.items()
            if name not in ("count", "total", "search_information")
        }
        found = asked(search, query, ("", uncounted | {bag: [row] * most}))
        assert (len(found), "does not say how many" in " ".join(found.notes)) == (1, told)


def test_applications_of_a_class_among_the_first_of_many() -> None:
    answer = patents(american(900), cpc_code="H01M8").answer
    assert answer["notes"] == [
        "USPTO found 900 results. Only the first 1 were looked through, and 1 of them fits."
    ]
    assert "notes" not in patents(american(900), cpc_code="H01M8", num_results=1).answer


def test_patents_of_other_offices_that_are_left_out_are_told() -> None:
    answers = {"https://api.lens.org/patent/search": patented.LENS}
    arguments: dict[str, Any] = {"query": "tea", "provider": "lens", "patent_office": "WO"}
    answer = make_tool_call(
        "patent_search", answers, settings={"lens_api_token": "k"}, **arguments
    ).answer
    assert (answer["patents"], answer["notes"]) == (
        [],
        ["Left out, since they are of other offices than WO: 1 of the 1 patent found."],
    )
    arguments["patent_office"] = "EP"
    assert (
        "notes"
        not in make_tool_call(
            "patent_search", answers, settings={"lens_api_token": "k"}, **arguments
        ).answer
    )


def test_patents_on_the_web_beyond_its_first_pages_are_told() -> None:
    def answer(count: int, **arguments: Any) -> Any:
        found = [
            SearchResult(
                "Tea",
                f"https://patents.google.com/patent/{'US' if n % 2 else 'EP'}100000{n}B1/en",
                "Tea.",
            )
            for n in range(count)
        ]
        found += [
            SearchResult("Tea", f"https://patents.google.com/?q={n}", "Tea.")
            for n in range(10 - count)
        ]
        engine = Provider(
            "ddgs:mojeek",
            "web",
            lambda _http, _settings, _query: tuple(found),
            honours=frozenset({"site"}),
        )
        return make_tool_call(
            "patent_search", {}, engines=(engine,), query="tea", provider="mojeek", **arguments
        ).answer

    first = "Only the first 10 pages that the web's engines list were looked through, and 4 patents were among them."
    assert answer(4)["notes"] == [first]
    assert answer(4, patent_office="US")["notes"] == [
        first,
        "Left out, since they are of other offices than US: 2 of the 4 patents found.",
    ]
    assert "notes" not in answer(5)


def test_what_is_told_by_each_part_of_a_question_is_told_once() -> None:
    """A lens of more sites than one question holds is asked about in several."""
    row = {"url": "https://tides.example.org/", "title": "Tides", "content": "High."}
    silent = {
        "http://searx.example.org/search": {
            "results": [row],
            "unresponsive_engines": [["bing", "timeout"]],
        }
    }
    engine = Provider("searxng", "web", searxng.search, honours=searxng.WEB_HONOURS)
    settings = {"searxng_url": "http://searx.example.org"}
    said = make_tool_call(
        "web_search", silent, settings=settings, engines=(engine,), query="tea", lens="docs"
    )
    assert len(said.requests()) > 1
    assert said.answer["notes"] == ["These engines of SearXNG did not answer: bing (timeout)."]


# ---------------------------------------------------------------- filings

SEC, TEXTS = (
    "https://data.sec.gov/submissions/CIK0001234567",
    "https://efts.sec.gov/LATEST/search-index",
)
TICKERS = "https://www.sec.gov/files/company_tickers.json"


def filings(answers: dict[str, Any], **arguments: Any) -> CallOutcome:
    return make_tool_call(
        "filing_search", {TICKERS: filed.COMPANIES, **answers}, settings=filed.CONTACT, **arguments
    )


def many_lists(count: int) -> dict[str, Any]:
    """A company whose older filings are in so many lists, each of one form 10-K."""
    older = [
        {
            "name": f"CIK0001234567-submissions-{n:03}.json",
            "filingFrom": "",
            "filingTo": f"2002-03-{n % 28 + 1:02}",
        }
        for n in range(count)
    ]
    lists = {
        f"{SEC}-submissions-{n:03}.json": filed.listed(filed.OLD_TEN if n == 3 else filed.EIGHT)
        for n in range(count)
    }
    return {f"{SEC}.json": filed.company(filed.listed(filed.EIGHT), *older), **lists}


def test_older_filings_that_were_not_looked_through_are_told() -> None:
    said = filings(many_lists(40), ticker="TEA", form_type="10-K")
    assert (said.answer["resultCount"], len(said.requests(f"{SEC}-submissions-"))) == (1, 25)
    unread = "SEC EDGAR: the company's oldest 15 lists of filings, of 2002-03-26 and before, were not looked through."
    assert said.answer["notes"] == [f"{unread} Say with date_to when it was filed."]
    assert "notes" not in filings(many_lists(25), ticker="TEA", form_type="10-K").answer
    assert (
        "notes" not in filings(many_lists(40), ticker="TEA", form_type="10-K", num_results=1).answer
    )
    assert "in 26 lists" in filings(many_lists(40), ticker="TEA", form_type="S-1").error


def test_a_company_without_its_list_of_older_filings_is_a_bad_reply() -> None:
    told = filed.company(filed.listed(filed.EIGHT))
    whole = {"recent": told["filings"]["recent"]}
    for filed_with in (whole, whole | {"files": None}, whole | {"older": []}):
        assert (
            "cannot be read"
            in filings(
                {f"{SEC}.json": {**told, "filings": filed_with}}, ticker="TEA", form_type="10-K"
            ).error
        )
    assert filings({f"{SEC}.json": told}, ticker="TEA", form_type="10-K").answer["resultCount"] == 0


def test_documents_with_words_beyond_the_first_are_told() -> None:
    def hits(total: int) -> dict[str, Any]:
        return {TEXTS: {"hits": {"total": {"value": total, "relation": "eq"}, "hits": [filed.HIT]}}}

    words = {"query": "tea prices in a year"}
    assert filings(hits(70), **words).answer["notes"] == [
        "SEC EDGAR found 70 documents. Only the first 1 were looked through, and 1 of them fits."
    ]
    assert "notes" not in filings(hits(1), **words).answer
    assert "notes" not in filings(hits(70), **words, num_results=1).answer
    many = hits(10_000)
    many[TEXTS]["hits"]["total"]["relation"] = "gte"
    assert (
        filings(many, **words)
        .answer["notes"][0]
        .startswith("SEC EDGAR found 10,000 documents or more. Only the first 1 ")
    )
    assert (
        "none of the first 1 is one of these" in filings(hits(70), **words, form_type="S-1").error
    )
    assert filings(hits(1), **words, form_type="S-1").answer["resultCount"] == 0


def test_texts_of_filings_before_2001_cannot_be_searched_which_is_told() -> None:
    empty = {TEXTS: {"hits": {"total": {"value": 0}, "hits": []}}}
    told = ["SEC EDGAR searches the texts of filings from 2001 on, of none before."]
    assert (
        filings(
            empty, query="tea prices in a year", date_from="1995-01-01", date_to="1999-12-31"
        ).answer["notes"]
        == told
    )
    assert (
        filings(empty, query="tea prices in a year", date_from="2000-12-31").answer["notes"] == told
    )
    assert (
        "notes" not in filings(empty, query="tea prices in a year", date_from="2001-01-01").answer
    )


def test_a_name_that_is_on_no_list_of_companies_is_told() -> None:
    for arguments in ({"ticker": "NOBODY"}, {"query": "Nobody Ltd of Nowhere", "facts": True}):
        answer = filings({}, **arguments).answer
        (note,) = answer["notes"]
        assert (answer["resultCount"], note[:65]) == (
            0,
            "SEC EDGAR: no company of this name or ticker is on the SEC's list",
        )


def test_headline_figures_that_are_not_found_are_told() -> None:
    figures = {"https://data.sec.gov/api/xbrl/companyfacts/CIK0001234567.json": filed.FIGURES}
    told = "SEC EDGAR: 2 of 10 headline figures stand under one of their usual names; others may stand under another."
    assert filings(figures, ticker="TEA", facts=True).answer["notes"] == [told]
    assert "notes" not in filings(figures, ticker="TEA", facts=True, num_results=2).answer
    none = {"https://data.sec.gov/api/xbrl/": (404, "<Error><Code>NoSuchKey</Code></Error>")}
    answer = filings(none, ticker="TEA", facts=True).answer
    assert (answer["resultCount"], answer["notes"]) == (
        0,
        ["SEC EDGAR has no figures of this company: it files none that programs can read."],
    )


# ---------------------------------------------------------------- opinions, series, the web


def test_opinions_beyond_the_pages_that_are_read_are_told() -> None:
    row = {**cases.ROW, "caseName": "", "caseNameFull": ""}
    pages = [cases.page(cases.ROW if n == 0 else row, cursor="onward") for n in range(9)]

    class Pages(Service):
        def send(self, method: str, url: str, **options: Any) -> Any:
            self.answers = [("", {**pages.pop(0), "count": 812})]
            return super().send(method, url, **options)

    found = courtlistener.search(Pages([]), configured(), CaseQuery("tea", 10))  # type: ignore[arg-type]
    assert found.notes == ("CourtListener found 812 opinions; only the first 3 were read.",)  # type: ignore[attr-defined]
    whole = courtlistener.search(
        Service([("", cases.page(cases.ROW))]), configured(), CaseQuery("tea", 10)
    )  # type: ignore[arg-type]
    assert collect_notes(whole) == ()


def test_an_address_of_more_opinions_that_cannot_be_read_is_a_bad_reply() -> None:
    moved = {
        **cases.page(cases.ROW),
        "next": "https://www.courtlistener.com/api/rest/v4/search/?page=2",
    }
    with pytest.raises(SearchError, match="where its next page begins"):
        asked(courtlistener.search, CaseQuery("tea", 10), ("", moved))
    whole = {name: value for name, value in cases.page(cases.ROW).items() if name != "next"}
    with pytest.raises(SearchError, match="whether there are more"):
        asked(courtlistener.search, CaseQuery("tea", 10), ("", whole))


def test_series_beyond_the_most_popular_are_told() -> None:
    body = {"count": 5321, "seriess": [{"id": "TEA", "title": "Price: Tea"}]}
    found = asked(fred.search, SeriesQuery("tea"), ("", body))
    assert found.notes == (
        "FRED found 5,321 series. Only the 1 most popular of them were looked through.",
    )
    assert asked(fred.search, SeriesQuery("tea"), ("", {**body, "count": 1})).notes == ()
    with pytest.raises(SearchError, match="an id and a title"):
        asked(
            fred.search,
            SeriesQuery("tea"),
            ("", {"count": 1, "seriess": [{"id": "TEA", "name": "Price: Tea"}]}),
        )


@pytest.mark.parametrize(
    ("search", "query"), [(tavily_rows.search, WebQuery), (tavily_rows.search_news, NewsQuery)]
)
def test_a_query_that_is_longer_than_it_takes_is_told(search: Any, query: Any) -> None:
    told = ("Tavily takes 400 characters: the end of the query was not searched for.",)
    assert asked(search, query("tea " * 101), ("", {"results": []})).notes == told
    assert asked(search, query("tea"), ("", {"results": []})).notes == ()
    assert asked(search, query(" tea" * 100), ("", {"results": []})).notes == ()


@pytest.mark.parametrize(
    ("search", "query"),
    [
        (google.search, WebQuery),
        (google.search_news, NewsQuery),
        (google.search_images, ImageQuery),
    ],
)
def test_words_that_google_drops_are_told(search: Any, query: Any) -> None:
    told = ("Google reads the first 32 words of a query: those after them were not searched for.",)
    assert asked(search, query("tea " * 33), ("", google_case.NOTHING)).notes == told
    assert asked(search, query("tea " * 32), ("", google_case.NOTHING)).notes == ()


def test_pages_of_a_domain_that_stand_elsewhere_are_told() -> None:
    rows = [
        {"url": f"https://tides.example.org/{where}/{n}", "title": "Tides"}
        for n, where in enumerate(("blog", "docs", "blog"))
    ]
    found = asked(
        exa.search, WebQuery("tides", site="tides.example.org/docs"), ("", {"results": rows})
    )
    assert [each.url for each in found] == ["https://tides.example.org/docs/1"]
    assert found.notes == (
        "Exa searches whole domains: of the first 3 pages it found there 1 stands where it was asked for.",
    )
    assert (
        asked(
            exa.search, WebQuery("tides", site="tides.example.org"), ("", {"results": rows})
        ).notes
        == ()
    )


def test_engines_of_a_server_that_did_not_answer_beside_others_are_told() -> None:
    row = {
        "url": "https://tides.example.org/",
        "title": "Tides",
        "content": "High.",
        "img_src": "https://tides.example.org/1.png",
    }
    silent = {
        "results": [row],
        "unresponsive_engines": [["bing", "timeout"], ["brave", "too many\u202e requests"]],
    }
    ways = (
        (searxng.search, WebQuery),
        (searxng.search_news, NewsQuery),
        (searxng.search_images, ImageQuery),
    )
    for search, query in ways:
        found = asked(search, query("tea"), ("", silent))
        assert (len(found), found.notes) == (
            1,
            (
                "These engines of SearXNG did not answer: bing (timeout), brave (too many requests).",
            ),
        )
        assert (
            asked(search, query("tea"), ("", {"results": [row], "unresponsive_engines": []})).notes
            == ()
        )


# ---------------------------------------------------------------- places

API = "https://api.search.brave.com/res/v1"


def places(
    known: list[dict[str, Any] | None], ids: int = 0, described: Any = None, **arguments: Any
) -> CallOutcome:
    """known: what is known of the first ids; ids: how many the web search gives."""
    listed = [{"id": f"loc4{n:03}="} for n in range(ids or len(known))]
    answers = {
        f"{API}/web/search": {**brave.NOTHING, "locations": {"results": listed}},
        f"{API}/local/pois": {"results": known},
        f"{API}/local/descriptions": {"results": []} if described is None else described,
    }
    return make_tool_call("local_search", answers, settings=brave.KEYS, query="tea", **arguments)


def tea(number: int, country: str = "US") -> dict[str, Any]:
    return {
        "id": f"loc4{number:03}=",
        "title": f"Tea {number}",
        "coordinates": [47.6, -122.33],
        "postal_address": {"country": country},
    }


def test_descriptions_that_could_not_be_had_are_told_with_the_reason() -> None:
    for described, why in (
        ((500, {}), "Brave answered 500"),
        ("<html>", "cannot be read"),
        ({"results": 7}, "cannot be read"),
    ):
        answer = places([tea(0)], described=described).answer
        (note,) = answer["notes"]
        assert note.startswith("Descriptions could not be had: Brave")
        assert why in note
        assert answer["resultCount"] == 1
    assert "notes" not in places([tea(0)]).answer  # it was asked, and has none of this one


def test_in_one_country_more_places_are_looked_through_than_are_wanted() -> None:
    said = places([tea(n, "CA" if n < 5 else "US") for n in range(12)], country="us", num_results=5)
    assert [each["name"] for each in said.answer["places"]] == [f"Tea {n}" for n in range(5, 10)]
    assert "notes" not in said.answer


def test_places_beyond_those_one_call_takes_are_told() -> None:
    known: list[Any] = [tea(0), *(tea(n, "CA") for n in range(1, 20))]
    answer = places(known, ids=30, country="us").answer
    assert answer["notes"] == [
        "Brave found 30 places. Only the first 20 were looked through, and 1 of them fits."
    ]
    assert (
        "none of the first 20 is one of these"
        in places([*known[1:], None], ids=30, country="us").error
    )
    assert "notes" not in places(known, ids=20, country="us").answer


def test_places_whose_position_nobody_knows_are_told_where_they_are_left_out() -> None:
    here: dict[str, Any] = {"latitude": 47.6, "longitude": -122.33}
    known: list[Any] = [tea(0), {"id": "loc4001=", "title": "Tea 1"}]
    answer = places(known, **here, radius=1000).answer
    assert (answer["resultCount"], answer["notes"]) == (
        1,
        ["Left out, since Brave does not say where they are: 1 of the places."],
    )
    assert "notes" not in places(known, **here).answer
    assert "notes" not in places(known, **here, radius=1000, num_results=1).answer


def test_places_that_brave_found_and_tells_nothing_of_are_told() -> None:
    answer = places([tea(0), None, None]).answer
    assert answer["notes"] == ["Brave found 3 places, and tells nothing of 2 of them."]
    assert "notes" not in places([tea(0), None, None], num_results=1).answer
