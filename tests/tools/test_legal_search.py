"""legal_search, bullet by bullet of its specification (spec/research-tools.md, tool 21), the
look-up of citations, and recorded answers.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import SearchError
from research_core.journal import redaction
from research_core.search.providers import list_available_rows
from research_core.search.providers.case_citations import CitationLookup, look_up
from research_core.search.providers.courtlistener import extract_case_name, extract_citation
from research_core.search.providers.courts import parse_courts
from research_core.settings import Settings
from research_core.tools import get_tool, list_available_tools
from tests.bullets import Bullets
from tests.contracts import Service, configured
from tests.contracts import cases as opinions
from tests.contracts.cases import BOUND, CLUSTER, FOUND, ROW, page
from tests.tool_calls_made import CallOutcome, for_each_recorded, make_tool_call, replay_call

SEARCH, LOOK_UP = (
    "https://www.courtlistener.com/api/rest/v4/search/",
    "https://www.courtlistener.com/api/rest/v4/citation-lookup/",
)
TOKEN = {"courtlistener_api_token": "a-token-of-courtlistener"}
NOT_FOUND = {
    **FOUND,
    "status": 404,
    "error_message": "Citation not found: '56 US 78'",
    "clusters": [],
}
bullet = Bullets("legal_search")


def search(
    answer: Any = None,
    http_status: int = 200,
    looked_up: Any = None,
    token: bool = False,
    **arguments: Any,
) -> CallOutcome:
    answers = {
        SEARCH: (http_status, page(ROW) if answer is None else answer),
        LOOK_UP: [FOUND] if looked_up is None else looked_up,
    }
    return make_tool_call("legal_search", answers, settings=TOKEN if token else {}, **arguments)


def looked_up(
    answer: Any, words: str = "Tea v. Pot, 56 US 78", status: int = 200
) -> tuple[CitationLookup, ...]:
    service: Any = Service([(LOOK_UP, answer)], status, {"retry-after": "7"})
    return look_up(service, configured(**TOKEN), words)


# ---------------------------------------------------------------- searching


@bullet(
    "it searches the opinions of the v4 index; jurisdiction is the court, dates are filed_after and filed_before"
)
def _() -> None:
    said = search(
        query="tea duties", jurisdiction="SCOTUS, ca9", date_from="1850-01-01", date_to="1850-12-31"
    )
    wanted = {
        "type": "o",
        "q": "tea duties",
        "court": "scotus ca9",
        "filed_after": "1850-01-01",
        "filed_before": "1850-12-31",
    }
    assert said.params() == [wanted]
    assert "ignoredParameters" not in said.answer


@bullet(
    "each case has caseName, citation, court, courtId, dateFiled, docketNumber, citationCount, url and source"
)
def _() -> None:
    (case,) = search(query="tea duties").answer["cases"]
    assert case == {
        "caseName": "Tea v. Pot",
        "citation": "56 U.S. 78",
        "parallelCitations": ["12 S. Ct. 34", "1850 U.S. LEXIS 9"],
        "court": "Supreme Court of the United States",
        "courtId": "scotus",
        "dateFiled": "1850-03-01",
        "docketNumber": "12-34",
        "citationCount": 0,
        "url": "https://www.courtlistener.com/opinion/7/tea-v-pot/",
        "source": "courtlistener",
        "status": "Published",
    }
    (timed,) = search(
        page({**ROW, "dateFiled": "1850-03-01T00:00:00-08:00"}), query="tea duties"
    ).answer["cases"]
    assert timed == case


@bullet("a case name is searched for as one, the most cited first, in opinions of every status")
def _() -> None:
    for query in ("Tea v. Pot", "Tea vs. Pot (1850)", "In re Tea"):
        (params,) = search(query=query).params()
        assert params["case_name"] == query.removesuffix(" (1850)")
        assert params["order_by"] == "citeCount desc"
        assert (params["stat_Published"], params["stat_Unpublished"], params["stat_Unknown"]) == (
            "on",
            "on",
            "on",
        )
        assert "q" not in params


@bullet("a name that no case has is searched for in the texts")
def _() -> None:
    first, second = search(page(), query="Tea v. Pot on duties").params()
    assert (first["case_name"], second["q"]) == ("Tea v. Pot on duties", "Tea v. Pot on duties")


@bullet("what no opinion has in its words is searched for by its meaning")
def _() -> None:
    first, second = search(page(), query="may a port tax what is drunk").params()
    assert ("semantic" in first, second["semantic"], second["q"]) == (False, "true", first["q"])
    assert len(search(query="may a port tax what is drunk").params()) == 1
    assert (
        len(search(page(), query='"may a port tax what is drunk"').params()) == 1
    )  # a phrase has no other meaning
    assert len(search(page(), query="tea duties").params()) == 1


@bullet("further pages are read when num_results asks for more than one holds")
def _() -> None:
    first = [{**ROW, "absolute_url": f"/opinion/{n}/"} for n in range(12)]
    said = search(page(*first, cursor="cz0y"), query="tea", num_results=20)
    assert [params.get("cursor") for params in said.params()] == [None, "cz0y"]
    assert {url for _, url, _ in said.requests()} == {SEARCH}
    assert said.answer["resultCount"] == 20
    assert len(search(page(*first, cursor="cz0y"), query="tea", num_results=12).params()) == 1
    elsewhere = {**page(ROW), "next": "https://evil.example.com/?cursor=x%26y&court=tea"}
    params = search(elsewhere, query="tea", num_results=2).params()
    assert params == [{"type": "o", "q": "tea"}, {"type": "o", "q": "tea", "cursor": "x&y"}]


@bullet("a citation is looked up as one where there is a token")
def _() -> None:
    for query in ("56 US 78", "Tea v. Pot, 56 US 78 (1850)"):
        said = search(query=query, token=True)
        ((method, url, options),) = said.requests()
        assert (method, url, options["json"]) == ("POST", LOOK_UP, {"text": "56 US 78"})
        (case,) = said.answer["cases"]
        assert (case["caseName"], case["citation"], case["dateFiled"], case["url"]) == (
            "Tea v. Pot",
            "56 U.S. 78",
            "1850-03-01",
            "https://www.courtlistener.com/opinion/7/tea-v-pot/",
        )


@bullet("a citation that nothing stands at finds nothing, and is not searched for otherwise")
def _() -> None:
    said = search(query="56 US 78", looked_up=[NOT_FOUND], token=True)
    assert (said.answer["cases"], len(said.requests())) == ([], 1)
    assert "do not show that there is nothing" in str(said.answer["hints"])


@bullet("a citation is searched for by its field without a token, and within a court")
def _() -> None:
    assert search(query="56 US 78").params()[0]["citation"] == "56 US 78"
    said = search(query="56 US 78", jurisdiction="scotus", token=True)
    assert [(params["citation"], params["court"]) for params in said.params()] == [
        ("56 US 78", "scotus")
    ]
    assert search(query="56 US 78", date_from="1851-01-01", token=True).answer["cases"] == []
    assert search(query="56 US 78", date_to="1850-03-01", token=True).answer["resultCount"] == 1


@bullet("what the look-up takes for no citation is searched for in the texts")
def _() -> None:
    for answer in ([], [{**NOT_FOUND, "status": 400, "error_message": "Unable to find reporter"}]):
        said = search(query="56 Tea. 78", looked_up=answer, token=True)
        assert [params.get("q") for params in said.params()] == [None, "56 Tea. 78"]


@bullet(
    "a citation that was not looked up, being one too many, is a failure, not a case that is not there"
)
def _() -> None:
    said = search(
        query="56 US 78",
        looked_up=[{**NOT_FOUND, "status": 429, "error_message": "Too many."}],
        token=True,
    )
    assert "did not look up 56 US 78" in said.error


# ---------------------------------------------------------------- keys, cache, annotations


@bullet("it works without a key; the token goes in the Authorization header and is never logged")
def _() -> None:
    assert "authorization" not in {
        name.lower() for name in search(query="tea").requests()[0][2]["headers"]
    }
    for query in ("tea", "56 US 78"):
        said = search(query=query, token=True)
        headers = {name.lower(): told for name, told in said.requests()[0][2]["headers"].items()}
        assert headers["authorization"] == "Token a-token-of-courtlistener"
        assert "a-token-of" not in str([event.data for event in said.context.log.read()])
    assert "authorization" in redaction.SECRET_HEADERS


@bullet("it is listed without any key")
def _() -> None:
    settings = Settings.from_env({})
    assert [row.name for row in list_available_rows(settings, "cases")] == ["courtlistener"]
    assert "legal_search" in {row.name for row in list_available_tools(settings)}


@bullet("too many calls for a day are told with what can be done")
def _() -> None:
    said = search(
        {"detail": "Request was throttled. Expected available in 86400 seconds."}, 429, query="tea"
    )
    assert "Request was throttled" in said.error
    assert "COURTLISTENER_API_TOKEN" in said.error


@bullet("results are kept for 24 hours, and empty ones are not")
def _() -> None:
    assert search(query="tea").kept_s == 24 * 3600
    assert search(query="56 US 78", token=True).kept_s == 24 * 3600
    assert search(page(), query="tea").kept_s is None


@bullet("it reads only, can be repeated, and asks the live API")
def _() -> None:
    row = get_tool("legal_search")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world) == (True, True, True)


# ---------------------------------------------------------------- the frame


@bullet("query is required")
def _() -> None:
    assert "query" in search().error
    assert search(query=" ").error.startswith("legal_search needs something to search for.")


@bullet("num_results is between 1 and 20, and 10 by default")
def _() -> None:
    many = page(*({**ROW, "absolute_url": f"/opinion/{n}/"} for n in range(20)))
    assert search(many, query="tea").answer["resultCount"] == 10
    assert search(many, query="tea", num_results=20).answer["resultCount"] == 20
    assert "num_results" in search(query="tea", num_results=21).error


@bullet("a date that is none is refused")
def _() -> None:
    assert search(query="tea", date_from="spring").error.startswith(
        "date_from is not a date: spring."
    )


@bullet("an explicit provider is used exclusively; an unknown one lists those there are")
def _() -> None:
    assert search(query="tea", provider="courtlistener").answer["provider"] == "courtlistener"
    assert "Choose among: courtlistener." in search(query="tea", provider="westlaw").error


@bullet("an empty answer has hints")
def _() -> None:
    answer = search(page(), query="tea", **BOUND).answer
    assert (answer["cases"], answer["resultCount"]) == ([], 0)
    assert answer["hints"]["filtersApplied"] == BOUND


@bullet("sessionId of a session that is not there is refused")
def _() -> None:
    assert "Session not found" in search(query="tea", sessionId="s-1").error


@bullet("what it finds is a source of the session, and untrusted")
def _() -> None:
    said = search(query="tea")
    assert list(said.context.source_metadata) == [
        "https://www.courtlistener.com/opinion/7/tea-v-pot/"
    ]
    (source,) = said.context.source_metadata.values()
    assert source["snippet"].startswith(
        "56 U.S. 78; Supreme Court of the United States; 1850-03-01"
    )
    assert said.answer["trust"] == "untrusted-external-content"


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


def test_a_replay_without_the_token_answers_the_same() -> None:
    for query in ("56 US 78", "Tea v. Pot", "tea"):
        assert (
            replay_call(said := search(query=query, token=True), "legal_search", query=query)
            == said.answer
        )


# ---------------------------------------------------------------- citations

CITATIONS = {
    "410 U.S. 113": "410 U.S. 113",
    "410 US 113": "410 US 113",
    "Roe v. Wade, 410 U.S. 113, 152-53 (1973).": "410 U.S. 113",
    "384 U.S. 436 (1966)": "384 U.S. 436",
    "123 F. Supp. 3d 456 (S.D.N.Y. 2015)": "123 F. Supp. 3d 456",
    "925 F3d 1339": "925 F3d 1339",
    "2023 WL 4114965": "2023 WL 4114965",
    "In re Tea, 12 Cal. App. 4th 34": "12 Cal. App. 4th 34",
    "101 Haw. 235": "101 Haw. 235",
    "Roe v. Wade, 410 U.S. 113, 93 S. Ct. 705, 35 L. Ed. 2d 147 (1973)": "410 U.S. 113",
    "410 U.S. 113, 152, 93 S.Ct. 705": "410 U.S. 113",
    "Marbury v. Madison, 5 U.S. (1 Cranch) 137 (1803)": "5 U.S. 137",
    "410 U.S. 113, 42 cases on privacy": "",
    "42 U.S.C. 1983": "",
    "42 U.S.C. § 1983": "",
    "29 C.F.R. 1630": "",
    "the 10 Best Cases 5": "",
    "cases since 410 U.S. 113 was overruled": "",
    "why does 410 U.S. 113 matter": "",
    "Roe v. Wade": "",
    "tea": "",
}
NAMES = {
    "Miranda v. Arizona": "Miranda v. Arizona",
    "Miranda v Arizona (1966)": "Miranda v Arizona",
    "Regina v Smith": "Regina v Smith",
    "Roe versus Wade": "Roe versus Wade",
    "Roe versus Wade (1973)": "Roe versus Wade",
    "Tea Vs Pot": "Tea Vs Pot",
    "tides versed in gauges": "",
    "Obergefell v. Hodges (576 U.S. 644)": "Obergefell v. Hodges",
    "ex parte Young": "ex parte Young",
    "what did Miranda v. Arizona hold?": "",
    "v. Arizona": "",
    "duties on tea": "",
    "a v. b " * 4: "",
}


def test_what_is_a_citation_and_what_a_name() -> None:
    assert {words: extract_citation(words) for words in CITATIONS} == CITATIONS
    assert {words: extract_case_name(words) for words in NAMES} == NAMES


@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(
            st.sampled_from(["410", "U.S.", "113", "v.", "Roe", ",", "(1973)", "F.3d", "§"]),
            max_size=12,
        ).map(" ".join),
    )
)
def test_what_is_read_as_a_citation_or_a_name_stands_in_the_words(words: str) -> None:
    assert all(part in words for part in extract_citation(words).split())
    assert words.startswith(extract_case_name(words))


def test_each_citation_of_a_text_is_looked_up() -> None:
    other = {
        **FOUND,
        "citation": "1 Tea. 2",
        "normalized_citations": [],
        "start_index": 30,
        "end_index": 38,
        "clusters": [],
    }
    several = {
        **FOUND,
        "status": 300,
        "clusters": [
            CLUSTER,
            {**CLUSTER, "case_name": "Tea v. Pan", "absolute_url": "/opinion/8/tea-v-pan/"},
        ],
    }
    states = (
        {"status": 400, "error_message": "no such reporter"},
        {"status": 404},
        {"status": 429, "error_message": "Too many requests."},
    )
    found, *others = looked_up([several, *({**other, **state} for state in states)])
    assert (found.state, found.citation, found.start, found.end) == (
        "several",
        "56 US 78",
        0,
        8,
    )
    assert [case.case_name for case in found.cases] == ["Tea v. Pot", "Tea v. Pan"]
    assert (found.cases[0].citation, found.cases[0].parallel_citations) == (
        "56 U.S. 78",
        ("12 S. Ct. 34",),
    )
    assert [each.state for each in others] == ["no_reporter", "unknown", "not_asked"]
    assert others[0].words == "no such reporter"
    assert looked_up([]) == ()


@pytest.mark.parametrize(
    "answer",
    [
        "", "<html>", "{}", "null", "1", "[1]", "[{}]", [{**FOUND, "clusters": []}], [{**NOT_FOUND, "clusters": [CLUSTER]}],
        [{**FOUND, "status": 201}], [{**FOUND, "status": "200"}], [{**FOUND, "status": True}], [{**FOUND, "start_index": None}],
        [{**FOUND, "citation": ""}], [{**FOUND, "clusters": [{}]}], [{**FOUND, "clusters": [{**CLUSTER, "absolute_url": "https://e.com"}]}],
        [{**FOUND, "clusters": [{**CLUSTER, "citations": "56 U.S. 78"}]}], [{**FOUND, "clusters": [{**CLUSTER, "citation_count": 1.5}]}],
    ],
)  # fmt: skip
def test_a_look_up_of_another_shape_is_a_bad_reply(answer: Any) -> None:
    with pytest.raises(SearchError) as caught:
        looked_up(answer)
    assert caught.value.kind == "bad_reply"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, "auth_required"),
        (429, "rate_limited"),
        (400, "bad_reply"),
        (503, "upstream_unavailable"),
    ],
)
def test_a_look_up_that_is_refused_is_a_failure_with_its_kind(status: int, kind: str) -> None:
    with pytest.raises(SearchError) as caught:
        looked_up({"detail": "no"}, status=status)
    assert (caught.value.kind, caught.value.retry_after) == (kind, 7.0)


def test_a_look_up_asks_for_a_token_and_for_less_than_a_book() -> None:
    service: Any = Service([])
    with pytest.raises(SearchError, match="only for those with a token") as caught:
        look_up(service, configured(), "410 U.S. 113")
    assert caught.value.kind == "auth_required"
    with pytest.raises(SearchError, match="at most 64,000 characters") as caught:
        looked_up([], "x" * 64_001)
    assert caught.value.kind == "too_large"
    assert service.asked == []


# ---------------------------------------------------------------- recorded


@for_each_recorded("courtlistener_search_v4_1.json")
def test_the_recorded_search_is_read(body: bytes, name: str) -> None:
    (case,) = search(body, query="foo", num_results=1).answer["cases"]
    assert case == {
        "caseName": "Foo v. Foo",
        "citation": "101 Haw. 235",
        "parallelCitations": ["65 P.3d 182"],
        "court": "Hawaii Intermediate Court of Appeals",
        "courtId": "hawapp",
        "dateFiled": "2003-01-10",
        "docketNumber": "24158",
        "citationCount": 0,
        "url": "https://www.courtlistener.com/opinion/6613686/foo-v-foo/",
        "source": "courtlistener",
        "status": "Published",
    }
    more = search(body, query="foo", num_results=2)
    assert more.params()[1]["cursor"] == "cz0yMzUuODcxMjUmcz04MDUzNTUzJnQ9byZkPTIwMjQtMDktMTY="


@for_each_recorded("courtlistener_webhook_2.json")
def test_a_recorded_alert_is_no_answer_of_a_search(body: bytes, name: str) -> None:
    assert (
        "cannot be read: it is not JSON" in search(body, query="foo").error
    )  # it has placeholders in it
    filled = body.replace(b"{{ webhook_version }}", b"2")
    assert "cannot be read: results is no list of objects" in search(filled, query="foo").error
    payload = json.loads(filled)["payload"]
    assert "it does not say whether there are more" in search(payload, query="foo").error
    entries = search(
        {**payload, "next": None}, query="foo"
    )  # entries of a docket, which are no opinions
    assert "cannot be read: its only result lacks a case with a page" in entries.error


@pytest.mark.parametrize(
    ("jurisdiction", "courts"),
    [
        ("Supreme Court", "scotus"),
        ("U.S. Supreme Court", "scotus"),
        ("the Supreme Court of the United States", "scotus"),
        ("SCOTUS", "scotus"),
        ("Ninth Circuit", "ca9"),
        ("9th Cir.", "ca9"),
        ("Court of Appeals for the Second Circuit", "ca2"),
        ("D.C. Circuit", "cadc"),
        ("Federal Circuit; Fed. Cir.", "cafc"),
        ("S.D.N.Y.", "nysd"),
        ("Southern District of New York", "nysd"),
        ("U.S. District Court for the Northern District of California", "cand"),
        ("D. Mass.", "mad"),
        ("E.D. Va.", "vaed"),
        ("District of Columbia Circuit, District of Columbia", "cadc dcd"),
        ("California Supreme Court", "cal"),
        ("Supreme Court of Ohio", "ohio"),
        ("New York Court of Appeals", "ny"),
        ("scotus ca9, Ny", "scotus ca9 ny"),
        ("njd mad", "njd mad"),
        ("", ""),
    ],
)
def test_a_court_is_found_by_its_name_or_its_id(jurisdiction: str, courts: str) -> None:
    ids, unknown = parse_courts(jurisdiction)
    assert (" ".join(dict.fromkeys(ids)), unknown) == (courts, [])


@pytest.mark.parametrize(
    "jurisdiction",
    [
        "Bundesgerichtshof Karlsruhe, Court 5",
        "Tribunal Supremo court",
        "13th Circuit",
        "Cour de cassation?",
    ],
)
def test_an_unknown_court_is_refused_with_what_to_give(jurisdiction: str) -> None:
    made = make_tool_call("legal_search", {}, query="tea", jurisdiction=jurisdiction)
    assert "No court is known by the name" in made.error
    assert "Give its id" in made.error


def test_the_answer_says_which_court_was_understood() -> None:
    url = "https://www.courtlistener.com/api/rest/v4/search/"
    made = make_tool_call(
        "legal_search",
        {url: opinions.page(opinions.ROW)},
        query="tea",
        jurisdiction="Ninth Circuit",
    )
    assert made.answer["understood"] == {"jurisdiction": "ca9"}
    assert made.params(url)[0]["court"] == "ca9"
    made = make_tool_call(
        "legal_search", {url: opinions.page(opinions.ROW)}, query="tea", jurisdiction="ca9"
    )
    assert "understood" not in made.answer
