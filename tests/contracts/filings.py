"""The SEC's EDGAR: filings by number, ticker and words, and figures of a company."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from research_core.search.queries import FilingQuery
from research_core.search.records import Filing
from tests.contracts import Case

CONTACT = {"edgar_contact_email": "tea@example.org"}
TICKERS = "company_tickers.json"
RECENT, OLDER, TEXTS = "CIK0001234567.json", "CIK0001234567-submissions-001.json", "search-index"
FACTS = "companyfacts/CIK0001234567.json"
COMPANIES = {
    "0": {"cik_str": 1234567, "ticker": "TEA", "title": "Tea & Spice Company, Inc."},
    "1": {"cik_str": 7654321, "ticker": "POT-B", "title": "POT HOLDINGS CORP /DE/"},
}


def listed(*rows: tuple[str, str, str, str, str, str, str]) -> dict[str, Any]:
    """A list of filings as EDGAR gives it: by columns."""
    names = (
        "accessionNumber",
        "form",
        "filingDate",
        "reportDate",
        "primaryDocument",
        "primaryDocDescription",
        "items",
    )
    return {name: [row[n] for row in rows] for n, name in enumerate(names)}


def company(recent: dict[str, Any], *older: dict[str, Any]) -> dict[str, Any]:
    return {
        "cik": "0001234567",
        "name": "TEA & SPICE CO",
        "filings": {"recent": recent, "files": list(older)},
    }


EIGHT = ("0001234567-24-000009", "8-K", "2024-11-05", "2024-11-05", "tea-8k.htm", "", "2.02,9.01")
TEN = (
    "0001234567-24-000005",
    "10-K",
    "2024-02-20",
    "2023-12-31",
    "tea-10k.htm",
    "ANNUAL REPORT",
    "",
)
OLD_TEN = ("0001234567-02-000001", "10-K", "2002-03-30", "2001-12-31", "", "", "")
FIRST_TEN = ("0001234567-98-000001", "10-K", "1998-03-30", "1997-12-31", "", "", "")
BEFORE = {"name": OLDER, "filingCount": 1, "filingFrom": "1996-01-01", "filingTo": "2003-01-01"}
FILES = "https://www.sec.gov/Archives/edgar/data/1234567"
FILING = Filing(
    "TEA & SPICE CO",
    "0001234567",
    "10-K",
    "2024-02-20",
    f"{FILES}/000123456724000005/tea-10k.htm",
    "edgar",
    period_of_report="2023-12-31",
    accession="0001234567-24-000005",
    description="ANNUAL REPORT",
)
OLD_FILING = Filing(
    "TEA & SPICE CO",
    "0001234567",
    "10-K",
    "2002-03-30",
    f"{FILES}/000123456702000001/0001234567-02-000001-index.htm",
    "edgar",
    period_of_report="2001-12-31",
    accession="0001234567-02-000001",
    description="10-K",
)
HIT = {
    "_id": "0001234567-24-000005:tea-10k.htm",
    "_source": {
        "ciks": ["0001234567"],
        "display_names": ["TEA & SPICE CO  (TEA)  (CIK 0001234567)"],
        "form": "10-K",
        "file_type": "10-K",
        "file_description": "ANNUAL REPORT",
        "file_date": "2024-02-20",
        "period_ending": "2023-12-31",
    },
}


def value(
    val: float, start: str | None, end: str, filed: str, form: str = "10-K"
) -> dict[str, Any]:
    """A value of a fact; without a start it is one of a day."""
    began = {} if start is None else {"start": start}
    return {
        "val": val,
        "end": end,
        "filed": filed,
        "form": form,
        "accn": "0001234567-24-000005",
        **began,
    }


FIGURES = {
    "entityName": "TEA & SPICE CO",
    "facts": {
        "us-gaap": {
            "Revenues": {
                "label": "Revenues",
                "units": {"USD": [value(0, "2023-01-01", "2023-12-31", "2024-02-20")]},
            },
            "Assets": {
                "label": "Assets",
                "units": {"USD": [value(7, None, "2000-12-31", "2001-03-01")]},
            },
        }
    },
}
FIGURE = Filing(
    "TEA & SPICE CO",
    "0001234567",
    "10-K",
    "2024-02-20",
    f"{FILES}/000123456724000005/0001234567-24-000005-index.htm",
    "edgar",
    period_of_report="2023-12-31",
    accession="0001234567-24-000005",
    description="Revenues",
    concept="Revenues",
    unit="USD",
    value=0,
    period_start="2023-01-01",
)
FIRST_FILING = replace(
    OLD_FILING,
    filing_date="1998-03-30",
    url=f"{FILES}/000123456798000001/0001234567-98-000001-index.htm",
    period_of_report="1997-12-31",
    accession="0001234567-98-000001",
)
EIGHT_FILING = Filing(
    "TEA & SPICE CO",
    "0001234567",
    "8-K",
    "2024-11-05",
    f"{FILES}/000123456724000009/tea-8k.htm",
    "edgar",
    period_of_report="2024-11-05",
    accession="0001234567-24-000009",
    description="8-K (items 2.02, 9.01)",
)
EVERYTHING: list[tuple[str, Any]] = [
    (TICKERS, COMPANIES),
    (RECENT, company(listed(EIGHT, TEN), BEFORE)),
    (OLDER, listed(OLD_TEN, FIRST_TEN)),
    (TEXTS, {"hits": {"hits": [HIT]}}),
    (FACTS, FIGURES),
    ("/submissions/CIK", company(listed())),  # of any other company
]
#: That one first which is asked first.
BY_NUMBER = [*EVERYTHING[1:], EVERYTHING[0]]
BY_TEXT = [EVERYTHING[3], EVERYTHING[0]]
BY_FIGURE = [EVERYTHING[4], *EVERYTHING[:4], *EVERYTHING[5:]]
BOUND: dict[str, Any] = {"form_type": "10k", "date_from": "2002-01-01", "date_to": "2024-06-30"}
CASES = (
    Case(
        "edgar",
        "filings",
        FilingQuery("CIK1234567", **BOUND),
        BY_NUMBER,
        [FILING, OLD_FILING],
        [(RECENT, company(listed()))],
        CONTACT,
    ),
    Case(
        "edgar",
        "filings",
        FilingQuery("tea prices", ticker="tea"),
        EVERYTHING,
        [EIGHT_FILING, FILING, OLD_FILING, FIRST_FILING],
        [(TICKERS, {"0": COMPANIES["1"]})],
        CONTACT,
    ),
    Case(
        "edgar",
        "filings",
        FilingQuery("tea prices", **BOUND),
        BY_TEXT,
        [FILING],
        [*BY_TEXT[1:], (TEXTS, {"hits": {"hits": []}})],
        CONTACT,
        (TICKERS,),
    ),
    Case(
        "edgar",
        "filings",
        FilingQuery("1234567", facts=True, **BOUND),
        BY_FIGURE,
        [FIGURE],
        [(FACTS, {"entityName": "TEA & SPICE CO", "facts": {}})],
        CONTACT,
    ),
)
