"""citation_graph, bullet by bullet of its specification (spec/research-tools.md, tool 17); the
providers are in test_contract.
"""

from __future__ import annotations

from typing import Any

import pytest

from research_core.errors import FetchError
from research_core.models import HttpReply
from research_core.search.providers import PROVIDERS, openalex
from research_core.search.queries import CitationQuery
from research_core.tools import get_tool
from tests.bullets import Bullets
from tests.contracts import configured
from tests.contracts.openalex import EMPTY
from tests.contracts.openalex import SEED as OPENALEX_SEED
from tests.contracts.openalex import WORK as OPENALEX_WORK
from tests.contracts.semanticscholar import BARE, EDGES, WORK
from tests.tool_calls_made import CallOutcome, ScriptedServices, for_each_recorded, make_tool_call

OPENALEX, SEMANTIC = (
    "https://api.openalex.org/works",
    "https://api.semanticscholar.org/graph/v1/paper",
)
DOI = "10.1000/tea.9"
CITED, REFERENCES = f"{SEMANTIC}/DOI:{DOI}/citations", f"{SEMANTIC}/DOI:{DOI}/references"
REFERRED = [{"isInfluential": True, "intents": ["background"], "citedPaper": WORK}]
WELL = {
    CITED: {"data": EDGES},
    REFERENCES: {"data": REFERRED},
    f"{SEMANTIC}/search/match": {
        "data": [{"paperId": "fe98", "title": "On Tea", "matchScore": 170.1}]
    },
    f"{SEMANTIC}/fe98/citations": {"data": EDGES},
    f"{SEMANTIC}/fe98/references": {"data": REFERRED},
    f"{OPENALEX}/doi:{DOI}": OPENALEX_SEED,
    OPENALEX: {"results": [OPENALEX_WORK]},
}
bullet = Bullets("citation_graph")


def graph(answers: Any = None, **arguments: Any) -> CallOutcome:
    return make_tool_call(
        "citation_graph", {**WELL, **(answers or {})}, **{"paper": DOI, **arguments}
    )


# ---------------------------------------------------------------- behavior


@bullet("Semantic Scholar gives the intents and the influence of each citation")
def _() -> None:
    bare, marked = graph(direction="cited_by").answer["citedBy"]
    assert (marked["citationIntents"], marked["isInfluential"]) == (
        ["background", "methodology"],
        True,
    )
    assert "citationIntents" not in bare
    assert bare["isInfluential"] is False  # of this citation, whatever the work is elsewhere


@bullet(
    "OpenAlex gives counts only: forward edges by the cites filter, backward ones from referenced_works in batches of 100"
)
def _() -> None:
    said = graph(provider="openalex")
    _, forward, backward = said.params(OPENALEX)
    assert (forward["filter"], backward["filter"]) == ("cites:W9", "openalex_id:W1|W2")
    for name in ("citedBy", "references"):
        (work,) = said.answer[name]
        assert (work["source"], work["citationCount"]) == ("openalex", 0)
        assert not {"citationIntents", "isInfluential", "tldr"} & set(work)


@bullet("automatic selection prefers Semantic Scholar, and OpenAlex stands in for it")
def _() -> None:
    assert [row.name for row in PROVIDERS if row.kind == "citations"] == [
        "semanticscholar",
        "openalex",
    ]
    said = graph()
    assert said.answer["provider"] == "semanticscholar"
    assert not said.requests(OPENALEX)
    assert (
        graph({CITED: FetchError("It is down.", kind="blocked")}).answer["provider"] == "openalex"
    )


@bullet("a DOI resolves directly, however it is written")
def _() -> None:
    for written in (DOI, f"https://doi.org/{DOI}", f"doi:{DOI.upper()}", f" {DOI} "):
        said = graph(paper=written)
        assert [address for _, address, _ in said.requests(SEMANTIC)] == [CITED, REFERENCES]
        assert (
            graph(paper=written, provider="openalex").requests(OPENALEX)[0][1]
            == f"{OPENALEX}/doi:{DOI}"
        )


