"""Searches the applications and patents of the United States at the USPTO's Open Data Portal. It
holds no abstracts, and no other office.

Words are asked for in all data of an application, of which its text is not one. Names and classes
are held against what each application says of them, as the portal is asked for them only as words.
"""

from __future__ import annotations

import re
from typing import Any

from research_core.journal.deps import Http
from research_core.search.providers.counts import held, of_first
from research_core.search.providers.markup import words
from research_core.search.providers.patents import (
    company,
    day,
    kept,
    number_in,
    page,
    phrases,
    quoted,
    years,
)
from research_core.search.providers.reply import (
    as_json,
    ask,
    at,
    changed,
    refused,
    rows,
    some,
    text,
    texts,
)
from research_core.search.queries import PatentQuery
from research_core.search.records import Patent
from research_core.settings import Settings
from research_core.text.words import holds

NAME = "USPTO"
SEARCH = "https://api.uspto.gov/api/v1/patent/applications/search"
FILE = "https://patentcenter.uspto.gov/applications"
NEEDS = ("USPTO_API_KEY",)
HONOURS = frozenset("search_type assignee inventor cpc_code year_from year_to".split())
PACE_S = 1.0
#: How many are looked through where names or classes are to be held against each.
LOOKED_THROUGH = 100
OFFICE = "US"
#: Where the classes of an application stand.
CLASSES = "cpcClassificationBag"
NONE_FOUND = b"No matching records found"
NEXT_STEPS = {"auth_required": "Check USPTO_API_KEY in .env: a key of data.uspto.gov."}


def serves(query: PatentQuery) -> bool:
    """Whether it can have anything of the office that is asked for."""
    return query.patent_office in ("", OFFICE)


def search(http: Http, settings: Settings, query: PatentQuery) -> tuple[Patent, ...]:
    """Applications and patents in the portal's order; those of another office are none of its, so
    it is not asked for them.

    Raises SearchError.
    """
    if not serves(query):
        return ()
    span, narrowed = years(query), query.assignee or query.inventor or query.cpc_code
    most = LOOKED_THROUGH if narrowed else query.count
    wanted = {
        "q": _words(query),
        "rangeFilters": f"applicationMetaData.filingDate {span[0]}:{span[1]}" if span else "",
        "offset": "0",
        "limit": str(most),
    }
    params = {name: value for name, value in wanted.items() if value}
    reply = ask(
        http,
        NAME,
        SEARCH,
        params,
        headers={"X-API-KEY": settings.uspto_api_key},
        next_steps=NEXT_STEPS,
        also=(404,),
    )
    if reply.status == 404:
        if NONE_FOUND in reply.body:
            return ()
        raise refused(NAME, reply, NEXT_STEPS)
    answer = as_json(NAME, reply)
    listed = rows(NAME, answer, _bag(answer))
    held(NAME, listed, at(answer, "count"))
    made = some(
        NAME, listed, [(row, patent) for row in listed if (patent := _patent(row))], "a number"
    )
    if query.cpc_code:
        some(
            NAME,
            listed,
            [row for row in listed if _data(row).get(CLASSES) is not None],
            "its classes",
        )
    found = kept(NAME, (patent for row, patent in made if _is_wanted(row, query)), query)
    return of_first(NAME, found, query.count, len(listed), at(answer, "count"), most=most)


def _words(query: PatentQuery) -> str:
    """Phrases in quotes that all have to stand in the data of an application; a number in the field
    of its kind.
    """
    number = number_in(query.text)
    if number:
        asked = [_of_number(number)]
    else:
        asked = [f'"{each}"' for each in phrases(query.text)]
        asked = (
            [f"applicationMetaData.inventionTitle:{each}" for each in asked]
            if query.search_type == "specific"
            else asked
        )
    asked += [
        f'"{name}"' for name in (quoted(company(query.assignee)), quoted(query.inventor)) if name
    ]
    return " AND ".join(asked)


def _of_number(number: str) -> str:
    found = re.fullmatch(r"US([A-Z]*\d+)([A-Z]\d?)?", number)
    if found is None:
        return f'"{number}"'
    if len(found[1]) == 11:
        return f'applicationMetaData.earliestPublicationNumber:"{number}"'
    return f'applicationMetaData.patentNumber:"{found[1]}"'


def _bag(answer: Any) -> str:
    """Where its list is; the portal has had another name for it."""
    for name in ("patentFileWrapperDataBag", "patentBag"):
        if at(answer, name) is not None:
            return name
    raise changed(NAME, "there are no applications in it")


def _patent(row: dict[str, Any]) -> Patent | None:
    application, data = text(NAME, row, "applicationNumberText"), _data(row)
    granted, published = (
        text(NAME, data, "patentNumber"),
        text(NAME, data, "earliestPublicationNumber"),
    )
    number = number_in(f"US{granted}") if granted else number_in(published)
    number = number or _of_application(application)
    if not number:
        return None
    return Patent(
        title=words(text(NAME, data, "inventionTitle")),
        number=number,
        url=f"{FILE}/{application}" if "/" in number else page(number),
        assignee=words(text(NAME, data, "firstApplicantName")),
        inventor=words(text(NAME, data, "firstInventorName")),
        filed=day(text(NAME, data, "filingDate")),
        granted=day(text(NAME, data, "grantDate")),
        published=day(text(NAME, data, "earliestPublicationDate")),
        status=text(NAME, data, "applicationStatusDescriptionText"),
    )


def _of_application(text: str) -> str:
    """The number of an application that nothing is published of, as the office writes it:
    US16/123456.
    """
    return f"US{text[:2]}/{text[2:]}" if re.fullmatch(r"\d{8}", text, re.ASCII) else ""


def _data(row: dict[str, Any]) -> dict[str, Any]:
    """What is known of an application, which the portal once had in the row itself."""
    data = row.get("applicationMetaData", row)
    if not isinstance(data, dict):
        raise changed(NAME, "'applicationMetaData' is no object")
    return data


def _is_wanted(row: dict[str, Any], query: PatentQuery) -> bool:
    """Whether it is of these people and this class. Nothing is held against one that names nobody:
    its words have been found in it.
    """
    data = _data(row)
    classes = [each.replace(" ", "").upper() for each in texts(NAME, data, CLASSES)]
    code = query.cpc_code.replace(" ", "").upper()
    return (
        _names(
            data, company(query.assignee), "firstApplicantName", "applicantBag", "applicantNameText"
        )
        and _names(data, query.inventor, "firstInventorName", "inventorBag", "inventorNameText")
        and (not code or any(each.startswith(code) for each in classes))
    )


def _names(data: dict[str, Any], asked: str, first: str, bag: str, field: str) -> bool:
    named = [
        text(NAME, data, first),
        *(text(NAME, each, field) for each in rows(NAME, data, bag, optional=True)),
    ]
    return (
        not asked or not any(named) or any(holds(each, asked.replace(",", " ")) for each in named)
    )
