"""Search US applications and patents at the USPTO's Open Data Portal (no abstracts).

Words are searched in an application's data, which do not include its text. Names and classes are
also checked against each application, since the portal treats them as words.
"""

from __future__ import annotations

import re
from typing import Any

from research_core.journal.deps import Http
from research_core.search.providers.counts import check_not_empty, limit_to_scanned
from research_core.search.providers.markup import markup_words
from research_core.search.providers.patents import (
    build_patent_url,
    get_filing_period,
    parse_day,
    parse_number,
    query_phrases,
    select_patents,
    strip_company_form,
    strip_quotes,
)
from research_core.search.providers.reply import (
    changed_format_error,
    drop_empty,
    get_value,
    parse_json,
    read_rows,
    read_text,
    read_texts,
    refusal_error,
    request,
    require_some,
)
from research_core.search.queries import PatentQuery
from research_core.search.records import Patent
from research_core.settings import Settings
from research_core.text.words import contains_words

NAME = "USPTO"
SEARCH = "https://api.uspto.gov/api/v1/patent/applications/search"
FILE = "https://patentcenter.uspto.gov/applications"
NEEDS = ("USPTO_API_KEY",)
HONOURS = frozenset("search_type assignee inventor cpc_code year_from year_to".split())
PACE_S = 1.0
#: Applications to scan if names or classes must be checked.
MAX_SCANNED = 100
OFFICE = "US"
#: Field with the classes of an application.
CLASSES = "cpcClassificationBag"
#: Where names are: the first one's, the list of all, and a name in that list.
APPLICANT_FIELDS = ("firstApplicantName", "applicantBag", "applicantNameText")
INVENTOR_FIELDS = ("firstInventorName", "inventorBag", "inventorNameText")
#: The portal's text in a 404 that means an empty answer.
NONE_FOUND = b"No matching records found"
NEXT_STEPS = {"auth_required": "Check USPTO_API_KEY in .env: a key of data.uspto.gov."}


def serves_office(query: PatentQuery) -> bool:
    """Return True if the query's patent office is the US one or any."""
    return query.patent_office in ("", OFFICE)


def search(http: Http, settings: Settings, query: PatentQuery) -> tuple[Patent, ...]:
    """Return applications and patents in the portal's order.

    It has those of the US office only. Raises SearchError.
    """
    if not serves_office(query):
        return ()
    span = get_filing_period(query)
    narrowed = query.assignee or query.inventor or query.cpc_code
    most = MAX_SCANNED if narrowed else query.count
    wanted = {
        "q": _query_words(query),
        "rangeFilters": f"applicationMetaData.filingDate {span[0]}:{span[1]}" if span else "",
        "offset": "0",
        "limit": str(most),
    }
    reply = request(
        http,
        NAME,
        SEARCH,
        drop_empty(wanted),
        headers={"X-API-KEY": settings.uspto_api_key},
        next_steps=NEXT_STEPS,
        also=(404,),
    )
    if reply.status == 404:
        if NONE_FOUND in reply.body:
            return ()
        raise refusal_error(NAME, reply, NEXT_STEPS)
    answer = parse_json(NAME, reply)
    listed = read_rows(NAME, answer, _find_bag(answer))
    check_not_empty(NAME, listed, get_value(answer, "count"))
    made: list[tuple[dict[str, Any], Patent]] = []
    for row in listed:
        patent = _read_patent(row)
        if patent is not None:
            made.append((row, patent))
    require_some(NAME, listed, made, "a number")
    if query.cpc_code:
        classified = [row for row in listed if _read_application_data(row).get(CLASSES) is not None]
        require_some(NAME, listed, classified, "its classes")
    matching = [patent for row, patent in made if _matches_query(row, query)]
    found = select_patents(NAME, matching, query)
    return limit_to_scanned(
        NAME, found, query.count, len(listed), get_value(answer, "count"), most=most
    )