@bullet("a title resolves to the provider's top match, which is named")
def _() -> None:
    said = graph(paper="on tea")
    assert said.params(f"{SEMANTIC}/search/match")[0]["query"] == "on tea"
    assert (said.answer["seed"], said.answer["seedTitle"], said.answer["citedByCount"]) == (
        "on tea",
        "On Tea",
        2,
    )
    titled = graph(
        {OPENALEX: {"results": [OPENALEX_SEED | OPENALEX_WORK]}},
        paper='On "tea", again',
        provider="openalex",
    )
    assert (
        titled.params(OPENALEX)[0]["filter"] == "title.search:On tea again"
    )  # a comma would end the filter
    assert titled.answer["seedTitle"] == "Tea & colds"


@bullet(
    "forcing an unknown or incapable provider lists those that are supported, and falls back to none"
)
def _() -> None:
    for name in ("crossref", "scopus"):
        said = graph(provider=name)
        assert "Choose among: semanticscholar, openalex." in said.error
        assert not said.services.asked
    down = graph(
        {SEMANTIC: FetchError("It is down.", kind="blocked"), CITED: (500, "")},
        provider="semanticscholar",
    )
    assert "Semantic Scholar" in down.error
    assert not down.requests(OPENALEX)


@bullet("influential_only keeps what the provider marks as influential")
def _() -> None:
    answer = graph(influential_only=True).answer
    assert [work["title"] for work in answer["citedBy"]] == ["Tea and colds"]
    assert "ignoredParameters" not in answer
    assert graph().params(CITED)[0]["limit"] == "100"
    assert (
        graph(influential_only=True).params(CITED)[0]["limit"] == "500"
    )  # more are looked through than are wanted


@bullet("influential_only changes nothing where the provider marks none, which is said")
def _() -> None:
    answer = graph(provider="openalex", influential_only=True).answer
    assert (answer["citedByCount"], answer["referencesCount"]) == (1, 1)
    assert answer["ignoredParameters"] == ["influential_only"]


@bullet("one step for each call: no work that is found is followed")
def _() -> None:
    assert len(graph().services.asked) == 2
    assert len(graph(provider="openalex").services.asked) == 3


# ---------------------------------------------------------------- input and output


@bullet("paper is a DOI or a title, required, of 1 to 500 characters")
def _() -> None:
    assert "paper" in make_tool_call("citation_graph", WELL).error
    assert "paper" in graph(paper="").error
    assert "paper" in graph(paper="x" * 501).error
    assert "a paper to start from" in graph(paper=" ").error


@bullet(
    "direction: cited_by, references, or both by default; only what it names is asked and answered"
)
def _() -> None:
    assert set(graph().answer) > {"citedBy", "citedByCount", "references", "referencesCount"}
    forward = graph(direction="cited_by")
    assert "citedBy" in forward.answer
    assert not {"references", "referencesCount"} & set(forward.answer)
    assert not forward.requests(REFERENCES)
    backward = graph(direction="references", provider="openalex")
    assert not {"citedBy", "citedByCount"} & set(backward.answer)
    assert len(backward.requests(OPENALEX)) == 2
    assert "direction" in graph(direction="around").error


@bullet("num_results is between 1 and 25 in each direction, and 10 by default")
def _() -> None:
    many = [{"citingPaper": BARE | {"title": f"Coffee {n}"}} for n in range(30)]
    for wanted, given in ((None, 10), (25, 25), (1, 1)):
        arguments = {} if wanted is None else {"num_results": wanted}
        assert graph({CITED: {"data": many}}, **arguments).answer["citedByCount"] == given
        assert graph(provider="openalex", **arguments).params(OPENALEX)[1]["per_page"] == str(given)
    assert all("num_results" in graph(num_results=each).error for each in (0, 26))


@bullet("the answer has the seed as supplied, the direction, who answered, counts and trust")
def _() -> None:
    answer = graph(paper=f" https://doi.org/{DOI} ").answer
    assert (answer["seed"], answer["direction"], answer["provider"]) == (
        f" https://doi.org/{DOI} ",
        "both",
        "semanticscholar",
    )
    assert (answer["citedByCount"], answer["referencesCount"], answer["resultCount"]) == (2, 1, 3)
    assert answer["trust"] == "untrusted-external-content"


