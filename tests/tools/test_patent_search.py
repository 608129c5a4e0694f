"""patent_search, bullet by bullet of its specification (spec/research-tools.md, tool 7), and the
numbered defects that touch patents.

What each provider makes of bad answers is in test_contract; how EPO's token is kept out of
everything is in test_login.
"""

from __future__ import annotations

import json
import re
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from research_core.context import ResearchContext, memory_log
from research_core.errors import FetchError, SearchError
from research_core.journal.database import Database
from research_core.journal.deps import Deps, Provider
from research_core.journal.doorway import Doorway
from research_core.journal.tables import open_database
from research_core.models import HttpReply, SearchResult
from research_core.policy import RunSettings
from research_core.search.providers import PROVIDERS, epo, lens, searchapi, uspto
from research_core.search.providers.patents import (
    join_number,
    parse_day,
    parse_number,
    query_phrases,
    strip_company_form,
)
from research_core.search.queries import PatentQuery, WebQuery
from research_core.tools import run_tool
from research_core.tools.patent_search import SITE
from tests.bullets import Bullets
from tests.contracts import Service, configured
from tests.contracts.patents import DOCUMENT, GOOGLE, LENS, US, office
from tests.logs import Hands, log_of, new_session
from tests.scripted import Scripted
from tests.stored_bytes import read_stored_bytes
from tests.tool_calls_made import (
    CallOutcome,
    ScriptedServices,
    for_each_recorded,
    make_tool_call,
    replay_call,
)
from tests.tool_session import POOL
from tests.world import StillClock

bullet = Bullets("patent_search")

GATE, EPO_AT, LENS_AT, US_AT, GOOGLE_AT = (
    epo.TOKEN,
    epo.SEARCH,
    lens.SEARCH,
    uspto.SEARCH,
    searchapi.URL,
)
TOKEN = {"access_token": "a-token-of-the-office", "expires_in": "1199"}
KEYS = {
    "searchapi": {"searchapi_api_key": "searchapi-key"},
    "epo": {"epo_key": "consumer-key", "epo_secret": "consumer-secret"},
    "lens": {"lens_api_token": "lens-token"},
    "uspto": {"uspto_api_key": "uspto-key"},
}
GOOD = {GATE: TOKEN, EPO_AT: office(DOCUMENT), LENS_AT: LENS, US_AT: US, GOOGLE_AT: GOOGLE}
NOTHING = {
    GATE: TOKEN,
    EPO_AT: office(),
    LENS_AT: {"total": 0, "data": []},
    US_AT: {"count": 0, "patentFileWrapperDataBag": []},
    GOOGLE_AT: {"search_metadata": {}, "search_information": {"total_results": 0}},
}
DOWN = dict.fromkeys(GOOD, (503, "down"))
PAGES = (
    SearchResult(
        "US10165245B2 - Fuel cell <b>stack</b> - Google Patents",
        "https://patents.google.com/patent/US10165245B2/en",
        "A stack.",
    ),
    SearchResult("Fuel cell", "https://patents.google.com/patent/EP1234567A1/de", "Eine Zelle."),
    SearchResult(
        "What is a fuel cell?", "https://example.org/patent/US7654321B2", "A page about it."
    ),
    SearchResult("Search", "https://patents.google.com/?q=fuel", "A search."),
)


def engine(
    asked: list[WebQuery],
    found: tuple[SearchResult, ...] | SearchError = PAGES,
    name: str = "ddgs:mojeek",
) -> Provider:
    def search(_http: Any, _settings: Any, query: WebQuery) -> tuple[SearchResult, ...]:
        asked.append(query)
        if isinstance(found, SearchError):
            raise found
        return found

    return Provider(name, "web", search, honours=frozenset({"site"}))


def search(
    *keys: str,
    answers: Any = None,
    web: tuple[SearchResult, ...] | SearchError = (),
    **arguments: Any,
) -> CallOutcome:
    """keys: the providers this machine has. What is asked for is fuel cells, where nothing else is
    said.
    """
    settings: dict[str, Any] = {name: value for key in keys for name, value in KEYS[key].items()}
    settings |= arguments.pop("settings", {})
    asked = arguments.pop("asked", [])
    wanted = {"query": "fuel cell"} | arguments
    return make_tool_call(
        "patent_search",
        GOOD if answers is None else answers,
        settings=settings,
        engines=(engine(asked, web),),
        **wanted,
    )


def numbers(said: CallOutcome) -> list[str]:
    return [each["number"] for each in said.answer["patents"]]


def lens_answer(**changes: Any) -> dict[str, Any]:
    row = deepcopy(LENS["data"][0])
    row["biblio"].update(changes.pop("biblio", {}))
    return {"total": 1, "data": [row | changes]}


def us_rows(*rows: dict[str, Any]) -> dict[str, Any]:
    first = US["patentFileWrapperDataBag"][0]
    made = [
        {**first, "applicationMetaData": {**first["applicationMetaData"], **row}} for row in rows
    ]
    return {"count": len(made), "patentFileWrapperDataBag": made}


# ---------------------------------------------------------------- behaviour


