"""Return a company's key figures as filed (XBRL): the latest of each, exactly as stated.

The unit is the one the company reports for the latest day and most often; convenience translations
are ignored. Nothing is computed, rounded or converted, and figures filed under other concepts are
not found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from research_core.journal.deps import Http
from research_core.search.providers.edgar_companies import Company
from research_core.search.providers.edgar_files import (
    NAME,
    build_filing_url,
    fetch_json,
    matches_filters,
)
from research_core.search.providers.reply import (
    changed_format_error,
    get_value,
    read_each,
    read_number,
    read_rows,
    read_text,
)
from research_core.search.queries import FilingQuery
from research_core.search.records import Filing, NotedRecords

FACTS = "https://data.sec.gov/api/xbrl/companyfacts"
US, IFRS, COVER = "us-gaap", "ifrs-full", "dei"
#: Key figures in order, each with its possible concepts; for equal dates the first one wins.
HEADLINES: tuple[tuple[tuple[str, str], ...], ...] = (
    (
        (US, "RevenueFromContractWithCustomerExcludingAssessedTax"),
        (US, "Revenues"),
        (US, "RevenueFromContractWithCustomerIncludingAssessedTax"),
        (US, "SalesRevenueNet"),
        (IFRS, "Revenue"),
    ),
    ((US, "NetIncomeLoss"), (US, "ProfitLoss"), (IFRS, "ProfitLoss")),
    ((US, "EarningsPerShareDiluted"), (IFRS, "DilutedEarningsLossPerShare")),
    ((US, "Assets"), (IFRS, "Assets")),
    (
        (US, "StockholdersEquity"),
        (US, "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest"),
        (IFRS, "Equity"),
    ),
    ((US, "Liabilities"), (IFRS, "Liabilities")),
    ((US, "OperatingIncomeLoss"), (IFRS, "ProfitLossFromOperatingActivities")),
    ((US, "CashAndCashEquivalentsAtCarryingValue"), (IFRS, "CashAndCashEquivalents")),
    (
        (US, "NetCashProvidedByUsedInOperatingActivities"),
        (IFRS, "CashFlowsFromUsedInOperatingActivities"),
    ),
    ((COVER, "EntityCommonStockSharesOutstanding"),),
)
#: Annual forms: of two figures ending on the same day they state the longer period, other forms the
#: shorter.
YEARLY = frozenset({"10-K", "10-K/A", "10-KT", "20-F", "20-F/A", "40-F", "40-F/A"})


@dataclass(frozen=True)
class _Value:
    concept: str
    label: str
    unit: str
    value: float | int
    first: str
    last: str
    filed: str
    form: str
    accession: str


def fetch_facts(http: Http, company: Company, query: FilingQuery) -> NotedRecords:
    """Return the latest value of each key figure from the requested forms and dates.

    If the company files no such figures, or some are not found, a note says so. Raises SearchError.
    """
    told = fetch_json(http, f"{FACTS}/CIK{company.padded}.json")
    if told is None:
        return NotedRecords(
            (), [f"{NAME} has no figures of this company: it files none that programs can read."]
        )
    name = read_text(NAME, told if isinstance(told, dict) else {}, "entityName")
    if not name or not isinstance(told.get("facts"), dict):
        raise changed_format_error(NAME, "there is no company with its figures in it")
    latest = read_each(HEADLINES, lambda concepts: _find_latest_value(told, concepts, query))
    few = (
        f"{NAME}: {len(latest)} of {len(HEADLINES)} headline figures stand under one of their usual"
        " names; others may stand under another."
    )
    lacks = len(latest) < min(query.count, len(HEADLINES))
    filings = [_build_fact_filing(value, name, company) for value in latest[: query.count]]
    return NotedRecords(filings, [few] if lacks else ())


def _find_latest_value(
    told: Any, concepts: tuple[tuple[str, str], ...], query: FilingQuery
) -> _Value | None:
    found = read_each(concepts, lambda concept: _find_latest_of_concept(told, *concept, query))
    return max(found, key=lambda value: value.last, default=None)


def _find_latest_of_concept(
    told: Any, taxonomy: str, concept: str, query: FilingQuery
) -> _Value | None:
    """Return the latest value of a concept.

    For equal end dates the one filed last wins, for equal filings the period the form is about.
    """
    fact = get_value(told, "facts", taxonomy, concept)
    if fact is None:
        return None
    units = get_value(fact, "units")
    if not isinstance(units, dict):
        raise changed_format_error(NAME, f"there are no units of {concept!r} in it")
    by_unit: list[list[_Value]] = []
    for unit in units:
        fitting = []
        for value in _read_values(fact, concept, unit):
            if matches_filters(query, value.form, value.filed):
                fitting.append(value)
        if fitting:
            by_unit.append(fitting)
    if not by_unit:
        return None
    # The unit of the latest day, and of several the one used most often.
    values = max(by_unit, key=lambda each: (max(value.last for value in each), len(each)))
    newest = max((value.last, value.filed) for value in values)
    times = [value for value in values if (value.last, value.filed) == newest]
    if times[0].form in YEARLY:
        return min(times, key=lambda value: value.first)
    return max(times, key=lambda value: value.first)


def _read_values(fact: Any, concept: str, unit: str) -> Iterator[_Value]:
    for row in read_rows(NAME, fact, "units", unit):
        value = read_number(NAME, row, "val")
        last = read_text(NAME, row, "end")
        filed = read_text(NAME, row, "filed")
        if value is None or not (last and filed):
            raise changed_format_error(
                NAME, f"a value of {concept!r} has no number, no end or no day of filing"
            )
        yield _Value(
            concept=concept,
            label=read_text(NAME, fact, "label"),
            unit=unit,
            value=value,
            first=read_text(NAME, row, "start"),
            last=last,
            filed=filed,
            form=read_text(NAME, row, "form"),
            accession=read_text(NAME, row, "accn"),
        )


def _build_fact_filing(value: _Value, company: str, whose: Company) -> Filing:
    return Filing(
        company=company,
        cik=whose.padded,
        form_type=value.form,
        filing_date=value.filed,
        url=build_filing_url(whose.cik, value.accession, ""),
        source="edgar",
        period_of_report=value.last,
        period_start=value.first,
        accession=value.accession,
        description=value.label,
        concept=value.concept,
        unit=value.unit,
        value=value.value,
    )