@bullet("a work has the fields of academic_search's papers")
def _() -> None:
    (work,) = graph(direction="references").answer["references"]
    assert work == {
        "title": "Tea and colds",
        "url": "https://doi.org/10.1038/tea.1",
        "source": "semanticscholar",
        "doi": "10.1038/tea.1",
        "authors": ["Ada Moor", "Bo Reed"],
        "journal": "Annals of Tea",
        "year": 2019,
        "abstract": "Tea helps.",
        "citationCount": 0,
        "openAccess": True,
        "pdfUrl": "https://tea.example/1.pdf",
        "tldr": "Tea.",
        "isInfluential": True,
        "citationIntents": ["background"],
    }
    long = [{**REFERRED[0], "citedPaper": {**WORK, "abstract": "Tea helps. " * 90}}]
    (work,) = graph({REFERENCES: {"data": long}}, direction="references").answer["references"]
    assert 480 < len(work["abstract"]) <= 500
    assert work["abstract"].endswith("…")


@bullet("a seed that nobody holds is a failure of its own, not an empty graph")
def _() -> None:
    unknown = {
        CITED: (404, {"error": f"Paper with id DOI:{DOI} not found"}),
        f"{OPENALEX}/doi:{DOI}": (404, "<html>"),
    }
    error = graph(unknown).error
    assert f"Semantic Scholar holds no work '{DOI}'." in error
    assert f"OpenAlex holds no work '{DOI}'." in error
    untitled = {
        f"{SEMANTIC}/search/match": (404, {"error": "Title match not found"}),
        OPENALEX: EMPTY,
    }
    assert "holds no work 'on tea'" in graph(untitled, paper="on tea").error


@bullet("a work that nobody cites and that cites nobody is an empty answer with hints")
def _() -> None:
    answer = graph({CITED: {"data": []}, REFERENCES: {"data": []}}).answer
    assert (answer["citedBy"], answer["references"], answer["citedByCount"]) == ([], [], 0)
    assert answer["hints"]["suggestedActions"][0] == {
        "action": "try_different_provider",
        "providers": ["openalex"],
    }
    lonely = graph(
        {f"{OPENALEX}/doi:{DOI}": OPENALEX_SEED | {"referenced_works": []}, OPENALEX: EMPTY},
        provider="openalex",
    )
    assert (lonely.answer["references"], len(lonely.requests(OPENALEX))) == ([], 2)


@bullet(
    "references that a publisher withholds are no empty list: another provider is asked, or it is said"
)
def _() -> None:
    withheld = {
        REFERENCES: {"data": None, "citedPaperInfo": {"openAccessPdf": {"disclaimer": "Notice: …"}}}
    }
    assert graph(withheld).answer["provider"] == "openalex"
    assert "may not pass on the references" in graph(withheld, provider="semanticscholar").error
    assert graph(withheld, direction="cited_by").answer["provider"] == "semanticscholar"


@bullet("it is read-only, idempotent and asks the open world")
def _() -> None:
    row = get_tool("citation_graph")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world, row.asks) == (
        True,
        True,
        True,
        "citations",
    )


@bullet("graphs are kept for 24 hours")
def _() -> None:
    assert graph().kept_s == 24 * 3600
    assert graph(provider="openalex").kept_s == 24 * 3600


@bullet("works that are found are sources of the session; a session that is not there is refused")
def _() -> None:
    assert list(graph(direction="references").context.source_metadata) == [
        "https://doi.org/10.1038/tea.1"
    ]
    assert "Session not found" in graph(sessionId="s-1").error


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


# ---------------------------------------------------------------- the traps of each provider


def test_references_that_are_no_more_than_a_title_come_last_and_are_no_sources() -> None:
    listed = [{"citedPaper": {"paperId": None, "title": "A talk on tea"}}, {"citedPaper": WORK}]
    said = graph({REFERENCES: {"data": listed}}, direction="references")
    assert [(work["title"], work["url"]) for work in said.answer["references"]] == [
        ("Tea and colds", "https://doi.org/10.1038/tea.1"),
        ("A talk on tea", ""),
    ]
    assert len(said.context.source_metadata) == 1


