"""econ_search, bullet by bullet of its specification (spec/research-tools.md, tool 22); the four
services are in test_contract.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from research_core.errors import FetchError
from research_core.search.providers.series_words import parse_question
from research_core.tools import get_tool
from tests.bullets import Bullets
from tests.contracts.series import (
    CUPS,
    FLOW,
    FLOWS,
    FOUND,
    FRED_KEY,
    INDICATOR,
    LEAVES,
    NO_PAGING,
    OBSERVED,
    PAGING,
    STRUCTURE,
    TOC,
    yearly,
)
from tests.tool_calls_made import CallOutcome, make_tool_call, replay_call

FRED = "https://api.stlouisfed.org/fred/series"
WORLD = "https://api.worldbank.org/v2"
OECD = "https://sdmx.oecd.org/public/rest"
EUROSTAT = "https://ec.europa.eu/eurostat/api/dissemination"
YEARS = [yearly(str(year), year / 10) for year in range(2023, 2000, -1)]
INDICATORS = [
    INDICATOR,
    {**INDICATOR, "id": "TEA.GDP.ZG", "name": "Quarterly tea GDP, annual growth (%)"},
    {**INDICATOR, "id": "TEA.GDP", "name": "GDP of tea growers"},
]
ANSWERS = {
    f"{FRED}/search": FOUND,
    f"{FRED}/observations": OBSERVED,
    f"{WORLD}/indicator": [PAGING, INDICATORS],
    f"{WORLD}/country": [PAGING, YEARS],
    f"{OECD}/dataflow/all": FLOWS,
    f"{OECD}/dataflow/OECD": STRUCTURE,
    f"{OECD}/data": CUPS,
    f"{EUROSTAT}/catalogue": TOC,
    f"{EUROSTAT}/statistics": LEAVES,
}
bullet = Bullets("econ_search")


def search(answers: Any = None, *, key: bool = False, **arguments: Any) -> CallOutcome:
    return make_tool_call(
        "econ_search", {**ANSWERS, **(answers or {})}, settings=FRED_KEY if key else {}, **arguments
    )


def dates(said: CallOutcome) -> list[str]:
    return [each["date"] for each in said.answer["results"]]


# ---------------------------------------------------------------- what is asked


@bullet("one of query and series_id is required")
def _() -> None:
    assert (
        search(country="DE", query=" ").error
        == "econ_search needs something to look for. Give query or series_id."
    )


@bullet("series_id gives the observations of that series, else series are searched by keyword")
def _() -> None:
    by_name, by_id = search(query="tea imports").answer, search(series_id="TEA.IMP.TO").answer
    assert (by_name["mode"], by_id["mode"]) == ("series", "observations")
    assert (
        by_name["results"][0]["seriesId"]
        == by_id["seriesId"]
        == by_id["results"][0]["seriesId"]
        == "TEA.IMP.TO"
    )
    assert "seriesId" not in by_name


@bullet("with both, series_id counts and query is told as ignored")
def _() -> None:
    answer = search(series_id="TEA.IMP.TO", query="tea").answer
    assert (answer["mode"], answer["query"], answer["ignoredParameters"]) == (
        "observations",
        "tea",
        ["query"],
    )


@bullet("num_results is 5 series or 10 observations by default")
def _() -> None:
    many = {f"{WORLD}/indicator": [PAGING, [{**INDICATOR, "id": f"TEA.{n}"} for n in range(20)]]}
    assert search(many, query="tea").answer["resultCount"] == 5
    assert search(series_id="TEA.IMP.TO").answer["resultCount"] == 10
    assert search(series_id="TEA.IMP.TO", num_results=3).answer["resultCount"] == 3
    assert "num_results" in search(series_id="TEA.IMP.TO", num_results=0).error


@bullet("date_from and date_to are YYYY-MM-DD or YYYY")
def _() -> None:
    assert (
        "date_from is not a date: '2023-02-30'."
        in search(series_id="TEA.IMP.TO", date_from="2023-02-30").error
    )
    assert (
        "date_to is not a date: 'spring'." in search(series_id="TEA.IMP.TO", date_to="spring").error
    )
    assert dates(search(series_id="TEA.IMP.TO", date_from="2020-01-01", date_to="2021")) == [
        "2020",
        "2021",
    ]
    assert dates(search(series_id="TEA.IMP.TO", date_from="2020-07-01", date_to="2020")) == ["2020"]
    assert search(series_id="TEA.IMP.TO", date_from="2021", date_to="2020-12-31").error.startswith(
        "date_to, 2020-12-31, is before"
    )


@bullet("in keyword mode what narrows observations is told as ignored, not dropped")
def _() -> None:
    answer = search(query="tea", country="DE", date_from="2020", units="pch").answer
    assert answer["ignoredParameters"] == ["country", "date_from", "units"]


# ---------------------------------------------------------------- what is answered


@bullet("in series mode an item has seriesId, title, units, frequency, lastUpdated and notes")
def _() -> None:
    first, second = search(query="price tea", key=True).answer["results"]
    about = {
        "title": "Price: Tea",
        "units": "Index",
        "frequency": "Annual",
        "notes": "At the dock.",
    }
    assert first == {"seriesId": "TEAPRICE", "source": "fred", **about}
    assert second["lastUpdated"] == "2024-02-01 07:00:00-06"


@bullet("query, resultCount, provider and trust frame the answer")
def _() -> None:
    answer = search(query="tea imports").answer
    told = {name: answer[name] for name in ("query", "resultCount", "provider", "trust")}
    assert told == {
        "query": "tea imports",
        "resultCount": 1,
        "provider": "worldbank",
        "trust": "untrusted-external-content",
    }


@bullet("without date_from the window is the most recent, latest first")
def _() -> None:
    assert dates(search(series_id="TEA.IMP.TO", num_results=3)) == ["2023", "2022", "2021"]
    assert dates(search(series_id="TEA.IMP.TO", num_results=2, date_to="2010-12-31")) == [
        "2010",
        "2009",
    ]
    (params,) = search(series_id="TEAUS", num_results=3, key=True).params(FRED)
    assert (params["sort_order"], params["limit"]) == ("desc", "3")


@bullet("with date_from the window is the first on or after it, oldest first")
def _() -> None:
    assert dates(search(series_id="TEA.IMP.TO", num_results=3, date_from="2005")) == [
        "2005",
        "2006",
        "2007",
    ]
    (params,) = search(series_id="TEAUS", date_from="2005", date_to="2006", key=True).params(FRED)
    assert (params["sort_order"], params["observation_start"], params["observation_end"]) == (
        "asc",
        "2005-01-01",
        "2006-12-31",
    )


@bullet("FRED honours frequency and units; others tell that they do not")
def _() -> None:
    (params,) = search(series_id="TEAUS", frequency="Q", units="PCH", key=True).params(FRED)
    assert (params["frequency"], params["units"]) == ("q", "pch")
    assert search(series_id="TEA.IMP.TO", frequency="q", units="pch").answer[
        "ignoredParameters"
    ] == ["frequency", "units"]
    assert search(series_id="TEAUS", country="DE", provider="fred", key=True).answer[
        "ignoredParameters"
    ] == ["country"]


@bullet("the World Bank scopes by country, WLD by default, and the country is echoed")
def _() -> None:
    usual, austrian = search(series_id="TEA.IMP.TO"), search(series_id="TEA.IMP.TO", country="AUT")
    assert [each.requests()[0][1].split("/")[5] for each in (usual, austrian)] == ["WLD", "AUT"]
    assert (usual.answer["country"], austrian.answer["country"]) == ("WLD", "AUT")
    assert "country" not in search(series_id="tea_leaf_m", country="AT").answer


@bullet(
    "a single series of FRED or the World Bank has neither title nor units in its observations; several countries have titles"
)
def _() -> None:
    assert search(series_id="TEA.IMP.TO").answer["results"][0] == {
        "seriesId": "TEA.IMP.TO",
        "date": "2023",
        "source": "worldbank",
        "value": 202.3,
    }
    both = {f"{WORLD}/country": [PAGING, [yearly("2020", 1), yearly("2020", 2, "DE")]]}
    titles = [
        each["title"]
        for each in search(both, series_id="TEA.IMP.TO", country="AT;DE").answer["results"]
    ]
    assert titles == ["Tea imports (tons) — Land of AT", "Tea imports (tons) — Land of DE"]


@bullet("what the values of one country are of, and in which unit, is said once, beside them")
def _() -> None:
    answer = search(series_id="TEA.IMP.TO", country="AT").answer
    assert (answer["title"], answer["country"]) == ("Tea imports (tons) — Land of AT", "AT")
    assert not any("title" in each for each in answer["results"])
    several = {f"{WORLD}/country": [PAGING, [yearly("2020", 1), yearly("2020", 2, "DE")]]}
    assert "title" not in search(several, series_id="TEA.IMP.TO", country="AT;DE").answer
    assert "title" not in search(query="tea").answer


@bullet("values pass verbatim: not rounded, a zero is kept, and a missing one has none")
def _() -> None:
    fine = {
        f"{FRED}/observations": {
            "observations": [
                {"date": "2023-01-01", "value": "0.12345678901234"},
                *OBSERVED["observations"],
            ]
        }
    }
    values = [
        each.get("value", "missing")
        for each in search(fine, series_id="TEAUS", key=True).answer["results"]
    ]
    assert values == [0.12345678901234, 12.5, "missing", 0]


# ---------------------------------------------------------------- catalogues


@bullet(
    "keyword mode lists the catalogue once and filters by name; the id found is the series_id to fetch"
)
def _() -> None:
    for provider, query, number in (
        ("worldbank", "tea imports", "TEA.IMP.TO"),
        ("oecd", "pots", "OECD.TEA,DSD_TEA@DF_POTS,2.1"),
        ("eurostat", "tea and \"other\"", "tea_leaf_m"),
    ):  # fmt: skip
        said = search(query=query, provider=provider)
        assert [each["seriesId"] for each in said.answer["results"]] == [number]
        assert len(said.requests()) == 1
        assert search(series_id=number, provider=provider).answer["resultCount"] > 0


@bullet("several words are matched with AND, wherever they stand (defect 17)")
def _() -> None:
    results = search(query="quarterly GDP growth").answer["results"]
    assert [each["seriesId"] for each in results] == ["TEA.GDP.ZG"]
    assert search(query="quarterly GDP shrinkage").answer["results"] == []


@bullet("a single word is a contiguous part of the name")
def _() -> None:
    assert [each["seriesId"] for each in search(query="grow").answer["results"]] == [
        "TEA.GDP",
        "TEA.GDP.ZG",
    ]
    assert search(query="grw").answer["results"] == []


@bullet("a catalogue may have up to 8 MB")
def _() -> None:
    for provider in ("worldbank", "oecd", "eurostat"):
        ((_, _, options),) = search(query="tea", provider=provider).requests()
        assert options["max_bytes"] == 8_000_000


# ---------------------------------------------------------------- OECD and Eurostat


@bullet("an OECD series is a dataflow ref and REF_AREA, at its place in the key")
def _() -> None:
    said = search(series_id=FLOW, country="aut")
    structure, data = [url for _, url, _ in said.requests()]
    assert structure == f"{OECD}/dataflow/OECD.TEA/DSD_TEA@DF_CUPS/1.0"
    assert data == f"{OECD}/data/{FLOW}/.AUT."
    assert said.params(f"{OECD}/data/") == [
        {"dimensionAtObservation": "TIME_PERIOD", "lastNObservations": "10"}
    ]
    (alone,) = search(series_id=FLOW).requests()
    assert alone[1] == f"{OECD}/data/{FLOW}/all"


@bullet(
    "observations of the OECD keep the granularity of their time, and the newest survive (defect 17)"
)
def _() -> None:
    assert dates(search(series_id=FLOW)) == ["2024-Q1", "2024-Q1", "2023-Q4"]
    assert dates(search(series_id=FLOW, num_results=1)) == ["2024-Q1"]


@bullet("a Eurostat dataset is a code and a geo filter, and each cell has every coordinate")
def _() -> None:
    said = search(series_id="tea_leaf_m", country="at")
    assert said.params(EUROSTAT) == [
        {"format": "JSON", "lang": "EN", "geo": "AT", "lastTimePeriod": "10"}
    ]
    titles = {each["title"] for each in said.answer["results"]}
    assert titles == {
        f"Tea and other leaves — Percentage, {who}, Austria" for who in ("Females", "Males")
    }
    assert {(each["units"], each["frequency"]) for each in said.answer["results"]} == {
        ("Percentage", "Monthly")
    }


@bullet("Eurostat's status flags are notes")
def _() -> None:
    results = search(series_id="tea_leaf_m").answer["results"]
    noted = {(each["date"], each.get("value")): each.get("notes") for each in results}
    assert noted == {
        ("2024-01", 0): "provisional",
        ("2024-01", 6.95): None,
        ("2023-12", 7.1): None,
        ("2023-12", None): "not available",
    }


@bullet("Eurostat is asked for whole years, and answers are cut to the dates")
def _() -> None:
    said = search(series_id="tea_leaf_m", date_from="2024-01-01", date_to="2024-06-30")
    assert said.params(EUROSTAT) == [
        {"format": "JSON", "lang": "EN", "sinceTimePeriod": "2024", "untilTimePeriod": "2025"}
    ]
    assert dates(said) == ["2024-01", "2024-01"]
    until = search(series_id="tea_leaf_m", date_to="2023").params(EUROSTAT)
    assert until == [
        {"format": "JSON", "lang": "EN", "untilTimePeriod": "2024"}
    ]  # what came last is not what came last until then


# ---------------------------------------------------------------- providers and failures


@bullet("an explicit provider is used exclusively; an unknown one lists those there are")
def _() -> None:
    said = search(query="tea", provider="eurostat", key=True)
    assert (said.answer["provider"], len(said.requests())) == ("eurostat", 1)
    assert (
        "Choose among: fred, worldbank, oecd, eurostat."
        in search(query="tea", provider="imf").error
    )


@bullet("otherwise the first configured one answers: FRED if keyed, else the World Bank")
def _() -> None:
    assert search(query="tea", key=True).answer["provider"] == "fred"
    assert search(query="tea imports").answer["provider"] == "worldbank"


@bullet("an id of a form that only one provider has goes to that one")
def _() -> None:
    asked = {"TEA.IMP.TO": "worldbank", FLOW: "oecd", "tea_leaf_m": "eurostat", "TEAUS": "fred"}
    assert {
        number: search(series_id=number, key=True).answer["provider"] for number in asked
    } == asked


@bullet("no other provider stands in for one that failed")
def _() -> None:
    said = search(
        {f"{WORLD}/indicator": FetchError("It is down.", kind="upstream_unavailable")}, query="tea"
    )
    assert "It is down." in said.error
    assert {url.split("/")[2] for _, url, _ in said.requests()} == {"api.worldbank.org"}
    keyed = search({f"{FRED}/search": (503, "")}, query="tea", key=True)
    assert "503" in keyed.error
    assert {url.split("/")[2] for _, url, _ in keyed.requests()} == {"api.stlouisfed.org"}


@bullet("an empty answer has hints: the filters, and the other providers")
def _() -> None:
    nothing = {f"{WORLD}/country": [NO_PAGING, None]}
    answer = search(nothing, series_id="TEA.IMP.TO", country="XKX", date_from="2020").answer
    assert (answer["results"], answer["resultCount"], answer["seriesId"]) == ([], 0, "TEA.IMP.TO")
    assert answer["hints"]["filtersApplied"] == {"country": "XKX", "date_from": "2020"}
    assert {action["action"] for action in answer["hints"]["suggestedActions"]} == {
        "remove_filter"
    }  # nobody else has such an id
    others = search(query="no such leaf").answer["hints"]["suggestedActions"]
    assert others == [{"action": "try_different_provider", "providers": ["oecd", "eurostat"]}]


@bullet("the World Bank's errors with status 200 are failures")
def _() -> None:
    refused = [
        {
            "message": [
                {
                    "id": "120",
                    "key": "Invalid value",
                    "value": "The provided parameter value is not valid",
                }
            ]
        }
    ]
    assert (
        "The provided parameter value is not valid"
        in search({f"{WORLD}/country": refused}, series_id="NO.SUCH").error
    )


@bullet("a dataflow without rows is an empty answer, an unknown one a failure in the OECD's words")
def _() -> None:
    assert (
        search({f"{OECD}/data": (404, "NoRecordsFound")}, series_id=FLOW).answer["resultCount"] == 0
    )
    unknown = (404, "Could not find Dataflow and/or DSD related with this data request")
    assert "Could not find Dataflow" in search({f"{OECD}/data": unknown}, series_id=FLOW).error
    assert (
        "Not enough key values"
        in search({f"{OECD}/data": (422, "Not enough key values in query")}, series_id=FLOW).error
    )
    assert "406" in search({f"{OECD}/data": (406, "")}, series_id=FLOW).error


@bullet("an answer of Eurostat that is too large says so, and what helps")
def _() -> None:
    late = {
        "warning": {
            "status": 413,
            "label": "ASYNCHRONOUS_RESPONSE. Your request will be treated asynchronously.",
        }
    }
    for status in (413, 200):
        error = search({f"{EUROSTAT}/statistics": (status, late)}, series_id="tea_leaf_m").error
        assert "ASYNCHRONOUS_RESPONSE" in error
        assert error.endswith("Give a country, or a later date_from.")


@bullet("a wrong key, an unknown series and a wrong parameter of FRED are three failures")
def _() -> None:
    for words, step in (
        ("Bad Request.  The value for variable api_key is not registered.", "Check FRED_API_KEY"),
        ("Bad Request.  The series does not exist.", "Search with query"),
        ("Bad Request.  Variable units is not one of the allowed values.", "units"),
    ):
        error = search(
            {f"{FRED}/observations": (400, {"error_code": 400, "error_message": words})},
            series_id="TEAUS",
            key=True,
        ).error
        assert " ".join(words.split()) in error
        assert step in error


@bullet(
    "World Bank, OECD and Eurostat need no key, so the tool is always there; FRED needs FRED_API_KEY"
)
def _() -> None:
    assert "FRED_API_KEY" in search(query="tea", provider="fred").error
    for provider in ("worldbank", "oecd", "eurostat"):
        assert search(query="tea", provider=provider).answer["provider"] == provider


@bullet("the key of FRED is a parameter of the request, and nowhere in the session")
def _() -> None:
    said = search(series_id="TEAUS", key=True)
    assert said.params(FRED)[0]["api_key"] == FRED_KEY["fred_api_key"]
    assert said.context.log is not None
    told = [str(dataclasses.asdict(event)) for event in said.context.log.read()]
    assert any("TEAUS" in each for each in told)
    assert not [each for each in told if FRED_KEY["fred_api_key"] in each]


@bullet("a session answers the same from its log, without a network and without the key")
def _() -> None:
    for arguments in (
        {"series_id": "TEAUS"},
        {"query": "tea"},
        {"series_id": FLOW, "country": "AUT"},
        {"series_id": "tea_leaf_m"},
    ):
        said = search(key=True, **arguments)
        assert said.answer["results"]
        assert replay_call(said, "econ_search", **arguments) == said.answer


@bullet("an id that is no id leads nowhere")
def _() -> None:
    for provider in ("fred", "worldbank", "oecd", "eurostat"):
        said = search(series_id="../../indicator?x=1", provider=provider, key=True)
        assert "of this form" in said.error
        assert said.requests() == []


# ---------------------------------------------------------------- annotations, cache


@bullet("it is read-only, idempotent and open to the world")
def _() -> None:
    row = get_tool("econ_search")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world) == (True, True, True)


@bullet("results are kept for six hours, and empty ones are not")
def _() -> None:
    assert search(query="tea imports").kept_s == 6 * 3600
    assert search(series_id=FLOW, country="AUT").kept_s == 6 * 3600
    assert search(query="no such leaf").kept_s is None


@bullet("the pages of series are sources of the session")
def _() -> None:
    assert list(search(series_id="TEA.IMP.TO").context.source_metadata) == [
        "https://data.worldbank.org/indicator/TEA.IMP.TO"
    ]
    assert list(search(query="price tea", key=True, num_results=1).context.source_metadata) == [
        "https://fred.stlouisfed.org/series/TEAPRICE"
    ]


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


@pytest.mark.parametrize(
    ("query", "series_id", "country", "years"),
    [
        ("GDP of Germany 2015-2020", "NY.GDP.MKTP.CD", "DEU", ("2015", "2020")),
        (
            "What was the unemployment rate in France in 2019?",
            "SL.UEM.TOTL.ZS",
            "FRA",
            ("2019", "2019"),
        ),
        (
            "Bruttoinlandsprodukt Österreich 2010 bis 2012",
            "NY.GDP.MKTP.CD",
            "AUT",
            ("2010", "2012"),
        ),
        ("South Korea's GDP per capita", "NY.GDP.PCAP.CD", "KOR", ("", "")),
        ("población de España 2001–2005", "SP.POP.TOTL", "ESP", ("2001", "2005")),
        ("inflation US from 2000 to 2003", "FP.CPI.TOTL.ZG", "USA", ("2000", "2003")),
        ("inflation France since 2015", "FP.CPI.TOTL.ZG", "FRA", ("2015", "")),
        ("BIP Deutschland zwischen 2015 und 2018", "NY.GDP.MKTP.CD", "DEU", ("2015", "2018")),
    ],
)
def test_country_indicator_and_years_are_read_from_the_words(
    query: str, series_id: str, country: str, years: tuple[str, str]
) -> None:
    made = make_tool_call("econ_search", {}, query=query, provider="worldbank")
    (_, url, _), *_more = made.services.asked
    assert f"/country/{country}/indicator/{series_id}" in url
    question = parse_question(query)
    assert (question.country[1], question.years) == (country, years)


@pytest.mark.parametrize(
    ("query", "provider", "series_id", "country"),
    [
        ("GDP of Greece 2015", "eurostat", "nama_10_gdp", "EL"),
        ("unemployment Germany", "oecd", "OECD.SDD.TPS,DSD_LFS@DF_IALFS_UNE_M", "DEU"),
        ("population of the UK 2020", "eurostat", "demo_pjan", "UK"),
    ],
)
def test_each_provider_is_asked_by_its_own_codes(
    query: str, provider: str, series_id: str, country: str
) -> None:
    question = parse_question(query)
    assert question.indicators[provider] == series_id
    assert question.find_country(provider) == country


@pytest.mark.parametrize(
    "query", ["GDP growth", "unemployment", "rail freight", "what exports tell us"]
)
def test_words_without_a_country_and_years_are_the_name_of_a_series(query: str) -> None:
    question = parse_question(query)
    assert (question.country, question.years) == (("", ""), ("", ""))
