"""filing_search with facts: questions in words, read as concepts, years and a company."""

from __future__ import annotations

from typing import Any

import pytest

from research_core.search.providers.edgar_concepts import FILLERS, parse_fact_question
from tests.contracts.filings import COMPANIES, CONTACT, value
from tests.tool_calls_made import CallOutcome, make_tool_call

TICKERS = "https://www.sec.gov/files/company_tickers.json"
FACTS = "https://data.sec.gov/api/xbrl/companyfacts/CIK"
LISTED = {
    **COMPANIES,
    "2": {"cik_str": 31, "ticker": "KILN", "title": "Kiln Inc."},
    "3": {"cik_str": 32, "ticker": "GLZW", "title": "Glaze Works Corp"},
    "4": {"cik_str": 33, "ticker": "RSRCH", "title": "Research Co"},
}


def year(amount: float, ended: int, form: str = "10-K") -> dict[str, Any]:
    return value(amount, f"{ended}-01-01", f"{ended}-12-31", f"{ended + 1}-02-20", form)


def concept(label: str, *rows: dict[str, Any], description: str = "") -> dict[str, Any]:
    return {"label": label, "description": description, "units": {"USD": list(rows)}}


QUARTER = value(1, "2021-10-01", "2021-12-31", "2022-02-20")
FIGURES = {
    "entityName": "KILN INC",
    "facts": {
        "us-gaap": {
            "SalesRevenueNet": concept("Sales", year(17, 2017), year(18, 2018)),
            "Revenues": concept(
                "Revenues",
                *(year(ended - 2000, ended) for ended in range(2018, 2023)),
                QUARTER,
                value(5, "2023-01-01", "2023-03-31", "2023-05-01", "10-Q"),
            ),
            "NetIncomeLoss": concept("Net Income", year(3, 2021), year(4, 2022)),
            "ResearchAndDevelopmentExpense": concept("Research", year(6, 2021), year(7, 2022)),
            "ResearchAndDevelopmentArrangementCosts": concept(
                "Research Arrangement, Costs", year(2, 2015)
            ),
            "AdvertisingExpense": concept(
                "Advertising Expense", year(8, 2022), description="Cost of promoting goods."
            ),
            "DeferredRevenueCurrent": concept("Deferred Revenue, Current", year(9, 2022)),
            "Assets": concept("Assets", value(50, None, "2021-12-31", "2022-02-20")),
        },
        "kiln": {"KilnsInOperation": concept("Kilns in Operation", year(40, 2022))},
    },
}


def ask(query: str, **arguments: Any) -> CallOutcome:
    services = {TICKERS: LISTED, FACTS: FIGURES}
    return make_tool_call(
        "filing_search", services, settings=CONTACT, query=query, facts=True, **arguments
    )


def figures(made: CallOutcome) -> list[tuple[str, float]]:
    return [(each["concept"], each["value"]) for each in made.answer["filings"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("revenue of Kiln 2019 to 2021", [("Revenues", 19), ("Revenues", 20), ("Revenues", 21)]),
        ("Wie viel Umsatz machte Kiln 2020?", [("Revenues", 20)]),
        ("Umsatz von Kiln zwischen 2020 und 2021", [("Revenues", 20), ("Revenues", 21)]),
        ("Kilns Umsatz 2020", [("Revenues", 20)]),
        ("Quel était le chiffre d’affaires de Kiln en 2022 ?", [("Revenues", 22)]),
        ("¿Cuáles fueron los ingresos de Kiln entre 2021 y 2022?", [
            ("Revenues", 21), ("Revenues", 22)]),
        ("Kiln's net sales FY2018", [("Revenues", 18)]),
        ("sales of Kiln in 2017", [("SalesRevenueNet", 17)]),
        ("net income of KILN since 2021", [("NetIncomeLoss", 3), ("NetIncomeLoss", 4)]),
        ("kiln revenue and net income 2022", [("Revenues", 22), ("NetIncomeLoss", 4)]),
        ("How much did Kiln spend on research and development?", [
            ("ResearchAndDevelopmentExpense", 7)]),
        ("Kiln Inc. total assets 2021", [("Assets", 50)]),
        ("kilns in operation of Kiln Inc.", [("KilnsInOperation", 40)]),
        ("売上高 Kiln 2020", [("Revenues", 20)]),
    ],
)  # fmt: skip
def test_a_question_names_the_company_the_figure_and_the_years(
    query: str, expected: list[tuple[str, float]]
) -> None:
    made = ask(query)
    assert figures(made) == expected
    understood = made.answer["understood"]
    assert understood["concepts"] == list(dict.fromkeys(name for name, _ in expected))
    assert understood["company"] == "KILN INC"
    assert made.answer["query"] == query


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("how much did it spend on research", "ResearchAndDevelopmentExpense"),
        ("Ausgaben für Forschung und Entwicklung", "ResearchAndDevelopmentExpense"),
        ("advertising expenses", "AdvertisingExpense"),
        ("what does it pay for promoting goods advertised", "AdvertisingExpense"),
        ("deferred revenue", "DeferredRevenueCurrent"),
        ("DeferredRevenueCurrent", "DeferredRevenueCurrent"),
        ("us-gaap:AdvertisingExpense", "AdvertisingExpense"),
        ("researchanddevelopmentarrangementcosts", "ResearchAndDevelopmentArrangementCosts"),
        ("Wie hoch war der Gewinn von Kiln?", "NetIncomeLoss"),
    ],
)
def test_with_a_ticker_the_query_names_the_figure(query: str, expected: str) -> None:
    made = ask(query, ticker="KILN")
    assert [name for name, _ in figures(made)] == [expected]
    assert "ignoredParameters" not in made.answer