@bullet(
    "four strategies: an explicit provider, the router, the other patent providers, web discovery"
)
def _() -> None:
    assert search(*KEYS, provider="lens").answer["source"] == "lens"
    assert search(*KEYS).answer["source"] == "searchapi"
    routed = search(
        "epo",
        "lens",
        settings={"routing": {"patents": ("lens",)}},
        answers={**GOOD, LENS_AT: (503, "down")},
    )
    assert routed.answer["source"] == "epo"
    assert [url for _, url, _ in routed.services.asked if url in (LENS_AT, EPO_AT)][-1] == EPO_AT
    asked: list[WebQuery] = []
    said = search("epo", "lens", answers=DOWN, web=PAGES, asked=asked)
    assert (said.answer["source"], numbers(said)) == (
        "web_discovery",
        ["US10165245B2", "EP1234567A1"],
    )
    assert [(query.text, query.site) for query in asked] == [("fuel cell", SITE)]


@bullet("web discovery needs no provider of patents; only pages of Google Patents are patents")
def _() -> None:
    said = search(
        web=PAGES,
        assignee="Toyota Motor Corp.",
        inventor='Jane "J" Doe',
        asked=(asked := []),
        year_from=2010,
    )
    assert said.answer["patents"][0] == {
        "title": "Fuel cell stack",
        "number": "US10165245B2",
        "url": "https://patents.google.com/patent/US10165245B2/en",
        "abstract": "A stack.",
    }
    others = (
        SearchResult("Its other page", PAGES[0].url.replace("/en", "/de"), "Ein <b>Stapel</b>."),
        SearchResult(
            "Like one",
            "https://example.org/patents.google.com/patent/US7654321B2/en",
            "A page about it.",
        ),
        SearchResult(
            "<i>Marked</i> up",
            "https://patents.google.com/patent/US7654322B2/en",
            "A <b>cell</b> &amp; more.",
        ),
    )
    told = [
        (each["number"], each["title"], each["abstract"])
        for each in search(web=(*PAGES, *others)).answer["patents"]
    ]
    assert told == [
        ("US10165245B2", "Fuel cell stack", "A stack."),
        ("EP1234567A1", "Fuel cell", "Eine Zelle."),
        ("US7654322B2", "Marked up", "A cell & more."),
    ]
    assert asked[0].text == 'fuel cell "Toyota Motor" "Jane  J  Doe"'
    assert said.answer["query"] == "fuel cell"
    assert said.answer["ignoredParameters"] == ["year_from"]
    assert sorted(said.context.source_metadata) == [
        each["url"] for each in reversed(said.answer["patents"])
    ]


@bullet(
    "a provider that finds nothing is followed by those that were not asked yet, each asked once, before the web"
)
def _() -> None:
    asked: list[WebQuery] = []
    said = search(*KEYS, answers=NOTHING | {US_AT: US}, web=PAGES, asked=asked)
    assert (said.answer["source"], asked) == ("uspto", [])
    said = search(
        *KEYS, answers={**NOTHING, GOOGLE_AT: (404, "gone"), EPO_AT: (404, "gone")}, web=PAGES
    )
    assert [url for _, url, _ in said.services.asked if url != GATE] == [
        GOOGLE_AT,
        EPO_AT,
        LENS_AT,
        US_AT,
    ]
    assert said.answer["source"] == "web_discovery"


@bullet(
    "web discovery follows an answer without results, and its failure does not take that answer away"
)
def _() -> None:
    assert search("epo", answers=NOTHING, web=PAGES).answer["source"] == "web_discovery"
    for web in ((), SearchError("mojeek is down.", kind="network")):
        said = search("epo", answers=NOTHING, web=web)
        assert (said.answer["source"], said.answer["patents"], "hints" in said.answer) == (
            "epo",
            [],
            True,
        )


@bullet("where all fail the error is the first provider's, and says what became of the others")
def _() -> None:
    error = search(
        "epo", "lens", answers=DOWN, web=SearchError("mojeek is down.", kind="network")
    ).error
    assert "EPO OPS answered 503" in error
    assert "Lens.org answered 503" in error
    assert "mojeek is down." in error
    assert "SEARCHAPI_API_KEY" in make_tool_call("patent_search", {}, engines=(), query="tea").error


@bullet(
    "an explicit provider is used exclusively: nothing found stays nothing found, and is not made up for on the web"
)
def _() -> None:
    asked: list[WebQuery] = []
    said = search(
        "epo", "lens", answers=NOTHING | {LENS_AT: LENS}, web=PAGES, asked=asked, provider="epo"
    )
    assert (said.answer["patents"], said.answer["source"], asked) == ([], "epo", [])
    assert said.answer["hints"]["suggestedActions"] == [
        {"action": "try_different_provider", "providers": ["lens"]}
    ]
    assert (
        "EPO OPS answered 503"
        in search("epo", "lens", answers=DOWN, web=PAGES, asked=asked, provider="epo").error
    )
    assert asked == []


@bullet("an explicit engine of the web searches Google Patents")
def _() -> None:
    said = search("epo", web=PAGES, provider="mojeek")
    assert (said.answer["source"], said.requests()) == ("web_discovery", [])


@bullet("an unknown provider is refused with all supported ones, none twice")
def _() -> None:
    error = search("epo", provider="jpo").error
    listed = (
        error.partition("Choose among: ")[2]
        .rstrip(".")
        .replace("or for a search of Google Patents on the web ", "")
        .split(", ")
    )
    assert listed[:4] == ["searchapi", "epo", "lens", "uspto"]
    assert len(listed) == len(set(listed))
    assert {row.name for row in PROVIDERS if row.kind == "web"} <= set(listed)


