"""filing_search, bullet by bullet of its specification (spec/research-tools.md, tool 20), and
EDGAR's recorded answers.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from research_core.errors import SearchError
from research_core.models import HttpReply
from research_core.search.providers import PROVIDERS, list_available_rows
from research_core.search.queries import FilingQuery
from research_core.settings import Settings
from research_core.tools import get_tool, list_available_tools
from research_core.wiring import Resources
from tests.bullets import Bullets
from tests.contracts import Service, configured
from tests.contracts.filings import (
    BEFORE,
    COMPANIES,
    CONTACT,
    EIGHT,
    FIGURES,
    FIRST_TEN,
    HIT,
    OLD_TEN,
    TEN,
    company,
    listed,
    value,
)
from tests.tool_calls_made import (
    RECORDED,
    CallOutcome,
    for_each_recorded,
    make_tool_call,
    replay_call,
)

TICKERS, TEXTS = (
    "https://www.sec.gov/files/company_tickers.json",
    "https://efts.sec.gov/LATEST/search-index",
)
FILED, FACTS = (
    "https://data.sec.gov/submissions/CIK0001234567",
    "https://data.sec.gov/api/xbrl/companyfacts/CIK0001234567.json",
)
USUAL: dict[str, Any] = {
    TICKERS: COMPANIES,
    f"{FILED}.json": company(listed(EIGHT, TEN), BEFORE),
    f"{FILED}-submissions-001.json": listed(OLD_TEN, FIRST_TEN),
    TEXTS: {"hits": {"hits": [HIT]}},
    FACTS: FIGURES,
}
bullet = Bullets("filing_search")


def search(answers: dict[str, Any] | None = None, **arguments: Any) -> CallOutcome:
    return make_tool_call(
        "filing_search", {**USUAL, **(answers or {})}, settings=CONTACT, **arguments
    )


def numbers(said: CallOutcome) -> list[str]:
    return [filing["accession"] for filing in said.answer["filings"]]


def asked(said: CallOutcome) -> list[str]:
    return [url for _, url, _ in said.services.asked]


def figures(
    units: dict[str, Any], concept: str = "Revenues", taxonomy: str = "us-gaap", **arguments: Any
) -> list[Any]:
    body = {
        "entityName": "TEA & SPICE CO",
        "facts": {taxonomy: {concept: {"label": concept, "units": units}}},
    }
    return list(search({FACTS: body}, ticker="TEA", facts=True, **arguments).answer["filings"])


# ---------------------------------------------------------------- who is meant


@bullet("a ticker, CIK or known company in query lists its recent filings from the submissions API")
def _() -> None:
    for query in (
        "TEA",
        "tea",
        "CIK1234567",
        "1234567",
        "0001234567",
        "Tea & Spice",
        "tea and spice",
        "tea and spice company"[:3],
        "Tea & Spice Company, Inc",
    ):
        said = search(query=query)
        assert numbers(said)[:2] == [EIGHT[0], TEN[0]], query
        assert not said.requests(TEXTS)


@bullet("any other query is a full-text search across all filers")
def _() -> None:
    for query in ("tea prices in a dry year", '"TEA"', "coffee", "a tea"):
        said = search(query=query)
        assert said.params(TEXTS) == [{"q": query}]
        (filing,) = said.answer["filings"]
        assert (filing["company"], filing["cik"], filing["accession"]) == (
            "TEA & SPICE CO",
            "0001234567",
            HIT["_id"].partition(":")[0],
        )
        assert (
            filing["url"]
            == "https://www.sec.gov/Archives/edgar/data/1234567/000123456724000005/tea-10k.htm"
        )


@bullet("the first word of a name is a company only where it begins one name alone")
def _() -> None:
    shared = {**COMPANIES, "8": {"cik_str": 88, "ticker": "JJ", "title": "Jar & Jug"}}
    answers = {
        TICKERS: shared,
        "https://data.sec.gov/submissions/CIK0000000088.json": company(listed(TEN)),
    }
    assert search(answers, query="Jar").requests(TEXTS) == []
    both = {**shared, "9": {"cik_str": 99, "ticker": "JC", "title": "Jar Covers Inc"}}
    assert len(search({**answers, TICKERS: both}, query="Jar").requests(TEXTS)) == 1


@bullet("ticker takes precedence over query, and that query was not gone by is said")
def _() -> None:
    said = search(query="Pot Holdings", ticker="tea")
    assert numbers(said)[:2] == [EIGHT[0], TEN[0]]
    assert (said.answer["ignoredParameters"], said.answer["query"]) == (["query"], "Pot Holdings")
    assert (
        search(
            ticker="pot.b",
            answers={"https://data.sec.gov/submissions/CIK0007654321.json": company(listed(TEN))},
        ).answer["resultCount"]
        == 1
    )
    assert "ignoredParameters" not in search(ticker="TEA").answer
    for ticker in ("$tea", "NYSE: TEA", "nyse:tea", "(TEA)"):
        assert numbers(search(ticker=ticker))[:1] == [EIGHT[0]], ticker
    for ticker in ("POT/B", "pot b", "$POT.B"):
        assert asked(search(ticker=ticker))[-1].startswith(
            "https://data.sec.gov/submissions/CIK0007654321"
        ), ticker


@bullet("query is required unless ticker is set")
def _() -> None:
    assert search(query=" ").error.startswith(
        "filing_search needs a company or words to search for."
    )
    assert search(ticker="TEA").answer["query"] == "TEA"


@bullet(
    "each filing has company, cik, formType, filingDate, periodOfReport, accession, url, description and source"
)
def _() -> None:
    first, second = search(query="TEA", num_results=2).answer["filings"]
    assert second == {
        "company": "TEA & SPICE CO",
        "cik": "0001234567",
        "formType": "10-K",
        "filingDate": "2024-02-20",
        "periodOfReport": "2023-12-31",
        "accession": "0001234567-24-000005",
        "url": "https://www.sec.gov/Archives/edgar/data/1234567/000123456724000005/tea-10k.htm",
        "description": "ANNUAL REPORT",
        "source": "edgar",
    }
    assert first["description"] == "8-K (items 2.02, 9.01)"


@bullet("form_type restricts to a form however it is written, amendments apart")
def _() -> None:
    amended = ("0001234567-24-000006", "10-K/A", "2024-03-01", "2023-12-31", "a.htm", "", "")
    answers = {f"{FILED}.json": company(listed(EIGHT, amended, TEN))}
    assert numbers(search(answers, ticker="TEA", form_type="10k")) == [TEN[0]]
    assert numbers(search(answers, ticker="TEA", form_type="10-K/A")) == [amended[0]]
    assert search(query="tea prices", form_type="def 14a").params(TEXTS)[0]["forms"] == "DEF 14A"
    assert (
        search(query="tea prices", form_type="8-K").answer["resultCount"] == 0
    )  # the one hit is a 10-K


@bullet("date_from and date_to bound the day of filing, and are sent to the full-text search")
def _() -> None:
    assert numbers(search(ticker="TEA", date_from="2024-02-20", date_to="2024-02-20")) == [TEN[0]]
    params = search(query="tea prices", date_from="2024-01-01", date_to="2024-12-31").params(TEXTS)
    assert params == [
        {"q": "tea prices", "dateRange": "custom", "startdt": "2024-01-01", "enddt": "2024-12-31"}
    ]
    assert (
        search(query="tea prices", date_to="2024-12-31").params(TEXTS)[0]["startdt"] == "2001-01-01"
    )
    assert "enddt" not in search(query="tea prices", date_from="2024-01-01").params(TEXTS)[0]


@bullet("a date that is none is refused")
def _() -> None:
    assert search(ticker="TEA", date_from="2024-02-30").error.startswith(
        "date_from is not a date: 2024-02-30."
    )
    assert search(ticker="TEA", date_from="2024-03-01", date_to="2024-02-01").error.startswith(
        "date_to, 2024-02-01, is before date_from"
    )


@bullet("older lists of a company's filings are read when the filters need them, and only then")
def _() -> None:
    older = f"{FILED}-submissions-001.json"
    assert older not in asked(search(ticker="TEA", num_results=2))
    assert older not in asked(search(ticker="TEA", form_type="10-K", date_from="2003-01-02"))
    said = search(ticker="TEA", form_type="10-K", date_to="1999-12-31")
    assert older in asked(said)
    assert numbers(said) == [FIRST_TEN[0]]


@bullet("a company whose newest lists hold none of a form is not said to have filed none")
def _() -> None:
    many = [{**BEFORE, "name": f"CIK0001234567-submissions-{n:03}.json"} for n in range(1, 40)]
    said = search(
        {f"{FILED}.json": company(listed(EIGHT), *many), f"{FILED}-submissions-": listed(EIGHT)},
        ticker="TEA",
        form_type="S-1",
    )
    assert (
        "none of this company's newest filings, in 26 lists, is one of these. Say with date_from and date_to"
        in said.error
    )
    assert len(said.requests(FILED)) == 26


# ---------------------------------------------------------------- figures


@bullet("facts gives headline concepts with the most recent value each, verbatim")
def _() -> None:
    rows = [
        value(1.125, "2022-01-01", "2022-12-31", "2023-02-20"),
        value(0.10, "2023-01-01", "2023-12-31", "2024-02-20"),
    ]
    (figure,) = figures({"USD/shares": rows}, "EarningsPerShareDiluted")
    assert (figure["concept"], figure["unit"], figure["value"]) == (
        "EarningsPerShareDiluted",
        "USD/shares",
        0.10,
    )


@bullet("of a fact filingDate is the day it was filed and periodOfReport the end of its period")
def _() -> None:
    (figure,) = figures({"USD": [value(5, "2023-01-01", "2023-12-31", "2024-02-20")]})
    assert (figure["filingDate"], figure["periodStart"], figure["periodOfReport"]) == (
        "2024-02-20",
        "2023-01-01",
        "2023-12-31",
    )


@bullet("a value of 0 is kept")
def _() -> None:
    (figure,) = figures({"USD": [value(0, "2023-01-01", "2023-12-31", "2024-02-20")]})
    assert figure["value"] == 0


@bullet("the unit is the one the company reports in, not the first of the alphabet")
def _() -> None:
    reported = [value(n, f"{n}-01-01", f"{n}-12-31", f"{n + 1}-02-20") for n in (2021, 2022, 2023)]
    translated = [value(7, "2023-01-01", "2023-12-31", "2024-02-20")]
    assert figures({"CNY": translated, "USD": reported})[0]["unit"] == "USD"
    assert figures({"CNY": reported, "USD": translated})[0]["unit"] == "CNY"
    assert (
        figures({"AUD": reported[:2], "USD": translated})[0]["unit"] == "USD"
    )  # it reports otherwise now


@bullet("a figure filed again counts as filed last, and a year's form gives the year")
def _() -> None:
    year, quarter = (
        value(4, "2023-01-01", "2023-12-31", "2024-02-20"),
        value(1, "2023-10-01", "2023-12-31", "2024-02-20"),
    )
    assert figures({"USD": [quarter, year]})[0]["value"] == 4
    assert figures({"USD": [{**row, "form": "10-Q"} for row in (year, quarter)]})[0]["value"] == 1
    assert (
        figures(
            {"USD": [{**year, "val": 5, "filed": "2024-05-01", "form": "10-K/A"}, quarter, year]}
        )[0]["value"]
        == 5
    )


@bullet(
    "form_type, date_from and date_to choose among the figures too, by the form and the day they were filed in"
)
def _() -> None:
    year, quarter = (
        value(4, "2022-01-01", "2022-12-31", "2023-02-20"),
        value(1, "2023-01-01", "2023-03-31", "2023-05-01", "10-Q"),
    )
    for arguments, wanted in (
        ({}, [1]),
        ({"form_type": "10-K"}, [4]),
        ({"date_to": "2023-04-30"}, [4]),
        ({"date_from": "2023-06-01"}, []),
    ):
        assert [each["value"] for each in figures({"USD": [year, quarter]}, **arguments)] == wanted


@bullet("of two concepts for one headline the one with the later period counts")
def _() -> None:
    old, new = (
        value(1, "2017-01-01", "2017-12-31", "2018-02-20"),
        value(2, "2023-01-01", "2023-12-31", "2024-02-20"),
    )
    concepts = {"SalesRevenueNet": old, "RevenueFromContractWithCustomerIncludingAssessedTax": new}
    body = {
        "entityName": "T",
        "facts": {
            "us-gaap": {
                name: {"label": "", "units": {"USD": [row]}} for name, row in concepts.items()
            }
        },
    }
    (figure,) = search({FACTS: body}, ticker="TEA", facts=True).answer["filings"]
    assert figure["value"] == 2


@bullet("facts of a foreign company are read by its own taxonomy")
def _() -> None:
    (figure,) = figures(
        {"EUR": [value(9, "2023-01-01", "2023-12-31", "2024-03-01", "20-F")]},
        "Revenue",
        "ifrs-full",
    )
    assert (figure["concept"], figure["unit"], figure["formType"]) == ("Revenue", "EUR", "20-F")


@bullet("facts of nobody, and of a company without figures, are none")
def _() -> None:
    assert search(query="tea prices", facts=True).answer["resultCount"] == 0
    missing = (404, b"<?xml version='1.0'?><Error><Code>NoSuchKey</Code></Error>")
    assert search({FACTS: missing}, ticker="TEA", facts=True).answer["hints"]["filtersApplied"] == {
        "ticker": "TEA",
        "facts": True,
    }


# ---------------------------------------------------------------- how the SEC is asked


@bullet(
    "it is listed only with EDGAR_CONTACT_EMAIL or OPENALEX_EMAIL, and nothing is asked without"
)
def _() -> None:
    for env, listed_there in (
        ({}, False),
        ({"EDGAR_CONTACT_EMAIL": "a@b.org"}, True),
        ({"OPENALEX_EMAIL": "a@b.org"}, True),
    ):
        settings = Settings.from_env(env)
        assert bool(list_available_rows(settings, "filings")) is listed_there
        assert (
            "filing_search" in {row.name for row in list_available_tools(settings)}
        ) is listed_there
    said = make_tool_call("filing_search", USUAL, ticker="TEA")
    assert (
        said.error
        == "No provider of company filings is configured. Set EDGAR_CONTACT_EMAIL in .env."
    )
    assert said.services.asked == []


@bullet("every request to a host of the SEC, and none to others, names the address")
def _() -> None:
    client = Resources(configured(**CONTACT)).client
    assert client._agents == {
        "sec.gov": "ResearchAgent/1.0 tea@example.org"
    }  # what it does with it is test_client's
    everything = [
        *asked(search(ticker="TEA", form_type="S-1")),
        *asked(search(query="tea prices")),
        *asked(search(query="TEA", facts=True)),
    ]
    assert {url.split("/")[2] for url in everything} == {
        "www.sec.gov",
        "data.sec.gov",
        "efts.sec.gov",
    }


@bullet("it asks at most ten times a second, for at most 10 MB")
def _() -> None:
    (row,) = (row for row in PROVIDERS if row.name == "edgar")
    assert row.pace_s >= 0.1
    said = search(ticker="TEA", form_type="S-1")
    assert {options["max_bytes"] for _, _, options in said.services.asked} == {10_000_000}


@bullet("the list of tickers is fetched once and kept; its failure is not remembered")
def _() -> None:
    assert search({TICKERS: (503, b"")}, ticker="TEA").error.startswith("SEC EDGAR answered 503")
    said = search(ticker="TEA")
    assert len(said.requests(TICKERS)) == 1
    assert said.kept_s == 24 * 3600


@bullet("too many requests, which the SEC answers with 403, are told from a refused address")
def _() -> None:
    (row,) = (row for row in PROVIDERS if row.name == "edgar")
    for body, kind in (
        ("<h1>Request Rate Threshold Exceeded</h1>", "rate_limited"),
        ("<p>Undeclared Automated Tool</p>", "auth_required"),
    ):
        with pytest.raises(SearchError) as caught:
            row.search(
                Service([("", body)], 403), configured(**CONTACT), FilingQuery("TEA", ticker="TEA")
            )  # type: ignore[arg-type]
        assert (caught.value.kind, "look at EDGAR_CONTACT_EMAIL" in caught.value.sentence()) == (
            kind,
            kind == "auth_required",
        )


@bullet("results are kept for 24 hours, and empty ones are not")
def _() -> None:
    assert search(query="tea prices").kept_s == 24 * 3600
    assert search({TEXTS: {"hits": {"hits": []}}}, query="tea prices").kept_s is None


@bullet("it reads only, can be repeated, and asks the live API")
def _() -> None:
    row = get_tool("filing_search")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world) == (True, True, True)


# ---------------------------------------------------------------- the frame


@bullet("an empty answer has hints")
def _() -> None:
    answer = search({TEXTS: {"hits": {"hits": []}}}, query="tea prices", form_type="10-K").answer
    assert (answer["filings"], answer["resultCount"]) == ([], 0)
    assert answer["hints"]["filtersApplied"] == {"form_type": "10-K"}


@bullet("an unknown ticker or number is an empty answer")
def _() -> None:
    assert search(ticker="NOBODY").answer["resultCount"] == 0
    missing = (
        404,
        (RECORDED / "edgar_submissions_6_http404.xml").read_bytes()
        if RECORDED.exists()
        else b"<Code>NoSuchKey</Code>",
    )
    assert search({"https://data.sec.gov/": missing}, query="99").answer["resultCount"] == 0


@bullet(
    "a company of the list that EDGAR does not have, or an address that leads nowhere, is a failure"
)
def _() -> None:
    assert (
        "cannot be read"
        in search(
            {f"{FILED}.json": (404, b"<Error><Code>NoSuchKey</Code></Error>")}, ticker="TEA"
        ).error
    )
    assert (
        "answered 404"
        in search({f"{FILED}.json": (404, b"<html>gone</html>")}, query="1234567").error
    )


@bullet(
    "columns of a company's list that do not belong together by place are a failure, not filings with another's day"
)
def _() -> None:
    whole = listed(EIGHT, TEN)
    for column in whole:
        for broken in (whole[column][:1], [*whole[column], whole[column][0]]):
            assert (
                "cannot be read"
                in search({f"{FILED}.json": company({**whole, column: broken})}, ticker="TEA").error
            )
    for column in ("accessionNumber", "form", "filingDate"):
        assert (
            "cannot be read"
            in search({f"{FILED}.json": company({**whole, column: []})}, ticker="TEA").error
        )
    assert (
        len(numbers(search({f"{FILED}.json": company({**whole, "items": []})}, ticker="TEA"))) == 2
    )


@bullet("a filing of which several documents have the words is told once")
def _() -> None:
    exhibit = {**HIT, "_id": "0001234567-24-000005:ex-10.htm"}
    (filing,) = search({TEXTS: {"hits": {"hits": [HIT, exhibit]}}}, query="tea prices").answer[
        "filings"
    ]
    assert filing["url"].endswith("/tea-10k.htm")


@bullet("num_results is between 1 and 10, and 5 by default")
def _() -> None:
    many = company(listed(*(TEN for _ in range(20))))
    assert search({f"{FILED}.json": many}, ticker="TEA").answer["resultCount"] == 5
    assert "num_results" in search(ticker="TEA", num_results=11).error
    assert "num_results" in search(ticker="TEA", num_results=0).error


@bullet("an explicit provider is used exclusively; an unknown one lists those there are")
def _() -> None:
    assert search(ticker="TEA", provider="edgar").answer["provider"] == "edgar"
    assert "Choose among: edgar." in search(ticker="TEA", provider="sedar").error


@bullet("sessionId of a session that is not there is refused")
def _() -> None:
    assert "Session not found" in search(ticker="TEA", sessionId="s-1").error


@bullet("what it finds is a source of the session, and untrusted")
def _() -> None:
    said = search(query="tea prices")
    ((url, source),) = said.context.source_metadata.items()
    assert url == "https://www.sec.gov/Archives/edgar/data/1234567/000123456724000005/tea-10k.htm"
    assert (source["title"], source["snippet"]) == (
        "TEA & SPICE CO 10-K 2024-02-20",
        "ANNUAL REPORT; period to 2023-12-31; filed 2024-02-20",
    )
    (figure,) = search(query="TEA", facts=True).context.source_metadata.values()
    assert figure["snippet"] == "Revenues: 0 USD; Revenues; period to 2023-12-31; filed 2024-02-20"
    assert said.answer["trust"] == "untrusted-external-content"


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


def test_a_replay_without_the_address_answers_the_same() -> None:
    for arguments in (
        {"ticker": "TEA", "form_type": "10-K"},
        {"query": "tea prices"},
        {"query": "TEA", "facts": True},
    ):
        assert replay_call(said := search(**arguments), "filing_search", **arguments) == said.answer


# ---------------------------------------------------------------- recorded

#: The list in the recording is its first 500 rows.
MEANT = {
    "Apple": 320193, "apple inc.": 320193, "AAPL": 320193, "BRK.B": 1067983, "Berkshire Hathaway": 1067983, "Alphabet": 1652044,
    "Apple Inc. (AAPL)": 320193, "NASDAQ: AAPL": 320193, "Apple (NASDAQ: AAPL)": 320193, "$BRK.B": 1067983,
    "T": 732717, "AT&T": 732717, "JPMorgan Chase": 19617, "Amazon.com": 1018724, "amazon": 1018724, "meta": 1326801, "VISA": 1403161,
}  # fmt: skip


@for_each_recorded("edgar_company_tickers_1.json")
def test_the_recorded_list_of_companies_is_read(body: bytes, name: str) -> None:
    for words, cik in MEANT.items():
        said = search({TICKERS: body, "https://data.sec.gov/": company(listed(TEN))}, query=words)
        assert asked(said)[-1].startswith(f"https://data.sec.gov/submissions/CIK{cik:010d}"), words
    for words in ("climate risk", "tariffs", "Visa (UNHEARDOF)", "what does Apple say of tariffs"):
        assert asked(search({TICKERS: body}, query=words))[-1] == TEXTS


#: Of each recording: (the company, the first filing of a form, its day, its period, its page below
#: the company's folder).
LISTED = {
    "edgar_submissions_1.json": (
        (
            "FEDERAL NATIONAL MORTGAGE ASSOCIATION FANNIE MAE",
            "0000310522-26-000015",
            "2026-02-11",
            "2025-12-31",
        ),
        "310522/000031052226000015/fnm-20251231.htm",
        "10-K",
    ),
    "edgar_submissions_4.json": (
        ("TR Finance LLC", "0001193125-25-068799", "2025-03-31", None),
        "1814722/000119312525068799/d936318df3a.htm",
        "F-3/A",
    ),
    "edgar_submissions_5.json": (
        ("Apple Inc.", "0000320193-25-000079", "2025-10-31", "2025-09-27"),
        "320193/000032019325000079/aapl-20250927.htm",
        "10-K",
    ),
}


@for_each_recorded(*LISTED)
def test_recorded_filings_of_companies_are_read(body: bytes, name: str) -> None:
    told, page, form = LISTED[name]
    cik = json.loads(body)["cik"]
    first, *others = search(
        {f"https://data.sec.gov/submissions/CIK{cik}.json": body},
        query=cik,
        form_type=form,
        num_results=2,
    ).answer["filings"]
    assert (
        first["company"],
        first["accession"],
        first["filingDate"],
        first.get("periodOfReport"),
    ) == told
    assert first["url"] == f"https://www.sec.gov/Archives/edgar/data/{page}"
    assert all(each["formType"] == form for each in (first, *others))


@for_each_recorded("edgar_efts_1.json")
def test_a_recorded_full_text_search_is_read(body: bytes, name: str) -> None:
    filings = search({TEXTS: body}, query="apple pie", num_results=10).answer["filings"]
    assert len(filings) == 10
    assert (filings[0]["company"], filings[0]["formType"], filings[0]["filingDate"]) == (
        "BofA Finance LLC",
        "424B2",
        "2025-04-18",
    )
    assert (
        filings[0]["url"]
        == "https://www.sec.gov/Archives/edgar/data/1682472/000191870425006778/form424b2.htm"
    )
    (held,) = (
        each
        for each in search(
            {TEXTS: body}, query="apple pie", form_type="13F-HR", num_results=1
        ).answer["filings"]
    )
    assert (held["company"], held["periodOfReport"], held["description"]) == (
        "Broderick Brian C",
        "2025-03-31",
        "INFORMATION TABLE",
    )


#: The recorded pages as they are read by scrape_page, which is given the addresses of filings:
#: something that stands in each.
READ = {
    "edgar_browse_atom_1.xml": (
        "application/atom+xml",
        "Filed: 2025-12-10 AccNo: 0001437749-25-037472",
    ),
    "edgar_browse_atom_2.xml": ("application/atom+xml", "Latest Filings - Fri, 12 Dec 2025"),
    "edgar_filing_doc_1.txt": ("text/plain", "CONFORMED PERIOD OF REPORT:"),
    "edgar_filing_doc_2.txt": ("text/plain", "PRIVACY-ENHANCED MESSAGE"),
    "edgar_filing_doc_3.xml": (
        "text/html",
        "Date of Report (date of earliest event reported): March 15, 2023",
    ),
    "edgar_filing_index_1.html": (
        "text/html",
        "| 3 | 1997 EMPLOYEE STOCK OPTION PLAN |  | EX-10.A49 | 33758 |",
    ),
    "edgar_filing_index_2.html": ("text/html", "Document Format Files"),
    "edgar_filing_index_3.html": ("text/html", "| 1 | 8-K | d435686d8k.htm iXBRL | 8-K | 23537 |"),
}


@for_each_recorded(*READ)
def test_recorded_pages_of_the_sec_are_no_answers(body: bytes, name: str) -> None:
    for start, arguments in (
        (TICKERS, {"ticker": "TEA"}),
        (f"{FILED}.json", {"ticker": "TEA"}),
        (TEXTS, {"query": "tea prices"}),
    ):
        assert "cannot be read: it is not JSON" in search({start: body}, **arguments).error


@for_each_recorded(*READ)
def test_recorded_pages_of_filings_are_read_by_scrape_page(body: bytes, name: str) -> None:
    url, (kind, told) = f"https://www.sec.gov/Archives/edgar/data/{name}", READ[name]
    reply = HttpReply(url, 200, {"content-type": kind}, body)
    assert (
        told
        in make_tool_call("scrape_page", {"https://www.sec.gov/": reply}, url=url).answer["content"]
    )