def test_arxivs_own_dois_are_found_in_openalex_by_the_title_that_their_agency_has() -> None:
    doi = "10.48550/arxiv.1706.03762"
    answers = {
        f"{OPENALEX}/doi:{doi}": (404, "<html>"),
        f"https://doi.org/{doi}": {"title": "Attention Is All You Need"},
        OPENALEX: {"results": [OPENALEX_SEED | OPENALEX_WORK]},
    }
    said = make_tool_call(
        "citation_graph", answers, paper="https://arxiv.org/abs/1706.03762v5", provider="openalex"
    )
    assert said.params(OPENALEX)[1]["filter"] == "title.search:Attention Is All You Need"
    assert (
        said.requests("https://doi.org")[0][2]["headers"]["accept"]
        == "application/vnd.citationstyles.csl+json"
    )
    assert said.answer["citedByCount"] == 1
    for reply, words in (
        ((404, ""), f"OpenAlex holds no work '{doi}'"),
        ({}, "there is no title in it"),
        ([], "there is no title in it"),
    ):
        again = make_tool_call(
            "citation_graph",
            {**answers, f"https://doi.org/{doi}": reply},
            paper=doi,
            provider="openalex",
        )
        assert words in again.error


def referring(count: int) -> dict[str, Any]:
    """A seed of OpenAlex with so many references, one of them twice."""
    listed = [f"https://openalex.org/W{n}" for n in range(1, count + 1)]
    return {f"{OPENALEX}/doi:{DOI}": OPENALEX_SEED | {"referenced_works": [*listed, *listed[:1]]}}


def test_of_many_references_all_are_asked_for_in_batches() -> None:
    said = graph(referring(299), provider="openalex", direction="references", num_results=3)
    asked = said.params(OPENALEX)[1:]
    assert [each["filter"].count("|") + 1 for each in asked] == [
        100,
        100,
        99,
    ]  # the most one filter takes
    assert {(each["sort"], each["per_page"]) for each in asked} == {("cited_by_count:desc", "3")}
    assert (
        "|W101|" not in asked[0]["filter"],
        asked[1]["filter"].startswith("openalex_id:W101|"),
    ) == (True, True)
    assert said.answer["notes"] == [
        "references lists 3 of the 299 works that it cites, as openalex counts them."
    ]


def test_the_most_cited_references_are_those_of_all_batches() -> None:
    """Each batch answers its own most cited ones; the best of all come first."""
    counts = iter([[5, 3], [9, 1], [7, 7]])

    class Batches(ScriptedServices):
        def send(self, method: str, url: str, **options: Any) -> HttpReply:
            if url == OPENALEX and "openalex_id:" in options["params"]["filter"]:
                listed = [
                    OPENALEX_WORK | {"display_name": f"Cited {each}", "cited_by_count": each}
                    for each in next(counts)
                ]
                self.answers = {**self.answers, OPENALEX: {"results": listed}}
            return super().send(method, url, **options)

    found = openalex.fetch_graph(
        Batches(referring(250)), configured(), CitationQuery(DOI, 4, "references")
    )  # type: ignore[arg-type]
    assert [edge.paper.citation_count for edge in found] == [9, 7, 7, 5]


def test_references_beyond_what_one_question_may_cost_are_told() -> None:
    said = graph(referring(812), provider="openalex", direction="references", num_results=1)
    assert len(said.params(OPENALEX)) == 1 + 5
    assert said.answer["notes"] == [
        "The paper has 812 references at OpenAlex, of which the first 500 were looked through.",
        "references lists 1 of the 812 works that it cites, as openalex counts them.",
    ]


def test_references_that_openalex_names_and_tells_nothing_of_are_told() -> None:
    answer = graph(provider="openalex", direction="references").answer
    assert answer["notes"] == ["OpenAlex names 2 references of the paper, and tells of 1 of them."]
    (told,) = graph(provider="openalex", direction="references", num_results=1).answer["notes"]
    assert told.startswith("references lists 1 of the 2 works")


