"""Searches Google Patents through SearchAPI.io. It reads the list only: what stands there of a
patent's text is a snippet, no abstract.

An office is asked for by `countries`, as SearchAPI's own page on this engine
(searchapi.io/docs/google-patents) calls it; `country` is what other resellers of the same search
say, and no parameter of this one.
"""

from __future__ import annotations

from typing import Any

from research_core.journal.deps import Http
from research_core.search.providers.counts import held, of_first
from research_core.search.providers.markup import words
from research_core.search.providers.patents import company, day, kept, number_in, page, years
from research_core.search.providers.reply import as_json, ask, at, changed, rows, some, text
from research_core.search.queries import PatentQuery
from research_core.search.records import Patent
from research_core.settings import Settings

NAME = "SearchAPI"
URL = "https://www.searchapi.io/api/v1/search"
NEEDS = ("SEARCHAPI_API_KEY",)
HONOURS = frozenset(
    "search_type patent_office assignee inventor cpc_code year_from year_to".split()
)
PDFS = "https://patentimages.storage.googleapis.com"
#: What a page of Google Patents may hold.
FEWEST, MOST = 10, 100
NEXT_STEPS = {
    "auth_required": (
        "Check SEARCHAPI_API_KEY in .env, and the searches that are left, or ask another provider."
    )
}


def search(http: Http, settings: Settings, query: PatentQuery) -> tuple[Patent, ...]:
    """Patents in Google's order. Raises SearchError."""
    span, asked, most = years(query), _words(query), min(max(query.count, FEWEST), MOST)
    wanted = {
        "engine": "google_patents",
        "q": asked,
        "num": str(most),
        "countries": query.patent_office,
        "assignee": company(query.assignee),
        "inventor": query.inventor.replace(",", " "),
        "after": f"filing:{span[0].replace('-', '')}" if span and query.year_from else "",
        "before": f"filing:{span[1].replace('-', '')}" if span and query.year_to else "",
        "api_key": settings.searchapi_api_key,
    }
    everything = (
        "" if asked else "?q=*"
    )  # it wants the star as it is, which a parameter would not be
    params = {name: value for name, value in wanted.items() if value}
    answer = as_json(NAME, ask(http, NAME, f"{URL}{everything}", params, next_steps=NEXT_STEPS))
    every = _listed(answer)
    listed = [
        row for row in every if row.get("is_scholar") is not True
    ]  # works of Google Scholar stand there too
    found = kept(
        NAME,
        some(
            NAME,
            listed,
            [made for row in listed if (made := _patent(row))],
            "the number of a patent",
        ),
        query,
    )
    return of_first(
        NAME,
        found,
        query.count,
        len(every),
        at(answer, "search_information", "total_results"),
        most=most,
    )


def _words(query: PatentQuery) -> str:
    """In the operators of Google Patents; a number is asked for as it is."""
    asked = number_in(query.text) or query.text
    if query.search_type == "specific" and asked == query.text and asked:
        asked = f"TI=({asked})"
    return " ".join(
        part
        for part in (asked, f"CPC={query.cpc_code.replace(' ', '')}" if query.cpc_code else "")
        if part
    )


def _listed(answer: Any) -> list[dict[str, Any]]:
    """What it found: patents and works of Google Scholar."""
    if at(answer, "organic_results") is None:
        error, count = at(answer, "error"), at(answer, "search_information", "total_results")
        if (isinstance(error, str) and "return any results" in error) or (
            count == 0 and not isinstance(count, bool)
        ):
            return []
        raise changed(NAME, "there is no 'organic_results' in it")
    listed = rows(NAME, answer, "organic_results")
    held(NAME, listed, at(answer, "search_information", "total_results"))
    return listed


def _patent(row: dict[str, Any]) -> Patent | None:
    number = number_in(text(NAME, row, "publication_number")) or number_in(
        text(NAME, row, "patent_id")
    )
    if not number:
        return None
    pdf = text(NAME, row, "pdf")
    return Patent(
        title=words(text(NAME, row, "title")),
        number=number,
        url=page(number),
        abstract=words(text(NAME, row, "snippet")),
        assignee=words(text(NAME, row, "assignee")),
        inventor=words(text(NAME, row, "inventor")),
        filed=day(text(NAME, row, "filing_date")),
        granted=day(text(NAME, row, "grant_date")),
        published=day(text(NAME, row, "publication_date")),
        pdf=pdf if pdf.startswith("https://") or not pdf else f"{PDFS}/{pdf.lstrip('/')}",
    )
