"""Search the patents of Lens.org by title and abstract, without claims or families."""

from __future__ import annotations

import re
from typing import Any

from research_core.journal.deps import Http
from research_core.model_messages import Json
from research_core.search.providers.counts import check_not_empty, limit_to_scanned
from research_core.search.providers.markup import markup_words
from research_core.search.providers.patents import (
    NUMBER,
    build_patent_url,
    get_filing_period,
    join_number,
    parse_day,
    parse_number,
    query_phrases,
    select_patents,
    strip_company_form,
)
from research_core.search.providers.reply import (
    changed_format_error,
    get_value,
    parse_json,
    read_flag,
    read_records,
    read_rows,
    read_text,
    request,
)
from research_core.search.queries import PatentQuery
from research_core.search.records import Patent
from research_core.settings import Settings
from research_core.text.words import strip_invisible

NAME = "Lens.org"
SEARCH = "https://api.lens.org/patent/search"
NEEDS = ("LENS_API_TOKEN",)
HONOURS = frozenset(
    "search_type patent_office assignee inventor cpc_code year_from year_to".split()
)
PACE_S = 6.0
READ = [
    "lens_id",
    "jurisdiction",
    "doc_number",
    "kind",
    "date_published",
    "biblio",
    "abstract",
    "legal_status",
]
NEXT_STEPS = {
    "auth_required": (
        "Check LENS_API_TOKEN in .env, and that its plan covers patents and has not run out."
    )
}


def search(http: Http, settings: Settings, query: PatentQuery) -> tuple[Patent, ...]:
    """Return publications by relevance. Raises SearchError."""
    body = {
        "query": {"bool": {"must": _build_must_clauses(query)}},
        "size": query.count,
        "include": READ,
    }
    reply = request(
        http,
        NAME,
        SEARCH,
        method="POST",
        body=body,
        headers={"Authorization": f"Bearer {settings.lens_api_token}"},
        next_steps=NEXT_STEPS,
        also=(204,),
    )
    if reply.status == 204:  # nothing matched
        return ()
    answer = parse_json(NAME, reply)
    listed = read_rows(NAME, answer, "data")
    check_not_empty(NAME, listed, get_value(answer, "total"))
    patents = read_records(NAME, listed, _read_patent, "the number of a publication")
    found = select_patents(NAME, patents, query)
    return limit_to_scanned(
        NAME, found, query.count, len(listed), get_value(answer, "total"), most=query.count
    )


def _build_must_clauses(query: PatentQuery) -> list[Json]:
    """Return the conditions as Elasticsearch clauses, all of which must match."""
    asked: list[Json] = []
    number = NUMBER.fullmatch(parse_number(query.text))
    if number:
        asked.append({"term": {"jurisdiction": number[1]}})
        asked.append({"term": {"doc_number": number[2]}})
    else:
        fields = ("title",) if query.search_type == "specific" else ("title", "abstract")
        for phrase in query_phrases(query.text):
            matches = [{"match_phrase": {field: phrase}} for field in fields]
            asked.append({"bool": {"should": matches}})
    if query.assignee:
        asked.append({"match_phrase": {"applicant.name": strip_company_form(query.assignee)}})
    if query.inventor:
        asked.append({"match_phrase": {"inventor.name": query.inventor}})
    if query.patent_office:
        asked.append({"term": {"jurisdiction": query.patent_office}})
    code = re.sub(r"[^A-Z0-9/]", "", query.cpc_code.upper())
    if code:
        symbols = code.replace("/", "\\/") + "*"  # a slash would begin a regular expression
        asked.append({"query_string": {"query": f"class_cpc.symbol:{symbols}"}})
    span = get_filing_period(query)
    bounds: dict[str, str] = {}
    if span and query.year_from:
        bounds["gte"] = span[0]
    if span and query.year_to:
        bounds["lte"] = span[1]
    if bounds:
        asked.append({"range": {"application_reference.date": bounds}})
    return asked


def _read_patent(row: dict[str, Any]) -> Patent | None:
    number = join_number(
        read_text(NAME, row, "jurisdiction"),
        read_text(NAME, row, "doc_number"),
        read_text(NAME, row, "kind"),
    )
    if not number:
        return None
    granted = read_flag(NAME, row, "legal_status", "granted")
    return Patent(
        title=_read_worded(get_value(row, "biblio", "invention_title")),
        number=number,
        url=build_patent_url(number),
        abstract=_read_worded(row.get("abstract")),
        assignee=_find_first_party(row, "applicants"),
        inventor=_find_first_party(row, "inventors"),
        filed=parse_day(read_text(NAME, row, "biblio", "application_reference", "date")),
        granted=parse_day(read_text(NAME, row, "legal_status", "grant_date")) if granted else "",
        published=parse_day(read_text(NAME, row, "date_published")),
        status=read_text(NAME, row, "legal_status", "patent_status"),
    )


def _find_first_party(row: dict[str, Any], role: str) -> str:
    """Return the name of the first party of this role; "" if there is none."""
    listed = get_value(row, "biblio", "parties", role)
    if not listed:
        return ""
    return read_text(NAME, read_rows(NAME, listed)[0], "extracted_name", "value")


def _read_worded(value: Any) -> str:
    """Return a text given plainly, as {"text"}, or as a list of languages or paragraphs.

    Of several languages, English is preferred.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return markup_words(strip_invisible(value))
    if isinstance(value, dict):
        return markup_words(read_text(NAME, value, "text"))
    if not isinstance(value, list):
        raise changed_format_error(NAME, "a title or an abstract is no text")
    english = [each for each in value if isinstance(each, dict) and each.get("lang") == "en"]
    chosen = english[:1] or (value[:1] if value and isinstance(value[0], dict) else value)
    return " ".join(_read_worded(each) for each in chosen if not isinstance(each, list)).strip()