@bullet("a known provider without its key names the key")
def _() -> None:
    assert "USPTO_API_KEY" in search("epo", provider="uspto").error


@bullet("HTML is stripped, and clean numbers are taken out of paths")
def _() -> None:
    rows = deepcopy(GOOGLE)
    rows["organic_results"][0].pop("publication_number")
    (patent,) = search("searchapi", answers={GOOGLE_AT: rows}).answer["patents"]
    assert (patent["number"], patent["title"], patent["abstract"]) == (
        "EP1234567B1",
        "Fuel cell stack",
        "A stack of fuel cells …",
    )
    (patent,) = search(
        "lens", answers={LENS_AT: lens_answer(abstract="<p>A &lt;cell&gt; &amp; more</p>")}
    ).answer["patents"]
    assert "<p>" not in patent["abstract"]


@bullet("names of companies lose their legal form before they are matched")
def _() -> None:
    said = search(*KEYS, provider="searchapi", assignee="Toyota Motor Corp.")
    assert said.params(GOOGLE_AT)[0]["assignee"] == "Toyota Motor"
    assert (
        'pa="Toyota Motor"'
        in search("epo", assignee="Toyota Motor Co., Ltd.").params(EPO_AT)[0]["q"]
    )
    assert (
        '"Toyota Motor"'
        in search("uspto", assignee="Toyota Motor, LLC", query="").params(US_AT)[0]["q"]
    )
    ((_, _, options),) = search("lens", assignee="Toyota Motor Inc").requests(LENS_AT)
    assert {"match_phrase": {"applicant.name": "Toyota Motor"}} in options["json"]["query"]["bool"][
        "must"
    ]


@bullet(
    "patent_office decides who is asked: a provider that cannot serve it is not asked, and told so where it is named"
)
def _() -> None:
    assert search("uspto", "epo", patent_office="EP").requests(US_AT) == []
    asked: list[WebQuery] = []
    said = search("uspto", patent_office="EP", web=PAGES, asked=asked)
    assert (numbers(said), said.answer["source"], said.requests()) == (
        ["EP1234567A1"],
        "web_discovery",
        [],
    )
    named = search("uspto", "epo", patent_office="EP", provider="uspto")
    assert (named.answer["patents"], named.answer["source"], named.requests(), len(asked)) == (
        [],
        "uspto",
        [],
        1,
    )
    assert (
        named.answer["hints"]["note"] == "uspto has nothing of the office EP, so it was not asked."
    )
    assert named.answer["hints"]["filtersApplied"] == {"patent_office": "EP"}
    assert {"action": "try_different_provider", "providers": ["epo"]} in named.answer["hints"][
        "suggestedActions"
    ]
    american = search("uspto", patent_office="US").answer
    assert (american["source"], "ignoredParameters" in american) == (
        "uspto",
        False,
    )  # by its numbers everybody goes by it


@bullet(
    "patent_office is asked for where a provider can, and what is of another office by its number is left out"
)
def _() -> None:
    assert " and pn=WO" in search("epo", patent_office="WO").params(EPO_AT)[0]["q"]
    assert search("searchapi", patent_office="JP").params(GOOGLE_AT)[0]["countries"] == "JP"
    said = search("epo", "lens", patent_office="WO", web=PAGES)
    assert (said.answer["patents"], "ignoredParameters" in said.answer) == ([], False)
    assert numbers(search("lens", patent_office="EP")) == ["EP1234567A1"]


@bullet("USPTO is searched by quoted phrases")
def _() -> None:
    said = search("uspto", query='solid "state of" the battery', inventor="Jane Doe")
    assert said.params(US_AT)[0]["q"] == '"solid" AND "state of" AND "battery" AND "Jane Doe"'


@bullet("Lens is searched by bool queries with match_phrase")
def _() -> None:
    said = search("lens", inventor="Doe", patent_office="EP", cpc_code="h01m8/04", year_from=2009)
    ((_, _, options),) = said.requests(LENS_AT)
    assert options["json"]["query"]["bool"]["must"] == [
        {
            "bool": {
                "should": [
                    {"match_phrase": {"title": "fuel"}},
                    {"match_phrase": {"abstract": "fuel"}},
                ]
            }
        },
        {
            "bool": {
                "should": [
                    {"match_phrase": {"title": "cell"}},
                    {"match_phrase": {"abstract": "cell"}},
                ]
            }
        },
        {"match_phrase": {"inventor.name": "Doe"}},
        {"term": {"jurisdiction": "EP"}},
        {"query_string": {"query": "class_cpc.symbol:H01M8\\/04*"}},
        {"range": {"application_reference.date": {"gte": "2009-01-01"}}},
    ]


@bullet("num_results holds for every provider, whatever its answer holds")
def _() -> None:
    many = [DOCUMENT.replace("1234567", f"123456{n}") for n in range(9)]
    google, lens_rows = (
        deepcopy(GOOGLE),
        [lens_answer(doc_number=f"123456{n}")["data"][0] for n in range(9)],
    )
    google["organic_results"] = [
        {**GOOGLE["organic_results"][0], "publication_number": f"EP123456{n}B1"} for n in range(9)
    ]
    american = us_rows(*({"patentNumber": f"812345{n}"} for n in range(9)))
    full = {
        GATE: TOKEN,
        EPO_AT: office(*many),
        LENS_AT: {"data": lens_rows},
        US_AT: american,
        GOOGLE_AT: google,
    }
    for name in KEYS:
        assert len(numbers(search(name, answers=full, num_results=3))) == 3, name
        assert len(set(numbers(search(name, answers=full)))) == 5, name
    pages = tuple(
        replace(PAGES[0], url=f"https://patents.google.com/patent/US1016524{n}B2/en")
        for n in range(9)
    )
    assert len(numbers(search(web=pages, num_results=2))) == 2
    assert "num_results" in search("epo", num_results=11).error


