"""Search Google Patents through SearchAPI.io; texts in its list are snippets, no abstracts.

An office is selected with `countries`, as documented at searchapi.io/docs/google-patents; `country`
is the name other resellers use and does nothing here.
"""

from __future__ import annotations

from typing import Any

from research_core.journal.deps import Http
from research_core.search.providers.counts import check_not_empty, limit_to_scanned
from research_core.search.providers.markup import markup_words
from research_core.search.providers.patents import (
    build_patent_url,
    get_filing_period,
    parse_day,
    parse_number,
    select_patents,
    strip_company_form,
)
from research_core.search.providers.reply import (
    changed_format_error,
    drop_empty,
    get_json,
    get_value,
    read_records,
    read_rows,
    read_text,
)
from research_core.search.providers.searchapi import NAME, URL
from research_core.search.queries import PatentQuery
from research_core.search.records import Patent
from research_core.settings import Settings

HONOURS = frozenset(
    "search_type patent_office assignee inventor cpc_code year_from year_to".split()
)
PDFS = "https://patentimages.storage.googleapis.com"
#: Results per page that Google Patents accepts.
MIN_COUNT, MAX_COUNT = 10, 100
NEXT_STEPS = {
    "auth_required": (
        "Check SEARCHAPI_API_KEY in .env, and the searches that are left, or ask another provider."
    )
}


def search(http: Http, settings: Settings, query: PatentQuery) -> tuple[Patent, ...]:
    """Return patents in Google's order. Raises SearchError."""
    span = get_filing_period(query)
    asked = _query_words(query)
    most = min(max(query.count, MIN_COUNT), MAX_COUNT)
    wanted = {
        "engine": "google_patents",
        "q": asked,
        "num": str(most),
        "countries": query.patent_office,
        "assignee": strip_company_form(query.assignee),
        "inventor": query.inventor.replace(",", " "),
        "after": f"filing:{span[0].replace('-', '')}" if span and query.year_from else "",
        "before": f"filing:{span[1].replace('-', '')}" if span and query.year_to else "",
        "api_key": settings.searchapi_api_key,
    }
    # The star must not be escaped, as a parameter would be.
    everything = "" if asked else "?q=*"
    answer = get_json(http, NAME, f"{URL}{everything}", drop_empty(wanted), next_steps=NEXT_STEPS)
    every = _read_listed(answer)
    # Works of Google Scholar are listed as well.
    listed = [row for row in every if row.get("is_scholar") is not True]
    patents = read_records(NAME, listed, _read_patent, "the number of a patent")
    found = select_patents(NAME, patents, query)
    return limit_to_scanned(
        NAME,
        found,
        query.count,
        len(every),
        get_value(answer, "search_information", "total_results"),
        most=most,
    )


def _query_words(query: PatentQuery) -> str:
    """Write the query with Google Patents operators; a number is sent as it is."""
    asked = parse_number(query.text) or query.text
    if query.search_type == "specific" and asked == query.text and asked:
        asked = f"TI=({asked})"
    code = f"CPC={query.cpc_code.replace(' ', '')}" if query.cpc_code else ""
    return " ".join(filter(None, (asked, code)))


def _read_listed(answer: Any) -> list[dict[str, Any]]:
    """Return the results: patents, and works of Google Scholar."""
    if get_value(answer, "organic_results") is None:
        error = get_value(answer, "error")
        count = get_value(answer, "search_information", "total_results")
        says_none = isinstance(error, str) and "return any results" in error
        if says_none or (count == 0 and not isinstance(count, bool)):
            return []
        raise changed_format_error(NAME, "there is no 'organic_results' in it")
    listed = read_rows(NAME, answer, "organic_results")
    check_not_empty(NAME, listed, get_value(answer, "search_information", "total_results"))
    return listed


def _read_patent(row: dict[str, Any]) -> Patent | None:
    number = parse_number(read_text(NAME, row, "publication_number")) or parse_number(
        read_text(NAME, row, "patent_id")
    )
    if not number:
        return None
    pdf = read_text(NAME, row, "pdf")
    return Patent(
        title=markup_words(read_text(NAME, row, "title")),
        number=number,
        url=build_patent_url(number),
        abstract=markup_words(read_text(NAME, row, "snippet")),
        assignee=markup_words(read_text(NAME, row, "assignee")),
        inventor=markup_words(read_text(NAME, row, "inventor")),
        filed=parse_day(read_text(NAME, row, "filing_date")),
        granted=parse_day(read_text(NAME, row, "grant_date")),
        published=parse_day(read_text(NAME, row, "publication_date")),
        pdf=pdf if pdf.startswith("https://") or not pdf else f"{PDFS}/{pdf.lstrip('/')}",
    )
