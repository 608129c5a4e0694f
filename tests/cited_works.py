"""What services answer of made-up works, for tests of what checks citations.

The services are registries, courts, sites and the archive.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from research_core.errors import FetchError
from research_core.models import HttpReply

CROSSREF, OPENALEX = "https://api.crossref.org/works", "https://api.openalex.org/works"
DATACITE, HANDLE = "https://api.datacite.org/dois", "https://doi.org/api/handles"
LOOK_UP, ARCHIVE = (
    "https://www.courtlistener.com/api/rest/v4/citation-lookup/",
    "https://archive.org/wayback/available",
)

DOI = "10.1038/nature12373"
TITLE = "Nanometre-scale thermometry in a living cell"
PAGE = "https://journal.example.org/thermometry"
COPY = f"https://web.archive.org/web/20240102030405/{PAGE}"
TIMEOUT_ERROR = FetchError("It did not answer.", kind="timeout")
DISCONNECT_ERROR = FetchError(
    "journal.example.org broke off the connection.", kind="network", public=True
)
NO_WORK, NO_PAGE = (404, "Resource not found."), (404, {"errors": []})
ARCHIVED = {
    "archived_snapshots": {
        "closest": {"available": True, "status": "200", "timestamp": "20240102030405", "url": "x"}
    }
}
NOT_ARCHIVED: dict[str, Any] = {"archived_snapshots": {}}

CLAIM = "Quantum sensors of nitrogen-vacancy centres measure temperature inside living cells"
SUPPORTING_TEXT = (
    "Quantum sensors made of nitrogen-vacancy centres in diamond measure the temperature inside living cells with high precision. "
    "The sensors are as small as the organelles of the cell, and their signal is read by light. "
    * 12
)
UNRELATED_TEXT = (
    "The museum opens at nine in the morning, and visitors are asked to leave their umbrellas at the door of the house. "
    * 16
)


def make_handle(code: int) -> dict[str, Any]:
    return {"responseCode": code, "handle": DOI}


def make_crossref_work(title: str = TITLE, doi: str = DOI, **more: Any) -> dict[str, Any]:
    """Return a work as Crossref has it."""
    people = [{"given": "Georg", "family": "Kucsko"}]
    return {
        "DOI": doi,
        "title": [title],
        "author": people,
        "published": {"date-parts": [[2013]]},
        "container-title": ["Nature"],
        **more,
    }


def make_update(kind: str, source: str = "retraction-watch") -> dict[str, Any]:
    return {
        "type": kind,
        "source": source,
        "DOI": "10.1038/notice",
        "updated": {"date-parts": [[2014, 5, 1]]},
    }


def make_crossref_answer(**more: Any) -> dict[str, Any]:
    return {"message": make_crossref_work(**more)}


def make_retraction_answer(**more: Any) -> dict[str, Any]:
    return make_crossref_answer(**{"updated-by": [make_update("retraction")], **more})


def make_crossref_list(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"message": {"items": list(rows), "total-results": len(rows)}}


def make_page(text: str = SUPPORTING_TEXT, title: str = "A page", head: str = "") -> HttpReply:
    body = (
        f"<!doctype "
        f"html><html><head><title>{title}</title>{head}</head><body><main><article><p>{text}</p></article></main></body></html>"
    )
    return HttpReply(PAGE, 200, {"content-type": "text/html; charset=utf-8"}, body.encode())


def make_scholarly_page(
    doi: str = DOI, title: str = TITLE, text: str = SUPPORTING_TEXT
) -> HttpReply:
    tags = {
        "citation_title": title,
        "citation_doi": doi,
        "citation_journal_title": "Nature",
        "citation_author": "Kucsko, Georg",
    }
    return make_page(
        text,
        title,
        "".join(f'<meta name="{name}" content="{value}">' for name, value in tags.items()),
    )


def make_case_citation(
    citation: str, start: int, status: int = 200, name: str = "Miranda v. Arizona"
) -> dict[str, Any]:
    """Return a citation as CourtListener's look-up answers it."""
    case = {
        "case_name": name,
        "absolute_url": "/opinion/1/x/",
        "citation_count": 3,
        "citations": [],
        "date_filed": "1966-06-13",
    }
    return {
        "citation": citation, "normalized_citations": [citation], "status": status,
        "start_index": start, "end_index": start + len(citation),
        "error_message": "" if status == 200 else "Citation not found", "clusters": [case] if status == 200 else [],
    }  # fmt: skip


#: A world that has heard of nothing, and in which every service answers.
NO_WORK_EXISTS: Mapping[str, Any] = {
    CROSSREF: make_crossref_list(),
    f"{CROSSREF}/": NO_WORK,
    OPENALEX: {"results": [], "meta": {"count": 0}},
    f"{OPENALEX}/doi:": NO_PAGE,
    DATACITE: {"data": [], "meta": {"total": 0}},
    f"{DATACITE}/": NO_PAGE,
    f"{HANDLE}/": make_handle(100),
    ARCHIVE: NOT_ARCHIVED,
    LOOK_UP: [],
}
#: One in which Crossref holds the work.
WORK_EXISTS = {
    **NO_WORK_EXISTS,
    f"{CROSSREF}/": make_crossref_answer(),
    CROSSREF: make_crossref_list(make_crossref_work()),
    PAGE: make_page(),
}


def get_sent_text(body: Any) -> str:
    """Return the text that was sent to be looked up."""
    return str(json.loads(json.dumps(body))["text"])