@bullet(
    "a patent that stands twice in an answer is told once, and works of Google Scholar are none"
)
def _() -> None:
    (row,) = GOOGLE["organic_results"]
    work = {"position": 2, "is_scholar": True, "title": "On fuel cells", "scholar_id": "x1"}
    assert numbers(
        search("searchapi", answers={GOOGLE_AT: {**GOOGLE, "organic_results": [row, row, work]}})
    ) == ["EP1234567B1"]
    assert (
        numbers(
            search(
                "searchapi",
                answers={GOOGLE_AT: {**GOOGLE, "organic_results": [work]}},
                provider="searchapi",
            )
        )
        == []
    )


@bullet(
    "names match by their words: a surname or a company's word is enough, and what matches is to be checked by the names returned"
)
def _() -> None:
    rows = us_rows(
        {"firstApplicantName": "ACME WIDGETS, INC."},
        {"firstApplicantName": "Beta LLC", "patentNumber": "8000001"},
    )
    (patent,) = search("uspto", answers={US_AT: rows}, assignee="Acme").answer["patents"]
    assert patent["assignee"] == "ACME WIDGETS, INC."
    nameless = us_rows({"firstApplicantName": None})
    assert len(numbers(search("uspto", answers={US_AT: nameless}, assignee="Acme"))) == 1


@bullet("query is not required where assignee or inventor is given, and one of the three is")
def _() -> None:
    assert search("epo", query="", assignee="Acme").params(EPO_AT)[0]["q"] == 'pa="Acme"'
    assert search("epo", query=" ", cpc_code="H01M").error.startswith(
        "patent_search needs something to search for."
    )


@bullet("without words the star is asked for as it is")
def _() -> None:
    said = search("searchapi", query="", assignee="Acme")
    ((_, url, options),) = said.requests(GOOGLE_AT)
    assert (url, "q" in options["params"]) == (f"{GOOGLE_AT}?q=*", False)


@bullet("a number is asked for as a number, however it is written")
def _() -> None:
    assert search("epo", query="US 2019/0095759 A1").params(EPO_AT)[0]["q"] == 'pn="US2019095759"'
    assert search("searchapi", query="us 10,165,245 b2").params(GOOGLE_AT)[0]["q"] == "US10165245B2"
    assert (
        search("uspto", query="US10165245B2").params(US_AT)[0]["q"]
        == 'applicationMetaData.patentNumber:"10165245"'
    )
    ((_, _, options),) = search("lens", query="EP2471949").requests(LENS_AT)
    assert options["json"]["query"]["bool"]["must"] == [
        {"term": {"jurisdiction": "EP"}},
        {"term": {"doc_number": "2471949"}},
    ]


@bullet("search_type specific looks in titles alone, and is echoed as searchType")
def _() -> None:
    said = search("epo", search_type="specific")
    assert (said.params(EPO_AT)[0]["q"], said.answer["searchType"]) == (
        'ti="fuel" and ti="cell"',
        "specific",
    )
    landscape = search("epo", search_type="landscape")
    assert (landscape.answer["searchType"], "ignoredParameters" in landscape.answer) == (
        "landscape",
        False,
    )
    assert search("searchapi", search_type="specific").params(GOOGLE_AT)[0]["q"] == "TI=(fuel cell)"


@bullet(
    "EPO is asked in CQL: ta= for each word, pa, in, pn, cpc and pd, and the years of filing are held against each patent"
)
def _() -> None:
    said = search("epo", query='the "solid state" battery', assignee="Acme Inc", inventor="Doe", cpc_code="H01M", patent_office="EP",
                  year_from=2008, year_to=2009)  # fmt: skip
    assert said.params(EPO_AT)[0]["q"] == (
        'ta="solid state" and ta="battery" and pa="Acme" and in="Doe" and pn=EP and cpc="H01M" and pd>=2008 and pd<=2011'
    )
    assert numbers(said) == ["EP1234567A1"]
    assert numbers(search("epo", year_to=2008)) == []
    assert numbers(search("epo", year_from=2010)) == []
    ((_, _, options),) = said.requests(EPO_AT)
    assert (options["headers"]["x-ops-range"], options["headers"]["authorization"]) == (
        "1-100",
        "Bearer a-token-of-the-office",
    )


@bullet(
    "USPTO is asked for the years of filing, and what it returned is held against class, people and years"
)
def _() -> None:
    said = search("uspto", year_from=2009, cpc_code="H01M8")
    params = said.params(US_AT)[0]
    assert params["rangeFilters"] == "applicationMetaData.filingDate 2009-01-01:9999-12-31"
    assert (params["limit"], numbers(said), "ignoredParameters" in said.answer) == (
        "100",
        ["US8123456"],
        False,
    )
    assert numbers(search("uspto", cpc_code="G06F")) == []
    assert (
        numbers(
            search(
                "uspto",
                answers={US_AT: us_rows({"filingDate": "1999-01-01"}, {"filingDate": None})},
                year_from=2000,
            )
        )
        == []
    )


