"""Search SEC EDGAR for company filings, company figures, or filings that contain words.

A ticker, a number (CIK) or a known name leads to the company's list of filings, back to its first;
anything else is a full-text search, which EDGAR offers from 2001 on. If fewer are found than
wanted, a note says what was not scanned. The SEC requires an e-mail address with each request: the
client adds it, and sends nothing without. Filings are not read here: use scrape_page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.search.providers import edgar_facts
from research_core.search.providers.counts import check_not_empty, limit_to_scanned
from research_core.search.providers.edgar_companies import (
    Company,
    find_by_name,
    find_by_ticker,
    find_in_question,
)
from research_core.search.providers.edgar_files import (
    NAME,
    build_filing_url,
    fetch_json,
    matches_filters,
    normalize_form,
)
from research_core.search.providers.reply import (
    changed_format_error,
    get_value,
    read_records,
    read_rows,
    read_text,
    read_texts,
)
from research_core.search.queries import FilingQuery
from research_core.search.records import Filing, NotedRecords
from research_core.settings import Settings

SUBMISSIONS = "https://data.sec.gov/submissions"
FULL_TEXT = "https://efts.sec.gov/LATEST/search-index"
#: The first day of the full-text search.
FIRST_DAY = "2001-01-01"
EXACTER = "Ask with more words, or with fewer days."
HONOURS = frozenset({"form_type", "ticker", "date_from", "date_to", "facts"})
NOBODY = (
    f"{NAME}: no company of this name or ticker is on the SEC's list of those with a ticker. Any"
    " other is known by its CIK alone."
)
NAME_IT = "Give its ticker or CIK as ticker, and what you ask for as query."
#: Files of older filings, of about 2,000 each, that one call reads at most.
OLDER_FILES = 25
#: Documents in one answer of the full-text search.
HITS = 100
#: Columns of a list of filings, and whether each is required.
COLUMNS = {
    "accessionNumber": True,
    "form": True,
    "filingDate": True,
    "reportDate": False,
    "primaryDocument": False,
    "primaryDocDescription": False,
    "items": False,
}
#: Form names, by how people write them without spaces and hyphens.
WRITTEN = {
    "10K": "10-K", "10Q": "10-Q", "8K": "8-K", "20F": "20-F", "40F": "40-F", "6K": "6-K",
    "11K": "11-K", "S1": "S-1", "S3": "S-3",
    "S4": "S-4", "S8": "S-8", "F1": "F-1", "F3": "F-3", "F4": "F-4", "DEF14A": "DEF 14A",
    "PRE14A": "PRE 14A", "13FHR": "13F-HR",
    "SC13D": "SC 13D", "SC13G": "SC 13G", "NPORTP": "NPORT-P",
}  # fmt: skip
_OLDER = re.compile(r"CIK\d{10}-submissions-\d{3}\.json")
_FILER = re.compile(r"(?:\s{2,}\([A-Z][A-Z0-9., -]*\))?\s+\(CIK \d+\)$")


def search(http: Http, _settings: Settings, query: FilingQuery) -> tuple[Any, ...]:
    """Return filings, newest first, or by relevance for words; with `facts`, figures of a company.

    A ticker takes precedence over the text. Raises SearchError.
    """
    if query.facts:
        return _search_facts(http, query)
    company = find_by_ticker(http, query.ticker) if query.ticker else find_by_name(http, query.text)
    if company:
        return _search_company(http, company, query)
    if query.ticker:
        return NotedRecords((), [NOBODY])
    return _search_full_text(http, query)


def _search_facts(http: Http, query: FilingQuery) -> tuple[Any, ...]:
    """Return the figures of a company that the text asks for, or its key figures."""
    if query.ticker:
        company = find_by_ticker(http, query.ticker)
        words = "" if query.text == query.ticker else query.text
    else:
        company, words = find_in_question(http, query.text)
    if not company:
        return NotedRecords((), [f"{NOBODY} {NAME_IT}"])
    return edgar_facts.fetch_facts(http, company, query, words)


# ---------------------------------------------------------------- a company's filings


def _search_company(http: Http, company: Company, query: FilingQuery) -> tuple[Any, ...]:
    told = fetch_json(http, f"{SUBMISSIONS}/CIK{company.padded}.json")
    if told is None and not company.listed:
        return ()
    name = read_text(NAME, told or {}, "name")
    if not name:
        raise changed_format_error(NAME, "there is no name of a company in it")
    files = read_rows(NAME, told, "filings", "files")
    older = [each for each in files if _may_contain(each, query)]
    found: list[Filing] = []
    for part in _iterate_filing_lists(http, told, older[:OLDER_FILES]):
        for filing in _read_filings(part, name, company):
            if matches_filters(query, filing.form_type, filing.filing_date):
                found.append(filing)
        if len(found) >= query.count:
            break
    is_cut = len(older) > OLDER_FILES
    if not found and is_cut:
        raise SearchError(
            f"{NAME}: none of this company's newest filings, in {OLDER_FILES + 1} lists, is one of"
            " these.",
            kind="too_large",
            next_step="Say with date_from and date_to when it was filed.",
        )
    notes = []
    if len(found) < query.count and is_cut:
        notes.append(_note_unread(older))
    return NotedRecords(found[: query.count], notes)


def _note_unread(older: list[dict[str, Any]]) -> str:
    """Note which of a company's filings were not scanned."""
    until = read_text(NAME, older[OLDER_FILES], "filingTo")
    left = len(older) - OLDER_FILES
    oldest = "oldest list" if left == 1 else f"oldest {left} lists"
    were = "was" if left == 1 else "were"
    day = f", of {until} and before" if until else ""
    return (
        f"{NAME}: the company's {oldest} of filings{day}, {were} not looked through. Say"
        " with date_to when it was filed."
    )


