"""academic_search, bullet by bullet of its specification (spec/research-tools.md, tool 6); the
indexes are in test_contract.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from lxml import etree

from research_core.errors import FetchError, SearchError
from research_core.journal.deps import Provider
from research_core.models import SearchResult
from research_core.search.providers import PROVIDERS, select_rows, works
from research_core.search.queries import PaperQuery
from research_core.tools import get_tool
from research_core.tools.academic_search import ACADEMIC_SITES
from tests.bullets import Bullets
from tests.contracts import Service, configured
from tests.contracts.arxiv import ENTRY, FEED, NOTHING
from tests.contracts.openalex import EMPTY, WORK
from tests.contracts.pubmed import NUMBERS, RECORDS
from tests.contracts.semanticscholar import WORK as S2_WORK
from tests.tool_calls_made import CallOutcome, for_each_recorded, make_tool_call, replay_call

OPENALEX, SEMANTIC, CROSSREF = (
    "https://api.openalex.org",
    "https://api.semanticscholar.org",
    "https://api.crossref.org",
)
EUTILS, ARXIV, DATACITE = (
    "https://eutils.ncbi.nlm.nih.gov/entrez/eutils",
    "https://export.arxiv.org",
    "https://api.datacite.org",
)
UNPAYWALL, EXA = "https://api.unpaywall.org", "https://api.exa.ai"
INDEXES = [row.name for row in PROVIDERS if row.kind == "papers"]
DOWN = {
    each: FetchError("It is down.", kind="blocked")
    for each in (OPENALEX, SEMANTIC, CROSSREF, EUTILS, ARXIV, DATACITE, EXA)
}
WELL = {
    OPENALEX: {"results": [WORK]},
    SEMANTIC: {"total": 1, "data": [S2_WORK]},
    CROSSREF: {"message": {"items": [{"DOI": "10.1000/bare", "title": ["Bare"]}]}},
    f"{EUTILS}/esearch": NUMBERS,
    f"{EUTILS}/efetch": RECORDS,
    ARXIV: FEED.format(ENTRY),
}
MAIL = {"unpaywall_email": "ada@moor.example"}
bullet = Bullets("academic_search")


def search(answers: Any = None, **arguments: Any) -> CallOutcome:
    return make_tool_call(
        "academic_search", {**WELL, **(answers or {})}, **{"query": "tea", **arguments}
    )


def engine(
    *urls: str, error: SearchError | None = None, name: str = "engine"
) -> tuple[tuple[Provider, ...], list[Any]]:
    """An engine of the web that finds these, and what it is asked."""
    asked: list[Any] = []

    def find(_http: Any, _settings: Any, query: Any) -> list[SearchResult]:
        asked.append(query)
        if error:
            raise error
        return [SearchResult(f"Page {n}", url, "About tea.") for n, url in enumerate(urls)]

    return (Provider(name, "web", find, honours=frozenset({"sites"}), most_sites=100),), asked


def works_of(*rows: dict[str, Any]) -> dict[str, Any]:
    return {OPENALEX: {"results": [WORK | row for row in rows]}}


def pdfless(doi: str, **more: Any) -> dict[str, Any]:
    return {
        "doi": f"https://doi.org/{doi}",
        "best_oa_location": None,
        "open_access": {"is_oa": None},
        **more,
    }


# ---------------------------------------------------------------- behavior


@bullet("an explicit provider is asked and no other")
def _() -> None:
    said = search(provider="semanticscholar")
    assert said.answer["source"] == "semanticscholar"
    assert not said.requests(OPENALEX)
    engines, asked = engine("https://arxiv.org/abs/1901.00001")
    assert (
        "Semantic Scholar"
        in search({SEMANTIC: (500, "")}, provider="semanticscholar", engines=engines).error
    )
    assert asked == []  # nor is the web


@bullet("the order of fallback: provider, router, academic providers, site-restricted web search")
def _() -> None:
    engines, asked = engine("https://arxiv.org/abs/1901.00001")
    assert search(engines=engines).answer["source"] == "openalex"
    assert search({OPENALEX: DOWN[OPENALEX]}, engines=engines).answer["source"] == "semanticscholar"
    routed = search(settings={"routing": {"academic": ("pubmed", "arxiv")}}, engines=engines)
    assert routed.answer["source"] == "pubmed"
    assert not routed.requests(OPENALEX)
    assert asked == []
    down = make_tool_call("academic_search", DOWN, query="tea", engines=engines)
    assert down.answer["source"] == "web_search"
    assert [each.text for each in asked] == ["tea"]
    order = [
        event.data["engine"]
        for event in down.context.log.read()
        if event.kind in ("searched", "search_failed")
    ]
    assert order == [*(name for name in INDEXES if name != "exa"), "engine"]


@bullet("the first answer without an error counts, even an empty one")
def _() -> None:
    said = search({OPENALEX: EMPTY})
    assert (said.answer["papers"], said.answer["source"]) == ([], "openalex")
    assert not said.requests(SEMANTIC)


@bullet("academic providers give rich metadata: DOI, authors, citations, open access")
def _() -> None:
    (paper,) = search().answer["papers"]
    assert paper == {
        "title": "Tea & colds",
        "url": "https://doi.org/10.1000/tea.1",
        "source": "openalex",
        "doi": "10.1000/tea.1",
        "authors": ["Ada Moor", "Bo Reed"],
        "journal": "Annals of Tea",
        "year": 2019,
        "abstract": "Tea helps Tea colds.",
        "citationCount": 0,
        "openAccess": True,
        "pdfUrl": "https://tea.example/1.pdf",
        "retracted": True,
    }


@bullet("metadata varies by provider: a field that lacks is one it does not know, never an error")
def _() -> None:
    (bare,) = search(provider="crossref").answer["papers"]
    assert bare == {
        "title": "Bare",
        "url": "https://doi.org/10.1000/bare",
        "source": "crossref",
        "doi": "10.1000/bare",
    }


@bullet("Semantic Scholar adds tldr and isInfluential")
def _() -> None:
    (paper,) = search(provider="semanticscholar").answer["papers"]
    assert (paper["tldr"], paper["isInfluential"]) == ("Tea.", True)
    assert "tldr" in search(provider="semanticscholar").params(SEMANTIC)[0]["fields"].split(",")


@bullet(
    "PubMed returns biomedical records: title, authors, year, venue, DOI, and here the abstract too"
)
def _() -> None:
    paper = search(provider="pubmed").answer["papers"][0]
    assert (paper["title"], paper["authors"], paper["year"], paper["journal"]) == (
        "Tea and colds",
        ["Ada Moor"],
        2019,
        "Annals of Tea",
    )
    assert (paper["doi"], paper["abstract"]) == (
        "10.1038/tea.1",
        "AIM: To know.\n\nRESULT: It helps.",
    )


@bullet("automatic selection prefers OpenAlex; others answer when forced or as a fallback")
def _() -> None:
    assert INDEXES[:6] == ["openalex", "semanticscholar", "crossref", "pubmed", "arxiv", "datacite"]
    assert search().answer["source"] == "openalex"
    assert search(provider="arxiv").answer["source"] == "arxiv"


@bullet(
    "where no academic provider answers it is a site-restricted web search, and gives nothing of other sites"
)
def _() -> None:
    engines, asked = engine(
        "https://arxiv.org/pdf/1901.00001",
        "https://evil.example/?arxiv.org",
        "https://www.nature.com/articles/tea",
    )
    answer = make_tool_call("academic_search", DOWN, query="tea", engines=engines).answer
    assert answer["source"] == "web_search"
    assert [paper["url"] for paper in answer["papers"]] == [
        "https://arxiv.org/pdf/1901.00001",
        "https://www.nature.com/articles/tea",
    ]
    assert answer["papers"][0] == {
        "title": "Page 0",
        "url": "https://arxiv.org/pdf/1901.00001",
        "source": "engine",
        "doi": "10.48550/arxiv.1901.00001",
        "abstract": "About tea.",
        "pdfUrl": "https://arxiv.org/pdf/1901.00001",
    }
    assert asked[0].sites == ACADEMIC_SITES


@bullet("a page of the web is listed once, under its canonical address, its words cleaned")
def _() -> None:
    rows = [
        SearchResult(
            f"Tea\u202e\U000e0041{n}",
            f"https://arxiv.org/abs/1901.00001?utm_source={n}",
            "A\u200bbout tea.",
        )
        for n in range(3)
    ]
    engines = (
        Provider("engine", "web", lambda *_: rows, honours=frozenset({"sites"})),
    )  # asked twice, about half of the sites each
    (paper,) = make_tool_call("academic_search", DOWN, query="tea", engines=engines).answer[
        "papers"
    ]
    assert (paper["title"], paper["url"], paper["abstract"]) == (
        "Tea0",
        "https://arxiv.org/abs/1901.00001",
        "About tea.",
    )


@bullet("a provider of the web that is forced searches academic sites, and is called web_search")
def _() -> None:
    engines, asked = engine("https://arxiv.org/abs/1901.00001", name="ddgs:mojeek")
    for name in ("mojeek", "ddgs:mojeek"):
        said = search(provider=name, engines=engines)
        assert said.answer["source"] == "web_search"
        assert not said.services.asked
    assert all(each.sites == ACADEMIC_SITES for each in asked)


@bullet("no index needs a key; keys raise their limits and are in no address that is kept")
def _() -> None:
    for row in PROVIDERS:
        assert row.kind != "papers" or row.name == "exa" or not row.needs
    keys = {
        "openalex_api_key": "openalex-key",
        "pubmed_api_key": "pubmed-key",
        "semantic_scholar_api_key": "scholar-key",
    }
    assert search(settings=keys).params(OPENALEX)[0]["api_key"] == "openalex-key"
    assert "api_key" not in search().params(OPENALEX)[0]
    assert {
        each["api_key"] for each in search(settings=keys, provider="pubmed").params(EUTILS)
    } == {"pubmed-key"}
    ((_, _, options),) = search(settings=keys, provider="semanticscholar").requests(SEMANTIC)
    assert options["headers"]["x-api-key"] == "scholar-key"
    for name in ("openalex", "pubmed", "semanticscholar"):
        kept = repr(
            [event.data for event in search(settings=keys, provider=name).context.log.read()]
        )
        assert "-key" not in kept, name


@bullet("PubMed is told who asks: a tool, and a mail address where there is one")
def _() -> None:
    params = search(provider="pubmed", settings={"openalex_email": "ada@moor.example"}).params(
        EUTILS
    )
    assert [(each["tool"], each["email"]) for each in params] == [("assay", "ada@moor.example")] * 2
    assert all("email" not in each for each in search(provider="pubmed").params(EUTILS))


@bullet("PubMed's records carry their DOIs and say what is retracted, as every other provider's do")
def _() -> None:
    retracted, other = search(provider="pubmed").answer["papers"]
    assert (retracted["doi"], retracted["retracted"]) == ("10.1038/tea.1", True)
    assert "retracted" not in other


@bullet("a used-up budget of OpenAlex is rate_limited, and the next step names the key")
def _() -> None:
    spent = {
        **DOWN,
        OPENALEX: (429, {"error": "Rate limit exceeded", "message": "Insufficient budget."}),
    }
    assert (
        "set OPENALEX_API_KEY"
        in make_tool_call("academic_search", spent, query="tea", provider="openalex").error
    )
    for body in (
        {"error": "Rate limit exceeded"},
        {"error": "Forbidden", "message": "Your daily budget is used up."},
    ):
        refused = make_tool_call(
            "academic_search", {**DOWN, OPENALEX: (403, body)}, query="tea", provider="openalex"
        ).error
        assert "set OPENALEX_API_KEY" in refused
    assert (
        "Check OPENALEX_API_KEY."
        in search({OPENALEX: (403, {"error": "Invalid key"})}, provider="openalex").error
    )
    with_key = make_tool_call(
        "academic_search",
        spent,
        query="tea",
        provider="openalex",
        settings={"openalex_api_key": "openalex-key"},
    ).error
    assert "set OPENALEX_API_KEY" not in with_key
    assert "tomorrow" in with_key


@bullet(
    "hyphens and operators are stripped from what Semantic Scholar is asked, which finds nothing with them"
)
def _() -> None:
    for by in ("relevance", "date"):
        said = search(
            query='COVID-19 (self-efficacy) "tea"', provider="semanticscholar", sort_by=by
        )
        assert said.params(SEMANTIC)[0]["query"] == "COVID 19 self efficacy tea"
    assert search(query="--", provider="semanticscholar").params(SEMANTIC)[0]["query"] == "--"


@bullet("quotes are stripped from what OpenAlex is asked, since a phrase finds next to nothing")
def _() -> None:
    assert (
        search(query='"green tea" and “colds”?').params(OPENALEX)[0]["search"]
        == "green tea and colds"
    )


# ---------------------------------------------------------------- Unpaywall


@bullet("works with a DOI and without a PDF get the one that Unpaywall knows")
def _() -> None:
    known = {
        UNPAYWALL: {
            "is_oa": True,
            "best_oa_location": {"url_for_pdf": "https://tea.example/free.pdf"},
        }
    }
    said = search({**works_of(pdfless("10.1000/a")), **known}, settings=MAIL)
    (paper,) = said.answer["papers"]
    assert (paper["pdfUrl"], paper["openAccess"]) == ("https://tea.example/free.pdf", True)
    assert said.requests(UNPAYWALL)[0][1].endswith("/10.1000/a")
    assert (
        replay_call(said, "academic_search", query="tea") == said.answer
    )  # where no mail address is set
    assert said.shelf.put_s == [3600.0, 86_400.0]  # what it knows is kept for a day


@bullet(
    "a work is open where anybody knows a free copy, closed where nobody does and one says so, and else neither"
)
def _() -> None:
    free, closed = (
        {"is_oa": True, "best_oa_location": {"url_for_pdf": "https://tea.example/free.pdf"}},
        {"is_oa": False},
    )
    for index, other, told in (
        (True, closed, True),
        (False, free, True),
        (None, free, True),
        (False, closed, False),
        (None, closed, False),
    ):
        row = pdfless("10.1000/a", open_access={"is_oa": index})
        (paper,) = search({**works_of(row), UNPAYWALL: other}, settings=MAIL).answer["papers"]
        assert paper["openAccess"] is told, (index, other)
    unknown = search({**works_of(pdfless("10.1000/a")), UNPAYWALL: (404, "")}, settings=MAIL)
    assert "openAccess" not in unknown.answer["papers"][0]
    assert not any("openAccess" in paper for paper in search(provider="pubmed").answer["papers"])
    counted = {
        each: value
        for each, value in S2_WORK.items()
        if each not in ("influentialCitationCount", "isOpenAccess")
    }
    (paper,) = search(
        {SEMANTIC: {"total": 1, "data": [counted]}}, provider="semanticscholar"
    ).answer["papers"]
    assert not {"isInfluential", "openAccess"} & set(paper)


@bullet("a PDF that the provider gives is never overwritten, nor looked up")
def _() -> None:
    said = search(settings=MAIL)
    assert said.answer["papers"][0]["pdfUrl"] == "https://tea.example/1.pdf"
    assert not said.requests(UNPAYWALL)


@bullet("Unpaywall never fails a search: what it could not tell is said, and it is asked no more")
def _() -> None:
    for failure in (
        (429, ""),
        (401, ""),
        (200, "<html>"),
        FetchError("It is down.", kind="blocked"),
    ):
        said = search(
            {**works_of(pdfless("10.1000/a"), pdfless("10.1000/b")), UNPAYWALL: failure},
            settings=MAIL,
        )
        assert [paper["doi"] for paper in said.answer["papers"]] == ["10.1000/a", "10.1000/b"]
        assert {address for _, address, _ in said.requests(UNPAYWALL)} == {
            f"{UNPAYWALL}/v2/10.1000/a"
        }
        assert said.answer["notes"][0].startswith(
            "PDFs that Unpaywall knows may be missing: Unpaywall"
        )
    unknown = search(
        {**works_of(pdfless("10.1000/a")), UNPAYWALL: (404, {"error": True})}, settings=MAIL
    )
    assert "notes" not in unknown.answer
    assert "pdfUrl" not in unknown.answer["papers"][0]


@bullet("Unpaywall is asked before pdf_only, so that what it knows counts")
def _() -> None:
    known = {
        UNPAYWALL: {
            "is_oa": True,
            "best_oa_location": {"url_for_pdf": "https://tea.example/free.pdf"},
        }
    }
    answer = search(
        {**works_of(pdfless("10.1000/a")), **known}, settings=MAIL, pdf_only=True
    ).answer
    assert [paper["pdfUrl"] for paper in answer["papers"]] == ["https://tea.example/free.pdf"]


@bullet("Unpaywall is not asked where no mail address is set")
def _() -> None:
    assert not search(works_of(pdfless("10.1000/a"))).requests(UNPAYWALL)


# ---------------------------------------------------------------- filters


@bullet("source: OpenAlex filters by the id of the source")
def _() -> None:
    wanted = {
        "arxiv": "S4306400194",
        "pubmed": "S4306525036",
        "ieee": "P4310319808",
        "nature": "P4310319908",
        "springer": "P4310319965",
    }
    for source, id in wanted.items():
        assert search(source=source).params(OPENALEX)[0]["filter"].endswith(f":{id}"), source
    assert "filter" not in search(source="all").params(OPENALEX)[0]


@bullet("source: the web fallback is restricted to its domain")
def _() -> None:
    for source, site in works.HOSTS.items():
        engines, asked = engine(f"https://{site}/tea", "https://jstor.org/tea")
        answer = make_tool_call(
            "academic_search", DOWN, query="tea", source=source, engines=engines
        ).answer
        assert asked[0].sites == (site,)
        assert [paper["url"] for paper in answer["papers"]] == [f"https://{site}/tea"]
        assert "ignoredParameters" not in answer


@bullet("source: every index goes by it, says that it cannot, or has it reported")
def _() -> None:
    for name in ("semanticscholar", "pubmed", "arxiv"):
        answer = search(provider=name, source="nature").answer
        assert [paper["doi"] for paper in answer["papers"]] == ["10.1038/tea.1"], name
        assert "ignoredParameters" not in answer, name
        assert search(provider=name, source="ieee").answer["papers"] == [], name
    assert (
        "cannot tell which of its works are of the source 'arxiv'"
        in search(provider="pubmed", source="arxiv").error
    )
    assert (
        "cannot tell which of its works are of the source 'pubmed'"
        in search(provider="arxiv", source="pubmed").error
    )
    assert search(provider="arxiv", source="arxiv").answer["resultCount"] == 1
    assert search(provider="semanticscholar", source="arxiv").answer["resultCount"] == 1
    assert search(provider="semanticscholar", source="pubmed").answer["resultCount"] == 0


@bullet("sort_by=date: OpenAlex sorts by publication_date:desc, Crossref by published")
def _() -> None:
    assert search(sort_by="date").params(OPENALEX)[0]["sort"] == "publication_date:desc"
    params = search(sort_by="date", provider="crossref").params(CROSSREF)[0]
    assert (params["sort"], params["order"]) == ("published", "desc")
    assert "sort" not in search(sort_by="relevance").params(OPENALEX)[0]


@bullet("sort_by=date: PubMed, arXiv and Semantic Scholar sort too")
def _() -> None:
    assert (
        search(sort_by="date", provider="pubmed").params(f"{EUTILS}/esearch")[0]["sort"]
        == "pub_date"
    )
    assert search(sort_by="date", provider="arxiv").params(ARXIV)[0]["sortBy"] == "submittedDate"
    newest = search(sort_by="date", provider="semanticscholar")
    assert newest.requests(SEMANTIC)[0][1].endswith("/search/bulk")
    assert newest.params(SEMANTIC)[0]["sort"] == "publicationDate:desc"


@bullet("open_access is asked of the index, and reported where it cannot go by it")
def _() -> None:
    assert search(open_access=True).params(OPENALEX)[0]["filter"] == "open_access.is_oa:true"
    assert (
        search(open_access=True, provider="semanticscholar").params(SEMANTIC)[0]["openAccessPdf"]
        == ""
    )
    free = search(open_access=True, provider="pubmed")
    assert free.params(f"{EUTILS}/esearch")[0]["term"] == '(tea) AND "free full text"[sb]'
    assert all(paper["openAccess"] for paper in free.answer["papers"])
    assert search(open_access=True, provider="crossref").answer["ignoredParameters"] == [
        "open_access"
    ]


@bullet("year_from and year_to are asked of the index, both inclusive")
def _() -> None:
    years = {"year_from": 2018, "year_to": 2020}
    assert (
        search(**years).params(OPENALEX)[0]["filter"]
        == "from_publication_date:2018-01-01,to_publication_date:2020-12-31"
    )
    assert search(**years, provider="semanticscholar").params(SEMANTIC)[0]["year"] == "2018-2020"
    assert search(year_from=2018, provider="semanticscholar").params(SEMANTIC)[0]["year"] == "2018-"
    one_end = search(year_to=2020, provider="pubmed").params(f"{EUTILS}/esearch")[0]
    assert (one_end["datetype"], one_end["mindate"], one_end["maxdate"]) == (
        "pdat",
        "1500",
        "2020",
    )  # NCBI wants both ends
    assert (
        "[201801010000 TO 202012312359]"
        in search(**years, provider="arxiv").params(ARXIV)[0]["search_query"]
    )
    assert "after" in search(year_from=2021, year_to=2020).error


@bullet(
    "pdf_only leaves out what has no PDF after the search, which may reduce the count, and says so"
)
def _() -> None:
    answers = works_of({}, pdfless("10.1000/a"), pdfless("10.1000/b"))
    answer = search(answers, pdf_only=True).answer
    assert (answer["resultCount"], answer["totalResults"]) == (1, 3)
    assert answer["notes"] == ["2 of the 3 papers found have no known PDF and are left out."]
    assert (
        search(answers, pdf_only=True).params(OPENALEX)[0]["per_page"] == "15"
    )  # more are looked through than are wanted
    assert search(answers).answer["resultCount"] == 3
    assert "notes" not in search(answers).answer


@bullet("where pdf_only leaves nothing its hints name it")
def _() -> None:
    hints = search(works_of(pdfless("10.1000/a")), pdf_only=True, year_from=2018).answer["hints"]
    assert hints["filtersApplied"] == {"pdf_only": True, "year_from": 2018}
    assert hints["suggestedActions"][0] == {"action": "remove_filter", "filter": "pdf_only"}


@bullet("what a web search cannot go by is reported")
def _() -> None:
    engines, _asked = engine("https://arxiv.org/abs/1901.00001")
    said = make_tool_call(
        "academic_search",
        DOWN,
        query="tea",
        engines=engines,
        year_from=2018,
        sort_by="date",
        open_access=True,
        source="arxiv",
    )
    assert said.answer["ignoredParameters"] == ["year_from", "sort_by", "open_access"]


# ---------------------------------------------------------------- the pool, the cache, the frame


@bullet("the academic site pool of the web search")
def _() -> None:
    assert len(ACADEMIC_SITES) == 17
    assert {"arxiv.org", "scholar.google.com", "dl.acm.org", "wiley.com", "medrxiv.org"} < set(
        ACADEMIC_SITES
    )
    engines, asked = engine()
    make_tool_call("academic_search", DOWN, query="tea", engines=engines)
    assert asked[0].sites == ACADEMIC_SITES


@bullet("results are kept for an hour")
def _() -> None:
    for name in ("openalex", "semanticscholar", "crossref", "pubmed", "arxiv"):
        assert search(provider=name).kept_s == 3600, name
    assert search({OPENALEX: (500, "")}, provider="openalex").kept_s is None


@bullet("it is read-only, idempotent and asks the open world")
def _() -> None:
    row = get_tool("academic_search")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world, row.asks) == (True, True, True, "papers")


@bullet("query is required, of 1 to 500 characters")
def _() -> None:
    assert "query" in make_tool_call("academic_search", WELL).error
    assert "query" in search(query="").error
    assert "query" in search(query="x" * 501).error
    assert "something to search for" in search(query=" ").error


@bullet("num_results is between 1 and 10, and 5 by default")
def _() -> None:
    assert search().params(OPENALEX)[0]["per_page"] == "5"
    assert all("num_results" in search(num_results=each).error for each in (0, 11))
    assert search(works_of({}, {}, {}), num_results=2).answer["resultCount"] == 2


@bullet("years are between 1900 and 2030, source and sort_by are of their lists")
def _() -> None:
    for wrong in (
        {"year_from": 1899},
        {"year_to": 2031},
        {"source": "jstor"},
        {"sort_by": "citations"},
    ):
        assert next(iter(wrong)) in search(**wrong).error


@bullet("abstracts have up to 500 characters, cut between words and never within a character")
def _() -> None:
    long = {"äöü𝒳𝒴 word": [0]} | {f"wörter𝒳{n}": [n] for n in range(1, 200)}
    (paper,) = search(works_of({"abstract_inverted_index": long})).answer["papers"]
    abstract = paper["abstract"]
    assert 480 < len(abstract) <= 500
    assert abstract.endswith("…")
    assert abstract.removesuffix("…").split()[-1] in long
    json.dumps(abstract).encode("ascii")
    exact = {"x" * 500: [0]}
    assert (
        search(works_of({"abstract_inverted_index": exact})).answer["papers"][0]["abstract"]
        == "x" * 500
    )


@bullet(
    "totalResults is how many the provider has in all; where it does not say, or they are sifted here, how many were found"
)
def _() -> None:
    said = {"meta": {"count": 48211}, "results": [WORK]}
    assert [search({OPENALEX: said}).answer[name] for name in ("totalResults", "resultCount")] == [
        48211,
        1,
    ]
    assert search({OPENALEX: {"results": [WORK]}}).answer["totalResults"] == 1
    many = {"total": 48211, "data": [S2_WORK]}
    counts = [
        search({SEMANTIC: many}, provider="semanticscholar", **more).answer["totalResults"]
        for more in ({}, {"source": "arxiv"})
    ]
    assert counts == [48211, 1]


@bullet(
    "the answer has query, totalResults, resultCount, source and trust; hints where there is nothing"
)
def _() -> None:
    answer = search().answer
    assert (answer["query"], answer["totalResults"], answer["resultCount"]) == ("tea", 1, 1)
    assert (answer["source"], answer["trust"]) == ("openalex", "untrusted-external-content")
    assert "hints" not in answer
    hints = search({OPENALEX: EMPTY}, year_from=2018).answer["hints"]
    assert hints["reason"] == "filters_too_restrictive"
    assert hints["filtersApplied"] == {"year_from": 2018}
    assert "semanticscholar" in hints["suggestedActions"][-1]["providers"]


@bullet("an empty provider is none")
def _() -> None:
    assert search(provider="").answer["source"] == "openalex"


@bullet("an unknown provider lists those there are")
def _() -> None:
    error = search(provider="scopus").error
    assert all(
        name in error
        for name in (
            "openalex, semanticscholar, crossref, pubmed, arxiv",
            "ddgs:duckduckgo",
            "searxng",
        )
    )


@bullet(
    "where the indexes and the web fail, that is a failure with both reasons, not an empty answer"
)
def _() -> None:
    engines, _asked = engine(
        error=SearchError("The engine is out of order.", kind="upstream_unavailable")
    )
    error = make_tool_call("academic_search", DOWN, query="tea", engines=engines).error
    assert "OpenAlex: It is down." in error
    assert "The engine is out of order." in error


@bullet("where the indexes fail and the web finds nothing, that is a failure too")
def _() -> None:
    for pages in ((), ("https://evil.example/?arxiv.org",)):
        error = make_tool_call(
            "academic_search", DOWN, query="tea", engines=engine(*pages)[0]
        ).error
        assert "OpenAlex: It is down." in error
        assert "The web search of academic sites found nothing." in error


@bullet(
    "an address that is none is nobody's: neither a work's, nor its PDF's, nor a source of the session"
)
def _() -> None:
    for bad in ("javascript:alert(1)", "data:text/html,x", "document:0123"):
        at = {"landing_page_url": bad, "pdf_url": bad}
        said = search(
            works_of(
                {
                    "doi": None,
                    "primary_location": at,
                    "best_oa_location": at,
                    "open_access": {"oa_url": f"{bad}.pdf"},
                }
            )
        )
        (paper,) = said.answer["papers"]
        assert (paper["url"], "pdfUrl" in paper) == ("https://openalex.org/W1", False)
        assert list(said.context.source_metadata) == ["https://openalex.org/W1"]
        body = S2_WORK | {"externalIds": {}, "url": bad, "openAccessPdf": {"url": bad}}
        (paper,) = search(
            {SEMANTIC: {"total": 1, "data": [body]}}, provider="semanticscholar"
        ).answer["papers"]
        assert (paper["url"], "pdfUrl" in paper) == (
            "https://www.semanticscholar.org/paper/ab12",
            False,
        )


@bullet("what it finds is a source of the session; a session that is not there is refused")
def _() -> None:
    known = search().context.source_metadata
    assert {url: source["snippet"] for url, source in known.items()} == {
        "https://doi.org/10.1000/tea.1": "Tea helps Tea colds."
    }
    assert "Session not found" in search(sessionId="s-1").error


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


# ---------------------------------------------------------------- what the services really say


def answered(
    body: bytes, start: str, provider: str, status: int = 200, **answers: Any
) -> CallOutcome:
    return make_tool_call(
        "academic_search",
        {start: (status, body), **answers},
        query="tea",
        provider=provider,
        num_results=10,
    )


@for_each_recorded("openalex_works_search_2.json", "openalex_works_search_3.json")
def test_recorded_works_of_openalex_are_read(body: bytes, name: str) -> None:
    papers = answered(body, OPENALEX, "openalex").answer["papers"]
    first = {
        "openalex_works_search_2.json": (
            2,
            "Augmenting large language models with chemistry tools",
            "10.1038/s42256-024-00832-8",
            "Nature Machine Intelligence",
            2024,
            "Andres M. Bran",
            "https://www.nature.com/articles/s42256-024-00832-8.pdf",
        ),
        "openalex_works_search_3.json": (
            1,
            "Effect of native oxide layers on copper thin-film tensile properties: A reactive molecular dynamics study",
            "10.1063/1.4938384",
            "Journal of Applied Physics",
            2015,
            "Michael Skarlinski",
            None,
        ),
    }[name]
    paper = papers[0]
    assert first == (
        len(papers), paper["title"], paper["doi"], paper["journal"], paper["year"], paper["authors"][0], paper.get("pdfUrl")
    )  # fmt: skip
    assert paper["retracted"] is False
    assert paper["citationCount"] > 0


@for_each_recorded(
    "openalex_docs_3.txt",
    "openalex_docs_4.txt",
    "openalex_work_by_doi_1.json",
    "openalex_work_by_doi_2.json",
)
def test_recorded_answers_of_other_shapes_are_no_empty_list_of_openalex(
    body: bytes, name: str
) -> None:
    assert "cannot be read" in answered(body, OPENALEX, "openalex").error


@for_each_recorded(
    "s2_search_4.json",
    "s2_search_match_1.json",
    "s2_search_match_2.json",
    "s2_search_match_3.json",
    "s2_search_match_6.json",
)
def test_recorded_works_of_semantic_scholar_are_read(body: bytes, name: str) -> None:
    papers = answered(body, SEMANTIC, "semanticscholar").answer["papers"]
    first, doi, authors = {
        "s2_search_4.json": (
            "Lady Lovelace’s Objection: The Turing–Hartree Disputes Over the Meaning",
            None,
            None,
        ),
        "s2_search_match_1.json": (
            "Convalescent-anti-sars-cov-2-plasma/immune-globulin",
            "10.1007/s40278-023-33114-1",
            None,
        ),
        "s2_search_match_2.json": (
            "Augmenting large language models with chemistry tools",
            "10.1038/s42256-024-00832-8",
            6,
        ),
        "s2_search_match_3.json": (
            "PaperQA: Retrieval-Augmented Generative Agent for",
            "10.48550/arxiv.2312.07559",
            6,
        ),
        "s2_search_match_6.json": (
            "Augmenting large language models with chemistry tools",
            "10.1038/s42256-024-00832-8",
            None,
        ),
    }[name]
    assert papers[0]["title"].startswith(first)
    assert papers[0].get("doi") == doi
    assert authors is None or len(papers[0]["authors"]) == authors
    assert len(papers) == (10 if name == "s2_search_4.json" else 1)


@for_each_recorded("s2_search_5.json")
def test_a_recorded_answer_of_semantic_scholar_that_says_there_is_nothing_is_empty(
    body: bytes, name: str
) -> None:
    assert answered(body, SEMANTIC, "semanticscholar").answer["papers"] == []


@for_each_recorded(
    "s2_search_6.json", "s2_search_7.json", "s2_search_bulk_2.json", "s2_author_1.json", "s2_paper_1.json", "s2_batch_1.json",
    "s2_recommendations_2.json", "s2_recommendations_4.json",
)  # fmt: skip
def test_recorded_answers_without_titles_or_of_other_endpoints_are_no_empty_list(
    body: bytes, name: str
) -> None:
    """The first three were asked for numbers alone."""
    assert "cannot be read" in answered(body, SEMANTIC, "semanticscholar").error


@for_each_recorded(
    "s2_paper_7_http404.json",
    "s2_paper_9_http404.json",
    "s2_author_4_http404.json",
    "s2_search_match_7_http404.json",
)
def test_recorded_refusals_of_semantic_scholar_keep_their_words(body: bytes, name: str) -> None:
    error = answered(body, SEMANTIC, "semanticscholar", 404).error
    assert "Semantic Scholar answered 404" in error
    assert "not found" in error


#: The first record of each set: beginning of the title, number of authors, year, DOI, beginning of
#: the abstract.
FIRST: dict[str, tuple[Any, ...]] = {
    "pubmed_efetch_1.xml": (
        "Improved survival with MEK",
        26,
        2012,
        "10.1056/nejmoa1203421",
        "BACKGROUND: Activating mutations",
    ),
    "pubmed_efetch_3.xml": (
        "Is cryopreservation a homogeneous",
        8,
        2001,
        "10.1006/cryo.2001.2328",
        "This study subdivides",
    ),
    "pubmed_efetch_4.xml": (
        "Leucocyte telomere length",
        22,
        2016,
        "10.1136/gutjnl-2016-312510",
        "OBJECTIVE: Telomere",
    ),
    "pubmed_efetch_5.xml": (
        "Occupational pesticide exposure",
        12,
        2017,
        "10.1136/oemed-2017-104431",
        "OBJECTIVES: Animal studies",
    ),
    "pubmed_efetch_6.xml": (
        'A "Blood Relationship" Between',
        2,
        2018,
        "10.3389/fphys.2018.01034",
        "Maximal Lactate Steady State",
    ),
    "pubmed_efetch_corrections_1.xml": (
        "[Effect of fetal and neonatal",
        2,
        1996,
        None,
        "The findings of many authors",
    ),
}


def numbered(body: bytes) -> list[str]:
    """The numbers of the records in a set."""
    return [each.text for each in etree.fromstring(body).iterfind("./*/*/PMID")]


@for_each_recorded(*FIRST)
def test_recorded_records_of_pubmed_are_read(body: bytes, name: str) -> None:
    numbers = numbered(body)
    found = {"esearchresult": {"count": str(len(numbers)), "idlist": numbers}}
    papers = answered(body, f"{EUTILS}/efetch", "pubmed", **{f"{EUTILS}/esearch": found}).answer[
        "papers"
    ]
    assert len(papers) == min(len(numbers), 10)
    assert all(paper["title"] and paper["year"] > 1900 and paper["journal"] for paper in papers)
    first, (title, authors, year, doi, abstract) = papers[0], FIRST[name]
    assert first["title"].startswith(title)
    assert first["abstract"].startswith(abstract)
    assert (len(first["authors"]), first["year"], first.get("doi")) == (authors, year, doi)
    assert [paper.get("retracted", False) for paper in papers].count(True) == (
        3 if name == "pubmed_efetch_corrections_1.xml" else 0
    )


@for_each_recorded("pubmed_esearch_6.json")
def test_a_recorded_list_of_numbers_is_asked_for(body: bytes, name: str) -> None:
    said = answered(body, f"{EUTILS}/esearch", "pubmed", **{f"{EUTILS}/efetch": RECORDS})
    assert said.params(f"{EUTILS}/efetch")[0]["id"].split(",")[:2] == ["42555032", "42553597"]


@for_each_recorded("pubmed_esearch_4.json")
def test_a_recorded_refusal_of_ncbi_at_status_200_is_a_failure(body: bytes, name: str) -> None:
    said = answered(body, EUTILS, "pubmed")
    assert "API rate limit exceeded" in said.error
    assert "PUBMED_API_KEY" in said.error
    assert "REDACTED" not in said.error.upper()  # whose address was refused is nobody's business


@for_each_recorded(
    "pubmed_esummary_1.json", "pubmed_esummary_3.json", "pubmed_idconv_1.json", "pubmed_xml_eutils_3.xml", "pubmed_xml_eutils_5.xml",
    "pubmed_xml_eutils_6.xml", "pubmed_xml_eutils_7.xml", "pubmed_xml_eutils_8.xml",
)  # fmt: skip
def test_recorded_answers_of_other_shapes_are_no_empty_list_of_pubmed(
    body: bytes, name: str
) -> None:
    assert "cannot be read" in answered(body, EUTILS, "pubmed").error
    assert (
        "cannot be read"
        in answered(body, f"{EUTILS}/efetch", "pubmed", **{f"{EUTILS}/esearch": NUMBERS}).error
    )


@for_each_recorded("pubmed_esummary_2_http414.xml")
def test_a_recorded_page_of_refusal_is_a_failure(body: bytes, name: str) -> None:
    assert "PubMed answered 414" in answered(body, EUTILS, "pubmed", 414).error


@for_each_recorded("arxiv_query_2.xml", "arxiv_query_4.xml")
def test_recorded_feeds_of_arxiv_are_read(body: bytes, name: str) -> None:
    (paper,) = answered(body, ARXIV, "arxiv").answer["papers"]
    title, url, author, year = {
        "arxiv_query_2.xml": (
            "Proceedings of Workshop AEW10",
            "https://arxiv.org/abs/1707.08567",
            "Kees A. Schouhamer Immink",
            2017,
        ),
        "arxiv_query_4.xml": (
            "Heat-bath random walks",
            "https://arxiv.org/abs/1605.08386",
            "Caprice Stanley",
            2016,
        ),
    }[name]
    assert paper["title"].startswith(title)
    assert (paper["url"], paper["authors"][0], paper["year"]) == (url, author, year)
    assert paper["pdfUrl"] == url.replace("/abs/", "/pdf/")
    assert paper["doi"] == f"10.48550/arxiv.{url.rpartition('/')[2]}"
    assert 400 < len(paper["abstract"]) <= 500


@for_each_recorded("arxiv_query_1.xml")
def test_a_recorded_feed_without_entries_is_empty(body: bytes, name: str) -> None:
    assert answered(body, ARXIV, "arxiv").answer["papers"] == []


# ---------------------------------------------------------------- what arXiv and NCBI are asked, and how they fail


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("the tea of colds", {"search_query": "all:tea AND all:colds"}),
        (
            'tea AND "cold:x" ANDNOT (y',
            {"search_query": "all:tea AND all:cold AND all:x AND all:andnot AND all:y"},
        ),
        ("what is the", {"search_query": "all:what AND all:is AND all:the"}),
        ("1901.00001v2", {"id_list": "1901.00001"}),
        ("arXiv:math/0001001", {"id_list": "math/0001001"}),
        ("10.48550/arXiv.1901.00001", {"id_list": "1901.00001"}),
    ],
)
def test_arxiv_is_asked_for_words_or_for_one_paper(query: str, asked: dict[str, str]) -> None:
    (params,) = search(query=query, provider="arxiv").params(ARXIV)
    assert asked.items() <= params.items()
    assert ("id_list" in params) != ("search_query" in params)


@pytest.mark.parametrize(
    "body",
    [
        {"esearchresult": {"ERROR": "Search Backend failed: Database is not supported: pubmd"}},
        {"header": {}, "ERROR": "Search Backend failed"},
        {"error": "Search Backend failed"},
    ],
)
def test_failures_that_ncbi_tells_at_status_200_are_failures(body: Any) -> None:
    error = search({f"{EUTILS}/esearch": body}, provider="pubmed").error
    assert error.startswith("PubMed failed (Search Backend failed")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"error":"API rate limit exceeded"}', "API rate limit exceeded"),
        (
            "<eFetchResult><ERROR>Unable to obtain query</ERROR></eFetchResult>",
            "Unable to obtain query",
        ),
    ],
)
def test_failures_of_the_second_call_are_failures(body: str, words: str) -> None:
    assert words in search({f"{EUTILS}/efetch": body}, provider="pubmed").error


def test_records_of_pubmed_stand_in_the_order_of_the_match() -> None:
    assert [paper["title"] for paper in search(provider="pubmed").answer["papers"]] == [
        "Tea and colds",
        "Coffee",
    ]


def test_a_feed_of_arxiv_that_found_something_and_lists_nothing_is_a_failure() -> None:
    empty = FEED.format("<opensearch:totalResults>39215</opensearch:totalResults>")
    assert "lists nothing" in search({ARXIV: empty}, provider="arxiv").error
    assert search({ARXIV: FEED.format(NOTHING)}, provider="arxiv").answer["papers"] == []


def test_numbers_of_pubmed_that_lack_are_no_empty_answer() -> None:
    lacking = {"esearchresult": {"count": "40362", "idlist": []}}
    assert "lists nothing" in search({f"{EUTILS}/esearch": lacking}, provider="pubmed").error


@pytest.mark.parametrize(("provider", "body"), [("pubmed", RECORDS), ("arxiv", FEED.format(ENTRY))])
def test_no_xml_of_another_shape_breaks_a_reader(provider: str, body: str) -> None:
    """Each element in turn lacks, is empty, or is another: what is made of it are papers with
    titles, or a failure.
    """
    (row,) = select_rows([provider], "papers")
    read = failed = 0
    for n in range(1, len(list(etree.fromstring(body.encode()).iter()))):
        for change in ("gone", "empty", "renamed", "filled"):
            root = etree.fromstring(body.encode())
            element = list(root.iter())[n]
            if change == "gone":
                element.getparent().remove(element)
            elif change == "empty":
                element.clear()
            elif change == "renamed":
                element.tag = "Other"
            else:
                element.text = "\u202e <b>20\u00b2</b> 10.1/x"
            service: Any = Service(
                [
                    ("esearch", {"esearchresult": {"count": "1", "idlist": ["22"]}}),
                    ("", etree.tostring(root)),
                ]
            )
            try:
                papers = row.search(service, configured(), PaperQuery("tea"))
            except SearchError:
                failed += 1
                continue
            read += 1
            assert papers, (element.tag, change)
            assert all(
                paper.title and paper.url.startswith("https://") and "\u202e" not in repr(paper)
                for paper in papers
            )
    assert read > failed > 0


def test_a_query_of_signs_alone_is_asked_as_it_is() -> None:
    """Without a word every index would answer with all it holds, or with nothing."""
    assert search(query='"?"').params(OPENALEX)[0]["search"] == '"?"'
    assert search(query="???", provider="arxiv").params(ARXIV)[0]["search_query"] == "all:???"


def test_an_error_of_arxiv_in_a_feed_is_a_failure() -> None:
    entry = "<entry><id>http://arxiv.org/api/errors#incorrect</id><title>Error</title><summary>incorrect id format</summary></entry>"
    assert "incorrect id format" in search({ARXIV: FEED.format(entry)}, provider="arxiv").error


@pytest.mark.parametrize(
    "provider", ["jstor", "SemanticScholar", "ddgs:jstor", "semantic scholar", "谷歌学术"]
)
def test_an_unknown_provider_is_refused_with_all_supported_ones_none_twice(provider: str) -> None:
    error = search(provider=provider).error
    listed = error.partition("Choose among: ")[2].rstrip(".")
    names = listed.replace("or for a search of academic sites ", "").split(", ")
    assert {"semanticscholar", "arxiv", "exa", "ddgs:mojeek"} <= set(names)
    assert len(names) == len(set(names))