def test_how_many_there_are_in_all_stands_beside_how_many_are_listed() -> None:
    more = {
        CITED: {"next": 100, "data": EDGES},
        f"{SEMANTIC}/DOI:{DOI}": {"citationCount": 48211, "referenceCount": 31},
    }
    said = graph(more, num_results=1)
    assert (
        said.answer["citedByCount"],
        said.answer["citedByTotal"],
        said.answer["referencesTotal"],
    ) == (1, 48211, 1)
    assert said.answer["notes"] == [
        "citedBy lists 1 of the 48,211 works that cite the paper, as semanticscholar counts them."
    ]
    assert said.params(f"{SEMANTIC}/DOI:{DOI}")[-1] == {"fields": "citationCount,referenceCount"}
    assert (graph().answer["citedByTotal"], len(graph().requests(SEMANTIC))) == (
        2,
        2,
    )  # all are listed: nobody has to say how many
    counted = {
        f"{OPENALEX}/doi:{DOI}": OPENALEX_SEED,
        OPENALEX: {"meta": {"count": 48211}, "results": [OPENALEX_WORK]},
    }
    other = graph(counted, provider="openalex", num_results=1).answer
    assert (other["citedByCount"], other["citedByTotal"], other["referencesTotal"]) == (1, 48211, 2)


def test_where_nobody_says_how_many_there_are_the_list_is_there_all_the_same() -> None:
    answer = graph(
        {CITED: {"next": 100, "data": EDGES}, f"{SEMANTIC}/DOI:{DOI}": (500, "")},
        direction="cited_by",
        num_results=1,
    ).answer
    assert (answer["citedByCount"], "citedByTotal" in answer) == (1, False)
    assert answer["notes"][0].startswith(
        "How many there are in all could not be had: Semantic Scholar answered 500"
    )


def test_a_seed_without_its_list_of_references_is_a_bad_reply_and_not_one_that_cites_nothing() -> (
    None
):
    seed = {name: value for name, value in OPENALEX_SEED.items() if name != "referenced_works"}
    for broken in (
        seed,
        seed | {"referenced_works": None},
        seed | {"references": ["https://openalex.org/W1"]},
    ):
        answers = {f"{OPENALEX}/doi:{DOI}": broken}
        assert (
            "there are no references in it"
            in graph(answers, provider="openalex", direction="references").error
        )
        assert graph(answers, provider="openalex", direction="cited_by").answer["citedByCount"] == 1


def test_influential_citations_beyond_those_looked_through_are_told() -> None:
    more = {CITED: {"offset": 0, "next": 500, "data": EDGES}}
    answer = graph(more, influential_only=True, direction="cited_by").answer
    told = "Semantic Scholar has more citations of the paper than the first 2, which alone were looked through for influential ones"
    assert (answer["citedByCount"], answer["notes"]) == (1, [f"{told}, of which there are 1."])
    none = {CITED: {"offset": 0, "next": 500, "data": EDGES[:1]}}
    empty = graph(
        none, influential_only=True, direction="cited_by", provider="semanticscholar"
    ).answer
    assert (empty["citedBy"], empty["notes"]) == (
        [],
        [told.replace("first 2", "first 1") + ", of which there are 0."],
    )
    for whole in (
        graph(influential_only=True),
        graph(more, influential_only=True, direction="cited_by", num_results=1),
    ):
        assert (
            "notes" not in whole.answer
        )  # all were looked through, or all that were wanted were found


def test_a_full_page_of_citations_without_a_word_of_more_may_not_be_all() -> None:
    many = [
        {"isInfluential": False, "citingPaper": BARE | {"title": f"Coffee {n}"}} for n in range(500)
    ]
    assert (
        "first 500"
        in graph({CITED: {"data": many}}, influential_only=True, direction="cited_by").answer[
            "notes"
        ][0]
    )
    assert (
        "notes"
        not in graph(
            {CITED: {"data": many[:499]}}, influential_only=True, direction="cited_by"
        ).answer
    )