def _iterate_filing_lists(http: Http, told: Any, older: list[dict[str, Any]]) -> Iterator[Any]:
    """Yield the company's filing lists, newest first; older ones are fetched on demand."""
    yield get_value(told, "filings", "recent")
    for each in older:
        name = read_text(NAME, each, "name")
        if not _OLDER.fullmatch(name):
            raise changed_format_error(
                NAME, "a list of older filings has another name than such lists have"
            )
        yield fetch_json(http, f"{SUBMISSIONS}/{name}")


def _may_contain(older: dict[str, Any], query: FilingQuery) -> bool:
    first = read_text(NAME, older, "filingFrom")
    last = read_text(NAME, older, "filingTo")
    if query.date_from and last and last < query.date_from:
        return False
    return not (query.date_to and first and first > query.date_to)


def _read_filings(part: Any, company: str, whose: Company) -> list[Filing]:
    """Return the filings of one list, which EDGAR stores as parallel columns."""
    columns = {name: _read_column(part, name, needed) for name, needed in COLUMNS.items()}
    length = len(columns["accessionNumber"])
    if any(len(column) != length for column in columns.values() if column):
        raise changed_format_error(NAME, "the columns of its list of filings are not of one length")
    filings = []
    for n in range(length):
        row = {name: column[n] for name, column in columns.items() if column}
        filings.append(_read_filing(row, company, whose))
    return filings


def _read_column(part: Any, name: str, needed: bool) -> list[Any]:
    column = get_value(part, name)
    if column is None and not needed:
        return []
    if not isinstance(column, list):
        raise changed_format_error(NAME, f"there is no column {name!r} in it")
    return column


def _read_filing(row: dict[str, Any], company: str, whose: Company) -> Filing:
    told = {name: read_text(NAME, row, name) for name in COLUMNS}
    accession, form, filed = told["accessionNumber"], told["form"], told["filingDate"]
    if not (accession and form and filed):
        raise changed_format_error(NAME, "a filing has no number, no form or no date")
    description = told["primaryDocDescription"] or form
    items = ", ".join(item for item in told["items"].split(",") if item.strip())
    if items:
        description += f" (items {items})"
    return Filing(
        company=company,
        cik=whose.padded,
        form_type=form,
        filing_date=filed,
        url=build_filing_url(whose.cik, accession, told["primaryDocument"]),
        source="edgar",
        period_of_report=told["reportDate"],
        accession=accession,
        description=description,
    )


# ---------------------------------------------------------------- words of filings


def _search_full_text(http: Http, query: FilingQuery) -> tuple[Any, ...]:
    """Return filings that contain these words, each once, whatever document matched."""
    answer = fetch_json(http, FULL_TEXT, _build_full_text_params(query))
    if get_value(answer, "timed_out") is True or get_value(answer, "_shards", "failed"):
        raise SearchError(f"{NAME} could not search all filings in time.", status=200)
    listed = read_rows(NAME, answer, "hits", "hits")
    check_not_empty(NAME, listed, get_value(answer, "hits", "total", "value"))
    once: dict[str, Filing] = {}
    for filing in read_records(NAME, listed, _read_hit, "the number of a filing"):
        once.setdefault(filing.accession, filing)
    fitting = []
    for filing in once.values():
        if matches_filters(query, filing.form_type, filing.filing_date):
            fitting.append(filing)
    total = get_value(answer, "hits", "total", "value")
    what = "documents"  # EDGAR counts documents, of which a filing has several
    if get_value(answer, "hits", "total", "relation") == "gte":
        what = "documents or more"
    found = limit_to_scanned(
        NAME,
        fitting[: query.count],
        query.count,
        len(listed),
        total,
        most=HITS,
        what=what,
        next_step=EXACTER,
    )
    notes = list(found.notes)
    if any(day and day < FIRST_DAY for day in (query.date_from, query.date_to)):
        notes.append(
            f"{NAME} searches the texts of filings from {FIRST_DAY[:4]} on, of none before."
        )
    return NotedRecords(found, notes)


def _build_full_text_params(query: FilingQuery) -> dict[str, str]:
    form = query.form_type.upper()
    params = {"q": query.text}
    if form:
        params["forms"] = WRITTEN.get(normalize_form(form), form)
    if query.date_from or query.date_to:
        params["dateRange"] = "custom"
        params["startdt"] = query.date_from or FIRST_DAY
        if query.date_to:
            params["enddt"] = query.date_to
    return params


def _read_hit(row: dict[str, Any]) -> Filing | None:
    accession, _, document = read_text(NAME, row, "_id").partition(":")
    numbers = read_texts(NAME, row, "_source", "ciks")
    names = read_texts(NAME, row, "_source", "display_names")
    if not accession or not numbers or not re.fullmatch(r"[0-9]{1,10}", numbers[0]):
        return None
    form = read_text(NAME, row, "_source", "form")
    filed = read_text(NAME, row, "_source", "file_date")
    if not (form and filed):
        raise changed_format_error(NAME, "a filing has no form or no date")
    return Filing(
        company=_FILER.sub("", names[0]) if names else "",
        cik=f"{int(numbers[0]):010d}",
        form_type=form,
        filing_date=filed,
        url=build_filing_url(int(numbers[0]), accession, document),
        source="edgar",
        period_of_report=read_text(NAME, row, "_source", "period_ending"),
        accession=accession,
        description=read_text(NAME, row, "_source", "file_description")
        or read_text(NAME, row, "_source", "file_type"),
    )