def _query_words(query: PatentQuery) -> str:
    """Write quoted phrases that must all match; a number goes into its own field."""
    number = parse_number(query.text)
    if number:
        asked = [_build_number_query(number)]
    else:
        field = "applicationMetaData.inventionTitle:" if query.search_type == "specific" else ""
        asked = [f'{field}"{phrase}"' for phrase in query_phrases(query.text)]
    for name in (strip_quotes(strip_company_form(query.assignee)), strip_quotes(query.inventor)):
        if name:
            asked.append(f'"{name}"')
    return " AND ".join(asked)


def _build_number_query(number: str) -> str:
    found = re.fullmatch(r"US([A-Z]*\d+)([A-Z]\d?)?", number)
    if found is None:
        return f'"{number}"'
    if len(found[1]) == 11:
        return f'applicationMetaData.earliestPublicationNumber:"{number}"'
    return f'applicationMetaData.patentNumber:"{found[1]}"'


def _find_bag(answer: Any) -> str:
    """Return where the list is; the portal has used two names."""
    for name in ("patentFileWrapperDataBag", "patentBag"):
        if get_value(answer, name) is not None:
            return name
    raise changed_format_error(NAME, "there are no applications in it")


def _read_patent(row: dict[str, Any]) -> Patent | None:
    application = read_text(NAME, row, "applicationNumberText")
    data = _read_application_data(row)
    granted = read_text(NAME, data, "patentNumber")
    published = read_text(NAME, data, "earliestPublicationNumber")
    number = parse_number(f"US{granted}") if granted else parse_number(published)
    number = number or _read_application_number(application)
    if not number:
        return None
    return Patent(
        title=markup_words(read_text(NAME, data, "inventionTitle")),
        number=number,
        url=f"{FILE}/{application}" if "/" in number else build_patent_url(number),
        assignee=markup_words(read_text(NAME, data, "firstApplicantName")),
        inventor=markup_words(read_text(NAME, data, "firstInventorName")),
        filed=parse_day(read_text(NAME, data, "filingDate")),
        granted=parse_day(read_text(NAME, data, "grantDate")),
        published=parse_day(read_text(NAME, data, "earliestPublicationDate")),
        status=read_text(NAME, data, "applicationStatusDescriptionText"),
    )


def _read_application_number(text: str) -> str:
    """Return an unpublished application's number as the office writes it: US16/123456."""
    return f"US{text[:2]}/{text[2:]}" if re.fullmatch(r"\d{8}", text, re.ASCII) else ""


def _read_application_data(row: dict[str, Any]) -> dict[str, Any]:
    """Return an application's data; the portal once had them in the row itself."""
    data = row.get("applicationMetaData", row)
    if not isinstance(data, dict):
        raise changed_format_error(NAME, "'applicationMetaData' is no object")
    return data


def _matches_query(row: dict[str, Any], query: PatentQuery) -> bool:
    """Return True if names and class match.

    An application without names passes: its words matched.
    """
    data = _read_application_data(row)
    classes = [each.replace(" ", "").upper() for each in read_texts(NAME, data, CLASSES)]
    code = query.cpc_code.replace(" ", "").upper()
    if not _matches_name(data, strip_company_form(query.assignee), *APPLICANT_FIELDS):
        return False
    if not _matches_name(data, query.inventor, *INVENTOR_FIELDS):
        return False
    return not code or any(each.startswith(code) for each in classes)


def _matches_name(data: dict[str, Any], asked: str, first: str, bag: str, field: str) -> bool:
    """Return True if a person of this role has the name that is asked for, or none is known.

    first, bag, field: where the first one's name is, where all are listed, and a name in the list.
    """
    named = [read_text(NAME, data, first)]
    for row in read_rows(NAME, data, bag, optional=True):
        named.append(read_text(NAME, row, field))
    if not asked or not any(named):
        return True
    words = asked.replace(",", " ")
    return any(contains_words(each, words) for each in named)