@bullet("year_from after year_to is refused")
def _() -> None:
    assert search("epo", year_from=2020, year_to=2010).error.startswith(
        "year_from is after year_to."
    )


@bullet(
    "an answer without results has hints that name the filters; every answer has query, searchType, resultCount, searchUrl and trust"
)
def _() -> None:
    said = search(
        "lens", answers=NOTHING, assignee="Acme Corp", year_from=2015, patent_office="EP"
    ).answer
    assert said["hints"]["filtersApplied"] == {
        "patent_office": "EP",
        "assignee": "Acme Corp",
        "year_from": 2015,
    }
    assert (
        said["searchUrl"]
        == "https://patents.google.com/?q=fuel+cell&assignee=Acme&country=EP&after=filing%3A20150101"
    )
    assert (said["query"], said["searchType"], said["resultCount"]) == ("fuel cell", "prior_art", 0)
    classed = search("lens", answers=NOTHING, cpc_code="h01m8/04", year_to=2016).answer
    assert classed["hints"]["filtersApplied"] == {"cpc_code": "H01M8/04", "year_to": 2016}
    assert (
        classed["searchUrl"]
        == "https://patents.google.com/?q=fuel+cell+CPC%3DH01M8%2F04&before=filing%3A20161231"
    )
    assert search("lens").answer["trust"] == "untrusted-external-content"


@bullet("hints name no provider that was asked already")
def _() -> None:
    said = search("epo", "lens", "uspto", answers=NOTHING).answer
    assert said["hints"]["suggestedActions"] == [{"action": "broaden_query"}]


@bullet("status is told where the provider tells it")
def _() -> None:
    assert search("uspto").answer["patents"][0]["status"] == "Patented Case"
    assert "status" not in search("epo").answer["patents"][0]


@bullet("patents are kept for 24 hours, and no answer without any is kept")
def _() -> None:
    for name in KEYS:
        assert search(name).kept_s == 24 * 3600, name
        assert search(name, answers=NOTHING).kept_s is None, name


@bullet(
    "sessionId of a session that is not there is refused, and what is found is a source of the session"
)
def _() -> None:
    assert "Session not found" in search("epo", sessionId="s-1").error
    assert list(search("epo").context.source_metadata) == [
        "https://patents.google.com/patent/EP1234567A1/en"
    ]


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


# ---------------------------------------------------------------- defects of the original


def test_defect_5_filed_granted_and_published_are_each_only_what_they_are() -> None:
    """Its Lens put the day of publication into `filed`, its EPO put it into `granted` even for an
    application.
    """
    (patent,) = search("lens").answer["patents"]
    assert (patent["filed"], patent["granted"], patent["published"]) == (
        "2009-05-01",
        "2013-07-03",
        "2010-11-03",
    )
    undated = lens_answer(
        biblio={"application_reference": None},
        legal_status={"granted": False, "grant_date": "2013-07-03"},
    )
    (patent,) = search("lens", answers={LENS_AT: undated}).answer["patents"]
    assert ("filed" in patent, "granted" in patent, patent["published"]) == (
        False,
        False,
        "2010-11-03",
    )
    (patent,) = search("epo").answer["patents"]
    assert (patent["filed"], "granted" in patent, patent["published"]) == (
        "2009-05-01",
        False,
        "2010-11-03",
    )
    granted = DOCUMENT.replace('kind="A1"', 'kind="B1"').replace(
        "<kind>A1</kind>", "<kind>B1</kind>"
    )
    (patent,) = search("epo", answers={GATE: TOKEN, EPO_AT: office(granted)}).answer["patents"]
    assert (patent["number"], patent["granted"]) == ("EP1234567B1", "2010-11-03")


@pytest.mark.parametrize("name", ["epo", "lens"])
def test_defect_17_no_abstract_is_cut_inside_a_character_nor_at_all(name: str) -> None:
    abstract = "aß€𝄞é " * 700
    answers = {
        GATE: TOKEN,
        EPO_AT: office(DOCUMENT.replace("[0001] A fuel cell.", f"[0001] {abstract}")),
        LENS_AT: lens_answer(abstract=[{"text": abstract, "lang": "en"}]),
    }
    (patent,) = search(name, answers=answers).answer["patents"]
    assert patent["abstract"] == abstract.strip()


# ---------------------------------------------------------------- refusals of the providers


@pytest.mark.parametrize(
    ("status", "headers", "body", "kind"),
    [
        (403, {"x-rejection-reason": "RegisteredQuotaPerWeek"}, b"", "rate_limited"),
        (403, {}, b"<error><message>Fair use: quota exceeded</message></error>", "rate_limited"),
        (
            403,
            {},
            b"<error><message>Developer account is blocked</message></error>",
            "auth_required",
        ),
        (
            400,
            {},
            b"<error><code>400</code><message>invalid_access_token</message></error>",
            "auth_required",
        ),
        (
            400,
            {},
            b'<fault xmlns="http://ops.epo.org"><code>CLIENT.CQL</code><message>The request was invalid</message></fault>',
            "bad_reply",
        ),
        (404, {}, b"<html>not here</html>", "config"),
    ],
)
def test_a_refusal_of_epo_is_told_apart(
    status: int, headers: dict[str, str], body: bytes, kind: str
) -> None:
    service = Service([(EPO_AT, body)], status, headers)
    with pytest.raises(SearchError) as caught:
        epo.search(service, configured(epo_key="k", epo_secret="s"), PatentQuery("tea"))  # type: ignore[arg-type]
    assert (caught.value.kind, caught.value.status) == (kind, status)


