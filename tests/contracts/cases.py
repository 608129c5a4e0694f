"""CourtListener: opinions by subject, by the name of a case, and by a citation.

All are asked for without a token.
"""

from __future__ import annotations

from typing import Any

from research_core.search.queries import CaseQuery
from research_core.search.records import Case as Opinion
from tests.contracts import Case

SEARCH, LOOK_UP = "/api/rest/v4/search/", "/api/rest/v4/citation-lookup/"
ROW: dict[str, Any] = {
    "caseName": "Tea v. Pot",
    "absolute_url": "/opinion/7/tea-v-pot/",
    "citation": ["12 S. Ct. 34", "56 U.S. 78"],
    "neutralCite": "",
    "lexisCite": "1850 U.S. LEXIS 9",
    "court": "Supreme Court of the United States",
    "court_id": "scotus",
    "dateFiled": "1850-03-01",
    "docketNumber": "12-34",
    "citeCount": 0,
    "status": "Published",
}
OPINION = Opinion(
    "Tea v. Pot",
    "https://www.courtlistener.com/opinion/7/tea-v-pot/",
    "courtlistener",
    citation="56 U.S. 78",
    court="Supreme Court of the United States",
    court_id="scotus",
    date_filed="1850-03-01",
    docket_number="12-34",
    citation_count=0,
    parallel_citations=("12 S. Ct. 34", "1850 U.S. LEXIS 9"),
    status="Published",
)
#: As the look-up tells of the same case.
CLUSTER: dict[str, Any] = {
    "case_name": "Tea v. Pot",
    "absolute_url": "/opinion/7/tea-v-pot/",
    "date_filed": "1850-03-01",
    "citation_count": 0,
    "precedential_status": "Published",
    "citations": [
        {"volume": 12, "reporter": "S. Ct.", "page": "34", "type": 1},
        {"volume": "56", "reporter": "U.S.", "page": "78", "type": 1},
    ],
}
FOUND = {
    "citation": "56 US 78",
    "normalized_citations": ["56 U.S. 78"],
    "start_index": 0,
    "end_index": 8,
    "status": 200,
    "error_message": "",
    "clusters": [CLUSTER],
}
BOUND: dict[str, Any] = {
    "jurisdiction": "scotus",
    "date_from": "1850-01-01",
    "date_to": "1850-12-31",
}


def page(*found: dict[str, Any], cursor: str = "") -> dict[str, Any]:
    """A page of results. cursor: where the next one begins."""
    onward = (
        f"https://www.courtlistener.com/api/rest/v4/search/?cursor={cursor}&q=tea"
        if cursor
        else None
    )
    return {"count": len(found), "next": onward, "previous": None, "results": list(found)}


CASES = (
    Case(
        "courtlistener",
        "cases",
        CaseQuery("tea", **BOUND),
        [(SEARCH, page(ROW))],
        [OPINION],
        [(SEARCH, page())],
    ),
    Case(
        "courtlistener",
        "cases",
        CaseQuery("Tea v. Pot", **BOUND),
        [(SEARCH, page(ROW))],
        [OPINION],
        [(SEARCH, page())],
    ),
    Case(
        "courtlistener",
        "cases",
        CaseQuery("Tea v. Pot, 56 U.S. 78 (1850)", **BOUND),
        [(SEARCH, page(ROW)), (LOOK_UP, [FOUND])],
        [OPINION],
        [(SEARCH, page())],
        {"courtlistener_api_token": "a-token-of-courtlistener"},
    ),
)
