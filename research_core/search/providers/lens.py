"""Searches the patents of Lens.org, by titles and abstracts. It does not read claims, citations or
families.
"""

from __future__ import annotations

from typing import Any

from research_core.journal.deps import Http
from research_core.model_messages import Json
from research_core.search.providers.counts import held, of_first
from research_core.search.providers.markup import words
from research_core.search.providers.patents import (
    NUMBER,
    company,
    day,
    kept,
    number_in,
    of_parts,
    page,
    phrases,
    years,
)
from research_core.search.providers.reply import as_json, ask, at, changed, rows, some, text, truth
from research_core.search.queries import PatentQuery
from research_core.search.records import Patent
from research_core.settings import Settings
from research_core.text.words import visible

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
    """Publications in the order of Lens.org, by relevance. Raises SearchError."""
    body = {"query": {"bool": {"must": _must(query)}}, "size": query.count, "include": READ}
    headers = {"Authorization": f"Bearer {settings.lens_api_token}"}
    reply = ask(
        http,
        NAME,
        SEARCH,
        method="POST",
        body=body,
        headers=headers,
        next_steps=NEXT_STEPS,
        also=(204,),
    )
    if reply.status == 204:
        return ()
    answer = as_json(NAME, reply)
    listed = rows(NAME, answer, "data")
    held(NAME, listed, at(answer, "total"))
    found = kept(
        NAME,
        some(
            NAME,
            listed,
            [made for row in listed if (made := _patent(row))],
            "the number of a publication",
        ),
        query,
    )
    return of_first(NAME, found, query.count, len(listed), at(answer, "total"), most=query.count)


def _must(query: PatentQuery) -> list[Json]:
    """What all has to hold, each as Elasticsearch asks for it."""
    number, span, where = (
        NUMBER.fullmatch(number_in(query.text)),
        years(query),
        ("title", "abstract"),
    )
    if number:
        asked: list[Json] = [
            {"term": {"jurisdiction": number[1]}},
            {"term": {"doc_number": number[2]}},
        ]
    else:
        fields = where[:1] if query.search_type == "specific" else where
        asked = [
            {"bool": {"should": [{"match_phrase": {field: each}} for field in fields]}}
            for each in phrases(query.text)
        ]
    asked += (
        [{"match_phrase": {"applicant.name": company(query.assignee)}}] if query.assignee else []
    )
    asked += [{"match_phrase": {"inventor.name": query.inventor}}] if query.inventor else []
    asked += [{"term": {"jurisdiction": query.patent_office}}] if query.patent_office else []
    if code := "".join(
        each
        for each in query.cpc_code.upper()
        if each.isascii() and (each.isalnum() or each == "/")
    ):
        asked.append(
            {"query_string": {"query": "class_cpc.symbol:" + code.replace("/", "\\/") + "*"}}
        )
    bounds = {
        name: each
        for name, each, year in zip(
            ("gte", "lte"), span or (), (query.year_from, query.year_to), strict=False
        )
        if year
    }
    asked += [{"range": {"application_reference.date": bounds}}] if bounds else []
    return asked


def _patent(row: dict[str, Any]) -> Patent | None:
    number = of_parts(
        text(NAME, row, "jurisdiction"), text(NAME, row, "doc_number"), text(NAME, row, "kind")
    )
    if not number:
        return None
    granted = truth(NAME, row, "legal_status", "granted")
    return Patent(
        title=_worded(at(row, "biblio", "invention_title")),
        number=number,
        url=page(number),
        abstract=_worded(row.get("abstract")),
        assignee=_party(row, "applicants"),
        inventor=_party(row, "inventors"),
        filed=day(text(NAME, row, "biblio", "application_reference", "date")),
        granted=day(text(NAME, row, "legal_status", "grant_date")) if granted else "",
        published=day(text(NAME, row, "date_published")),
        status=text(NAME, row, "legal_status", "patent_status"),
    )


def _party(row: dict[str, Any], role: str) -> str:
    """The first of them."""
    listed = at(row, "biblio", "parties", role)
    return text(NAME, rows(NAME, listed)[0], "extracted_name", "value") if listed else ""


def _worded(value: Any) -> str:
    """A text in any of the forms they come in: itself, {"text"}, or a list of either, of languages
    (the English one) or of paragraphs.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return words(visible(value))
    if isinstance(value, dict):
        return words(text(NAME, value, "text"))
    if not isinstance(value, list):
        raise changed(NAME, "a title or an abstract is no text")
    english = [each for each in value if isinstance(each, dict) and each.get("lang") == "en"]
    chosen = english[:1] or (value[:1] if value and isinstance(value[0], dict) else value)
    return " ".join(_worded(each) for each in chosen if not isinstance(each, list)).strip()