def test_epo_says_that_it_found_nothing_by_a_status() -> None:
    body = b'<fault xmlns="http://ops.epo.org"><code>SERVER.EntityNotFound</code><message>No results found</message></fault>'
    assert numbers(search("epo", answers={GATE: TOKEN, EPO_AT: (404, body)})) == []


def test_a_quota_of_epo_is_told_through_the_doorway_as_such() -> None:
    reply = HttpReply(EPO_AT, 403, {"x-rejection-reason": "IndividualQuotaPerHour"}, b"")
    assert (
        "Wait an hour" in search("epo", answers={GATE: TOKEN, EPO_AT: reply}, provider="epo").error
    )


def test_a_wrong_account_of_epo_is_said_and_no_secret_of_it_is() -> None:
    said = search(
        "epo",
        answers={GATE: (401, b'{"error": "invalid_client"}'), EPO_AT: office(DOCUMENT)},
        provider="epo",
    )
    assert "Check EPO_OPS_CONSUMER_KEY" in said.error
    assert said.requests(EPO_AT) == []
    assert "Y29uc3VtZXIta2V5OmNvbnN1bWVyLXNlY3JldA==" not in said.error


@pytest.mark.parametrize("name", KEYS)
def test_no_secret_of_a_provider_is_in_the_log(name: str) -> None:
    said = search(name)
    written = json.dumps([event.data for event in said.context.log.read()])
    for secret in (
        *KEYS[name].values(),
        TOKEN["access_token"],
        "Y29uc3VtZXIta2V5OmNvbnN1bWVyLXNlY3JldA==",
    ):
        assert secret not in written


def test_what_never_answered_is_a_failure_of_its_kind() -> None:
    assert (
        "nobody"
        in search(
            "lens",
            answers={LENS_AT: FetchError("There is nobody.", kind="network")},
            provider="lens",
        ).error
    )


def test_paragraphs_and_signs_within_words_of_epo_are_read_as_they_stand() -> None:
    changed = DOCUMENT.replace(
        "<p>[0001] A fuel cell.</p>",
        "<p>[0001] H<sub>2</sub>O.</p><!-- no --><p>A &lt;IMAGE> &amp; more.</p>",
    )
    (patent,) = epo.read_publications(HttpReply(EPO_AT, 200, {}, office(changed).encode()))
    assert patent.abstract == "H2O. A & more."


def test_no_part_of_an_answer_of_epo_that_lacks_or_is_another_breaks_its_reader() -> None:
    """What is left of it is read, or is a bad reply; it is never taken for an answer without
    results.
    """
    whole = office(DOCUMENT).encode()
    count = len(list(etree.fromstring(whole).iter()))
    outcomes = set()
    for n in range(count):
        for change in (_without, _other_text, _other_name, _without_attributes, _twice):
            root = etree.fromstring(whole)
            change(list(root.iter())[n])
            try:
                outcomes.add(
                    len(epo.read_publications(HttpReply(EPO_AT, 200, {}, etree.tostring(root))))
                )
            except SearchError as error:
                outcomes.add(error.kind)
    assert outcomes == {1, 2, "bad_reply"}


def _without(element: Any) -> None:
    if element.getparent() is not None:
        element.getparent().remove(element)


def _other_text(element: Any) -> None:
    element.text = "\u202eanother <text>"


def _other_name(element: Any) -> None:
    element.tag = "another"


def _without_attributes(element: Any) -> None:
    element.attrib.clear()


def _twice(element: Any) -> None:
    if element.getparent() is not None:
        element.getparent().append(deepcopy(element))


# ---------------------------------------------------------------- a session again


def test_a_replay_of_a_session_says_the_same_and_asks_nobody_for_anything(tmp_path: Path) -> None:
    """Nor for a token: the session's own log answers, and holds none."""
    db = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    new_session(db)
    first, again = ScriptedServices(GOOD), ScriptedServices({})
    said = once(db, first)
    assert (once(db, again, readonly=True), once(db, again)) == (said, said)
    assert (said["source"], [url for _, url, _ in first.asked], again.asked) == (
        "epo",
        [GATE, EPO_AT],
        [],
    )
    db.close()
    written = read_stored_bytes(tmp_path)
    assert TOKEN["access_token"].encode() not in written


def once(db: Database, services: ScriptedServices, *, readonly: bool = False) -> Any:
    log, clock = log_of(db, readonly=readonly), StillClock()
    doorway = Doorway(log, services, Scripted("no answer"), clock)
    deps = Deps(
        configured(**KEYS["epo"]), RunSettings(), doorway.http, doorway.model, log, clock, POOL
    )
    return json.loads(
        run_tool("patent_search", {"query": "fuel cell"}, ResearchContext("tea", deps))
    )


def test_all_that_a_call_asks_is_asked_within_the_time_of_one_call() -> None:
    """Each provider takes 20 s to fail: the fourth has none left of the minute, and the web
    neither.
    """
    clock = Hands()

    class Slow(ScriptedServices):
        def send(self, method: str, url: str, **options: Any) -> HttpReply:
            clock.at += 20
            return HttpReply(url, 404, {}, b"gone")

    services, log = Slow({}), memory_log("tea")
    doorway = Doorway(log, services, Scripted("no answer"), clock)
    settings = configured(**{name: value for keys in KEYS.values() for name, value in keys.items()})
    deps = Deps(settings, RunSettings(), doorway.http, doorway.model, log, clock, POOL)
    error = str(
        json.loads(run_tool("patent_search", {"query": "fuel cell"}, ResearchContext("tea", deps)))[
            "error"
        ]
    )
    assert "USPTO: This call reached its time limit." in error