@pytest.mark.parametrize(
    "query", ["KILN", "Kiln Inc", "kiln", "the figures of Kiln, Inc.", "CIK31"]
)
def test_words_that_name_only_the_company_ask_for_the_headline_figures(query: str) -> None:
    made = ask(query)
    assert [name for name, _ in figures(made)] == [
        "Revenues", "NetIncomeLoss", "Assets"
    ]  # fmt: skip
    assert "understood" not in made.answer


def test_alternatives_are_listed() -> None:
    understood = ask("research", ticker="KILN").answer["understood"]
    assert understood["alternatives"] == [
        "us-gaap:ResearchAndDevelopmentArrangementCosts (Research Arrangement, Costs)"
    ]


@pytest.mark.parametrize("query", ["headcount", "Zahl der Filialen", "glazing 2022", "空席"])
def test_words_that_fit_no_concept_are_said_with_a_way_out(query: str) -> None:
    made = ask(query, ticker="KILN")
    assert figures(made) == []
    (note,) = made.answer["notes"]
    assert note.startswith("SEC EDGAR: no figure of this company is named")
    assert "without facts" in note


def test_words_that_were_not_used_are_said() -> None:
    made = ask("revenue per kilogram in Antarctica", ticker="KILN")
    assert figures(made) == [("Revenues", 5)]
    assert made.answer["notes"] == [
        "SEC EDGAR: these words name no figure of this company and were not used: kilogram,"
        " antarctica."
    ]


def test_a_year_without_a_value_is_no_other_year_s() -> None:
    made = ask("revenue of Kiln 1999")
    assert figures(made) == []
    assert "filed no such figure within these years" in made.answer["notes"][0]


def test_more_years_than_wanted_are_said() -> None:
    made = ask("revenue of Kiln 2018 to 2022", num_results=2)
    assert figures(made) == [("Revenues", 18), ("Revenues", 19)]
    assert made.answer["notes"][0].startswith("SEC EDGAR: 2 of 5 values are given.")


@pytest.mark.parametrize(
    "query", ["how much did it spend on research", "Umsatz 2020", "what did nobody earn?"]
)
def test_a_question_without_a_company_asks_for_one(query: str) -> None:
    made = ask(query)
    assert figures(made) == []
    assert made.answer["notes"][0].endswith(
        "Give its ticker or CIK as ticker, and what you ask for as query."
    )


@pytest.mark.parametrize(
    ("query", "years"),
    [
        ("revenue 2019–2021", ("2019", "2021")),
        ("revenue since 2019", ("2019", "")),
        ("Umsatz seit 2019", ("2019", "")),
        ("ventes de 2019 à 2021", ("2019", "2021")),
        ("revenue FY 2020", ("2020", "2020")),
        ("revenue", ("", "")),
    ],
)
def test_years_are_read(query: str, years: tuple[str, str]) -> None:
    assert parse_fact_question(query).years == years
    assert all(word == word.lower() for word in FILLERS)