def test_the_key_of_semantic_scholar_is_a_header_and_in_no_log() -> None:
    said = graph(settings={"semantic_scholar_api_key": "scholar-key"})
    assert [options["headers"]["x-api-key"] for _, _, options in said.requests(SEMANTIC)] == [
        "scholar-key"
    ] * 2
    assert "scholar-key" not in repr([event.data for event in said.context.log.read()])


# ---------------------------------------------------------------- what the services really say


@for_each_recorded("s2_citations_3.json")
def test_recorded_citations_are_read(body: bytes, name: str) -> None:
    answer = graph({CITED: (200, body)}, direction="cited_by", num_results=25).answer
    assert answer["citedByCount"] == 25
    assert answer["citedBy"][0]["title"].startswith("The Missing Foundations of Housing Finance")
    assert (
        answer["citedBy"][0]["url"]
        == "https://www.semanticscholar.org/paper/319ad5cf67afda276051e498af454a4984b85627"
    )


@for_each_recorded("s2_references_1.json", "s2_references_2.json")
def test_recorded_references_are_read(body: bytes, name: str) -> None:
    works = graph({REFERENCES: (200, body)}, direction="references", num_results=25).answer[
        "references"
    ]
    linked = [bool(work["url"]) for work in works]
    assert linked == sorted(linked, reverse=True)
    assert linked[0]
    if name == "s2_references_1.json":
        assert works[0]["title"] == "On the Macroeconomics of Microfinance"
        assert "Access to Justice Practice Note 9" in [work["title"] for work in works]


@for_each_recorded("openalex_work_by_doi_2.json", "openalex_work_by_doi_6.json")
def test_recorded_seeds_of_openalex_are_read(body: bytes, name: str) -> None:
    said = graph({f"{OPENALEX}/doi:{DOI}": (200, body)}, provider="openalex")
    forward = said.params(OPENALEX)[1]["filter"]
    title = {
        "openalex_work_by_doi_2.json": (
            "cites:W2033425827",
            "Pharmacokinetics, biodistribution and cell uptake of antisense oligonucleotides",
        ),
        "openalex_work_by_doi_6.json": (
            "cites:W4381738344",
            "Convalescent-anti-sars-cov-2-plasma/immune-globulin",
        ),
    }[name]
    assert (forward, said.answer["seedTitle"]) == title
    if name == "openalex_work_by_doi_2.json":
        backward = said.params(OPENALEX)[2]["filter"]
        assert (backward.count("|") + 1, backward[:24]) == (42, "openalex_id:W1533447420|")


@for_each_recorded("openalex_work_by_doi_1.json")
def test_a_recorded_work_without_an_id_is_no_seed(body: bytes, name: str) -> None:
    """It was asked for two fields alone."""
    assert (
        "a work has no id"
        in graph({f"{OPENALEX}/doi:{DOI}": (200, body)}, provider="openalex").error
    )


@for_each_recorded(
    "s2_search_match_1.json",
    "s2_search_match_2.json",
    "s2_search_match_3.json",
    "s2_search_match_6.json",
)
def test_recorded_matches_of_titles_are_seeds(body: bytes, name: str) -> None:
    ids = {
        "s2_search_match_1.json": "762ceacc20db232d3f6bcda6e867eb8148848ced",
        "s2_search_match_2.json": "354dcdebf3f8b5feeed5c62090e0bc1f0c28db06",
        "s2_search_match_3.json": "7e55d8701785818776323b4147cb13354c820469",
        "s2_search_match_6.json": "354dcdebf3f8b5feeed5c62090e0bc1f0c28db06",
    }
    found = {f"{SEMANTIC}/search/match": (200, body), f"{SEMANTIC}/{ids[name]}/": {"data": EDGES}}
    assert graph(found, paper="a title", direction="cited_by").answer["citedByCount"] == 2


@for_each_recorded("s2_search_match_7_http404.json", "s2_paper_7_http404.json")
def test_recorded_refusals_are_unknown_seeds(body: bytes, name: str) -> None:
    said = graph(
        {f"{SEMANTIC}/search/match": (404, body)}, paper="a title", provider="semanticscholar"
    )
    assert "holds no work 'a title'" in said.error
    assert "holds no work" in graph({CITED: (404, body)}, provider="semanticscholar").error