# ---------------------------------------------------------------- recorded replies


def of_office(body: bytes, count: int = 10) -> tuple[Any, ...]:
    """What EPO's reader makes of it."""
    return epo.read_publications(HttpReply(EPO_AT, 200, {}, body))[:count]


@for_each_recorded("epo_published_6.xml", "epo_published_8.xml")
def test_recorded_data_of_epo_are_read(body: bytes, name: str) -> None:
    (patent,) = search("epo", answers={GATE: TOKEN, EPO_AT: body}).answer["patents"]
    abstract = patent.pop("abstract")
    assert (
        patent
        == {
            "epo_published_6.xml": {
                "title": "Apparatus for manufacturing green bricks for the brick manufacturing industry",
                "number": "EP1000000A1",
                "url": "https://patents.google.com/patent/EP1000000A1/en",
                "assignee": "BEHEERMAATSCHAPPIJ DE BOER NIJMEGEN B.V",
                "inventor": "KOSMAN, WILHELMUS JACOBUS MARIA",
                "filed": "1999-11-08",
                "published": "2000-05-17",
            },
            "epo_published_8.xml": {
                "title": "RELEVANCY SORTING OF USERS BROWSER HISTORY",
                "number": "WO2009085664A2",
                "url": "https://patents.google.com/patent/WO2009085664A2/en",
                "assignee": "MICROSOFT CORPORATION",
                "inventor": "VAUGHAN, CHRISTOPHER M",
                "filed": "2008-12-12",
                "published": "2009-07-09",
            },
        }[name]
    )
    assert abstract.startswith(
        ("The invention relates to an apparatus", "Various embodiments provide a Web browser")
    )
    assert "<" not in abstract


@for_each_recorded("epo_search_2.xml", "epo_search_3.xml", "epo_search_4.xml", "epo_search_5.xml")
def test_recorded_searches_of_epo_without_data_are_read_by_their_numbers(
    body: bytes, name: str
) -> None:
    patents = of_office(body, 1000)
    first, count = {
        "epo_search_2.xml": ("CA3237865A1", 100),
        "epo_search_3.xml": ("CA3237996A1", 100),
        "epo_search_4.xml": ("CA217555S", 100),
        "epo_search_5.xml": ("CA3237996A1", 1),
    }[name]
    assert (patents[0].number, len(patents)) == (first, count)
    assert all(each.number and each.url.endswith(f"/{each.number}/en") for each in patents)


@for_each_recorded("epo_family_1.xml", "epo_family_2.xml")
def test_recorded_families_of_epo_are_read_with_their_own_days(body: bytes, name: str) -> None:
    found = {each.number: each for each in of_office(body, 1000)}
    if name == "epo_family_1.xml":
        assert (found["EP1000000B1"].granted, found["EP1000000B1"].filed) == (
            "2003-02-12",
            "1999-11-08",
        )
        assert (found["EP1000000A1"].granted, found["EP1000000A1"].published) == ("", "2000-05-17")
    else:
        assert found["WO2009085664A2"].published == "2009-07-09"
    assert all(each.published for each in found.values())


@for_each_recorded("epo_published_2.xml", "epo_published_5.xml")
def test_recorded_full_texts_of_epo_are_read_by_their_numbers(body: bytes, name: str) -> None:
    (patent,) = of_office(body)
    assert (
        patent.number
        == {"epo_published_2.xml": "WO2009085664A2", "epo_published_5.xml": "EP1000000A1"}[name]
    )


@for_each_recorded("epo_family_3_http400.txt")
def test_a_recorded_refusal_of_epo_is_one_of_its_token(body: bytes, name: str) -> None:
    said = search("epo", answers={GATE: TOKEN, EPO_AT: (400, body)}, provider="epo")
    assert "Access token is invalid" in said.error or "invalid_access_token" in said.error
    assert "Check EPO_OPS_CONSUMER_KEY" in said.error


@for_each_recorded("lens_patent_1.json")
def test_a_recorded_answer_of_lens_is_read(body: bytes, name: str) -> None:
    (patent,) = search("lens", answers={LENS_AT: body}).answer["patents"]
    abstract = patent.pop("abstract")
    assert patent == {
        "title": "Method for the identification by molecular techniques of genetic variants that encode no D antigen (D-) and altered "
        "C antigen (C+W)",
        "number": "EP2471949A1",
        "url": "https://patents.google.com/patent/EP2471949A1/en",
        "assignee": "PROGENIKA BIOPHARMA SA",
        "inventor": "OCHOA JORGE",
        "filed": "2010-12-31",
        "granted": "2013-12-25",
        "published": "2012-07-04",
        "status": "ACTIVE",
    }
    assert abstract.endswith("probes, primers and kits for use in such methods.")


@for_each_recorded("uspto_9.json")
def test_a_recorded_answer_of_uspto_in_its_former_shape_is_read(body: bytes, name: str) -> None:
    (patent,) = search(
        "uspto", answers={US_AT: body}, assignee="Fujifilm Corp", cpc_code="G06N"
    ).answer["patents"]
    assert patent.pop("title").startswith("LEARNING ASSISTANCE DEVICE, METHOD")
    assert patent == {
        "number": "US20190095759A1",
        "url": "https://patents.google.com/patent/US20190095759A1/en",
        "assignee": "FUJIFILM Corporation",
        "inventor": "Shoji KANADA",
        "filed": "2018-09-06",
    }


@for_each_recorded("uspto_12_http429.json")
def test_a_recorded_refusal_of_uspto_is_one_of_too_many(body: bytes, name: str) -> None:
    assert (
        "USPTO answered 429 (Too many requests)"
        in search("uspto", answers={US_AT: (429, body)}, provider="uspto").error
    )


@for_each_recorded("uspto_13_http404.json")
def test_a_recorded_answer_of_uspto_that_says_there_is_nothing_is_empty(
    body: bytes, name: str
) -> None:
    assert numbers(search("uspto", answers={US_AT: (404, body)}, provider="uspto")) == []
    assert (
        "USPTO answered 404"
        in search("uspto", answers={US_AT: (404, b"{}")}, provider="uspto").error
    )


@for_each_recorded(
    "uspto_2.json", "uspto_3.json", "uspto_4.json", "uspto_8.xml", "uspto_10.json", "uspto_ptab_2.json", "uspto_ptab_3.json",
)  # fmt: skip
def test_recorded_answers_of_other_services_of_uspto_are_no_empty_answers_of_this_one(
    body: bytes, name: str
) -> None:
    assert "cannot be read" in search("uspto", answers={US_AT: body}, provider="uspto").error


# ---------------------------------------------------------------- numbers, names, days and words


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("US10165245B2", "US10165245B2"), ("us 10,165,245 b2", "US10165245B2"), ("patent/EP1000000B1/en", "EP1000000B1"),
        ("https://patents.google.com/patent/WO2009085664A2/en?oq=x", "WO2009085664A2"), ("US 2019-0095759 A1", "US20190095759A1"),
        ("EP 2471949", "EP2471949"), ("USD912345S1", "USD912345S1"), ("US RE43,633", "USRE43633"), ("fuel cell", ""), ("", ""),
        ("AI 20250101", ""), ("US 2025", ""), ("US10165245B2 fuel cell", ""), ("scholar/12345678901", ""), ("US٣٤٥٦٧٨٩", ""),
    ],
)  # fmt: skip
def test_a_number_is_read_however_it_is_written_and_nothing_else_is_one(
    text: str, number: str
) -> None:
    assert parse_number(text) == number


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Toyota Motor Corp.", "Toyota Motor"), ("ACME, Inc.", "ACME"), ("MICROSOFT CORP [US]", "MICROSOFT"),
        ("DE BOER NIJMEGEN B.V", "DE BOER NIJMEGEN"), ("Co", "Co"), ("Novartis AG", "Novartis"), ("", ""), ("Incyte", "Incyte"),
    ],
)  # fmt: skip
def test_the_name_of_a_company_without_its_form(name: str, plain: str) -> None:
    assert strip_company_form(name) == plain


def test_days_and_parts_and_words() -> None:
    assert [parse_day(text) for text in ("20120704", "2012-07-04", "2012-07-04T00:00:00Z", "2012", "20121304", "07/04/2012", "")] == [
        "2012-07-04", "2012-07-04", "2012-07-04", "", "", "", ""
    ]  # fmt: skip
    assert join_number("US", "2019095759", "A1") == "US20190095759A1"
    assert join_number("US", "10165245", "B2") == "US10165245B2"
    assert join_number("EP", "", "A1") == join_number("EP", "<1>", "A1") == ""
    assert query_phrases('a "solid  state" battery, for cars (and*trucks)') == (
        "solid state",
        "battery",
        "cars",
        "and trucks",
    )
    assert query_phrases("to be of") == ("be",)
    assert query_phrases("of the") == ("of", "the")


@pytest.mark.parametrize(
    "query", ['" or pa="x', "ta=", "a) and (b", "tea AND NOT coffee", "tea* or ?"]
)
def test_no_word_of_a_query_is_an_operator_of_its_own(query: str) -> None:
    """Every term is one field with one text in quotes."""
    (params,) = search("epo", query=query).params(EPO_AT)
    assert all(re.fullmatch(r'ta="[^"*?]+"', term) for term in params["q"].split(" and "))


@pytest.mark.parametrize("query", ["*", "?" * 50, "\\", '""', "..."])
def test_signs_are_nothing_to_search_for(query: str) -> None:
    assert search("epo", query=query).error.startswith(
        "patent_search needs something to search for."
    )


@pytest.mark.parametrize(
    "answers", [GOOD, NOTHING, DOWN, {**DOWN, GATE: TOKEN, EPO_AT: office(DOCUMENT)}]
)
@pytest.mark.parametrize(
    "arguments",
    [{"query": "fuel cell"}, {"query": "US10165245B2"}, {"query": "fuel cell", "provider": "epo"}],
)
def test_a_replay_without_a_key_asks_who_was_asked(
    answers: dict[str, Any], arguments: dict[str, str]
) -> None:
    said = make_tool_call(
        "patent_search",
        answers,
        settings={**KEYS["epo"], **KEYS["lens"], **KEYS["uspto"]},
        **arguments,
    )
    assert replay_call(said, "patent_search", **arguments) == said.answer
